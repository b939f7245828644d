// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace cotree {

/** What the supervisor tells cotree about the worker (SC.3), one packet on the life line. Both are the same
build: this never leaves the machine. */
struct ChildReport {
  static constexpr size_t kMostSaid = 4096;

  int32_t worker = 0;          // its process id
  int32_t ended = 0;           // the worker has; only then the next three count
  int32_t killed = 0;          // by the supervisor, because it was asked to
  int32_t wait_status = 0;     // as waitpid gives it
  int32_t crash_errno = 0;     // errno where a crash signal arrived; 0 if none did
  uint64_t crash_address = 0;  // of memory that it touched
  uint32_t said_bytes = 0;     // of `said`
  char said[kMostSaid] = {};   // the end of what it wrote to stdout and stderr
};

/** Requests of cotree on the life line, one byte each; closing it means kKill. */
enum class LifeLine : char {
  kReport = 'r',  // send a report
  kEnded = 'e',   // the connection is closed: wait a moment for the end of the worker, then as kKill
  kKill = 'k',    // end the worker and all that it started, send the last report, exit
};

}  // namespace cotree
