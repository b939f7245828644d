// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "model/class_builder.h"
#include "units/format_dimension.h"

namespace cotree {

/* Which value is to blame for a contradiction (DM.5).

A contradiction is noticed at the last of several equations, which is rarely the wrong one: with `limit = 24 A` in a controller of voltages it
is some connection far below. But a value written in a wrong unit is the only value without which all others agree. So each value that is
joined with the contradiction by unknowns is left out once; if that mends everything, and does so for one value alone, the message moves there.
It says then the same for every order of the declarations. Where two values could be wrong, the message stays where it was. */
void ClassBuilder::BlameContradictions() {
  if (contradictions_.empty() || dim_equations_.size() < tags_.size()) return;
  // Equations are together if they share an unknown.
  std::vector<uint32_t> parent(dimensions_.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const DimEquation& equation : dim_equations_) {
    for (const auto& term : equation.terms) parent[root(term.variable.value)] = root(equation.terms[0].variable.value);
  }
  for (const Contradiction& contradiction : contradictions_) {
    const uint32_t part = root(dim_equations_[contradiction.tag].terms[0].variable.value);
    std::vector<uint32_t> equations, values;
    for (uint32_t tag = 0; tag < dim_equations_.size(); ++tag) {
      if (root(dim_equations_[tag].terms[0].variable.value) != part) continue;
      equations.push_back(tag);
      if (dim_equations_[tag].is_value) values.push_back(tag);
    }
    if (values.size() > kMostBlamedValues) continue;
    std::optional<uint32_t> culprit;
    bool unique = true;
    for (const uint32_t value : values) {
      DimensionSystem rest;
      if (!AgreeWithout(value, equations, rest)) continue;
      unique = !culprit.has_value();
      culprit = value;
      if (!unique) break;
    }
    if (!culprit || !unique) continue;
    DimensionSystem rest;
    AgreeWithout(*culprit, equations, rest);
    const std::string given = DimTextIn(rest, dim_equations_[*culprit].given), wanted = DimTextIn(rest, dim_equations_[*culprit].wanted);
    if (given.empty() || wanted.empty()) continue;
    Diagnostic& report = *contradiction.report;
    report.where = tags_[*culprit].span;
    report.message = FormatMessage(report.info->message, {tags_[*culprit].text, given, wanted});
    report.others.clear();
    if (*culprit != contradiction.tag) report.Also(tags_[contradiction.tag].span, "does not fit together with this");
  }
}

// Puts all equations but one into a new system; false if they contradict each other.
bool ClassBuilder::AgreeWithout(uint32_t left_out, const std::vector<uint32_t>& equations, DimensionSystem& system) const {
  while (system.size() < dimensions_.size()) system.AddVariable();
  for (const uint32_t tag : equations) {
    if (tag == left_out) continue;
    const auto outcome = system.AddEquation(dim_equations_[tag].terms, dim_equations_[tag].constant, tag);
    if (outcome.status == DimensionSystem::Status::kContradiction) return false;
  }
  return true;
}

// A dimension in the words of people, by what a system knows; empty if it does not know all of it.
std::string ClassBuilder::DimTextIn(DimensionSystem& system, const DimExpr& dim) const {
  DimensionVector value = dim.constant;
  for (const auto& term : dim.terms) {
    const auto found = system.FindValue(term.variable);
    const auto power = found ? Power(*found, term.exponent) : std::nullopt;
    const auto product = power ? Multiply(value, *power) : std::nullopt;
    if (!product) return {};
    value = *product;
  }
  if (value.IsOne()) return "1 (a pure number)";
  return FormatDimension(value, [&](GenericId id) { return builder_.NameText(cls_->generics[id.index()]); });
}

}  // namespace cotree
