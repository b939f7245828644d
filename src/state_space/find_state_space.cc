// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "closed_form/fraction.h"
#include "expr/builtins.h"
#include "expr/dependence.h"
#include "expr/evaluate.h"
#include "expr/linear.h"
#include "expr/solve.h"
#include "expr/substitute.h"
#include "state_space/motion_chains.h"
#include "state_space/parameter_letters.h"
#include "state_space/rewrite.h"
#include "state_space/solve_block.h"
#include "state_space/split_motion.h"
#include "state_space/state_space.h"
#include "system_equations/loop_give.h"
#include "system_equations/variable_unit.h"

namespace cotree {
namespace {

using Role = ReadableSymbol::Role;

// Operations: above the first an expression is shortened on its way, above the second an inner variable
// stays.
// Of a large mechanism more inner variables stay, or the whole would be longer than anybody reads.
constexpr uint64_t kShorten = 60, kLongestInner = 400, kLongestOfMany = 30;
constexpr size_t kManyInner = 250;

class Finder {
 public:
  Finder(const SortedSystem& sorted, const StateSpaceOptions& options)
      : sorted_(sorted),
        system_(*sorted.system),
        pool_(system_.model->expressions),
        options_(options),
        letters_(system_, options.symbols) {
    slot_symbol_.resize(sorted.slots());
    size_t inner = 0;
    for (const uint32_t slot : sorted.slot_of_equation)
      inner += system_.IsInner(sorted.OfSlot(slot).variable);
    longest_inner_ = inner > kManyInner ? kLongestOfMany : kLongestInner;
    // Loops that are closed: their gaps, and what keeps rounding from opening them, are for the integrator.
    for (const auto& [variable, multiplier] : FindGaps(sorted)) zero_.insert(variable);
    if (const uint32_t give = GiveVariable(system_); give != UINT32_MAX) zero_.insert(give);
  }
  StateSpace Run();

 private:
  /** What computes symbols: one of a formula, or several that hold together. */
  struct Made {
    std::vector<SymbolId> symbols;
    ExprId value;         // of one
    ReadableGroup group;  // otherwise
    bool needed = false, inner = false, kept = false;
    uint32_t uses = 0;
  };

  SymbolId SlotSymbol(uint32_t slot);
  ExprId ResidualOf(uint32_t sorted_equation);
  ExprId Tidy(ExprId expr);
  bool MakeBlock(std::span<const uint32_t> equations, bool joined);
  /** Equations that hold together, with what is known of them. */
  struct Held {
    std::vector<ExprId> residuals;
    std::vector<SymbolId> unknowns;
    std::vector<bool> kept;  // rates of states
    bool motion = false;     // equations of motion are among them
  };
  Held HoldTogether(std::span<const uint32_t> equations);
  void AddCore(const BlockSolution& solution, bool motion, size_t freedoms,
               const std::vector<std::string>& names);
  bool AddSolved(const BlockSolution& solution, bool motion);
  bool SolveMotion(std::span<const uint32_t> equations, const Held& held, const MotionRows& rows,
                   BlockSolution* solution, std::vector<std::string>* names);
  bool NameEntries(BlockSolution* solution);
  bool AddNetwork(std::span<const uint32_t> equations, const Held& held);
  void AddLetter(SymbolId letter, ExprId value);
  std::vector<std::vector<double>> NumbersOf(const std::vector<std::vector<ExprId>>& matrix) const;
  std::string RowName(const MotionRows::Row& row, bool several) const;
  std::string ListOf(const std::vector<SymbolId>& symbols) const;
  void AddValue(SymbolId symbol, ExprId value);
  void MarkNeeded(std::vector<ExprId> roots);
  std::vector<ExprId> PartsOf(const Made& made) const;
  bool ShallBeNamed(const Made& made, ExprId value) const;
  ExprId Finish(ExprId expr);
  void DescribeSymbols(StateSpace& out, const std::vector<ExprId>& roots);
  std::vector<ExprId> DropUnread(StateSpace& out) const;
  std::string ComponentOf(uint32_t slot) const;
  bool IsInner(uint32_t variable) const;
  bool IsZeroInMotion(uint32_t variable) const { return zero_.contains(variable); }
  bool IsDefinedBy(uint32_t sorted_equation, uint32_t variable) const {
    return sorted_.OfSlot(sorted_.slot_of_equation[sorted_equation]).variable == variable;
  }
  bool HasCases(const std::vector<ExprId>& residuals) const;
  MotionLetters MotionLettersOf(const ReadableGroup& group) const;
  void OrderRows(BlockSolution& solution) const;
  void KeepWhatComesLater(ExprId expr, size_t at);
  bool IsWanted(uint32_t variable) const;

  const SortedSystem& sorted_;
  const EquationSystem& system_;
  ExprPool& pool_;
  const StateSpaceOptions& options_;
  ParameterLetters letters_;
  std::vector<SymbolId> slot_symbol_;               // by slot; none yet
  std::unordered_map<uint32_t, uint32_t> slot_of_;  // by symbol
  std::vector<Made> made_;                          // in the order of computation
  std::unordered_map<uint32_t, uint32_t> made_of_;  // by symbol
  std::vector<Replacement> inlined_, inner_;
  uint64_t longest_inner_ = kLongestInner;
  std::set<uint32_t> zero_;  // variables that are 0 in every motion
  std::vector<SymbolId> base_parameters_;
  std::vector<SymbolId> determinants_;  // letters for those of solved blocks
  size_t named_ = 0;                    // cores whose entries have letters
  std::vector<std::string> notes_;
};

SymbolId Finder::SlotSymbol(uint32_t slot) {
  SymbolId& symbol = slot_symbol_[slot];
  if (!symbol.IsNone()) return symbol;
  const VariableRef ref = sorted_.OfSlot(slot);
  const bool input = !system_.is_input.empty() && system_.is_input[ref.variable];
  std::string name = sorted_.SlotName(slot);
  do {
    symbol = pool_.DeclareSymbol(name, input ? SymbolKind::kInput : SymbolKind::kVariable);
    name += "~";  // an inner variable may have the name of another one
  } while (slot_of_.contains(symbol.value));
  slot_of_.emplace(symbol.value, slot);
  return symbol;
}

std::string Finder::ComponentOf(uint32_t slot) const {
  const uint32_t variable = sorted_.OfSlot(slot).variable;
  if (variable >= system_.part_variables) return {};
  const uint32_t part = system_.PartOfVariable(variable);
  if (part < system_.graph->components.size())
    return ComponentName(*system_.model, *system_.graph, ComponentId(system_.parts[part].component));
  const std::string name = sorted_.SlotName(slot);
  const size_t dot = name.rfind('.');
  return dot == std::string::npos ? "" : name.substr(0, dot);
}

// Whether it is one of the variables in which a network shall be written.
bool Finder::IsWanted(uint32_t variable) const {
  if (variable >= system_.part_variables) return false;
  const uint32_t number = system_.PartOfVariable(variable);
  if (number >= system_.graph->components.size()) return false;
  const Part& part = system_.parts[number];
  const uint32_t local = variable - part.first_variable;
  const ScalarVariable::Role role = system_.scalars[part.scalar].variables[local].role;
  if (role != (options_.prefer == StateSpaceOptions::Prefer::kThrough ? ScalarVariable::Role::kThrough
                                                                      : ScalarVariable::Role::kAcross))
    return false;
  // Edges have two variables each, before all others.
  const std::vector<ElementEdge>& edges = system_.graph->ElementOf(ComponentId(part.component)).edges;
  if (options_.prefer_domain.empty() || local / 2 >= edges.size()) return options_.prefer_domain.empty();
  return system_.model->Text(system_.model->domains[edges[local / 2].domain.index()].name) ==
         options_.prefer_domain;
}

// Conditions on parameters alone are decided; what is for the integrator only goes.
ExprId Finder::Tidy(ExprId expr) {
  return Rewrite(pool_, expr, [&](ExprId id) -> std::optional<ExprId> {
    const Op op = pool_.op(id);
    if (op == Op::kDivide && pool_.IsZero(pool_.operand(id, 0))) return pool_.Zero();
    if (op == Op::kCall) {
      const Builtin builtin = FindBuiltin(pool_.FunctionName(pool_.FunctionOf(id)));
      if (builtin == Builtin::kNoEvent) return pool_.operand(id, 0);
      if (builtin == Builtin::kSmooth) return pool_.operand(id, 1);
      return std::nullopt;
    }
    if (!IsRelation(op)) return std::nullopt;
    ExprOrder order;
    FindOrder(pool_, std::span(&id, 1), &order);
    for (const ExprId node : order.nodes) {
      if (pool_.op(node) == Op::kTime || pool_.op(node) == Op::kCall) return std::nullopt;
      if (pool_.IsSymbol(node) && pool_.kind(pool_.SymbolOf(node)) != SymbolKind::kParameter)
        return std::nullopt;
    }
    const double value = letters_.Evaluate(id);
    if (std::isnan(value)) return std::nullopt;
    return pool_.Boolean(value != 0);
  });
}

ExprId Finder::ResidualOf(uint32_t k) {
  const SortedEquation& e = sorted_.equations[k];
  const EquationSystem::Source source = system_.SourceOf(e.equation);
  if (source.part == nullptr) {
    const uint32_t row = source.local;
    std::vector<ExprId> terms{
        pool_.Negate(pool_.Symbol(SlotSymbol(sorted_.Slot({system_.row_defined[row], e.times}))))};
    for (uint32_t i = system_.row_first[row]; i < system_.row_first[row + 1]; ++i) {
      const RowEntry& entry = system_.row_entries[i];
      const ExprId x = pool_.Symbol(SlotSymbol(sorted_.Slot({entry.variable, entry.order + e.times})));
      terms.push_back(entry.sign < 0 ? pool_.Negate(x) : x);
    }
    return pool_.Sum(terms);
  }
  const Part& part = *source.part;
  const ExprId residual = sorted_.derived->Get(part.scalar, source.local, e.times).residual;
  std::vector<Replacement> names;
  for (const SymbolId symbol : AllSymbols(pool_, residual)) {
    const SymbolInfo info = pool_.symbol(symbol);
    if (pool_.kind(symbol) == SymbolKind::kParameter) {
      const ExprId letter = letters_.Of(ComponentId(part.component), symbol);
      if (!letter.IsNone()) names.emplace_back(symbol, letter);
      continue;
    }
    const uint32_t local = sorted_.derived->VariableOf(part.scalar, info.base);
    const VariableRef ref = local == UINT32_MAX ? VariableRef{} : system_.Resolve(part, local);
    if (ref.variable == UINT32_MAX) continue;
    const VariableRef at{ref.variable, ref.order + info.order};
    if (IsZeroInMotion(at.variable) && !IsDefinedBy(k, at.variable)) {
      names.emplace_back(symbol, pool_.Zero());
      continue;
    }
    if (sorted_.HasSlot(at)) names.emplace_back(symbol, pool_.Symbol(SlotSymbol(sorted_.Slot(at))));
  }
  return Substitute(pool_, Tidy(Substitute(pool_, residual, names)), inner_);
}

// What only the equations of motion need: no variable that a user has seen.
bool Finder::IsInner(uint32_t variable) const {
  if (system_.IsInner(variable)) return true;
  if (variable >= system_.part_variables) return false;
  const uint32_t number = system_.PartOfVariable(variable);
  if (number >= system_.graph->components.size()) return false;
  const Part& part = system_.parts[number];
  const ScalarVariable& v = system_.scalars[part.scalar].variables[variable - part.first_variable];
  const ComponentClass& cls = system_.graph->ClassOf(*system_.model, ComponentId(part.component));
  return v.role == ScalarVariable::Role::kVariable && !cls.spatial.IsNone() &&
         cls.variables[v.index].role != VariableRole::kOutput;
}

void Finder::AddValue(SymbolId symbol, ExprId value) {
  made_of_[symbol.value] = static_cast<uint32_t>(made_.size());
  Made made;
  made.symbols = {symbol};
  made.value = value;
  made.inner = IsInner(sorted_.OfSlot(slot_of_.at(symbol.value)).variable);
  if (made.inner) {
    // Put in from here on, so that blocks are solved in what a user knows.
    if (SizeOf(pool_, value).operations > kShorten) value = made.value = Shorten(pool_, value);
    if (SizeOf(pool_, value).operations <= longest_inner_) inner_.emplace_back(symbol, value);
  }
  made_.push_back(std::move(made));
}

Finder::Held Finder::HoldTogether(std::span<const uint32_t> equations) {
  Held out;
  for (const uint32_t k : equations) {
    out.residuals.push_back(ResidualOf(k));
    const uint32_t slot = sorted_.slot_of_equation[k];
    out.unknowns.push_back(SlotSymbol(slot));
    const VariableRef ref = sorted_.OfSlot(slot);
    out.kept.push_back(ref.order > 0 && sorted_.IsState({ref.variable, ref.order - 1}));
    const SortedEquation& e = sorted_.equations[k];
    out.motion =
        out.motion || (system_.SourceOf(e.equation).part != nullptr && e.equation < system_.part_equations &&
                       system_.PartOfEquation(e.equation) >= system_.graph->components.size());
  }
  return out;
}

void Finder::AddLetter(SymbolId letter, ExprId value) {
  made_of_[letter.value] = static_cast<uint32_t>(made_.size());
  Made made;
  made.symbols = {letter};
  made.value = value;
  made_.push_back(std::move(made));
}

std::string Finder::ListOf(const std::vector<SymbolId>& symbols) const {
  constexpr size_t kMost = 6;
  std::string out;
  for (size_t k = 0; k < symbols.size() && k < kMost; ++k)
    out += (k > 0 ? ", " : "") + ("`" + sorted_.SlotName(slot_of_.at(symbols[k].value)) + "`");
  return symbols.size() > kMost ? out + " and " + std::to_string(symbols.size() - kMost) + " more" : out;
}

// Solves what is left by Cramer's rule, if it may be and is short enough.
bool Finder::AddSolved(const BlockSolution& solution, bool motion) {
  constexpr size_t kMostSolved = 4, kMostOperations = 120;
  const bool in_symbols = !motion || options_.solve_motion || solution.core.size() == 1;
  if (!solution.linear || !in_symbols || solution.core.size() > (options_.solve_motion ? 12 : kMostSolved))
    return false;
  const SymbolId letter =
      pool_.DeclareSymbol("~Delta" + (determinants_.empty() ? "" : std::to_string(determinants_.size() + 1)),
                          SymbolKind::kVariable);
  const size_t most = options_.solve_motion ? SIZE_MAX : kMostOperations;
  CoreSolution core = SolveCore(pool_, solution, most, options_.expand, pool_.Symbol(letter));
  if (core.values.empty() && options_.solve_motion && motion) {
    BlockSolution named = solution;
    if (NameEntries(&named)) core = SolveCore(pool_, named, most, options_.expand, pool_.Symbol(letter));
  }
  if (core.values.empty()) return false;
  if (!core.determinant.IsNone()) {
    determinants_.push_back(letter);
    AddLetter(letter, core.determinant);
  }
  for (size_t k = 0; k < core.values.size(); ++k) AddValue(solution.core[k], core.values[k]);
  return true;
}

// Entries that are long become letters M_12, h_1, each with a line of its own, so that Cramer's rule has
// single letters to multiply.
bool Finder::NameEntries(BlockSolution* solution) {
  const size_t n = solution->core.size();
  constexpr size_t kMost = 5;
  constexpr uint64_t kLong = 2;
  if (n > kMost) return false;
  const std::string number = named_ == 0 ? "" : std::to_string(named_ + 1) + "_";
  ++named_;
  const std::vector<std::vector<double>> m = NumbersOf(solution->matrix);
  const auto name = [&](ExprId& entry, const std::string& text) {
    entry = Shorten(pool_, entry);
    if (SizeOf(pool_, entry).operations <= kLong) return;
    const SymbolId letter = pool_.DeclareSymbol("~" + text, SymbolKind::kVariable);
    AddLetter(letter, entry);
    made_.back().kept = !options_.inline_all;
    entry = pool_.Symbol(letter);
  };
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      const bool twice = j < i && std::fabs(m[i][j] - m[j][i]) <= 1e-12 * std::fabs(m[i][j]);
      if (twice)
        solution->matrix[i][j] = solution->matrix[j][i];
      else
        name(solution->matrix[i][j], "M_" + number + std::to_string(i + 1) + std::to_string(j + 1));
    }
    name(solution->right[i], "h_" + number + std::to_string(i + 1));
  }
  return true;
}

std::string Finder::RowName(const MotionRows::Row& row, bool several) const {
  const VariableRef ref = sorted_.OfSlot(row.slot);
  if (ref.order == 0) {  // a multiplier: that of "~loop1.lambda" is loop1
    const std::string name = sorted_.SlotName(row.slot);
    return name.substr(name.starts_with("~") ? 1 : 0, name.rfind('.') - (name.starts_with("~") ? 1 : 0));
  }
  return several ? sorted_.SlotName(sorted_.Slot({ref.variable, ref.order - 1})) : ComponentOf(row.slot);
}

// M q'' + ... = Q + J' lambda and J q'' = gamma: joints in the order of the chain, each row that of its
// joint. Where something else is the state (a motor behind a gear), rows are taken by virtual work: with q''
// = B x'', those of x are B' times those of q. False: there is more in them than that.
bool Finder::SolveMotion(std::span<const uint32_t> equations, const Held& held, const MotionRows& rows,
                         BlockSolution* solution, std::vector<std::string>* names) {
  std::vector<MotionRows::Row> order = rows.motion;
  std::map<uint32_t, size_t> place;  // of a joint in its chain
  for (const auto& chain : options_.chains) {
    for (const ComponentId joint : chain) place.emplace(joint.value, place.size());
  }
  const auto place_of = [&](const MotionRows::Row& row) {
    const auto at = place.find(system_.HomeOfVariable(sorted_.OfSlot(row.slot).variable));
    return at == place.end() ? SIZE_MAX : at->second;
  };
  std::stable_sort(order.begin(), order.end(), [&](const MotionRows::Row& a, const MotionRows::Row& b) {
    return place_of(a) < place_of(b);
  });
  const size_t n = order.size();
  order.insert(order.end(), rows.conditions.begin(), rows.conditions.end());
  const size_t all = order.size();
  std::vector<bool> kept(equations.size(), false), whole(equations.size(), false);
  const auto keep = [&](uint32_t slot) {
    const auto at = std::find(held.unknowns.begin(), held.unknowns.end(), slot_symbol_[slot]);
    if (at != held.unknowns.end()) kept[static_cast<size_t>(at - held.unknowns.begin())] = true;
  };
  for (const uint32_t slot : rows.rates) keep(slot);
  for (size_t i = 0; i < all; ++i) {
    if (i >= n) keep(order[i].slot);
    whole[static_cast<size_t>(std::find(equations.begin(), equations.end(), order[i].equation) -
                              equations.begin())] = true;
  }
  const BlockSolution found = SolveBlock(pool_, held.residuals, held.unknowns, kept, {}, whole,
                                         [&](ExprId c) { return letters_.Evaluate(c) == 0; });
  if (!found.linear || found.core.size() != all) return false;
  // The joints' accelerations by those that are unknown: each of the latter belongs to the first joint that
  // it moves.
  std::vector<SymbolId> core;
  std::vector<std::vector<ExprId>> by_rate;  // B, by joint and place in found.core
  for (size_t i = 0; i < n; ++i) {
    ExprId value = pool_.Symbol(slot_symbol_[order[i].slot]);
    for (size_t k = found.solved.size(); k-- > 0;)
      value = Substitute(pool_, value, found.solved[k].first, found.solved[k].second);
    const LinearForm form = LinearCoefficients(pool_, value, found.core);
    if (!form.linear) return false;
    by_rate.push_back(form.coefficients);
    for (size_t c = 0; c < all; ++c) {
      if (pool_.IsZero(form.coefficients[c]) ||
          std::find(core.begin(), core.end(), found.core[c]) != core.end())
        continue;
      core.push_back(found.core[c]);
      break;
    }
    if (core.size() != i + 1) return false;
  }
  for (size_t i = n; i < all; ++i) core.push_back(slot_symbol_[order[i].slot]);
  std::vector<size_t> column;  // of found.core
  for (const SymbolId symbol : core) {
    column.push_back(
        static_cast<size_t>(std::find(found.core.begin(), found.core.end(), symbol) - found.core.begin()));
    if (column.back() == all) return false;
  }
  // Each joint's row as drive - inertia q'' - load, so that rows can be added.
  std::vector<std::vector<ExprId>> entries(all);
  std::vector<ExprId> rights(all);
  for (size_t i = 0; i < all; ++i) {
    const auto row =
        static_cast<size_t>(std::find_if(found.rows.begin(), found.rows.end(),
                                         [&](size_t e) { return equations[e] == order[i].equation; }) -
                            found.rows.begin());
    if (row == found.rows.size()) return false;
    const LinearForm form = LinearCoefficients(pool_, found.residuals[row], found.core);
    for (const size_t c : column) entries[i].push_back(form.coefficients[c]);
    rights[i] = pool_.Negate(form.remainder);
  }
  *solution = found;
  solution->core = core;
  for (size_t j = 0; j < all; ++j) {
    std::vector<ExprId> right;
    for (size_t c = 0; c < all; ++c) {
      std::vector<ExprId> sum;
      for (size_t i = 0; i < (j < n ? n : all); ++i) {
        const ExprId factor = j < n ? by_rate[i][column[j]] : i == j ? pool_.One() : pool_.Zero();
        if (pool_.IsZero(factor)) continue;
        sum.push_back(pool_.Multiply(factor, entries[i][c]));
        if (c == 0) right.push_back(pool_.Multiply(factor, rights[i]));
      }
      solution->matrix[j][c] = pool_.Sum(sum);
    }
    solution->right[j] = pool_.Sum(right);
  }
  for (size_t i = 0; i < all; ++i) {
    const auto of_joint = [&](const MotionRows::Row& other) {
      return ComponentOf(other.slot) == ComponentOf(order[i].slot);
    };
    names->push_back(RowName(order[i], i < n && std::count_if(order.begin(), order.end(), of_joint) > 1));
  }
  // The mass of a joint is positive; a condition has the sign with which its multiplier acts.
  const auto negate = [&](size_t i) {
    for (ExprId& entry : solution->matrix[i]) entry = pool_.Negate(entry);
    solution->right[i] = pool_.Negate(solution->right[i]);
  };
  std::vector<std::vector<double>> m = NumbersOf(solution->matrix);
  for (size_t i = 0; i < n; ++i) {
    if (!(m[i][i] < 0)) continue;
    negate(i);
    for (double& x : m[i]) x = -x;
  }
  for (size_t i = n; i < order.size(); ++i) {
    double sum = 0;
    for (size_t j = 0; j < n; ++j) sum += m[i][j] * m[j][i];
    const double sign = sum > 0 ? -1 : 1;
    if (sum > 0) negate(i);
    for (size_t j = 0; j < order.size(); ++j) {
      const double gap = j < n ? sign * m[i][j] + m[j][i] : m[i][j];
      if (!(std::fabs(gap) <= 1e-9 * (std::fabs(m[i][j]) + std::fabs(m[j][i])))) return false;
    }
  }
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (!(std::fabs(m[i][j] - m[j][i]) <= 1e-9 * (std::fabs(m[i][j]) + std::fabs(m[j][i]) + 1e-9)))
        return false;
      solution->matrix[i][j] = solution->matrix[j][i];
    }
  }
  return true;
}

// `freedoms` and `names`: of equations of motion in the order of ReadableGroup; 0: they are in none.
void Finder::AddCore(const BlockSolution& solution, bool motion, size_t freedoms,
                     const std::vector<std::string>& names) {
  Made made;
  made.symbols = solution.core;
  for (const SymbolId symbol : solution.core) {
    made_of_[symbol.value] = static_cast<uint32_t>(made_.size());
    made.group.unknowns.push_back(pool_.Symbol(symbol));
  }
  made.group.linear = solution.linear;
  made.group.is_motion = motion;
  made.group.freedoms = static_cast<uint32_t>(freedoms);
  made.group.row_names = names;
  for (size_t k = freedoms; k < solution.core.size() && freedoms > 0; ++k) {
    const uint32_t multiplier = sorted_.OfSlot(slot_of_.at(solution.core[k].value)).variable;
    for (const EquationSystem::Invariant& invariant : system_.invariants) {
      if (invariant.multiplier != multiplier || invariant.loop.empty()) continue;
      made.group.loops.push_back(invariant.loop);
      break;
    }
  }
  made.group.matrix = solution.matrix;
  made.group.right = solution.right;
  made.group.residuals = solution.residuals;
  made.group.component = ComponentOf(slot_of_.at(solution.core[0].value));
  made_.push_back(std::move(made));
}

// Mesh currents or node voltages, where they are asked for: the circuits of the chords in their currents, or
// the cut-sets of the branches in their voltages, each row with its own unknown. False: it is no such
// network.
bool Finder::AddNetwork(std::span<const uint32_t> equations, const Held& held) {
  if (options_.prefer == StateSpaceOptions::Prefer::kNothing) return false;
  const bool meshes = options_.prefer == StateSpaceOptions::Prefer::kThrough;
  std::vector<bool> kept(equations.size(), false), whole(equations.size(), false);
  std::vector<SymbolId> unknowns;
  std::vector<size_t> rows;
  for (size_t i = 0; i < equations.size(); ++i) {
    const SortedEquation& e = sorted_.equations[equations[i]];
    if (held.kept[i] || e.times > 0) return false;
    const EquationSystem::Source source = system_.SourceOf(e.equation);
    if (source.part != nullptr) continue;
    if (system_.row_kind[source.local] != (meshes ? RowKind::kCircuit : RowKind::kCutSet)) continue;
    // Across and through variable of an edge stand side by side.
    const uint32_t defined = system_.row_defined[source.local];
    const VariableRef partner{meshes ? defined + 1 : defined - 1, 0};
    if (!IsWanted(partner.variable) || !sorted_.HasSlot(partner)) continue;
    const SymbolId symbol = SlotSymbol(sorted_.Slot(partner));
    const auto at = std::find(held.unknowns.begin(), held.unknowns.end(), symbol);
    if (at == held.unknowns.end()) continue;
    kept[static_cast<size_t>(at - held.unknowns.begin())] = true;
    whole[i] = true;
    unknowns.push_back(symbol);
    rows.push_back(i);
  }
  if (unknowns.size() < 2) return false;
  const BlockSolution found = SolveBlock(pool_, held.residuals, held.unknowns, kept, {}, whole,
                                         [&](ExprId c) { return letters_.Evaluate(c) == 0; });
  if (!found.linear || found.core.size() != unknowns.size()) return false;
  BlockSolution network = found;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto row =
        static_cast<size_t>(std::find(found.rows.begin(), found.rows.end(), rows[i]) - found.rows.begin());
    if (row == found.rows.size()) return false;
    network.core[i] = unknowns[i];
    network.right[i] = found.right[row];
    network.residuals[i] = found.residuals[row];
    for (size_t j = 0; j < unknowns.size(); ++j) {
      const auto column = std::find(found.core.begin(), found.core.end(), unknowns[j]) - found.core.begin();
      network.matrix[i][j] = found.matrix[row][static_cast<size_t>(column)];
    }
  }
  const std::vector<std::vector<double>> m = NumbersOf(network.matrix);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!(m[i][i] < 0)) continue;
    for (ExprId& entry : network.matrix[i]) entry = pool_.Negate(entry);
    network.right[i] = pool_.Negate(network.right[i]);
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const double gap = std::fabs(std::fabs(m[i][j]) - std::fabs(m[j][i]));
      if (gap <= 1e-9 * std::fabs(m[i][j])) network.matrix[i][j] = network.matrix[j][i];
    }
  }
  AddCore(network, false, 0, {});
  made_.back().group.network = meshes ? "Mesh currents" : "Node voltages";
  for (const auto& [symbol, value] : network.solved) AddValue(symbol, value);
  return true;
}

// `joined`: of several blocks, to be written as M q'' = Q; false where they are more than that.
bool Finder::MakeBlock(std::span<const uint32_t> equations, bool joined) {
  constexpr size_t kMostEquations = 400;
  const Held held = HoldTogether(equations);
  if (equations.size() == 1) {
    const auto solution = SolveFor(pool_, held.residuals[0], held.unknowns[0]);
    if (solution && solution->unique) {
      AddValue(held.unknowns[0], solution->value);
      return true;
    }
  }
  BlockSolution solution;
  const bool by_cases = equations.size() > 1 && HasCases(held.residuals);
  MotionRows rows;
  if (!by_cases && equations.size() <= kMostEquations) {
    rows = FindMotionRows(sorted_, options_.chains, equations);
    std::vector<std::string> names;
    if (rows.motion.size() > 1 && SolveMotion(equations, held, rows, &solution, &names)) {
      if (!AddSolved(solution, true)) {
        if (options_.solve_motion)
          notes_.push_back("not solved for the accelerations " + ListOf(solution.core) +
                           ": that would be longer than anybody reads; they are printed as M q'' = Q");
        AddCore(solution, true, rows.motion.size(), names);
      }
      for (const auto& [symbol, value] : solution.solved) AddValue(symbol, value);
      return true;
    }
    if (joined) return false;
    if (AddNetwork(equations, held)) return true;
    std::vector<bool> wanted;
    if (options_.prefer != StateSpaceOptions::Prefer::kNothing) {
      for (const SymbolId unknown : held.unknowns)
        wanted.push_back(IsWanted(sorted_.OfSlot(slot_of_.at(unknown.value)).variable));
    }
    solution = SolveBlock(pool_, held.residuals, held.unknowns, held.kept, wanted, {},
                          [&](ExprId c) { return letters_.Evaluate(c) == 0; });
  } else {
    if (joined) return false;
    solution.core = held.unknowns;
    solution.residuals = held.residuals;
    if (by_cases && equations.size() <= kMostEquations)
      solution =
          SolveBlock(pool_, held.residuals, held.unknowns, held.kept, {}, {}, [](ExprId) { return true; });
    solution.linear = false;
  }
  if (!solution.core.empty() && !AddSolved(solution, held.motion)) {
    if (held.motion && solution.linear) OrderRows(solution);
    if (held.motion && options_.solve_motion)
      notes_.push_back("not solved for the accelerations " + ListOf(solution.core) + ": " +
                       (solution.linear ? "that would be longer than anybody reads"
                                        : "they are not linear in all of these, or depend on cases"));
    AddCore(solution, held.motion, 0, {});
  }
  for (const auto& [symbol, value] : solution.solved) AddValue(symbol, value);
  return true;
}

std::vector<ExprId> Finder::PartsOf(const Made& made) const {
  if (made.group.unknowns.empty()) return {made.value};
  std::vector<ExprId> out = made.group.linear ? made.group.right : made.group.residuals;
  for (const auto& row : made.group.matrix) out.insert(out.end(), row.begin(), row.end());
  return out;
}

void Finder::MarkNeeded(std::vector<ExprId> roots) {
  std::vector<ExprId> open = std::move(roots);
  const auto visit = [&](ExprId expr) {
    for (const SymbolId symbol : AllSymbols(pool_, expr)) {
      const auto at = made_of_.find(symbol.value);
      if (at == made_of_.end()) continue;
      Made& made = made_[at->second];
      ++made.uses;
      if (made.needed) continue;
      made.needed = true;
      for (const ExprId part : PartsOf(made)) open.push_back(part);
    }
  };
  while (!open.empty()) {
    const ExprId expr = open.back();
    open.pop_back();
    visit(expr);
  }
}

// Whether a variable gets a line of its own: only where that shortens the whole (CF.6b), or where it hides a
// case distinction or foreign code.
bool Finder::ShallBeNamed(const Made& made, ExprId value) const {
  const PrintedSize size = SizeOf(pool_, value);
  ExprOrder order;
  FindOrder(pool_, std::span(&value, 1), &order);
  const bool cases = std::any_of(order.nodes.begin(), order.nodes.end(), [&](ExprId id) {
    const Op op = pool_.op(id);
    return op == Op::kIf || op == Op::kMin || op == Op::kMax || op == Op::kCall;
  });
  if (options_.inline_all) return false;
  if (cases) return true;
  if (options_.expand) return false;
  if (made.inner) return size.operations > longest_inner_;
  const uint64_t inlined = made.uses * size.operations, named = size.operations + made.uses + 3;
  return inlined > named && size.operations > 2;
}

// Whether conditions on what is not a state decide between equations (diodes, switches): such blocks stay as
// they are, with the unknowns that conditions ask for.
bool Finder::HasCases(const std::vector<ExprId>& residuals) const {
  ExprOrder order;
  FindOrder(pool_, residuals, &order);
  for (const ExprId id : order.nodes) {
    if (pool_.op(id) != Op::kIf) continue;
    for (const SymbolId symbol : AllSymbols(pool_, pool_.operand(id, 0))) {
      const auto slot = slot_of_.find(symbol.value);
      if (slot == slot_of_.end()) continue;
      const VariableRef ref = sorted_.OfSlot(slot->second);
      if (sorted_.equation_of_slot[slot->second] != UINT32_MAX && !sorted_.IsState(ref)) return true;
    }
  }
  return false;
}

MotionLetters Finder::MotionLettersOf(const ReadableGroup& group) const {
  MotionLetters out;
  out.gravity = letters_.gravity();
  // The states whose derivatives are the unknowns.
  for (const ExprId unknown : group.unknowns) {
    const VariableRef ref = sorted_.OfSlot(slot_of_.at(pool_.SymbolOf(unknown).value));
    if (ref.order == 0 || !sorted_.IsState({ref.variable, ref.order - 1})) continue;
    out.velocities.push_back(pool_.Symbol(slot_symbol_[sorted_.Slot({ref.variable, ref.order - 1})]));
  }
  return out;
}

// At a point chosen at random, parameters as they are.
std::vector<std::vector<double>> Finder::NumbersOf(const std::vector<std::vector<ExprId>>& matrix) const {
  std::vector<std::vector<double>> m;
  Environment<double> environment;
  std::map<uint32_t, double> values;
  double next = 0.37;
  for (const std::vector<ExprId>& row : matrix) {
    m.emplace_back();
    for (const ExprId entry : row) {
      for (const SymbolId symbol : AllSymbols(pool_, entry)) {
        if (values.contains(symbol.value)) continue;
        const double letter =
            pool_.kind(symbol) == SymbolKind::kParameter ? letters_.Evaluate(pool_.Symbol(symbol)) : next;
        next = std::fmod(next * 1.618 + 0.1, 1.3);
        values[symbol.value] = letter;
        SetValue(environment, symbol, letter);
      }
      m.back().push_back(EvaluateDouble(pool_, entry, environment));
    }
  }
  return m;
}

// Row i shall be the equation of unknown i: that order of the rows, and those signs, which make the matrix
// symmetric at a point chosen at random, with a positive diagonal.
void Finder::OrderRows(BlockSolution& solution) const {
  const size_t n = solution.core.size();
  constexpr size_t kMost = 6;
  if (n < 2 || n > kMost) return;
  const std::vector<std::vector<double>> m = NumbersOf(solution.matrix);
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), size_t{0});
  do {
    bool fits = true;
    std::vector<double> sign(n);
    for (size_t i = 0; i < n; ++i) sign[i] = m[order[i]][i] < 0 ? -1 : 1;
    for (size_t i = 0; i < n && fits; ++i) {
      for (size_t j = 0; j < i && fits; ++j) {
        const double a = sign[i] * m[order[i]][j], b = sign[j] * m[order[j]][i];
        fits = std::fabs(a - b) <= 1e-9 * (std::fabs(a) + std::fabs(b) + 1e-9);
      }
    }
    if (!fits) continue;
    BlockSolution ordered = solution;
    for (size_t i = 0; i < n; ++i) {
      ordered.matrix[i] = solution.matrix[order[i]];
      ordered.right[i] = solution.right[order[i]];
      ordered.residuals[i] = solution.residuals[order[i]];
      if (sign[i] > 0) continue;
      for (ExprId& entry : ordered.matrix[i]) entry = pool_.Negate(entry);
      ordered.right[i] = pool_.Negate(ordered.right[i]);
    }
    solution = std::move(ordered);
    return;
  } while (std::next_permutation(order.begin(), order.end()));
}

// Conditions are held between events, so they may contain what is computed later: that keeps its name.
void Finder::KeepWhatComesLater(ExprId expr, size_t at) {
  for (const SymbolId symbol : AllSymbols(pool_, expr)) {
    const auto found = made_of_.find(symbol.value);
    if (found != made_of_.end() && found->second >= at) made_[found->second].kept = true;
  }
}

ExprId Finder::Finish(ExprId expr) {
  ExprId put = Substitute(pool_, expr, inlined_);
  const std::vector<Replacement>& numbers = letters_.numbers();
  if (options_.expand || !numbers.empty()) {
    // Numbers come in as decimals at the very end, so that what cancels in symbols cancels.
    FractionField field(pool_, std::span(&put, 1));
    auto fraction = field.Convert(put);
    put = Substitute(pool_, put, numbers);
    if (fraction && !numbers.empty()) fraction = field.Evaluate(*fraction, numbers);
    if (!fraction) return put;
    // Letters inside functions and conditions, too.
    if (options_.expand) return Substitute(pool_, field.Expanded(*fraction), numbers);
    const ExprId other = Substitute(pool_, field.Shortest(*fraction), numbers);
    return CostOf(pool_, other) <= CostOf(pool_, put) ? other : put;
  }
  return Shorten(pool_, put);
}

void Finder::DescribeSymbols(StateSpace& out, const std::vector<ExprId>& roots) {
  std::set<uint32_t> occurs;
  for (const ExprId root : roots) {
    for (const SymbolId symbol : AllSymbols(pool_, root)) occurs.insert(symbol.value);
  }
  std::set<uint32_t> listed;
  const auto add = [&](SymbolId symbol, Role role) {
    if (!listed.insert(symbol.value).second) return;
    ReadableSymbol s;
    s.symbol = pool_.Symbol(symbol);
    s.role = role;
    const auto found = slot_of_.find(symbol.value);
    if (found == slot_of_.end()) {  // a determinant, a base parameter: "~p_1", a name that no user has
      s.path = std::string(pool_.SymbolName(symbol)).substr(1);
      out.symbols.push_back(std::move(s));
      return;
    }
    const uint32_t slot = found->second;
    s.slot = slot;
    s.path = sorted_.SlotName(slot);
    s.component = ComponentOf(slot);
    s.unit = UnitOf(system_, sorted_.OfSlot(slot));
    out.symbols.push_back(std::move(s));
  };
  for (const VariableRef state : sorted_.states) add(SlotSymbol(sorted_.Slot(state)), Role::kState);
  for (const VariableRef input : system_.inputs) {
    for (uint32_t order = 0; sorted_.HasSlot({input.variable, input.order + order}); ++order) {
      const SymbolId symbol = SlotSymbol(sorted_.Slot({input.variable, input.order + order}));
      if (order == 0 || occurs.contains(symbol.value)) add(symbol, Role::kInput);
    }
  }
  for (const ReadableStep& step : out.steps) {
    if (!step.is_group) {
      add(pool_.SymbolOf(out.definitions[step.index].symbol), Role::kDefined);
      continue;
    }
    for (const ExprId unknown : out.groups[step.index].unknowns) add(pool_.SymbolOf(unknown), Role::kDefined);
  }
  for (const ReadableEquation& output : out.outputs) add(pool_.SymbolOf(output.symbol), Role::kDefined);
  std::vector<std::pair<uint32_t, SymbolId>> discrete;
  for (const uint32_t value : occurs) {
    const auto at = slot_of_.find(value);
    if (at != slot_of_.end() && !listed.contains(value)) discrete.emplace_back(at->second, SymbolId(value));
  }
  std::sort(discrete.begin(), discrete.end());
  for (const auto& [slot, symbol] : discrete) add(symbol, Role::kDiscrete);
  std::vector<ReadableSymbol> parameters;
  for (const ReadableSymbol& letter : letters_.letters()) {
    if (occurs.contains(pool_.SymbolOf(letter.symbol).value)) parameters.push_back(letter);
  }
  std::sort(parameters.begin(), parameters.end(), [&](const ReadableSymbol& a, const ReadableSymbol& b) {
    return pool_.CompareSymbols(pool_.SymbolOf(a.symbol), pool_.SymbolOf(b.symbol)) < 0;
  });
  out.symbols.insert(out.symbols.end(), parameters.begin(), parameters.end());
}

// Definitions that nothing reads any more, since what had them cancelled, go; all that is left is returned.
std::vector<ExprId> Finder::DropUnread(StateSpace& out) const {
  std::vector<ExprId> all;
  for (const auto* list : {&out.derivatives, &out.outputs}) {
    for (const ReadableEquation& e : *list) all.push_back(e.right);
  }
  for (const ReadableGroup& group : out.groups) {
    for (const auto* list : {&group.right, &group.coriolis, &group.gravity, &group.residuals})
      all.insert(all.end(), list->begin(), list->end());
    for (const auto& row : group.matrix) all.insert(all.end(), row.begin(), row.end());
  }
  std::set<uint32_t> read;
  for (const ReadableEquation& e : out.outputs) read.insert(pool_.SymbolOf(e.symbol).value);
  std::vector<bool> stays(out.definitions.size(), false);
  for (size_t next = 0; next < all.size(); ++next) {
    for (const SymbolId symbol : AllSymbols(pool_, all[next])) read.insert(symbol.value);
    if (next + 1 < all.size()) continue;
    for (size_t k = 0; k < out.definitions.size(); ++k) {
      if (stays[k] || !read.contains(pool_.SymbolOf(out.definitions[k].symbol).value)) continue;
      stays[k] = true;
      all.push_back(out.definitions[k].right);
    }
  }
  std::vector<ReadableStep> steps;
  std::vector<ReadableEquation> definitions;
  for (ReadableStep step : out.steps) {
    if (!step.is_group) {
      if (!stays[step.index]) continue;
      definitions.push_back(out.definitions[step.index]);
      step.index = static_cast<uint32_t>(definitions.size()) - 1;
    }
    steps.push_back(step);
  }
  out.steps = std::move(steps);
  out.definitions = std::move(definitions);
  return all;
}

StateSpace Finder::Run() {
  std::vector<uint32_t> block_of(sorted_.equations.size());
  for (size_t b = 0; b < sorted_.blocks(); ++b) {
    for (const uint32_t k : sorted_.Block(b)) block_of[k] = static_cast<uint32_t>(b);
  }
  // Solved for the accelerations, each block is shorter alone.
  const bool apart = options_.solve_motion;
  for (const std::vector<uint32_t>& equations :
       JoinMotion(sorted_, apart ? std::vector<std::vector<ComponentId>>{} : options_.chains)) {
    std::map<uint32_t, std::vector<uint32_t>> blocks;
    for (const uint32_t k : equations) blocks[block_of[k]].push_back(k);
    if (blocks.size() > 1 && MakeBlock(equations, true)) continue;
    for (const auto& [block, own] : blocks) MakeBlock(own, false);
  }
  std::vector<ExprId> roots;
  for (const VariableRef state : sorted_.states)
    roots.push_back(pool_.Symbol(SlotSymbol(sorted_.Slot({state.variable, state.order + 1}))));
  for (const VariableRef output : options_.outputs)
    roots.push_back(pool_.Symbol(SlotSymbol(sorted_.Slot(output))));
  MarkNeeded(roots);

  StateSpace out;
  for (size_t at = 0; at < made_.size(); ++at) {
    Made& made = made_[at];
    if (!made.needed) continue;
    for (const ExprId part : PartsOf(made)) KeepWhatComesLater(Substitute(pool_, part, inlined_), at);
    if (!made.group.unknowns.empty()) {
      ReadableGroup group = made.group;
      for (auto& row : group.matrix) {
        for (ExprId& entry : row) entry = Substitute(pool_, entry, inlined_);
      }
      for (ExprId& entry : group.right) entry = Substitute(pool_, entry, inlined_);
      std::vector<std::pair<SymbolId, ExprId>> base;
      if (!group.is_motion || !group.linear ||
          !SplitMotion(pool_, group, MotionLettersOf(group), letters_.numbers(), base_parameters_.size(),
                       &base)) {
        for (auto& row : group.matrix) {
          for (ExprId& entry : row) entry = Finish(entry);
        }
        for (ExprId& entry : group.right) entry = Finish(entry);
      }
      for (const auto& [symbol, value] : base) {
        base_parameters_.push_back(symbol);
        out.steps.push_back({false, static_cast<uint32_t>(out.definitions.size())});
        out.definitions.push_back({pool_.Symbol(symbol), value, group.component});
      }
      for (ExprId& entry : group.residuals) entry = Finish(entry);
      if (group.linear) group.residuals.clear();
      out.steps.push_back({true, static_cast<uint32_t>(out.groups.size())});
      out.groups.push_back(std::move(group));
      continue;
    }
    ExprId value = Substitute(pool_, made.value, inlined_);
    if (SizeOf(pool_, value).operations > kShorten) value = Finish(value);
    if (!made.kept && !ShallBeNamed(made, value)) {
      inlined_.emplace_back(made.symbols[0], value);
      continue;
    }
    value = Finish(value);
    out.steps.push_back({false, static_cast<uint32_t>(out.definitions.size())});
    const auto slot = slot_of_.find(made.symbols[0].value);
    out.definitions.push_back(
        {pool_.Symbol(made.symbols[0]), value, slot == slot_of_.end() ? "" : ComponentOf(slot->second)});
  }
  for (size_t k = 0; k < sorted_.states.size(); ++k) {
    const uint32_t slot = sorted_.Slot(sorted_.states[k]);
    out.derivatives.push_back({pool_.Symbol(SlotSymbol(slot)), Finish(roots[k]), ComponentOf(slot)});
  }
  for (size_t k = 0; k < options_.outputs.size(); ++k) {
    const uint32_t slot = sorted_.Slot(options_.outputs[k]);
    out.outputs.push_back(
        {pool_.Symbol(SlotSymbol(slot)), Finish(roots[sorted_.states.size() + k]), ComponentOf(slot)});
  }
  const std::vector<ExprId> printed = DropUnread(out);
  // An unknown that is the derivative of a state is called so.
  for (const ReadableEquation& e : out.derivatives) {
    const bool unknown = std::any_of(out.groups.begin(), out.groups.end(), [&](const ReadableGroup& g) {
      return std::find(g.unknowns.begin(), g.unknowns.end(), e.right) != g.unknowns.end();
    });
    const bool defined = std::any_of(out.definitions.begin(), out.definitions.end(),
                                     [&](const ReadableEquation& d) { return d.symbol == e.right; });
    if (unknown || defined) out.rates.emplace_back(e.right, e.symbol);
  }
  out.notes = notes_;
  out.eliminated = static_cast<uint32_t>(sorted_.equations.size() - out.definitions.size());
  DescribeSymbols(out, printed);

  out.linear = out.groups.empty() && out.definitions.empty();
  std::vector<SymbolId> unknowns;
  for (const ReadableSymbol& s : out.symbols) {
    if (s.role == Role::kState || s.role == Role::kInput) unknowns.push_back(pool_.SymbolOf(s.symbol));
  }
  const auto is_linear = [&](ExprId expr) {
    const LinearForm form = LinearCoefficients(pool_, expr, unknowns);
    if (!form.linear) return false;
    ExprOrder order;
    FindOrder(pool_, std::span(&expr, 1), &order);
    return std::none_of(order.nodes.begin(), order.nodes.end(), [&](ExprId id) {
      return pool_.op(id) == Op::kTime || pool_.op(id) == Op::kCall ||
             (pool_.IsSymbol(id) && pool_.kind(pool_.SymbolOf(id)) == SymbolKind::kVariable &&
              std::find(unknowns.begin(), unknowns.end(), pool_.SymbolOf(id)) == unknowns.end());
    });
  };
  for (const ReadableEquation& e : out.derivatives) out.linear = out.linear && is_linear(e.right);
  for (const ReadableEquation& e : out.outputs) out.linear = out.linear && is_linear(e.right);
  return out;
}

}  // namespace

const ReadableSymbol* StateSpace::Find(ExprId symbol) const {
  for (const ReadableSymbol& s : symbols) {
    if (s.symbol == symbol) return &s;
  }
  return nullptr;
}

StateSpace FindStateSpace(const SortedSystem& sorted, const StateSpaceOptions& options) {
  StateSpace out = Finder(sorted, options).Run();
  ChooseNames(out);
  return out;
}

}  // namespace cotree
