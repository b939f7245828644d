// SPDX-License-Identifier: Apache-2.0
// Reference poles, and the comparison of poles as sets.
//
// PolynomialPoles: the roots of the exact characteristic polynomial in 113-bit arithmetic (Aberth's
// iteration); its coefficients must be below 2^121. eigenvalue_poles.h has another route, which loses digits
// where infinite poles form long chains.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "oracle/exact_order.h"

namespace cotree::oracle {

using Poles = std::vector<std::complex<double>>;

// --- Poles
// -------------------------------------------------------------------------------------------------------

#ifdef __SIZEOF_FLOAT128__
__extension__ using Wide = __float128;
#else
using Wide = long double;
#endif

struct WideComplex {
  Wide re = 0, im = 0;
  friend WideComplex operator+(WideComplex a, WideComplex b) { return {a.re + b.re, a.im + b.im}; }
  friend WideComplex operator-(WideComplex a, WideComplex b) { return {a.re - b.re, a.im - b.im}; }
  friend WideComplex operator*(WideComplex a, WideComplex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend WideComplex operator/(WideComplex a, WideComplex b) {
    const Wide norm = b.re * b.re + b.im * b.im;
    return {(a.re * b.re + a.im * b.im) / norm, (a.im * b.re - a.re * b.im) / norm};
  }
  Wide Norm() const { return re * re + im * im; }
};

inline std::optional<Poles> PolynomialPoles(const ExactOrder& exact) {
  if (!exact.polynomial) return std::nullopt;
  Poles poles(static_cast<size_t>(exact.zeros), 0.0);
  std::vector<Wide> c;
  for (size_t k = static_cast<size_t>(exact.zeros); k < exact.polynomial->size(); ++k) {
    c.push_back(static_cast<Wide>((*exact.polynomial)[k]));
  }
  const size_t n = c.size() - 1;
  if (n == 0) return poles;
  const double radius = std::pow(std::fabs(static_cast<double>(c[0] / c[n])), 1.0 / static_cast<double>(n));
  std::vector<WideComplex> z;
  for (size_t k = 0; k < n; ++k) {
    const double angle = 2 * 3.14159265358979 * static_cast<double>(k) / static_cast<double>(n) + 0.4;
    z.push_back({static_cast<Wide>(radius * std::cos(angle)), static_cast<Wide>(radius * std::sin(angle))});
  }
  std::vector<bool> done(n, false);
  for (int round = 0; round < 400; ++round) {
    bool all = true;
    for (size_t k = 0; k < n; ++k) {
      if (done[k]) continue;
      WideComplex p{c[n], 0}, derivative{0, 0};
      Wide bound = c[n] < 0 ? -c[n] : c[n];  // of the rounding errors in p, by 2^-110
      const Wide size = static_cast<Wide>(std::sqrt(static_cast<double>(z[k].Norm())));
      for (size_t i = n; i-- > 0;) {
        derivative = derivative * z[k] + p;
        p = p * z[k] + WideComplex{c[i], 0};
        bound = bound * size + (c[i] < 0 ? -c[i] : c[i]);
      }
      const Wide epsilon =
          sizeof(Wide) > 8 && sizeof(Wide) >= 16 ? static_cast<Wide>(1e-33) : static_cast<Wide>(1e-18);
      if (p.Norm() <= bound * bound * epsilon * epsilon) {
        done[k] = true;
        continue;
      }
      all = false;
      WideComplex repulsion{0, 0};
      for (size_t j = 0; j < n; ++j) {
        if (j == k) continue;
        const WideComplex d = z[k] - z[j];
        if (d.Norm() > 0) repulsion = repulsion + WideComplex{1, 0} / d;
      }
      z[k] = z[k] - p / (derivative - p * repulsion);
    }
    if (all) break;
  }
  if (std::find(done.begin(), done.end(), false) != done.end()) return std::nullopt;
  for (const WideComplex& root : z)
    poles.emplace_back(static_cast<double>(root.re), static_cast<double>(root.im));
  return poles;
}

// --- Comparison
// ------------------------------------------------------------------------------------------------------

inline std::string PolesText(Poles poles) {
  std::sort(poles.begin(), poles.end(), [](const auto& a, const auto& b) {
    return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag();
  });
  std::ostringstream out;
  out.precision(12);
  for (const auto& p : poles) {
    out << (out.tellp() > 0 ? ", " : "") << p.real();
    if (p.imag() != 0) out << (p.imag() < 0 ? " - " : " + ") << std::fabs(p.imag()) << "i";
  }
  return "{" + out.str() + "}";
}

/// Empty, or why the sets differ. A pole that stands alone must agree to 1e-9*max(1, |pole|)*condition (and
/// 1e-14 of the largest). Poles of a cluster move by the m-th root of a rounding error, but their mean does
/// not: so of each cluster the number and the mean must agree. Clusters are those of `expected` at the
/// smallest of a few distances at which everything fits; none is wider than 1 % of its poles.
inline std::string ComparePoles(const Poles& expected, const Poles& got, double condition = 1) {
  if (expected.size() != got.size()) {
    return std::to_string(got.size()) + " poles " + PolesText(got) + " instead of " +
           std::to_string(expected.size()) + " " + PolesText(expected);
  }
  for (const auto& p : got) {
    if (!std::isfinite(p.real()) || !std::isfinite(p.imag())) return "a pole is not finite";
  }
  double largest = 0;
  for (const auto& p : expected) largest = std::max(largest, std::abs(p));
  const auto scale = [&](std::complex<double> p) { return std::max({1.0, std::abs(p), 1e-5 * largest}); };
  std::string reason;
  for (const double distance : {1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 1e-2}) {
    const size_t n = expected.size();
    std::vector<size_t> cluster(n);  // of `expected`: single linkage
    std::iota(cluster.begin(), cluster.end(), size_t{0});
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (std::abs(expected[i] - expected[j]) > distance * scale(expected[i]) || cluster[i] == cluster[j])
          continue;
        const size_t old = cluster[i];
        std::replace(cluster.begin(), cluster.end(), old, cluster[j]);
      }
    }
    // Each pole found goes to the nearest expected one's cluster.
    std::vector<size_t> members(n, 0), found(n, 0);
    std::vector<std::complex<double>> mean(n, 0.0), found_mean(n, 0.0);
    for (size_t i = 0; i < n; ++i) {
      ++members[cluster[i]];
      mean[cluster[i]] += expected[i];
    }
    for (const auto& p : got) {
      size_t nearest = 0;
      for (size_t i = 1; i < n; ++i) {
        if (std::abs(expected[i] - p) < std::abs(expected[nearest] - p)) nearest = i;
      }
      ++found[cluster[nearest]];
      found_mean[cluster[nearest]] += p;
    }
    reason.clear();
    for (size_t i = 0; i < n && reason.empty(); ++i) {
      if (members[i] == 0) continue;
      const std::complex<double> m = mean[i] / static_cast<double>(members[i]);
      std::ostringstream out;
      out.precision(12);
      if (found[i] != members[i]) {
        out << found[i] << " poles instead of " << members[i] << " about " << m;
      } else {
        const std::complex<double> f = found_mean[i] / static_cast<double>(members[i]);
        const double error = std::abs(f - m), tolerance = 1e-9 * scale(m) * std::max(1.0, condition);
        if (error > tolerance) out << "pole " << f << " instead of " << m << ", error " << error;
      }
      // No pole may hide far from its cluster: its m-th power is what rounding errors move.
      if (out.str().empty() && members[i] > 1) {
        const double reach =
            10 * std::pow(1e-12 * std::max(1.0, condition), 1.0 / static_cast<double>(members[i]));
        for (const auto& p : got) {
          size_t nearest = 0;
          for (size_t k = 1; k < n; ++k) {
            if (std::abs(expected[k] - p) < std::abs(expected[nearest] - p)) nearest = k;
          }
          if (cluster[nearest] == i && std::abs(expected[nearest] - p) > (reach + distance) * scale(m)) {
            out << "pole " << p << " is too far from its cluster about " << m;
            break;
          }
        }
      }
      reason = out.str();
    }
    if (reason.empty()) return "";
  }
  return reason + "; expected " + PolesText(expected) + ", got " + PolesText(got);
}

}  // namespace cotree::oracle
