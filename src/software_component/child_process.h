// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "software_component/child_report.h"
#include "software_component/confine.h"

namespace cotree {

/** What the host program is started with. */
struct HostArguments {
  int library = -1;           // descriptor of what it loads
  uint64_t memory_limit = 0;  // bytes of address space; 0: none
  Confinement confinement;
};

/** cotree-component-host running beside us, as its supervisor and worker (supervise.h). */
class ChildProcess {
 public:
  ChildProcess() = default;
  ~ChildProcess() { End(LifeLine::kKill); }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Starts the program, in a session of its own (so that it has no terminal), with none of our open files
  /// but the library; what went wrong, else empty.
  std::string Start(const std::string& program, const HostArguments& arguments);

  /// The socket of the protocol.
  int data() const { return data_; }
  /// Of the supervisor; 0 if there is none.
  pid_t pid() const { return pid_; }

  /// Moves the worker to the processor that we run on. We wait while it works: there it begins at once,
  /// without waking another processor, which costs five times as much.
  void FollowCaller();

  /// What is known of the running worker.
  std::optional<ChildReport> Ask();

  /// Ends both and all that they started, and waits for it (2 s at most, then by force). The last report, if
  /// it came.
  std::optional<ChildReport> End(LifeLine how);

 private:
  std::optional<ChildReport> ReceiveReport() const;

  int data_ = -1, life_ = -1;
  pid_t pid_ = 0, worker_ = 0;
  int processor_ = -1;  // where the worker was moved to
};

/// cotree-component-host beside the running program; empty if that cannot be found out.
std::string DefaultHostProgram();

}  // namespace cotree
