// SPDX-License-Identifier: Apache-2.0
#include "cli/files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cotree {
namespace {

// A link is followed, so that the file it points to is written and the link stays.
std::string RealPath(const std::string& path) {
  char* real = realpath(path.c_str(), nullptr);
  std::string target = real != nullptr ? real : path;
  std::free(real);
  return target;
}

// The permissions of a file that is there, or of a new one.
mode_t ModeOf(const std::string& target) {
  struct stat info {};
  const mode_t mask = umask(0);
  umask(mask);
  return stat(target.c_str(), &info) == 0 ? info.st_mode & 07777u : 0666u & ~mask;
}

}  // namespace

bool WriteFileSafely(const std::string& path, std::string_view text) {
  const std::string target = RealPath(path);
  std::string temporary = target + ".XXXXXX";
  const auto fail = [&] {
    std::fprintf(stderr, "cotree: cannot write `%s`: %s\n", path.c_str(), std::strerror(errno));
    return false;
  };
  const int descriptor = mkstemp(temporary.data());
  if (descriptor < 0) return fail();
  size_t written = 0;
  bool ok = fchmod(descriptor, ModeOf(target)) == 0;
  while (ok && written < text.size()) {
    const ssize_t n = write(descriptor, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    ok = n > 0;
    if (ok) written += static_cast<size_t>(n);
  }
  ok = close(descriptor) == 0 && ok;
  ok = ok && std::rename(temporary.c_str(), target.c_str()) == 0;
  if (ok) return true;
  const int saved = errno;
  unlink(temporary.c_str());
  errno = saved;
  return fail();
}

bool ReplaceFile(const std::string& path,
                 const std::function<bool(const std::string& beside, std::string* problem)>& write) {
  const std::string target = RealPath(path);
  struct stat info {};
  const bool ordinary = stat(target.c_str(), &info) != 0 || S_ISREG(info.st_mode);
  std::string beside = ordinary ? target + ".XXXXXX" : target, problem;
  const int descriptor = ordinary ? mkstemp(beside.data()) : -1;
  errno = descriptor >= 0 || !ordinary ? 0 : errno;
  bool ok = descriptor >= 0 || !ordinary;
  if (descriptor >= 0) close(descriptor);
  ok = ok && write(beside, &problem);
  if (ordinary)
    ok = ok && chmod(beside.c_str(), ModeOf(target)) == 0 && std::rename(beside.c_str(), target.c_str()) == 0;
  if (ok) return true;
  const int saved = errno;
  if (ordinary) unlink(beside.c_str());
  if (problem.empty()) problem = "cannot write `" + path + "`: " + std::strerror(saved == 0 ? EIO : saved);
  if (const size_t at = problem.find(beside); at != std::string::npos)
    problem.replace(at, beside.size(), path);
  std::fprintf(stderr, "cotree: %s\n", problem.c_str());
  return false;
}

int WriteOutput(const std::string& text, const std::string& path) {
  if (path.empty()) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return kExitOk;
  }
  return WriteFileSafely(path, text) ? kExitOk : kExitForeign;
}

void PrintDiagnostics(const Diagnostics& diagnostics, const SourceFiles& files, const Console& console) {
  for (const Diagnostic& d : diagnostics.list()) {
    std::fputs((RenderText(d, files, console.colours_err()) + "\n").c_str(), stderr);
  }
  if (diagnostics.left_out() > 0) std::fprintf(stderr, "... and %zu more\n", diagnostics.left_out());
}

}  // namespace cotree
