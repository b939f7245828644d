// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "simulation/simulate.h"

namespace cotree {
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

}  // namespace cotree
