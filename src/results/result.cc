// SPDX-License-Identifier: Apache-2.0
#include "results/result.h"

#include <algorithm>
#include <limits>

#include "results/extremes.h"

namespace cotree {

size_t ResultHeader::StoredColumns() const {
  return static_cast<size_t>(
      std::count_if(columns.begin(), columns.end(), [](const ResultColumn& c) { return c.stored(); }));
}

std::optional<size_t> ResultHeader::Find(std::string_view name) const {
  for (size_t k = 0; k < columns.size(); ++k) {
    if (columns[k].name == name) return k;
  }
  return std::nullopt;
}

std::map<std::string_view, size_t> ResultHeader::ByName() const {
  std::map<std::string_view, size_t> places;
  for (size_t k = 0; k < columns.size(); ++k) places.emplace(columns[k].name, k);
  return places;
}

std::vector<double> Result::Values(size_t column) const {
  const ResultColumn& own = header.columns[column];
  if (own.stored()) return columns[column];
  const std::optional<size_t> source = header.Find(own.alias_of);
  if (!source) return std::vector<double>(times.size());
  std::vector<double> values = columns[*source];
  if (own.alias_sign < 0) {
    for (double& value : values) value = 0.0 - value;  // so that the opposite of 0 is 0
  }
  return values;
}

ResultCurve CurveOf(const Result& result, size_t column) {
  const ResultCurve between = ExtremesOf(result, column);
  ResultCurve rows{result.times, result.Values(column)};
  if (between.times.empty()) return rows;
  ResultCurve out;
  size_t next = 0;
  const auto take = [&](const ResultCurve& from, size_t k) {
    out.times.push_back(from.times[k]);
    out.values.push_back(from.values[k]);
  };
  for (size_t r = 0; r < rows.times.size(); ++r) {
    for (; next < between.times.size() && between.times[next] < rows.times[r]; ++next) take(between, next);
    take(rows, r);
  }
  return out;
}

std::optional<ResultFormat> FormatOfPath(std::string_view path) {
  static constexpr std::pair<std::string_view, ResultFormat> kEnds[] = {{".cotr", ResultFormat::kCotr},
                                                                        {".csv", ResultFormat::kCsv},
                                                                        {".mat", ResultFormat::kMat4},
                                                                        {".h5", ResultFormat::kHdf5},
                                                                        {".hdf5", ResultFormat::kHdf5}};
  for (const auto& [end, format] : kEnds) {
    if (path.size() > end.size() && path.ends_with(end)) return format;
  }
  return std::nullopt;
}

bool WriteResult(const Result& result, const std::string& path, ResultFormat format, std::string* problem) {
  const std::unique_ptr<ResultWriter> writer = MakeResultWriter(path, format);
  std::vector<size_t> stored;
  for (size_t k = 0; k < result.header.columns.size(); ++k) {
    if (result.header.columns[k].stored()) stored.push_back(k);
  }
  std::vector<double> row(stored.size());
  bool ok = writer->Begin(result.header);
  size_t event = 0, extreme = 0;
  const auto events_until = [&](double time) {
    for (; ok && event < result.events.size() && result.events[event].time <= time; ++event)
      ok = writer->Event(result.events[event].time, result.events[event].text);
  };
  for (size_t r = 0; ok && r < result.times.size(); ++r) {
    for (; ok && extreme < result.extremes.size() && result.extremes[extreme].time < result.times[r];
         ++extreme)
      ok = writer->Extreme(result.extremes[extreme]);
    for (size_t k = 0; k < stored.size(); ++k) row[k] = result.columns[stored[k]][r];
    ok = ok && writer->Row(result.times[r], row);
    events_until(result.times[r]);
  }
  events_until(std::numeric_limits<double>::infinity());
  ok = ok && writer->Finish(result.status);
  if (!ok) *problem = writer->problem();
  return ok;
}

}  // namespace cotree
