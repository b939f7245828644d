// SPDX-License-Identifier: Apache-2.0
#include "results/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace cotree {

OutputFile::~OutputFile() {
  Close();
}

bool OutputFile::Open(const std::string& path) {
  path_ = path;
  descriptor_ = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) error_ = errno;
  return descriptor_ >= 0;
}

bool OutputFile::OpenStandardOutput() {
  path_ = "standard output";
  descriptor_ = dup(STDOUT_FILENO);
  if (descriptor_ < 0) error_ = errno;
  return descriptor_ >= 0;
}

bool OutputFile::Continue(const std::string& path, uint64_t size) {
  path_ = path;
  size_ = size;
  descriptor_ = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor_ >= 0 && ftruncate(descriptor_, static_cast<off_t>(size)) == 0) return true;
  error_ = errno;
  return false;
}

bool OutputFile::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(descriptor_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      error_ = n < 0 ? errno : ENOSPC;
      return false;
    }
    size_ += static_cast<uint64_t>(n);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

bool OutputFile::WriteAt(uint64_t place, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      error_ = n < 0 ? errno : ENOSPC;
      return false;
    }
    place += static_cast<uint64_t>(n);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

bool OutputFile::Close() {
  if (descriptor_ < 0) return true;
  const bool ok = close(descriptor_) == 0;
  if (!ok) error_ = errno;
  descriptor_ = -1;
  return ok;
}

std::string OutputFile::Problem() const {
  return "cannot write `" + path_ + "`: " + std::strerror(error_);
}

bool ReadBeginning(const std::string& path, size_t most, std::string* text, std::string* problem) {
  const auto fail = [&](int error) {
    *problem = "cannot read `" + path + "`: " + std::strerror(error);
    return false;
  };
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return fail(errno);
  text->clear();
  struct stat info {};
  if (fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode))
    text->reserve(std::min(most, static_cast<size_t>(info.st_size)));
  char buffer[1 << 16];
  int error = 0;
  while (text->size() < most) {
    const ssize_t n = read(descriptor, buffer, std::min(sizeof buffer, most - text->size()));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) error = errno;
    if (n <= 0) break;
    text->append(buffer, static_cast<size_t>(n));
  }
  close(descriptor);
  return error == 0 || fail(error);
}

}  // namespace cotree
