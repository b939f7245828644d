// SPDX-License-Identifier: Apache-2.0
#include "software_component/child_process.h"

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <vector>

extern char** environ;  // NOLINT: POSIX has it so

namespace cotree {
namespace {

constexpr int kChildData = 3, kChildLife = 4, kChildLibrary = 5;

// A connected pair. The child's end lies above the numbers that it gets there, so that they do not clash.
bool MakePair(int type, int ends[2]) {
  if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) return false;
  const int moved = fcntl(ends[1], F_DUPFD_CLOEXEC, 10);
  const int error = errno;
  close(ends[1]);
  ends[1] = moved;
  if (moved >= 0) return true;
  close(ends[0]);
  errno = error;
  return false;
}

int Spawn(const std::string& program, int data, int life, const HostArguments& host, pid_t* pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, data, kChildData);
  posix_spawn_file_actions_adddup2(&actions, life, kChildLife);
  posix_spawn_file_actions_adddup2(&actions, host.library, kChildLibrary);
  posix_spawn_file_actions_addclosefrom_np(&actions, kChildLibrary + 1);
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  std::vector<std::string> words{
      program, "--data=" + std::to_string(kChildData), "--life=" + std::to_string(kChildLife),
      "--library=" + std::to_string(kChildLibrary), "--memory=" + std::to_string(host.memory_limit)};
  if (host.confinement.network) words.emplace_back("--network=1");
  for (const std::string& folder : host.confinement.write) words.push_back("--write=" + folder);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int error = posix_spawn(pid, program.c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

std::string ChildProcess::Start(const std::string& program, const HostArguments& arguments) {
  int data[2], life[2];
  if (!MakePair(SOCK_STREAM, data)) return std::string("no sockets: ") + std::strerror(errno);
  if (!MakePair(SOCK_SEQPACKET, life)) {
    const std::string why = std::strerror(errno);
    close(data[0]);
    close(data[1]);
    return "no sockets: " + why;
  }
  pid_t pid = 0;
  const int error = Spawn(program, data[1], life[1], arguments, &pid);
  close(data[1]);
  close(life[1]);
  data_ = data[0];
  life_ = life[0];
  const timeval patience{2, 0};
  setsockopt(life_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (error == 0) {
    pid_ = pid;
    return {};
  }
  return "the program `" + program + "`, which runs software components, cannot be started (" +
         std::strerror(error) + ")";
}

std::optional<ChildReport> ChildProcess::ReceiveReport() const {
  ChildReport report;
  ssize_t got = 0;
  do {
    got = recv(life_, &report, sizeof report, 0);
    // The kernel says that our request was not read before it hands out the report that was sent before.
  } while (got < 0 && (errno == EINTR || errno == ECONNRESET));
  if (got != static_cast<ssize_t>(sizeof report) || report.said_bytes > ChildReport::kMostSaid) return {};
  return report;
}

void ChildProcess::FollowCaller() {
  const int here = sched_getcpu();
  if (here == processor_ || here < 0 || here >= CPU_SETSIZE || pid_ == 0) return;
  if (worker_ == 0) {
    const auto report = Ask();
    if (!report) return;
    worker_ = report->worker;
  }
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<size_t>(here), &one);
  sched_setaffinity(worker_, sizeof one, &one);  // if that is not allowed, it only takes longer
  processor_ = here;
}

std::optional<ChildReport> ChildProcess::Ask() {
  const char request = static_cast<char>(LifeLine::kReport);
  if (pid_ == 0 || send(life_, &request, 1, MSG_NOSIGNAL) != 1) return {};
  return ReceiveReport();
}

std::optional<ChildReport> ChildProcess::End(LifeLine how) {
  std::optional<ChildReport> last;
  if (pid_ > 0) {
    const char request = static_cast<char>(how);
    send(life_, &request, 1, MSG_NOSIGNAL);
    do {
      last = ReceiveReport();
    } while (last && !last->ended);
    if (!last) kill(pid_, SIGKILL);  // it does not answer; the kernel ends the worker with it
  }
  for (int* socket : {&data_, &life_}) {
    if (*socket >= 0) close(*socket);
    *socket = -1;
  }
  if (pid_ > 0) {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
    pid_ = 0;
  }
  return last;
}

std::string DefaultHostProgram() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::string() : (self.parent_path() / "cotree-component-host").string();
}

}  // namespace cotree
