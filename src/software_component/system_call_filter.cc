// SPDX-License-Identifier: Apache-2.0
#include "software_component/system_call_filter.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace cotree {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kArchitecture = 0;  // not known: no filter
#endif

// The last call of the tables below; what comes behind it is not known here.
constexpr uint32_t kLastKnown = 462;

// ---- The calls ----

// Those of the protocol: they come most often.
constexpr int kOften[] = {SYS_recvfrom, SYS_sendto, SYS_futex,  SYS_read,    SYS_write,
                          SYS_close,    SYS_mmap,   SYS_munmap, SYS_mprotect};
constexpr int kMemory[] = {SYS_brk,     SYS_mremap, SYS_madvise, SYS_msync,
                           SYS_mincore, SYS_mlock,  SYS_munlock, SYS_membarrier};
// Files that are open, and what can be learnt of others.
constexpr int kFiles[] = {SYS_readv,           SYS_writev,      SYS_pread64,    SYS_pwrite64,  SYS_preadv,
                          SYS_pwritev,         SYS_preadv2,     SYS_pwritev2,   SYS_lseek,     SYS_fstat,
                          SYS_newfstatat,      SYS_statx,       SYS_statfs,     SYS_fstatfs,   SYS_faccessat,
                          SYS_faccessat2,      SYS_readlinkat,  SYS_getdents64, SYS_getcwd,    SYS_chdir,
                          SYS_fchdir,          SYS_dup,         SYS_dup3,       SYS_pipe2,     SYS_fsync,
                          SYS_fdatasync,       SYS_flock,       SYS_fadvise64,  SYS_readahead, SYS_sendfile,
                          SYS_copy_file_range, SYS_close_range, SYS_umask};
constexpr int kWaiting[] = {SYS_ppoll,           SYS_pselect6,        SYS_epoll_create1,   SYS_epoll_ctl,
                            SYS_epoll_pwait,     SYS_epoll_pwait2,    SYS_eventfd2,        SYS_signalfd4,
                            SYS_timerfd_create,  SYS_timerfd_settime, SYS_timerfd_gettime, SYS_nanosleep,
                            SYS_clock_nanosleep, SYS_restart_syscall, SYS_sched_yield,     SYS_wait4,
                            SYS_waitid};
constexpr int kTime[] = {SYS_clock_gettime, SYS_clock_getres,     SYS_gettimeofday, SYS_times,
                         SYS_getitimer,     SYS_setitimer,        SYS_timer_create, SYS_timer_settime,
                         SYS_timer_gettime, SYS_timer_getoverrun, SYS_timer_delete};
// Threads and signals of its own.
constexpr int kThreads[] = {SYS_set_robust_list,
                            SYS_set_tid_address,
                            SYS_rseq,
                            SYS_rt_sigaction,
                            SYS_rt_sigprocmask,
                            SYS_rt_sigreturn,
                            SYS_rt_sigpending,
                            SYS_rt_sigtimedwait,
                            SYS_rt_sigsuspend,
                            SYS_sigaltstack,
                            SYS_sched_getaffinity,
                            SYS_sched_getparam,
                            SYS_sched_getscheduler,
                            SYS_sched_get_priority_max,
                            SYS_sched_get_priority_min,
                            SYS_sched_rr_get_interval,
                            SYS_exit,
                            SYS_exit_group};
// Who and where it is.
constexpr int kSelf[] = {SYS_getpid,    SYS_gettid,    SYS_getppid,   SYS_getpgid,     SYS_getsid,
                         SYS_getuid,    SYS_geteuid,   SYS_getgid,    SYS_getegid,     SYS_getresuid,
                         SYS_getresgid, SYS_getgroups, SYS_capget,    SYS_getpriority, SYS_getrusage,
                         SYS_sysinfo,   SYS_uname,     SYS_getrandom, SYS_getcpu};
constexpr int kOpenSockets[] = {SYS_sendmsg,     SYS_recvmsg,     SYS_shutdown,
                                SYS_getsockname, SYS_getpeername, SYS_getsockopt};
#if defined(__x86_64__)  // which kept what others have done with
constexpr int kOld[] = {SYS_stat,       SYS_lstat,   SYS_access,    SYS_readlink, SYS_getdents,
                        SYS_dup2,       SYS_pipe,    SYS_poll,      SYS_select,   SYS_epoll_create,
                        SYS_epoll_wait, SYS_eventfd, SYS_signalfd,  SYS_alarm,    SYS_pause,
                        SYS_time,       SYS_getpgrp, SYS_arch_prctl};
constexpr int kOldWriting[] = {SYS_mkdir, SYS_rmdir, SYS_unlink, SYS_rename};
#else
constexpr std::span<const int> kOld, kOldWriting;
#endif

constexpr int kNetwork[] = {SYS_bind,    SYS_connect,    SYS_listen,   SYS_accept,
                            SYS_accept4, SYS_setsockopt, SYS_sendmmsg, SYS_recvmmsg};

// What belongs to writing files. Not those that Landlock does not know: rights, owners, times, attributes.
constexpr int kWriting[] = {SYS_ftruncate, SYS_fallocate, SYS_mkdirat,        SYS_unlinkat,
                            SYS_renameat,  SYS_renameat2, SYS_sync_file_range};

// Those whose arguments cannot be looked at: the C library has another way.
constexpr int kOtherWay[] = {SYS_clone3, SYS_openat2};

// ---- The filter ----

constexpr uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;
constexpr uint32_t kUnknown = SECCOMP_RET_ERRNO | ENOSYS;

/** A program that looks at one call after the other. Each rule ends in a return; what is not for it goes on
behind it. */
class FilterWriter {
 public:
  void Load(size_t offset) { Add(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)); }
  void Return(uint32_t what) { Add(BPF_RET | BPF_K, what); }
  /// Returns `what` if the test (BPF_JEQ, BPF_JGE, BPF_JSET) of the value that was loaded gives `truth`.
  void If(int test, uint32_t value, bool truth, uint32_t what) {
    Add(BPF_JMP | BPF_K | test, value, truth ? 0 : 1, truth ? 1 : 0);
    Return(what);
  }
  /// The same for each of these calls.
  void ForAll(std::span<const int> calls, uint32_t what) {
    for (const int call : calls) If(BPF_JEQ, static_cast<uint32_t>(call), true, what);
  }
  void LoadNumber() { Load(offsetof(seccomp_data, nr)); }
  /// The lower half of an argument (the machines of the tables are little-endian), or the upper one.
  void LoadArgument(size_t k, bool upper = false) {
    Load(offsetof(seccomp_data, args) + k * sizeof(uint64_t) + (upper ? sizeof(uint32_t) : 0));
  }
  /// A rule for one call, which looks at its arguments; it must return.
  template <typename Body>
  void For(int call, Body&& body) {
    const size_t jump = code_.size();
    Add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call));
    body();
    code_[jump].jf = static_cast<uint8_t>(code_.size() - jump - 1);
  }
  /// A rule for a call whose argument must be one of these.
  void AllowWith(int call, size_t argument, std::initializer_list<uint32_t> values) {
    For(call, [&] {
      LoadArgument(argument);
      for (const uint32_t value : values) If(BPF_JEQ, value, true, kAllow);
      Return(kRefuse);
    });
  }
  bool Install() {
    const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    // It shall not slow down arithmetic: what it may read is no secret to it.
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0)
      return true;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
  }

 private:
  void Add(int code, uint32_t value, uint8_t if_true = 0, uint8_t if_false = 0) {
    code_.push_back({static_cast<uint16_t>(code), if_true, if_false, value});
  }
  std::vector<sock_filter> code_;
};

// Reading is allowed; writing where the rules say so, and then Landlock has the last word. (It did not know
// the truncation of what is opened for reading at first.)
void AddOpening(FilterWriter& filter, int call, size_t flags, bool write) {
  filter.For(call, [&] {
    filter.LoadArgument(flags);
    if (write) {
      filter.If(BPF_JSET, O_WRONLY | O_RDWR, true, kAllow);
      filter.If(BPF_JSET, O_TRUNC, true, kRefuse);
    } else {
      filter.If(BPF_JSET, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, true, kRefuse);
    }
    filter.Return(kAllow);
  });
}

// Signals go to this process only.
void AddSignals(FilterWriter& filter) {
  const auto self = static_cast<uint32_t>(getpid());
  for (const int call : {SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo})
    filter.AllowWith(call, 0, {self});
}

void AddThreads(FilterWriter& filter) {
  filter.For(SYS_clone, [&] {
    filter.LoadArgument(0);
    constexpr uint32_t kSpaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                                 CLONE_NEWPID | CLONE_NEWNET;
    filter.If(BPF_JSET, kSpaces, true, kRefuse);
    filter.If(BPF_JSET, CLONE_THREAD, false, kRefuse);
    filter.Return(kAllow);
  });
  // Its own processor only, its own limits to be read only, its own name.
  filter.AllowWith(SYS_sched_setaffinity, 0, {0});
  filter.For(SYS_prlimit64, [&] {
    for (const bool upper : {false, true}) {
      filter.LoadArgument(2, upper);
      filter.If(BPF_JEQ, 0, false, kRefuse);
    }
    filter.LoadArgument(0);
    filter.If(BPF_JEQ, 0, true, kAllow);
    filter.If(BPF_JEQ, static_cast<uint32_t>(getpid()), true, kAllow);
    filter.Return(kRefuse);
  });
  constexpr uint32_t kNameMemory = 0x53564d41;
  filter.AllowWith(SYS_prctl, 0, {PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, kNameMemory});
}

}  // namespace

bool FilterSystemCalls(const SystemCallRules& rules) {
  if (kArchitecture == 0) return false;
  FilterWriter filter;
  filter.Load(offsetof(seccomp_data, arch));
  filter.If(BPF_JEQ, kArchitecture, false, SECCOMP_RET_KILL_PROCESS);
  filter.LoadNumber();
  for (const std::span<const int> calls : std::initializer_list<std::span<const int>>{
           kOften, kMemory, kFiles, kWaiting, kTime, kThreads, kSelf, kOpenSockets, kOld})
    filter.ForAll(calls, kAllow);
  // Whatever is new, and on x86-64 the calls of x32, which have a bit of their own.
  filter.If(BPF_JGE, kLastKnown + 1, true, kUnknown);
  filter.ForAll(kOtherWay, kUnknown);
  AddOpening(filter, SYS_openat, 2, rules.write);
#if defined(__x86_64__)
  AddOpening(filter, SYS_open, 1, rules.write);
#endif
  AddSignals(filter);
  AddThreads(filter);
  filter.AllowWith(
      SYS_fcntl, 1,
      {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW});
  // Questions only: a terminal could be told to type.
  filter.AllowWith(SYS_ioctl, 1, {TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX});
  if (rules.write) {
    filter.ForAll(kWriting, kAllow);
    filter.ForAll(kOldWriting, kAllow);
  }
  if (rules.network) {
    filter.ForAll(kNetwork, kAllow);
    // Not AF_UNIX: behind such sockets others work for the user. Netlink is asked for addresses.
    filter.AllowWith(SYS_socket, 0, {AF_INET, AF_INET6, AF_NETLINK});
  }
  filter.Return(kRefuse);
  return filter.Install();
}

}  // namespace cotree
