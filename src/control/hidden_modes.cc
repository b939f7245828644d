// SPDX-License-Identifier: Apache-2.0
#include "control/hidden_modes.h"

#include <algorithm>
#include <cmath>

namespace cotree {
namespace {

constexpr double kRounding = 1e-11;

// Whether c x is nothing against its terms.
bool Vanishes(std::span<const double> c, std::span<const double> x) {
  double sum = 0, size = 0;
  for (size_t k = 0; k < c.size(); ++k) {
    sum += c[k] * x[k];
    size += std::fabs(c[k] * x[k]);
  }
  return std::fabs(sum) <= kRounding * size;
}

/* A motion that stands still, a v = still v, and is not seen, c v = 0: the others in the coordinates
x_j - v_j x_pivot, in which a has no column of the pivot. */
bool DropStill(Matrix& a, std::vector<double>& b, std::vector<double>& c, double still) {
  Matrix moved = a;
  for (size_t k = 0; k < a.rows(); ++k) moved(k, k) -= still;
  const std::optional<StillMode> mode = FindStillMode(moved);
  if (!mode || !Vanishes(c, mode->direction)) return false;
  const double driven = b[mode->pivot];
  for (size_t k = 0; k < b.size(); ++k) b[k] -= mode->direction[k] * driven;
  b.erase(b.begin() + static_cast<std::ptrdiff_t>(mode->pivot));
  c.erase(c.begin() + static_cast<std::ptrdiff_t>(mode->pivot));
  a = WithoutMode(moved, *mode);
  for (size_t k = 0; k < a.rows(); ++k) a(k, k) += still;
  return true;
}

/* What is seen: c, c a, c a a, ... each without the part along those before it. Where nothing is left of one
in any entry but the rounding of its terms, the rows found are all that y shows of x: a and b in these
coordinates. */
bool DropUnseen(Matrix& a, std::vector<double>& b, std::vector<double>& c) {
  const size_t n = b.size();
  if (n == 0) return false;
  Matrix seen(n, n);
  std::vector<double> next = c;
  size_t count = 0;
  for (; count < n; ++count) {
    std::vector<double> size(n, 0.0);  // of the terms
    if (count == 0) {
      for (size_t k = 0; k < n; ++k) size[k] = std::fabs(c[k]);
    } else {
      next = TransposedTimes(a, seen.row(count - 1));
      for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k < n; ++k) size[k] += std::fabs(a(i, k) * seen(count - 1, i));
      }
    }
    for (int twice = 0; twice < 2; ++twice) {
      for (size_t i = 0; i < count; ++i) {
        const double along = Dot(next, seen.row(i));
        for (size_t k = 0; k < n; ++k) size[k] += std::fabs(along * seen(i, k));
        AddTimes(next, -along, seen.row(i));
      }
    }
    bool rounding = true;
    for (size_t k = 0; k < n; ++k) rounding = rounding && std::fabs(next[k]) <= kRounding * size[k];
    if (rounding) break;
    const double length = Norm(next);
    for (size_t k = 0; k < n; ++k) seen(count, k) = next[k] / length;
  }
  if (count == n) return false;
  const Matrix rows = seen.Block(0, count, 0, n);
  a = rows * a * rows.Transposed();
  b = rows * b;
  c = rows * c;
  return true;
}

// What is left of `all` without those next to each of `kept`.
std::vector<std::complex<double>> Without(std::vector<std::complex<double>> all,
                                          const std::vector<std::complex<double>>& kept) {
  for (const std::complex<double>& k : kept) {
    if (all.empty()) break;
    all.erase(std::min_element(all.begin(), all.end(), [&](const auto& x, const auto& y) {
      return std::abs(x - k) < std::abs(y - k);
    }));
  }
  return all;
}

}  // namespace

void DropHiddenModes(Channel& channel) {
  Matrix a(channel.n(), channel.n(), channel.A);
  std::vector<double> b = channel.b, c = channel.c;
  // One size of all states, so that lengths mean something.
  const std::vector<double> factors = Balance(a);
  for (size_t k = 0; k < b.size(); ++k) {
    b[k] /= factors[k];
    c[k] *= factors[k];
  }
  // What is not driven is what the transposed system does not see.
  bool dropped = false;
  const auto both = [&](auto&& drop) {
    while (drop(a, b, c)) dropped = true;
    Matrix transposed = a.Transposed();
    while (drop(transposed, c, b)) {
      dropped = true;
      a = transposed.Transposed();
    }
  };
  both([&](Matrix& m, std::vector<double>& in, std::vector<double>& out) {
    return DropStill(m, in, out, channel.still());
  });
  both(DropUnseen);
  if (!dropped) return;
  const std::vector<std::complex<double>> all = channel.Poles();
  channel.A = a.data();
  channel.b = std::move(b);
  channel.c = std::move(c);
  channel.hidden = Without(all, channel.Poles());
}

}  // namespace cotree
