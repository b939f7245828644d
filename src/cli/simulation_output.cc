// SPDX-License-Identifier: Apache-2.0
#include "cli/simulation_output.h"

#include <fmt/core.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/archive.h"
#include "cli/files.h"
#include "cli/result_files.h"
#include "results/crc32c.h"
#include "results/csv_format.h"

namespace cotree {

namespace fs = std::filesystem;

SimulationOutput::SimulationOutput(ResultHeader header, std::string path, bool print_csv,
                                   std::set<size_t> kept)
    : header_(std::move(header)),
      path_(std::move(path)),
      print_csv_(print_csv),
      columns_(kept.begin(), kept.end()) {
  kept_.header = header_;
  kept_.header.columns.clear();
  for (const size_t k : columns_) kept_.header.columns.push_back(header_.columns[k]);
  kept_.columns.resize(columns_.size());
}

bool SimulationOutput::Begin() {
  if (print_csv_) std::fputs(CsvNames(header_).c_str(), stdout);
  if (path_.empty()) return true;
  writer_ = MakeResultWriter(path_, FormatOfPath(path_).value_or(ResultFormat::kCsv));
  if (writer_->Begin(header_)) return true;
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
    fmt::print(
        stderr,
        "cotree: {} has {} rows, but the checkpoint was made behind row {}; start anew without --resume\n",
        path_, result->times.size(), rows);
    return false;
  }
  if (!Begin()) return false;
  std::vector<double> values(result->columns.size());
  for (uint64_t r = 0; r < rows; ++r) {
    for (size_t k = 0; k < values.size(); ++k) values[k] = result->columns[k][r];
    if (!Row(result->times[r], values)) return false;
  }
  fs::remove(old, failed);
  return true;
}

bool SimulationOutput::Row(double time, std::span<const double> values) {
  ++rows_;
  kept_.times.push_back(time);
  for (size_t k = 0; k < columns_.size(); ++k) kept_.columns[k].push_back(values[columns_[k]]);
  if (print_csv_) {
    line_.clear();
    AppendCsvRow(time, values, &line_);
    std::fputs(line_.c_str(), stdout);
  }
  if (writer_ == nullptr || writer_->Row(time, values)) return true;
  return false;
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
