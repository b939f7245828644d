// SPDX-License-Identifier: Apache-2.0
// Objects come back as they were stored, or not at all.
#include "compile/kernel_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace cotree {
namespace {

namespace fs = std::filesystem;

class Cache : public testing::Test {
 protected:
  Cache() {
    std::string pattern = (fs::temp_directory_path() / "cotree_cache_XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    scratch_ = pattern;
    folder_ = scratch_ + "/a/kernels";
  }
  ~Cache() override {
    std::error_code ignored;
    fs::remove_all(scratch_, ignored);
  }
  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(folder_)) files.push_back(entry.path());
    return files;
  }
  uint64_t Size() const {
    uint64_t size = 0;
    for (const std::string& file : Files()) size += fs::file_size(file);
    return size;
  }
  // As if it had been used so many minutes ago.
  static void Age(const std::string& file, int minutes) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::minutes(minutes));
  }
  static std::string Bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  static void PutBytes(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }

  std::string scratch_, folder_;
  const std::vector<char> object_ = {'o', '\0', 'b', 'j', 'e', 'c', 't'};
};

TEST_F(Cache, RoundTrip) {
  KernelCache cache(folder_);
  EXPECT_TRUE(cache.Find("text").empty());
  EXPECT_FALSE(fs::exists(folder_));
  cache.Store("text", object_);
  EXPECT_EQ(cache.Find("text"), object_);
  EXPECT_EQ(KernelCache(folder_).Find("text"), object_);
  EXPECT_TRUE(cache.Find("texT").empty());
  EXPECT_TRUE(cache.Find("").empty());
  const std::vector<char> other = {'x'};
  cache.Store("text", other);
  EXPECT_EQ(cache.Find("text"), other);
  ASSERT_EQ(Files().size(), 1u);
  // FNV-1a: nobody else's file takes its place, in this version or the next.
  cache.Store("", object_);
  EXPECT_TRUE(fs::exists(folder_ + "/6c62272e07bb014262b821756295c58d.kernel"));
  struct stat state {};
  ASSERT_EQ(stat(folder_.c_str(), &state), 0);
  EXPECT_EQ(state.st_mode & 0777u, 0700u);
}

TEST_F(Cache, DamageIsFoundAndReplaced) {
  KernelCache cache(folder_);
  cache.Store("text", object_);
  const std::string path = Files().at(0), bytes = Bytes(path);
  for (size_t k = 0; k < bytes.size(); ++k) {
    std::string changed = bytes;
    changed[k] = static_cast<char>(changed[k] ^ 0x20);
    PutBytes(path, changed);
    EXPECT_TRUE(cache.Find("text").empty()) << k;
    PutBytes(path, bytes.substr(0, k));
    EXPECT_TRUE(cache.Find("text").empty()) << k;
  }
  PutBytes(path, bytes + "x");
  EXPECT_TRUE(cache.Find("text").empty());
  cache.Store("text", object_);
  EXPECT_EQ(cache.Find("text"), object_);
  // A collision: the file of another text under this name.
  cache.Store("tale", object_);
  for (const std::string& file : Files()) {
    if (file != path) fs::rename(file, path);
  }
  EXPECT_TRUE(cache.Find("text").empty());
}

TEST_F(Cache, ReadsOnlyTheUsersOwnFiles) {
  KernelCache cache(folder_);
  cache.Store("text", object_);
  const std::string path = Files().at(0);
  fs::permissions(path, fs::perms::others_write, fs::perm_options::add);
  EXPECT_TRUE(cache.Find("text").empty());
  fs::permissions(path, fs::perms::others_write, fs::perm_options::remove);
  EXPECT_EQ(cache.Find("text"), object_);
  fs::rename(path, scratch_ + "/elsewhere");
  fs::create_symlink(scratch_ + "/elsewhere", path);
  EXPECT_TRUE(cache.Find("text").empty());
  cache.Store("text", object_);  // in the place of the link, not through it
  EXPECT_EQ(cache.Find("text"), object_);
  EXPECT_FALSE(fs::is_symlink(path));
}

TEST_F(Cache, TheOldestGo) {
  const std::vector<char> object(1000);
  const uint64_t limit = 10500;
  {
    KernelCache cache(folder_, limit);
    cache.Store("first", object);
    Age(Files().at(0), 10);
  }
  KernelCache cache(folder_, limit);
  for (int k = 0; k < 7; ++k) {
    cache.Store("n" + std::to_string(k), object);
    EXPECT_LE(Size(), limit);
  }
  EXPECT_FALSE(cache.Find("first").empty());  // used: not the oldest any more
  for (const std::string& file : Files()) {
    if (Bytes(file).find("first") == std::string::npos) Age(file, 5);
  }
  PutBytes(folder_ + "/precious.txt", std::string(20, 'x'));
  for (int k = 7; k < 40; ++k) {
    cache.Store("n" + std::to_string(k), object);
    EXPECT_LE(Size(), limit);
    EXPECT_EQ(cache.Find("n" + std::to_string(k)), object);
    EXPECT_FALSE(cache.Find("first").empty());
  }
  EXPECT_TRUE(cache.Find("n0").empty());
  EXPECT_TRUE(fs::exists(folder_ + "/precious.txt"));  // not ours
  cache.Store("large", std::vector<char>(limit));
  EXPECT_TRUE(cache.Find("large").empty());
  EXPECT_FALSE(cache.Find("first").empty());
}

TEST_F(Cache, FailsInSilence) {
  PutBytes(scratch_ + "/file", "");
  for (const std::string& folder :
       {std::string(), scratch_ + "/file", scratch_ + "/file/in", std::string("/proc/no")}) {
    KernelCache cache(folder);
    cache.Store("text", object_);
    EXPECT_TRUE(cache.Find("text").empty()) << folder;
  }
}

TEST_F(Cache, Folder) {
  const auto with = [](const char* own, const char* cache, const char* home) {
    const std::pair<const char*, const char*> all[] = {
        {"COTREE_CACHE", own}, {"XDG_CACHE_HOME", cache}, {"HOME", home}};
    std::vector<std::pair<std::string, std::string>> before;
    for (const auto& [name, value] : all) {
      if (const char* old = getenv(name)) before.emplace_back(name, old);
      value == nullptr ? unsetenv(name) : setenv(name, value, 1);
    }
    std::string folder = KernelCache::DefaultFolder();
    for (const auto& [name, value] : all) unsetenv(name);
    for (const auto& [name, value] : before) setenv(name.c_str(), value.c_str(), 1);
    return folder;
  };
  EXPECT_EQ(with("off", "/c", "/h"), "");
  EXPECT_EQ(with("", "/c", "/h"), "");
  EXPECT_EQ(with("/k", "/c", "/h"), "/k");
  EXPECT_EQ(with(nullptr, "/c", "/h"), "/c/cotree/kernels");
  EXPECT_EQ(with(nullptr, "relative", "/h"), "/h/.cache/cotree/kernels");
  EXPECT_EQ(with(nullptr, nullptr, "/h"), "/h/.cache/cotree/kernels");
  EXPECT_EQ(with(nullptr, nullptr, nullptr), "");
}

}  // namespace
}  // namespace cotree
