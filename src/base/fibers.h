// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

namespace cotree {

/** Tasks of one thread that take turns, each on a stack of its own: one goes on until it yields or ends. So
that what many of them wait for can be computed together. No exception may leave a task.

A task that yields goes over into the next one at once. Where tasks do the same, they then return through the
same calls, as the machine expects. */
class Fibers {
 public:
  Fibers();
  ~Fibers();
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;

  /// Runs all tasks to their ends. Whenever each of those that are left has yielded, `together` is called,
  /// outside of any task.
  void Run(const std::vector<std::function<void()>>& tasks, const std::function<void()>& together);
  /// In a task: gives way to the others.
  void Yield();

 private:
  struct Fiber;
  static void Enter();
  Fiber* NextFrom(size_t k) const;

  std::vector<std::unique_ptr<Fiber>> fibers_;
  Fiber* now_ = nullptr;
  std::unique_ptr<Fiber> main_;
};

}  // namespace cotree
