// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <numeric>

#include "model/class_builder.h"
#include "units/format_dimension.h"

namespace cotree {

/* Which value is to blame for a contradiction (DM.7). The message moves to the one value without which all
others agree; it is then the same for every order of the declarations. Where no value or more than one could
be wrong, it stays where the contradiction was noticed. */
void ClassBuilder::BlameContradictions() {
  if (contradictions_.empty() || dim_equations_.size() < tags_.size()) return;
  // Equations that share an unknown make a part; the unknowns of a part are numbered from 0, so that a trial
  // costs no more than its part.
  std::vector<uint32_t> parent(dimensions_.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const DimEquation& equation : dim_equations_) {
    for (const auto& term : equation.terms)
      parent[root(term.variable.value)] = root(equation.terms[0].variable.value);
  }
  std::map<uint32_t, BlamedPart> parts;
  for (const Contradiction& contradiction : contradictions_)
    parts[root(dim_equations_[contradiction.tag].terms[0].variable.value)];
  std::vector<uint32_t> number(dimensions_.size());
  for (uint32_t v = 0; v < number.size(); ++v) {
    if (const auto part = parts.find(root(v)); part != parts.end()) number[v] = part->second.unknowns++;
  }
  for (uint32_t tag = 0; tag < dim_equations_.size(); ++tag) {
    DimEquation& equation = dim_equations_[tag];
    const auto part = parts.find(root(equation.terms[0].variable.value));
    if (part == parts.end()) continue;
    for (DimExpr* side : {&equation.wanted, &equation.given}) {
      for (auto& term : side->terms) term.variable = DimVarId(number[term.variable.index()]);
    }
    part->second.tags.push_back(tag);
  }
  for (auto& [first, part] : parts) FindCulprit(part, number);
  for (const Contradiction& contradiction : contradictions_) {
    const BlamedPart& part = parts.at(root(dim_equations_[contradiction.tag].terms[0].variable.value));
    if (!part.culprit) continue;
    const Tag& culprit = tags_[*part.culprit];
    Diagnostic& report = *contradiction.report;
    report.where = tree_->SpanOf(culprit.node);
    report.message = FormatMessage(report.info->message, {TagText(culprit), part.given, part.wanted});
    report.others.clear();
    if (*part.culprit != contradiction.tag)
      report.Also(tree_->SpanOf(tags_[contradiction.tag].node), "does not fit together with this");
  }
}

void ClassBuilder::FindCulprit(BlamedPart& part, const std::vector<uint32_t>& number) {
  std::vector<uint32_t> values;
  for (const uint32_t tag : part.tags) {
    if (dim_equations_[tag].is_value) values.push_back(tag);
  }
  if (values.size() * part.tags.size() > kMostBlameWork) return;
  // The equations but one, in a system of their own; false if they contradict each other.
  const auto agree_without = [&](uint32_t left_out, DimensionSystem& system) {
    for (uint32_t v = 0; v < part.unknowns; ++v) system.AddVariable();
    for (const uint32_t tag : part.tags) {
      if (tag == left_out) continue;
      std::vector<DimensionSystem::Term> terms = dim_equations_[tag].terms;
      for (auto& term : terms) term.variable = DimVarId(number[term.variable.index()]);
      if (system.AddEquation(terms, dim_equations_[tag].constant, tag).status ==
          DimensionSystem::Status::kContradiction)
        return false;
    }
    return true;
  };
  // A dimension by what the others say of it; empty if they do not say all.
  const auto text_in = [&](DimensionSystem& system, const DimExpr& dim) -> std::string {
    DimensionVector value = dim.constant;
    for (const auto& term : dim.terms) {
      const auto found = system.FindValue(term.variable);
      const auto power = found ? Power(*found, term.exponent) : std::nullopt;
      const auto product = power ? Multiply(value, *power) : std::nullopt;
      if (!product) return {};
      value = *product;
    }
    if (value.IsOne()) return "1 (a pure number)";
    return FormatDimension(value,
                           [&](GenericId id) { return builder_.NameText(cls_->generics[id.index()]); });
  };
  for (const uint32_t tag : values) {
    DimensionSystem others;
    if (!agree_without(tag, others)) continue;
    if (part.culprit) {
      part.culprit.reset();  // either could be wrong
      return;
    }
    part.given = text_in(others, dim_equations_[tag].given);
    part.wanted = text_in(others, dim_equations_[tag].wanted);
    if (part.given.empty() || part.wanted.empty()) return;
    part.culprit = tag;
  }
}

}  // namespace cotree
