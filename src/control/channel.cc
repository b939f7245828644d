// SPDX-License-Identifier: Apache-2.0
#include "control/channel.h"

#include <algorithm>
#include <cmath>

#include "control/hidden_modes.h"
#include "linear_algebra/decompositions.h"

namespace cotree {
namespace {

// States that can be reached from `seeds` along A, or (back) from which they can be reached.
std::vector<bool> Reached(const LinearModel& m, std::vector<size_t> seeds, bool back) {
  std::vector<bool> out(m.n(), false);
  for (const size_t k : seeds) out[k] = true;
  while (!seeds.empty()) {
    const size_t from = seeds.back();
    seeds.pop_back();
    for (size_t to = 0; to < m.n(); ++to) {
      const double factor = back ? m.A[from * m.n() + to] : m.A[to * m.n() + from];
      if (factor == 0 || out[to]) continue;
      out[to] = true;
      seeds.push_back(to);
    }
  }
  return out;
}

std::vector<double> Product(const std::vector<double>& a, const std::vector<double>& x) {
  return Matrix(x.size(), x.size(), a) * x;
}

}  // namespace

Channel FindChannel(const LinearModel& m, size_t output, size_t input) {
  Channel out;
  out.input = m.inputs[input];
  out.output = m.outputs[output];
  out.period = m.period;
  std::vector<size_t> first, last, kept;
  for (size_t k = 0; k < m.n(); ++k) {
    for (const auto& B : m.B) {
      if (B[k * m.m() + input] == 0) continue;
      first.push_back(k);
      break;
    }
    if (m.C[output * m.n() + k] != 0) last.push_back(k);
  }
  const std::vector<bool> from = Reached(m, first, false), to = Reached(m, last, true);
  for (size_t k = 0; k < m.n(); ++k) {
    if (from[k] && to[k]) kept.push_back(k);
  }
  const size_t n = kept.size();
  for (const size_t i : kept) {
    for (const size_t j : kept) out.A.push_back(m.A[i * m.n() + j]);
    out.c.push_back(m.C[output * m.n() + i]);
  }
  std::vector<std::vector<double>> b(std::max<size_t>(m.B.size(), 1), std::vector<double>(n, 0));
  out.d.assign(std::max<size_t>(m.D.size(), 1), 0);
  for (size_t order = 0; order < m.B.size(); ++order) {
    for (size_t k = 0; k < n; ++k) b[order][k] = m.B[order][kept[k] * m.m() + input];
    out.d[order] = m.D[order][output * m.m() + input];
  }
  // x = z + b_k u^(k-1), from the highest order down.
  for (size_t order = b.size(); order-- > 1;) {
    const std::vector<double> moved = Product(out.A, b[order]);
    for (size_t k = 0; k < n; ++k) b[order - 1][k] += moved[k];
    out.d[order - 1] += Dot(out.c, b[order]);
  }
  out.b = b[0];
  while (out.d.size() > 1 && out.d.back() == 0) out.d.pop_back();
  DropHiddenModes(out);
  return out;
}

Channel Channel::Times(double factor) const {
  Channel out = *this;
  for (double& x : out.c) x *= factor;
  for (double& x : out.d) x *= factor;
  return out;
}

std::complex<double> Channel::At(std::complex<double> s) const {
  std::complex<double> value = 0;
  for (size_t k = d.size(); k-- > 0;) value = value * s + d[k];
  if (n() == 0) return value;
  // (s - A) x = b, with rows of one size: pivots are then chosen by what they mean, not by their units.
  std::vector<std::complex<double>> m(A.size()), right(b.begin(), b.end());
  for (size_t i = 0; i < n(); ++i) {
    double largest = 0;
    for (size_t j = 0; j < n(); ++j) {
      m[i * n() + j] = (i == j ? s : 0.0) - A[i * n() + j];
      largest = std::max(largest, std::abs(m[i * n() + j]));
    }
    if (!(largest > 0) || !std::isfinite(largest)) continue;
    for (size_t j = 0; j < n(); ++j) m[i * n() + j] /= largest;
    right[i] /= largest;
  }
  const std::vector<std::complex<double>> x = SolveSquare(m, right);
  for (size_t k = 0; k < n(); ++k) value += c[k] * x[k];
  return value;
}

std::complex<double> Channel::PointOf(double frequency) const {
  return period > 0 ? std::polar(1.0, frequency * period) : std::complex<double>(0, frequency);
}

std::complex<double> ToContinuous(std::complex<double> z, double period) {
  if (period == 0) return z;
  return z == 0.0 ? -INFINITY : std::log(z) / period;
}

std::vector<std::complex<double>> Channel::Zeros() const {
  std::vector<std::complex<double>> out;
  if (n() == 0 && d.size() == 1) return out;
  // Where the response is improper, u and its derivatives are states: the zeros are the poles of u from y =
  // 0.
  if (d.size() > 1 || d[0] != 0) {
    const size_t q = d.size() - 1, all = n() + q;
    std::vector<double> m(all * all, 0);
    for (size_t i = 0; i < n(); ++i) {
      for (size_t j = 0; j < n(); ++j) m[i * all + j] = A[i * n() + j] - (q == 0 ? b[i] * c[j] / d[0] : 0);
      if (q > 0) m[i * all + n()] = b[i];
    }
    for (size_t k = 0; k + 1 < q; ++k) m[(n() + k) * all + n() + k + 1] = 1;
    for (size_t j = 0; q > 0 && j < n(); ++j) m[(all - 1) * all + j] = -c[j] / d[q];
    for (size_t k = 0; k < q; ++k) m[(all - 1) * all + n() + k] = -d[k] / d[q];
    return Eigenvalues(m, all, still());
  }
  // The relative degree is the number of zeros at infinity: c A^(r-1) b is the first that is not 0.
  std::vector<double> v = b;
  size_t degree = 0;
  for (size_t r = 1; r <= n() && degree == 0; ++r) {
    double size = 0;
    for (size_t k = 0; k < n(); ++k) size += std::fabs(c[k] * v[k]);
    if (std::fabs(Dot(c, v)) > 1e-12 * size) degree = r;
    v = Product(A, v);
    double largest = 0;
    for (const double x : v) largest = std::max(largest, std::fabs(x));
    for (double& x : v) x /= largest > 0 ? largest : 1;
  }
  if (degree == 0 || degree == n()) return out;
  // det [A - z, b; c, 0] = 0
  Matrix left(n() + 1, n() + 1), right(n() + 1, n() + 1);
  left.SetBlock(0, 0, Matrix(n(), n(), A));
  left.SetBlock(0, n(), Matrix(n(), 1, b));
  left.SetBlock(n(), 0, Matrix(1, n(), c));
  right.SetBlock(0, 0, Matrix::Identity(n(), n()));
  out = GeneralizedEigenvalues(left, right);
  std::sort(out.begin(), out.end(), [](const auto& x, const auto& y) { return std::abs(x) < std::abs(y); });
  if (out.size() > n() - degree) out.resize(n() - degree);
  std::sort(out.begin(), out.end(), [](const auto& x, const auto& y) {
    return x.real() != y.real() ? x.real() < y.real() : x.imag() < y.imag();
  });
  return out;
}

std::vector<std::complex<double>> ClosedPoles(const Channel& loop, double gain) {
  if (gain == 0) return loop.Poles();
  // They are the zeros of 1 + gain L.
  Channel sum = loop.Times(gain);
  sum.d[0] += 1;
  if (sum.proper() && std::fabs(sum.d[0]) < 1e-14) return {};
  return sum.Zeros();
}

bool CloseLoop(const Channel& loop, Channel* closed) {
  const double sum = 1 + loop.d[0];
  if (!loop.proper() || std::fabs(sum) < 1e-14) return false;
  *closed = loop;
  const size_t n = loop.n();
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) closed->A[i * n + j] -= loop.b[i] * loop.c[j] / sum;
    closed->b[i] = loop.b[i] / sum;
    closed->c[i] = loop.c[i] / sum;
  }
  closed->d[0] = loop.d[0] / sum;
  return true;
}

}  // namespace cotree
