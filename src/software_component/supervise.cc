// SPDX-License-Identifier: Apache-2.0
#include "software_component/supervise.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "software_component/child_report.h"
#include "software_component/serve_component.h"

namespace cotree {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kMoreProcesses = 256;                   // and threads, of the same user
constexpr auto kGrace = std::chrono::milliseconds(300);    // for a worker that is ending by itself
constexpr auto kReaping = std::chrono::milliseconds(900);  // for killing all that it started

// ---- The worker ----

/** In memory that both processes see; the signal handler writes it. */
struct CrashNote {
  volatile int32_t error_number;
  volatile uint64_t address;
};
CrashNote* crash_note = nullptr;  // a signal handler has no other way to find it

void NoteCrash(int signal, siginfo_t* information, void*) {
  crash_note->error_number = errno;
  crash_note->address = reinterpret_cast<uint64_t>(information->si_addr);
  raise(signal);  // now with its default action: the end
}

void NoteCrashes() {
  static std::byte stack[1 << 16];  // works even if the component has used up its own
  stack_t other{};
  other.ss_sp = stack;
  other.ss_size = sizeof stack;
  sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_sigaction = NoteCrash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
}

void Limit(__rlimit_resource resource, uint64_t most) {
  const rlimit limit{most, most};
  setrlimit(resource, &limit);
}

[[noreturn]] void Work(const SuperviseOptions& options, int output, pid_t supervisor) {
  setpgid(0, 0);
  uint32_t unconfined = EnterNamespaces(options.confinement);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(1);
  prctl(PR_SET_DUMPABLE, 0);
  Limit(RLIMIT_CORE, 0);
  // A fork bomb ends here (not for root, whom the kernel exempts): so many more than all that run now.
  struct sysinfo now {};
  if (sysinfo(&now) == 0) Limit(RLIMIT_NPROC, now.procs + kMoreProcesses);
#if !defined(__SANITIZE_ADDRESS__)  // whose shadow memory needs more than any limit
  if (options.memory_limit > 0) Limit(RLIMIT_AS, options.memory_limit);
#endif
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_IGN);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  if (nothing > STDERR_FILENO) close(nothing);
  close(output);
  close(options.life);
  fcntl(options.data, F_SETFD, FD_CLOEXEC);
  setvbuf(stdout, nullptr, _IOLBF, 0);  // what it says before a crash is not lost
  NoteCrashes();
  unconfined |= Confine(options.confinement);
  const int status = ServeComponent(options.data, options.library, unconfined);
  std::fflush(nullptr);
  _exit(status);  // without what the component may have registered for the exit: it is closed already
}

// ---- The supervisor ----

class Supervisor {
 public:
  Supervisor(int life, int output, int signals, pid_t worker)
      : life_(life), output_(output), signals_(signals), worker_(worker) {
    report_.worker = worker;
  }

  void Run() {
    while (!report_.ended) {
      pollfd wait[] = {{life_, POLLIN, 0}, {signals_, POLLIN, 0}, {output_, POLLIN, 0}};
      if (poll(wait, output_ < 0 ? 2 : 3, -1) < 0) continue;
      if (wait[2].revents != 0) ReadOutput();
      if (wait[1].revents != 0) Reap();
      if (wait[0].revents != 0 && !Listen()) break;
    }
    EndAll();
    ReadOutput();
    Report();
  }

 private:
  // False: it is time to end.
  bool Listen() {
    char request = 0;
    if (recv(life_, &request, 1, 0) <= 0) return false;
    if (request == static_cast<char>(LifeLine::kReport)) {
      Report();
      return true;
    }
    if (request == static_cast<char>(LifeLine::kEnded)) {
      const auto until = Clock::now() + kGrace;
      while (!report_.ended && Clock::now() < until) {
        pollfd wait{signals_, POLLIN, 0};
        poll(&wait, 1, 10);
        Reap();
      }
    }
    return false;
  }

  // True as long as there are children, ended or not.
  bool Reap() {
    signalfd_siginfo information;
    while (read(signals_, &information, sizeof information) > 0) continue;
    while (true) {
      int status = 0;
      const pid_t ended = waitpid(-1, &status, WNOHANG);
      if (ended <= 0) return ended == 0;
      if (ended != worker_) continue;
      report_.ended = 1;
      report_.wait_status = status;
      report_.crash_errno = crash_note->error_number;
      report_.crash_address = crash_note->address;
    }
  }

  void EndAll() {
    if (!report_.ended) report_.killed = 1;
    const auto until = Clock::now() + kReaping;
    kill(-worker_, SIGKILL);
    while (Reap() && Clock::now() < until) {
      KillChildren();
      ReadOutput();  // so that no one hangs in a write
      usleep(500);
    }
  }

  // Those who left the group are still our children, or become so when their parents end.
  static void KillChildren() {
    const std::string list = "/proc/self/task/" + std::to_string(getpid()) + "/children";
    std::FILE* file = std::fopen(list.c_str(), "re");
    if (file == nullptr) return;
    for (int child = 0; std::fscanf(file, "%d", &child) == 1;) kill(child, SIGKILL);  // NOLINT(cert-err34-c)
    std::fclose(file);
  }

  void ReadOutput() {
    char piece[ChildReport::kMostSaid];
    while (output_ >= 0) {
      const ssize_t got = read(output_, piece, sizeof piece);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return;
      if (got <= 0) {
        close(output_);
        output_ = -1;
        return;
      }
      said_.append(piece, static_cast<size_t>(got));
      if (said_.size() > ChildReport::kMostSaid) said_.erase(0, said_.size() - ChildReport::kMostSaid);
      if (got < static_cast<ssize_t>(sizeof piece)) return;
    }
  }

  void Report() {
    report_.said_bytes = static_cast<uint32_t>(said_.size());
    std::memcpy(report_.said, said_.data(), said_.size());
    send(life_, &report_, sizeof report_, MSG_NOSIGNAL | MSG_DONTWAIT);
  }

  int life_, output_, signals_;
  pid_t worker_;
  ChildReport report_;
  std::string said_;
};

}  // namespace

int Supervise(const SuperviseOptions& options) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  signal(SIGPIPE, SIG_IGN);
  sigset_t ended;
  sigemptyset(&ended);
  sigaddset(&ended, SIGCHLD);
  sigprocmask(SIG_BLOCK, &ended, nullptr);
  const int signals = signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK);
  int output[2] = {-1, -1};
  void* shared = mmap(nullptr, sizeof(CrashNote), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (signals < 0 || pipe2(output, O_CLOEXEC) != 0 || shared == MAP_FAILED) return 1;
  crash_note = static_cast<CrashNote*>(shared);
  const pid_t self = getpid();
  const pid_t worker = fork();
  if (worker < 0) return 1;
  if (worker == 0) Work(options, output[1], self);
  setpgid(worker, worker);  // here as well: whoever comes first
  close(output[1]);
  close(options.data);
  close(options.library);
  fcntl(output[0], F_SETFL, O_NONBLOCK);
  Supervisor(options.life, output[0], signals, worker).Run();
  return 0;
}

}  // namespace cotree
