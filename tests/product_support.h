// SPDX-License-Identifier: Apache-2.0
// What the tests of the product as a whole share: files of the repository, the binary as a user runs it.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace cotree::test {

namespace fs = std::filesystem;

inline const fs::path kRoot = COTREE_SOURCE_DIR;

/// Under the address sanitizer: its shadow memory needs more than any limit, its frames a larger stack.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kAddressesChecked = true;
#else
inline constexpr bool kAddressesChecked = false;
#endif
/// Limits the memory of a shell.
inline std::string LimitMemory(long kibibytes) {
  return kAddressesChecked ? "" : "ulimit -v " + std::to_string(kibibytes) + "; ";
}

inline std::string ReadText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path << " cannot be read";
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void WriteText(const fs::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
}

/// The files below a folder of the repository with this extension, in order of their names. None if there is
/// no such folder.
inline bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

inline std::vector<fs::path> FilesBelow(const fs::path& folder, std::string_view extension) {
  std::vector<fs::path> files;
  if (!fs::exists(kRoot / folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
    if (entry.is_regular_file() && entry.path().extension() == extension) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline std::string Render(const Diagnostics& diagnostics, const SourceFiles& files) {
  std::string text;
  for (const Diagnostic& d : diagnostics.list()) text += RenderText(d, files, false) + "\n";
  return text;
}

/** What a run of the binary gave. */
struct Ran {
  int exit_code = -1;
  std::string out, err;
};

inline std::string Quoted(std::string_view word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/** A folder for the files of one test, removed with it. */
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "cotree_test_XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }
  fs::path operator/(std::string_view name) const { return path_ / name; }

 private:
  fs::path path_;
};

/// Runs `cotree` with these words in a folder, both outputs going into pipes or files, never a terminal.
inline Ran RunCotree(const std::vector<std::string>& words, const fs::path& folder = kRoot) {
  const TemporaryFolder scratch;
  std::string command = "cd " + Quoted(folder.string()) + " && " + Quoted(COTREE_BINARY);
  for (const std::string& word : words) command += " " + Quoted(word);
  command += " 2>" + Quoted((scratch / "err").string()) + " </dev/null";
  Ran run;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return run;
  char buffer[1 << 14];
  size_t got = 0;
  while ((got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0) run.out.append(buffer, got);
  const int status = pclose(pipe);
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  run.err = ReadText(scratch / "err");
  return run;
}

}  // namespace cotree::test
