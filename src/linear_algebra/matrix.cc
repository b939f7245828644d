// SPDX-License-Identifier: Apache-2.0
#include "linear_algebra/matrix.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace cotree {

Matrix::Matrix(size_t rows, size_t columns, std::vector<double> row_by_row)
    : rows_(rows), columns_(columns), data_(std::move(row_by_row)) {
  COTREE_CHECK(data_.size() == rows * columns);
}

Matrix Matrix::Identity(size_t rows, size_t columns) {
  Matrix out(rows, columns);
  for (size_t k = 0; k < std::min(rows, columns); ++k) out(k, k) = 1;
  return out;
}

std::vector<double> Matrix::Column(size_t k) const {
  std::vector<double> out(rows_);
  for (size_t i = 0; i < rows_; ++i) out[i] = (*this)(i, k);
  return out;
}

void Matrix::Clear() {
  std::fill(data_.begin(), data_.end(), 0.0);
}

void Matrix::ClearRow(size_t k) {
  std::fill(row(k).begin(), row(k).end(), 0.0);
}

void Matrix::ClearColumn(size_t k) {
  for (size_t i = 0; i < rows_; ++i) (*this)(i, k) = 0;
}

Matrix Matrix::Rows(std::span<const size_t> picked) const {
  Matrix out(picked.size(), columns_);
  for (size_t i = 0; i < picked.size(); ++i)
    std::copy_n(row(picked[i]).begin(), columns_, out.row(i).begin());
  return out;
}

Matrix Matrix::Columns(std::span<const size_t> picked) const {
  Matrix out(rows_, picked.size());
  for (size_t i = 0; i < rows_; ++i) {
    for (size_t j = 0; j < picked.size(); ++j) out(i, j) = (*this)(i, picked[j]);
  }
  return out;
}

Matrix Matrix::Block(size_t first_row, size_t rows, size_t first_column, size_t columns) const {
  Matrix out(rows, columns);
  for (size_t i = 0; i < rows; ++i)
    std::copy_n(row(first_row + i).begin() + static_cast<std::ptrdiff_t>(first_column), columns,
                out.row(i).begin());
  return out;
}

void Matrix::SetBlock(size_t first_row, size_t first_column, const Matrix& block) {
  for (size_t i = 0; i < block.rows(); ++i)
    std::copy_n(block.row(i).begin(), block.columns(),
                row(first_row + i).begin() + static_cast<std::ptrdiff_t>(first_column));
}

Matrix Matrix::Transposed() const {
  Matrix out(columns_, rows_);
  for (size_t i = 0; i < rows_; ++i) {
    for (size_t j = 0; j < columns_; ++j) out(j, i) = (*this)(i, j);
  }
  return out;
}

bool Matrix::IsFinite() const {
  return cotree::IsFinite(data_);
}

double Matrix::Largest() const {
  return cotree::Largest(data_);
}

Matrix& Matrix::operator+=(const Matrix& other) {
  AddTimes(data_, 1, other.data_);
  return *this;
}

Matrix& Matrix::operator-=(const Matrix& other) {
  AddTimes(data_, -1, other.data_);
  return *this;
}

Matrix& Matrix::operator*=(double factor) {
  for (double& x : data_) x *= factor;
  return *this;
}

// Sums row by row, so that the inner loop runs along memory.
Matrix operator*(const Matrix& a, const Matrix& b) {
  COTREE_CHECK(a.columns() == b.rows());
  Matrix out(a.rows(), b.columns());
  for (size_t i = 0; i < a.rows(); ++i) {
    for (size_t k = 0; k < a.columns(); ++k) {
      if (a(i, k) != 0) AddTimes(out.row(i), a(i, k), b.row(k));
    }
  }
  return out;
}

std::vector<double> operator*(const Matrix& a, std::span<const double> x) {
  std::vector<double> out(a.rows());
  for (size_t i = 0; i < a.rows(); ++i) out[i] = Dot(a.row(i), x);
  return out;
}

std::vector<double> TransposedTimes(const Matrix& a, std::span<const double> x) {
  std::vector<double> out(a.columns(), 0.0);
  for (size_t i = 0; i < a.rows(); ++i) AddTimes(out, x[i], a.row(i));
  return out;
}

double Dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

double Norm(std::span<const double> x) {
  return std::sqrt(Dot(x, x));
}

double Largest(std::span<const double> x) {
  double largest = 0;
  for (const double v : x) largest = std::max(largest, std::fabs(v));
  return largest;
}

bool IsFinite(std::span<const double> x) {
  return std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); });
}

void AddTimes(std::span<double> x, double factor, std::span<const double> y) {
  for (size_t k = 0; k < x.size(); ++k) x[k] += factor * y[k];
}

void RemoveAlong(Matrix& m, std::span<const double> direction) {
  const std::vector<double> along = TransposedTimes(m, direction);
  for (size_t i = 0; i < m.rows(); ++i) AddTimes(m.row(i), -direction[i], along);
}

}  // namespace cotree
