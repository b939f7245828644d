// SPDX-License-Identifier: Apache-2.0
#include "cli/simulation_output.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>

#include "base/archive.h"
#include "base/plural.h"
#include "cli/files.h"
#include "cli/result_files.h"
#include "results/crc32c.h"
#include "results/csv_format.h"
#include "results/select_columns.h"

namespace cotree {

namespace fs = std::filesystem;

namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr size_t kMostKept = 8192;      // rows of the copy; then it is thinned
constexpr size_t kParts = 2048;         // of the run, when it is thinned
constexpr size_t kMostEvents = 1000;    // of the copy: no picture shows more
constexpr size_t kMostWatched = 10000;  // variables that are looked at in each step

// As any format gives it back: zeros without a sign.
void AddTo(uint64_t* digest, double value) {
  value += 0.0;
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  *digest = (*digest ^ std::bit_cast<uint64_t>(value)) * 0x9E3779B97F4A7C15u;
  *digest ^= *digest >> 29u;
}

}  // namespace

SimulationOutput::SimulationOutput(const ResultHeader& header, std::string path, bool print_csv,
                                   const std::set<size_t>& kept, const std::vector<size_t>& written,
                                   double begin, double end)
    : path_(std::move(path)),
      print_csv_(print_csv),
      columns_(kept.begin(), kept.end()),
      written_as_(header.columns.size(), kNone),
      kept_as_(header.columns.size(), kNone),
      begin_(begin),
      end_(end) {
  Result whole;
  whole.header = header;
  whole.columns.resize(header.columns.size());
  header_ = SelectColumns(whole, written).header;
  for (size_t k = 0; k < written.size(); ++k) {
    if (!header_.columns[k].stored()) continue;
    stored_.push_back(written[k]);
    written_as_[written[k]] = static_cast<uint32_t>(k);
  }
  row_.resize(stored_.size());
  kept_.header = header;
  kept_.header.columns.clear();
  for (const size_t k : columns_) {
    kept_as_[k] = static_cast<uint32_t>(kept_.header.columns.size());
    kept_.header.columns.push_back(header.columns[k]);
    kept_.header.columns.back().alias_of.clear();
  }
  kept_.columns.resize(columns_.size());
}

std::vector<uint32_t> SimulationOutput::Watched() const {
  const auto format = FormatOfPath(path_);
  const bool table = format == ResultFormat::kCotr || format == ResultFormat::kHdf5;
  const bool all = table && !print_csv_ && stored_.size() <= kMostWatched;
  std::vector<uint32_t> watched;
  for (uint32_t k = 0; k < kept_as_.size(); ++k) {
    if (kept_as_[k] != kNone || (all && written_as_[k] != kNone)) watched.push_back(k);
  }
  return watched;
}

bool SimulationOutput::Begin() {
  if (print_csv_)
    writer_ = MakeCsvPrinter();
  else if (!path_.empty())
    writer_ = MakeResultWriter(path_, FormatOfPath(path_).value_or(ResultFormat::kCsv));
  return writer_ == nullptr || writer_->Begin(header_) || SayProblem();
}

// Who does not read on knows why.
bool SimulationOutput::SayProblem() const {
  if (!print_csv_ || !writer_->problem().ends_with(std::strerror(EPIPE)))
    fmt::print(stderr, "cotree: {}\n", writer_->problem());
  return false;
}

bool SimulationOutput::Fits(const Result& result, const Checkpoint& from, std::string* why) const {
  const ResultHeader& h = result.header;
  const auto differs = [&](const std::string& own, const std::string& its) {
    return !its.empty() && own != its;
  };
  if (differs(header_.model_hash, h.model_hash) || differs(header_.version, h.version) ||
      differs(header_.experiment, h.experiment) || differs(header_.tolerance, h.tolerance)) {
    *why = "is of another run: model, settings, experiment, tolerance or version differ";
    return false;
  }
  const auto by_name = h.ByName();
  bool same = h.columns.size() == header_.columns.size();
  for (size_t k = 0; same && k < header_.columns.size(); ++k)
    same = by_name.contains(header_.columns[k].name);
  if (!same) {
    *why = "has other variables";
    return false;
  }
  if (result.times.size() < from.rows) {
    *why = fmt::format("has {}, but the checkpoint was made behind row {}",
                       Plural(result.times.size(), "row"), from.rows);
    return false;
  }
  uint64_t digest = 0;
  std::vector<std::vector<double>> stored;
  for (const ResultColumn& column : header_.columns) {
    if (column.stored()) stored.push_back(result.Values(by_name.at(column.name)));
  }
  for (uint64_t r = 0; r < from.rows; ++r) {
    AddTo(&digest, result.times[r]);
    for (const auto& values : stored) AddTo(&digest, values[r]);
  }
  if (digest == from.digest) return true;
  *why = "has other numbers than the run of the checkpoint wrote";
  return false;
}

bool SimulationOutput::TakeOver(const Checkpoint& from) {
  if (path_.empty()) return true;
  // The old file stays under another name until its rows are in the new one.
  const std::string target = LinkTarget(path_), before = target + ".before";
  std::string why;
  std::optional<Result> result;
  std::string source;
  std::vector<std::string> candidates{target, before};
  if (FormatOfPath(path_) == ResultFormat::kHdf5)
    candidates.insert(candidates.begin(), target + std::string(kHdf5Stream));
  for (const std::string& candidate : candidates) {
    std::string problem, misfit;
    result = fs::exists(candidate) ? ReadResult(candidate, &problem) : std::nullopt;
    source = candidate;
    if (result && Fits(*result, from, &misfit)) break;
    if (result) problem = candidate + " " + misfit;
    if (why.empty()) why = problem;
    result.reset();
  }
  if (!result) {
    fmt::print(stderr, "cotree: {}; start anew without --resume\n",
               why.empty() ? fmt::format("there is no {} whose rows could be taken over", path_) : why);
    return false;
  }
  std::error_code failed;
  if (source != before) fs::rename(source, before, failed);
  if (failed || !Begin()) {
    if (failed) fmt::print(stderr, "cotree: cannot rename `{}`: {}\n", source, failed.message());
    return false;
  }
  std::vector<std::vector<double>> stored;
  const auto by_name = result->header.ByName();
  std::vector<uint32_t> own(result->header.columns.size(), kNone);  // by column of the file: of `header_`
  for (size_t k = 0; k < header_.columns.size(); ++k) {
    const size_t at = by_name.at(header_.columns[k].name);
    if (header_.columns[k].stored()) stored.push_back(result->Values(at));
    if (header_.columns[k].stored()) own[at] = static_cast<uint32_t>(k);
  }
  std::vector<std::vector<double>> kept;
  for (const ResultColumn& column : kept_.header.columns) {
    const auto at = by_name.find(column.name);
    kept.push_back(at == by_name.end() ? std::vector<double>(from.rows, NAN) : result->Values(at->second));
  }
  size_t extreme = 0;
  for (uint64_t r = 0; r < from.rows; ++r) {
    const double time = result->times[r];
    for (; extreme < result->extremes.size() && result->extremes[extreme].time < time; ++extreme) {
      const ResultExtreme& e = result->extremes[extreme];
      if (own[e.column] != kNone && !writer_->Extreme({own[e.column], e.time, e.value})) return false;
      for (size_t k = 0; k < kept.size(); ++k) {
        if (kept_.header.columns[k].name == result->header.columns[e.column].name)
          kept_.extremes.push_back({static_cast<uint32_t>(k), e.time, e.value});
      }
    }
    kept_.times.push_back(time);
    for (size_t k = 0; k < kept.size(); ++k) kept_.columns[k].push_back(kept[k][r]);
    for (size_t k = 0; k < stored.size(); ++k) row_[k] = stored[k][r];
    if (kept_.times.size() > kMostKept) Thin();
    if (!Write(time)) return false;
  }
  for (const ResultEvent& event : result->events) {
    if (event.time <= from.time) Event(event.time, event.text);
  }
  fs::remove(before, failed);
  return true;
}

bool SimulationOutput::Row(double time, std::span<const double> values) {
  kept_.times.push_back(time);
  for (size_t k = 0; k < columns_.size(); ++k) kept_.columns[k].push_back(values[columns_[k]]);
  for (size_t k = 0; k < stored_.size(); ++k) row_[k] = values[stored_[k]];
  if (kept_.times.size() > kMostKept) Thin();
  return Write(time);
}

void SimulationOutput::Extreme(size_t column, double time, double value) {
  if (kept_as_[column] != kNone) kept_.extremes.push_back({kept_as_[column], time, value});
  if (writer_ != nullptr && written_as_[column] != kNone)
    writer_->Extreme({written_as_[column], time, value});
}

bool SimulationOutput::Write(double time) {
  ++rows_;
  AddTo(&digest_, time);
  for (const double value : row_) AddTo(&digest_, value);
  return writer_ == nullptr || writer_->Row(time, row_);
}

// Of the rows of each part of the run the first and last stay; what is beyond them is an extreme.
void SimulationOutput::Thin() {
  const auto part_of = [&](double time) {
    return std::floor((time - begin_) / (end_ - begin_) * static_cast<double>(kParts));
  };
  std::vector<std::vector<ResultExtreme>> old(columns_.size());
  for (const ResultExtreme& e : kept_.extremes) old[e.column].push_back(e);
  std::vector<size_t> next(columns_.size(), 0);
  Result thin;
  thin.columns.resize(columns_.size());
  const size_t rows = kept_.times.size();
  const auto take = [&](size_t r) {
    thin.times.push_back(kept_.times[r]);
    for (size_t k = 0; k < columns_.size(); ++k) thin.columns[k].push_back(kept_.columns[k][r]);
  };
  for (size_t first = 0, last = 0; first < rows; first = last + 1) {
    const double part = part_of(kept_.times[first]);
    for (last = first; last + 1 < rows && part_of(kept_.times[last + 1]) == part;) ++last;
    for (uint32_t k = 0; k < columns_.size(); ++k) {
      const std::vector<double>& values = kept_.columns[k];
      // Before the first row: as it was.
      for (; next[k] < old[k].size() && old[k][next[k]].time < kept_.times[first]; ++next[k])
        thin.extremes.push_back(old[k][next[k]]);
      ResultExtreme low{k, kept_.times[first], values[first]}, high = low;
      const auto look = [&](double time, double value) {
        if (value < low.value) low = {k, time, value};
        if (value > high.value) high = {k, time, value};
      };
      for (size_t r = first + 1; r < last; ++r) look(kept_.times[r], values[r]);
      for (; next[k] < old[k].size() && old[k][next[k]].time < kept_.times[last]; ++next[k])
        look(old[k][next[k]].time, old[k][next[k]].value);
      if (low.value < std::min(values[first], values[last])) thin.extremes.push_back(low);
      if (high.value > std::max(values[first], values[last])) thin.extremes.push_back(high);
    }
    take(first);
    if (last > first) take(last);
  }
  // What lies behind the last row.
  for (size_t k = 0; k < columns_.size(); ++k)
    thin.extremes.insert(thin.extremes.end(), old[k].begin() + static_cast<std::ptrdiff_t>(next[k]),
                         old[k].end());
  kept_.times = std::move(thin.times);
  kept_.columns = std::move(thin.columns);
  kept_.extremes = std::move(thin.extremes);
}

void SimulationOutput::Event(double time, const std::string& what) {
  if (kept_.events.size() < kMostEvents) kept_.events.push_back({time, what});
  if (writer_ != nullptr) writer_->Event(time, what);
}

bool SimulationOutput::Finish(const std::string& status) {
  kept_.status = status;
  return writer_ == nullptr || writer_->Finish(status) || SayProblem();
}

namespace {

constexpr const char* kMagic = "cotree checkpoint 2\n";

void Exchange(Archive& archive, Checkpoint& c) {
  c.of.resize(archive.Size(c.of.size()));
  for (auto& [what, value] : c.of) {
    archive.Text(what);
    archive.Text(value);
  }
  archive.Number(c.time);
  archive.Number(c.rows);
  archive.Number(c.digest);
  archive.Text(c.state);
}

}  // namespace

std::string WhatDiffers(const std::vector<std::pair<std::string, std::string>>& before,
                        const std::vector<std::pair<std::string, std::string>>& now) {
  std::string out;
  const auto add = [&](const std::string& what, const std::string& was, const std::string& is) {
    if (was == is) return;
    const bool shown = was.size() <= 40 && is.size() <= 40 && what.starts_with("-");
    const auto value = [](const std::string& text) { return text.empty() ? "not given" : text; };
    out += (out.empty() ? "" : ", ") + what +
           (shown ? fmt::format(" (was {}, is {})", value(was), value(is)) : "");
  };
  const auto find = [](const auto& list, const std::string& what) {
    for (const auto& [own, value] : list) {
      if (own == what) return value;
    }
    return std::string();
  };
  for (const auto& [what, is] : now) add(what, find(before, what), is);
  return out;
}

bool SaveCheckpoint(const Checkpoint& checkpoint, const std::string& path) {
  Checkpoint copy = checkpoint;
  Archive archive;
  Exchange(archive, copy);
  Archive sum;
  uint32_t crc = Crc32c(archive.bytes());
  sum.Number(crc);
  return WriteFileSafely(path, kMagic + sum.bytes() + archive.bytes());
}

bool LoadCheckpoint(const std::string& path, Checkpoint* checkpoint, std::string* problem) {
  const auto text = ReadInputFile(path, {}, problem);
  if (!text) {
    *problem = "cannot be read: " + *problem;
    return false;
  }
  const std::string &bytes = *text, magic = kMagic;
  if (bytes.starts_with("cotree checkpoint ") && !bytes.starts_with(magic)) {
    *problem = "is the checkpoint of another version of cotree; start anew without --resume";
    return false;
  }
  if (bytes.compare(0, magic.size(), magic) != 0 || bytes.size() < magic.size() + 4) {
    *problem = "is no checkpoint";
    return false;
  }
  Archive sum(bytes.substr(magic.size(), 4)), archive(bytes.substr(magic.size() + 4));
  uint32_t crc = 0;
  sum.Number(crc);
  Exchange(archive, *checkpoint);
  if (crc == Crc32c(archive.bytes()) && archive.ok() && archive.AtEnd()) return true;
  *problem = "is damaged";
  return false;
}

}  // namespace cotree
