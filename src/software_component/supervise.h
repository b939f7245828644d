// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "software_component/confine.h"

namespace cotree {

/** What cotree-component-host does: it becomes two processes. The *worker*, with the limits below, confined,
in a process group of its own, runs ServeComponent and with it the foreign code. The *supervisor* runs none:
it reads what the worker writes to stdout and stderr, waits for its end, then ends everything that the worker
has started (orphans come to it, since it is their subreaper), and reports on the life line. If cotree ends,
however it does, the life line closes and the supervisor ends the worker; if the supervisor ends, the kernel
ends the worker.

Theory: docs/theory/software_components.md, SC.3. */
struct SuperviseOptions {
  int data = -1;              // connected socket of the protocol
  int life = -1;              // connected packet socket of the life line
  int library = -1;           // what the worker loads
  uint64_t memory_limit = 0;  // bytes of address space; 0: none
  Confinement confinement;    // of the worker
};

/// Returns the exit status of the process.
int Supervise(const SuperviseOptions& options);

}  // namespace cotree
