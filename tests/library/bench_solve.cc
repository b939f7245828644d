// SPDX-License-Identifier: Apache-2.0
// The solution of the equations on the test bench.
#include <algorithm>
#include <cmath>

#include "library/probe_bench.h"

namespace cotree::test {

void Probe::Bench::Solve() {
  if (is_solved_) return;
  const std::set<Scalar> found = FindUnknowns();
  const std::vector<Scalar> unknowns(found.begin(), found.end());
  if (!wired_ && unknowns.size() != rows_.size()) {
    throw std::runtime_error(use_ + ": " + std::to_string(unknowns.size()) + " unknowns for " +
                             std::to_string(rows_.size()) + " equations" + SituationText(found));
  }
  Newton newton([&](const Vector& x) { return ResidualsAt(unknowns, x); });
  bool done = false;
  for (const double start : {0.0, 1.0, 1e-2, -1.0, 300.0, 1e5}) {
    Vector x;
    for (const Scalar& s : unknowns) {
      const auto guess = guesses_.find(s);
      x.push_back(guess == guesses_.end() ? start : guess->second);
    }
    done = newton.Run(x);
    if (done || guesses_.size() >= unknowns.size()) break;
  }
  if (!done) {
    std::string text = use_ + ": Newton's method does not converge" + SituationText(found) + "  at last:\n";
    for (size_t j = 0; j < unknowns.size(); ++j)
      text += "    " + Text(unknowns[j]) + " = " + NumberText(newton.x[j]) + "\n";
    for (size_t i = 0; i < newton.last.value.size(); ++i)
      text += "    residual " + NumberText(newton.last.value[i]) + " of " + EquationText(rows_[i]) + "\n";
    if (const Elimination a(newton.last.jacobian); a.rank() < unknowns.size())
      text += "  the Jacobian is singular there: nothing moves " + Text(unknowns[a.FreeColumn()]) + "\n";
    Forget();
    throw std::runtime_error(text);
  }
  if (!wired_) ExpectDetermined(newton, unknowns, found);
  Store(unknowns, newton.x);
  if (wired_) ForgetUndetermined(newton, unknowns);
  is_solved_ = true;
}

void Probe::Bench::Store(const std::vector<Scalar>& unknowns, const Vector& x) {
  for (size_t j = 0; j < unknowns.size(); ++j) solved_[unknowns[j]] = x[j];
}

Residuals Probe::Bench::ResidualsAt(const std::vector<Scalar>& unknowns, const Vector& x) {
  Store(unknowns, x);
  Residuals r;
  for (const Row& row : rows_) {
    Vector slopes(unknowns.size(), 0);
    seeds_.clear();
    const auto sides = Sides(row);
    const double left = sides.first.value, right = sides.second.value;
    double size = std::abs(left) + std::abs(right);
    for (size_t j = 0; j < unknowns.size(); ++j) {
      if (!row.reads.contains(unknowns[j])) continue;
      seeds_ = {{unknowns[j], 1.0}};
      const auto along = Sides(row);
      slopes[j] = along.first.slope - along.second.slope;
      size += std::abs(slopes[j] * x[j]);
    }
    seeds_.clear();
    r.value.push_back(left - right);
    r.size.push_back(size);
    r.jacobian.push_back(slopes);
  }
  return r;
}

void Probe::Bench::ForgetUndetermined(const Newton& newton, const std::vector<Scalar>& unknowns) {
  if (unknowns.empty()) return;
  const Elimination a(newton.last.jacobian);
  for (size_t k = 0; k < a.FreeColumns(); ++k) {
    const Vector along = a.NullVector(k);
    double largest = 0;
    for (const double d : along) largest = std::max(largest, std::abs(d));
    for (size_t j = 0; j < along.size(); ++j) {
      if (std::abs(along[j]) > 1e-9 * largest) solved_.erase(unknowns[j]);
    }
  }
}

void Probe::Bench::ExpectDetermined(Newton& newton, const std::vector<Scalar>& unknowns,
                                    const std::set<Scalar>& found) {
  const Elimination a(newton.last.jacobian);
  if (a.rank() == unknowns.size()) return;
  const Vector along = a.NullVector();
  double length = 0, size = 0;
  for (size_t j = 0; j < along.size(); ++j) {
    length = std::max(length, std::abs(along[j]));
    size = std::max(size, std::abs(newton.x[j]));
  }
  bool changes = true;
  for (const double sign : {-1.0, 1.0}) {
    Vector there = newton.x;
    for (size_t j = 0; j < along.size(); ++j) there[j] += sign * 1e-3 * (1 + size) * along[j] / length;
    const Residuals r = ResidualsAt(unknowns, there);
    bool here = false;
    for (size_t i = 0; i < r.value.size(); ++i) here = here || !(std::abs(r.value[i]) <= 1e-13 * r.size[i]);
    changes = changes && here;
  }
  if (changes) return;
  std::vector<Scalar> free;
  for (size_t j = 0; j < along.size(); ++j) {
    if (std::abs(along[j]) > 1e-9 * length) free.push_back(unknowns[j]);
  }
  Forget();
  throw std::runtime_error(use_ + ": the equations do not determine " + ListOf(free) + SituationText(found));
}

}  // namespace cotree::test
