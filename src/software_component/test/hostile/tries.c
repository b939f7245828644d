/* SPDX-License-Identifier: Apache-2.0 */
/* Tries what u says, and gives as y the error number that came of it; 0: it worked. Files are those that
   COTREE_TRIES names in the environment, whose value is a folder. */
#define _GNU_SOURCE
#include "tries.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hostile.h"

static void* nothing(void* argument) {
  return argument;
}

static long spawn_thread(void) {
  pthread_t thread;
  errno = pthread_create(&thread, 0, nothing, 0);
  return errno != 0 ? -1 : pthread_join(thread, 0);
}

static long start_process(void) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  return child < 0 ? -1 : (waitpid(child, 0, 0) == child ? 0 : -1);
}

static long write_to(const char* path, int flags) {
  const int file = open(path, flags, 0600);
  if (file < 0) return -1;
  return close(file);
}

static long read_from(const char* path) {
  char byte = 0;
  const int file = open(path, O_RDONLY);
  if (file < 0) return -1;
  const long got = read(file, &byte, 1);
  close(file);
  return got < 0 ? -1 : 0;
}

static long attempt(int what) {
  const char* folder = getenv("COTREE_TRIES");
  char there[4096], fresh[4096], other[4096];
  snprintf(there, sizeof there, "%s/there", folder == 0 ? "." : folder);
  snprintf(fresh, sizeof fresh, "%s/fresh", folder == 0 ? "." : folder);
  snprintf(other, sizeof other, "%s/other", folder == 0 ? "." : folder);
  const pid_t parent = getppid();
  struct rlimit most = {RLIM_INFINITY, RLIM_INFINITY};
  struct iovec bytes = {there, 1};
  char* const words[] = {(char*)"/bin/true", 0};
  switch (what) {
    case TRY_READ:
      return read_from(there);
    case TRY_THREAD:
      return spawn_thread();
    case TRY_SOCKET:
      return socket(AF_INET, SOCK_STREAM, 0);
    case TRY_LOCAL_SOCKET:
      return socket(AF_UNIX, SOCK_STREAM, 0);
    case TRY_PAIR: {
      int pair[2];
      return socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    }
    case TRY_FORK:
      return start_process();
    case TRY_SYSTEM: {
      const int status = system("exit 0"); /* NOLINT: that is the point */
      errno = EPERM;                       /* it tells no reason */
      return status == 0 ? 0 : -1;
    }
    case TRY_EXECUTE:
      return execve(words[0], words, words + 1);
    case TRY_CREATE:
      return write_to(fresh, O_WRONLY | O_CREAT | O_TRUNC);
    case TRY_OVERWRITE:
      return write_to(there, O_RDWR);
    case TRY_TRUNCATE:
      return write_to(there, O_RDONLY | O_TRUNC);
    case TRY_TRUNCATE_PATH:
      return truncate(there, 0);
    case TRY_REMOVE:
      return unlink(there);
    case TRY_RENAME:
      return rename(there, other);
    case TRY_FOLDER:
      return mkdir(other, 0700);
    case TRY_LINK:
      return symlink(there, other);
    case TRY_RIGHTS:
      return chmod(there, 0777);
    case TRY_OWN_MEMORY:
      return write_to("/proc/self/mem", O_RDWR);
    case TRY_KILL_PARENT:
      return kill(parent, 0);
    case TRY_KILL_ALL:
      return kill(-1, 0);
    case TRY_KILL_SELF:
      return kill(getpid(), 0);
    case TRY_TRACE:
      return ptrace(PTRACE_ATTACH, parent, 0, 0);
    case TRY_WRITE_PARENT:
      return process_vm_writev(parent, &bytes, 1, &bytes, 1, 0);
    case TRY_OUTLIVE:
      return prctl(PR_SET_PDEATHSIG, 0);
    case TRY_SESSION:
      return setsid();
    case TRY_LIMITS:
      return setrlimit(RLIMIT_AS, &most);
    case TRY_SPACES:
      return unshare(CLONE_NEWUSER);
    case TRY_MOUNT:
      return mount("none", "/mnt", "tmpfs", 0, 0);
    case TRY_RING:
      return syscall(425, 1, there); /* io_uring_setup */
    case TRY_MEMORY_FILE:
      return memfd_create("x", 0);
    case TRY_TYPE:
      return ioctl(0, TIOCSTI, "x");
    case TRY_CLONE3:
      return syscall(435, there, 8); /* what the C library falls back from */
    case TRY_UNKNOWN:
      return syscall(0x3fff);
    default:
      errno = ENOTSUP;
      return -1;
  }
}

static cotree_status misbehave(cotree_instance* self, const double* u, double* y) {
  (void)self;
  errno = 0;
  y[0] = attempt((int)u[0]) < 0 ? errno : 0;
  errno = 0;
  return COTREE_OK;
}
