// SPDX-License-Identifier: Apache-2.0
// What is read from the solution on the test bench: energy, loss, power, rates, clauses.
#include <algorithm>
#include <iterator>

#include "library/probe_bench.h"

namespace cotree::test {

std::vector<std::pair<ExprId, Scope>> Probe::Bench::Declarations(bool energy) const {
  if (!DeclaresEither()) throw std::runtime_error(use_ + " declares neither energy nor loss");
  std::vector<std::pair<ExprId, Scope>> found;
  for (const Part& part : parts_) {
    const ExprId e = energy ? part.cls->energy : part.cls->loss;
    if (!e.IsNone()) found.push_back({e, {part, {}}});
  }
  return found;
}

bool Probe::Bench::DeclaresEither() const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const Part& p) { return !p.cls->energy.IsNone() || !p.cls->loss.IsNone(); });
}

double Probe::Bench::Declared(bool energy) {
  double sum = 0;
  for (const auto& [expression, scope] : Declarations(energy))
    sum += WithValues([&, e = expression, at = scope] { return evaluator_.Evaluate(e, at).value; });
  return sum;
}

std::vector<double> Probe::Bench::EdgePowers() {
  std::vector<double> powers;
  const auto add = [&](const std::string& path, const std::vector<int>& at, DomainId domain) {
    powers.push_back(WithValues([&] { return PowerOf(path, at, domain); }));
  };
  for (const Network::End& end : network_.outer()) add(end.path, end.indices, network_.DomainOf(end));
  if (wired_) return powers;
  for (const Edge& edge : part_.cls->edges) {
    for (const std::vector<int>& at : Network::Elements(evaluator_.Sizes(edge.shape, {part_, {}})))
      add(part_.prefix + model_.Text(edge.name), at, edge.domain);
  }
  return powers;
}

double Probe::Bench::PowerOf(const std::string& path, const std::vector<int>& at, DomainId domain) {
  Scope scope{part_, {}};
  scope.part.prefix = path + ".";
  scope.part.indices = at;
  return evaluator_.Evaluate(model_.domains[domain.index()].power, scope).value;
}

std::optional<double> Probe::Bench::RateIfKnown(Scalar s) {
  if (s.path == "time") return 1;
  if (s.before || IsDiscrete(s)) return 0;
  ++s.order;
  try {
    return Read(s).value;
  } catch (const NoValue&) {
    return std::nullopt;
  }
}

bool Probe::Bench::IsDiscrete(const Scalar& s) {
  for (const Part& part : parts_) {
    for (const Variable& v : part.cls->variables) {
      if (part.prefix + model_.Text(v.name) == s.path) return v.discrete || v.type.base != BaseType::kReal;
    }
  }
  return false;
}

double Probe::Bench::RateOf(ExprId f, const Scope& scope) {
  std::set<Scalar> reads;
  FindReads(f, scope, {}, reads);
  double rate = 0;
  std::map<Scalar, double> open;
  for (const Scalar& s : reads) {
    const double slope = DerivativeAlong(s, [&] { return evaluator_.Evaluate(f, scope).slope; });
    if (slope == 0) continue;
    if (const auto known = RateIfKnown(s))
      rate += slope * *known;
    else
      open[s] = slope;
  }
  if (open.empty()) return rate;
  if (!is_solved_) {
    Solve();
    return RateOf(f, scope);
  }
  std::set<Scalar> unknown;
  for (const auto& [s, slope] : open) unknown.insert(s);
  for (const Row& row : rows_) {
    for (const Scalar& s : row.reads) {
      if (!RateIfKnown(s)) unknown.insert(s);
    }
  }
  Matrix transposed(unknown.size(), Vector(rows_.size(), 0));
  Vector known_part(rows_.size(), 0), wanted;
  for (const Scalar& s : unknown) wanted.push_back(open.contains(s) ? open[s] : 0);
  for (size_t i = 0; i < rows_.size(); ++i) {
    for (const Scalar& s : rows_[i].reads) {
      const double slope = DerivativeAlong(s, [&] {
        const auto sides = Sides(rows_[i]);
        return sides.first.slope - sides.second.slope;
      });
      if (const auto known = RateIfKnown(s)) {
        if (slope != 0) known_part[i] += slope * *known;
      } else {
        transposed[static_cast<size_t>(std::distance(unknown.begin(), unknown.find(s)))][i] = slope;
      }
    }
  }
  bool consistent = true;
  const Vector combination = Elimination(transposed).Solve(wanted, &consistent);
  if (!consistent) {
    std::set<Scalar> missing;
    for (const auto& [s, slope] : open) missing.insert({s.path, s.order + 1, s.indices, false});
    throw std::runtime_error(use_ + ": d(energy)/dt needs " + ListOf(missing) + ", so set what gives it\n" +
                             ValuesText());
  }
  for (size_t i = 0; i < rows_.size(); ++i) rate -= combination[i] * known_part[i];
  return rate;
}

const std::pair<const WhenClause*, Scope>& Probe::Bench::Clause(size_t k) const {
  if (k >= whens_.size())
    throw std::runtime_error(use_ + " has " + std::to_string(whens_.size()) + " when clauses; there is no " +
                             std::to_string(k) + " (they count from 0)");
  return whens_[k];
}

}  // namespace cotree::test
