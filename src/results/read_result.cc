// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <sys/stat.h>

#include <cstdint>

#include "results/cotr_format.h"
#include "results/csv_format.h"
#include "results/hdf5_format.h"
#include "results/mat4_format.h"
#include "results/output_file.h"
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
  const CotrEnd end = WalkCotr(path, visitor);
  if (!end.readable) {
    *problem = end.problem;
    return std::nullopt;
  }
  result.status = end.status;
  result.damage = end.damage;
  return result;
}

}  // namespace

std::unique_ptr<ResultWriter> MakeResultWriter(const std::string& path, ResultFormat format) {
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

std::optional<Result> ReadResult(const std::string& path, std::string* problem) {
  struct stat info {};
  if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    *problem = fmt::format("cannot read `{}`: it is a folder", path);
    return std::nullopt;
  }
  // Only what must be in memory as a whole is read as a whole.
  std::string text;
  if (!ReadBeginning(path, kHdf5Signature.size(), &text, problem)) return std::nullopt;
  if (text.empty()) {
    *problem = fmt::format("`{}` is empty", path);
    return std::nullopt;
  }
  if (text == kCotrSignature) return ReadCotr(path, problem);
  std::string what;
  std::optional<Result> result;
  if (text == kHdf5Signature) {
    result = ReadHdf5(path, &what);
  } else if (kCotrSignature.starts_with(text) || kHdf5Signature.starts_with(text)) {
    what = "it ends within the first bytes";
  } else {
    if (!ReadBeginning(path, SIZE_MAX, &text, problem)) return std::nullopt;
    if (LooksLikeMat4(text))
      result = ParseMat4(text, &what);
    else if (text.starts_with("MATLAB 5.0"))
      what = "it is a .mat file of level 5; results are of level 4";
    else if (text.find('\0') != std::string::npos)
      what = "it has none of the formats .cotr, .csv, .mat (level 4), .h5";
    else
      result = ParseCsv(text, &what);
  }
  if (!result) *problem = fmt::format("`{}` is no result: {}", path, what);
  return result;
}

}  // namespace cotree
