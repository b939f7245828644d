// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cotree {

/** A variable of a result. */
struct ResultColumn {
  std::string name{};         // its path, "rack.drive[3].motor.armature.i"
  std::string unit{};         // SI as people write it, "rad/s"; empty: a pure number, or not known
  std::string description{};  // may be empty
  bool stepwise = false;      // holds its value between rows, instead of running straight to the next one
  std::string alias_of{};     // not stored: it is alias_sign times the column of this name, which is stored
  double alias_sign = 1;      // 1 or -1

  bool stored() const { return alias_of.empty(); }
};

/** What a result says of itself before its first row. */
struct ResultHeader {
  std::string schema = "cotree.result/1";
  std::string model{};                  // name of the system
  std::string model_hash{};             // of all texts that were read, in hexadecimal digits
  std::string version{};                // of the program that ran it
  std::string experiment{};             // may be empty
  std::string tolerance{};              // "rtol 1e-06, bdf"
  std::vector<std::string> plots{};     // what is drawn if nothing else is asked for; may be empty
  std::vector<ResultColumn> columns{};  // without the time

  size_t StoredColumns() const;
  /// By looking at all; ByName is for many questions.
  std::optional<size_t> Find(std::string_view name) const;
  std::map<std::string_view, size_t> ByName() const;
};

struct ResultEvent {
  double time;
  std::string text;
};

/** A value of a stored column between two rows that is larger than both, or smaller than both. */
struct ResultExtreme {
  uint32_t column;  // in the header
  double time, value;
};

enum class ResultFormat : uint8_t { kCotr, kCsv, kMat4, kHdf5 };

/// By the end of the name: .cotr, .csv, .mat, .h5 or .hdf5.
std::optional<ResultFormat> FormatOfPath(std::string_view path);

/** Takes a run as it comes, row by row, and needs no memory for what is past.

Begin, then Row and Event in the order of time, then Finish. A time may come twice: the first row holds what
is before an event, the last what is after. A writer that is destroyed, or a process that is killed, before
Finish leaves what was written so far, at most half a second old, as each format says
(docs/manual/results.md).

Every function returns false if the file could not be written; `problem` then says why, and further calls do
nothing. */
class ResultWriter {
 public:
  ResultWriter() = default;
  virtual ~ResultWriter() = default;
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  /// CheckHeader (header_json.h) must hold for the header.
  virtual bool Begin(const ResultHeader& header) = 0;
  /// `values`: one for each stored column, in the order of the header.
  virtual bool Row(double time, std::span<const double> values) = 0;
  /// Everything so far is in the file afterwards (not with HDF5, which is made at the end).
  virtual bool Flush() { return true; }
  virtual bool Event(double time, std::string_view text) = 0;
  /// Comes before the row behind it. Formats without such a table leave it out.
  virtual bool Extreme(const ResultExtreme&) { return true; }
  /// `status`: "complete", or why the run ended early.
  virtual bool Finish(std::string_view status) = 0;

  const std::string& problem() const { return problem_; }

 protected:
  bool Fail(std::string text) {
    if (problem_.empty()) problem_ = std::move(text);
    return false;
  }

 private:
  std::string problem_;
};

std::unique_ptr<ResultWriter> MakeResultWriter(const std::string& path, ResultFormat format);

inline constexpr std::string_view kComplete = "complete";
/// Behind the name of an HDF5 file: where rows are kept while the run goes on.
inline constexpr std::string_view kHdf5Stream = ".partial.cotr";
/// What is read into memory as a whole (CSV, .mat) has no more bytes.
inline constexpr size_t kMostResultBytes = 4'000'000'000;

/** A result in memory. */
struct Result {
  ResultHeader header;
  std::vector<double> times;                 // never falling; twice the same at an event
  std::vector<std::vector<double>> columns;  // by header column, then row; empty for aliases
  std::vector<ResultEvent> events;
  std::vector<ResultExtreme> extremes;  // by time; two at most of a column between two rows
  /// What Finish was told; "interrupted" if the run never came so far.
  std::string status = "interrupted";
  /// What is wrong with the file though something could be read: its tail was cut, or a byte was changed.
  std::string damage;

  bool complete() const { return status == kComplete && damage.empty(); }
  /// A column, aliases looked through.
  std::vector<double> Values(size_t column) const;
};

/** What was computed of a column, for pictures and summaries: its rows, and the extremes between them. */
struct ResultCurve {
  std::vector<double> times, values;
};
ResultCurve CurveOf(const Result& result, size_t column);

/** Reads a result; the format is recognised by what is in the file, not by its name. What stands before a cut
or a damaged place is returned, with `damage`. Nothing, and the reason in `problem`, if the file cannot be
read, is empty, or is no result. */
std::optional<Result> ReadResult(const std::string& path, std::string* problem);

/// Writes a result that is in memory; false and the reason otherwise.
bool WriteResult(const Result& result, const std::string& path, ResultFormat format, std::string* problem);

}  // namespace cotree
