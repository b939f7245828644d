// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cotree {

/** A full matrix of numbers, row by row: plain data with arithmetic. What is found from a matrix (solutions,
eigenvalues) stands in decompositions.h and eigenvalues.h. */
class Matrix {
 public:
  Matrix() = default;
  Matrix(size_t rows, size_t columns) : rows_(rows), columns_(columns), data_(rows * columns, 0.0) {}
  Matrix(size_t rows, size_t columns, std::vector<double> row_by_row);
  /// Ones on the diagonal, also of a matrix that is not square.
  static Matrix Identity(size_t rows, size_t columns);

  size_t rows() const { return rows_; }
  size_t columns() const { return columns_; }
  const std::vector<double>& data() const { return data_; }
  double& operator()(size_t row, size_t column) { return data_[row * columns_ + column]; }
  double operator()(size_t row, size_t column) const { return data_[row * columns_ + column]; }
  std::span<double> row(size_t k) { return {data_.data() + k * columns_, columns_}; }
  std::span<const double> row(size_t k) const { return {data_.data() + k * columns_, columns_}; }

  std::vector<double> Column(size_t k) const;
  void Clear();
  void ClearRow(size_t k);
  void ClearColumn(size_t k);
  /// Some rows or columns, in the order given.
  Matrix Rows(std::span<const size_t> picked) const;
  Matrix Columns(std::span<const size_t> picked) const;
  Matrix Block(size_t first_row, size_t rows, size_t first_column, size_t columns) const;
  void SetBlock(size_t first_row, size_t first_column, const Matrix& block);
  Matrix Transposed() const;
  bool IsFinite() const;
  double Largest() const;  // by absolute value; 0: there is no entry

  Matrix& operator+=(const Matrix& other);
  Matrix& operator-=(const Matrix& other);
  Matrix& operator*=(double factor);

 private:
  size_t rows_ = 0, columns_ = 0;
  std::vector<double> data_;
};

Matrix operator*(const Matrix& a, const Matrix& b);
std::vector<double> operator*(const Matrix& a, std::span<const double> x);
/// The transposed matrix times x.
std::vector<double> TransposedTimes(const Matrix& a, std::span<const double> x);

double Dot(std::span<const double> a, std::span<const double> b);
double Norm(std::span<const double> x);
double Largest(std::span<const double> x);  // by absolute value
bool IsFinite(std::span<const double> x);
/// x += factor * y.
void AddTimes(std::span<double> x, double factor, std::span<const double> y);
/// Takes the part along a unit vector out of each column of m.
void RemoveAlong(Matrix& m, std::span<const double> direction);

}  // namespace cotree
