// SPDX-License-Identifier: Apache-2.0
#include "cli/files.h"

#include <cstdio>
#include <filesystem>

#include "results/result.h"

namespace cotree {
namespace {

bool Say(bool ok, const std::string& problem) {
  if (!ok) std::fprintf(stderr, "cotree: %s\n", problem.c_str());
  return ok;
}

}  // namespace

bool WriteFileSafely(const std::string& path, std::string_view text) {
  std::string problem;
  return Say(WriteWholeFile(path, text, &problem), problem);
}

bool ReplaceFile(const std::string& path,
                 const std::function<bool(const std::string& beside, std::string* problem)>& write) {
  std::string problem;
  return Say(ReplaceFile(path, write, &problem), problem);
}

int WriteOutput(const std::string& text, const std::string& path) {
  if (path.empty()) {
    std::fwrite(text.data(), 1, text.size(),
                stdout);  // what fails is noticed at the end (standard_streams.h)
    return kExitOk;
  }
  return WriteFileSafely(path, text) ? kExitOk : kExitForeign;
}

void AddResultOutput(const std::string& option, const std::string& path, std::vector<NamedOutput>* outputs) {
  outputs->push_back({option, path});
  if (FormatOfPath(path) == ResultFormat::kHdf5)
    outputs->push_back({option, path + std::string(kHdf5Stream)});
}

std::string EndingProblem(const std::string& option, const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  std::error_code error;
  const bool special = std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error);
  if (ending.empty() || ending == ".txt" || special || FormatOfPath(path)) return {};
  return option + " " + path + ": there is no format `" + ending +
         "`; results are .csv (or .txt), .cotr, .mat, .h5 or .hdf5";
}

int CheckOutputs(const std::vector<NamedOutput>& outputs, const std::vector<InputFile>& inputs) {
  const std::string problem = OutputProblem(outputs, inputs);
  return Say(problem.empty(), problem) ? kExitOk : kExitUsage;
}

void PrintDiagnostics(const Diagnostics& diagnostics, const SourceFiles& files, const Console& console) {
  for (const Diagnostic& d : diagnostics.list()) {
    std::fputs((RenderText(d, files, console.colours_err()) + "\n").c_str(), stderr);
  }
  if (diagnostics.left_out() > 0) std::fprintf(stderr, "... and %zu more\n", diagnostics.left_out());
}

}  // namespace cotree
