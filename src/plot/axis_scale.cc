// SPDX-License-Identifier: Apache-2.0
#include "plot/axis_scale.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "plot/unit_text.h"

namespace cotree {
namespace {

constexpr double kLeastSpacing = 14;  // pixels from tick to tick

double NiceStep(double least, bool degrees) {
  if (degrees && least > 5 && least <= 360) {
    for (const double step : {10.0, 15.0, 30.0, 45.0, 90.0, 180.0, 360.0}) {
      if (step >= least) return step;
    }
  }
  const double decade = std::pow(10.0, std::floor(std::log10(least)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * decade >= least * (1 - 1e-9)) return step * decade;
  }
  return 10 * decade;
}

std::string NumberText(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find_first_not_of("-0.") == std::string::npos && text.front() == '-') text.erase(0, 1);
  if (text.front() == '-') text.replace(0, 1, "−");
  return text;
}

void LinearTicks(const Axis& axis, double pixels, double spacing, AxisScale* scale) {
  const ShownUnit shown = ChooseUnit(axis.unit, std::max(std::fabs(scale->low), std::fabs(scale->high)));
  scale->unit = shown.unit;
  const double low = scale->low / shown.factor, high = scale->high / shown.factor;
  const double count = std::max(2.0, std::floor(pixels / spacing));
  const bool degrees = axis.unit == "deg";
  double step = NiceStep((high - low) / count, degrees);
  // Two numbers or fewer say little: rather nearer to each other.
  const auto ticks = [&] { return std::floor(high / step + 1e-9) - std::ceil(low / step - 1e-9) + 1; };
  if (ticks() < 3 && pixels * step / (high - low) > 2.5 * kLeastSpacing) step = NiceStep(step / 2.5, degrees);
  if (axis.whole && shown.factor == 1) step = std::max(step, 1.0);
  const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 15);
  const double first = std::ceil(low / step - 1e-9);
  for (double k = first; k * step <= high + 1e-9 * step && scale->ticks.size() < 100; ++k)
    scale->ticks.push_back({k * step * shown.factor, NumberText(k * step, decimals)});
}

void LogTicks(const Axis& axis, double pixels, double spacing, AxisScale* scale) {
  scale->unit = PrettyUnit(axis.unit);
  const double decades = std::log10(scale->high / scale->low);
  const int first = static_cast<int>(std::floor(std::log10(scale->low))),
            last = static_cast<int>(std::ceil(std::log10(scale->high)));
  const double per_decade = pixels / decades;
  const int stride = std::max(1, static_cast<int>(std::ceil(spacing / per_decade)));
  const bool few = decades < 2.2;
  for (int e = first; e <= last; ++e) {
    for (int digit = 1; digit <= 9; ++digit) {
      const double value = digit * std::pow(10.0, e);
      if (value < scale->low * (1 - 1e-9) || value > scale->high * (1 + 1e-9)) continue;
      if (few && (digit == 1 || digit == 2 || digit == 5))
        scale->ticks.push_back({value, NumberText(value, std::max(0, -e))});
      else if (digit == 1 && ((e % stride) + stride) % stride == 0)
        scale->ticks.push_back({value, PowerOfTen(e)});
      else if (stride == 1 && per_decade > 40)
        scale->minor.push_back(value);
    }
  }
}

}  // namespace

double AxisScale::Place(double value) const {
  if (log) return std::log(value / low) / std::log(high / low);
  return (value - low) / (high - low);
}

void DataRange::Add(double value, bool log) {
  if (!std::isfinite(value) || (log && value <= 0)) return;
  low = empty ? value : std::min(low, value);
  high = empty ? value : std::max(high, value);
  empty = false;
}

AxisScale ScaleOver(const Axis& axis, double low, double high, double pixels, double spacing) {
  AxisScale scale;
  scale.log = axis.log;
  scale.low = low;
  scale.high = high;
  (axis.log ? LogTicks : LinearTicks)(axis, pixels, spacing, &scale);
  return scale;
}

AxisScale FindScale(const Axis& axis, const DataRange& data, double pixels, double spacing, double room) {
  double low = data.empty ? (axis.log ? 0.1 : 0) : data.low, high = data.empty ? 1 : data.high;
  if (axis.log) {
    if (high < low * 1.001) {
      low /= 3;
      high *= 3;
    }
    const double add = std::pow(high / low, room);
    low /= add;
    high *= add;
  } else {
    const double size = std::max(std::fabs(low), std::fabs(high));
    if (high - low <= 1e-11 * size || size < 1e-290) {
      const double half = size < 1e-290 ? 1 : 0.1 * size;
      low -= half;
      high += half;
    } else {
      const double add = room * (high - low);
      low -= add;
      high += add;
    }
  }
  if (axis.low && (!axis.log || *axis.low > 0)) low = *axis.low;
  if (axis.high && (!axis.log || *axis.high > 0)) high = *axis.high;
  if (!(low < high)) high = axis.log ? low * 10 : low + std::max(1.0, std::fabs(low));
  // So far that differences and quotients stay finite.
  low = std::clamp(low, axis.log ? 1e-150 : -1e300, 1e300);
  high = std::clamp(high, axis.log ? 1e-149 : -1e300, axis.log ? 1e150 : 1e300);
  if (!(low < high)) low = axis.log ? high / 10 : high - 0.1 * std::fabs(high);
  AxisScale scale = ScaleOver(axis, low, high, pixels, spacing);
  // A run that ends a hair before a round number shows that number.
  if (room > 0 || axis.log || axis.high || scale.ticks.size() < 2) return scale;
  const double next = 2 * scale.ticks.back().value - scale.ticks[scale.ticks.size() - 2].value;
  return next - high < 0.005 * (high - low) ? ScaleOver(axis, low, next, pixels, spacing) : scale;
}

}  // namespace cotree
