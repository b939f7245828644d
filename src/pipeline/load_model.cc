// SPDX-License-Identifier: Apache-2.0
#include "pipeline/load_model.h"

#include <map>
#include <mutex>
#include <regex>
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

namespace {

bool AnySettings(const LoadOptions& options) {
  return !options.settings.empty() || !options.alternatives.empty() || !options.motions.empty();
}

// The settings as experiments behind the text, so that names and units are checked as everywhere.
std::string WithSettings(const std::string& text, const LoadOptions& options) {
  std::string system = options.system;
  const auto find = [&](const std::string& pattern) {
    std::smatch found;
    if (system.empty() && std::regex_search(text, found, std::regex("(^|\n)\\s*" + pattern)))
      system = found[2];
  };
  find("experiment\\s+" + (options.experiment.empty() ? "\\w+" : options.experiment) + "\\s+of\\s+(\\w+)");
  find("system\\s+(\\w+)");
  std::string out = text;
  const auto add = [&](const std::string& name, std::span<const std::string> settings) {
    out += "\nexperiment " + name + " of " + system + " {\n";
    for (const std::string& setting : settings) out += "  set " + setting + "\n";
    out += "}\n";
  };
  if (!options.settings.empty()) add(std::string(kSettingsExperiment), options.settings);
  for (size_t k = 0; k < options.alternatives.size(); ++k)
    add(AlternativeExperiment(k), std::span(&options.alternatives[k], 1));
  if (!options.motions.empty()) {
    out += "\nexperiment " + std::string(kMotionExperiment) + " of " + system + " {\n  plot ";
    for (size_t k = 0; k < options.motions.size(); ++k) out += (k > 0 ? ", " : "") + options.motions[k];
    out += "\n}\n";
  }
  return out;
}

}  // namespace

std::string AlternativeExperiment(size_t alternative) {
  return std::string(kSettingsExperiment) + "_" + std::to_string(alternative);
}

std::unique_ptr<LoadedModel> LoadModel(const std::string& path, TextReader& reader,
                                       const LoadOptions& options) {
  if (AnySettings(options)) {
    const auto text = reader.ReadNamed(path);
    if (text) return LoadModelText(path, *text, reader, options);
  }
  auto loaded = LoadLibrary(reader, options);
  loaded->readable = loaded->declarations->AddFile(path);
  EndStage("read");
  if (loaded->readable) BuildModel(loaded->model, *loaded->declarations, loaded->diagnostics);
  EndStage("model");
  return loaded;
}

std::unique_ptr<LoadedModel> LoadModelText(const std::string& name, std::string text, TextReader& reader,
                                           const LoadOptions& options) {
  auto loaded = LoadLibrary(reader, options);
  if (AnySettings(options)) text = WithSettings(text, options);
  loaded->declarations->AddText(name, std::move(text));
  EndStage("read");
  BuildModel(loaded->model, *loaded->declarations, loaded->diagnostics);
  EndStage("model");
  return loaded;
}

}  // namespace cotree
