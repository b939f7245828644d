// SPDX-License-Identifier: Apache-2.0
#include "software_component/library_copy.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "base/sha256.h"

namespace cotree {
namespace {

constexpr off_t kLargest = off_t{256} << 20;

// The bytes of a regular file; a FIFO or device is not waited for, nor read.
std::string ReadRegular(const std::string& path, std::vector<std::byte>* bytes) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0)
    return errno == ENOENT ? "there is no file " + path : path + ": " + std::strerror(errno);
  if (!S_ISREG(info.st_mode)) return path + " is not a regular file";
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return path + ": " + std::strerror(errno);
  std::string wrong;
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {  // another one by now
    wrong = path + " is not a regular file";
  } else if (info.st_size > kLargest) {
    wrong = path + " is larger than 256 MiB";
  } else {
    bytes->resize(static_cast<size_t>(info.st_size));
    size_t filled = 0;
    while (filled < bytes->size()) {
      const ssize_t got = read(file, bytes->data() + filled, bytes->size() - filled);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) wrong = path + ": " + std::strerror(errno);
      if (got <= 0) break;
      filled += static_cast<size_t>(got);
    }
    bytes->resize(filled);
  }
  close(file);
  return wrong;
}

// A descriptor of memory with these bytes, sealed; -1 if there is none.
int Seal(const std::vector<std::byte>& bytes) {
  const int memory = memfd_create("cotree-library", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0) return -1;
  // High, so that it does not lie where a child process is given its files.
  const int copy = fcntl(memory, F_DUPFD_CLOEXEC, 10);
  close(memory);
  if (copy < 0) return -1;
  size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t put = write(copy, bytes.data() + written, bytes.size() - written);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) break;
    written += static_cast<size_t>(put);
  }
  const int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (written == bytes.size() && fcntl(copy, F_ADD_SEALS, seals) == 0) return copy;
  close(copy);
  return -1;
}

}  // namespace

std::string CopyLibrary(const std::string& path, LibraryCopy* copy) {
  static std::mutex lock;
  static std::map<std::string, int> copies;  // by hash; guarded by `lock`
  std::vector<std::byte> bytes;
  if (std::string wrong = ReadRegular(path, &bytes); !wrong.empty()) return wrong;
  copy->sha256 = Sha256(bytes);
  const std::lock_guard guard(lock);
  const auto known = copies.find(copy->sha256);
  copy->descriptor = known != copies.end() ? known->second : Seal(bytes);
  if (copy->descriptor < 0) return std::string("no memory for a private copy: ") + std::strerror(errno);
  copies[copy->sha256] = copy->descriptor;
  return {};
}

std::string HashLibrary(const std::string& path) {
  std::vector<std::byte> bytes;
  return ReadRegular(path, &bytes).empty() ? Sha256(bytes) : std::string();
}

}  // namespace cotree
