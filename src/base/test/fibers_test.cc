// SPDX-License-Identifier: Apache-2.0
#include "base/fibers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace cotree {
namespace {

// Each goes on where it was, in turn, until it ends; in between everybody waits.
TEST(Fibers, TakeTurns) {
  for (int again = 0; again < 2; ++again) {
    Fibers fibers;
    std::string told;
    std::vector<std::function<void()>> tasks;
    for (int k = 0; k < 4; ++k)
      tasks.emplace_back([&, k] {
        for (int turn = 0; turn < k; ++turn) {
          told += static_cast<char>('a' + k);
          fibers.Yield();
        }
        told += static_cast<char>('A' + k);
      });
    fibers.Run(tasks, [&] { told += '-'; });
    EXPECT_EQ(told, "Abcd-Bcd-Cd-D");
  }
}

TEST(Fibers, NothingToDo) {
  Fibers fibers;
  fibers.Run({}, [] { FAIL(); });
}

// Numbers that live in registers and on the stack stay whose they are.
TEST(Fibers, KeepWhatTheyCompute) {
  constexpr int kTasks = 20, kTurns = 1000;
  Fibers fibers;
  double sums[kTasks] = {};
  int together = 0;
  std::vector<std::function<void()>> tasks;
  for (int k = 0; k < kTasks; ++k)
    tasks.emplace_back([&, k] {
      double sum = 0;
      for (int turn = 0; turn < kTurns; ++turn) {
        sum += std::sqrt(static_cast<double>(turn + k));
        fibers.Yield();
      }
      sums[k] = sum;
    });
  fibers.Run(tasks, [&] { ++together; });
  EXPECT_EQ(together, kTurns);
  for (int k = 0; k < kTasks; ++k) {
    double sum = 0;
    for (int turn = 0; turn < kTurns; ++turn) sum += std::sqrt(static_cast<double>(turn + k));
    EXPECT_EQ(sums[k], sum);
  }
}

}  // namespace
}  // namespace cotree
