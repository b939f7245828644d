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
    while (time < end) {
      if (!integrator.Step(&time)) return Fail(time, integrator.problem());
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

std::vector<double> KnownSwitchTimes(const Program& program, double start, double stop) {
  std::vector<double> out;
  if (program.switches.empty()) return out;
  const ProgramRun run(program);
  constexpr size_t kMost = 1'000'000;
  for (const Program::KnownSwitch& s : program.switches) {
    // Straight lines only: the value at two times, and a third to see whether it is one.
    const double a = run.Evaluate(s.code, s.parameters, start), b = run.Evaluate(s.code, s.parameters, stop);
    const double middle = run.Evaluate(s.code, s.parameters, start + 0.375 * (stop - start));
    const double slope = (b - a) / (stop - start);
    if (!std::isfinite(slope) || slope == 0) continue;
    const double expected = a + 0.375 * (b - a);
    if (std::fabs(middle - expected) > 1e-9 * (std::fabs(a) + std::fabs(b) + 1e-300)) continue;
    const auto add = [&](double level) {
      const double t = start + (level - a) / slope;
      if (t > start && t < stop && out.size() < kMost) out.push_back(t);
    };
    switch (s.kind) {
      case TimeSwitch::Kind::kZero:
        add(0);
        break;
      case TimeSwitch::Kind::kKnots:
        for (const double knot : program.tables[s.table].knots()) add(knot);
        break;
      case TimeSwitch::Kind::kInteger: {
        const double low = std::min(a, b), high = std::max(a, b);
        if (high - low > static_cast<double>(kMost)) break;
        for (double level = std::ceil(low); level <= high; ++level) add(level);
        break;
      }
    }
  }
  std::sort(out.begin(), out.end());
  const double close = 1e-13 * std::max(std::fabs(start), std::fabs(stop));
  out.erase(std::unique(out.begin(), out.end(), [&](double a, double b) { return b - a <= close; }), out.end());
  return out;
}

Trajectory Simulate(const Program& program, const std::vector<StartEntry>& starts,
                    const SimulationOptions& options, std::vector<uint32_t> slots) {
  return Simulator(program, options, std::move(slots)).Run(starts);
}

}  // namespace cotree
