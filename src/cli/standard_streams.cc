// SPDX-License-Identifier: Apache-2.0
#include "cli/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <system_error>

#include "cli/console.h"

namespace cotree {
namespace {

// A closed standard output stays one that cannot be written.
void FillDescriptors() {
  for (const int wanted : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(wanted, F_GETFD) >= 0 || errno != EBADF) continue;
    const int got = open("/dev/null", wanted == STDERR_FILENO ? O_WRONLY : O_RDONLY);
    if (got >= 0 && got != wanted) {
      dup2(got, wanted);
      close(got);
    }
  }
}

int CannotWrite(int error) {
  if (error != EPIPE)
    std::fprintf(stderr, "cotree: cannot write standard output: %s\n",
                 std::strerror(error == 0 ? EIO : error));
  return kExitForeign;
}

// What is buffered still, and what the file system says at the end.
int FinishOutput(int exit) {
  errno = 0;
  const bool ok = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  // What failed before has left no reason: it fails again.
  if (!ok && errno == 0 && write(STDOUT_FILENO, "\n", 1) == 1) errno = 0;
  if (!ok) return CannotWrite(errno);
  const int copy = dup(STDOUT_FILENO);
  if (copy >= 0 && close(copy) != 0) return CannotWrite(errno);
  return exit;
}

}  // namespace

int WithStandardStreams(const std::function<int()>& command) {
  FillDescriptors();
  // A write to a pipe without a reader fails instead of ending the program. Not ignored, but handled by
  // nothing: so programs that are started have the usual again.
  std::signal(SIGPIPE, [](int) {});
  try {
    return FinishOutput(command());
  } catch (const std::bad_alloc&) {
    std::fputs("cotree: there is not enough memory\n", stderr);
    return kExitForeign;
  } catch (const std::system_error& error) {  // of fmt::print
    if (std::ferror(stdout) == 0 && std::ferror(stderr) == 0) throw;
    return CannotWrite(error.code().value());
  }
}

}  // namespace cotree
