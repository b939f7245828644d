// SPDX-License-Identifier: Apache-2.0
#include "pipeline/assemble.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>

#include "mechanics/diagnostics.h"
#include "mechanics/loop_solver.h"
#include "mechanics/poses.h"
#include "program/run_program.h"

namespace cotree {
namespace {

class Assembler {
 public:
  Assembler(LoadedModel& loaded, Translation& translation, const JointMotion* joint_motion)
      : loaded_(loaded),
        model_(loaded.model),
        t_(translation),
        system_(*translation.equations),
        main_(system_.parts[translation.graph->components.size()]),
        joint_motion_(joint_motion),
        mechanism_(joint_motion != nullptr ? joint_motion->mechanism : translation.mechanism),
        motion_(joint_motion != nullptr ? joint_motion->motion : translation.motion),
        solver_(model_.expressions, motion_) {
    for (uint32_t k = 0; k < t_.starts.size(); ++k) Index(k);
    FindDriven();
  }

  bool Run() {
    Propose();
    if (!DrivesFit()) return false;
    Propose();
    if (!Close() || !RatesFit()) return false;
    if (joint_motion_ == nullptr) {
      KeepPositions(t_.motion, solver_);
    } else {
      LoopSolver placed(model_.expressions, t_.motion);
      CarryPositions(mechanism_, motion_, solver_, Numbers(), t_.mechanism, t_.motion, placed);
      placed.Gap();
      KeepPositions(t_.motion, placed);
    }
    if (!t_.motion.quaternions.empty()) MeasureChords();
    if (!model_[t_.graph->system].steady) {
      if (t_.motion.quaternions.empty()) Hold(false);
      Hold(true);
    }
    return true;
  }

 private:
  using Key = std::pair<uint32_t, uint32_t>;  // variable, order

  SpatialNumbers Numbers() const { return {model_, *t_.graph, system_.scalars, system_.parameters}; }
  void Index(uint32_t k) {
    number_.try_emplace(Key(t_.starts[k].variable.variable, t_.starts[k].variable.order), k);
  }
  // None: the class has none.
  StartEntry* Find(VariableRef ref) {
    const auto at = number_.find(Key(ref.variable, ref.order));
    return at == number_.end() ? nullptr : &t_.starts[at->second];
  }
  StartEntry& Entry(VariableRef ref, bool given = false) {
    if (StartEntry* known = Find(ref)) return *known;
    t_.starts.push_back({ref, 0, false, StateWish::kNone, given});
    Index(static_cast<uint32_t>(t_.starts.size() - 1));
    return t_.starts.back();
  }
  VariableRef Own(uint32_t reading) const { return system_.bindings[main_.first_binding + reading]; }
  // The variable of the system that a reading of the motion that is solved for means.
  VariableRef RefOf(uint32_t reading) const {
    if (joint_motion_ == nullptr) return Own(reading);
    const Driver& d = motion_.parts.front().readings[reading].driver;
    return d.component.IsNone() ? VariableRef{} : VariableOf(d.component, d.symbol, d.index);
  }
  VariableRef VariableOf(ComponentId component, SymbolId symbol, uint32_t element) const {
    const ComponentClass& cls = t_.graph->ClassOf(model_, component);
    const Part& part = system_.parts[component.index()];
    const ScalarElement& scalar = system_.scalars[part.scalar];
    for (uint32_t v = 0; v < scalar.owned; ++v) {
      const ScalarVariable& own = scalar.variables[v];
      const bool array = own.role == ScalarVariable::Role::kVariable;
      if (array ? cls.variables[own.index].symbol == symbol && own.element == element : own.symbol == symbol)
        return {part.first_variable + v, 0};
    }
    return {};
  }
  const StartEntry* Given(uint32_t reading) {
    const VariableRef ref = RefOf(reading);
    const StartEntry* start = ref.variable == UINT32_MAX ? nullptr : Find(ref);
    return start != nullptr && start->given ? start : nullptr;
  }

  // What does not depend on states is driven: sources say what it is. Its values at the beginning.
  void FindDriven() {
    if (t_.program == nullptr) return;
    const SortedSystem& sorted = *t_.sorted;
    std::vector<bool> moves(t_.program->slots, false);
    for (const uint32_t slot : t_.program->state_slots) moves[slot] = true;
    for (size_t b = 0; b < sorted.blocks(); ++b) {
      bool any = false;
      for (const uint32_t k : sorted.Block(b)) {
        sorted.OverUses(k, [&](uint32_t v, uint32_t order) { any = any || moves[sorted.Slot({v, order})]; });
      }
      for (const uint32_t k : sorted.Block(b)) moves[sorted.slot_of_equation[k]] = any;
    }
    const auto stands = [&](VariableRef ref) {
      return ref.variable != UINT32_MAX && sorted.HasSlot(ref) && !moves[sorted.Slot(ref)];
    };
    const bool any =
        std::any_of(motion_.freedoms.begin(), motion_.freedoms.end(), [&](const MotionFreedom& f) {
          return (f.position != UINT32_MAX && stands(RefOf(f.position))) || stands(VelocityOf(f));
        });
    if (!any) return;
    ProgramRun run(*t_.program);
    std::fill(run.values.begin(), run.values.end(), 0);
    run.Run(0);  // what is driven is computed even where something else cannot be
    driven_.assign(moves.size(), NAN);
    for (size_t slot = 0; slot < moves.size(); ++slot) {
      if (!moves[slot]) driven_[slot] = run.values[slot];
    }
  }
  /// The value that sources give it; NaN: none do.
  double Driven(VariableRef ref) const {
    if (driven_.empty() || ref.variable == UINT32_MAX || !t_.sorted->HasSlot(ref)) return NAN;
    return driven_[t_.sorted->Slot(ref)];
  }
  VariableRef VelocityOf(const MotionFreedom& f) const {
    VariableRef ref = RefOf(f.velocity);
    ref.order += f.velocity_order;
    return ref;
  }

  void Propose() {
    held_.assign(motion_.freedoms.size(), false);
    for (size_t f = 0; f < motion_.freedoms.size(); ++f) {
      const uint32_t position = motion_.freedoms[f].position;
      if (position == UINT32_MAX) continue;
      const StartEntry* start = Given(position);
      const double driven = Driven(RefOf(position));
      if (start != nullptr) solver_.reading(position) = start->value;
      if (std::isfinite(driven)) solver_.reading(position) = driven;
      held_[f] = std::isfinite(driven) || (start != nullptr && start->fixed);
    }
    for (const MotionQuaternion& q : motion_.quaternions) {
      bool fixed = false;
      for (size_t k = 0; k < 4; ++k) {
        const StartEntry* start = Given(q.numbers[k]);
        solver_.reading(q.numbers[k]) = start != nullptr ? start->value : k == 0 ? 1 : 0;
        fixed = fixed || (start != nullptr && start->fixed);
      }
      for (uint32_t k = 0; k < 3 && fixed; ++k) held_[q.first_freedom + k] = true;
    }
  }

  bool Close() {
    if (motion_.loops.empty()) return true;
    double gap = solver_.Close(held_);
    // Bars in line know no way to bend: other beginnings, for what nothing was said about.
    std::mt19937_64 random(1);
    for (int trial = 0; trial < 24 && !(gap < LoopSolver::kClosed); ++trial) {
      for (size_t f = 0; f < motion_.freedoms.size(); ++f) {
        const uint32_t position = motion_.freedoms[f].position;
        if (position == UINT32_MAX || held_[f]) continue;
        const StartEntry* start = Given(position);
        const double shift = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
        solver_.reading(position) = (start != nullptr ? start->value : 0) + (trial + 1) * 0.1 * shift;
      }
      gap = solver_.Close(held_);
    }
    if (gap < 1e-6) return true;
    const LoopRow& row = motion_.loops[solver_.WorstRow()];
    char size[64];
    std::snprintf(size, sizeof size, "%.3g m (or rad) are left with the starts that are fixed", gap);
    loaded_.diagnostics.Report(
        mechanics_messages::kNotClosing,
        ComponentPlace(model_, *t_.graph, mechanism_.joints[row.joints.front()].component),
        {row.names, size});
    return false;
  }

  // Positions of the tree as they were found; sines, directions and places to begin with, too.
  void KeepPositions(const MotionEquations& motion, LoopSolver& values) {
    const bool fixed = !motion.quaternions.empty();
    const auto keep = [&](uint32_t reading) {
      if (std::isfinite(Driven(Own(reading)))) return;
      StartEntry& start = Entry(Own(reading), true);
      if (!start.given || !start.fixed) start.value = values.reading(reading);
      start.given = true;
      if (fixed) start.fixed = true;
    };
    for (const MotionFreedom& f : motion.freedoms) {
      if (f.position != UINT32_MAX) keep(f.position);
    }
    for (const MotionQuaternion& q : motion.quaternions) {
      for (const uint32_t number : q.numbers) keep(number);
    }
    const ScalarElement& scalar = system_.scalars[main_.scalar];
    for (uint32_t v = 0; v < scalar.owned; ++v) {
      const double value = values.ValueOf(scalar.variables[v].symbol);
      if (std::isfinite(value) && value != 0)
        t_.starts.push_back({{main_.first_variable + v, 0}, value, false, StateWish::kNone, true});
    }
  }

  // Where quaternions are, coordinates that are measured begin as the bodies are; turns as they are proposed.
  void MeasureChords() {
    const std::vector<SpatialPose> poses =
        FindPoses(mechanism_, motion_, Numbers(), [&](uint32_t reading) { return solver_.reading(reading); });
    for (const SpatialJoint& joint : t_.mechanism.joints) {
      if (joint.in_tree) continue;
      const ComponentClass& cls = t_.graph->ClassOf(model_, joint.component);
      const SpatialPose a = PoseOf(mechanism_, poses, joint.a), b = PoseOf(mechanism_, poses, joint.b);
      std::vector<double> values = CoordinatesOf(joint, a, b);
      std::vector<VariableRef> refs;
      if (joint.kind == SpatialKind::kFree || joint.kind == SpatialKind::kSpherical) {
        for (const std::string_view name : {"r", "Q"}) {
          for (const Variable& variable : cls.variables) {
            if (model_.names.Text(variable.name) != name) continue;
            for (uint32_t k = 0; k < (name == "Q" ? 4u : 3u); ++k)
              refs.push_back(VariableOf(joint.component, variable.symbol, k));
          }
        }
        const std::array<double, 4> q = QuaternionOf(Transpose(a.R) * b.R);
        values.insert(values.end(), q.begin(), q.end());
      } else {
        // Edges are declared in the order of freedoms.
        for (const Edge& e : cls.edges) refs.push_back(VariableOf(joint.component, e.across, 0));
      }
      for (size_t k = 0; k < std::min(refs.size(), values.size()); ++k)
        Begin(refs[k], values[k], Turns(joint.kind, k));
    }
  }
  static bool Turns(SpatialKind kind, size_t k) {
    return kind == SpatialKind::kRevolute || (kind == SpatialKind::kCylindrical && k == 0) ||
           (kind == SpatialKind::kPlanar && k == 2);
  }
  void Begin(VariableRef ref, double value, bool turns) {
    if (ref.variable == UINT32_MAX || std::isfinite(Driven(ref))) return;
    StartEntry& start = Entry(ref);
    if (turns && start.given) value += std::round((start.value - value) / (2 * M_PI)) * 2 * M_PI;
    start.value = value;
    start.fixed = start.given = true;
  }

  // Sources can drive no more joints than the loops leave free.
  bool DrivesFit() {
    std::vector<int> rank;
    std::string names;
    size_t driven = 0;
    for (const MotionFreedom& f : motion_.freedoms) {
      const bool drives = std::isfinite(Driven(VelocityOf(f)));
      rank.push_back(drives ? 1 : 0);
      if (!drives) continue;
      ++driven;
      names += (names.empty() ? "`" : ", `") + ComponentName(model_, *t_.graph, f.joint) + "`";
    }
    if (driven < 2 || motion_.loops.empty() || !(solver_.Close({}) < LoopSolver::kClosed)) return true;
    const std::vector<bool> dependent = solver_.FindDependent(rank, true);
    size_t too_many = 0;
    for (size_t f = 0; f < rank.size(); ++f) {
      if (rank[f] == 1 && dependent[f]) ++too_many;
    }
    if (too_many == 0) return true;
    const LoopRow& row = motion_.loops.front();
    loaded_.diagnostics.Report(
        mechanics_messages::kDrivenTooMuch,
        ComponentPlace(model_, *t_.graph, mechanism_.joints[row.joints.front()].component),
        {names, row.names, std::to_string(driven - too_many)});
    return false;
  }

  // Rates that the user fixed must let the loops stay closed.
  bool RatesFit() {
    if (motion_.loops.empty()) return true;
    std::vector<bool> held;
    std::vector<double> velocities;
    double largest = 0;
    std::string fixed;
    for (const MotionFreedom& f : motion_.freedoms) {
      const StartEntry* start = Find(VelocityOf(f));
      const double driven = Driven(VelocityOf(f));
      held.push_back(std::isfinite(driven) || (start != nullptr && start->given && start->fixed));
      velocities.push_back(std::isfinite(driven) ? driven : held.back() ? start->value : 0);
      largest = std::max(largest, std::fabs(velocities.back()));
      if (held.back()) {
        const VariableRef ref = VelocityOf(f);
        fixed += (fixed.empty() ? "`" : ", `") + system_.VariableName(ref.variable, ref.order) + "`";
      }
    }
    size_t worst = 0;
    const double gap = solver_.RateGap(held, velocities, &worst);
    if (!(gap > 1e-6 * largest)) return true;
    char size[64];
    std::snprintf(size, sizeof size, ", and %.3g m/s (or rad/s) are left where the loop closes", gap);
    const LoopRow& row = motion_.loops[worst];
    loaded_.diagnostics.Report(
        mechanics_messages::kRatesContradict,
        ComponentPlace(model_, *t_.graph, mechanism_.joints[row.joints.front()].component),
        {row.names, fixed + " are given" + size});
    return false;
  }

  // As many freedoms begin with their starts as the loops leave; which, is a matter of numbers.
  void Hold(bool velocities) {
    std::vector<int> rank;
    std::vector<VariableRef> refs;
    for (const MotionFreedom& f : motion_.freedoms) {
      const VariableRef ref = velocities ? VelocityOf(f) : RefOf(f.position);
      refs.push_back(ref);
      const StartEntry* entry = Find(ref);
      const bool driven = std::isfinite(Driven(ref));
      rank.push_back(driven ? 3 : entry == nullptr || !entry->given ? 0 : entry->fixed ? 2 : 1);
    }
    const std::vector<bool> dependent = solver_.FindDependent(rank, velocities);
    for (size_t f = 0; f < refs.size(); ++f) {
      if (dependent[f] || rank[f] == 3 || refs[f].variable == UINT32_MAX) continue;
      StartEntry& entry = Entry(refs[f]);
      entry.fixed = entry.given = true;
    }
  }

  LoadedModel& loaded_;
  Model& model_;
  Translation& t_;
  const EquationSystem& system_;
  const Part& main_;
  const JointMotion* joint_motion_;
  const Mechanism& mechanism_;  // whose coordinates are solved for
  const MotionEquations& motion_;
  LoopSolver solver_;
  std::map<Key, uint32_t> number_;  // of starts
  std::vector<bool> held_;          // by freedom
  std::vector<double> driven_;      // by slot: what sources say; NaN: it depends on states
};

}  // namespace

bool AssembleMechanism(LoadedModel& loaded, Translation& translation, const JointMotion* joint_motion) {
  if (translation.motion.loops.empty()) return true;
  return Assembler(loaded, translation, joint_motion).Run();
}

}  // namespace cotree
