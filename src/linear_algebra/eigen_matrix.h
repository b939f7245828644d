// SPDX-License-Identifier: Apache-2.0
#pragma once

// For the sources of this folder only.
#include <Eigen/Core>

#include "linear_algebra/matrix.h"

namespace cotree {

using RowByRow = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline Eigen::Index AsIndex(size_t k) {
  return static_cast<Eigen::Index>(k);
}

inline Eigen::MatrixXd ToEigen(const Matrix& a) {
  return Eigen::Map<const RowByRow>(a.data().data(), AsIndex(a.rows()), AsIndex(a.columns()));
}

inline Eigen::Map<const Eigen::VectorXd> ToEigen(std::span<const double> x) {
  return {x.data(), AsIndex(x.size())};
}

inline std::vector<double> FromEigen(const Eigen::VectorXd& x) {
  return {x.data(), x.data() + x.size()};
}

template <class Derived>
Matrix FromEigen(const Eigen::MatrixBase<Derived>& a) {
  Matrix out(static_cast<size_t>(a.rows()), static_cast<size_t>(a.cols()));
  for (size_t i = 0; i < out.rows(); ++i) {
    for (size_t j = 0; j < out.columns(); ++j) out(i, j) = a(AsIndex(i), AsIndex(j));
  }
  return out;
}

}  // namespace cotree
