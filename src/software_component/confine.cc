// SPDX-License-Identifier: Apache-2.0
#include "software_component/confine.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "software_component/system_call_filter.h"

namespace cotree {
namespace {

// ---- Landlock, by its numbers: headers of the day may be older than the kernel ----

constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr uint64_t kWriteFile = 1u << 1, kRemoveDirectory = 1u << 4, kRemoveFile = 1u << 5,
                   kMakeAll = 0x7Fu << 6,  // characters, folders, files, sockets, FIFOs, blocks, links
    kRefer = 1u << 13, kTruncate = 1u << 14, kDeviceControl = 1u << 15;
constexpr uint64_t kBindTcp = 1, kConnectTcp = 2;
constexpr uint64_t kScopeAbstractSockets = 1, kScopeSignals = 2;

struct Ruleset {
  uint64_t files = 0, network = 0, scoped = 0;
};
struct __attribute__((packed)) BelowPath {
  uint64_t allowed = 0;
  int32_t parent = -1;
};

bool AllowBelow(int ruleset, const char* path, uint64_t what) {
  const int folder = open(path, O_PATH | O_CLOEXEC);
  if (folder < 0) return false;
  const BelowPath rule{what, folder};
  constexpr int kPathBeneath = 1;
  const bool added = syscall(kAddRule, ruleset, kPathBeneath, &rule, 0) == 0;
  close(folder);
  return added;
}

// Nothing is written but below the folders (and to nowhere). False: the kernel cannot say so.
bool RestrictWriting(const Confinement& confinement) {
  constexpr uint32_t kAskVersion = 1;
  const long version = syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  if (version < 1) return false;
  Ruleset rules;
  rules.files = kWriteFile | kRemoveDirectory | kRemoveFile | kMakeAll;
  if (version >= 2) rules.files |= kRefer;
  if (version >= 3) rules.files |= kTruncate;
  if (version >= 4 && !confinement.network) rules.network = kBindTcp | kConnectTcp;
  if (version >= 5) rules.files |= kDeviceControl;
  if (version >= 6) rules.scoped = kScopeAbstractSockets | kScopeSignals;
  // Earlier versions know a shorter struct.
  const size_t size = version >= 6 ? sizeof rules : version >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
  const auto ruleset = static_cast<int>(syscall(kCreateRuleset, &rules, size, 0));
  if (ruleset < 0) return false;
  bool ok = true;
  AllowBelow(ruleset, "/dev/null", kWriteFile | (rules.files & kTruncate));
  for (const std::string& folder : confinement.write) {
    constexpr uint64_t kMakeDevices = (1u << 6) | (1u << 11);
    ok = AllowBelow(ruleset, folder.c_str(), rules.files & ~kMakeDevices & ~kDeviceControl) && ok;
  }
  ok = syscall(kRestrictSelf, ruleset, 0) == 0 && ok;
  close(ruleset);
  return ok;
}

// ---- Capabilities ----

// Of all that root may do, reading is left: what the user may read, the code may.
void DropCapabilities() {
  struct Head {
    uint32_t version = 0x20080522;
    int process = 0;
  } head;
  struct Sets {
    uint32_t effective = 0, permitted = 0, inheritable = 0;
  } before[2], after[2];
  if (syscall(SYS_capget, &head, before) != 0) return;
  constexpr uint32_t kReadAndSearch = 1u << 2;
  after[0].permitted = after[0].effective = before[0].permitted & kReadAndSearch;
  head = {};
  syscall(SYS_capset, &head, after);
}

bool WriteTo(const char* path, const std::string& text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(file);
  return written;
}

}  // namespace

uint32_t EnterNamespaces(const Confinement& confinement) {
  const int wanted = CLONE_NEWIPC | (confinement.network ? 0 : CLONE_NEWNET);
  if (unshare(wanted) == 0) return 0;  // root
  const uid_t user = geteuid();
  const gid_t group = getegid();
  if (unshare(CLONE_NEWUSER | wanted) != 0) return kNoNamespaces;
  // It is the same user inside.
  WriteTo("/proc/self/setgroups", "deny");
  WriteTo("/proc/self/uid_map", std::to_string(user) + " " + std::to_string(user) + " 1");
  WriteTo("/proc/self/gid_map", std::to_string(group) + " " + std::to_string(group) + " 1");
  return 0;
}

uint32_t Confine(const Confinement& confinement) {
  uint32_t lacks = 0;
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  DropCapabilities();
  SystemCallRules rules;
  rules.network = confinement.network;
  rules.write = !confinement.write.empty();
  if (!RestrictWriting(confinement)) {
    lacks |= kNoWriteRules;
    if (rules.write) lacks |= kNoFolders;
    rules.write = false;  // without rules for folders no file is written
  }
  if (!FilterSystemCalls(rules)) lacks |= kNoSystemCallFilter;
  return lacks;
}

std::string DescribeUnconfined(uint32_t bits) {
  if (bits == 0) return {};
  std::string missing;
  const auto add = [&](uint32_t bit, const char* what) {
    if ((bits & bit) != 0) missing += (missing.empty() ? "" : ", ") + std::string(what);
  };
  add(kNoSystemCallFilter, "no filter of system calls (seccomp)");
  add(kNoWriteRules, "no Landlock");
  add(kNoNamespaces, "no namespaces for users");
  std::string text = "this machine has " + missing;
  if ((bits & kNoFolders) != 0) text += ": foreign code may write no file, --foreign-write has no effect";
  if ((bits & kNoSystemCallFilter) != 0)
    text += ": foreign code can do whatever you may do";
  else
    text += ((bits & kNoFolders) != 0 ? "; it" : ": foreign code") +
            std::string(" is confined by the filter of system calls") +
            ((bits & kNoWriteRules) == 0 ? " and Landlock" : " alone");
  return text;
}

}  // namespace cotree
