// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace cotree {

/** A table of the model as a function with derivatives. Along one argument: linear, monotone cubic (Fritsch
and Carlson, SIAM J. Numer. Anal. 17, 1980), the natural cubic spline, or steps; two arguments: linear in
each. Beyond the ends it holds, goes on in a straight line, or (error) has no value: NaN, which the run
reports. */
class TableFunction {
 public:
  explicit TableFunction(const Table& table);

  /// The value, or its partial derivative of these orders.
  double Value(double x, double y, uint32_t order_x, uint32_t order_y) const;
  /// How often it can be differentiated (design §3.10).
  uint32_t smoothness() const;
  const std::vector<double>& knots() const { return x_; }
  /// What it is made of, for other tiers; `columns` are the knots of the second argument, `slopes` those at
  /// the knots of a smooth one.
  const std::vector<double>& columns() const { return y_; }
  const std::vector<double>& values() const { return z_; }
  const std::vector<double>& slopes() const { return slopes_; }
  Table::Interpolation interpolation() const { return interpolation_; }
  Table::Extrapolation extrapolation() const { return extrapolation_; }

 private:
  bool steps() const { return interpolation_ == Table::Interpolation::kHold; }
  double Along(double x, uint32_t order) const;
  double Piece(size_t i, double x, uint32_t order) const;
  double Plane(double x, double y, uint32_t order_x, uint32_t order_y) const;
  void FindMonotoneSlopes();
  void FindSplineSlopes();
  double Step(size_t i) const { return x_[i + 1] - x_[i]; }
  double Secant(size_t i) const { return (z_[i + 1] - z_[i]) / Step(i); }

  std::vector<double> x_, y_, z_, slopes_;
  Table::Interpolation interpolation_;
  Table::Extrapolation extrapolation_;
};

/// The table of this name; UINT32_MAX: there is none.
uint32_t FindTable(const Model& model, std::string_view name);

/// What a call returns while translating, for Environment::call.
using TableCall = std::function<double(std::string_view name, const FunctionInfo& function,
                                       std::span<const double> arguments)>;

/// The calls of the model's tables; any other has no value.
TableCall TableCalls(const Model& model);

}  // namespace cotree
