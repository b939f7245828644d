// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "program/enclosure.h"
#include "simulation/simulate.h"

namespace cotree {
namespace {

double EndRounding(double start, double stop) {
  return 1e-12 * std::max(std::fabs(stop), 1e-3 * (stop - start));
}

/* Times at which functions of time and parameters cross zero or a whole number, or meet the knots of a table.
Where they lie is enclosed (program/enclosure.h), so that none is stepped over: a stretch in which nothing can be
met is left, one in which the function only rises or only falls is searched by its ends, all others are halved,
down to 1e-12 of the run. */
class SwitchFinder {
 public:
  SwitchFinder(const Program& program, double start, double stop, size_t most)
      : program_(program), run_(program), start_(start), stop_(stop), most_(most) {}

  std::vector<double> Find() {
    // Saw-teeth first: between their jumps the others are smooth.
    for (const Program::KnownSwitch& s : program_.switches) {
      if (s.kind == TimeSwitch::Kind::kInteger) Between(s, start_, stop_);
    }
    Tidy();
    std::vector<double> ends{start_};
    ends.insert(ends.end(), times_.begin(), times_.end());
    if (ends.back() == stop_) ends.pop_back();
    ends.push_back(stop_);
    for (const Program::KnownSwitch& s : program_.switches) {
      if (s.kind == TimeSwitch::Kind::kInteger) continue;
      for (size_t k = 0; k + 1 < ends.size() && !full(); ++k) Between(s, ends[k], ends[k + 1]);
    }
    Tidy();
    return std::move(times_);
  }
  /// How much the functions turn over the run.
  double Phase() {
    double most = 0;
    for (const Program::KnownSwitch& s : program_.switches) {
      double sum = 0;
      constexpr int kPieces = 1000;
      for (int k = 0; k < kPieces; ++k) {
        const double length = (stop_ - start_) / kPieces, from = start_ + k * length;
        const double phase = Enclose(s, from, from + length).phase;
        if (std::isfinite(phase)) sum += phase;
      }
      most = std::max(most, sum);
    }
    return most;
  }
  /// There are more than was asked for: those found are not the first ones.
  bool full() const { return times_.size() >= most_; }

  /// Whether something switches right behind the end, by rounding of the time at which it does.
  bool IsLateByRounding() const {
    return std::any_of(
        program_.switches.begin(), program_.switches.end(), [&](const Program::KnownSwitch& s) {
          const double now = Value(s, stop_), behind = Value(s, stop_ + EndRounding(start_, stop_));
          return !IsSwitching(s, now) && Level(s, now) != Level(s, behind);
        });
  }

 private:
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
  // Right at the moment of a switch.
  bool IsSwitching(const Program::KnownSwitch& s, double value) const {
    if (s.kind == TimeSwitch::Kind::kZero) return value == 0;
    if (s.kind == TimeSwitch::Kind::kInteger) return value == std::floor(value);
    const auto& knots = program_.tables[s.table].knots();
    return std::binary_search(knots.begin(), knots.end(), value);
  }
  // What is within rounding of the end happens there.
  void Add(double t) {
    if (std::fabs(t - stop_) <= EndRounding(start_, stop_)) t = stop_;
    if (t > start_ && t <= stop_ && !full()) times_.push_back(t);
  }
  void Between(const Program::KnownSwitch& s, double a, double b) {
    // Inside the ends, where one-sided values are those of the interval.
    const double digits = 4 * std::numeric_limits<double>::epsilon() * std::max(std::fabs(a), std::fabs(b));
    const double inset = std::max(std::min(1e-7 * (b - a), 1e-11 * (stop_ - start_)), digits), from = a + inset, to = b - inset;
    const double va = Value(s, from), vb = Value(s, to), vm = Value(s, from + 0.375 * (to - from));
    if (!std::isfinite(va) || !std::isfinite(vb)) return;
    const double straight = va + 0.375 * (vb - va);
    if (std::fabs(vm - straight) <= 1e-9 * (std::fabs(va) + std::fabs(vb) + 1e-300) &&
        Enclose(s, from, to).phase == 0) {
      Straight(s, from, to, va, vb);
      return;
    }
    Within(s, from, Level(s, va), to, Level(s, vb));
    if (b < stop_) return;
    const double last = Value(s, stop_);  // the end itself counts, too
    if (IsSwitching(s, last)) Add(stop_);
    if (Level(s, last) != Level(s, vb)) Add(Change(s, to, Level(s, vb), stop_));
  }
  Enclosure Enclose(const Program::KnownSwitch& s, double from, double to) {
    EnclosureContext context;
    context.parameters = program_.sorted->system->parameters.values.data() + s.parameters;
    context.time = {from, to};
    context.switch_time = to;
    context.tables = &program_.tables;
    EncloseCode(program_.codes[s.code], context, registers_);
    return registers_[program_.codes[s.code].results[0]];
  }
  void Within(const Program::KnownSwitch& s, double from, double level, double to, double next) {
    if (full()) return;
    const Enclosure e = Enclose(s, from, to);
    if (level == next && Level(s, e.value.low) == Level(s, e.value.high)) return;
    const bool steady = e.slope.low > 0 || e.slope.high < 0;
    if (level == next && steady) return;
    const double middle = from + (to - from) / 2;
    // What cancels everywhere (sin(t)^2 + cos(t)^2 - 1) has no end: then as fine as a scan.
    const double finest = ++enclosed_ < 5'000'000 ? 1e-12 : 5e-5;
    const bool least = to - from <= finest * (stop_ - start_) || !(middle > from && middle < to);
    if (least || (steady && std::fabs(next - level) <= 1)) {
      if (level != next) Add(Change(s, from, level, to));
      return;
    }
    const double between = Level(s, Value(s, middle));
    Within(s, from, level, middle, between);
    Within(s, middle, between, to, next);
  }
  // The first number behind the change: whatever is begun with, the same bits.
  double Change(const Program::KnownSwitch& s, double low, double level, double high) const {
    while (true) {
      const double middle = low + (high - low) / 2;
      if (!(middle > low && middle < high)) return high;
      (Level(s, Value(s, middle)) == level ? low : high) = middle;
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
    if (s.kind == TimeSwitch::Kind::kInteger) {
      for (double level = std::ceil(low - margin); level <= high + margin && !full(); ++level) cross(level);
    }
  }
  void Tidy() {
    std::sort(times_.begin(), times_.end());
    const auto close = [&](double a, double b) { return b - a <= 1e-12 * UnitOfTime(b, start_, stop_); };
    times_.erase(std::unique(times_.begin(), times_.end(), close), times_.end());
  }

  const Program& program_;
  const ProgramRun run_;
  double start_, stop_;
  size_t most_, enclosed_ = 0;
  std::vector<double> times_;
  std::vector<Enclosure> registers_;
};

}  // namespace

size_t SwitchSamples(const Program& program, double start, double stop) {
  constexpr double kLeast = 20'000, kMost = 1e7;
  return static_cast<size_t>(
      std::clamp(std::ceil(8 * SwitchFinder(program, start, stop, 1).Phase()), kLeast, kMost));
}

std::vector<double> KnownSwitchTimes(const Program& program, double start, double stop, double* until) {
  constexpr size_t kMost = 1'000'000;
  double end = stop;
  if (until != nullptr) *until = stop;
  if (program.switches.empty()) return {};
  while (true) {
    SwitchFinder finder(program, start, end, until != nullptr ? kMost : SIZE_MAX);
    std::vector<double> times = finder.Find();
    const double middle = start + (end - start) / 2;
    if (!finder.full() || !(middle > start && middle < end)) {
      if (until != nullptr) *until = end;
      // What happens right where the stretch ends belongs to it.
      if (end < stop && (times.empty() || times.back() < end)) times.push_back(end);
      return times;
    }
    end = middle;
  }
}

double EndMoment(const Program& program, double start, double stop) {
  const bool late = SwitchFinder(program, start, stop, 1).IsLateByRounding();
  return late ? stop + EndRounding(start, stop) : stop;
}

}  // namespace cotree
