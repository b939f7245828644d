// SPDX-License-Identifier: Apache-2.0
#include "cli/certify.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "cli/interrupt.h"
#include "cli/progress_line.h"
#include "cli/run_result.h"

namespace cotree {

RunRecord RecordFor(const ResultHeader& header) {
  RunRecord out;
  for (size_t k = 0; k < header.columns.size(); ++k) {
    if (!header.columns[k].stored()) continue;
    out.names.push_back(header.columns[k].name);
    out.units.push_back(header.columns[k].unit);
    out.places.push_back(k);
  }
  out.columns.resize(out.names.size());
  return out;
}

void RunRecord::Add(double time, std::span<const double> values) {
  times.push_back(time);
  for (size_t k = 0; k < places.size(); ++k) columns[k].push_back(values[places[k]]);
}

void RunRecord::Take(const Trajectory& trajectory) {
  method = trajectory.method;
  stop_reason = trajectory.stop_reason;
  events = trajectory.event_times;
  std::sort(events.begin(), events.end());
}

namespace {

/* The rows of one time: one, or those before and after what happens then. */
struct Moment {
  size_t first, last;
};
std::map<double, Moment> MomentsOf(const RunRecord& run) {
  std::map<double, Moment> out;
  for (size_t r = 0; r < run.times.size(); ++r)
    out.try_emplace(run.times[r], Moment{r, r}).first->second.last = r;
  return out;
}

// Whether something happens nearby, but not at one time in both runs.
bool IsBesideEvent(const std::vector<double>& events, const std::vector<double>& others, double time,
                   double near) {
  for (auto at = std::lower_bound(events.begin(), events.end(), time - near);
       at != events.end() && *at <= time + near; ++at) {
    if (!std::binary_search(others.begin(), others.end(), *at)) return true;
  }
  return false;
}

// What the differences of each variable are measured by: its largest magnitude; where that is no more than
// the tolerance of what has its unit, it has no digits of its own. A derivative: at least what changes by the
// size of its variable along the run, so that rest has no digits.
std::vector<double> SizesOf(const RunRecord& run, double rtol) {
  std::vector<double> sizes(run.names.size(), 0);
  std::map<std::string, double> of_unit;
  for (size_t k = 0; k < sizes.size(); ++k) {
    for (const double value : run.columns[k]) sizes[k] = std::max(sizes[k], std::abs(value));
    double& largest = of_unit[run.units[k]];
    largest = std::max(largest, sizes[k]);
  }
  for (size_t k = 0; k < sizes.size(); ++k) {
    const double largest = of_unit[run.units[k]];
    if (sizes[k] <= 10 * rtol * largest) sizes[k] = largest;
  }
  const double length = run.times.empty() ? 0 : run.times.back() - run.times.front();
  std::map<std::string, size_t> place;
  for (size_t k = 0; k < sizes.size(); ++k) place[run.names[k]] = k;
  for (size_t k = 0; k < sizes.size() && length > 0; ++k) {
    const std::string& name = run.names[k];
    if (!name.starts_with("der(") || !name.ends_with(")")) continue;
    const auto of = place.find(name.substr(4, name.size() - 5));
    if (of != place.end()) sizes[k] = std::max(sizes[k], sizes[of->second] / length);
  }
  return sizes;
}

}  // namespace

double Agreement::Digits() const {
  constexpr double kMost = 15;
  return difference > 0 ? std::clamp(-std::log10(difference), 0.0, kMost) : kMost;
}

Agreement CompareRuns(const RunRecord& own, const RunRecord& other, double rtol, double allowed,
                      const std::vector<std::string>& left_out) {
  Agreement out;
  const std::map<double, Moment> moments = MomentsOf(own), others = MomentsOf(other);
  const std::vector<double> sizes = SizesOf(own, rtol);
  std::map<std::string, size_t> place;
  for (size_t k = 0; k < other.names.size(); ++k) place[other.names[k]] = k;
  std::vector<std::pair<size_t, size_t>> common;
  for (size_t k = 0; k < own.names.size(); ++k) {
    if (std::binary_search(left_out.begin(), left_out.end(), own.names[k])) continue;
    if (const auto at = place.find(own.names[k]); at != place.end() && sizes[k] > 0)
      common.emplace_back(k, at->second);
  }
  const double length = own.times.empty() ? 0 : own.times.back() - own.times.front();
  for (const auto& [time, moment] : moments) {
    const auto at = others.find(time);
    if (at == others.end() || (moment.first == moment.last) != (at->second.first == at->second.last))
      continue;
    const double near = 100 * rtol * length;
    if (IsBesideEvent(own.events, other.events, time, near) ||
        IsBesideEvent(other.events, own.events, time, near))
      continue;
    ++out.rows;
    for (const auto& [row, its] :
         {std::pair(moment.first, at->second.first), std::pair(moment.last, at->second.last)}) {
      for (const auto& [k, j] : common) {
        const double a = own.columns[k][row], b = other.columns[j][its];
        const double difference = std::abs(a - b) / sizes[k];
        if (difference > allowed && out.first_name.empty()) {
          out.first_name = own.names[k];
          out.first_time = time;
          out.first_own = a;
          out.first_other = b;
        }
        if (!(difference > out.difference)) continue;
        out.difference = difference;
        out.name = own.names[k];
        out.time = time;
        out.own = a;
        out.other = b;
      }
    }
  }
  return out;
}

namespace {

bool HasFixedSteps(Method method) {
  return method >= Method::kEuler;
}

/* One way to run it again. */
struct Repeat {
  std::string name;
  std::function<void(SimulationOptions& simulation)> change;
};

/* What came of it. */
struct Outcome {
  std::string problem;  // why there is no run
  bool interrupted = false;
  RunRecord record;
};

class Certifier {
 public:
  Certifier(const SimulateOptions& options, const PreparedRun& prepared, const RunRecord& own)
      : options_(options), p_(prepared), own_(own) {
    out_ = options.csv && options.output.empty() ? stderr : stdout;
    wanted_ = std::max(2.0, -std::log10(100 * p_.simulation.rtol));
  }

  int Run() {
    fmt::print(out_, "certificate: {} digits are promised by a tolerance of {:g}\n", Short(wanted_),
               p_.simulation.rtol);
    std::vector<Repeat> repeats = Repeats();
    for (const Repeat& repeat : repeats) {
      if (const int exit = Look(repeat); exit != kExitOk) return exit;
    }
    if (!AnotherTree()) return kExitInterrupted;
    for (const std::string& note : notes_) fmt::print(out_, "  {}\n", note);
    return Verdict();
  }

 private:
  static std::string Short(double digits) {
    return fmt::format("{:.1f}", std::floor(digits * 10) / 10 + 0.0);
  }

  std::vector<Repeat> Repeats() const {
    std::vector<Repeat> out;
    const SimulationOptions& s = p_.simulation;
    if (HasFixedSteps(s.method)) {
      out.push_back({"half the step", [](SimulationOptions& o) { o.step = FixedStepOf(o) / 2; }});
      out.push_back({"variable steps", [](SimulationOptions& o) {
                       o.method = Method::kAutomatic;
                       o.step = 0;
                     }});
      return out;
    }
    out.push_back(
        {"a tenth of the tolerance", [](SimulationOptions& o) { o.rtol = std::max(o.rtol / 10, 1e-13); }});
    const auto [method, name] = OtherMethod();
    // Multistep methods add up more error over a run: held to less, theirs is not taken for the run's.
    out.push_back({name, [method = method](SimulationOptions& o) {
                     o.method = method;
                     o.rtol = std::max(o.rtol / 10, 1e-11);
                   }});
    return out;
  }

  // Explicit where BDF was, BDF where an explicit method was; where it is stiff, IDA.
  std::pair<Method, std::string> OtherMethod() const {
    const Method method = p_.simulation.method;
    const bool bdf = own_.method.find("BDF") != std::string::npos;
    const bool loops = !p_.translation->mechanism.chords.empty();
    if (method == Method::kAutomatic && bdf && !loops) return {Method::kIda, "another integrator, IDA"};
    if (bdf || method == Method::kBdf) return {Method::kExplicit, "another integrator, Runge-Kutta"};
    return {Method::kBdf, "another integrator, BDF"};
  }

  Outcome RunAgain(const PreparedRun& p, const std::function<void(SimulationOptions&)>& change) const {
    Outcome out;
    const std::vector<uint32_t> slots = SlotsOfComponents(*p.translation);
    out.record = RecordFor(HeaderOfRun(*p.loaded, *p.translation, p.simulation, slots, options_.settings));
    SimulationOptions s = p.simulation;
    s.every_step = false;
    s.watched.clear();
    s.checkpoint = nullptr;
    s.extreme = nullptr;
    s.event = nullptr;
    s.resume.clear();
    if (change) change(s);
    ProgressLine line;
    const InterruptWatch watch;
    s.components.interrupted = [&] { return watch.interrupted(); };
    s.progress = [&](double time) {
      line.Show((time - s.start) / (s.stop - s.start),
                [&] { return fmt::format("repeated, {:.4g} of {:g} s", time, s.stop); });
      return !watch.interrupted();
    };
    s.row = [&](double time, std::span<const double> values) {
      out.record.Add(time, values);
      return true;
    };
    const Trajectory trajectory = Simulate(*p.translation->program, p.translation->starts, s, slots);
    line.Clear();
    out.record.Take(trajectory);
    out.interrupted = watch.interrupted();
    if (!trajectory.ok) out.problem = "the run failed " + trajectory.problem;
    return out;
  }

  // False: interrupted.
  int Look(const Repeat& repeat) {
    const Outcome outcome = RunAgain(p_, repeat.change);
    return Say(repeat.name, outcome) ? kExitOk : kExitInterrupted;
  }

  bool Say(const std::string& name, const Outcome& outcome, const std::vector<std::string>& left_out = {}) {
    if (outcome.interrupted) {
      fmt::print(stderr, "cotree: interrupted; the certificate is not complete\n");
      return false;
    }
    if (!outcome.problem.empty()) {
      fmt::print(out_, "  {:<34} no run: {}\n", name, outcome.problem);
      if (failed_.empty()) failed_ = fmt::format("{}: {}", name, outcome.problem);
      return true;
    }
    const Agreement found =
        CompareRuns(own_, outcome.record, p_.simulation.rtol, std::pow(10.0, -wanted_), left_out);
    if (found.rows == 0) {
      const std::string problem = "no row of the two runs is of the same time";
      fmt::print(out_, "  {:<34} {}\n", name, problem);
      if (failed_.empty()) failed_ = name + ": " + problem;
      return true;
    }
    std::string where;
    if (!found.name.empty())
      where = fmt::format("  least: {} at {:.6g} s, {:.10g} against {:.10g}", found.name, found.time,
                          found.own, found.other);
    fmt::print(out_, "  {:<34} {:>4} digits{}\n", name, Short(found.Digits()), where);
    if (!worst_ || found.difference > worst_->difference) worst_ = found;
    if (outcome.record.stop_reason != own_.stop_reason && failed_.empty())
      failed_ =
          fmt::format("{}: the model {} the run", name, own_.stop_reason.empty() ? "ended" : "did not end");
    return true;
  }

  // What a joint carries as inertia and load is that of the coordinates chosen.
  std::vector<std::string> OfCoordinates() const {
    std::vector<std::string> out;
    const Translation& t = *p_.translation;
    for (const uint32_t slot : SlotsOfComponents(t)) {
      const VariableRef ref = t.sorted->OfSlot(slot);
      if (t.equations->PartOfVariable(ref.variable) < t.graph->components.size()) continue;
      const std::string name = t.sorted->SlotName(slot);
      const std::string_view last = std::string_view(name).substr(name.rfind('.') + 1);
      if (last.starts_with("inertia") || last.starts_with("load")) out.push_back(name);
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  // Other coordinates of what moves in space, or another normal tree. False: interrupted.
  bool AnotherTree() {
    SimulateOptions options = options_;
    const Mechanism& mechanism = p_.translation->mechanism;
    std::string name;
    DiskReader reader;
    std::optional<PreparedRun> other;
    if (!mechanism.empty() && mechanism.composites.size() > 1) {
      options.other_coordinates = true;
      other = PrepareRun(options, reader);
      const bool same = other->exit == kExitOk && other->translation->mechanism.placed == mechanism.placed;
      if (same) other.reset();
      name = mechanism.placed ? "coordinates of joints" : "absolute coordinates";
    }
    for (const char* wish : {"across", "through"}) {
      if (other || !mechanism.empty()) break;
      options.prefer = {wish};
      other = PrepareRun(options, reader);
      name = "another normal tree";
      const bool same =
          other->exit == kExitOk &&
          std::equal(other->translation->tree.primary.begin(), other->translation->tree.primary.end(),
                     p_.translation->tree.primary.begin(), p_.translation->tree.primary.end());
      if (same) other.reset();
    }
    if (!other) {
      notes_.push_back("no other tree: the system leaves no choice");
      return true;
    }
    if (other->exit == kExitOk) return Say(name, RunAgain(*other, nullptr), OfCoordinates());
    Outcome outcome;
    outcome.problem = other->problem.empty() ? "it cannot be translated so" : other->problem;
    return Say(name, outcome);
  }

  int Verdict() const {
    const bool agree = failed_.empty() && worst_ && worst_->first_name.empty();
    if (agree) {
      fmt::print(out_, "all agree on {} digits\n", Short(worst_->Digits()));
      return kExitOk;
    }
    const char* remedy =
        HasFixedSteps(p_.simulation.method)
            ? "the step may be too long (--step), or the motion is sensitive (chaos), or something jumps "
              "that only just happens"
            : "the motion may be sensitive (chaos: end the run earlier), the tolerance too loose (--rtol), "
              "or "
              "something jumps that only just happens";
    if (worst_ && !worst_->first_name.empty()) {
      fmt::print(out_, "they do not agree: `{}` from {:.6g} s on: {:.10g} against {:.10g}\n",
                 worst_->first_name, worst_->first_time, worst_->first_own, worst_->first_other);
      fmt::print(stderr,
                 "cotree: not certified: `{}` differs from {:.6g} s on by more than {} digits allow; {}\n",
                 worst_->first_name, worst_->first_time, Short(wanted_), remedy);
    } else {
      const std::string why = failed_.empty() ? "nothing was compared" : failed_;
      fmt::print(out_, "they do not agree: {}\n", why);
      fmt::print(stderr, "cotree: not certified: {}; {}\n", why, remedy);
    }
    return kExitNumerical;
  }

  const SimulateOptions& options_;
  const PreparedRun& p_;
  const RunRecord& own_;
  std::FILE* out_;
  double wanted_;
  std::vector<std::string> notes_;
  std::optional<Agreement> worst_;
  std::string failed_;
};

}  // namespace

int Certify(const SimulateOptions& options, const PreparedRun& prepared, const RunRecord& own) {
  return Certifier(options, prepared, own).Run();
}

}  // namespace cotree
