// SPDX-License-Identifier: Apache-2.0
#include "simulation/events.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <set>

#include "linear_algebra/decompositions.h"
#include "program/not_finite.h"
#include "simulation/vector_operations.h"

namespace cotree {
namespace {

constexpr int kMostRounds = 32;
// That are tried where conditions find no values by themselves: at last, and at the moment they switch.
constexpr int kMostModes = 4096, kMostClearModes = 256;
// What stands still drifts by rounding; states below 1e-6 in SI are not typical (PR.7a), nor is 1e-10 of it.
constexpr double kLeastNoise = 1e-16;
// Why a condition keeps its value until it differs clearly.
constexpr uint8_t kUndecided = 1, kAtZero = 2;
constexpr double kLargestInteger = 0x1p53;  // from there on not every integer is a number

// Different bits count, so that a fixed point is one; two NaN are equal.
bool Differs(double a, double b) {
  return a != b && !(std::isnan(a) && std::isnan(b));
}

// The next choice out of `count` places: by number, then in lexicographic order; false: there is none.
bool NextChoice(size_t count, std::vector<size_t>& chosen) {
  const size_t size = chosen.size();
  for (size_t k = size; k-- > 0;) {
    if (chosen[k] + (size - k) >= count) continue;
    for (size_t next = chosen[k] + 1; k < size; ++k) chosen[k] = next++;
    return true;
  }
  chosen.resize(size + 1);
  std::iota(chosen.begin(), chosen.end(), size_t{0});
  return chosen.size() <= count;
}

}  // namespace

std::vector<uint32_t> FindIntegers(const Program& program) {
  const SortedSystem& sorted = *program.sorted;
  const EquationSystem& system = *sorted.system;
  std::vector<uint32_t> out;
  for (uint32_t c = 0; c < system.graph->components.size(); ++c) {
    const Part& part = system.parts[c];
    const ScalarElement& scalar = system.scalars[part.scalar];
    const ComponentClass& cls = system.graph->ClassOf(*system.model, ComponentId(part.component));
    for (uint32_t v = 0; v < scalar.owned; ++v) {
      const ScalarVariable& variable = scalar.variables[v];
      if ((variable.role != ScalarVariable::Role::kDiscrete &&
           variable.role != ScalarVariable::Role::kVariable) ||
          cls.variables[variable.index].type.base != BaseType::kInteger)
        continue;
      const VariableRef ref{part.first_variable + v, 0};
      if (sorted.HasSlot(ref)) out.push_back(sorted.Slot(ref));
    }
  }
  return out;
}

Events::Events(ProgramRun& run, const Program& program, ExternalComponents* external)
    : run_(run),
      program_(program),
      external_(external),
      integers_(FindIntegers(program)),
      fragile_(FindFragileComparisons(program)) {}

std::string Events::Names(const std::vector<uint32_t>& relations, const std::vector<uint32_t>& whens) const {
  const EquationSystem& system = *program_.sorted->system;
  std::set<uint32_t> components;
  for (const uint32_t r : relations) components.insert(program_.relations[r].component);
  for (const uint32_t w : whens) components.insert(program_.whens[w].component);
  std::string out;
  size_t shown = 0;
  for (const uint32_t c : components) {
    if (shown++ == 6) return out + ", ...";
    out += (out.empty() ? "`" : ", `") + ComponentName(*system.model, *system.graph, ComponentId(c)) + "`";
  }
  return out;
}

double Events::Held(const Program::Relation& r, double x) const {
  switch (r.kind) {
    case Program::Relation::Kind::kLess:
      return x < 0 ? 1 : 0;
    case Program::Relation::Kind::kLessEqual:
      return x <= 0 ? 1 : 0;
    case Program::Relation::Kind::kLevel:
      return std::floor(x);
  }
  return 0;
}

bool Events::IsSmall(uint32_t relation, double x, double level) const {
  return std::fabs(x - level) <= std::max(1e-11 * largest_[relation], 64 * noise_[relation]);
}

void Events::MeasureNoise(double time) {
  const std::vector<double> values = run_.values;
  constexpr double kLastDigits = 0x1p-45;
  if (!run_.Run(time)) return;
  std::vector<double> x;
  for (const Crossing& c : updated_) x.push_back(run_.Compute(program_.relations[c.relation], time));
  for (const double digits : {kLastDigits, -kLastDigits}) {
    for (size_t k = 0; k < program_.state_slots.size(); ++k)
      run_.values[program_.state_slots[k]] *= 1 + (k % 2 == 0 ? digits : -digits / 3);
    const double moved = time * (1 + digits);
    if (run_.Run(moved)) {
      for (size_t k = 0; k < x.size(); ++k) {
        const double change = std::fabs(run_.Compute(program_.relations[updated_[k].relation], moved) - x[k]);
        double& noise = noise_[updated_[k].relation];
        if (std::isfinite(change)) noise = std::max(noise, change);
      }
    }
    run_.values = values;
  }
}

void Events::BlockUndecided(double time) {
  MeasureNoise(time);
  for (const Crossing& c : updated_) {
    noise_[c.relation] = std::max(noise_[c.relation], kLeastNoise);
    if (IsSmall(c.relation, c.value, c.level)) blocked_[c.relation] = kUndecided;
  }
}

// Whether anything is another with the other truth of a relation.
bool Events::Matters(uint32_t relation, double time) {
  const uint32_t slot = program_.relations[relation].slot;
  const std::vector<double> now = run_.values;
  std::vector<double> values[2];
  bool computed = true;
  for (int truth = 0; truth < 2 && computed; ++truth) {
    run_.values = now;
    run_.values[slot] = truth;
    computed = run_.Run(time);
    values[truth] = run_.values;
    values[truth][slot] = 0;
    for (const Program::When& when : program_.whens) values[truth].push_back(run_.Compute(when, time));
    for (const Program::Assertion& a : program_.assertions) values[truth].push_back(run_.Compute(a, time));
    for (const Program::Relation& r : program_.relations) values[truth].push_back(run_.Compute(r, time));
  }
  run_.values = now;
  if (!computed) return true;
  for (size_t k = 0; k < values[0].size(); ++k) {
    if (Differs(values[0][k], values[1][k])) return true;
  }
  return false;
}

std::string Events::UndefinedText(const Program::Bound& bound, double time) const {
  const EquationSystem& system = *program_.sorted->system;
  const std::string name = ComponentName(*system.model, *system.graph, ComponentId(bound.component));
  const std::string culprit = ValueWithoutNumber(program_, run_, bound, time);
  return "a condition of `" + name + "` is neither true nor false: it compares something that is no number" +
         (culprit.empty() ? "" : ", " + culprit);
}

bool Events::IsUndecided(const Program::Bound& bound, double time) const {
  return fragile_[bound.code] != 0 && HasUndecidedComparison(program_, run_, bound, time);
}

bool Events::FindUndefined(double time) {
  for (const uint32_t k : undefined_) {
    if (!std::isnan(run_.Compute(program_.relations[k], time)) || !Matters(k, time)) continue;
    problem_ = UndefinedText(program_.relations[k], time);
    return true;
  }
  return false;
}

std::string Events::FindNoValue(double time) {
  const uint32_t slot = FirstNotFinite(program_, run_.values);
  if (slot != UINT32_MAX) return NotFiniteText(program_, run_, slot, time);
  for (const uint32_t integer : integers_) {
    if (std::fabs(run_.values[integer]) < kLargestInteger) continue;
    return "`" + program_.sorted->SlotName(integer) +
           "` is not below 2^53: integers are not counted exactly there";
  }
  return FindUndefined(time) ? problem_ : "";
}

bool Events::Crossed(double time) {
  crossings_.clear();
  undefined_.clear();
  looked_.resize(program_.relations.size());
  for (uint32_t k = 0; k < program_.relations.size(); ++k) {
    const Program::Relation& r = program_.relations[k];
    const double x = run_.Compute(r, time), held = run_.values[r.slot];
    looked_[k] = x;
    if (std::isfinite(x)) largest_[k] = std::max(largest_[k], std::fabs(x));
    if (std::isnan(x)) undefined_.push_back(k);
    if (std::isnan(x) || !Differs(Held(r, x), held)) continue;
    const double level = r.kind != Program::Relation::Kind::kLevel ? 0 : x < held ? held : held + 1;
    if (blocked_[k] != 0 && IsSmall(k, x, level)) continue;
    blocked_[k] = 0;
    crossings_.push_back({k, x, level});
  }
  return !crossings_.empty();
}

double Events::Distance(const Crossing& c, double time) {
  return run_.Compute(program_.relations[c.relation], time) - c.level;
}

bool Events::Reads(const Program::Bound& bound, const std::vector<uint32_t>& slots) const {
  const auto first = program_.locals.begin() + bound.first_local;
  return std::any_of(first, first + program_.codes[bound.code].locals, [&](uint32_t slot) {
    return std::find(slots.begin(), slots.end(), slot) != slots.end();
  });
}

/* Where loads are shared, something that bears its limit may stand still all the same, held by the others:
its condition to slide is zero then, but for rounding, and holds. What is zero because it just switches does
not agree with the value it had before. */
bool Events::AgreesButForRounding() {
  if (run_.least_solutions == least_before_) return false;
  for (const Crossing& c : crossings_) {
    const double held = run_.values[program_.relations[c.relation].slot];
    const bool switched = held != mode_before_[c.relation] || borne_[c.relation] != 0;
    if (!switched || !IsSmall(c.relation, c.value, c.level)) return false;
  }
  for (const Crossing& c : crossings_) blocked_[c.relation] = kUndecided;
  return true;
}

// Whether with a condition off, so that its component is stuck, one load more could be shared in other ways.
bool Events::IsHeldByOthers(uint32_t relation, double time) {
  const auto free_loads = [&] {
    return run_.Run(time) || run_.contradicted
               ? std::accumulate(run_.least_solved.begin(), run_.least_solved.end(), int64_t{0})
               : int64_t{-1};
  };
  const std::vector<double> now = run_.values;
  const int64_t with = free_loads();
  run_.values = now;
  run_.values[program_.relations[relation].slot] = 0;
  const int64_t without = free_loads();
  run_.values = now;
  run_.Run(time);
  return with >= 0 && without > with;
}

/* Whether something begins to slide: its condition switched (or it bore its limit), is zero but for rounding,
and nothing else holds it. */
bool Events::LetsGo(double time) {
  Crossed(time);
  const std::vector<double> looked = looked_;
  for (uint32_t k = 0; k < program_.relations.size(); ++k) {
    const Program::Relation& r = program_.relations[k];
    if (r.kind == Program::Relation::Kind::kLevel || !r.continuous || run_.values[r.slot] == 0) continue;
    if (mode_before_[k] != 0 && borne_[k] == 0) continue;
    if (IsSmall(k, looked[k], 0) && !IsHeldByOthers(k, time)) return true;
  }
  return false;
}

/* What bears its limit and stands still: its condition to slide is on and zero but for rounding, since
something else holds it. It keeps the mode in which it is stuck. */
void Events::FindBorne(double time) {
  const bool shared = run_.least_solutions != least_before_;
  for (uint32_t k = 0; k < program_.relations.size(); ++k) {
    const Program::Relation& r = program_.relations[k];
    const bool before = borne_[k] != 0;
    borne_[k] = 0;
    if (r.kind == Program::Relation::Kind::kLevel || !r.continuous || run_.values[r.slot] == 0) continue;
    if (!before && (!shared || mode_before_[k] != 0)) continue;
    if (!IsSmall(k, looked_[k], 0) || !IsHeldByOthers(k, time)) continue;
    borne_[k] = 1;
    blocked_[k] = kUndecided;
  }
}

/* Whether a `when` acts whatever conditions do that switch back and forth; they keep what they had then. One of
two frictions turned, which states alone tell: until its `when` acts it pushes the way it slid, and the other
finds no rest. */
bool Events::ActsWithout(double time, const std::vector<uint32_t>& switched) {
  const std::vector<double> now = run_.values;
  for (const uint32_t r : std::set<uint32_t>(switched.begin(), switched.end())) {
    if (std::count(switched.begin(), switched.end(), r) > 1)
      run_.values[program_.relations[r].slot] = mode_before_[r];
  }
  if (run_.Run(time) || run_.contradicted) {
    const std::vector<uint8_t> hold = FindWhensThatHold(time);
    for (size_t w = 0; w < hold.size(); ++w) {
      if (hold[w] != 0 && conditions_[w] == 0) return true;
    }
  }
  run_.values = now;
  return false;
}

// Whether the conditions of `when`s hold. Of a component that bears its limit: as if it were stuck.
std::vector<uint8_t> Events::FindWhensThatHold(double time) {
  std::vector<uint8_t> out(program_.whens.size(), 0);
  const auto look = [&](auto&& concerns) {
    for (size_t w = 0; w < out.size(); ++w) {
      if (concerns(program_.whens[w].component)) out[w] = run_.Compute(program_.whens[w], time) != 0 ? 1 : 0;
    }
  };
  look([](uint32_t) { return true; });
  std::set<uint32_t> components;
  std::vector<double> now;
  for (uint32_t k = 0; k < borne_.size(); ++k) {
    if (borne_[k] == 0) continue;
    if (now.empty()) now = run_.values;
    run_.values[program_.relations[k].slot] = 0;
    components.insert(program_.relations[k].component);
  }
  if (components.empty()) return out;
  if (run_.Run(time) || run_.contradicted) look([&](uint32_t c) { return components.count(c) > 0; });
  run_.values = now;
  run_.Run(time);
  return out;
}

bool Events::UpdateRelations(double time, bool one_only, std::vector<uint32_t>& changed) {
  if (!Crossed(time) || (one_only && AgreesButForRounding())) return false;
  const bool shared = run_.least_solutions != least_before_;
  for (const Crossing& c : crossings_) {
    if (one_only && shared && IsSmall(c.relation, c.value, c.level) &&
        (run_.values[program_.relations[c.relation].slot] != mode_before_[c.relation] ||
         borne_[c.relation] != 0))
      continue;
    const Program::Relation& r = program_.relations[c.relation];
    run_.values[r.slot] = Held(r, c.value);
    updated_.push_back(c);
    changed.push_back(c.relation);
    if (one_only) break;
  }
  return true;
}

// The conditions that a search of modes tries: those that switched, and those of the same components; or all.
std::vector<uint32_t> Events::Candidates(const std::vector<uint32_t>& switched, bool all) const {
  std::set<uint32_t> components;
  for (const uint32_t r : switched) components.insert(program_.relations[r].component);
  std::vector<uint32_t> out;
  for (uint32_t k = 0; k < program_.relations.size(); ++k) {
    const Program::Relation& r = program_.relations[k];
    if (r.kind == Program::Relation::Kind::kLevel) continue;
    if (all || components.count(r.component) > 0) out.push_back(k);
  }
  return out;
}

/* Where conditions that hang on each other do not come to rest by themselves, modes are tried one after
another: first those in which one condition differs from the mode before, then two, and so on, in the order of
their numbers. (What gave the same value in two modes seems to hang on none, `turns` where all stand still: the
mode before is taken with it as it is.) `standing`: nothing may begin to slide in it. The first mode that all conditions agree with is the nearest to the one before. `clearly`: no
condition that differs may be zero but for rounding. */
bool Events::SearchModes(double time, bool clearly, const std::vector<double>& before,
                         const std::vector<uint32_t>& switched, const std::function<bool()>& compute,
                         bool standing) {
  const std::vector<double> values = run_.values;
  std::vector<double> base = before;
  Crossed(time);
  for (const uint32_t k : switched) {
    if (k < first_looked_.size() && looked_[k] == first_looked_[k])
      base[k] = run_.values[program_.relations[k].slot];
  }
  int tries = clearly || standing ? kMostModes - kMostClearModes : 0;
  for (const bool all : {false, true}) {
    if (all && (clearly || standing)) break;
    const std::vector<uint32_t> candidates = Candidates(switched, all);
    std::vector<size_t> chosen;
    while (NextChoice(candidates.size(), chosen) && tries < kMostModes) {
      ++tries;
      run_.values = values;
      for (size_t k = 0; k < base.size(); ++k) run_.values[program_.relations[k].slot] = base[k];
      for (const size_t k : chosen) {
        double& held = run_.values[program_.relations[candidates[k]].slot];
        held = held != 0 ? 0 : 1;
      }
      if (!compute() || (Crossed(time) && !AgreesButForRounding()) || !undefined_.empty()) continue;
      if (standing && LetsGo(time)) continue;
      const bool clear = std::none_of(chosen.begin(), chosen.end(), [&](size_t k) {
        const uint32_t r = candidates[k];
        return IsSmall(r, run_.Compute(program_.relations[r], time), 0);
      });
      if (clear || !clearly || run_.least_solutions != least_before_) return true;
    }
  }
  if (!clearly && !standing && shared() && WalkToMode(time, base, compute)) return true;
  run_.values = values;
  return false;
}

/* Modes far from the one before: from it, and from those in which one or two conditions differ, one condition
after the other takes the value that it asks for, in turn the first of them and the one that asks most. */
bool Events::WalkToMode(double time, const std::vector<double>& base, const std::function<bool()>& compute) {
  constexpr int kMostWalks = 128;
  const std::vector<double> values = run_.values;
  const std::vector<uint32_t> candidates = Candidates({}, true);
  std::vector<size_t> chosen;
  for (int walk = 0; walk < kMostWalks; ++walk) {
    if (walk > 1 && walk % 2 == 0 && !NextChoice(candidates.size(), chosen)) break;
    run_.values = values;
    for (size_t k = 0; k < base.size(); ++k) run_.values[program_.relations[k].slot] = base[k];
    for (const size_t k : chosen) {
      double& held = run_.values[program_.relations[candidates[k]].slot];
      held = held != 0 ? 0 : 1;
    }
    for (size_t turn = 0; turn < 3 * candidates.size(); ++turn) {
      const bool computed = compute(), crossed = Crossed(time);
      if (!undefined_.empty() || (!computed && !run_.contradicted)) break;
      if (computed && (!crossed || AgreesButForRounding())) return true;
      const Crossing* next = nullptr;
      double most = 0;
      for (const Crossing& c : crossings_) {
        const bool switched = run_.values[program_.relations[c.relation].slot] != base[c.relation];
        if (switched && IsSmall(c.relation, c.value, c.level)) continue;
        const double asks = std::fabs(c.value - c.level) / std::max(largest_[c.relation], kLeastNoise);
        if (next != nullptr && (walk % 2 == 0 || asks <= most)) continue;
        next = &c;
        most = asks;
      }
      if (next == nullptr) break;
      const Program::Relation& r = program_.relations[next->relation];
      run_.values[r.slot] = Held(r, next->value);
    }
  }
  return false;
}

bool Events::TakePre() {
  bool changed = false;
  for (const Program::Pre& p : program_.pres) {
    changed = changed || Differs(run_.values[p.slot], run_.values[p.of]);
    run_.values[p.slot] = run_.values[p.of];
  }
  return changed;
}

double Events::NextTick(double after) const {
  double next = std::numeric_limits<double>::infinity();
  for (const ClockState& c : clocks_) {
    const double tick = c.start + c.next * c.period;
    next = std::min(next, tick <= after + 1e-9 * c.period ? c.start + (c.next + 1) * c.period : tick);
  }
  return next;
}

// Clocks that tick at this time: those within rounding of each other tick together.
void Events::SetTicks(double time, bool tick) {
  for (size_t k = 0; k < clocks_.size(); ++k) {
    ClockState& c = clocks_[k];
    const bool now = tick && c.start + c.next * c.period <= time + 1e-9 * c.period + 1e-12 * std::fabs(time);
    run_.values[program_.clocks[k].slot] = now ? 1 : 0;
    if (now) ++c.next;
  }
}

// Adds the `when`s whose condition became true to those of this round; whether there were any.
bool Events::FindActive(double time, std::vector<uint32_t>& active) {
  const size_t before = active.size();
  bool taken = false;
  const std::vector<uint8_t> hold = FindWhensThatHold(time);
  for (uint32_t w = 0; w < program_.whens.size(); ++w) {
    const Program::When& when = program_.whens[w];
    if (!when.is_elsewhen) taken = false;
    if (std::find(active.begin(), active.begin() + static_cast<ptrdiff_t>(before), w) !=
        active.begin() + static_cast<ptrdiff_t>(before))
      taken = true;
    if (hold[w] != 0 && conditions_[w] == 0 && !taken) {
      active.push_back(w);
      taken = true;
    }
    conditions_[w] = hold[w];
  }
  return active.size() > before;
}

// All that acts in a round holds together: repeated until nothing changes, which takes as many turns as
// results hang on each other.
bool Events::Sweep(double time, const std::vector<uint32_t>& active) {
  constexpr int kMostTurns = 200;
  for (int turn = 0; turn < kMostTurns; ++turn) {
    bool any = false;
    for (const uint32_t w : active) {
      const Program::When& when = program_.whens[w];
      if (when.external != UINT32_MAX && external_ != nullptr &&
          !external_->Outputs(when.external, time, &any)) {
        problem_ = external_->problem();
        foreign_ = true;
        return false;
      }
      for (uint32_t k = 0; k < when.actions; ++k) {
        const Program::Action& action = program_.actions[when.first_action + k];
        if (action.reinit) continue;
        const double value = run_.Compute(action, time);
        if (IsUndecided(action, time)) {
          problem_ = UndefinedText(action, time);
          return false;
        }
        if (!Differs(value, run_.values[action.target])) continue;
        run_.values[action.target] = value;
        any = true;
      }
    }
    if (!any) return true;
    if (!run_.Run(time) && !run_.contradicted) {
      problem_ = run_.FailureText();
      return false;
    }
  }
  problem_ = "what " + Names({}, active) + " set depends on itself without a delay, and does not settle";
  return false;
}

// States jump. A variable that is no state jumps by the least change of states that brings it there.
bool Events::Reinit(double time, const std::vector<uint32_t>& active) {
  std::vector<std::pair<uint32_t, double>> targets, others;
  for (const uint32_t w : active) {
    const Program::When& when = program_.whens[w];
    for (uint32_t k = 0; k < when.actions; ++k) {
      const Program::Action& action = program_.actions[when.first_action + k];
      if (action.reinit) targets.emplace_back(action.target, run_.Compute(action, time));
    }
  }
  if (targets.empty()) return false;
  std::set<uint32_t> set;
  for (const auto& [slot, value] : targets) {
    if (std::find(program_.state_slots.begin(), program_.state_slots.end(), slot) ==
        program_.state_slots.end()) {
      others.emplace_back(slot, value);
      continue;
    }
    run_.values[slot] = value;
    set.insert(slot);
  }
  // Constraints hold behind the jump, too: by what did not jump.
  const size_t jumping = others.size();
  if (!held_at_zero_) held_at_zero_.emplace(program_);
  for (const uint32_t slot : held_at_zero_->slots) others.emplace_back(slot, 0);
  const size_t m = others.size();
  for (int iteration = 0; iteration < 8 && m > 0; ++iteration) {
    if (!run_.Run(time) && !run_.contradicted) break;
    std::vector<double> right(m), gradient(m * program_.state_slots.size(), 0);
    double largest = 0;
    for (size_t i = 0; i < m; ++i) {
      right[i] = others[i].second - run_.values[others[i].first];
      largest = std::max(largest, std::fabs(right[i]));
    }
    if (largest == 0) break;
    const size_t n = program_.state_slots.size();
    for (size_t j = 0; j < n; ++j) {
      if (set.count(program_.state_slots[j]) > 0) continue;
      for (const uint32_t slot : program_.input_slots) run_.tangents[slot] = 0;
      for (const uint32_t slot : program_.state_slots) run_.tangents[slot] = 0;
      run_.tangents[program_.state_slots[j]] = 1;
      run_.RunTangent(time);
      for (size_t i = 0; i < m; ++i) {
        if (i < jumping ||
            held_at_zero_->IsMovedBy(static_cast<uint32_t>(i - jumping), static_cast<uint32_t>(j)))
          gradient[i * n + j] = run_.tangents[others[i].first];
      }
    }
    std::vector<double> change(n);
    const bool moves = LeastChange(gradient, right, &change);
    for (size_t j = 0; j < n; ++j) run_.values[program_.state_slots[j]] += change[j];
    if (!moves) break;
  }
  return true;
}

/* What was just set to a number is that number, however states were rounded: conditions on it that are zero
but for rounding count as zero until they differ clearly. */
void Events::HoldTargets(double time, const std::vector<uint32_t>& active) {
  std::vector<uint32_t> targets;
  for (const uint32_t w : active) {
    const Program::When& when = program_.whens[w];
    for (uint32_t k = 0; k < when.actions; ++k) {
      const Program::Action& action = program_.actions[when.first_action + k];
      if (action.reinit) targets.push_back(action.target);
    }
  }
  if (!run_.Run(time) && !run_.contradicted) return;
  std::vector<Crossing> near;
  for (uint32_t k = 0; k < program_.relations.size(); ++k) {
    const Program::Relation& r = program_.relations[k];
    if (r.kind == Program::Relation::Kind::kLevel || !Reads(r, targets)) continue;
    const double x = run_.Compute(r, time);
    if (std::fabs(x) <= std::max(1e-9 * largest_[k], 64 * kLeastNoise)) near.push_back({k, x, 0});
  }
  if (near.empty()) return;
  near.swap(updated_);
  MeasureNoise(time);
  near.swap(updated_);
  for (const Crossing& c : near) {
    noise_[c.relation] = std::max(noise_[c.relation], kLeastNoise);
    if (std::fabs(c.value) > 64 * noise_[c.relation]) continue;
    const Program::Relation& r = program_.relations[c.relation];
    run_.values[r.slot] = Held(r, 0);
    blocked_[c.relation] = kAtZero;
  }
}

Events::Memory Events::Remember() const {
  Memory out{{}, largest_, noise_, conditions_, blocked_, borne_};
  for (const ClockState& c : clocks_) out.clocks.push_back(c.next);
  return out;
}

void Events::Recall(const Memory& memory) {
  for (size_t k = 0; k < clocks_.size(); ++k) clocks_[k].next = memory.clocks[k];
  largest_ = memory.largest;
  noise_ = memory.noise;
  conditions_ = memory.conditions;
  blocked_ = memory.blocked;
  borne_ = memory.borne;
}

// Continuous foreign code may keep something that events change; what is computed from it follows.
bool Events::StepContinuous(double time) {
  bool stepped = false;
  if (external_ == nullptr) return true;
  if (!external_->UpdateContinuous(time, &stepped)) {
    problem_ = external_->problem();
    foreign_ = true;
    return false;
  }
  changed_ = changed_ || stepped;
  if (!stepped || run_.Run(time)) return true;
  problem_ = run_.FailureText();
  return false;
}

bool Events::Settle(double time, Cause cause) {
  // Loads may be as small as they want where they begin: a mode that contradicts them is none.
  const double least_load = std::exchange(run_.least_load, 0);
  run_.pass_contradictions = true;  // on the way from mode to mode
  const bool settled = SettleRounds(time, cause);
  run_.pass_contradictions = false;
  run_.least_load = least_load;
  return settled;
}

bool Events::SettleRounds(double time, Cause cause) {
  ++count;
  least_before_ = run_.least_solutions;
  bore_ = std::find(borne_.begin(), borne_.end(), 1) != borne_.end();
  changed_ = undecided_ = stood_ = false;
  fired_.clear();
  updated_.clear();
  problem_.clear();
  TakePre();
  std::vector<double> before;
  const auto over_held = [&](auto&& f) {
    for (const Program::Relation& r : program_.relations) {
      if (r.continuous) f(r.slot);
    }
    for (const Program::Pre& p : program_.pres) {
      if (p.continuous) f(p.slot);
    }
    for (const uint32_t slot : program_.discrete_slots) f(slot);
  };
  over_held([&](uint32_t slot) { before.push_back(run_.values[slot]); });
  SetTicks(time, cause.samples);
  for (const uint32_t slot : program_.terminal_slots) run_.values[slot] = cause.terminal ? 1 : 0;
  std::vector<uint32_t> relations, active;
  std::vector<double>& mode = mode_before_;
  bool over = false;
  for (int round = 0; round < kMostRounds && !over; ++round) {
    relations.clear();
    mode.clear();
    for (const Program::Relation& r : program_.relations) mode.push_back(run_.values[r.slot]);
    for (int inner = 0;; ++inner) {
      // A branch that does not hold any more may have no value: the conditions tell.
      const bool computed = run_.Run(time);
      const std::string problem = computed ? "" : run_.FailureText();
      // Conditions that hang on each other (diodes of a bridge): if all at once do not settle, one by one.
      const bool solved = computed || run_.contradicted || run_.failure().block == UINT32_MAX;
      const auto search = [&] {
        return SearchModes(time, false, mode, relations, [&] { return run_.Run(time); });
      };
      const bool contradicts = !computed && run_.contradicted;
      if (inner == 0) {
        Crossed(time);
        first_looked_ = looked_;
      }
      if (contradicts && (inner == 1 || inner == 8) && search()) break;
      if (!solved || !UpdateRelations(time, inner >= 8 && computed, relations)) {
        if (computed || (contradicts && search())) break;
        problem_ = problem;
        return false;
      }
      if (inner >= 12 && cause.force) BlockUndecided(time);
      if (inner >= 8 + kMostRounds + 2 * static_cast<int>(program_.relations.size())) {
        const bool clearly = !cause.force && round == 0;  // else there is no later try
        if (SearchModes(time, clearly, mode, relations, [&] { return run_.Run(time); })) break;
        if (ActsWithout(time, relations)) break;
        problem_ = "the conditions of " + Names(relations, {}) + " switch back and forth without end";
        undecided_ = round == 0;
        return false;
      }
    }
    if (cause.stands && shared() && LetsGo(time)) {
      for (uint32_t k = 0; k < borne_.size(); ++k) {
        if (borne_[k] != 0) relations.push_back(k);
      }
      stood_ = SearchModes(time, false, mode, relations, [&] { return run_.Run(time); }, true) || stood_;
    }
    FindBorne(time);
    // What those set may make others true: they act in the same round, while pre(x) is what it was before.
    active.clear();
    for (int turn = 0; turn < kMostRounds && FindActive(time, active); ++turn) {
      if (!Sweep(time, active)) return false;
    }
    fired_.insert(fired_.end(), active.begin(), active.end());
    for (const uint32_t w : active) {
      const uint32_t external = program_.whens[w].external;
      if (external == UINT32_MAX || external_ == nullptr) continue;
      changed_ = changed_ || external_->IsIntegrated(external);
      if (external_->Update(external, time)) continue;
      problem_ = external_->problem();
      foreign_ = true;
      return false;
    }
    const bool jumped = Reinit(time, active);
    changed_ = changed_ || jumped;
    // Behind a jump all conditions are looked at anew, also those that could not be decided before it.
    if (jumped) {
      for (size_t k = 0; k < blocked_.size(); ++k) {
        if (blocked_[k] == kUndecided && borne_[k] == 0) blocked_[k] = 0;
      }
      HoldTargets(time, active);
    }
    for (const uint32_t w : active) {
      if (program_.whens[w].stops) stopped_ = program_.whens[w].reason;
    }
    const bool pre = TakePre();
    over = active.empty() && !pre;
    // pre(x) took its values: what is computed from it follows in the next round.
  }
  if (!over) {
    problem_ = "chattering: " + Names(relations, active) +
               " switch back and forth at one moment without coming to rest; give one of them a hysteresis";
    return false;
  }
  if (!StepContinuous(time)) return false;
  if (FindUndefined(time)) return false;
  SetTicks(time, false);
  for (const uint32_t slot : program_.initial_slots) run_.values[slot] = 0;
  for (const uint32_t slot : program_.terminal_slots) run_.values[slot] = 0;
  conditions_ = FindWhensThatHold(time);
  size_t k = 0;
  over_held([&](uint32_t slot) { changed_ = Differs(run_.values[slot], before[k++]) || changed_; });
  return true;
}

// Which conditions hold at the very start. What switches right behind it (`time > 0 s`) does not yet, and so
// becomes true there.
void Events::FindHolding(double time) {
  const bool behind =
      std::any_of(program_.switches.begin(), program_.switches.end(), [&](const Program::KnownSwitch& s) {
        return s.kind == TimeSwitch::Kind::kZero && run_.Evaluate(s.code, s.parameters, time) == 0;
      });
  std::vector<uint32_t> active;
  if (!behind) {
    FindActive(time, active);
    return;
  }
  const std::vector<double> now = run_.values;
  const double switch_time = std::exchange(run_.switch_time, time);
  if (!run_.Run(time)) run_.values = now;
  FindActive(time, active);
  run_.switch_time = switch_time;
  run_.values = now;
}

/* The values z that delays hold at the start. They are those that go in, and may depend on themselves:

    u(z) = z,    Newton's method: (1 - du/dz) change = u(z) - z,

with du/dz by differences, since the start as a whole is computed from z. */
bool Events::FindDelayed(Initializer& initializer, double time) {
  const size_t n = program_.delays.size();
  const auto gap = [&](std::vector<double>& out) {
    const bool solved = initializer.Solve(true).ok;
    out.resize(n);
    for (size_t d = 0; d < n; ++d)
      out[d] = BeforeStart(program_.delays[d], time) - run_.values[program_.delays[d].slot];
    return solved && AllFinite(out.data(), n);
  };
  const auto place = [&](const std::vector<double>& z) {
    for (size_t d = 0; d < n; ++d) run_.values[program_.delays[d].slot] = z[d];
  };
  std::vector<double> z(n), rest, moved;
  for (size_t d = 0; d < n; ++d) z[d] = run_.values[program_.delays[d].slot];
  if (!AllFinite(z.data(), n)) z.assign(n, 0);
  place(z);
  if (!gap(rest)) return false;
  constexpr int kMostSteps = 50;
  for (int step = 0; step < kMostSteps; ++step) {
    double size = 0;
    for (const double x : z) size = std::max(size, std::fabs(x));
    if (Largest(rest) <= 1e-14 * size || Largest(rest) == 0) return true;
    Matrix slope(n, n);
    for (size_t j = 0; j < n; ++j) {
      std::vector<double> beside = z;
      const double h = 1e-4 * std::max({std::fabs(z[j]), std::fabs(rest[j]), 1e-3 * size, 1e-6});
      beside[j] += h;
      place(beside);
      if (!gap(moved)) return false;
      for (size_t i = 0; i < n; ++i) slope(i, j) = (rest[i] - moved[i]) / h;
    }
    const LeastSquares solver(slope, 1e-10);
    if (solver.rank() < n) return false;
    const std::vector<double> change = solver.Solve(rest);
    const double before = Norm(rest);
    bool less = false;
    for (double part = 1; part > 1e-4 && !less; part /= 2) {
      std::vector<double> next = z;
      AddTimes(next, part, change);
      place(next);
      less = gap(moved) && Norm(moved) < before;
      if (less) z = next;
    }
    if (!less) {  // as near as rounding allows, or not at all
      place(z);
      return gap(rest) && Norm(rest) <= 1e-9 * size;
    }
    rest = moved;
  }
  return false;
}

Initialization Events::Begin(const std::vector<StartEntry>& starts, const InitializeOptions& options) {
  Initializer initializer(run_, program_, starts, options);
  const auto fail = [](Initialization out, std::string problem) {
    out.ok = false;
    out.problem = std::move(problem);
    return out;
  };
  const auto name = [&](const Program::Bound& b) {
    const EquationSystem& system = *program_.sorted->system;
    return "`" + ComponentName(*system.model, *system.graph, ComponentId(b.component)) + "`";
  };
  if (const std::string problem = ParameterNotFinite(program_); !problem.empty()) return fail({}, problem);
  clocks_.clear();
  for (const Program::Clock& clock : program_.clocks) {
    double numbers[2];
    run_.Compute(clock, options.time, numbers);
    if (!(numbers[1] > 0)) return fail({}, "the sample period of " + name(clock) + " is not positive");
    const double behind = std::ceil((options.time - numbers[0]) / numbers[1] - 1e-9);
    clocks_.push_back({numbers[0], numbers[1], std::max(0.0, behind)});
  }
  run_.delay_lines.clear();
  conditions_.assign(program_.whens.size(), 0);
  largest_.assign(program_.relations.size(), 0);
  blocked_.assign(program_.relations.size(), 0);
  borne_.assign(program_.relations.size(), 0);
  noise_.assign(program_.relations.size(), 0);
  Initialization out;
  std::vector<uint32_t> relations;
  std::vector<double> delayed(program_.delays.size(), 0);
  bool settled = false, searched = false, found = false;
  std::vector<double> mode;
  for (const Program::Relation& r : program_.relations) mode.push_back(run_.values[r.slot]);
  least_before_ = run_.least_solutions;
  mode_before_ = mode;
  first_looked_.clear();
  // Delays behind each other settle one after the other; those that a loop leads through do not.
  const int in_a_row = 2 + static_cast<int>(std::min<size_t>(program_.delays.size(), kMostRounds / 2));
  for (int round = 0;; ++round) {
    const bool endless = round > 2 * kMostRounds;
    if (endless && (searched || !SearchModes(options.time, false, mode, relations, [&] {
                      out = initializer.Solve(true);
                      return out.ok;
                    })))
      return fail(out, "the conditions of " + Names(relations, {}) + " find no values at the start");
    if (endless) {
      searched = true;
      round = 1;
    }
    relations.clear();
    out = initializer.Solve(round > 0);
    // What is delayed has no values before the first round, and a branch that does not hold may have none.
    bool again = UpdateRelations(options.time, round >= 8, relations);
    if (!out.ok && (again ? round >= kMostRounds : round > 0 || program_.delays.empty())) return out;
    if (again && round >= kMostRounds) BlockUndecided(options.time);
    std::vector<uint32_t> unsettled;
    for (uint32_t d = 0; d < program_.delays.size(); ++d) {
      const double u = BeforeStart(program_.delays[d], options.time);
      double& held = run_.values[program_.delays[d].slot];
      if (found ? !(std::fabs(u - held) > 1e-9 * std::fabs(u)) : !Differs(u, held)) continue;
      unsettled.push_back(d);
      if (round < in_a_row) held = u;
    }
    if (!unsettled.empty() && round >= in_a_row && !again) {
      found = FindDelayed(initializer, options.time);
      if (!found) return fail(out, NoStartText(unsettled));
    }
    again = again || !unsettled.empty();
    if (again || !out.ok) continue;
    if (settled) break;
    settled = true;
    FindHolding(options.time);
    // `when initial() or u` acts at the start, whether u was true before or not.
    for (size_t w = 0; w < conditions_.size(); ++w) {
      if (Reads(program_.whens[w], program_.initial_slots)) conditions_[w] = 0;
    }
    for (const uint32_t slot : program_.initial_slots) run_.values[slot] = 1;
    if (!Settle(options.time, {true, false, true})) return fail(out, problem_);
    // Once more with what was set, unless states were set, too.
    const bool jumped = std::any_of(fired_.begin(), fired_.end(), [&](uint32_t w) {
      const Program::When& when = program_.whens[w];
      const auto first_action = program_.actions.begin() + when.first_action;
      return std::any_of(first_action, first_action + when.actions,
                         [](const Program::Action& a) { return a.reinit; });
    });
    if (!changed_ || jumped) break;
  }
  for (const Program::Delay& delay : program_.delays) {
    double numbers[2];
    run_.Compute(delay, options.time, numbers);
    if (!(numbers[1] > 0)) return fail(out, "the delay of " + name(delay) + " is not positive");
    run_.delay_lines.emplace_back();
    run_.delay_lines.back().delay = numbers[1];
    run_.delay_lines.back().Begin(options.time, numbers[0], BeforeStart(delay, options.time));
  }
  for (const Program::Delay& delay : program_.delays) {
    if (const std::string text = ImpulseText(delay); !text.empty()) return fail(out, text);
  }
  count = 0;
  return FindUndefined(options.time) ? fail(out, problem_) : out;
}

double Events::BeforeStart(const Program::Delay& delay, double time) {
  double numbers[3] = {0, 0, 0};
  run_.Compute(delay, time, std::span(numbers, delay.given ? 3 : 2));
  return delay.given ? numbers[2] : numbers[0];
}

/* What is delayed was constant before the start, so that its derivative jumps where the start arrives, if it
moves at the start. The derivative of that is an impulse there, which no value can be. */
std::string Events::ImpulseText(const Program::Delay& delay) const {
  if (delay.rate == UINT32_MAX) return {};
  const DelayLine& line = run_.delay_lines[static_cast<size_t>(&delay - program_.delays.data())];
  const double jump = std::fabs(line.last_value() - line.before());
  const double rate = std::fabs(run_.delay_lines[delay.rate].last_value());
  if (!(jump > 1e-9 * rate * line.delay)) return {};
  const EquationSystem& system = *program_.sorted->system;
  char text[480];
  std::snprintf(
      text, sizeof text,
      "a derivative of what `%s` delays jumps by %.4g where the start arrives, %.6g s later: it was zero "
      "before. The derivative of that is needed, too, which is an impulse there; let the signal begin "
      "at rest, or put something that gives way behind it (a filter, an elasticity)",
      ComponentName(*system.model, *system.graph, ComponentId(delay.component)).c_str(), jump, line.delay);
  return text;
}

void Events::Exchange(Archive& archive) {
  archive.Number(count);
  clocks_.resize(archive.Size(clocks_.size()));
  for (ClockState& c : clocks_) {
    archive.Number(c.start);
    archive.Number(c.period);
    archive.Number(c.next);
  }
  archive.Numbers(conditions_);
  archive.Numbers(largest_);
  archive.Numbers(blocked_);
  archive.Numbers(borne_);
  archive.Numbers(noise_);
}

std::string Events::NoStartText(const std::vector<uint32_t>& delays) const {
  const EquationSystem& system = *program_.sorted->system;
  std::string names;
  for (size_t k = 0; k < delays.size() && k < 6; ++k)
    names += (k > 0 ? ", `" : "`") +
             ComponentName(*system.model, *system.graph, ComponentId(program_.delays[delays[k]].component)) +
             "`";
  return "no value was found that the loop through " + names +
         " could have had before the start: what comes out of a delay is then what goes in, and this loop "
         "gives "
         "another value for each (a gain of 1?). Break the loop by a state, or begin it by a step";
}

std::optional<std::string> Events::Violated(double time) {
  for (const Program::Assertion& a : program_.assertions) {
    const double holds = run_.Compute(a, time);
    if (IsUndecided(a, time)) return UndefinedText(a, time);
    if (holds != 0) continue;
    const EquationSystem& system = *program_.sorted->system;
    const std::string name = ComponentName(*system.model, *system.graph, ComponentId(a.component));
    return name.empty() ? a.message : "`" + name + "`: " + a.message;
  }
  return std::nullopt;
}

}  // namespace cotree
