// SPDX-License-Identifier: Apache-2.0
// The house rules that no compiler checks: includes point one way (src/architecture.txt), every folder is
// listed and has a README, every source names its licence, heavy third-party headers stay where they belong.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLicenceLine = "// SPDX-License-Identifier: Apache-2.0";

/** What src/architecture.txt says: the folders in the order of the flow, and which ones each may include. */
struct Architecture {
  std::vector<std::string> folders;
  std::map<std::string, std::set<std::string>> uses;

  bool Has(const std::string& folder) const { return uses.contains(folder); }
};

/** A source as the rules see it. `path` is relative to src/, with '/'. */
struct SourceText {
  std::string path;
  std::string text;
};

/** A third-party header that costs seconds per translation unit, or that only one folder shall know. */
struct ThirdParty {
  std::string_view prefix;   // of the included path
  std::string_view folders;  // those that may include it; `test`: the tests of all
  bool in_headers;           // whether a header may
};

constexpr ThirdParty kThirdParty[] = {
    {"CLI/", "cli", false},
    {"udunits2", "units", false},
    {"hdf5", "results", true},           // loaded when needed: its types are in one header
    {"cairo.h", "plot", true},           // likewise
    {"Eigen/", "linear_algebra", true},  // one header there, for its own sources
    {"unsupported/Eigen/", "linear_algebra", false},
    {"nlohmann/", "base drawing results test", false},  // base/json.h writes; the others read
};

using Violations = std::vector<std::string>;

Architecture ParseArchitecture(std::string_view text, Violations* violations) {
  Architecture architecture;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t colon = line.find(':');
    if (colon == std::string::npos) {
      violations->push_back("architecture.txt: `" + line + "` is not `folder: folders it may include`");
      continue;
    }
    const std::string folder = line.substr(0, colon);
    if (architecture.Has(folder)) violations->push_back("architecture.txt: " + folder + " is listed twice");
    std::istringstream words(line.substr(colon + 1));
    std::set<std::string> uses;
    for (std::string used; words >> used;) {
      if (!architecture.Has(used)) {
        violations->push_back("architecture.txt: " + folder + " uses " + used +
                              ", which is not listed above it");
      }
      uses.insert(used);
    }
    architecture.folders.push_back(folder);
    architecture.uses[folder] = uses;
  }
  return architecture;
}

std::string FolderOf(std::string_view path) {
  return std::string(path.substr(0, path.find('/')));
}

/** The included path of a line `#include "..."` or `#include <...>`, with its opening delimiter; empty for
 * other lines. */
std::string_view IncludeIn(std::string_view line) {
  const auto skip_blanks = [&line] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  skip_blanks();
  if (!line.starts_with('#')) return {};
  line.remove_prefix(1);
  skip_blanks();
  if (!line.starts_with("include")) return {};
  line.remove_prefix(7);
  skip_blanks();
  if (line.empty() || (line[0] != '"' && line[0] != '<')) return {};
  const size_t end = line.find(line[0] == '"' ? '"' : '>', 1);
  return end == std::string_view::npos ? std::string_view{} : line.substr(0, end);
}

void CheckOwnInclude(const Architecture& architecture, const std::string& folder, const std::string& included,
                     const std::string& place, Violations* violations) {
  const std::string used = FolderOf(included);
  if (included.find('/') == std::string::npos) {
    violations->push_back(place + "\"" + included + "\" names no folder: write \"" + folder + "/" + included +
                          "\"");
  } else if (!architecture.Has(used)) {
    violations->push_back(place + "\"" + included + "\": there is no folder " + used +
                          " in src/architecture.txt");
  } else if (used != folder && (!architecture.Has(folder) || !architecture.uses.at(folder).contains(used))) {
    violations->push_back(place + folder + " may not include " + used + " (src/architecture.txt)");
  }
}

void CheckThirdPartyInclude(const std::string& folder, bool in_test, bool is_header,
                            const std::string& included, const std::string& place, Violations* violations) {
  for (const ThirdParty& rule : kThirdParty) {
    if (!included.starts_with(rule.prefix)) continue;
    const std::string folders = " " + std::string(rule.folders) + " ";
    const auto may = [&](const std::string& name) {
      return folders.find(" " + name + " ") != std::string::npos;
    };
    if (!may(folder) && !(in_test && may("test"))) {
      violations->push_back(place + "<" + included + "> belongs in " + std::string(rule.folders) + " only");
    } else if (is_header && !rule.in_headers) {
      violations->push_back(place + "<" + included + "> is too heavy for a header: include it in one .cc");
    }
  }
}

/** Everything in one source that breaks a rule, one line each. */
Violations CheckSource(const Architecture& architecture, const SourceText& source) {
  Violations violations;
  const std::string folder = FolderOf(source.path);
  const bool is_header = source.path.ends_with(".h");
  std::istringstream lines(source.text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string place = "src/" + source.path + ":" + std::to_string(number) + ": ";
    if (number == 1 && line != kLicenceLine) {
      violations.push_back(place + "the first line must be " + std::string(kLicenceLine));
    }
    const std::string_view include = IncludeIn(line);
    if (include.empty()) continue;
    const std::string included(include.substr(1));
    CheckThirdPartyInclude(folder, source.path.find("/test/") != std::string::npos, is_header, included,
                           place, &violations);
    if (include[0] == '"') CheckOwnInclude(architecture, folder, included, place, &violations);
  }
  if (number == 0) violations.push_back("src/" + source.path + ": is empty");
  return violations;
}

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

fs::path SourceRoot() {
  return fs::path(COTREE_SOURCE_DIR) / "src";
}

Architecture ReadArchitecture() {
  Violations violations;
  Architecture architecture = ParseArchitecture(ReadFile(SourceRoot() / "architecture.txt"), &violations);
  EXPECT_EQ(violations, Violations{});
  return architecture;
}

std::string Joined(const Violations& violations) {
  std::string text;
  for (const std::string& violation : violations) text += violation + "\n";
  return text;
}

// ---- The repository ----

TEST(Architecture, EverySourceObeys) {
  const Architecture architecture = ReadArchitecture();
  std::set<fs::path> paths;  // in order, so that the message is the same everywhere
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(SourceRoot())) {
    const fs::path extension = entry.path().extension();
    if (entry.is_regular_file() && (extension == ".h" || extension == ".cc" || extension == ".def"))
      paths.insert(entry.path());
  }
  EXPECT_GE(paths.size(), 10u) << "looking in the wrong place: " << SourceRoot();
  Violations all;
  for (const fs::path& path : paths) {
    const SourceText source{path.lexically_relative(SourceRoot()).generic_string(), ReadFile(path)};
    for (std::string& violation : CheckSource(architecture, source)) all.push_back(std::move(violation));
  }
  EXPECT_TRUE(all.empty()) << Joined(all);
}

TEST(Architecture, FoldersAndListAgree) {
  const Architecture architecture = ReadArchitecture();
  std::set<std::string> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(SourceRoot())) {
    if (entry.is_directory()) folders.insert(entry.path().filename().string());
  }
  EXPECT_EQ(folders, std::set<std::string>(architecture.folders.begin(), architecture.folders.end()))
      << "each folder of src/ needs its line in src/architecture.txt, and each line its folder";
}

TEST(Architecture, EveryFolderHasReadme) {
  for (const std::string& folder : ReadArchitecture().folders) {
    const fs::path readme = SourceRoot() / folder / "README.md";
    EXPECT_TRUE(fs::is_regular_file(readme) && fs::file_size(readme) > 0)
        << "src/" << folder << "/README.md is missing: what comes in, what goes out";
  }
}

// ---- The rules themselves: each can fail ----

constexpr std::string_view kMadeUp =
    "# comment\nbase:\nunits: base\nmodel: base units\ncli: base units model\n";

Architecture MadeUpArchitecture() {
  Violations violations;
  Architecture architecture = ParseArchitecture(kMadeUp, &violations);
  EXPECT_EQ(violations, Violations{});
  return architecture;
}

/** The violations of a source with the licence line and then `body`, so that `body` begins on line 2. */
Violations CheckBody(const std::string& path, const std::string& body) {
  return CheckSource(MadeUpArchitecture(), {path, std::string(kLicenceLine) + "\n" + body});
}

TEST(ArchitectureRules, AllowedIncludesPass) {
  EXPECT_EQ(
      CheckBody("model/model.h", "#include <vector>\n#include \"base/id.h\"\n#include \"model/class.h\"\n"),
      Violations{});
  EXPECT_EQ(CheckBody("model/test/model_test.cc", "#include <gtest/gtest.h>\n#include \"units/unit.h\"\n"),
            Violations{});
  EXPECT_EQ(CheckBody("cli/arguments.cc", "#include <CLI/CLI.hpp>\n"), Violations{});
  EXPECT_EQ(CheckBody("units/unit.cc", "// #include \"model/model.h\"\n"), Violations{});
}

TEST(ArchitectureRules, UpwardIncludeIsFound) {
  EXPECT_EQ(CheckBody("units/unit.h", "\n#include \"model/model.h\"\n"),
            Violations{"src/units/unit.h:3: units may not include model (src/architecture.txt)"});
  EXPECT_EQ(CheckBody("base/test/id_test.cc", "  #  include\t\"units/unit.h\"\n"),
            Violations{"src/base/test/id_test.cc:2: base may not include units (src/architecture.txt)"});
}

TEST(ArchitectureRules, UnknownFolderIsFound) {
  EXPECT_EQ(CheckBody("base/id.h", "#include \"utilities/hash.h\"\n").size(), 1u);
  EXPECT_EQ(CheckBody("base/id.h", "#include \"../units/unit.h\"\n").size(), 1u);
  EXPECT_EQ(CheckBody("unlisted/thing.cc", "#include \"base/id.h\"\n").size(), 1u);
}

TEST(ArchitectureRules, IncludeWithoutFolderIsFound) {
  EXPECT_EQ(CheckBody("base/id.cc", "#include \"id.h\"\n"),
            Violations{"src/base/id.cc:2: \"id.h\" names no folder: write \"base/id.h\""});
}

TEST(ArchitectureRules, HeavyHeaderIsFound) {
  EXPECT_EQ(CheckBody("model/model.cc", "#include <CLI/CLI.hpp>\n"),
            Violations{"src/model/model.cc:2: <CLI/CLI.hpp> belongs in cli only"});
  EXPECT_EQ(CheckBody("cli/arguments.h", "#include <CLI/App.hpp>\n").size(), 1u);
  EXPECT_EQ(CheckBody("model/json.h", "#include <nlohmann/json.hpp>\n").size(), 1u);
  EXPECT_EQ(CheckBody("model/json.cc", "#include <nlohmann/json.hpp>\n").size(), 1u);
  EXPECT_EQ(CheckBody("base/json.cc", "#include <nlohmann/json.hpp>\n"), Violations{});
  EXPECT_EQ(CheckBody("base/json.h", "#include <nlohmann/json.hpp>\n").size(), 1u);
}

TEST(ArchitectureRules, MissingLicenceIsFound) {
  const Architecture architecture = MadeUpArchitecture();
  EXPECT_EQ(CheckSource(architecture, {"base/id.h", "#pragma once\n"}).size(), 1u);
  EXPECT_EQ(CheckSource(architecture, {"base/id.h", ""}).size(), 1u);
}

TEST(ArchitectureRules, ListItselfIsChecked) {
  Violations violations;
  ParseArchitecture("base: units\nunits: base\n", &violations);
  EXPECT_EQ(violations, Violations{"architecture.txt: base uses units, which is not listed above it"});
  violations.clear();
  ParseArchitecture("base:\nbase:\nno colon\n", &violations);
  EXPECT_EQ(violations.size(), 2u);
}

}  // namespace
