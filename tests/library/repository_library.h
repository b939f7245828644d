// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>

#include "pipeline/load_model.h"

namespace cotree::test {

/// The standard library as it lies in the folder library/ of the repository, every file of it; nothing
/// parsed.
inline std::unique_ptr<LoadedModel> LoadRepositoryLibrary() {
  namespace fs = std::filesystem;
  static NoReader reader;
  auto loaded = std::make_unique<LoadedModel>();
  loaded->declarations = std::make_unique<Declarations>(loaded->model, loaded->diagnostics, reader);
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(COTREE_SOURCE_DIR) / "library")) {
    if (entry.path().extension() == ".cot") files.insert(entry.path());
  }
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    loaded->declarations->AddLibraryFile(
        "library/" + file.filename().string(),
        {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
  }
  return loaded;
}

}  // namespace cotree::test
