// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cotree {

/** What foreign code may do in a process of its own besides computing, reading what the user may read,
starting threads, and speaking over what was open before. */
struct Confinement {
  bool network = false;            // TCP and UDP
  std::vector<std::string> write;  // folders below which files may be made, written and removed
};

/// Bits of what the machine does not give.
enum Unconfined : uint32_t {
  kNoSystemCallFilter = 1,
  kNoWriteRules = 2,
  kNoNamespaces = 4,
  kNoFolders = 8,  // folders to write to were asked for, but cannot be told apart: nothing may be written
};

/// First, while this process may still do everything: networks and shared memory of its own, where that can
/// be had. Returns bits of Unconfined.
uint32_t EnterNamespaces(const Confinement& confinement);

/** Confines this process (it has one thread) for good: capabilities, Landlock for what is written, and a
filter of system calls (seccomp), which is the base: it allows what is listed and gives EPERM for all else.
There is no way back. Returns bits of Unconfined.

Theory: docs/theory/software_components.md, SC.6; why: docs/decisions/0009-foreign-code.md. */
uint32_t Confine(const Confinement& confinement);

/// For people: what this machine lacks, and what follows; empty for 0.
std::string DescribeUnconfined(uint32_t bits);

}  // namespace cotree
