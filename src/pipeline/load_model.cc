// SPDX-License-Identifier: Apache-2.0
#include "pipeline/load_model.h"

#include <map>
#include <mutex>
#include <span>

#include "base/stages.h"
#include "pipeline/embedded_library.h"

namespace cotree {

std::optional<std::string> DiskReader::ReadLimited(const std::string& path, bool pipe) {
  InputFile read;
  std::string problem;
  auto text = ReadInputFile(path, {.most = kMostBytes, .pipe = pipe}, &problem, &read);
  refusal_ = text || !problem.starts_with("it ") ? std::string() : std::move(problem);
  if (text) files_.push_back(std::move(read));
  return text;
}

std::optional<std::string> DiskReader::Read(const std::string& path) {
  return ReadLimited(path, false);
}

std::optional<std::string> DiskReader::ReadNamed(const std::string& path) {
  static std::mutex lock;
  static std::map<std::string, std::string> pipes;
  const std::lock_guard guard(lock);
  if (const auto known = pipes.find(path); known != pipes.end()) return known->second;
  auto text = ReadLimited(path, true);
  if (text && !files_.back().regular) pipes.emplace(path, *text);
  return text;
}

std::unique_ptr<LoadedModel> LoadLibrary(TextReader& reader, const LoadOptions& options) {
  auto loaded = std::make_unique<LoadedModel>();
  loaded->model.units.UseUdunits(options.udunits);
  loaded->declarations = std::make_unique<Declarations>(loaded->model, loaded->diagnostics, reader);
  for (const EmbeddedFile* file = EmbeddedLibrary(); file->name != nullptr; ++file) {
    const std::string name = std::string("library/") + file->name;
    std::optional<std::string> text;
    if (!options.library.empty()) text = reader.Read(options.library + "/" + file->name);
    loaded->declarations->AddLibraryFile(name, text ? std::move(*text) : std::string(file->text));
  }
  return loaded;
}

std::unique_ptr<LoadedModel> LoadModel(const std::string& path, TextReader& reader,
                                       const LoadOptions& options) {
  auto loaded = LoadLibrary(reader, options);
  loaded->readable = loaded->declarations->AddFile(path);
  EndStage("read");
  if (loaded->readable)
    loaded->builder = BuildModel(loaded->model, *loaded->declarations, loaded->diagnostics);
  EndStage("model");
  return loaded;
}

std::unique_ptr<LoadedModel> LoadModelText(const std::string& name, std::string text, TextReader& reader,
                                           const LoadOptions& options) {
  auto loaded = LoadLibrary(reader, options);
  loaded->declarations->AddText(name, std::move(text));
  EndStage("read");
  loaded->builder = BuildModel(loaded->model, *loaded->declarations, loaded->diagnostics);
  EndStage("model");
  return loaded;
}

}  // namespace cotree
