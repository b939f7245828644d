// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <string>

#include "software_component/software_component.h"

namespace cotree::test {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;  // no memory limit then
#else
inline constexpr bool kSanitized = false;
#endif

inline std::string Library(const std::string& name) {
  return std::string(COTREE_COMPONENTS) + "/lib" + name + ".so";
}

/** A path for a file of this run alone. */
inline std::string TemporaryPath(const std::string& name) {
  return ::testing::TempDir() + "/cotree_" + std::to_string(getpid()) + "_" + name;
}

inline ComponentOptions OwnProcess() {
  ComponentOptions options;
  options.allow = true;
  options.host_program = COTREE_COMPONENT_HOST;
  return options;
}
inline ComponentOptions InProcess() {
  ComponentOptions options;
  options.allow = true;
  options.in_process = true;
  return options;
}

using Parameters = std::vector<std::pair<std::string, double>>;

/** Loads, or fails the test with the reason. */
inline std::unique_ptr<SoftwareComponent> Load(const std::string& name, const std::string& function,
                                               const Parameters& parameters,
                                               const ComponentOptions& options) {
  ComponentFailure failure;
  auto component =
      LoadSoftwareComponent({Library(name), function, "plant." + name, parameters}, options, &failure);
  EXPECT_TRUE(component) << failure.Text();
  return component;
}

/** Orphans of our children become our children: so none can hide from NoChildIsLeft. */
inline void AdoptOrphans() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/** No process that we or our children started exists any more, not even as a zombie. */
inline ::testing::AssertionResult NoChildIsLeft() {
  int status = 0;
  const pid_t child = waitpid(-1, &status, WNOHANG);
  if (child < 0 && errno == ECHILD) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "process " << child << (child == 0 ? " (one that runs)" : "") << " is left behind";
}

/** Waits for the end of orphans that came to us because a component has killed their parent. */
inline void ReapOrphans(double seconds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  int status = 0;
  while (waitpid(-1, &status, WNOHANG) >= 0 && std::chrono::steady_clock::now() < until) usleep(1000);
}

class Stopwatch {
 public:
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace cotree::test
