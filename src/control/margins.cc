// SPDX-License-Identifier: Apache-2.0
#include "control/margins.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace cotree {
namespace {

constexpr double kPi = 3.14159265358979323846;

// The root of f between two frequencies where its signs differ: halving in the logarithm, then as far as
// numbers go.
double Refine(double low, double high, bool low_positive, const std::function<double(double)>& f) {
  for (int turn = 0; turn < 200; ++turn) {
    const double middle = std::sqrt(low) * std::sqrt(high);
    if (!(middle > low && middle < high)) break;
    ((f(middle) > 0) == low_positive ? low : high) = middle;
  }
  return std::sqrt(low) * std::sqrt(high);
}

template <class T, class F>
std::optional<T> Best(const std::vector<T>& all, F size) {
  std::optional<T> best;
  double least = INFINITY;
  for (const T& x : all) {
    if (!(size(x) < least)) continue;
    least = size(x);
    best = x;
  }
  return best;
}

}  // namespace

std::vector<double> DenseGrid(const Channel& channel, double decades, double points) {
  std::vector<std::complex<double>> corners = channel.Poles();
  const auto zeros = channel.Zeros();
  corners.insert(corners.end(), zeros.begin(), zeros.end());
  const double nyquist = channel.period > 0 ? kPi / channel.period : INFINITY;
  for (auto& p : corners) p = ToContinuous(p, channel.period);
  double low = INFINITY, high = 0;
  double largest = 0;
  if (channel.period > 0) largest = nyquist;
  for (const auto& p : corners) {
    if (std::isfinite(std::abs(p))) largest = std::max(largest, std::abs(p));
  }
  for (const auto& p : corners) {
    // An integrator, but for rounding; a delay by samples.
    if (!(std::abs(p) > 1e-9 * largest) || !std::isfinite(std::abs(p))) continue;
    low = std::min(low, std::abs(p));
    high = std::max(high, std::abs(p));
  }
  if (!(high > 0)) low = high = channel.period > 0 ? nyquist : 1;
  // Where |L| is 1 may lie far from all corners.
  const auto size = [&](double w) { return std::abs(channel.AtFrequency(w)); };
  low *= std::pow(10, -decades);
  high *= std::pow(10, decades);
  for (int k = 0; k < 12 && decades >= 3; ++k) {
    const bool above = size(high) > 1, below = size(low) > 1;
    if (above ? size(10 * high) < 0.9 * size(high) : size(10 * high) > 1.1 * size(high)) high *= 10;
    if (below ? size(low / 10) < 0.9 * size(low) : size(low / 10) > 1.1 * size(low)) low /= 10;
  }
  low = std::min(low, nyquist / 10);
  high = std::min(high, nyquist);
  std::vector<double> out;
  const double steps = std::ceil(std::log10(high / low) * points);
  for (double k = 0; k <= steps; ++k) out.push_back(low * std::pow(high / low, k / steps));
  for (const auto& p : corners) {
    const double w = std::fabs(p.imag()), width = std::max(std::fabs(p.real()), 1e-12 * w);
    if (!(w > 0) || width > 0.1 * w) continue;
    for (double x = width * 1e-2; x < 0.05 * w; x *= 1.1) {
      out.push_back(w - x);
      out.push_back(w + x);
    }
  }
  std::sort(out.begin(), out.end());
  while (!out.empty() && out.back() >= nyquist) out.pop_back();
  if (channel.period > 0) out.push_back(nyquist);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Margins FindMargins(const Channel& loop) {
  Margins out;
  const auto poles = loop.Poles();
  const bool sampled = loop.period > 0;
  double largest = 0;
  for (const auto& p : poles) largest = std::max(largest, sampled ? 1 : std::abs(p));
  bool pole_at_0 = false;
  for (const auto& p : poles) pole_at_0 = pole_at_0 || std::abs(p - loop.PointOf(0)) <= 1e-9 * largest;
  // The ends of the axis.
  if (!pole_at_0) {
    const std::complex<double> at_0 = loop.AtFrequency(0);
    if (at_0.real() < 0) out.gains.push_back({0, -1 / at_0.real()});
  }
  struct Sample {
    double w, gain, imaginary;
    std::complex<double> value;
  };
  const auto sample = [&](double w) {
    const std::complex<double> value = loop.AtFrequency(w);
    const double size = std::abs(value);
    // Below that the sign is that of rounding.
    const double imaginary = std::fabs(value.imag()) > 1e-11 * size ? value.imag() / size : 0;
    return Sample{w, std::log(size), imaginary, value};
  };
  std::optional<Sample> last, last_gain;  // where the imaginary part, the gain had a sign
  for (const double w : DenseGrid(loop)) {
    const Sample now = sample(w);
    if (!std::isfinite(now.gain)) continue;
    if (now.gain != 0) {
      if (last_gain && (last_gain->gain > 0) != (now.gain > 0)) {
        const double at =
            Refine(last_gain->w, w, last_gain->gain > 0, [&](double x) { return sample(x).gain; });
        const std::complex<double> value = loop.AtFrequency(at);
        if (std::fabs(std::abs(value) - 1) < 1e-3) {
          double margin = std::arg(-value);
          if (margin <= -kPi) margin = kPi;
          out.phases.push_back({at, margin, (margin < 0 ? margin + 2 * kPi : margin) / at});
        }
      }
      last_gain = now;
    }
    if (now.imaginary != 0) {
      if (last && (last->imaginary > 0) != (now.imaginary > 0)) {
        const double at =
            Refine(last->w, w, last->imaginary > 0, [&](double x) { return loop.AtFrequency(x).imag(); });
        const std::complex<double> value = loop.AtFrequency(at);
        // Not where it jumps through infinity.
        if (value.real() < 0 && std::fabs(value.imag()) < 1e-4 * std::abs(value))
          out.gains.push_back({at, -1 / value.real()});
      }
      last = now;
    }
  }
  if (!sampled && loop.proper() && loop.d[0] < 0) out.gains.push_back({INFINITY, -1 / loop.d[0]});
  if (sampled) {
    const std::complex<double> at_end = loop.At(-1);
    if (at_end.real() < 0 && std::isfinite(at_end.real()))
      out.gains.push_back({kPi / loop.period, -1 / at_end.real()});
  }
  out.bears_no_delay = !sampled && (!loop.proper() || std::fabs(loop.d[0]) >= 1);
  out.algebraic_loop = loop.proper() && std::fabs(1 + loop.d[0]) < 1e-14;
  out.closed_poles = ClosedPoles(loop, 1);
  out.stable = !out.algebraic_loop;
  // A pole of what stays is exactly 0 (NU.13), so a slow one beside fast ones counts by its own size.
  for (const auto& p : out.closed_poles)
    out.stable = out.stable && (sampled ? std::abs(p) < 1 - 1e-13 : p.real() < -1e-12 * std::abs(p));
  // Equal poles are found to half of the digits only: what could be rounding is no growth.
  double fastest = 0;
  for (const auto& p : loop.hidden) fastest = std::max(fastest, std::abs(p));
  for (const auto& p : loop.hidden) {
    const double growth = sampled ? std::abs(p) - 1 : p.real();
    if (growth > 1e-7 * fastest && growth > 1e-3 * std::abs(sampled ? p - 1.0 : p))
      out.hidden_growth.push_back(p);
  }
  return out;
}

std::optional<Margins::Gain> Margins::UpperGain() const {
  return Best(gains, [](const Gain& g) { return g.factor > 1 ? g.factor : INFINITY; });
}
std::optional<Margins::Gain> Margins::LowerGain() const {
  return Best(gains, [](const Gain& g) { return g.factor < 1 ? 1 / g.factor : INFINITY; });
}
std::optional<Margins::Phase> Margins::SmallestPhase() const {
  return Best(phases, [](const Phase& p) { return std::fabs(p.margin); });
}
std::optional<Margins::Phase> Margins::SmallestDelay() const {
  if (bears_no_delay) return Phase{INFINITY, 0, 0};
  return Best(phases, [](const Phase& p) { return p.delay; });
}

}  // namespace cotree
