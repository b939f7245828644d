// SPDX-License-Identifier: Apache-2.0
#include "compile/kernel_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <tuple>

namespace cotree {
namespace {

using Hash = std::array<uint64_t, 2>;

// FNV-1a of 128 bits.
Hash HashOf(std::span<const char> bytes) {
  using Wide = unsigned __int128;
  Wide hash = (Wide{0x6C62272E07BB0142u} << 64) | 0x62B821756295C58Du;
  constexpr Wide kPrime = (Wide{0x1000000u} << 64) | 0x13Bu;
  for (const char c : bytes) hash = (hash ^ static_cast<uint8_t>(c)) * kPrime;
  return {static_cast<uint64_t>(hash >> 64), static_cast<uint64_t>(hash)};
}

// A file: this, the text, the object.
struct Header {
  char magic[8];
  uint64_t key_size, object_size;
  Hash checksum;  // of the object
};
constexpr char kMagic[8] = {'C', 'O', 'T', 'K', 'E', 'R', 'N', '1'};  // the last is the version
constexpr std::string_view kEnding = ".kernel";
// A temporary file of a process that was stopped goes after this.
constexpr time_t kAbandoned = 3600;

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  int descriptor() const { return descriptor_; }
  bool Read(void* to, size_t size) const {
    auto* bytes = static_cast<char*>(to);
    while (size > 0) {
      const ssize_t got = read(descriptor_, bytes, size);
      if (got <= 0) return false;
      bytes += got;
      size -= static_cast<size_t>(got);
    }
    return true;
  }
  bool Write(const void* from, size_t size) const {
    const auto* bytes = static_cast<const char*>(from);
    while (size > 0) {
      const ssize_t put = write(descriptor_, bytes, size);
      if (put <= 0) return false;
      bytes += put;
      size -= static_cast<size_t>(put);
    }
    return true;
  }

 private:
  int descriptor_;
};

// Made for the user alone.
bool MakeFolder(const std::string& folder) {
  std::error_code error;
  if (std::filesystem::is_directory(folder, error)) return true;
  const std::filesystem::path parent = std::filesystem::path(folder).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  return mkdir(folder.c_str(), 0700) == 0 || std::filesystem::is_directory(folder, error);
}

// 32 hexadecimal digits and the ending, or a temporary file of that name: nothing else is ours to remove.
bool IsOurs(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  return name.size() >= 32 + kEnding.size() && name.substr(0, 32).find_first_not_of(kDigits) == name.npos &&
         name.substr(32, kEnding.size()) == kEnding;
}

}  // namespace

KernelCache::KernelCache(std::string folder, uint64_t limit) : folder_(std::move(folder)), limit_(limit) {}

std::string KernelCache::DefaultFolder() {
  if (const char* own = std::getenv("COTREE_CACHE")) return std::strcmp(own, "off") == 0 ? "" : own;
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::string(cache) + "/cotree/kernels";
  const char* home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') return std::string(home) + "/.cache/cotree/kernels";
  return {};
}

std::string KernelCache::PathOf(const std::string& key_text) const {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string path = folder_ + "/";
  for (const uint64_t word : HashOf(key_text)) {
    for (int shift = 60; shift >= 0; shift -= 4) path += kDigits[(word >> shift) & 15];
  }
  return path.append(kEnding);
}

std::vector<char> KernelCache::Find(const std::string& key_text) const {
  if (folder_.empty()) return {};
  const File file(open(PathOf(key_text).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat state {};
  if (file.descriptor() < 0 || fstat(file.descriptor(), &state) != 0) return {};
  if (!S_ISREG(state.st_mode) || state.st_uid != geteuid() || (state.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return {};
  Header header;
  if (!file.Read(&header, sizeof header) || std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) return {};
  const auto rest = static_cast<uint64_t>(state.st_size) - sizeof header;
  if (header.key_size != key_text.size() || header.key_size > rest ||
      header.object_size != rest - header.key_size)
    return {};
  std::string key(header.key_size, '\0');
  if (!file.Read(key.data(), key.size()) || key != key_text) return {};
  std::vector<char> object(header.object_size);
  if (!file.Read(object.data(), object.size()) || HashOf(object) != header.checksum) return {};
  futimens(file.descriptor(), nullptr);  // used now
  return object;
}

void KernelCache::Store(const std::string& key_text, std::span<const char> object) {
  const uint64_t size = sizeof(Header) + key_text.size() + object.size();
  if (folder_.empty() || object.empty() || size > limit_ || !MakeFolder(folder_)) return;
  MakeRoom(size);
  const std::string path = PathOf(key_text);
  std::string temporary = path + ".XXXXXX";
  bool written = false;
  {
    const File file(mkostemp(temporary.data(), O_CLOEXEC));  // the user's alone
    if (file.descriptor() < 0) return;
    Header header{};
    std::memcpy(header.magic, kMagic, sizeof kMagic);
    header.key_size = key_text.size();
    header.object_size = object.size();
    header.checksum = HashOf(object);
    written = file.Write(&header, sizeof header) && file.Write(key_text.data(), key_text.size()) &&
              file.Write(object.data(), object.size());
  }
  if (!written || rename(temporary.c_str(), path.c_str()) != 0) unlink(temporary.c_str());
}

// Counts the folder at first and whenever it seems full; a quarter is freed at once then.
void KernelCache::MakeRoom(uint64_t wanted) {
  const std::lock_guard lock(mutex_);
  if (used_ <= limit_ && wanted <= limit_ - used_) {
    used_ += wanted;
    return;
  }
  struct Entry {
    timespec time;
    uint64_t size;
    std::string path;
  };
  std::vector<Entry> entries;
  uint64_t used = wanted;
  std::error_code error;
  for (std::filesystem::directory_iterator place(folder_, error), end; !error && place != end;
       place.increment(error)) {
    const std::string name = place->path().filename();
    struct stat state {};
    if (!IsOurs(name) || lstat(place->path().c_str(), &state) != 0) continue;
    if (name.size() > 32 + kEnding.size() && state.st_mtim.tv_sec > time(nullptr) - kAbandoned) continue;
    entries.push_back({state.st_mtim, static_cast<uint64_t>(state.st_size), place->path()});
    used += entries.back().size;
  }
  if (used > limit_) {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.time.tv_sec, a.time.tv_nsec, a.path) <
             std::tie(b.time.tv_sec, b.time.tv_nsec, b.path);
    });
    for (const Entry& entry : entries) {
      if (used <= limit_ / 4 * 3) break;
      if (unlink(entry.path.c_str()) == 0) used -= entry.size;
    }
  }
  used_ = used;
}

}  // namespace cotree
