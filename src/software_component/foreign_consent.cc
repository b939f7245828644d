// SPDX-License-Identifier: Apache-2.0
#include "software_component/foreign_consent.h"

#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>

#include "base/sha256.h"
#include "base/visible_text.h"
#include "software_component/component_description.h"

namespace cotree {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFirstLine = "cotree states 1";
constexpr uintmax_t kMostBytes = 1 << 20;

// cotree/foreign below a folder of the user's; empty if there is none.
std::string OwnPath(const char* variable, const char* below_home) {
  const char* folder = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nobody sets it here
  if (folder != nullptr && folder[0] == '/') return std::string(folder) + "/cotree/foreign";
  const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe)
  if (home == nullptr || home[0] != '/') return {};
  return std::string(home) + "/" + below_home + "/cotree/foreign";
}

// Why a file that is there is not believed; empty: it is, or it is not there.
std::string WhyNotBelieved(const std::string& path) {
  struct stat info {};
  if (path.empty() || stat(path.c_str(), &info) != 0) return {};
  if (!S_ISREG(info.st_mode)) return "it is no ordinary file";
  if (info.st_uid != geteuid() && info.st_uid != 0) return "it belongs to another user";
  if ((info.st_mode & S_IWOTH) != 0) return "others may write to it; say `chmod o-w`";
  if (static_cast<uintmax_t>(info.st_size) > kMostBytes) return "it is too large";
  return {};
}

bool IsOurs(const std::string& path) {
  return !path.empty() && fs::exists(path) && WhyNotBelieved(path).empty();
}

std::string HashText(const std::string& text) {
  return Sha256(std::as_bytes(std::span(text)));
}

}  // namespace

std::string ConsentFile() {
  return OwnPath("XDG_CONFIG_HOME", ".config");
}

bool HasConsent(const std::string& sha256) {
  const std::string path = ConsentFile();
  if (!IsOurs(path)) return false;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.substr(0, line.find_first_of(" \t\r")) == sha256) return true;
  }
  return false;
}

std::string HowToConsent(const std::string& library, const std::string& sha256) {
  std::string text = "if you trust it, say --allow-foreign";
  const std::string file = ConsentFile();
  if (!file.empty())
    text += ", or for good: add the line `" + sha256 + "  " +
            VisibleText(fs::path(library).filename().string(), LineEnds::kKept, 100) + "` to " + file;
  if (const std::string why = WhyNotBelieved(file); !why.empty())
    text += " (which is not believed now: " + why + ")";
  return text;
}

std::string KnownStates::Path() const {
  const std::string folder = OwnPath("XDG_CACHE_HOME", ".cache");
  if (folder.empty()) return {};
  std::string key = sha256 + " " + function;
  for (const auto& [name, value] : parameters)
    key += "\n" + name + " " + std::to_string(std::bit_cast<uint64_t>(value));
  return folder + "/" + HashText(key);
}

bool KnownStates::Read(std::vector<std::string>* states) const {
  const std::string path = Path();
  if (!IsOurs(path)) return false;
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line != kFirstLine) return false;
  states->clear();
  while (std::getline(file, line) && line != "end") {
    if (!IsComponentName(line)) return false;
    states->push_back(line);
  }
  return line == "end";
}

void KnownStates::Write(const std::vector<std::string>& states) const {
  const std::string path = Path();
  if (path.empty()) return;
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  const std::string beside = path + "." + std::to_string(getpid());
  {
    std::ofstream file(beside);
    file << kFirstLine << "\n";
    for (const std::string& state : states) file << state << "\n";
    file << "end\n";
    if (!file.flush()) {
      fs::remove(beside, error);
      return;
    }
  }
  fs::rename(beside, path, error);
  if (error) fs::remove(beside, error);
}

}  // namespace cotree
