// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>

#include "results/result.h"
#include "simulation/simulate.h"

namespace cotree {

/** Where the rows of a run go while it runs: to a file as they come, or as CSV to standard output; of some
columns a copy is kept for the summary and for pictures. */
class SimulationOutput {
 public:
  /// `path` empty: no file. `kept`: columns of the header; `written`: those that go to the file or to
  /// standard output.
  SimulationOutput(const ResultHeader& header, std::string path, bool print_csv, std::set<size_t> kept,
                   const std::vector<size_t>& written);

  /// False, and a message, if the file cannot be written.
  bool Begin();
  /// The rows of an earlier run up to a checkpoint, from the file itself; false, and a message, if they are
  /// not there.
  bool TakeOver(uint64_t rows);
  /// `values`: one for each column of the header, aliases too.
  bool Row(double time, std::span<const double> values);
  bool Flush() { return writer_ == nullptr || writer_->Flush(); }
  void Event(double time, const std::string& what);
  bool Finish(const std::string& status);

  const Result& kept() const { return kept_; }  // its header has the kept columns only, all of them stored
  size_t written() const { return header_.columns.size(); }
  uint64_t rows() const { return rows_; }

 private:
  bool Write(double time);

  ResultHeader header_;  // of what is written
  std::string path_;
  bool print_csv_;
  std::vector<size_t> columns_;  // that are kept
  std::vector<size_t> stored_;   // columns of the run that are written, without aliases
  std::vector<double> row_;
  std::unique_ptr<ResultWriter> writer_;
  Result kept_;
  uint64_t rows_ = 0;
};

/** What is needed to go on with a run, in a file of its own: model, settings, time, rows, state; checked by a
 * sum. */
struct Checkpoint {
  std::string model_hash, settings;
  double time = 0;
  uint64_t rows = 0;
  std::string state;
};
bool SaveCheckpoint(const Checkpoint& checkpoint, const std::string& path);
/// False, and the reason.
bool LoadCheckpoint(const std::string& path, Checkpoint* checkpoint, std::string* problem);

}  // namespace cotree
