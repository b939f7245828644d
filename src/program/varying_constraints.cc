// SPDX-License-Identifier: Apache-2.0
#include "program/varying_constraints.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "expr/dependence.h"
#include "expr/solve.h"

namespace cotree {
namespace {

/* Whether a single equation is solved for its unknown by dividing by what moves. */
class SolvedForms {
 public:
  explicit SolvedForms(const SortedSystem& sorted)
      : sorted_(sorted), pool_(sorted.system->model->expressions) {}

  bool Varies(uint32_t k) {
    const SortedEquation& e = sorted_.equations[k];
    const EquationSystem::Source source = sorted_.system->SourceOf(e.equation);
    if (source.part == nullptr) return false;  // a sum
    const Part& part = *source.part;
    const DerivedEquation& derived = sorted_.derived->Get(part.scalar, source.local, e.times);
    for (const ScalarUse& use : derived.uses) {
      const VariableRef ref = sorted_.system->Resolve(part, use.variable);
      const VariableRef at{ref.variable, ref.order + use.order};
      if (!sorted_.HasSlot(at) || sorted_.Slot(at) != sorted_.slot_of_equation[k]) continue;
      const auto [known, fresh] =
          varies_.try_emplace({part.scalar, source.local, e.times, use.variable, use.order}, false);
      if (fresh) known->second = Varies(derived.residual, part.scalar, use);
      return known->second;
    }
    return false;
  }

 private:
  bool Varies(ExprId residual, uint32_t scalar, const ScalarUse& use) {
    const SymbolId symbol = pool_.SymbolOfOrder(
        sorted_.system->scalars[scalar].variables[use.variable].symbol, static_cast<int>(use.order));
    const auto solution = SolveFor(pool_, residual, symbol);
    if (!solution) return true;
    return !std::all_of(solution->conditions.begin(), solution->conditions.end(),
                        [&](const SolveCondition& c) { return IsOfParameters(pool_, c.expr); });
  }

  const SortedSystem& sorted_;
  ExprPool& pool_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>, bool> varies_;
};

}  // namespace

std::vector<uint32_t> FindVaryingConstraints(const Program& program) {
  const SortedSystem& sorted = *program.sorted;
  SolvedForms forms(sorted);
  std::vector<uint32_t> out;
  for (uint32_t b = 0; b < sorted.blocks(); ++b) {
    const BlockKind kind = program.kind_of_block[b];
    if (kind == BlockKind::kLinearConstant || kind == BlockKind::kSum || kind == BlockKind::kSoftware)
      continue;
    for (const uint32_t k : sorted.Block(b)) {
      const SortedEquation& e = sorted.equations[k];
      if (e.times >= sorted.offsets.equation[e.equation]) continue;
      if (kind != BlockKind::kExplicit || forms.Varies(k)) out.push_back(e.equation);
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  for (const EquationSystem::KeptConstraint& kept : sorted.system->kept_constraints)
    std::erase(out, kept.equation);
  return out;
}

}  // namespace cotree
