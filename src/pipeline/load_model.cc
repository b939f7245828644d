// SPDX-License-Identifier: Apache-2.0
#include "pipeline/load_model.h"

#include <sys/stat.h>

#include <cstdio>

#include "base/stages.h"
#include "pipeline/embedded_library.h"

namespace cotree {

std::optional<std::string> DiskReader::Read(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) return std::nullopt;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return std::nullopt;
  std::string text;
  if (S_ISREG(info.st_mode)) text.reserve(static_cast<size_t>(info.st_size) + 1);
  char buffer[1 << 16];
  size_t got = 0;
  while ((got = std::fread(buffer, 1, sizeof buffer, file)) > 0) text.append(buffer, got);
  const bool bad = std::ferror(file) != 0;
  std::fclose(file);
  return bad ? std::nullopt : std::optional(std::move(text));
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
