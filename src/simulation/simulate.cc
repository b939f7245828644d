// SPDX-License-Identifier: Apache-2.0
#include "simulation/simulate.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace cotree {
namespace {

std::string TimeText(double time) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g s", time);
  return text;
}

/* Everything that belongs to a component: not the sums. */
std::vector<uint32_t> AllSlots(const Program& program) {
  const SortedSystem& sorted = *program.sorted;
  std::vector<uint32_t> slots;
  for (uint32_t slot = 0; slot < sorted.first_slot[sorted.system->part_variables]; ++slot)
    slots.push_back(slot);
  return slots;
}

class Simulator {
 public:
  Simulator(const Program& program, const SimulationOptions& options, std::vector<uint32_t> slots)
      : program_(program), options_(options), run_(program) {
    out_.slots = slots.empty() ? AllSlots(program) : std::move(slots);
    out_.columns.resize(out_.slots.size());
  }

  Trajectory Run(const std::vector<StartEntry>& starts) {
    if (!program_.unsupported.empty()) {
      out_.ok = false;
      out_.problem =
          "before it began: " + program_.unsupported.front() + " cannot be computed in this version";
      return std::move(out_);
    }
    std::vector<double> knots = KnownSwitchTimes(program_, options_.start, options_.stop);
    out_.switch_times = knots;
    knots.push_back(options_.stop);
    interval_ = options_.interval > 0 ? options_.interval : (options_.stop - options_.start) / 500;
    run_.switch_time = (options_.start + knots.front()) / 2;
    out_.initialization = Initialize(run_, program_, starts, {options_.start, options_.steady});
    if (!out_.initialization.ok) {
      out_.ok = false;
      out_.problem = "at the start: " + out_.initialization.problem;
      return std::move(out_);
    }
    const auto integrator = MakeIntegrator(run_, program_, options_);
    double time = options_.start;
    Record(time);
    for (const double knot : knots) {
      if (!Segment(*integrator, time, knot)) break;
      time = knot;
    }
    out_.steps = integrator->steps;
    out_.jacobians = integrator->jacobians;
    out_.evaluations = run_.evaluations;
    return std::move(out_);
  }

 private:
  bool Segment(Integrator& integrator, double begin, double end) {
    if (!(end > begin)) return true;
    run_.switch_time = begin + (end - begin) / 2;
    // Everything else behind the switch.
    if (begin > options_.start) {
      if (!run_.Run(begin)) return Fail(begin, run_.FailureText());
      Record(begin);
    }
    if (!integrator.Restart(begin, end)) return Fail(begin, "the integrator could not start");
    double time = begin;
    std::vector<double> states;
    int stuck = 0;
    while (time < end) {
      const double before = time;
      if (!integrator.Step(&time)) return Fail(time, integrator.problem());
      const bool tiny = time - before < 1e-13 * std::max(std::fabs(time), end - begin) && time < end;
      stuck = tiny ? stuck + 1 : 0;
      if (stuck > 200)
        return Fail(time, "the steps become too small: something grows without bound, or jumps");
      while (true) {
        const double next = options_.start + static_cast<double>(row_ + 1) * interval_;
        if (!(next < time) || !(next < end - 1e-9 * interval_)) break;
        ++row_;
        if (next <= begin) continue;
        if (!RecordAt(integrator, next, states)) return false;
      }
      if (options_.progress && !options_.progress(time)) {
        out_.stopped = true;
        return false;
      }
    }
    if (!RecordAt(integrator, end, states)) return false;
    return true;
  }
  bool RecordAt(Integrator& integrator, double time, std::vector<double>& states) {
    if (!integrator.Interpolate(time, states)) return Fail(time, "the integrator lost its history");
    for (size_t k = 0; k < states.size(); ++k) run_.values[program_.state_slots[k]] = states[k];
    if (!run_.Run(time)) return Fail(time, run_.FailureText());
    Record(time);
    return true;
  }
  void Record(double time) {
    out_.times.push_back(time);
    for (size_t k = 0; k < out_.slots.size(); ++k) out_.columns[k].push_back(run_.values[out_.slots[k]]);
  }
  bool Fail(double time, const std::string& reason) {
    out_.ok = false;
    out_.problem = "at " + TimeText(time) + ": " + reason;
    return false;
  }

  const Program& program_;
  const SimulationOptions& options_;
  ProgramRun run_;
  Trajectory out_;
  double interval_ = 0;
  uint64_t row_ = 0;
};

}  // namespace

namespace {

/* Times at which functions of time and parameters cross zero or a whole number, or meet the knots of a table.
 */
class SwitchFinder {
 public:
  SwitchFinder(const Program& program, double start, double stop)
      : program_(program), run_(program), start_(start), stop_(stop) {}

  std::vector<double> Find() {
    // Saw-teeth first: between their jumps the others are smooth.
    for (const Program::KnownSwitch& s : program_.switches) {
      if (s.kind == TimeSwitch::Kind::kInteger) Between(s, start_, stop_, kSamples);
    }
    Tidy();
    std::vector<double> ends{start_};
    ends.insert(ends.end(), times_.begin(), times_.end());
    ends.push_back(stop_);
    const size_t samples = std::max<size_t>(16, kSamples / ends.size());
    for (const Program::KnownSwitch& s : program_.switches) {
      if (s.kind == TimeSwitch::Kind::kInteger) continue;
      for (size_t k = 0; k + 1 < ends.size(); ++k) Between(s, ends[k], ends[k + 1], samples);
    }
    Tidy();
    return std::move(times_);
  }

 private:
  static constexpr size_t kSamples = 20'000, kMost = 1'000'000;

  double Value(const Program::KnownSwitch& s, double t) const {
    return run_.Evaluate(s.code, s.parameters, t);
  }
  // What changes when something switches: the sign, the whole part, the interval of the table.
  double Level(const Program::KnownSwitch& s, double value) const {
    switch (s.kind) {
      case TimeSwitch::Kind::kZero:
        return value > 0 ? 1 : 0;
      case TimeSwitch::Kind::kInteger:
        return std::floor(value);
      case TimeSwitch::Kind::kKnots: {
        const auto& knots = program_.tables[s.table].knots();
        return static_cast<double>(std::upper_bound(knots.begin(), knots.end(), value) - knots.begin());
      }
    }
    return 0;
  }
  void Add(double t) {
    if (t > start_ && t < stop_ && times_.size() < kMost) times_.push_back(t);
  }
  void Between(const Program::KnownSwitch& s, double a, double b, size_t samples) {
    // Inside the ends, where one-sided values are those of the interval.
    const double inset = 1e-7 * (b - a), from = a + inset, to = b - inset;
    const double va = Value(s, from), vb = Value(s, to), vm = Value(s, from + 0.375 * (to - from));
    if (!std::isfinite(va) || !std::isfinite(vb)) return;
    const double straight = va + 0.375 * (vb - va);
    if (std::fabs(vm - straight) <= 1e-9 * (std::fabs(va) + std::fabs(vb) + 1e-300)) {
      Straight(s, from, to, va, vb);
      return;
    }
    double t0 = from, level = Level(s, va);
    for (size_t k = 1; k <= samples; ++k) {
      const double t1 = from + (to - from) * static_cast<double>(k) / static_cast<double>(samples);
      const double next = Level(s, Value(s, t1));
      if (next != level) {
        double low = t0, high = t1;
        for (int i = 0; i < 60 && high - low > 1e-15 * std::max(std::fabs(low), std::fabs(high)); ++i) {
          const double middle = low + (high - low) / 2;
          (Level(s, Value(s, middle)) == level ? low : high) = middle;
        }
        Add(high);
      }
      t0 = t1;
      level = next;
    }
  }
  void Straight(const Program::KnownSwitch& s, double from, double to, double va, double vb) {
    const double slope = (vb - va) / (to - from);
    if (slope == 0 || !std::isfinite(slope)) return;
    const double low = std::min(va, vb), high = std::max(va, vb), margin = 1e-6 * (high - low);
    const auto cross = [&](double level) {
      if (level >= low - margin && level <= high + margin) Add(from + (level - va) / slope);
    };
    if (s.kind == TimeSwitch::Kind::kZero) cross(0);
    if (s.kind == TimeSwitch::Kind::kKnots) {
      for (const double knot : program_.tables[s.table].knots()) cross(knot);
    }
    if (s.kind == TimeSwitch::Kind::kInteger && high - low <= static_cast<double>(kMost)) {
      for (double level = std::ceil(low - margin); level <= high + margin; ++level) cross(level);
    }
  }
  void Tidy() {
    std::sort(times_.begin(), times_.end());
    const double close = 1e-12 * std::max(std::fabs(start_), std::fabs(stop_));
    times_.erase(
        std::unique(times_.begin(), times_.end(), [&](double a, double b) { return b - a <= close; }),
        times_.end());
  }

  const Program& program_;
  const ProgramRun run_;
  double start_, stop_;
  std::vector<double> times_;
};

}  // namespace

std::vector<double> KnownSwitchTimes(const Program& program, double start, double stop) {
  if (program.switches.empty()) return {};
  return SwitchFinder(program, start, stop).Find();
}

Trajectory Simulate(const Program& program, const std::vector<StartEntry>& starts,
                    const SimulationOptions& options, std::vector<uint32_t> slots) {
  return Simulator(program, options, std::move(slots)).Run(starts);
}

}  // namespace cotree
