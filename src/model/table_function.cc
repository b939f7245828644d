// SPDX-License-Identifier: Apache-2.0
#include "model/table_function.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cotree {

TableFunction::TableFunction(const Table& table)
    : x_(table.rows),
      y_(table.columns),
      z_(table.values),
      interpolation_(table.interpolation),
      extrapolation_(table.extrapolation) {
  if (!y_.empty() || x_.size() < 2) return;
  if (interpolation_ == Table::Interpolation::kMonotone) FindMonotoneSlopes();
  if (interpolation_ == Table::Interpolation::kSpline) FindSplineSlopes();
}

uint32_t TableFunction::smoothness() const {
  switch (interpolation_) {
    case Table::Interpolation::kLinear:
    case Table::Interpolation::kHold:
      return 0;
    case Table::Interpolation::kMonotone:
      return 1;
    case Table::Interpolation::kSpline:
      return 2;
  }
  return 0;
}

double TableFunction::Value(double x, double y, uint32_t order_x, uint32_t order_y) const {
  if (x_.empty() || x != x) return std::numeric_limits<double>::quiet_NaN();
  if (y_.empty()) return order_y == 0 ? Along(x, order_x) : 0;
  return Plane(x, y, order_x, order_y);
}

double TableFunction::Piece(size_t i, double x, uint32_t order) const {
  const double h = Step(i), a = z_[i], b = z_[i + 1];
  if (slopes_.empty()) return order == 0 ? a + (x - x_[i]) / h * (b - a) : order == 1 ? Secant(i) : 0;
  const double t = (x - x_[i]) / h, da = h * slopes_[i], db = h * slopes_[i + 1];
  const double c2 = 3 * (b - a) - 2 * da - db, c3 = 2 * (a - b) + da + db;
  switch (order) {
    case 0:
      return a + t * (da + t * (c2 + t * c3));
    case 1:
      return (da + t * (2 * c2 + t * 3 * c3)) / h;
    case 2:
      return (2 * c2 + 6 * t * c3) / (h * h);
    case 3:
      return 6 * c3 / (h * h * h);
    default:
      return 0;
  }
}

double TableFunction::Along(double x, uint32_t order) const {
  if (x_.size() == 1) return order == 0 ? z_[0] : 0;
  if (x < x_.front() || x > x_.back()) {
    if (extrapolation_ == Table::Extrapolation::kError) return std::numeric_limits<double>::quiet_NaN();
    const bool low = x < x_.front();
    const size_t piece = low ? 0 : x_.size() - 2;
    const double end = low ? x_.front() : x_.back();
    const double value = low ? z_.front() : z_.back();
    if (extrapolation_ == Table::Extrapolation::kHold) return order == 0 ? value : 0;
    const double slope = Piece(piece, end, 1);
    return order == 0 ? value + slope * (x - end) : order == 1 ? slope : 0;
  }
  const auto above = std::upper_bound(x_.begin(), x_.end(), x);
  if (steps()) return order == 0 ? z_[static_cast<size_t>(above - x_.begin()) - 1] : 0;
  const size_t i = std::min<size_t>(static_cast<size_t>(std::max<std::ptrdiff_t>(above - x_.begin(), 1)) - 1,
                                    x_.size() - 2);
  return Piece(i, x, order);
}

// Linear in each argument: weights of the four corners.
double TableFunction::Plane(double x, double y, uint32_t order_x, uint32_t order_y) const {
  struct Weights {
    size_t first = 0;
    double low = 1, high = 0;
  };
  bool outside = false;
  const auto weights = [&](const std::vector<double>& grid, double at, uint32_t order) {
    Weights w;
    if (grid.size() == 1) {
      if (order > 0) w.low = 0;
      return w;
    }
    const bool beyond = at < grid.front() || at > grid.back();
    if (beyond && extrapolation_ == Table::Extrapolation::kError) outside = true;
    if (beyond && extrapolation_ == Table::Extrapolation::kHold) {
      const bool low = at < grid.front();
      w.first = low ? 0 : grid.size() - 2;
      w.low = order > 0 ? 0 : low ? 1 : 0;
      w.high = order > 0 ? 0 : low ? 0 : 1;
      return w;
    }
    const auto above = std::upper_bound(grid.begin(), grid.end(), at);
    w.first = std::min<size_t>(static_cast<size_t>(std::max<std::ptrdiff_t>(above - grid.begin(), 1)) - 1,
                               grid.size() - 2);
    const double h = grid[w.first + 1] - grid[w.first], t = (at - grid[w.first]) / h;
    w.low = order == 0 ? 1 - t : order == 1 ? -1 / h : 0;
    w.high = order == 0 ? t : order == 1 ? 1 / h : 0;
    return w;
  };
  const Weights wx = weights(x_, x, order_x), wy = weights(y_, y, order_y);
  if (outside) return std::numeric_limits<double>::quiet_NaN();
  const auto at = [&](size_t i, size_t j) {
    i = std::min(i, x_.size() - 1);
    j = std::min(j, y_.size() - 1);
    return z_[i * y_.size() + j];
  };
  return wx.low * (wy.low * at(wx.first, wy.first) + wy.high * at(wx.first, wy.first + 1)) +
         wx.high * (wy.low * at(wx.first + 1, wy.first) + wy.high * at(wx.first + 1, wy.first + 1));
}

void TableFunction::FindMonotoneSlopes() {
  const size_t n = x_.size();
  slopes_.assign(n, 0);
  slopes_[0] = Secant(0);
  slopes_[n - 1] = Secant(n - 2);
  for (size_t i = 1; i + 1 < n; ++i) {
    const double a = Secant(i - 1), b = Secant(i);
    slopes_[i] = a * b > 0 ? (a + b) / 2 : 0;
  }
  for (size_t i = 0; i + 1 < n; ++i) {
    const double s = Secant(i);
    if (s == 0) {
      slopes_[i] = slopes_[i + 1] = 0;
      continue;
    }
    const double a = slopes_[i] / s, b = slopes_[i + 1] / s, r = std::sqrt(a * a + b * b);
    if (r > 3) {
      slopes_[i] = 3 / r * a * s;
      slopes_[i + 1] = 3 / r * b * s;
    }
  }
}

void TableFunction::FindSplineSlopes() {
  const size_t n = x_.size();
  slopes_.assign(n, 0);
  std::vector<double> upper(n), right(n);
  for (size_t i = 0; i < n; ++i) {
    const double before = i > 0 ? 1 / Step(i - 1) : 0, behind = i + 1 < n ? 1 / Step(i) : 0;
    const double r = 3 * ((i > 0 ? Secant(i - 1) * before : 0) + (i + 1 < n ? Secant(i) * behind : 0));
    const double pivot = 2 * (before + behind) - (i > 0 ? before * upper[i - 1] : 0);
    upper[i] = behind / pivot;
    right[i] = (r - (i > 0 ? before * right[i - 1] : 0)) / pivot;
  }
  slopes_[n - 1] = right[n - 1];
  for (size_t i = n - 1; i-- > 0;) slopes_[i] = right[i] - upper[i] * slopes_[i + 1];
}

uint32_t FindTable(const Model& model, std::string_view name) {
  for (uint32_t t = 0; t < model.tables.size(); ++t) {
    if (model.names.Text(model.tables[t].name) == name) return t;
  }
  return UINT32_MAX;
}

TableCall TableCalls(const Model& model) {
  return [&model](std::string_view name, const FunctionInfo& function, std::span<const double> arguments) {
    const uint32_t table = FindTable(model, name);
    if (table == UINT32_MAX || arguments.empty()) return std::numeric_limits<double>::quiet_NaN();
    const auto order = [&](size_t k) { return k < function.orders.size() ? function.orders[k] : 0; };
    return TableFunction(model.tables[table])
        .Value(arguments[0], arguments.size() > 1 ? arguments[1] : 0, order(0), order(1));
  };
}

}  // namespace cotree
