// SPDX-License-Identifier: Apache-2.0
// Small dense systems of equations on the test bench, behind probe.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace cotree::test {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

/** Gaussian elimination with full pivoting of a matrix whose rows and columns were scaled before. */
class Elimination {
 public:
  explicit Elimination(Matrix a)
      : a_(std::move(a)), rows_(a_.size()), columns_(rows_ == 0 ? 0 : a_[0].size()) {
    Scale();
    row_.resize(rows_);
    column_.resize(columns_);
    for (size_t i = 0; i < rows_; ++i) row_[i] = i;
    for (size_t j = 0; j < columns_; ++j) column_[j] = j;
    while (rank_ < std::min(rows_, columns_) && Eliminate()) ++rank_;
  }

  size_t rank() const { return rank_; }

  /// A solution of A x = b; where the matrix is singular the columns left over are 0, and `consistent` (if
  /// given) says whether the rows left over hold too.
  Vector Solve(Vector b, bool* consistent = nullptr) const {
    double largest = 0;
    for (size_t i = 0; i < rows_; ++i) {
      b[i] *= row_scale_[i];
      largest = std::max(largest, std::abs(b[i]));
    }
    for (size_t k = 0; k < rank_; ++k) {
      for (size_t i = k + 1; i < rows_; ++i) b[row_[i]] -= a_[row_[i]][column_[k]] * b[row_[k]];
    }
    if (consistent != nullptr) {
      *consistent = true;
      for (size_t i = rank_; i < rows_; ++i)
        *consistent = *consistent && std::abs(b[row_[i]]) <= 1e-9 * largest;
    }
    return BackSubstitute(b, columns_);
  }

  /// A vector of the null space of a singular matrix: the k-th column left over moves, the other ones do not.
  Vector NullVector(size_t k = 0) const {
    Vector b(rows_, 0);
    for (size_t i = 0; i < rank_; ++i) b[row_[i]] = -a_[row_[i]][column_[rank_ + k]];
    return BackSubstitute(b, rank_ + k);
  }
  size_t FreeColumns() const { return columns_ - rank_; }
  size_t FreeColumn() const { return column_[rank_]; }

 private:
  // Powers of two, so that nothing is rounded.
  void Scale() {
    row_scale_.assign(rows_, 1);
    column_scale_.assign(columns_, 1);
    const auto power = [](double largest) {
      return largest > 0 && std::isfinite(largest) ? std::ldexp(1.0, -std::ilogb(largest)) : 1.0;
    };
    for (int round = 0; round < 4; ++round) {
      for (size_t j = 0; j < columns_; ++j) {
        double largest = 0;
        for (size_t i = 0; i < rows_; ++i) largest = std::max(largest, std::abs(a_[i][j]));
        const double s = power(largest);
        column_scale_[j] *= s;
        for (size_t i = 0; i < rows_; ++i) a_[i][j] *= s;
      }
      for (size_t i = 0; i < rows_; ++i) {
        double largest = 0;
        for (size_t j = 0; j < columns_; ++j) largest = std::max(largest, std::abs(a_[i][j]));
        const double s = power(largest);
        row_scale_[i] *= s;
        for (size_t j = 0; j < columns_; ++j) a_[i][j] *= s;
      }
    }
  }

  // One step; false where nothing is left but zeros.
  bool Eliminate() {
    size_t best_row = rank_, best_column = rank_;
    double best = 0;
    for (size_t i = rank_; i < rows_; ++i) {
      for (size_t j = rank_; j < columns_; ++j) {
        const double size = std::abs(a_[row_[i]][column_[j]]);
        if (size > best) {
          best = size;
          best_row = i;
          best_column = j;
        }
      }
    }
    if (!(best > 1e-14)) return false;
    std::swap(row_[rank_], row_[best_row]);
    std::swap(column_[rank_], column_[best_column]);
    const Vector& pivot = a_[row_[rank_]];
    for (size_t i = rank_ + 1; i < rows_; ++i) {
      Vector& row = a_[row_[i]];
      const double factor = row[column_[rank_]] / pivot[column_[rank_]];
      for (size_t j = rank_ + 1; j < columns_; ++j) row[column_[j]] -= factor * pivot[column_[j]];
      row[column_[rank_]] = factor;
    }
    return true;
  }

  Vector BackSubstitute(const Vector& b, size_t free) const {
    Vector x(columns_, 0);
    if (free < columns_ && rank_ < columns_) x[column_[free]] = column_scale_[column_[free]];
    for (size_t k = rank_; k-- > 0;) {
      double sum = b[row_[k]];
      for (size_t j = k + 1; j < rank_; ++j)
        sum -= a_[row_[k]][column_[j]] * x[column_[j]] / column_scale_[column_[j]];
      x[column_[k]] = sum / a_[row_[k]][column_[k]] * column_scale_[column_[k]];
    }
    return x;
  }

  Matrix a_;
  size_t rows_, columns_, rank_ = 0;
  std::vector<size_t> row_, column_;  // in the order of the pivots
  Vector row_scale_, column_scale_;
};

/** Residuals at a point, the size of what they are the difference of, and their derivatives. */
struct Residuals {
  Vector value, size;
  Matrix jacobian;
};

/** Newton's method, damped as long as the next simplified step is not shorter (Deuflhard, Newton Methods for
Nonlinear Problems, §3.3). Converged where every residual is rounding, or the step is; then a few steps more.
*/
class Newton {
 public:
  using Function = std::function<Residuals(const Vector&)>;
  explicit Newton(Function f) : f_(std::move(f)) {}

  bool Run(Vector start) {
    x = std::move(start);
    for (int iteration = 0; iteration < 150; ++iteration) {
      last = f_(x);
      if (!Finite(last)) return false;
      const Elimination a(last.jacobian);
      const Vector step = a.Solve(Negative(last.value));
      if (Rounding(last) || (Small(step) && a.rank() == x.size())) return Polish();
      if (Small(step)) return false;  // nothing moves, and yet it is no solution
      if (!Advance(a, step)) return false;
    }
    return false;
  }

  Vector x;
  Residuals last;

 private:
  static Vector Negative(Vector v) {
    for (double& value : v) value = -value;
    return v;
  }
  static bool Finite(const Residuals& r) {
    for (size_t i = 0; i < r.value.size(); ++i) {
      if (!std::isfinite(r.value[i])) return false;
      for (const double d : r.jacobian[i]) {
        if (!std::isfinite(d)) return false;
      }
    }
    return true;
  }
  bool Rounding(const Residuals& r) const {
    for (size_t i = 0; i < r.value.size(); ++i) {
      if (std::abs(r.value[i]) > 2e-15 * r.size[i]) return false;
    }
    return true;
  }
  bool Small(const Vector& step) const {
    for (size_t j = 0; j < step.size(); ++j) {
      if (!(std::abs(step[j]) <= 1e-13 * std::abs(x[j]))) return false;
    }
    return true;
  }
  // Steps measured by the size of x, or of the step where that is larger.
  static double Norm(const Vector& v, const Vector& weight) {
    double sum = 0;
    for (size_t j = 0; j < v.size(); ++j) sum += weight[j] == 0 ? 0 : v[j] / weight[j] * (v[j] / weight[j]);
    return std::sqrt(sum);
  }
  Vector Moved(const Vector& step, double factor) const {
    Vector next = x;
    for (size_t j = 0; j < x.size(); ++j) next[j] += factor * step[j];
    return next;
  }

  bool Advance(const Elimination& a, const Vector& step) {
    Vector weight(x.size());
    for (size_t j = 0; j < x.size(); ++j) weight[j] = std::max(std::abs(x[j]), std::abs(step[j]));
    const double length = Norm(step, weight);
    Vector fallback;
    for (double factor = 1; factor > 1e-12; factor /= 2) {
      const Vector next = Moved(step, factor);
      const Residuals there = f_(next);
      if (!Finite(there)) continue;
      if (fallback.empty()) fallback = next;
      if (Norm(a.Solve(Negative(there.value)), weight) <= (1 - factor / 4) * length) {
        x = next;
        return true;
      }
    }
    if (fallback.empty()) return false;
    x = fallback;
    return true;
  }

  // Further full steps as long as they get shorter.
  bool Polish() {
    double shortest = INFINITY;
    for (int k = 0; k < 4; ++k) {
      const Residuals here = f_(x);
      if (!Finite(here)) return false;
      const Vector step = Elimination(here.jacobian).Solve(Negative(here.value));
      double length = 0;
      for (size_t j = 0; j < x.size(); ++j) length = std::max(length, std::abs(step[j]));
      if (!(length < shortest)) break;
      shortest = length;
      x = Moved(step, 1);
    }
    last = f_(x);
    return Finite(last);
  }

  Function f_;
};

}  // namespace cotree::test
