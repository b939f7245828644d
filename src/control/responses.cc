// SPDX-License-Identifier: Apache-2.0
#include "control/responses.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linear_algebra/eigenvalues.h"

namespace cotree {
namespace {

double Horizon(std::vector<std::complex<double>> poles, double period) {
  for (auto& p : poles) p = ToContinuous(p, period);
  std::erase_if(poles, [](const auto& p) { return std::isinf(p.real()); });  // a delay by samples
  double largest = 0, slowest = INFINITY, fastest_growth = 0, frequency = INFINITY;
  for (const auto& p : poles) largest = std::max(largest, std::abs(p));
  for (const auto& p : poles) {
    if (std::abs(p) <= 1e-9 * largest) continue;  // an integrator: a ramp beside the others
    frequency = std::min(frequency, std::abs(p));
    if (p.real() > 1e-9 * std::abs(p))
      fastest_growth = std::max(fastest_growth, p.real());
    else if (p.real() < -1e-9 * std::abs(p))
      slowest = std::min(slowest, -p.real());
  }
  if (fastest_growth > 0) return 7 / fastest_growth;
  if (std::isfinite(slowest)) return std::min(7 / slowest, 300 / frequency);
  return std::isfinite(frequency) ? 30 / frequency : 1;
}

// Each root of `next` goes to the branch whose last point is nearest; the largest way one had to go, as a
// part of its distance to the others.
double Assign(const std::vector<std::complex<double>>& last, std::vector<std::complex<double>>& next) {
  std::vector<std::complex<double>> ordered(last.size());
  std::vector<bool> used(next.size(), false), done(last.size(), false);
  double worst = 0;
  for (size_t round = 0; round < last.size(); ++round) {
    size_t from = 0, to = 0;
    double least = INFINITY;
    for (size_t i = 0; i < last.size(); ++i) {
      if (done[i]) continue;
      for (size_t j = 0; j < next.size(); ++j) {
        if (used[j] || !(std::abs(next[j] - last[i]) < least)) continue;
        least = std::abs(next[j] - last[i]);
        from = i;
        to = j;
      }
    }
    done[from] = used[to] = true;
    ordered[from] = next[to];
    worst = std::max(worst, least / (std::abs(last[from]) + std::abs(next[to]) + 1e-300));
  }
  next = ordered;
  return worst;
}

}  // namespace

StepResponse FindStepResponse(const Channel& channel, size_t points) {
  const size_t n = channel.n();
  StepResponse out;
  const double horizon = Horizon(channel.Poles(), channel.period), period = channel.period;
  if (period > 0) points = static_cast<size_t>(std::clamp(std::ceil(horizon / period), 20.0, 20000.0));
  const double step = period > 0 ? period : horizon / static_cast<double>(points);
  Matrix transition(n + 1, n + 1);
  transition.SetBlock(0, 0, Matrix(n, n, channel.A));
  transition.SetBlock(0, n, Matrix(n, 1, channel.b));
  if (period > 0)
    transition(n, n) = 1;
  else
    transition = Exponential(transition *= step);
  std::vector<double> x(n + 1, 0.0);
  x[n] = 1;
  for (size_t k = 0; k <= points; ++k) {
    double y = channel.d[0];
    for (size_t i = 0; i < n; ++i) y += channel.c[i] * x[i];
    out.times.push_back(static_cast<double>(k) * step);
    out.values.push_back(y);
    x = transition * x;
  }
  return out;
}

RootLocus FindRootLocus(const Channel& loop, double most) {
  RootLocus out;
  std::vector<std::complex<double>> now = loop.Poles();
  const size_t n = now.size();
  out.branches.resize(n);
  const auto add = [&](double gain, const std::vector<std::complex<double>>& roots) {
    out.gains.push_back(gain);
    for (size_t k = 0; k < n; ++k) out.branches[k].push_back(roots[k]);
  };
  add(0, now);
  const double first = most * 1e-9;
  double gain = 0, factor = 1.02;
  while (gain < most) {
    const double next = std::min(most, gain == 0 ? first : gain * factor);
    std::vector<std::complex<double>> roots = ClosedPoles(loop, next);
    // One more comes from infinity where L is improper: not drawn. None: an algebraic loop at this very gain.
    if (roots.size() < n) {
      gain = next;
      continue;
    }
    const double worst = Assign(now, roots);
    if (worst > 0.02 && factor > 1.0005 && gain > 0) {
      factor = 1 + (factor - 1) / 2;
      continue;
    }
    gain = next;
    now = roots;
    add(gain, now);
    if (worst < 0.01) factor = std::min(1.05, 1 + (factor - 1) * 1.5);
  }
  return out;
}

}  // namespace cotree
