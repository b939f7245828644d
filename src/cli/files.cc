// SPDX-License-Identifier: Apache-2.0
#include "cli/files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cotree {

bool WriteFileSafely(const std::string& path, std::string_view text) {
  // A link is followed, so that the file it points to is written and the link stays.
  char* real = realpath(path.c_str(), nullptr);
  const std::string target = real != nullptr ? real : path;
  std::free(real);
  std::string temporary = target + ".XXXXXX";
  const auto fail = [&] {
    std::fprintf(stderr, "cotree: cannot write `%s`: %s\n", path.c_str(), std::strerror(errno));
    return false;
  };
  const int descriptor = mkstemp(temporary.data());
  if (descriptor < 0) return fail();
  struct stat info {};
  const mode_t mask = umask(0);
  umask(mask);
  const mode_t mode = stat(target.c_str(), &info) == 0 ? info.st_mode & 07777u : 0666u & ~mask;
  size_t written = 0;
  bool ok = fchmod(descriptor, mode) == 0;
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
