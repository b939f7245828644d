// SPDX-License-Identifier: Apache-2.0
#include "program/linear_solver.h"

#include <klu.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "program/frontal_solver.h"

namespace cotree {

/* KLU wants compressed columns; places_ says where each value goes. */
struct LinearSolver::Sparse {
  std::vector<int> first, rows;
  std::vector<size_t> places;
  std::vector<double> values;
  klu_common common{};
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;
  std::unique_ptr<FrontalSolver> frontal;  // where there is much fill
  bool by_fronts = false;                  // the last factors

  // Fronts need a pattern that is nearly symmetric.
  bool HasMuchFill() const {
    constexpr double kMuch = 14;  // entries of L in a column
    return symbolic != nullptr && symbolic->symmetry > 0.9 && symbolic->lnz > kMuch * symbolic->n;
  }
  ~Sparse() {
    if (numeric != nullptr) klu_free_numeric(&numeric, &common);
    if (symbolic != nullptr) klu_free_symbolic(&symbolic, &common);
  }
};

/* A = L Q with orthonormal rows Q, by Gram and Schmidt: of the rows left the largest is next; what is left
when all are below 1e-12 are combinations of those taken. The solution of least size lies in the rows:

  L y = b (by the rows taken),  x = Q' y.

The emitted C has the same (4_blocks.c). */
struct LinearSolver::LeastNorm {
  size_t size;
  std::vector<double> rows, factors, scale;  // Q in the rows taken; L
  std::vector<uint32_t> taken;

  double Dot(uint32_t a, uint32_t b) const {
    double sum = 0;
    for (size_t k = 0; k < size; ++k) sum += rows[a * size + k] * rows[b * size + k];
    return sum;
  }
  // What row r has of q goes to L.
  void Project(uint32_t r, uint32_t q, size_t place) {
    const double part = Dot(r, q);
    factors[r * size + place] += part;
    for (size_t k = 0; k < size; ++k) rows[r * size + k] -= part * rows[q * size + k];
  }
  void Factor() {
    const size_t n = size;
    scale.assign(n, 1);
    factors.assign(n * n, 0);
    for (size_t r = 0; r < n; ++r) {
      double largest = 0;
      for (size_t k = 0; k < n; ++k) largest = std::max(largest, std::fabs(rows[r * n + k]));
      if (largest > 0) scale[r] = std::ldexp(1.0, -std::ilogb(largest));
      for (size_t k = 0; k < n; ++k) rows[r * n + k] *= scale[r];
    }
    std::vector<uint32_t> left(n);
    std::iota(left.begin(), left.end(), 0u);
    while (!left.empty()) {
      size_t next = 0;
      double largest = 0;
      for (size_t i = 0; i < left.size(); ++i) {
        const double square = Dot(left[i], left[i]);
        if (!(square > largest)) continue;
        largest = square;
        next = i;
      }
      if (!(largest > 1e-24)) return;
      const uint32_t row = left[next];
      left.erase(left.begin() + static_cast<ptrdiff_t>(next));
      for (size_t k = 0; k < taken.size(); ++k) Project(row, taken[k], k);  // once more, against rounding
      const double length = std::sqrt(Dot(row, row));
      factors[row * n + taken.size()] = length;
      for (size_t k = 0; k < n; ++k) rows[row * n + k] /= length;
      for (const uint32_t r : left) Project(r, row, taken.size());
      taken.push_back(row);
    }
  }
  void Solve(std::span<double> right) const {
    const size_t n = size;
    std::vector<double> y(taken.size());
    for (size_t k = 0; k < taken.size(); ++k) {
      double sum = right[taken[k]] * scale[taken[k]];
      for (size_t c = 0; c < k; ++c) sum -= factors[taken[k] * n + c] * y[c];
      y[k] = sum / factors[taken[k] * n + k];
    }
    std::fill(right.begin(), right.end(), 0.0);
    AddRows(y, right);
  }
  // x += Q' y.
  void AddRows(std::span<const double> y, std::span<double> x) const {
    for (size_t k = 0; k < taken.size(); ++k) {
      for (size_t c = 0; c < size; ++c) x[c] += rows[taken[k] * size + c] * y[k];
    }
  }
  // x := Q' Q x.
  void KeepRowSpace(std::span<double> x) const {
    std::vector<double> y(taken.size(), 0);
    for (size_t k = 0; k < taken.size(); ++k) {
      for (size_t c = 0; c < size; ++c) y[k] += rows[taken[k] * size + c] * x[c];
    }
    std::fill(x.begin(), x.end(), 0.0);
    AddRows(y, x);
  }
};

LinearSolver::LinearSolver(LinearSolver&&) noexcept = default;
LinearSolver::~LinearSolver() = default;

LinearSolver::LinearSolver(size_t size, std::span<const std::vector<uint32_t>> rows) : size_(size) {
  for (uint32_t r = 0; r < rows.size(); ++r) {
    for (const uint32_t c : rows[r]) {
      row_.push_back(r);
      column_.push_back(c);
    }
  }
  if (size <= kDense) {
    lu_.resize(size * size);
    order_.resize(size);
    return;
  }
  sparse_ = std::make_unique<Sparse>();
  std::vector<size_t> order(row_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return column_[a] != column_[b] ? column_[a] < column_[b]
           : row_[a] != row_[b]     ? row_[a] < row_[b]
                                    : a < b;
  });
  sparse_->first.assign(size + 1, 0);
  sparse_->places.resize(row_.size());
  for (size_t k = 0; k < order.size(); ++k) {
    const size_t at = order[k];
    const bool again = k > 0 && row_[order[k - 1]] == row_[at] && column_[order[k - 1]] == column_[at];
    if (!again) {
      sparse_->rows.push_back(static_cast<int>(row_[at]));
      ++sparse_->first[column_[at] + 1];
    }
    sparse_->places[at] = sparse_->rows.size() - 1;
  }
  for (size_t c = 0; c < size; ++c) sparse_->first[c + 1] += sparse_->first[c];
  sparse_->values.resize(sparse_->rows.size());
  klu_defaults(&sparse_->common);
  sparse_->common.scale = 2;
  sparse_->symbolic =
      klu_analyze(static_cast<int>(size), sparse_->first.data(), sparse_->rows.data(), &sparse_->common);
}

LinearSolver::LinearSolver(std::vector<int> first, std::vector<int> rows) : size_(first.size() - 1) {
  sparse_ = std::make_unique<Sparse>();
  sparse_->first = std::move(first);
  sparse_->rows = std::move(rows);
  klu_defaults(&sparse_->common);
  sparse_->common.scale = 2;
  sparse_->symbolic =
      klu_analyze(static_cast<int>(size_), sparse_->first.data(), sparse_->rows.data(), &sparse_->common);
  if (sparse_->HasMuchFill())
    sparse_->frontal = std::make_unique<FrontalSolver>(sparse_->first, sparse_->rows, sparse_->symbolic->Q);
}

bool LinearSolver::has_much_fill() const {
  return sparse_ != nullptr && sparse_->frontal != nullptr;
}

bool LinearSolver::FactorColumns(std::span<const double> values) {
  Sparse& s = *sparse_;
  s.by_fronts = s.frontal != nullptr && s.frontal->Factor(values.data());
  return factored_ = s.by_fronts || FactorKlu(values.data());
}

bool LinearSolver::FactorLeastNorm(std::span<const double> values) {
  constexpr size_t kLargest = 300;
  if (size_ > kLargest) return false;
  LeastNorm least{size_, std::vector<double>(size_ * size_, 0), {}, {}, {}};
  for (size_t k = 0; k < values.size(); ++k) least.rows[row_[k] * size_ + column_[k]] += values[k];
  for (const double x : least.rows) {
    if (!std::isfinite(x)) return false;
  }
  least.Factor();
  least_norm_ = std::make_unique<LeastNorm>(std::move(least));
  factored_ = true;
  return true;
}

size_t LinearSolver::free_unknowns() const {
  return least_norm_ != nullptr ? size_ - least_norm_->taken.size() : 0;
}

bool LinearSolver::Determines(size_t column) const {
  if (least_norm_ == nullptr) return factored_;
  double square = 0;  // of its unit vector's part in the rows
  for (const uint32_t r : least_norm_->taken)
    square += least_norm_->rows[r * size_ + column] * least_norm_->rows[r * size_ + column];
  return square > 1 - 1e-9;
}

void LinearSolver::MakeLeast(std::span<double> solution) const {
  if (least_norm_ != nullptr) least_norm_->KeepRowSpace(solution);
}

bool LinearSolver::Factor(std::span<const double> values) {
  least_norm_.reset();
  factored_ = sparse_ ? FactorSparse(values) : FactorDense(values);
  return factored_;
}

bool LinearSolver::FactorDense(std::span<const double> values) {
  const size_t n = size_;
  std::fill(lu_.begin(), lu_.end(), 0.0);
  for (size_t k = 0; k < values.size(); ++k) lu_[row_[k] * n + column_[k]] += values[k];
  scale_.assign(n, 0);
  scratch_.assign(n, 0);
  std::vector<double>& column = scratch_;
  for (size_t r = 0; r < n; ++r) {
    for (size_t c = 0; c < n; ++c) scale_[r] = std::max(scale_[r], std::fabs(lu_[r * n + c]));
    if (!(scale_[r] > 0) || !std::isfinite(scale_[r])) {
      smallest_pivot_ = 0;
      return false;
    }
    // A power of two: scaling changes no bit of the result.
    scale_[r] = std::ldexp(1.0, -std::ilogb(scale_[r]));
    for (size_t c = 0; c < n; ++c) {
      lu_[r * n + c] *= scale_[r];
      column[c] = std::max(column[c], std::fabs(lu_[r * n + c]));
    }
  }
  std::iota(order_.begin(), order_.end(), 0u);
  smallest_pivot_ = 1;
  for (size_t k = 0; k < n; ++k) {
    size_t pivot = k;
    for (size_t r = k + 1; r < n; ++r) {
      if (std::fabs(lu_[order_[r] * n + k]) > std::fabs(lu_[order_[pivot] * n + k])) pivot = r;
    }
    std::swap(order_[k], order_[pivot]);
    const double value = lu_[order_[k] * n + k];
    const double relative = column[k] > 0 ? std::fabs(value) / column[k] : 0;
    if (!(relative >= smallest_pivot_)) {
      smallest_pivot_ = relative;
      weak_column_ = k;
    }
    if (!(relative > 1e-14)) return false;
    for (size_t r = k + 1; r < n; ++r) {
      double* row = &lu_[order_[r] * n];
      if (row[k] == 0) continue;
      const double factor = row[k] / value;
      row[k] = factor;
      for (size_t c = k + 1; c < n; ++c) row[c] -= factor * lu_[order_[k] * n + c];
    }
  }
  return true;
}

void LinearSolver::Forget() {
  factored_ = false;
  if (sparse_ != nullptr && sparse_->numeric != nullptr)
    klu_free_numeric(&sparse_->numeric, &sparse_->common);
}

bool LinearSolver::FactorSparse(std::span<const double> values) {
  Sparse& s = *sparse_;
  std::fill(s.values.begin(), s.values.end(), 0.0);
  for (size_t k = 0; k < values.size(); ++k) s.values[s.places[k]] += values[k];
  return FactorKlu(s.values.data());
}

bool LinearSolver::FactorKlu(const double* given) {
  Sparse& s = *sparse_;
  if (s.symbolic == nullptr) return false;
  auto* values = const_cast<double*>(given);  // KLU only reads them
  // Old pivots are kept while they are good enough; klu_refactor itself does not see when they are not.
  if (s.numeric != nullptr &&
      klu_refactor(s.first.data(), s.rows.data(), values, s.symbolic, s.numeric, &s.common) != 0 &&
      klu_rgrowth(s.first.data(), s.rows.data(), values, s.symbolic, s.numeric, &s.common) != 0 &&
      s.common.rgrowth > 1e-6) {
    smallest_pivot_ = s.common.rgrowth;
    return true;
  }
  if (s.numeric != nullptr) klu_free_numeric(&s.numeric, &s.common);
  s.numeric = klu_factor(s.first.data(), s.rows.data(), values, s.symbolic, &s.common);
  if (s.numeric == nullptr || s.common.status != KLU_OK) {
    weak_column_ = s.common.singular_col >= 0 ? static_cast<size_t>(s.common.singular_col) : 0;
    smallest_pivot_ = 0;
    if (s.numeric != nullptr) klu_free_numeric(&s.numeric, &s.common);
    return false;
  }
  klu_rcond(s.symbolic, s.numeric, &s.common);
  smallest_pivot_ = s.common.rcond;
  return s.common.rcond > 1e-18;
}

namespace {

// Whether a permutation is odd: each cycle of even length is.
template <class Index>
bool IsOdd(const Index* order, size_t size) {
  std::vector<bool> seen(size, false);
  bool odd = false;
  for (size_t start = 0; start < size; ++start) {
    size_t length = 0;
    for (size_t at = start; !seen[at]; at = static_cast<size_t>(order[at])) {
      seen[at] = true;
      ++length;
    }
    if (length > 0 && length % 2 == 0) odd = !odd;
  }
  return odd;
}

}  // namespace

LinearSolver::Determinant LinearSolver::FindDeterminant() const {
  Determinant out;
  if (!factored_ || least_norm_ != nullptr || (sparse_ != nullptr && sparse_->by_fronts)) return out;
  out.sign = 1;
  const auto take = [&](double pivot) {
    out.sign *= pivot > 0 ? 1 : pivot < 0 ? -1 : 0;
    out.log += std::log(std::fabs(pivot));
  };
  bool odd = false;
  if (sparse_ != nullptr) {
    const klu_numeric& numeric = *sparse_->numeric;
    const auto* pivots = static_cast<const double*>(numeric.Udiag);
    for (size_t k = 0; k < size_; ++k) {
      take(pivots[k]);
      if (numeric.Rs != nullptr) take(numeric.Rs[k]);
    }
    odd = IsOdd(numeric.Pnum, size_) != IsOdd(sparse_->symbolic->Q, size_);
  } else {
    for (size_t k = 0; k < size_; ++k) {
      take(lu_[order_[k] * size_ + k]);
      out.log -= std::log(scale_[k]);
    }
    odd = IsOdd(order_.data(), size_);
  }
  if (odd) out.sign = -out.sign;
  return out;
}

void LinearSolver::Solve(std::span<double> right) const {
  const size_t n = size_;
  if (least_norm_ != nullptr) {
    least_norm_->Solve(right);
    return;
  }
  if (sparse_ && sparse_->by_fronts) {
    sparse_->frontal->Solve(right.data());
    return;
  }
  if (sparse_) {
    klu_solve(sparse_->symbolic, sparse_->numeric, static_cast<int>(n), 1, right.data(), &sparse_->common);
    return;
  }
  scratch_.resize(n);
  std::vector<double>& y = scratch_;
  for (size_t k = 0; k < n; ++k) {
    const double* row = &lu_[order_[k] * n];
    double sum = right[order_[k]] * scale_[order_[k]];
    for (size_t c = 0; c < k; ++c) sum -= row[c] * y[c];
    y[k] = sum;
  }
  for (size_t k = n; k-- > 0;) {
    const double* row = &lu_[order_[k] * n];
    double sum = y[k];
    for (size_t c = k + 1; c < n; ++c) sum -= row[c] * right[c];
    right[k] = sum / row[k];
  }
}

}  // namespace cotree
