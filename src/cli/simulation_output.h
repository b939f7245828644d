// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "results/result.h"
#include "simulation/simulate.h"

namespace cotree {

/** What is needed to go on with a run, in a file of its own: of what run, how far, and its state; checked by
 * a sum. */
struct Checkpoint {
  /// What the run depends on, in words: ("the model", "836a..."), ("--rtol", "1e-06").
  std::vector<std::pair<std::string, std::string>> of;
  double time = 0;
  uint64_t rows = 0, digest = 0;  // that were written
  std::string state;
};
/// What differs, "the model, --rtol (was 1e-06, is 1e-08)"; empty: nothing.
std::string WhatDiffers(const std::vector<std::pair<std::string, std::string>>& before,
                        const std::vector<std::pair<std::string, std::string>>& now);

/** Where the rows of a run go while it runs: to a file as they come, or as CSV to standard output; of some
columns a copy is kept for the summary and for pictures. The copy does not grow without end: of many rows the
first, lowest, highest and last of each part of the run stay. */
class SimulationOutput {
 public:
  /// `path` empty: no file. `kept`: columns of the header; `written`: those that go to the file or to
  /// standard output. `begin`, `end`: of the run.
  SimulationOutput(const ResultHeader& header, std::string path, bool print_csv, const std::set<size_t>& kept,
                   const std::vector<size_t>& written, double begin, double end);

  /// False, and a message, if the file cannot be written.
  bool Begin();
  /// The rows of an earlier run up to a checkpoint, from the file itself; false, and a message, if they are
  /// not there, or are not those that the checkpoint was made behind.
  bool TakeOver(const Checkpoint& from);
  /// `values`: one for each column of the header, aliases too.
  bool Row(double time, std::span<const double> values);
  /// `column`: of the header.
  void Extreme(size_t column, double time, double value);
  bool Flush() { return writer_ == nullptr || writer_->Flush(); }
  void Event(double time, const std::string& what);
  bool Finish(const std::string& status);

  const Result& kept() const { return kept_; }  // its header has the kept columns only, all of them stored
  size_t written() const { return header_.columns.size(); }
  uint64_t rows() const { return rows_; }
  /// A number for all rows so far that were written, to the last bit.
  uint64_t digest() const { return digest_; }
  /// What is to be watched between rows: what is written and kept, or where that is very much, what is kept.
  std::vector<uint32_t> Watched() const;

 private:
  bool SayProblem() const;
  bool Write(double time);
  void Thin();
  bool Fits(const Result& result, const Checkpoint& from, std::string* why) const;

  ResultHeader header_;  // of what is written
  std::string path_;
  bool print_csv_;
  std::vector<size_t> columns_;                 // that are kept
  std::vector<size_t> stored_;                  // columns of the run that are written, without aliases
  std::vector<uint32_t> written_as_, kept_as_;  // by column of the run: in `header_`, in `kept_`; none: kNone
  std::vector<double> row_;
  std::unique_ptr<ResultWriter> writer_;
  Result kept_;
  double begin_, end_;
  uint64_t rows_ = 0, digest_ = 0;
};

bool SaveCheckpoint(const Checkpoint& checkpoint, const std::string& path);
/// False, and the reason.
bool LoadCheckpoint(const std::string& path, Checkpoint* checkpoint, std::string* problem);

}  // namespace cotree
