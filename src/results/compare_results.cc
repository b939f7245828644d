// SPDX-License-Identifier: Apache-2.0
#include "results/compare_results.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cotree {
namespace {

/* The values of a curve just before and just after a time. */
struct Limits {
  double before, after;
};

/* Where the rows of a result lie around each time that is compared: the same for all its variables. */
struct Around {
  size_t first;  // row with time >= t
  size_t last;   // row with time <= t, of several the last one; first - 1 if t lies between rows
};

std::vector<Around> FindRows(const std::vector<double>& times, const std::vector<double>& at) {
  std::vector<Around> rows;
  size_t first = 0, next = 0;
  for (const double t : at) {
    while (first + 1 < times.size() && times[first] < t) ++first;
    while (next < times.size() && times[next] <= t) ++next;
    rows.push_back({first, next == 0 ? 0 : next - 1});
  }
  return rows;
}

Limits ValueAt(const std::vector<double>& times, const std::vector<double>& values, const Around& rows,
               double t, bool stepwise) {
  const size_t k = rows.first;
  if (times[k] == t) {
    const bool jumps_in_one_row = stepwise && rows.last == k && k > 0;
    return {values[jumps_in_one_row ? k - 1 : k], values[rows.last]};
  }
  if (stepwise) return {values[k - 1], values[k - 1]};
  const double part = (t - times[k - 1]) / (times[k] - times[k - 1]);
  const double value = values[k - 1] + part * (values[k] - values[k - 1]);
  return {value, value};
}

double Distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double distance = std::fabs(a - b);
  return std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance;
}

double Largest(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  }
  return largest;
}

std::vector<double> CommonTimes(const Result& a, const Result& b, double begin, double end) {
  std::vector<double> times;
  std::merge(a.times.begin(), a.times.end(), b.times.begin(), b.times.end(), std::back_inserter(times));
  times.erase(std::unique(times.begin(), times.end()), times.end());
  std::erase_if(times, [&](double t) { return t < begin || t > end; });
  return times;
}

}  // namespace

size_t Comparison::Beyond() const {
  return static_cast<size_t>(
      std::count_if(deviations.begin(), deviations.end(), [](const Deviation& d) { return d.beyond(); }));
}

Comparison CompareResults(const Result& a, const Result& b, const CompareOptions& options) {
  Comparison out;
  const auto in_a = a.header.ByName(), in_b = b.header.ByName();
  for (const ResultColumn& column : b.header.columns) {
    if (!in_a.contains(column.name)) out.only_b.push_back(column.name);
  }
  if (a.times.empty() || b.times.empty()) {
    out.begin = 1;
    out.same_range = a.times.empty() && b.times.empty();
    return out;
  }
  out.begin = std::max(a.times.front(), b.times.front());
  out.end = std::min(a.times.back(), b.times.back());
  const double slack = 1e-9 * std::max(a.times.back() - a.times.front(), b.times.back() - b.times.front());
  out.same_range = std::fabs(a.times.front() - b.times.front()) <= slack &&
                   std::fabs(a.times.back() - b.times.back()) <= slack;
  const std::vector<double> times = CommonTimes(a, b, out.begin, out.end);
  out.times = times.size();
  const std::vector<Around> rows_a = FindRows(a.times, times), rows_b = FindRows(b.times, times);
  for (size_t k = 0; k < a.header.columns.size(); ++k) {
    const ResultColumn& column = a.header.columns[k];
    const auto other = in_b.find(column.name);
    if (other == in_b.end()) {
      out.only_a.push_back(column.name);
      continue;
    }
    const ResultColumn& column_b = b.header.columns[other->second];
    const bool stepwise = column.stepwise || column_b.stepwise;
    const std::vector<double> values_a = a.Values(k), values_b = b.Values(other->second);
    Deviation worst{column.name, column.unit.empty() ? column_b.unit : column.unit};
    worst.allowed = options.atol + options.rtol * std::max(Largest(values_a), Largest(values_b));
    const auto consider = [&](double time, double mine, double theirs) {
      const double distance = Distance(mine, theirs);
      if (distance > worst.worst || time == times.front()) {
        worst.worst = std::max(distance, worst.worst);
        worst.time = time;
        worst.a = mine;
        worst.b = theirs;
      }
    };
    for (size_t i = 0; i < times.size(); ++i) {
      const Limits mine = ValueAt(a.times, values_a, rows_a[i], times[i], stepwise);
      const Limits theirs = ValueAt(b.times, values_b, rows_b[i], times[i], stepwise);
      // Nothing is before the beginning.
      if (i > 0) consider(times[i], mine.before, theirs.before);
      consider(times[i], mine.after, theirs.after);
    }
    out.deviations.push_back(std::move(worst));
  }
  std::sort(out.deviations.begin(), out.deviations.end(), [](const Deviation& x, const Deviation& y) {
    const auto part = [](const Deviation& d) { return d.worst == 0 ? 0 : d.worst / d.allowed; };
    return part(x) != part(y) ? part(x) > part(y) : x.name < y.name;
  });
  return out;
}

}  // namespace cotree
