// SPDX-License-Identifier: Apache-2.0
#include "software_component/end_reason.h"

#include <string.h>  // NOLINT: sigabbrev_np is not in <cstring>
#include <sys/wait.h>

#include <cerrno>
#include <charconv>
#include <csignal>

#include "base/visible_text.h"

namespace cotree {
namespace {

std::string SignalName(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? "number " + std::to_string(signal) : std::string("SIG") + name;
}

std::string Bytes(uint64_t bytes) {
  if (bytes == 0) return "none set by Cotree";
  if (bytes < (1u << 30)) return PlainNumber(static_cast<double>(bytes) / (1u << 20)) + " MiB";
  return PlainNumber(static_cast<double>(bytes) / (1u << 30)) + " GiB";
}

std::string Hexadecimal(uint64_t value) {
  char text[20];
  const auto end = std::to_chars(text, text + sizeof text, value, 16);
  return "0x" + std::string(text, end.ptr);
}

}  // namespace

std::string PlainNumber(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

EndReason FindEndReason(const std::optional<ChildReport>& report, uint64_t memory_limit) {
  using Kind = ComponentFailure::Kind;
  if (!report) return {Kind::kCrash, "its process and the one that watches it are gone"};
  if (report->killed) return {Kind::kProtocol, "closed its connection to Cotree"};
  const int status = report->wait_status;
  if (WIFEXITED(status)) {
    return {Kind::kExit, "exited by itself with status " + std::to_string(WEXITSTATUS(status))};
  }
  const int signal = WTERMSIG(status);
  const std::string crash = "crashed by signal " + SignalName(signal);
  if (report->crash_errno == ENOMEM) {
    return {Kind::kMemory, "ran out of memory (limit: " + Bytes(memory_limit) + ") and " + crash};
  }
  if (signal == SIGSEGV || signal == SIGBUS) {
    return {Kind::kCrash, crash + " (memory at address " + Hexadecimal(report->crash_address) + ")"};
  }
  if (signal == SIGKILL)
    return {Kind::kCrash, crash + " (its own doing, or the system's for lack of memory)"};
  return {Kind::kCrash, crash};
}

std::string LastLines(const std::optional<ChildReport>& report, int lines, size_t most) {
  if (!report) return {};
  std::string text(report->said, report->said_bytes);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  size_t begin = text.size();
  for (; begin > 0; --begin) {
    if (text[begin - 1] == '\n' && --lines == 0) break;
  }
  text.erase(0, begin);
  if (text.size() > most) text = "... " + text.substr(text.size() - most);
  return VisibleText(text, LineEnds::kKept, 4 * most);
}

}  // namespace cotree
