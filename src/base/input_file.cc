// SPDX-License-Identifier: Apache-2.0
#include "base/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace cotree {
namespace {

// Why a file of this mode is not read; empty: it is.
std::string Refusal(mode_t mode, bool pipe) {
  if (S_ISREG(mode)) return {};
  if (S_ISDIR(mode)) return "it is a folder";
  if (pipe && (S_ISFIFO(mode) || S_ISCHR(mode) || S_ISSOCK(mode))) return {};
  return std::string("it is ") +
         (S_ISFIFO(mode)   ? "a pipe"
          : S_ISSOCK(mode) ? "a socket"
                           : "a device") +
         ", not a file";
}

std::string TooLarge(const std::string& size, size_t most) {
  return "it is too large: " + size + ", where at most " + SizeText(most) + " are read";
}

}  // namespace

std::string SizeText(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  auto size = static_cast<double>(bytes);
  size_t unit = 0;
  for (; size >= 999.95 && unit + 1 < std::size(kUnits); ++unit) size /= 1000;
  char text[40];
  std::snprintf(text, sizeof text, size < 10 && unit > 0 ? "%.1f %s" : "%.0f %s", size, kUnits[unit]);
  return text;
}

std::string NoOrdinaryFile(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? Refusal(info.st_mode, false) : std::string();
}

std::optional<std::string> ReadInputFile(const std::string& path, const ReadLimits& limits,
                                         std::string* problem, InputFile* read_file) {
  const auto fail = [&](std::string why) {
    *problem = std::move(why);
    return std::nullopt;
  };
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return fail(std::strerror(errno));
  std::string refusal = Refusal(info.st_mode, limits.pipe);
  if (!refusal.empty()) return fail(std::move(refusal));
  // Nobody is waited for where only an ordinary file will do, whatever has come in its place meanwhile.
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | (limits.pipe ? 0 : O_NONBLOCK));
  if (descriptor < 0) return fail(std::strerror(errno));
  std::string text;
  const auto done = [&](std::string why) {
    close(descriptor);
    return fail(std::move(why));
  };
  if (fstat(descriptor, &info) != 0) return done(std::strerror(errno));
  refusal = Refusal(info.st_mode, limits.pipe);
  if (!refusal.empty()) return done(std::move(refusal));
  const bool regular = S_ISREG(info.st_mode);
  const auto size = static_cast<uint64_t>(std::max<off_t>(0, info.st_size));
  if (regular && size > limits.most) return done(TooLarge(SizeText(size), limits.most));
  if (regular) text.reserve(static_cast<size_t>(std::min<uint64_t>(size, limits.beginning)) + 1);
  char buffer[1 << 16];
  while (text.size() < limits.beginning) {
    const ssize_t n = read(descriptor, buffer, std::min(sizeof buffer, limits.beginning - text.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return done(std::strerror(errno));
    if (n == 0) break;
    text.append(buffer, static_cast<size_t>(n));
    if (text.size() > limits.most)
      return done(TooLarge(regular ? "it grows" : "it has no end so far", limits.most));
  }
  close(descriptor);
  if (read_file != nullptr)
    *read_file = {path, {static_cast<uint64_t>(info.st_dev), static_cast<uint64_t>(info.st_ino)}, regular};
  return text;
}

}  // namespace cotree
