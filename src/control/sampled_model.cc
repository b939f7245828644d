// SPDX-License-Identifier: Apache-2.0
#include "control/sampled_model.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <set>

#include "linear_algebra/eigenvalues.h"

namespace cotree {
namespace {

constexpr size_t kMostStates = 1000;     // an exponential of a full matrix
constexpr int64_t kMostTicks = 10000;    // within the common period
constexpr int64_t kLargestRatio = 1000;  // of two periods, as a fraction of whole numbers

// The fraction nearest to x with a small denominator, by continued fractions; false: there is none.
bool FindFraction(double x, int64_t* numerator, int64_t* denominator) {
  int64_t p0 = 0, q0 = 1, p1 = 1, q1 = 0;
  double rest = x;
  for (int turn = 0; turn < 20 && rest < 1e9; ++turn) {
    const auto whole = static_cast<int64_t>(std::floor(rest));
    std::swap(p0, p1);
    std::swap(q0, q1);
    p1 += whole * p0;
    q1 += whole * q0;
    if (q1 > kLargestRatio) return false;
    *numerator = p1;
    *denominator = q1;
    if (std::fabs(x - static_cast<double>(p1) / static_cast<double>(q1)) <= 1e-9 * x) return true;
    rest = 1 / (rest - static_cast<double>(whole));
  }
  return false;
}

class Linearizer {
 public:
  Linearizer(ProgramRun& run, const Program& program, const std::vector<VariableRef>& outputs, double time)
      : run_(run),
        program_(program),
        sorted_(*program.sorted),
        system_(*sorted_.system),
        time_(time),
        tick_time_(time) {
    for (const VariableRef& ref : outputs) {
      output_names_.push_back(system_.VariableName(ref.variable, ref.order));
      output_slots_.push_back(sorted_.Slot(ref));
    }
    for (const VariableRef& input : system_.inputs) input_slots_.push_back(sorted_.Slot({input.variable, 0}));
    n_ = program.state_slots.size();
    m_ = input_slots_.size();
    p_ = output_slots_.size();
  }

  SampledModel Run(const std::optional<LoopCut>& cut) {
    if (FindClocks() && (!cut || KeepRateOf(*cut))) Build();
    for (const Program::Clock& clock : program_.clocks) run_.values[clock.slot] = 0;
    std::fill(run_.tangents.begin(), run_.tangents.end(), 0);
    if (!out_.problem.empty()) out_.model.reset();
    return std::move(out_);
  }

 private:
  /** A clock, or several that always tick together. */
  struct Clock {
    double start = 0, period = 0;
    std::vector<uint32_t> slots{};
    uint32_t component = 0;  // of the first
    bool acts = false;
  };
  /** Clocks that tick together, at a time behind the first tick of the common period. */
  struct Tick {
    double phase = 0;
    std::set<size_t> clocks;
  };

  bool Refuse(std::string why) {
    out_.problem = std::move(why);
    return false;
  }
  std::string NameOf(uint32_t component) const {
    return "`" + ComponentName(*system_.model, *system_.graph, ComponentId(component)) + "`";
  }

  static std::string Seconds(double x) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.9g s", x);
    return buffer;
  }

  // --- What happens at ticks ------------------------------------------------------------------------------

  bool FindClocks() {
    for (const Program::Clock& clock : program_.clocks) {
      double numbers[2];
      run_.Compute(clock, time_, numbers);
      run_.values[clock.slot] = 0;
      tick_time_ = std::max(tick_time_, time_ + numbers[1]);
      auto same = std::find_if(clocks_.begin(), clocks_.end(), [&](const Clock& c) {
        return c.start == numbers[0] && c.period == numbers[1];
      });
      if (same == clocks_.end()) same = clocks_.insert(same, {numbers[0], numbers[1], {}, clock.component});
      same->slots.push_back(clock.slot);
    }
    for (const Program::When& when : program_.whens) idle_.push_back(run_.Compute(when, time_) != 0);
    return !clocks_.empty();
  }

  std::vector<uint32_t> SetBy(const std::vector<uint32_t>& whens) const {
    std::set<uint32_t> slots;
    OverActions(whens, [&](const Program::Action& a) {
      if (!a.reinit && IsReal(a.target)) slots.insert(a.target);
    });
    for (const uint32_t w : whens) {
      if (program_.whens[w].external == UINT32_MAX) continue;
      for (const auto& [name, slot] : program_.externals[program_.whens[w].external].outputs)
        slots.insert(slot);
    }
    return {slots.begin(), slots.end()};
  }

  /* Drops the clocks that are slower than the loop. */
  bool KeepRateOf(const LoopCut& cut) {
    std::set<size_t> all;
    for (size_t k = 0; k < clocks_.size(); ++k) all.insert(k);
    SetDiscrete(SetBy(Active(all)));
    const Matrix between = Between(time_);
    double period = INFINITY;
    uint32_t own = 0;
    bool reads = false;  // the output is continuous
    const auto take = [&](const Clock& clock) {
      if (clock.period >= period) return;
      period = clock.period;
      own = clock.component;
    };
    for (size_t k = 0; k < clocks_.size(); ++k) {
      const std::vector<uint32_t> set = SetBy(Active({k}));
      if (std::any_of(set.begin(), set.end(),
                      [&](uint32_t slot) { return between(n_ + cut.output, n_ + place_[slot]) != 0; }))
        take(clocks_[k]);
    }
    for (size_t k = 0; k < clocks_.size() && (std::isinf(period) || reads); ++k) {
      Matrix tick;
      if (!AtTick({k}, &tick)) return false;
      reads = true;
      if (Largest(tick.Column(n_ + discrete_.size() + cut.input)) != 0) take(clocks_[k]);
    }
    if (std::isinf(period)) return true;
    std::vector<Clock> kept;
    for (const Clock& c : clocks_) {
      if (c.period > period * (1 + 1e-9)) {
        out_.held.push_back(NameOf(c.component));
        continue;
      }
      const double times = period / c.period;
      if (std::fabs(times - std::round(times)) > 1e-9 * times)
        return Refuse(Seconds(period) + ", the sample period of the loop (" + NameOf(own) +
                      "), is no whole multiple of " + Seconds(c.period) + ", that of " + NameOf(c.component) +
                      ": the loop has no response of its own there; give them periods of which one fits into "
                      "the other, or use --continuous, which leaves the samples out");
      kept.push_back(c);
    }
    clocks_ = std::move(kept);
    return true;
  }

  std::vector<uint32_t> Active(const std::set<size_t>& ticking) {
    for (const size_t k : ticking) {
      for (const uint32_t slot : clocks_[k].slots) run_.values[slot] = 1;
    }
    std::vector<uint32_t> active;
    bool taken = false;
    for (uint32_t w = 0; w < program_.whens.size(); ++w) {
      const Program::When& when = program_.whens[w];
      if (!when.is_elsewhen) taken = false;
      if (taken || idle_[w] || run_.Compute(when, time_) == 0) continue;
      active.push_back(w);
      taken = true;
    }
    for (const Program::Clock& clock : program_.clocks) run_.values[clock.slot] = 0;
    return active;
  }
  template <class F>
  void OverActions(const std::vector<uint32_t>& whens, F&& f) const {
    for (const uint32_t w : whens) {
      const Program::When& when = program_.whens[w];
      for (uint32_t k = 0; k < when.actions; ++k) f(program_.actions[when.first_action + k]);
    }
  }

  bool IsReal(uint32_t slot) const {
    const VariableRef ref = sorted_.OfSlot(slot);
    const Part& part = system_.parts[system_.PartOfVariable(ref.variable)];
    if (part.scalar >= system_.graph->elements.size()) return true;
    const ScalarVariable& variable =
        system_.scalars[part.scalar].variables[ref.variable - part.first_variable];
    const ComponentClass& cls = (*system_.model)[system_.graph->elements[part.scalar].class_id];
    return variable.role != ScalarVariable::Role::kDiscrete ||
           cls.variables[variable.index].type.base == BaseType::kReal;
  }
  bool Jumps(const Program::Action& action) const {
    const auto& code = program_.codes[action.code].instructions;
    return std::any_of(code.begin(), code.end(), [](const Instruction& i) {
      return (i.code == CodeOp::kUnary && i.op == Op::kFloor) ||
             (i.code == CodeOp::kBinary && i.op == Op::kMod);
    });
  }

  // --- Derivatives ----------------------------------------------------------------------------------------

  size_t columns() const { return n_ + discrete_.size() + m_; }
  uint32_t SlotOfColumn(size_t j) const {
    if (j < n_) return program_.state_slots[j];
    j -= n_;
    const auto held = discrete_.size();
    return j < held ? discrete_[j] : input_slots_[j - held];
  }
  // Of everything along one of (x, d, u), with pre(d) = d as it is between events.
  void Along(uint32_t slot, double time) {
    std::fill(run_.tangents.begin(), run_.tangents.end(), 0);
    run_.tangents[slot] = 1;
    for (const Program::Pre& pre : program_.pres)
      run_.tangents[pre.slot] = pre.of == slot && place_.count(slot) > 0 ? 1 : 0;
    run_.RunTangent(time);
  }

  /// x' and y by (x, d, u) between ticks.
  Matrix Between(double time) {
    Matrix out(n_ + p_, columns());
    for (size_t j = 0; j < columns(); ++j) {
      Along(SlotOfColumn(j), time);
      for (size_t i = 0; i < n_; ++i) out(i, j) = run_.tangents[program_.derivative_slots[i]];
      for (size_t i = 0; i < p_; ++i) out(n_ + i, j) = run_.tangents[output_slots_[i]];
    }
    return out;
  }

  /// (x, d) behind a tick by (x, d, u) before it.
  bool AtTick(const std::set<size_t>& ticking, Matrix* out) {
    const std::vector<uint32_t> active = Active(ticking);
    const size_t rows = n_ + discrete_.size();
    *out = Matrix(rows, columns());
    for (size_t j = 0; j < columns(); ++j) {
      Along(SlotOfColumn(j), tick_time_);
      // pre(x) of what moves, too.
      for (const Program::Pre& pre : program_.pres) run_.tangents[pre.slot] = run_.tangents[pre.of];
      run_.RunTangent(tick_time_);
      if (!Act(active)) return false;
      std::vector<std::pair<uint32_t, double>> jumps;
      OverActions(active, [&](const Program::Action& a) {
        if (a.reinit) jumps.emplace_back(a.target, run_.ComputeTangent(a, tick_time_));
      });
      for (const auto& [slot, tangent] : jumps) run_.tangents[slot] = tangent;
      for (size_t i = 0; i < rows; ++i) (*out)(i, j) = run_.tangents[SlotOfColumn(i)];
    }
    return true;
  }
  // All that acts holds together, as in Events::Sweep.
  bool Act(const std::vector<uint32_t>& active) {
    constexpr int kMostTurns = 200;
    for (int turn = 0; turn < kMostTurns; ++turn) {
      std::vector<std::pair<uint32_t, double>> found;
      OverActions(active, [&](const Program::Action& a) {
        if (!a.reinit && IsReal(a.target))  // also what carries no memory: others are set from it
          found.emplace_back(a.target, run_.ComputeTangent(a, tick_time_));
      });
      bool changed = false;
      for (const auto& [slot, tangent] : found) {
        changed = changed || run_.tangents[slot] != tangent;
        run_.tangents[slot] = tangent;
      }
      if (!changed) return true;
      run_.RunTangent(tick_time_);
    }
    return Refuse("what is set at samples depends on itself without a delay, and does not settle");
  }

  // --- What counts ----------------------------------------------------------------------------------------

  void SetDiscrete(std::vector<uint32_t> slots) {
    discrete_ = std::move(slots);
    place_.clear();
    for (size_t k = 0; k < discrete_.size(); ++k) place_[discrete_[k]] = k;
  }

  void Build() {
    std::set<size_t> all;
    for (size_t k = 0; k < clocks_.size(); ++k) all.insert(k);
    const std::vector<uint32_t> active = Active(all);
    std::set<uint32_t> slots, jumping;
    bool reinit = false;
    for (const uint32_t w : active) {
      const uint32_t external = program_.whens[w].external;
      if (external == UINT32_MAX) continue;
      if (!program_.externals[external].states.empty()) {
        Refuse("`" + program_.externals[external].instance +
               "` is foreign code: what it keeps between samples cannot be seen from outside, so there is no "
               "linear model of it; --continuous takes what it keeps as constant");
        return;
      }
      for (const auto& [name, slot] : program_.externals[external].outputs) {
        slots.insert(slot);
        foreign_[slot] = program_.externals[external].instance;
      }
    }
    OverActions(active, [&](const Program::Action& a) {
      if (!a.reinit && IsReal(a.target)) slots.insert(a.target);
      if (!a.reinit && Jumps(a)) jumping.insert(a.target);
      reinit = reinit || a.reinit;
    });
    SetDiscrete({slots.begin(), slots.end()});
    if (n_ + discrete_.size() > kMostStates) {
      Refuse(std::to_string(n_ + discrete_.size()) + " states are too many for a discrete model (at most " +
             std::to_string(kMostStates) + ")");
      return;
    }
    // Each clock alone: what one sets and another reads acts, too.
    std::vector<Matrix> ticks(clocks_.size());
    for (size_t k = 0; k < clocks_.size(); ++k) {
      if (!AtTick({k}, &ticks[k])) return;
    }
    for (size_t k = 0; k < clocks_.size(); ++k) {
      for (const uint32_t slot : SetBy(Active({k}))) {
        if (foreign_.count(slot) == 0 && Largest(ticks[k].row(n_ + place_[slot])) == 0)
          out_.stuck.push_back(slot);
      }
    }
    const std::vector<uint32_t> kept = Relevant(Between(time_), ticks, jumping);
    if (kept.empty() && !reinit) return;
    for (const uint32_t slot : kept) {
      if (foreign_.count(slot) == 0) continue;
      Refuse("`" + foreign_[slot] +
             "` is foreign code: what it keeps between samples cannot be seen from outside, so " +
             "there is no linear model of it; --continuous takes what it gives (" + sorted_.SlotName(slot) +
             ") as constant, and --input " + sorted_.SlotName(slot) + " as an input");
      return;
    }
    if (!CheckInputs() || !FindReinits(active)) return;
    SetDiscrete(kept);
    for (size_t k = 0; k < clocks_.size(); ++k) {
      OverActions(Active({k}), [&](const Program::Action& a) {
        clocks_[k].acts = clocks_[k].acts || a.reinit || place_.count(a.target) > 0;
      });
    }
    if (FindTicks()) Compose();
  }

  /* Discrete variables that act on states or outputs, directly or through others. Not those that come from
  nothing but constants, the time and noise: what nothing drives and jumps. */
  std::vector<uint32_t> Relevant(const Matrix& between, const std::vector<Matrix>& ticks,
                                 const std::set<uint32_t>& jumping) const {
    const size_t held = discrete_.size(), rows = n_ + held;
    // What a row depends on at some tick, but for what it is if it is not set.
    std::vector<std::vector<bool>> on(rows, std::vector<bool>(columns(), false));
    for (const Matrix& tick : ticks) {
      for (size_t i = 0; i < rows; ++i) {
        bool set = false;
        for (size_t j = 0; j < columns(); ++j) set = set || tick(i, j) != (i == j ? 1 : 0);
        for (size_t j = 0; set && j < columns(); ++j) on[i][j] = on[i][j] || tick(i, j) != 0;
      }
    }
    // By places of states, and of inputs.
    const auto on_any = [&](size_t i, size_t first, size_t count) {
      const auto from = on[i].begin() + static_cast<std::ptrdiff_t>(first);
      return std::find(from, from + static_cast<std::ptrdiff_t>(count), true) !=
             from + static_cast<std::ptrdiff_t>(count);
    };
    const auto acts_on_states = [&](size_t j) {
      for (size_t i = 0; i < n_; ++i) {
        if (on[i][j]) return true;
      }
      return Largest(between.Column(j)) != 0;
    };
    const auto spread = [&](auto&& seed, auto&& next) {
      std::vector<bool> found(discrete_.size(), false);
      for (bool more = true; more;) {
        more = false;
        for (size_t d = 0; d < held; ++d) {
          if (found[d]) continue;
          bool now = seed(d);
          for (size_t e = 0; e < held && !now; ++e) now = found[e] && next(d, e);
          if (now) found[d] = more = true;
        }
      }
      return found;
    };
    const auto driven = spread([&](size_t d) { return on_any(n_ + d, 0, n_) || on_any(n_ + d, rows, m_); },
                               [&](size_t d, size_t e) { return on[n_ + d][n_ + e]; });
    // Motion of its own: what is kept, or comes from such.
    const auto moves = spread(
        [&](size_t d) { return driven[d] || (jumping.count(discrete_[d]) == 0 && on[n_ + d][n_ + d]); },
        [&](size_t d, size_t e) { return jumping.count(discrete_[d]) == 0 && on[n_ + d][n_ + e]; });
    const auto acts = spread([&](size_t d) { return acts_on_states(n_ + d); },
                             [&](size_t d, size_t e) { return on[n_ + e][n_ + d]; });
    std::vector<uint32_t> out;
    for (size_t d = 0; d < discrete_.size(); ++d) {
      if (acts[d] && (moves[d] || foreign_.count(discrete_[d]) > 0)) out.push_back(discrete_[d]);
    }
    return out;
  }

  bool CheckInputs() {
    for (size_t j = 0; j < system_.inputs.size(); ++j) {
      const VariableRef input = system_.inputs[j];
      for (uint32_t order = 1; sorted_.HasSlot({input.variable, order}); ++order) {
        Along(sorted_.Slot({input.variable, order}), time_);
        const auto used = [&](uint32_t slot) { return run_.tangents[slot] != 0; };
        if (std::none_of(program_.derivative_slots.begin(), program_.derivative_slots.end(), used) &&
            std::none_of(output_slots_.begin(), output_slots_.end(), used))
          continue;
        return Refuse(
            "the derivative of the input `" + system_.input_names[j] +
            "` is needed, but an input that is held between samples jumps at them; --continuous has it");
      }
    }
    return true;
  }

  bool FindReinits(const std::vector<uint32_t>& active) {
    std::string wrong;
    OverActions(active, [&](const Program::Action& a) {
      if (a.reinit && std::count(program_.state_slots.begin(), program_.state_slots.end(), a.target) == 0)
        wrong = sorted_.SlotName(a.target);
    });
    return wrong.empty() || Refuse("`" + wrong +
                                   "` is set anew at samples, but is no state here: there is no linear "
                                   "model of that; --continuous leaves the samples out");
  }

  // --- The common period ----------------------------------------------------------------------------------

  bool FindTicks() {
    double shortest = INFINITY;
    uint32_t first = 0;
    for (const Clock& c : clocks_) {
      if (!c.acts || c.period >= shortest) continue;
      shortest = c.period;
      first = c.component;
    }
    int64_t numerator = 1, denominator = 0;
    for (const Clock& c : clocks_) {
      if (!c.acts) continue;
      int64_t p = 1, q = 1;
      const bool found = FindFraction(c.period / shortest, &p, &q);
      numerator = found ? std::lcm(numerator, p) : kMostTicks + 1;
      denominator = std::gcd(denominator, q);
      if (numerator <= kMostTicks) continue;
      return Refuse(
          "the sample periods " + Seconds(shortest) + " (" + NameOf(first) + ") and " + Seconds(c.period) +
          " (" + NameOf(c.component) + ") have no common multiple within " + std::to_string(kMostTicks) +
          " samples, so there is no one period of a discrete model; give them periods whose ratio is one "
          "of small whole numbers, or use --continuous, which leaves the samples out");
    }
    period_ = shortest * static_cast<double>(numerator) / static_cast<double>(denominator);
    const double close = 1e-9 * shortest;
    for (size_t k = 0; k < clocks_.size(); ++k) {
      const Clock& c = clocks_[k];
      const double count = c.acts ? std::round(period_ / c.period) : 0;
      for (double i = 0; i < count; ++i) {
        double phase = std::fmod(c.start + i * c.period, period_);
        if (phase < 0) phase += period_;
        if (period_ - phase < close) phase = 0;
        const auto same = std::find_if(ticks_.begin(), ticks_.end(),
                                       [&](const Tick& t) { return std::fabs(t.phase - phase) < close; });
        if (same == ticks_.end())
          ticks_.push_back({phase, {k}});
        else
          same->clocks.insert(k);
      }
    }
    // It begins where most clocks tick.
    std::sort(ticks_.begin(), ticks_.end(), [](const Tick& a, const Tick& b) { return a.phase < b.phase; });
    const auto begin = std::max_element(ticks_.begin(), ticks_.end(), [](const Tick& a, const Tick& b) {
      return a.clocks.size() < b.clocks.size();
    });
    origin_ = begin->phase;
    std::rotate(ticks_.begin(), begin, ticks_.end());
    since_ = std::max(0.0, std::ceil((time_ - origin_) / period_ - 1e-9) - 1) * period_ + origin_;
    if (ticks_.size() == 1) tick_time_ = since_ + period_;
    for (Tick& t : ticks_) t.phase += t.phase < origin_ ? period_ - origin_ : -origin_;
    return true;
  }

  // --- Put together ---------------------------------------------------------------------------------------

  /** x' and y by (x, d, u) as lines over the time since the tick. */
  struct Line {
    Matrix at_0, slope;
  };
  bool FindBetween(Line* out) {
    const size_t held = discrete_.size();
    const Matrix now = Between(time_);
    std::vector<Matrix> later;
    for (const double part : {0.5, 1.0}) {
      if (!run_.Run(time_ + part * period_)) return Refuse(run_.FailureText());
      later.push_back(Between(time_ + part * period_));
    }
    if (!run_.Run(time_)) return Refuse(run_.FailureText());
    out->at_0 = now;
    out->slope = Matrix(now.rows(), now.columns());
    const auto differs = [](double a, double b, double size) { return std::fabs(a - b) > 1e-9 * size; };
    for (size_t j = n_; j < n_ + held; ++j) {
      for (size_t i = 0; i < now.rows(); ++i) {
        const double half = later[0](i, j), end = later[1](i, j), begin = now(i, j);
        const double size = std::max({std::fabs(begin), std::fabs(half), std::fabs(end)});
        if (!differs(begin, half, size) && !differs(begin, end, size)) continue;
        if (ticks_.size() > 1 || differs(half, (begin + end) / 2, size))
          return Refuse("what `" + sorted_.SlotName(SlotOfColumn(j)) +
                        "` does changes with the time between samples: there is no linear model with "
                        "constant matrices");
        out->slope(i, j) = (end - begin) / period_;
        out->at_0(i, j) = begin - (time_ - since_) * out->slope(i, j);
      }
    }
    return true;
  }

  // (x, d) after a time by (x, d, u): d and u are constant, and so is d*t's rate.
  Matrix Flow(const Line& between, double time) const {
    const size_t held = discrete_.size(), all = columns();
    Matrix m(all + held, all + held);
    m.SetBlock(0, 0, between.at_0.Block(0, n_, 0, all));
    m.SetBlock(0, all, between.slope.Block(0, n_, n_, held));
    m.SetBlock(all, n_, Matrix::Identity(held, held));
    return Exponential(m *= time).Block(0, n_ + held, 0, all);
  }

  void Compose() {
    Line between;
    if (!FindBetween(&between)) return;
    const size_t rows = n_ + discrete_.size();
    Matrix now = Matrix::Identity(rows, columns()), outputs;
    // Behind `map`, which takes (x, d, u).
    const auto behind = [&](const Matrix& map) {
      Matrix whole = Matrix::Identity(columns(), columns());
      whole.SetBlock(0, 0, now);
      return map * whole;
    };
    std::map<std::set<size_t>, Matrix> at_tick;
    std::map<double, Matrix> flows;
    for (size_t k = 0; k < ticks_.size(); ++k) {
      const auto [at, fresh] = at_tick.try_emplace(ticks_[k].clocks);
      if (fresh && !AtTick(ticks_[k].clocks, &at->second)) return;
      now = behind(at->second);
      if (k == 0) outputs = behind(between.at_0.Block(n_, p_, 0, columns()));
      const double end = k + 1 < ticks_.size() ? ticks_[k + 1].phase : period_;
      const double length = std::round((end - ticks_[k].phase) * 1e12 / period_) * 1e-12 * period_;
      const auto [flow, first] = flows.try_emplace(length);
      if (first) flow->second = Flow(between, length);
      now = behind(flow->second);
    }
    Write(now, outputs);
  }

  // Discrete variables that are set before they are read carry nothing over.
  void Write(const Matrix& next, const Matrix& outputs) {
    const size_t rows = next.rows();
    std::vector<size_t> kept(rows);
    std::iota(kept.begin(), kept.end(), 0);
    for (size_t before = kept.size() + 1; kept.size() < before;) {
      before = kept.size();
      const auto forgotten = [&](size_t j) {
        return j >= n_ && Largest(outputs.Column(j)) == 0 &&
               std::all_of(kept.begin(), kept.end(), [&](size_t i) { return next(i, j) == 0; });
      };
      std::vector<size_t> rest;
      std::copy_if(kept.begin(), kept.end(), std::back_inserter(rest),
                   [&](size_t j) { return !forgotten(j); });
      kept = rest;
    }
    LinearModel model;
    model.period = period_;
    model.inputs = system_.input_names;
    model.outputs = output_names_;
    for (const size_t i : kept) model.states.push_back(sorted_.SlotName(SlotOfColumn(i)));
    const auto pick = [](const Matrix& from, const std::vector<size_t>& picked,
                         const std::vector<size_t>& columns) {
      std::vector<double> values;
      for (const size_t i : picked) {
        for (const size_t j : columns) values.push_back(from(i, j));
      }
      return values;
    };
    std::vector<size_t> inputs(m_), outs(p_);
    std::iota(inputs.begin(), inputs.end(), rows);
    std::iota(outs.begin(), outs.end(), 0);
    model.A = pick(next, kept, kept);
    model.C = pick(outputs, outs, kept);
    if (m_ > 0) {
      model.B = {pick(next, kept, inputs)};
      model.D = {pick(outputs, outs, inputs)};
    }
    model.poles = Eigenvalues(model.A, model.n(), 1);
    out_.model = std::move(model);
  }

  ProgramRun& run_;
  const Program& program_;
  const SortedSystem& sorted_;
  const EquationSystem& system_;
  double time_;
  std::vector<std::string> output_names_;
  std::vector<uint32_t> output_slots_, input_slots_;
  size_t n_ = 0, m_ = 0, p_ = 0;
  std::vector<Clock> clocks_;
  std::vector<bool> idle_;          // by when: true without a tick
  std::vector<uint32_t> discrete_;  // slots of the discrete variables that count
  std::map<uint32_t, size_t> place_;
  std::map<uint32_t, std::string> foreign_;  // slots that foreign code sets, and whose
  double period_ = 0, origin_ = 0;           // the common period; its beginning behind 0
  double since_ = 0;                         // its last beginning before the present time
  double tick_time_ = 0;                     // the time of a tick behind the present time
  std::vector<Tick> ticks_;
  SampledModel out_;
};

}  // namespace

SampledModel LinearizeSampled(ProgramRun& run, const Program& program,
                              const std::vector<VariableRef>& outputs, double time,
                              const std::optional<LoopCut>& cut) {
  return Linearizer(run, program, outputs, time).Run(cut);
}

}  // namespace cotree
