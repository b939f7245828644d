// SPDX-License-Identifier: Apache-2.0
#include "control/control_figures.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "control/responses.h"

namespace cotree {
namespace {

constexpr double kPi = 3.14159265358979323846;

/* The phase in degrees without jumps of 360; the first one in (-270, 90]. */
std::vector<double> Unwrapped(const std::vector<std::complex<double>>& values) {
  std::vector<double> out;
  for (const auto& value : values) {
    const double angle = std::arg(value) * 180 / kPi;
    const double near = out.empty() ? -90 + 1e-6 : out.back();
    out.push_back(angle + 360 * std::round((near - angle) / 360));
  }
  return out;
}

// The odd multiple of 180 degrees from which the phase is `margin` away at this frequency, as it is drawn.
double BoundaryNear(const Pane& phase, double frequency, double margin) {
  double nearest = 1e300, drawn = margin - 180;
  for (const Series& series : phase.series) {
    for (size_t k = 0; k < series.x.size(); ++k) {
      const double distance = std::fabs(std::log(series.x[k] / frequency));
      if (distance < nearest) nearest = distance, drawn = series.y[k];
    }
  }
  return -180 + 360 * std::round((drawn - margin + 180) / 360);
}

Series UnitCircle() {
  Series circle;
  circle.name = "unit circle";
  circle.dash = Dash::kDotted;
  circle.colour = 6;
  for (int k = 0; k <= 180; ++k) {
    circle.x.push_back(std::cos(k * kPi / 90));
    circle.y.push_back(std::sin(k * kPi / 90));
  }
  return circle;
}

}  // namespace

Figure BodeFigure(const std::string& title, const std::vector<NamedChannel>& channels,
                  const Margins* margins) {
  Figure figure;
  figure.title = title;
  figure.panes.resize(2);
  Pane& gain = figure.panes[0];
  Pane& phase = figure.panes[1];
  gain.y.label = "gain";
  gain.y.unit = "dB";
  phase.y.label = "phase";
  phase.y.unit = "deg";
  for (Pane* pane : {&gain, &phase}) {
    pane->x.label = "frequency";
    pane->x.unit = "rad/s";
    pane->x.log = true;
  }
  gain.levels = {0};
  phase.levels = {-180};
  for (const NamedChannel& c : channels) {
    Series size, angle;
    size.name = channels.size() > 1 ? c.name : "";
    std::vector<std::complex<double>> values;
    for (const double w : DenseGrid(c.channel, 2, 100)) {
      const std::complex<double> value = c.channel.AtFrequency(w);
      if (!std::isfinite(std::abs(value)) || std::abs(value) == 0) continue;
      size.x.push_back(w);
      size.y.push_back(20 * std::log10(std::abs(value)));
      values.push_back(value);
    }
    angle.x = size.x;
    angle.y = Unwrapped(values);
    gain.series.push_back(std::move(size));
    phase.series.push_back(std::move(angle));
  }
  if (margins != nullptr) {
    if (const auto p = margins->SmallestPhase()) {
      const double degrees = p->margin * 180 / kPi;
      const std::string text = fmt::format("phase margin {:.3g}° at {:.3g} rad/s", degrees, p->frequency);
      for (Pane* pane : {&gain, &phase}) pane->marks.push_back({p->frequency, text});
      // At the turn of the circle in which the curve is drawn there.
      const double boundary = BoundaryNear(phase, p->frequency, degrees);
      phase.levels = {boundary};
      phase.spans.push_back({p->frequency, boundary, boundary + degrees, text});
    }
    if (const auto g = margins->UpperGain(); g && g->frequency > 0 && std::isfinite(g->frequency)) {
      const double decibels = 20 * std::log10(g->factor);
      const std::string text = fmt::format("gain margin {:.3g} dB at {:.3g} rad/s", decibels, g->frequency);
      for (Pane* pane : {&gain, &phase}) pane->marks.push_back({g->frequency, text});
      gain.spans.push_back({g->frequency, -decibels, 0, text});
    }
  }
  return figure;
}

Figure NyquistFigure(const std::string& title, const Channel& loop) {
  Figure figure;
  figure.title = title;
  figure.height = 620;
  figure.panes.resize(1);
  Pane& pane = figure.panes[0];
  pane.equal = true;
  pane.x.label = "real part";
  pane.y.label = "imaginary part";
  Series upper, lower, point;
  upper.name = "L, w > 0";
  lower.name = "L, w < 0";
  upper.dash = Dash::kSolid;
  lower.dash = Dash::kDashed;
  upper.colour = lower.colour = 0;
  std::vector<std::complex<double>> values;
  for (const double w : DenseGrid(loop)) values.push_back(loop.AtFrequency(w));
  // Large parts are cut off around -1, or else nothing is seen there.
  double window = 3;
  std::vector<double> sizes;
  for (const auto& v : values) {
    if (std::isfinite(std::abs(v))) sizes.push_back(std::abs(v));
  }
  std::sort(sizes.begin(), sizes.end());
  if (!sizes.empty()) window = std::clamp(1.2 * sizes.back(), 1.5, 5.0);
  for (const auto& v : values) {
    const bool inside = std::abs(v.real()) <= window && std::abs(v.imag()) <= window;
    upper.x.push_back(inside ? v.real() : NAN);
    upper.y.push_back(inside ? v.imag() : NAN);
    lower.x.push_back(inside ? v.real() : NAN);
    lower.y.push_back(inside ? -v.imag() : NAN);
  }
  point.name = "-1";
  point.line = false;
  point.marker = Marker::kCross;
  point.colour = 1;
  point.x = {-1};
  point.y = {0};
  pane.levels = {0};
  pane.series = {upper, lower, UnitCircle(), point};
  return figure;
}

Figure RootLocusFigure(const std::string& title, const Channel& loop) {
  Figure figure;
  figure.title = title;
  figure.height = 620;
  figure.panes.resize(1);
  Pane& pane = figure.panes[0];
  const bool sampled = loop.period > 0;
  pane.equal = sampled;
  pane.x.label = sampled ? "real part of z" : "real part";
  pane.y.label = sampled ? "imaginary part of z" : "imaginary part";
  if (!sampled) pane.x.unit = pane.y.unit = "1/s";
  const RootLocus locus = FindRootLocus(loop);
  const auto poles = loop.Poles(), zeros = loop.Zeros(), closed = ClosedPoles(loop, 1);
  // What is drawn: around poles, zeros and the closed loop; branches that leave are cut off.
  double size = 0;
  for (const auto* list : {&poles, &zeros, &closed}) {
    for (const auto& p : *list) size = std::max(size, std::abs(p));
  }
  size = sampled ? std::clamp(1.5 * size, 1.2, 3.0) : size > 0 ? 1.5 * size : 1;
  for (size_t k = 0; k < locus.branches.size(); ++k) {
    Series branch;
    branch.colour = 3 + k % 3;  // poles, zeros and the closed loop have others
    branch.dash = Dash::kSolid;
    for (const auto& p : locus.branches[k]) {
      const bool inside = std::abs(p.real()) <= size && std::abs(p.imag()) <= size;
      branch.x.push_back(inside ? p.real() : NAN);
      branch.y.push_back(inside ? p.imag() : NAN);
    }
    pane.series.push_back(std::move(branch));
  }
  const auto points = [&](const char* name, const std::vector<std::complex<double>>& list, Marker marker,
                          size_t colour) {
    if (list.empty()) return;
    Series s;
    s.name = name;
    s.line = false;
    s.marker = marker;
    s.colour = colour;
    for (const auto& p : list) {
      if (sampled && !(std::abs(p) <= size)) continue;
      s.x.push_back(p.real());
      s.y.push_back(p.imag());
    }
    pane.series.push_back(std::move(s));
  };
  if (sampled) pane.series.push_back(UnitCircle());
  points("poles of L", poles, Marker::kCross, 1);
  points("zeros of L", zeros, Marker::kCircle, 2);
  points("closed loop", closed, Marker::kCircle, 0);
  pane.levels = {0};
  return figure;
}

Figure StepFigure(const std::string& title, const std::vector<NamedChannel>& channels) {
  Figure figure;
  figure.title = title;
  figure.panes.resize(1);
  Pane& pane = figure.panes[0];
  pane.x.label = "time";
  pane.x.unit = "s";
  if (channels.size() == 1) pane.y.label = channels[0].name;
  for (const NamedChannel& c : channels) {
    const StepResponse step = FindStepResponse(c.channel);
    Series s;
    s.name = channels.size() > 1 ? c.name : "";
    s.x = step.times;
    s.y = step.values;
    s.steps = c.channel.period > 0;
    pane.series.push_back(std::move(s));
  }
  return figure;
}

}  // namespace cotree
