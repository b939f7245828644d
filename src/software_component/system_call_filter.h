// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cotree {

/** What the filter lets through beyond the usual. */
struct SystemCallRules {
  bool network = false;  // sockets for TCP and UDP
  bool write = false;    // files opened for writing, made, renamed, removed: Landlock says where
};

/** From now on this process can only call what computing, reading, threads, waiting and its open files need
(seccomp, x86-64 and aarch64). All else gives EPERM, and what later kernels add ENOSYS. False: there is no
filter. */
bool FilterSystemCalls(const SystemCallRules& rules);

}  // namespace cotree
