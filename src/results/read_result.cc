// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "base/output_file.h"
#include "results/cotr_format.h"
#include "results/csv_format.h"
#include "results/hdf5_format.h"
#include "results/mat4_format.h"
#include "results/result.h"

namespace cotree {
namespace {

constexpr std::string_view kHdf5Signature("\x89HDF\r\n\x1A\n", 8);

std::optional<Result> ReadCotr(const std::string& path, std::string* problem) {
  Result result;
  std::vector<size_t> stored;
  CotrVisitor visitor;
  visitor.header = [&](ResultHeader header) {
    result.header = std::move(header);
    result.columns.resize(result.header.columns.size());
    for (size_t k = 0; k < result.columns.size(); ++k) {
      if (result.header.columns[k].stored()) stored.push_back(k);
    }
  };
  visitor.rows = [&](size_t rows, std::span<const double> block) {
    const size_t width = 1 + stored.size();
    for (size_t r = 0; r < rows; ++r) {
      result.times.push_back(block[r * width]);
      for (size_t k = 0; k < stored.size(); ++k)
        result.columns[stored[k]].push_back(block[r * width + 1 + k]);
    }
  };
  visitor.event = [&](double time, std::string_view text) {
    result.events.push_back({time, std::string(text)});
  };
  visitor.extreme = [&](const ResultExtreme& extreme) { result.extremes.push_back(extreme); };
  const CotrEnd end = WalkCotr(path, visitor);
  if (!end.readable) {
    *problem = end.problem;
    return std::nullopt;
  }
  result.status = end.status;
  result.damage = end.damage;
  return result;
}

// Whether a file is there, and the other one is not, or is older.
bool IsNewer(const std::string& path, const std::string& other) {
  std::error_code missing, other_missing;
  const auto time = std::filesystem::last_write_time(path, missing);
  const auto other_time = std::filesystem::last_write_time(other, other_missing);
  return !missing && (other_missing || time >= other_time);
}

std::unique_ptr<ResultWriter> MakeFileWriter(const std::string& path, ResultFormat format) {
  switch (format) {
    case ResultFormat::kCotr:
      return MakeCotrWriter(path);
    case ResultFormat::kMat4:
      return MakeMat4Writer(path);
    case ResultFormat::kHdf5:
      return MakeHdf5Writer(path);
    case ResultFormat::kCsv:
      break;
  }
  return MakeCsvWriter(path);
}

/* A format that is written by places, into a stream: by way of a file. */
class StreamedWriter : public ResultWriter {
 public:
  StreamedWriter(std::string path, ResultFormat format) : path_(std::move(path)), format_(format) {
    const char* folder = std::getenv("TMPDIR");
    folder_ = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/cotree.XXXXXX";
    if (mkdtemp(folder_.data()) == nullptr) folder_.clear();
    writer_ = MakeFileWriter(folder_ + "/result", format_);
  }
  ~StreamedWriter() override {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  bool Begin(const ResultHeader& header) override {
    return (!folder_.empty() && writer_->Begin(header)) || Failed();
  }
  bool Row(double time, std::span<const double> values) override {
    return writer_->Row(time, values) || Failed();
  }
  bool Event(double time, std::string_view text) override { return writer_->Event(time, text) || Failed(); }
  bool Extreme(const ResultExtreme& extreme) override { return writer_->Extreme(extreme) || Failed(); }
  bool Finish(std::string_view status) override {
    if (!writer_->Finish(status)) return Failed();
    std::string problem;
    return PourFile(folder_ + "/result", path_, &problem) || Fail(problem);
  }

 private:
  bool Failed() {
    const std::string& why = writer_->problem();
    return Fail(why.empty() ? "cannot write `" + path_ + "`: there is no place for a temporary file" : why);
  }
  std::string path_, folder_;
  ResultFormat format_;
  std::unique_ptr<ResultWriter> writer_;
};

}  // namespace

std::unique_ptr<ResultWriter> MakeResultWriter(const std::string& path, ResultFormat format) {
  const bool by_places = format == ResultFormat::kMat4 || format == ResultFormat::kHdf5;
  if (by_places && IsStream(path)) return std::make_unique<StreamedWriter>(path, format);
  return MakeFileWriter(path, format);
}

std::optional<Result> ReadResult(const std::string& path, std::string* problem) {
  const auto cannot = [&] {
    *problem = fmt::format("cannot read `{}`: {}", path, *problem);
    return std::nullopt;
  };
  // Only what must be in memory as a whole is read as a whole.
  std::optional<std::string> text = ReadInputFile(path, {.beginning = kHdf5Signature.size()}, problem);
  // A run into an HDF5 file that was killed has left its rows beside.
  const std::string stream = path + std::string(kHdf5Stream);
  if (FormatOfPath(path) == ResultFormat::kHdf5 && IsNewer(stream, path)) {
    std::string ignored;
    if (!text) {
      auto result = ReadCotr(stream, &ignored);
      if (result) {
        result->damage = fmt::format("it is incomplete, read from `{}`", stream);
        return result;
      }
    } else if (auto result = ReadHdf5(path, &ignored)) {
      result->damage = fmt::format(
          "it is of an earlier run; a later one was broken off, and what it computed is in `{}`", stream);
      return result;
    }
  }
  if (!text) return cannot();
  if (text->empty()) {
    *problem = fmt::format("`{}` is empty", path);
    return std::nullopt;
  }
  if (*text == kCotrSignature) return ReadCotr(path, problem);
  std::string what;
  std::optional<Result> result;
  if (*text == kHdf5Signature) {
    result = ReadHdf5(path, &what);
  } else if (kCotrSignature.starts_with(*text) || kHdf5Signature.starts_with(*text)) {
    what = "it ends within the first bytes";
  } else {
    text = ReadInputFile(path, {.most = kMostResultBytes}, problem);
    if (!text) return cannot();
    if (LooksLikeMat4(*text))
      result = ParseMat4(*text, &what);
    else if (text->starts_with("MATLAB 5.0"))
      what = "it is a .mat file of level 5; results are of level 4";
    else if (text->find('\0') != std::string::npos)
      what = "it has none of the formats .cotr, .csv, .mat (level 4), .h5";
    else
      result = ParseCsv(*text, &what);
  }
  if (!result) *problem = fmt::format("`{}` is no result: {}", path, what);
  return result;
}

}  // namespace cotree
