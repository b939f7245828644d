// SPDX-License-Identifier: Apache-2.0
#include "cli/simulation_output.h"

#include <fmt/core.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/archive.h"
#include "base/plural.h"
#include "cli/files.h"
#include "cli/result_files.h"
#include "results/crc32c.h"
#include "results/csv_format.h"
#include "results/select_columns.h"

namespace cotree {

namespace fs = std::filesystem;

SimulationOutput::SimulationOutput(const ResultHeader& header, std::string path, bool print_csv,
                                   std::set<size_t> kept, const std::vector<size_t>& written)
    : path_(std::move(path)), print_csv_(print_csv), columns_(kept.begin(), kept.end()) {
  Result whole;
  whole.header = header;
  whole.columns.resize(header.columns.size());
  header_ = SelectColumns(whole, written).header;
  for (size_t k = 0; k < written.size(); ++k) {
    if (header_.columns[k].stored()) stored_.push_back(written[k]);
  }
  row_.resize(stored_.size());
  kept_.header = header;
  kept_.header.columns.clear();
  for (const size_t k : columns_) {
    kept_.header.columns.push_back(header.columns[k]);
    kept_.header.columns.back().alias_of.clear();
  }
  kept_.columns.resize(columns_.size());
}

bool SimulationOutput::Begin() {
  if (print_csv_)
    writer_ = MakeCsvPrinter();
  else if (!path_.empty())
    writer_ = MakeResultWriter(path_, FormatOfPath(path_).value_or(ResultFormat::kCsv));
  if (writer_ == nullptr || writer_->Begin(header_)) return true;
  fmt::print(stderr, "cotree: {}\n", writer_->problem());
  return false;
}

bool SimulationOutput::TakeOver(uint64_t rows) {
  if (path_.empty()) return true;
  // The old file stays under another name until its rows are in the new one.
  const std::string old = path_ + ".before";
  std::error_code failed;
  if (!fs::exists(old)) fs::rename(path_, old, failed);
  const auto result = LoadResult(old);
  if (!result) return false;
  if (result->times.size() < rows || result->header.columns.size() != header_.columns.size()) {
    fmt::print(stderr,
               "cotree: {} has {}, but the checkpoint was made behind row {}; start anew without --resume\n",
               path_, Plural(result->times.size(), "row"), rows);
    return false;
  }
  if (!Begin()) return false;
  std::vector<std::vector<double>> stored;
  for (size_t k = 0; k < header_.columns.size(); ++k) {
    if (header_.columns[k].stored()) stored.push_back(result->Values(k));
  }
  const auto by_name = result->header.ByName();
  for (size_t k = 0; k < columns_.size(); ++k) {
    const auto at = by_name.find(kept_.header.columns[k].name);
    kept_.columns[k] = at == by_name.end() ? std::vector<double>(rows, NAN) : result->Values(at->second);
    kept_.columns[k].resize(rows);
  }
  kept_.times.assign(result->times.begin(), result->times.begin() + static_cast<std::ptrdiff_t>(rows));
  for (uint64_t r = 0; r < rows; ++r) {
    for (size_t k = 0; k < stored.size(); ++k) row_[k] = stored[k][r];
    if (!Write(result->times[r])) return false;
  }
  fs::remove(old, failed);
  return true;
}

bool SimulationOutput::Row(double time, std::span<const double> values) {
  kept_.times.push_back(time);
  for (size_t k = 0; k < columns_.size(); ++k) kept_.columns[k].push_back(values[columns_[k]]);
  for (size_t k = 0; k < stored_.size(); ++k) row_[k] = values[stored_[k]];
  return Write(time);
}

bool SimulationOutput::Write(double time) {
  ++rows_;
  return writer_ == nullptr || writer_->Row(time, row_);
}

void SimulationOutput::Event(double time, const std::string& what) {
  kept_.events.push_back({time, what});
  if (writer_ != nullptr) writer_->Event(time, what);
}

bool SimulationOutput::Finish(const std::string& status) {
  kept_.status = status;
  if (writer_ == nullptr || writer_->Finish(status)) return true;
  fmt::print(stderr, "cotree: {}\n", writer_->problem());
  return false;
}

namespace {

constexpr const char* kMagic = "cotree checkpoint 1\n";

void Exchange(Archive& archive, Checkpoint& c) {
  archive.Text(c.model_hash);
  archive.Text(c.settings);
  archive.Number(c.time);
  archive.Number(c.rows);
  archive.Text(c.state);
}

}  // namespace

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
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  const std::string bytes = text.str(), magic = kMagic;
  if (!file.good() || bytes.empty()) {
    *problem = "cannot be read";
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
