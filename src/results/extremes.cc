// SPDX-License-Identifier: Apache-2.0
#include "results/extremes.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace cotree {

ResultCurve ExtremesOf(const Result& result, size_t column) {
  const ResultColumn& own = result.header.columns[column];
  const size_t source = own.stored() ? column : result.header.Find(own.alias_of).value_or(column);
  const bool opposite = !own.stored() && own.alias_sign < 0;
  std::vector<ResultExtreme> between;
  for (const ResultExtreme& e : result.extremes) {
    if (e.column == source) between.push_back(e);
  }
  std::stable_sort(between.begin(), between.end(),
                   [](const ResultExtreme& a, const ResultExtreme& b) { return a.time < b.time; });
  ResultCurve out;
  for (const ResultExtreme& e : between) {
    out.times.push_back(e.time);
    out.values.push_back(opposite ? 0.0 - e.value : e.value);
  }
  return out;
}

void AddRowsAtExtremes(const std::vector<bool>& stepwise, std::vector<ResultExtreme> extremes,
                       std::vector<double>* times, std::vector<std::vector<double>>* columns) {
  if (extremes.empty() || times->empty()) return;
  std::stable_sort(extremes.begin(), extremes.end(),
                   [](const ResultExtreme& a, const ResultExtreme& b) { return a.time < b.time; });
  /* A row of the new ones: one of the old, or one between it and the next. */
  struct Row {
    size_t old;
    double time;
    size_t first, last;  // its extremes
  };
  std::vector<Row> rows;
  size_t next = 0;
  for (size_t r = 0; r < times->size(); ++r) {
    const double time = (*times)[r];
    while (next < extremes.size() && extremes[next].time < time) {
      const double at = extremes[next].time;
      const size_t first = next;
      while (next < extremes.size() && extremes[next].time == at) ++next;
      if (r > 0 && at > (*times)[r - 1]) rows.push_back({r - 1, at, first, next});
    }
    rows.push_back({r, time, 0, 0});
  }
  for (size_t k = 0; k < columns->size(); ++k) {
    std::vector<double>& old = (*columns)[k];
    if (old.empty()) continue;
    std::vector<double> values;
    values.reserve(rows.size());
    for (const Row& row : rows) {
      double value = old[row.old];
      if (row.first < row.last && !stepwise[k]) {
        const double begin = (*times)[row.old], part = (row.time - begin) / ((*times)[row.old + 1] - begin);
        value += part * (old[row.old + 1] - value);
      }
      for (size_t e = row.first; e < row.last; ++e) {
        if (extremes[e].column == k) value = extremes[e].value;
      }
      values.push_back(value);
    }
    old = std::move(values);
  }
  times->clear();
  for (const Row& row : rows) times->push_back(row.time);
}

std::vector<size_t> RowsToShow(const std::vector<double>& times,
                               const std::vector<std::vector<double>>& columns, size_t parts) {
  std::vector<size_t> shown;
  if (times.empty()) return shown;
  const double begin = times.front(), length = times.back() - begin;
  const auto part_of = [&](size_t r) {
    return length > 0 ? std::floor((times[r] - begin) / length * static_cast<double>(parts)) : 0.0;
  };
  for (size_t first = 0, last = 0; first < times.size(); first = last + 1) {
    for (last = first; last + 1 < times.size() && part_of(last + 1) == part_of(first);) ++last;
    std::set<size_t> rows{first, last};
    for (const std::vector<double>& values : columns) {
      if (values.empty()) continue;
      const auto from = values.begin() + static_cast<std::ptrdiff_t>(first);
      const auto [low, high] =
          std::minmax_element(from, values.begin() + static_cast<std::ptrdiff_t>(last) + 1);
      rows.insert(static_cast<size_t>(low - values.begin()));
      rows.insert(static_cast<size_t>(high - values.begin()));
    }
    shown.insert(shown.end(), rows.begin(), rows.end());
  }
  return shown;
}

}  // namespace cotree
