// SPDX-License-Identifier: Apache-2.0
#include "pipeline/assemble.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <set>

#include "linear_algebra/decompositions.h"
#include "mechanics/diagnostics.h"
#include "mechanics/loop_solver.h"
#include "mechanics/poses.h"
#include "pipeline/slot_functions.h"
#include "program/run_program.h"
#include "system_equations/variable_unit.h"

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
    Describe();
    if (!FindPositions()) return false;
    KeepPositions();
    FindRates();
    return starts_fit_;
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

  // ---- What is sought, and what is demanded of it ---------------------------------------------------------

  /** A coordinate of a joint, of the tree or measured. */
  struct Coordinate {
    VariableRef ref;                // of the system
    uint32_t freedom = UINT32_MAX;  // of the tree, or
    uint32_t measure = UINT32_MAX;  // of motion_.measures
    bool turns = false;             // an angle: without a start it is sought within half a turn
  };
  /** What is sought: a state, or a turn of a joint with a quaternion. */
  struct Column {
    VariableRef ref;
    uint32_t slot = 0;
    uint32_t freedom = UINT32_MAX;  // that turns
    bool given = false, fixed = false;
    double start = 0, value = 0;
    double other_start = 0;  // as what hangs on it says
  };
  /** A start of something that follows from what is sought: of a flywheel behind a gear, of a sensor. */
  struct Demand {
    uint32_t entry = 0;  // of t_.starts
    uint32_t slot = 0;
    double value = 0;
    bool fixed = false;
  };
  /** A ball joint that closes a loop, with a start of its turn. */
  struct Ball {
    const SpatialJoint* joint = nullptr;
    std::array<double, 4> turn{};  // of length 1
    bool fixed = false, said = false;
    std::string text;  // "`ball.Q[1]` = 0.9, ..."
  };
  /** Positions, or rates: what is sought and what is demanded of it. */
  struct Level {
    std::vector<Column> columns;
    std::map<uint32_t, uint32_t> column_of;  // slot
    std::vector<Demand> demands;
  };

  uint32_t SlotOf(VariableRef ref) const { return t_.sorted->Slot(ref); }
  bool HasSlot(VariableRef ref) const { return ref.variable != UINT32_MAX && t_.sorted->HasSlot(ref); }
  static VariableRef RateOf(VariableRef ref) { return {ref.variable, ref.order + 1}; }

  void Describe() {
    functions_ = std::make_unique<SlotFunctions>(t_.sorted, *t_.program);
    std::vector<bool> turns(motion_.freedoms.size(), false);
    for (const SpatialJoint& joint : mechanism_.joints) {
      for (uint32_t k = 0; joint.in_tree && k < FreedomsOf(joint.kind); ++k)
        turns[joint.first_freedom + k] = Turns(joint.kind, k);
    }
    for (uint32_t f = 0; f < motion_.freedoms.size(); ++f) {
      const uint32_t position = motion_.freedoms[f].position;
      if (position != UINT32_MAX) coordinates_.push_back({RefOf(position), f, UINT32_MAX, turns[f]});
    }
    for (uint32_t m = 0; m < motion_.measures.size(); ++m) {
      const MotionMeasure& measure = motion_.measures[m];
      const Driver& d = measure.coordinate;
      coordinates_.push_back({VariableOf(d.component, d.symbol, d.index), UINT32_MAX, m, measure.turns});
    }
    std::erase_if(coordinates_, [&](const Coordinate& c) { return !HasSlot(c.ref); });
    // What accelerations and forces of loops decide is no matter of positions and rates.
    std::vector<bool> forbidden(t_.sorted->slots(), false);
    for (const MotionFreedom& f : t_.motion.freedoms) {
      VariableRef ref = Own(f.velocity);
      ref.order += f.velocity_order + 1;
      if (HasSlot(ref)) forbidden[SlotOf(ref)] = true;
    }
    for (const MotionInvariant& i : t_.motion.invariants) {
      const VariableRef ref{main_.first_variable + i.multiplier, 0};
      if (i.multiplier != UINT32_MAX && HasSlot(ref)) forbidden[SlotOf(ref)] = true;
    }
    const auto add = [&](Level& level, VariableRef ref, uint32_t freedom) {
      const uint32_t slot = SlotOf(ref);
      if (!level.column_of.try_emplace(slot, static_cast<uint32_t>(level.columns.size())).second) return;
      level.columns.push_back({ref, slot, freedom});
      Column& column = level.columns.back();
      const StartEntry* start = Find(ref);
      if (start == nullptr || !start->given) return;
      column.given = true;
      column.fixed = start->fixed;
      column.start = column.value = start->value;
    };
    std::vector<uint32_t> slots;
    for (const Coordinate& c : coordinates_) {
      for (const uint32_t slot : functions_->ReachOf(SlotOf(c.ref), forbidden).states)
        add(positions_, t_.sorted->OfSlot(slot), UINT32_MAX);
      slots.push_back(SlotOf(c.ref));
    }
    for (const MotionQuaternion& q : motion_.quaternions) {
      bool fixed = false;
      for (const uint32_t number : q.numbers) {
        const StartEntry* start = Given(number);
        fixed = fixed || (start != nullptr && start->fixed);
        if (HasSlot(RefOf(number))) quaternion_slots_.insert(SlotOf(RefOf(number)));
      }
      for (uint32_t k = 0; k < 3; ++k) {
        Column column;
        column.freedom = q.first_freedom + k;
        column.given = column.fixed = fixed;
        positions_.columns.push_back(column);
      }
    }
    ProposeWhole();
    for (const Coordinate& c : coordinates_) {
      if (!HasSlot(RateOf(c.ref))) continue;
      for (const uint32_t slot : functions_->ReachOf(SlotOf(RateOf(c.ref)), forbidden).states) {
        if (positions_.column_of.count(slot) == 0 && quaternion_slots_.count(slot) == 0)
          add(rates_, t_.sorted->OfSlot(slot), UINT32_MAX);
      }
      slots.push_back(SlotOf(RateOf(c.ref)));
    }
    for (uint32_t f = 0; f < motion_.freedoms.size(); ++f) {
      if (motion_.freedoms[f].position == UINT32_MAX && HasSlot(VelocityOf(motion_.freedoms[f])))
        add(rates_, VelocityOf(motion_.freedoms[f]), f);
    }
    for (uint32_t k = 0; k < t_.starts.size(); ++k) Demands(k, forbidden, slots);
    DescribeBalls();
    functions_->Compute(slots);
    plain_ =
        std::all_of(coordinates_.begin(), coordinates_.end(),
                    [&](const Coordinate& c) {
                      return std::isfinite(Driven(c.ref)) || positions_.column_of.count(SlotOf(c.ref)) != 0;
                    }) &&
        positions_.demands.empty();
    for (const StartEntry& start : t_.starts) {
      if (start.given && HasSlot(start.variable)) (*functions_)[SlotOf(start.variable)] = start.value;
    }
  }
  void DescribeBalls() {
    for (const SpatialJoint& joint : mechanism_.joints) {
      if (joint.in_tree || joint.kind != SpatialKind::kSpherical) continue;
      Ball ball;
      ball.joint = &joint;
      double length = 0;
      const std::array<VariableRef, 4> refs = TurnOf(joint);
      for (size_t k = 0; k < 4; ++k) {
        const StartEntry* start = refs[k].variable == UINT32_MAX ? nullptr : Find(refs[k]);
        if (start == nullptr || !start->given) continue;
        ball.turn[k] = start->value;
        ball.fixed = ball.fixed || start->fixed;
        ball.said = ball.said || start->fixed || start->value != (k == 0 ? 1 : 0);
        length += start->value * start->value;
        if (!start->fixed) continue;
        char number[32];
        std::snprintf(number, sizeof number, "%.6g", start->value);
        ball.text += (ball.text.empty() ? "`" : ", `") + system_.VariableName(refs[k].variable, 0) + "` = ";
        ball.text += number;
      }
      if (!(length > 0) || !std::isfinite(length)) continue;
      for (double& x : ball.turn) x /= std::sqrt(length);
      balls_.push_back(std::move(ball));
    }
  }
  // The quaternion of a ball joint.
  std::array<VariableRef, 4> TurnOf(const SpatialJoint& joint) const {
    std::array<VariableRef, 4> out;
    for (const Variable& variable : t_.graph->ClassOf(model_, joint.component).variables) {
      if (model_.names.Text(variable.name) != "Q") continue;
      for (uint32_t k = 0; k < 4; ++k) out[k] = VariableOf(joint.component, variable.symbol, k);
    }
    return out;
  }
  // Whether a turn is said; no turn is what their classes propose, and says nothing.
  bool IsSaid(const MotionQuaternion& q) {
    for (size_t k = 0; k < 4; ++k) {
      const StartEntry* start = Given(q.numbers[k]);
      if (start != nullptr && (start->fixed || start->value != (k == 0 ? 1 : 0))) return true;
    }
    return false;
  }
  // Of a free body that something is said of, the rest is proposed, too: 0, and no turn.
  void ProposeWhole() {
    for (const SpatialJoint& joint : mechanism_.joints) {
      const bool free = joint.kind == SpatialKind::kFree;
      if (!joint.in_tree || (!free && joint.kind != SpatialKind::kSpherical)) continue;
      bool said = false;
      std::vector<Column*> own;
      for (uint32_t k = 0; free && k < 3; ++k) {
        const uint32_t position = motion_.freedoms[joint.first_freedom + k].position;
        said = said || Given(position) != nullptr;
        const auto at = HasSlot(RefOf(position)) ? positions_.column_of.find(SlotOf(RefOf(position)))
                                                 : positions_.column_of.end();
        if (at != positions_.column_of.end()) own.push_back(&positions_.columns[at->second]);
      }
      for (Column& column : positions_.columns) {
        const uint32_t first = joint.first_freedom + FreedomsOf(joint.kind) - 3;
        if (column.freedom != UINT32_MAX && column.freedom - first < 3) own.push_back(&column);
      }
      for (const MotionQuaternion& q : motion_.quaternions)
        said = said || (q.first_freedom + 3 == joint.first_freedom + FreedomsOf(joint.kind) && IsSaid(q));
      for (Column* column : own) column->given = column->given || said;
    }
  }
  // Whether a start is a demand on positions or rates of the loops.
  void Demands(uint32_t entry, const std::vector<bool>& forbidden, std::vector<uint32_t>& slots) {
    const StartEntry& start = t_.starts[entry];
    if (!start.given || !HasSlot(start.variable) || !std::isfinite(start.value)) return;
    const uint32_t slot = SlotOf(start.variable);
    if (t_.sorted->equation_of_slot[slot] == UINT32_MAX || rates_.column_of.count(slot) != 0) return;
    const SlotFunctions::Reach reach = functions_->ReachOf(slot, forbidden);
    if (!reach.allowed) return;
    bool position = false, rate = false;
    for (const uint32_t state : reach.states) {
      if (positions_.column_of.count(state) != 0 || quaternion_slots_.count(state) != 0) {
        position = true;
      } else if (rates_.column_of.count(state) != 0) {
        rate = true;
      } else {
        const StartEntry* other = Find(t_.sorted->OfSlot(state));
        if (other == nullptr || !other->fixed) return;  // it may be met by that
      }
    }
    if (!position && !rate) return;
    (rate ? rates_ : positions_).demands.push_back({entry, slot, start.value, start.fixed});
    slots.push_back(slot);
  }

  // ---- Positions ------------------------------------------------------------------------------------------

  // The direction of a column, as slots of states.
  std::vector<std::pair<uint32_t, double>> DirectionOf(const Column& column) {
    if (column.freedom == UINT32_MAX) return {{column.slot, 1.0}};
    std::vector<std::pair<uint32_t, double>> out;
    for (const MotionQuaternion& q : motion_.quaternions) {
      const uint32_t k = column.freedom - q.first_freedom;
      if (k > 2) continue;
      // Q' = Q o (0, w)/2
      double n[4];
      for (size_t i = 0; i < 4; ++i) n[i] = solver_.reading(q.numbers[i]) / 2;
      const double turned[3][4] = {
          {-n[1], n[0], n[3], -n[2]}, {-n[2], -n[3], n[0], n[1]}, {-n[3], n[2], -n[1], n[0]}};
      for (size_t i = 0; i < 4; ++i) {
        if (HasSlot(RefOf(q.numbers[i]))) out.emplace_back(SlotOf(RefOf(q.numbers[i])), turned[k][i]);
      }
    }
    return out;
  }

  // Rows by columns, with what each lacks: what must hold, and what is wished.
  struct Rows {
    Matrix matrix;
    std::vector<double> lacks;
    void Add(std::vector<double> row, double lack) {
      rows_.push_back(std::move(row));
      lacks.push_back(lack);
    }
    void Finish(size_t columns) {
      matrix = Matrix(rows_.size(), columns);
      for (size_t k = 0; k < rows_.size(); ++k)
        std::copy(rows_[k].begin(), rows_[k].end(), matrix.row(k).begin());
    }
    void Clear(const std::vector<bool>& held) {
      for (size_t c = 0; c < held.size(); ++c) {
        if (held[c]) matrix.ClearColumn(c);
      }
    }

   private:
    std::vector<std::vector<double>> rows_;
  };
  struct Demanded {
    Rows loops;    // loops, measures
    Rows fixed;    // fixed starts of what is no column
    Rows hard;     // both
    Rows wishes;   // starts that are not fixed
    Rows nearest;  // to 0, or to a whole number of turns, where nothing is said
  };

  // The rotation vector of conj(from) o to, in axes of what is turned.
  static std::array<double, 3> Turned(std::span<const double> from, std::span<const double> to) {
    const double w = from[0] * to[0] + from[1] * to[1] + from[2] * to[2] + from[3] * to[3];
    const std::array<double, 3> v = {from[0] * to[1] - from[1] * to[0] - from[2] * to[3] + from[3] * to[2],
                                     from[0] * to[2] + from[1] * to[3] - from[2] * to[0] - from[3] * to[1],
                                     from[0] * to[3] - from[1] * to[2] + from[2] * to[1] - from[3] * to[0]};
    const double size = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const double angle = (w < 0 ? -2 : 2) * std::atan2(size, std::fabs(w));
    if (!(size > 0)) return {};
    return {v[0] * angle / size, v[1] * angle / size, v[2] * angle / size};
  }
  // How far a quaternion is turned from its start, about the axis of a freedom.
  double TurnedBy(uint32_t freedom) {
    for (const MotionQuaternion& q : motion_.quaternions) {
      const uint32_t k = freedom - q.first_freedom;
      if (k > 2) continue;
      double from[4], to[4], length = 0;
      for (size_t i = 0; i < 4; ++i) {
        const StartEntry* start = Given(q.numbers[i]);
        from[i] = start != nullptr ? start->value : i == 0 ? 1 : 0;
        to[i] = solver_.reading(q.numbers[i]);
        length += from[i] * from[i];
      }
      if (!(length > 0)) return 0;
      return Turned(from, to)[k];
    }
    return 0;
  }

  static double Wrapped(double angle) { return std::atan2(std::sin(angle), std::cos(angle)); }

  std::vector<uint32_t> PositionSlots() const {
    std::vector<uint32_t> slots;
    for (const Coordinate& c : coordinates_) slots.push_back(SlotOf(c.ref));
    for (const Demand& d : positions_.demands) slots.push_back(d.slot);
    return slots;
  }
  // Of slots by columns, at the last values.
  Matrix Derivatives(const std::vector<uint32_t>& slots) {
    Matrix by(slots.size(), positions_.columns.size());
    if (plain_) {
      for (size_t i = 0; i < slots.size(); ++i) {
        const auto own = positions_.column_of.find(slots[i]);
        if (own != positions_.column_of.end()) by(i, own->second) = 1;
      }
      return by;
    }
    for (size_t k = 0; k < by.columns(); ++k) {
      functions_->Differentiate(DirectionOf(positions_.columns[k]), 0);
      for (size_t i = 0; i < slots.size(); ++i) by(i, k) = functions_->Derivative(slots[i]);
    }
    return by;
  }

  // At the present columns. False: there are no values.
  bool Evaluate(Demanded* out) {
    *out = {};
    const size_t n = positions_.columns.size();
    SlotFunctions& at = *functions_;
    for (const Column& column : positions_.columns) {
      if (column.freedom == UINT32_MAX) at[column.slot] = column.value;
    }
    for (const MotionQuaternion& q : motion_.quaternions) {
      for (const uint32_t number : q.numbers) {
        if (HasSlot(RefOf(number))) at[SlotOf(RefOf(number))] = solver_.reading(number);
      }
    }
    if (!plain_ && !at.Run(0)) return false;
    const std::vector<uint32_t> slots = PositionSlots();
    const Matrix by = Derivatives(slots);
    std::vector<double> values;
    for (size_t i = 0; i < coordinates_.size(); ++i) {
      const Coordinate& c = coordinates_[i];
      const double driven = Driven(c.ref);
      values.push_back(std::isfinite(driven) ? driven : at[slots[i]]);
      if (c.freedom != UINT32_MAX) solver_.reading(motion_.freedoms[c.freedom].position) = values.back();
    }
    if (!(solver_.Gap() < INFINITY)) return false;
    by_columns_ = Matrix(motion_.freedoms.size(), n);
    for (size_t i = 0; i < coordinates_.size(); ++i) {
      for (size_t k = 0; k < n && coordinates_[i].freedom != UINT32_MAX; ++k)
        by_columns_(coordinates_[i].freedom, k) = by(i, k);
    }
    for (size_t k = 0; k < n; ++k) {
      const Column& column = positions_.columns[k];
      if (column.freedom != UINT32_MAX) by_columns_(column.freedom, k) = 1;
    }
    const Matrix loops = solver_.Jacobian() * by_columns_;
    const Matrix measured = solver_.MeasureJacobian() * by_columns_;
    const auto row_of = [](const Matrix& m, size_t k) {
      return std::vector<double>(m.row(k).begin(), m.row(k).end());
    };
    for (size_t k = 0; k < motion_.loops.size(); ++k) {
      if (!motion_.loops[k].value.IsNone()) out->loops.Add(row_of(loops, k), solver_.Gaps()[k]);
    }
    for (size_t i = 0; i < coordinates_.size(); ++i) {
      const Coordinate& c = coordinates_[i];
      if (c.measure == UINT32_MAX) continue;
      std::vector<double> row = row_of(by, i);
      AddTimes(row, -1, measured.row(c.measure));
      const double off = values[i] - solver_.Measures()[c.measure];
      out->loops.Add(std::move(row), c.turns ? Wrapped(off) : off);
    }
    out->hard = out->loops;
    for (size_t i = 0; i < positions_.demands.size(); ++i) {
      const Demand& d = positions_.demands[i];
      Rows& rows = d.fixed ? out->fixed : out->wishes;
      rows.Add(row_of(by, coordinates_.size() + i), at[d.slot] - d.value);
      if (d.fixed) out->hard.Add(row_of(by, coordinates_.size() + i), at[d.slot] - d.value);
    }
    AddBalls(out);
    for (size_t k = 0; k < n; ++k) {
      const Column& column = positions_.columns[k];
      const bool turns = column.freedom != UINT32_MAX;
      if (column.fixed || !(column.given || turns)) continue;
      std::vector<double> row(n, 0.0);
      row[k] = 1;
      (column.given ? out->wishes : out->nearest)
          .Add(std::move(row), turns ? TurnedBy(column.freedom) : column.value - column.start);
    }
    for (size_t i = 0; i < coordinates_.size(); ++i) {
      const Coordinate& c = coordinates_[i];
      const StartEntry* start = Find(c.ref);
      if (start != nullptr && start->given) continue;
      out->nearest.Add(row_of(by, i), c.turns ? Wrapped(values[i]) : values[i]);
    }
    for (Rows* rows : {&out->loops, &out->fixed, &out->hard, &out->wishes, &out->nearest}) rows->Finish(n);
    return out->hard.matrix.IsFinite() && IsFinite(out->hard.lacks) && IsFinite(out->wishes.lacks);
  }

  /* What ball joints that close loops are turned from their starts: v, the rotation vector in axes of b.
     |v| v' = v.w, w the angular velocity of b against a, so w's rows are those of v where v is least. */
  void AddBalls(Demanded* out) {
    if (balls_.empty()) return;
    const auto at = [&](uint32_t reading) { return solver_.reading(reading); };
    const std::vector<SpatialPose> poses = FindPoses(mechanism_, motion_, Numbers(), at);
    Matrix turning(3 * balls_.size(), motion_.freedoms.size());
    for (uint32_t f = 0; f < motion_.freedoms.size(); ++f) {
      const std::vector<SpatialTwist> twists =
          FindTwists(mechanism_, Numbers(), poses, [&](uint32_t g) { return g == f ? 1.0 : 0.0; });
      for (size_t i = 0; i < balls_.size(); ++i) {
        const SpatialJoint& joint = *balls_[i].joint;
        const Vec3<double> w =
            Transpose(PoseOf(mechanism_, poses, joint.b).R) *
            (twists[mechanism_.frames[joint.b].composite].w - twists[mechanism_.frames[joint.a].composite].w);
        for (size_t k = 0; k < 3; ++k) turning(3 * i + k, f) = w[k];
      }
    }
    const Matrix by = turning * by_columns_;
    for (size_t i = 0; i < balls_.size(); ++i) {
      const SpatialPose a = PoseOf(mechanism_, poses, balls_[i].joint->a),
                        b = PoseOf(mechanism_, poses, balls_[i].joint->b);
      const std::array<double, 3> off = Turned(balls_[i].turn, QuaternionOf(Transpose(a.R) * b.R));
      for (size_t k = 0; k < 3; ++k) {
        const std::span<const double> row = by.row(3 * i + k);
        Rows& rows = balls_[i].fixed ? out->hard : balls_[i].said ? out->wishes : out->nearest;
        rows.Add({row.begin(), row.end()}, off[k]);
      }
    }
  }

  void MoveColumns(std::span<const double> step) {
    std::vector<double> turn(motion_.freedoms.size(), 0.0);
    for (size_t k = 0; k < positions_.columns.size(); ++k) {
      Column& column = positions_.columns[k];
      if (column.freedom == UINT32_MAX)
        column.value += step[k];
      else
        turn[column.freedom] = step[k];
    }
    solver_.Move(turn);
  }

  /* Gauss-Newton steps of least length: what must hold, then, in what that leaves free, what is wished.
     step = -H' (H H' + damping)^-1 h */
  static std::vector<double> StepTo(const Matrix& rows, const std::vector<double>& lacks) {
    if (rows.rows() == 0) return std::vector<double>(rows.columns(), 0.0);
    const double gap = Norm(lacks), damping = 1e-13 + 1e-3 * std::min(1.0, gap * gap);
    Matrix square = rows * rows.Transposed();
    for (size_t k = 0; k < square.rows(); ++k) square(k, k) += damping;
    std::vector<double> step = TransposedTimes(rows, SolveSymmetric(square, lacks));
    for (double& x : step) x = -x;
    return step;
  }
  // Orthonormal rows that span those given; what is left of a row below `least` of the largest counts as 0.
  static Matrix RowSpace(Matrix rows, double least) {
    double largest = 0;
    for (size_t k = 0; k < rows.rows(); ++k) largest = std::max(largest, Norm(rows.row(k)));
    std::vector<double> found;
    size_t count = 0;
    while (count < std::min(rows.rows(), rows.columns())) {
      size_t best = 0;
      double size = 0;
      for (size_t k = 0; k < rows.rows(); ++k) {
        const double own = Norm(rows.row(k));
        if (own > size) size = own, best = k;
      }
      if (!(size > least * largest)) break;
      std::vector<double> direction(rows.row(best).begin(), rows.row(best).end());
      for (double& x : direction) x /= size;
      for (int twice = 0; twice < 2; ++twice) {
        for (size_t k = 0; k < rows.rows(); ++k)
          AddTimes(rows.row(k), -Dot(direction, rows.row(k)), direction);
      }
      found.insert(found.end(), direction.begin(), direction.end());
      ++count;
    }
    return {count, rows.columns(), std::move(found)};
  }
  // What rows have across a span.
  static Matrix Across(Matrix rows, const Matrix& span) {
    for (int twice = 0; twice < 2; ++twice) {
      for (size_t k = 0; k < rows.rows(); ++k) {
        for (size_t i = 0; i < span.rows(); ++i)
          AddTimes(rows.row(k), -Dot(span.row(i), rows.row(k)), span.row(i));
      }
    }
    return rows;
  }
  static Matrix Below(const Matrix& a, const Matrix& b) {
    Matrix out(a.rows() + b.rows(), a.columns());
    out.SetBlock(0, 0, a);
    out.SetBlock(a.rows(), 0, b);
    return out;
  }

  // To where all that must hold holds and, if asked for, what is wished is nearest; what is left, or
  // infinity.
  double Settle(bool wishes) {
    constexpr double kMost = 0.5;
    Demanded at;
    for (int round = 0; round < 100; ++round) {
      if (!Evaluate(&at)) return INFINITY;
      at.hard.Clear(held_columns_);
      std::vector<double> step = StepTo(at.hard.matrix, at.hard.lacks);
      double wished = 0;
      if (wishes && at.wishes.matrix.rows() > 0) {
        at.wishes.Clear(held_columns_);
        std::vector<double> lacks = at.wishes.matrix * step;
        AddTimes(lacks, 1, at.wishes.lacks);
        const Matrix free = Across(at.wishes.matrix, RowSpace(at.hard.matrix, 1e-7));
        const std::vector<double> more = StepTo(free, lacks);
        wished = Norm(more);
        AddTimes(step, 1, more);
      }
      if (Norm(at.hard.lacks) < LoopSolver::kClosed * 1e-3 && wished < 1e-9) break;
      const double length = Norm(step);
      if (length > kMost) {
        for (double& x : step) x *= kMost / length;
      }
      MoveColumns(step);
    }
    return Evaluate(&at) ? Norm(at.hard.lacks) : INFINITY;
  }

  /** Positions found: how far from what is wished, and from 0 where nothing is said. */
  struct Found {
    double gap = INFINITY, wished = INFINITY, distance = INFINITY;
    std::vector<double> columns, quaternions;
    bool IsBetterThan(const Found& other) const {
      constexpr double kSame = 1e-6;
      const bool closed = gap < LoopSolver::kClosed, other_closed = other.gap < LoopSolver::kClosed;
      if (closed != other_closed) return closed;
      if (!closed) return gap < other.gap;
      if (std::fabs(wished - other.wished) > kSame * (1 + other.wished)) return wished < other.wished;
      return distance < other.distance - kSame * (1 + other.distance);
    }
  };
  Found Present(double gap) {
    Found out;
    out.gap = gap;
    Demanded at;
    if (!Evaluate(&at)) return out;
    const std::vector<SpatialPose> poses =
        FindPoses(mechanism_, motion_, Numbers(), [&](uint32_t reading) { return solver_.reading(reading); });
    if (IsTurnedRound(mechanism_, poses)) out.gap = std::max(out.gap, 1.0);
    out.wished = Norm(at.wishes.lacks);
    out.distance = Norm(at.nearest.lacks);
    for (const Column& column : positions_.columns) out.columns.push_back(column.value);
    for (const MotionQuaternion& q : motion_.quaternions) {
      for (const uint32_t number : q.numbers) out.quaternions.push_back(solver_.reading(number));
    }
    return out;
  }
  void Return(const Found& found) {
    for (size_t k = 0; k < found.columns.size(); ++k) positions_.columns[k].value = found.columns[k];
    size_t next = 0;
    for (const MotionQuaternion& q : motion_.quaternions) {
      for (const uint32_t number : q.numbers) solver_.reading(number) = found.quaternions[next++];
    }
  }

  // Along what is still free, nearer to 0 where nothing is said: a matter of all joints, whichever is a
  // chord.
  void Approach() {
    Demanded at;
    double size = 0;
    for (int round = 0; round < 40; ++round) {
      if (!Evaluate(&at)) return;
      if (round == 0) size = Norm(at.nearest.lacks);
      at.hard.Clear(held_columns_);
      at.wishes.Clear(held_columns_);
      at.nearest.Clear(held_columns_);
      const Matrix span = RowSpace(Below(at.hard.matrix, at.wishes.matrix), 1e-7);
      const Matrix free = Across(at.nearest.matrix, span);
      if (free.rows() == 0 || !(free.Largest() > 1e-6)) return;
      std::vector<double> step = StepTo(free, at.nearest.lacks);
      if (Norm(step) < 1e-10) return;
      const double factor = std::min(1.0, 0.5 / Norm(step));
      const Found before = Present(0);
      bool better = false;
      for (double part = factor; part > 0.01 * factor && !better; part /= 4) {
        Return(before);
        std::vector<double> some = step;
        for (double& x : some) x *= part;
        MoveColumns(some);
        const double gap = Settle(true);
        const Found now = Present(gap);
        better = gap < LoopSolver::kClosed && now.wished < before.wished + 1e-9 && now.distance < size;
        if (better) size = now.distance;
      }
      if (!better) {
        Return(before);
        Evaluate(&at);
        return;
      }
    }
  }

  // Angles of which nothing is said and nothing else hangs on: within half a turn.
  void Unwind() {
    for (const Coordinate& c : coordinates_) {
      if (!c.turns) continue;
      const auto at = positions_.column_of.find(SlotOf(c.ref));
      if (at == positions_.column_of.end()) continue;
      Column& column = positions_.columns[at->second];
      if (column.given || coupled_[at->second]) continue;
      column.value -= std::round(column.value / (2 * M_PI)) * 2 * M_PI;
    }
  }

  // What is said of a sensor or behind a gear is where the column begins that it hangs on. Where both say
  // something, one trial begins with what is said of the column, the next with what hangs on it: so it does
  // not matter which of two joints that a gear couples is the column.
  void BeginWithDemands() {
    Demanded at;
    for (Column& column : positions_.columns) column.value = column.other_start = column.start;
    if (positions_.demands.empty() || !Evaluate(&at)) return;
    const auto wished = static_cast<size_t>(std::count_if(
        positions_.demands.begin(), positions_.demands.end(), [](const Demand& d) { return !d.fixed; }));
    Matrix all = Below(at.fixed.matrix, at.wishes.matrix.Block(0, wished, 0, positions_.columns.size()));
    std::vector<double> lack = at.fixed.lacks;
    lack.insert(lack.end(), at.wishes.lacks.begin(),
                at.wishes.lacks.begin() + static_cast<std::ptrdiff_t>(wished));
    for (size_t k = 0; k < positions_.columns.size(); ++k) {
      if (positions_.columns[k].fixed || positions_.columns[k].freedom != UINT32_MAX) all.ClearColumn(k);
    }
    if (all.Largest() > 0) {
      const std::vector<double> step = LeastSquares(all, 1e-9).Solve(lack);
      for (size_t k = 0; k < step.size(); ++k) positions_.columns[k].other_start -= step[k];
    }
    Matrix rows = Below(at.fixed.matrix, at.wishes.matrix);
    std::vector<double> lacks = at.fixed.lacks;
    lacks.insert(lacks.end(), at.wishes.lacks.begin(), at.wishes.lacks.end());
    const double before = Norm(lacks);
    for (size_t k = 0; k < positions_.columns.size(); ++k) {
      const Column& column = positions_.columns[k];
      if (column.given || column.freedom != UINT32_MAX) rows.ClearColumn(k);
    }
    if (!(rows.Largest() > 0)) return;
    const std::vector<double> step = LeastSquares(rows, 1e-9).Solve(lacks);
    for (size_t k = 0; k < step.size(); ++k) positions_.columns[k].value -= step[k];
    const bool better = Evaluate(&at) && std::hypot(Norm(at.fixed.lacks), Norm(at.wishes.lacks)) < before;
    for (Column& column : positions_.columns) {
      if (better && !column.given) column.start = column.other_start = column.value;
    }
  }

  bool FindPositions() {
    const size_t n = positions_.columns.size();
    held_columns_.clear();
    for (const Column& column : positions_.columns) held_columns_.push_back(column.fixed);
    coupled_.assign(n, false);
    Demanded at;
    Propose();
    if (!plain_ && Evaluate(&at)) {
      const std::vector<uint32_t> slots = PositionSlots();
      const Matrix by = Derivatives(slots);
      for (size_t i = 0; i < slots.size(); ++i) {
        for (size_t k = 0; k < n; ++k)
          coupled_[k] = coupled_[k] || (by(i, k) != 0 && slots[i] != positions_.columns[k].slot);
      }
    }
    BeginWithDemands();
    Found best;
    std::mt19937_64 random(1);
    const auto shift = [&] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; };
    const int trials = n <= 20 ? 24 : n <= 60 ? 6 : 1;
    for (int trial = 0; trial < trials || (trial < 24 && !(best.gap < LoopSolver::kClosed)); ++trial) {
      // Bars in line know no way to bend, and parts can be put together in several ways: other beginnings.
      Propose();
      std::vector<double> turn(motion_.freedoms.size(), 0.0);
      for (Column& column : positions_.columns) {
        column.value = trial % 2 == 0 ? column.start : column.other_start;
        if (trial < 2 || column.fixed) continue;
        // Near what is said, and, in turn with that, anywhere.
        const double aside = shift() * (trial + 1) * (column.given && trial % 4 < 2 ? 0.02 : 0.15);
        column.value += aside;
        if (column.freedom != UINT32_MAX) turn[column.freedom] = aside;
      }
      solver_.Move(turn);
      double gap = Settle(true);
      if (!(gap < LoopSolver::kClosed)) gap = Settle(false);
      if (gap < LoopSolver::kClosed) {
        Unwind();
        if (n <= 60) Approach();
      }
      const Found now = Present(gap);
      if (now.IsBetterThan(best)) best = now;
    }
    if (best.columns.empty() && n > 0) {
      ReportOpen(best.gap);
      return false;
    }
    Return(best);
    const double gap = Settle(false);
    if (gap < 1e-6) return true;
    ReportOpen(gap);
    return false;
  }

  // The starts that are fixed, in the order of variables.
  std::vector<std::pair<VariableRef, double>> Fixed(const Level& level) const {
    std::vector<std::pair<VariableRef, double>> out;
    for (const Column& column : level.columns) {
      if (column.fixed && column.ref.variable != UINT32_MAX) out.emplace_back(column.ref, column.start);
    }
    for (const Demand& d : level.demands) {
      if (d.fixed) out.emplace_back(t_.starts[d.entry].variable, d.value);
    }
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
      return std::pair(a.first.variable, a.first.order) < std::pair(b.first.variable, b.first.order);
    });
    return out;
  }
  // "`slide.s` = 0.3 m, `crank.phi` = 1 rad".
  std::string FixedText(const Level& level) const {
    std::string text;
    for (const auto& [ref, value] : Fixed(level)) {
      char number[32];
      std::snprintf(number, sizeof number, "%.6g", value);
      const std::string unit = UnitOf(system_, ref);
      text += (text.empty() ? "`" : ", `") + system_.VariableName(ref.variable, ref.order) + "` = " + number +
              (unit.empty() ? "" : " " + unit);
    }
    for (const Ball& ball : balls_) {
      if (&level == &positions_ && ball.fixed) text += (text.empty() ? "" : ", ") + ball.text;
    }
    return text;
  }
  // At what is fixed first, otherwise at the joint that closes the loop.
  Span PlaceOf(const Level& level, const LoopRow& row) const {
    const std::vector<std::pair<VariableRef, double>> fixed = Fixed(level);
    if (!fixed.empty()) return PlaceOf(fixed.front().first);
    return ComponentPlace(model_, *t_.graph, mechanism_.joints[row.joints.front()].component);
  }

  void ReportOpen(double gap) {
    const std::vector<double>& gaps = solver_.Gaps();
    const LoopRow& row = motion_.loops[gaps.empty() ? 0 : solver_.WorstRow()];
    const std::string fixed = FixedText(positions_);
    char size[96];
    std::snprintf(size, sizeof size, "%.3g m (or rad) are left with the starts that are fixed", gap);
    loaded_.diagnostics.Report(mechanics_messages::kNotClosing, PlaceOf(positions_, row),
                               {row.names, size + (fixed.empty() ? "" : ": " + fixed)});
  }

  // Values of the positions that were found; what of them the equations of the beginning are to keep.
  void KeepPositions() {
    Demanded at;
    Evaluate(&at);
    const bool as_found = !t_.motion.quaternions.empty();  // nothing is left to those equations
    const auto keep = [&](VariableRef ref, double value, bool fixed) {
      if (ref.variable == UINT32_MAX || std::isfinite(Driven(ref))) return;
      StartEntry& start = Entry(ref, true);
      if (!start.fixed || !fixed || !start.given) start.value = value;
      start.given = true;
      start.fixed = fixed;
    };
    const bool steady = model_[t_.graph->system].steady;
    const std::vector<bool> holds = Choose(positions_, at.loops.matrix, at.fixed.matrix);
    std::map<uint32_t, double> values;
    for (const Coordinate& c : coordinates_) values[SlotOf(c.ref)] = (*functions_)[SlotOf(c.ref)];
    const auto measured = [&](LoopSolver& to) {
      const std::vector<AddedReading>& readings = t_.motion.parts.front().readings;
      for (uint32_t k = 0; k < readings.size(); ++k) {
        const VariableRef ref = readings[k].driver.component.IsNone() ? VariableRef{} : Own(k);
        const auto value = HasSlot(ref) ? values.find(SlotOf(ref)) : values.end();
        if (value != values.end()) to.reading(k) = value->second;
      }
      to.Gap();
    };
    if (joint_motion_ == nullptr) {
      measured(solver_);
      KeepReadings(t_.motion, solver_, as_found);
    } else {
      LoopSolver placed(model_.expressions, t_.motion);
      CarryPositions(mechanism_, motion_, solver_, Numbers(), t_.mechanism, t_.motion, placed);
      measured(placed);
      KeepReadings(t_.motion, placed, as_found);
    }
    MeasureChords(as_found);
    for (const Coordinate& c : coordinates_) {
      if (positions_.column_of.count(SlotOf(c.ref)) == 0 && !IsFixedDemand(c.ref))
        keep(c.ref, values[SlotOf(c.ref)], false);
    }
    for (size_t k = 0; k < positions_.columns.size(); ++k) {
      const Column& column = positions_.columns[k];
      if (column.freedom != UINT32_MAX) continue;
      keep(column.ref, column.value, as_found || (steady ? column.fixed : holds[k]));
    }
    for (size_t k = 0; k < positions_.demands.size(); ++k) {
      if (as_found || (!steady && !holds[positions_.columns.size() + k]))
        t_.starts[positions_.demands[k].entry].fixed = false;
    }
  }
  bool IsFixedDemand(VariableRef ref) const {
    return std::any_of(positions_.demands.begin(), positions_.demands.end(), [&](const Demand& d) {
      const VariableRef own = t_.starts[d.entry].variable;
      return d.fixed && own.variable == ref.variable && own.order == ref.order;
    });
  }

  // Places and quaternions as they were found; sines, directions and places to begin with, too.
  void KeepReadings(const MotionEquations& motion, LoopSolver& values, bool fixed) {
    const auto keep = [&](uint32_t reading) {
      const VariableRef ref = Own(reading);
      if (std::isfinite(Driven(ref)) || (HasSlot(ref) && positions_.column_of.count(SlotOf(ref)) != 0))
        return;
      if (IsFixedDemand(ref)) return;
      StartEntry& start = Entry(ref, true);
      if (!start.given || !start.fixed) start.value = values.reading(reading);
      start.given = true;
      if (fixed && HasSlot(ref) && t_.sorted->equation_of_slot[SlotOf(ref)] == UINT32_MAX) start.fixed = true;
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

  /// What is left of a row across others, by its size, when it follows from them.
  static constexpr double kFollows = 1e-5;

  // By column, a typical size: 1 of angles, of lengths that of the mechanism.
  std::vector<double> Sizes(const Level& level) const {
    double length = 0;
    for (const FramePlace& frame : mechanism_.frames)
      length = std::max(length, std::sqrt(Dot(frame.p, frame.p)));
    std::vector<double> out;
    for (const Column& column : level.columns) {
      const std::string unit = column.ref.variable == UINT32_MAX ? "" : UnitOf(system_, column.ref);
      out.push_back(length > 0 && (unit == "m" || unit == "m/s") ? length : 1);
    }
    return out;
  }
  // Columns in these sizes, rows of length 1; a row that is rounding beside the others is 0.
  static Matrix Even(Matrix rows, const std::vector<double>& sizes) {
    double largest = 1e-290;
    for (size_t k = 0; k < rows.rows(); ++k) {
      for (size_t c = 0; c < sizes.size(); ++c) rows(k, c) *= sizes[c];
      largest = std::max(largest, Norm(rows.row(k)));
    }
    for (size_t k = 0; k < rows.rows(); ++k) {
      const double size = Norm(rows.row(k));
      for (double& x : rows.row(k)) x = size > 1e-10 * largest ? x / size : 0;
    }
    return rows;
  }

  /* Which columns, then which demands, the equations of the beginning keep: of what is fixed all that does
  not follow from loops and the rest of it; of the others as many as loops leave free. What is fixed and
  follows is met already, and would only be an equation too many. Near a dead centre it follows, too: it is
  met as a double root is, and what moves there is kept in its place. */
  std::vector<bool> Choose(const Level& level, const Matrix& given_loops, const Matrix& given_demanded) {
    const size_t n = level.columns.size();
    const std::vector<double> sizes = Sizes(level);
    const Matrix loops = Even(given_loops, sizes), demanded = Even(given_demanded, sizes);
    std::vector<bool> out(n + level.demands.size(), false);
    const Matrix of_loops = RowSpace(loops, 1e-8);
    Matrix span = of_loops, rows = loops;
    std::vector<VariableRef> dead;
    const auto accept = [&](const Matrix& row, VariableRef ref) {
      const double size = Norm(row.row(0));
      const Matrix rest = Across(row, span);
      if (!(Norm(rest.row(0)) > kFollows * size)) {
        if (!(Norm(Across(row, of_loops).row(0)) > kFollows * size)) dead.push_back(ref);
        return false;
      }
      span = Below(span, RowSpace(rest, 0));
      return true;
    };
    std::vector<int> rank;
    for (size_t k = 0; k < n; ++k) {
      const Column& column = level.columns[k];
      rank.push_back(column.given ? 1 : 0);
      if (!column.fixed) continue;
      Matrix unit(1, n);
      unit(0, k) = 1;
      if (accept(unit, column.ref)) rank.back() = 2;
    }
    size_t next = 0;
    for (size_t k = 0; k < level.demands.size(); ++k) {
      if (!level.demands[k].fixed) continue;
      const Matrix row = demanded.Block(next++, 1, 0, n);
      if (!accept(row, t_.starts[level.demands[k].entry].variable)) continue;
      out[n + k] = true;
      rows = Below(rows, row);
    }
    const std::vector<bool> dependent = FindDependent(rows, rank);
    for (size_t k = 0; k < n; ++k) out[k] = !dependent[k];
    if (&level == &positions_) NoteDeadCentre(dead);
    return out;
  }
  void NoteDeadCentre(const std::vector<VariableRef>& refs) {
    for (const VariableRef& ref : refs) {
      if (ref.variable == UINT32_MAX) continue;
      loaded_.diagnostics.Report(
          mechanics_messages::kDeadCentre, PlaceOf(ref),
          {system_.VariableName(ref.variable, ref.order), motion_.loops.front().names});
    }
  }
  // Where the component stands that a variable belongs to.
  Span PlaceOf(VariableRef ref) const {
    return ComponentPlace(model_, *t_.graph, ComponentId(system_.HomeOfVariable(ref.variable)));
  }

  // Where quaternions are, coordinates that are measured begin as the bodies are; turns as they are proposed.
  void MeasureChords(bool all) {
    const std::vector<SpatialPose> poses =
        FindPoses(mechanism_, motion_, Numbers(), [&](uint32_t reading) { return solver_.reading(reading); });
    for (const SpatialJoint& joint : t_.mechanism.joints) {
      const bool ball = joint.kind == SpatialKind::kFree || joint.kind == SpatialKind::kSpherical;
      if (joint.in_tree || (!all && !ball)) continue;
      const ComponentClass& cls = t_.graph->ClassOf(model_, joint.component);
      const SpatialPose a = PoseOf(mechanism_, poses, joint.a), b = PoseOf(mechanism_, poses, joint.b);
      std::vector<double> values = CoordinatesOf(joint, a, b);
      std::vector<VariableRef> refs;
      if (ball) {
        for (const std::string_view name : {"r", "Q"}) {
          for (const Variable& variable : cls.variables) {
            if (model_.names.Text(variable.name) != name) continue;
            for (uint32_t k = 0; k < (name == "Q" ? 4u : 3u); ++k)
              refs.push_back(VariableOf(joint.component, variable.symbol, k));
          }
        }
        std::array<double, 4> q = QuaternionOf(Transpose(a.R) * b.R);
        // Of the two signs that of what is said.
        double along = 0;
        for (size_t k = 0; k < 4; ++k) {
          const StartEntry* start = Find(refs[refs.size() - 4 + k]);
          if (start != nullptr && start->given) along += start->value * q[k];
        }
        for (double& number : q) number = along < 0 ? -number : number;
        CompareTurn(joint, std::span(refs).last(4), q);
        values.insert(values.end(), q.begin(), q.end());
      } else {
        // Edges are declared in the order of freedoms.
        for (const Edge& e : cls.edges) refs.push_back(VariableOf(joint.component, e.across, 0));
      }
      for (size_t k = 0; k < std::min(refs.size(), values.size()); ++k)
        Begin(refs[k], values[k], Turns(joint.kind, k));
    }
  }
  // A ball joint that closes a loop turns as the bodies do: what is fixed must say the same.
  void CompareTurn(const SpatialJoint& joint, std::span<const VariableRef> refs,
                   const std::array<double, 4>& q) {
    bool fixed = false;
    double length = 0, along = 0;
    for (size_t k = 0; k < 4; ++k) {
      const StartEntry* start = Find(refs[k]);
      const bool given = start != nullptr && start->given;
      const double said = given ? start->value : 0;
      fixed = fixed || (given && start->fixed);
      length += said * said;
      along += said * q[k];
    }
    if (!fixed || !(length > 0)) return;
    const double angle = 2 * std::acos(std::min(1.0, std::fabs(along) / std::sqrt(length)));
    if (!(angle > 1e-6)) return;
    char off[96];
    std::snprintf(off, sizeof off, "that turn is fixed, and the bodies are turned by %.3g rad against it",
                  angle);
    starts_fit_ = false;
    loaded_.diagnostics.Report(mechanics_messages::kNotClosing,
                               ComponentPlace(model_, *t_.graph, joint.component),
                               {"`" + ComponentName(model_, *t_.graph, joint.component) + "`", off});
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
    const std::vector<bool> dependent = FindDependent(solver_.Jacobian(), rank);
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

  // ---- Rates ----------------------------------------------------------------------------------------------

  // Linear in what is sought: those that are fixed hold, those that are proposed are met as well as possible,
  // and of what is left the joints move least.
  void FindRates() {
    SlotFunctions& at = *functions_;
    const size_t n = rates_.columns.size();
    std::vector<uint32_t> slots;  // by coordinate; none: it has no rate
    for (const Coordinate& c : coordinates_)
      slots.push_back(HasSlot(RateOf(c.ref)) ? SlotOf(RateOf(c.ref)) : UINT32_MAX);
    const auto free = [&](double value) {
      for (const Column& column : rates_.columns) at[column.slot] = value;
    };
    free(0);
    if (!at.Run(0)) return;
    std::vector<double> drift(motion_.freedoms.size(), 0.0), measured_drift, demand_drift;
    const auto value_of = [&](size_t i) {
      const double driven = Driven(RateOf(coordinates_[i].ref));
      return std::isfinite(driven) ? driven : slots[i] == UINT32_MAX ? 0.0 : at[slots[i]];
    };
    for (size_t i = 0; i < coordinates_.size(); ++i) {
      if (coordinates_[i].freedom != UINT32_MAX) drift[coordinates_[i].freedom] = value_of(i);
    }
    for (const Demand& d : rates_.demands) demand_drift.push_back(at[d.slot]);
    Matrix by(coordinates_.size(), n), demanded(rates_.demands.size(), n),
        freedoms(motion_.freedoms.size(), n);
    for (size_t k = 0; k < n; ++k) {
      const Column& column = rates_.columns[k];
      at.Differentiate({{column.slot, 1.0}}, 0);
      for (size_t i = 0; i < coordinates_.size(); ++i) {
        if (slots[i] == UINT32_MAX) continue;
        by(i, k) = at.Derivative(slots[i]);
        if (coordinates_[i].freedom != UINT32_MAX) freedoms(coordinates_[i].freedom, k) = by(i, k);
      }
      for (size_t i = 0; i < rates_.demands.size(); ++i)
        demanded(i, k) = at.Derivative(rates_.demands[i].slot);
      if (column.freedom != UINT32_MAX) freedoms(column.freedom, k) = 1;
    }
    const Matrix loops = solver_.Jacobian() * freedoms, measured = solver_.MeasureJacobian() * freedoms;
    const std::vector<double> loops_drift = solver_.Jacobian() * drift,
                              measures = solver_.MeasureJacobian() * drift;
    const auto row_of = [](const Matrix& m, size_t k) {
      return std::vector<double>(m.row(k).begin(), m.row(k).end());
    };
    Rows closed, fixed, wishes, least;
    for (size_t k = 0; k < loops.rows(); ++k) closed.Add(row_of(loops, k), loops_drift[k]);
    for (size_t i = 0; i < coordinates_.size(); ++i) {
      const Coordinate& c = coordinates_[i];
      if (c.measure == UINT32_MAX || slots[i] == UINT32_MAX) continue;
      std::vector<double> row = row_of(by, i);
      AddTimes(row, -1, measured.row(c.measure));
      closed.Add(std::move(row), value_of(i) - measures[c.measure]);
    }
    for (size_t k = 0; k < rates_.demands.size(); ++k) {
      const Demand& d = rates_.demands[k];
      (d.fixed ? fixed : wishes).Add(row_of(demanded, k), demand_drift[k] - d.value);
    }
    std::vector<bool> held;
    double largest = Largest(drift);
    for (size_t k = 0; k < n; ++k) {
      Column& column = rates_.columns[k];
      held.push_back(column.fixed);
      largest = std::max(largest, column.fixed ? std::fabs(column.start) : 0);
      column.value = column.fixed ? column.start : 0;
      std::vector<double> unit(n, 0.0);
      unit[k] = 1;
      if (column.given && !column.fixed) wishes.Add(unit, -column.start);
      if (!column.given && column.freedom != UINT32_MAX) least.Add(std::move(unit), 0);
    }
    for (const Demand& d : rates_.demands) largest = std::max(largest, d.fixed ? std::fabs(d.value) : 0);
    for (size_t i = 0; i < coordinates_.size(); ++i) {
      const StartEntry* start = Find(RateOf(coordinates_[i].ref));
      if (start == nullptr || !start->given) least.Add(row_of(by, i), value_of(i));
    }
    for (Rows* rows : {&closed, &fixed, &wishes, &least}) rows->Finish(n);
    std::vector<double> found(n);
    for (size_t k = 0; k < n; ++k) found[k] = rates_.columns[k].value;
    Matrix span(0, n);
    const std::vector<double> sizes = Sizes(rates_);
    // Found and span count in the sizes of columns.
    const auto meet = [&](const Matrix& rows, const std::vector<double>& of, double least_part) {
      if (rows.rows() == 0 || n == 0) return;  // n is 0 where sources say everything
      std::vector<double> rest = rows * found;
      AddTimes(rest, 1, of);
      for (size_t k = 0; k < rows.rows(); ++k) {
        double size = 0;
        for (size_t c = 0; c < n; ++c) size += rows(k, c) * rows(k, c) * sizes[c] * sizes[c];
        if (size > 0) rest[k] /= std::sqrt(size);
      }
      Matrix some = Even(rows, sizes);
      for (size_t k = 0; k < n; ++k) {
        if (held[k]) some.ClearColumn(k);
      }
      Matrix across = Across(some, span);
      for (size_t k = 0; k < across.rows(); ++k) {
        if (!(Norm(across.row(k)) > least_part)) across.ClearRow(k);  // decided already
      }
      const std::vector<double> step = LeastSquares(across, least_part).Solve(rest);
      for (size_t k = 0; k < n; ++k) found[k] -= step[k] * sizes[k];
      span = RowSpace(Below(span, across), least_part);
    };
    const Matrix hard = Below(closed.matrix, fixed.matrix);
    std::vector<double> lacks = closed.lacks;
    lacks.insert(lacks.end(), fixed.lacks.begin(), fixed.lacks.end());
    meet(hard, lacks, kFollows);
    std::vector<double> left = hard * found;
    AddTimes(left, 1, lacks);
    const double gap = Largest(left);
    const auto worst = static_cast<size_t>(
        std::find_if(left.begin(), left.end(), [&](double x) { return std::fabs(x) == gap; }) - left.begin());
    if (gap > 1e-6 * largest) {
      ReportRates(gap, worst);
      return;
    }
    meet(wishes.matrix, wishes.lacks, 1e-9);
    meet(least.matrix, least.lacks, 1e-9);
    if (model_[t_.graph->system].steady) return;
    const std::vector<bool> holds = Choose(rates_, closed.matrix, fixed.matrix);
    for (size_t k = 0; k < n; ++k) {
      const Column& column = rates_.columns[k];
      if (std::isfinite(Driven(column.ref))) continue;
      StartEntry& entry = Entry(column.ref);
      if (!column.fixed || !holds[k]) entry.value = std::fabs(found[k]) > 1e-12 * largest ? found[k] : 0;
      entry.given = true;
      entry.fixed = holds[k];
    }
    for (size_t k = 0; k < rates_.demands.size(); ++k) {
      if (!holds[n + k]) t_.starts[rates_.demands[k].entry].fixed = false;
    }
  }

  void ReportRates(double gap, size_t worst) {
    starts_fit_ = false;
    std::string fixed = FixedText(rates_);
    for (const MotionFreedom& f : motion_.freedoms) {
      const VariableRef ref = VelocityOf(f);
      if (std::isfinite(Driven(ref)))
        fixed += (fixed.empty() ? "`" : ", `") + system_.VariableName(ref.variable, ref.order) + "`";
    }
    char size[64];
    std::snprintf(size, sizeof size, ", and %.3g m/s (or rad/s) are left where the loop closes", gap);
    const LoopRow& row = motion_.loops[std::min(worst, motion_.loops.size() - 1)];
    loaded_.diagnostics.Report(mechanics_messages::kRatesContradict, PlaceOf(rates_, row),
                               {row.names, fixed + " are given" + size});
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
  std::unique_ptr<SlotFunctions> functions_;
  std::vector<Coordinate> coordinates_;
  Level positions_, rates_;
  std::set<uint32_t> quaternion_slots_;
  std::vector<Ball> balls_;
  std::vector<bool> held_columns_;  // of positions_: fixed
  std::vector<bool> coupled_;       // of positions_: more than one coordinate or demand hangs on it
  bool plain_ = false;              // all coordinates are states themselves, and no demands hang on them
  Matrix by_columns_;               // freedoms by columns of positions_
  bool starts_fit_ = true;
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
