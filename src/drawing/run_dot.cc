// SPDX-License-Identifier: Apache-2.0
#include "drawing/run_dot.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>

extern char** environ;  // NOLINT: POSIX has it so

namespace cotree {
namespace {

constexpr const char* kInstall = "install graphviz (apt-get install graphviz)";

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// A file without a name, not passed on to other children.
File TemporaryFile() {
  File file(std::tmpfile());
  if (file) fcntl(fileno(file.get()), F_SETFD, FD_CLOEXEC);
  return file;
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

// Starts the program with the signals as a fresh process has them; returns 0 or the error number.
int Spawn(const char* program, int in, int out, int err, pid_t* pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, 0);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  posix_spawn_file_actions_adddup2(&actions, err, 2);
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::string words[] = {program, "-Kdot", "-Tjson0"};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  const int error = posix_spawnp(pid, program, &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// All that comes until the other end is closed; false when the time is over.
bool ReadAll(int fd, int seconds, std::string* text) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  char buffer[1 << 14];
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    if (left <= 0) return false;
    pollfd wait{fd, POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>(left));
    if (ready < 0 && errno != EINTR) return true;
    if (ready <= 0) continue;
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    text->append(buffer, static_cast<size_t>(got));
  }
}

std::string FirstError(std::FILE* file) {
  std::rewind(file);
  char line[400];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    std::string text = line;
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    if (text.find("rror") != std::string::npos) return text;
  }
  return {};
}

}  // namespace

DotAnswer RunDot(const std::string& text, int seconds, const char* program) {
  const File in = TemporaryFile(), err = TemporaryFile();
  int ends[2] = {-1, -1};
  if (!in || !err || std::fwrite(text.data(), 1, text.size(), in.get()) != text.size() ||
      std::fflush(in.get()) != 0 || pipe2(ends, O_CLOEXEC) != 0) {
    return {"", std::string("no room for the drawing's temporary files (") + std::strerror(errno) +
                    "): free some space in the folder for temporary files, or use --format dot"};
  }
  std::rewind(in.get());
  Descriptor from(ends[0]), to(ends[1]);

  pid_t pid = 0;
  const int error = Spawn(program, fileno(in.get()), to.get(), fileno(err.get()), &pid);
  to.Close();
  if (error == ENOENT)
    return {"",
            std::string("the program `") + program + "`, which finds the places, is not there: " + kInstall};
  if (error != 0) {
    return {"", std::string("the program `") + program + "` cannot be started (" + std::strerror(error) +
                    "): check that it may be executed, or " + kInstall};
  }

  DotAnswer answer;
  const bool in_time = ReadAll(from.get(), seconds, &answer.json);
  if (!in_time) kill(pid, SIGKILL);
  int status = 0;
  pid_t ended = 0;
  do {
    ended = waitpid(pid, &status, 0);
  } while (ended < 0 && errno == EINTR);

  if (!in_time) {
    answer.problem = std::string("`") + program + "` found no places within " + std::to_string(seconds) +
                     " s: use --format json or dot, or draw a composite alone";
  } else if (ended == pid && WIFEXITED(status) && WEXITSTATUS(status) == 127 && answer.json.empty()) {
    answer.problem =
        std::string("the program `") + program + "`, which finds the places, is not there: " + kInstall;
  } else if (ended == pid && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) {
    const std::string said = FirstError(err.get());
    answer.problem = std::string("`") + program + "` failed" + (said.empty() ? "" : " (" + said + ")") +
                     ": use --format json or dot; if it fails with every model, " + kInstall + " anew";
  }
  if (!answer.problem.empty()) answer.json.clear();
  return answer;
}

}  // namespace cotree
