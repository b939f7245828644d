// SPDX-License-Identifier: Apache-2.0
#include "sweep/run_sweep.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

namespace cotree {

bool RunPoints(const SweepPlan& plan) {
  const size_t end = plan.first + plan.count;
  std::atomic<size_t> next{plan.first};
  std::atomic<bool> stopped{false};
  std::mutex lock;  // guards what follows, and the calls of `take` and `progress`
  std::map<size_t, SweepRow> waiting;
  size_t turn = plan.first, finished = 0;

  const auto work_with = [&](const std::function<SweepWorker&()>& worker) {
    while (!stopped) {
      const size_t point = next++;
      if (point >= end) return;
      std::optional<SweepRow> row = worker().Run(point);
      const std::lock_guard guard(lock);
      if (!row) {
        stopped = true;
        return;
      }
      waiting.emplace(point, std::move(*row));
      ++finished;
      while (!stopped && !waiting.empty() && waiting.begin()->first == turn) {
        if (!plan.take(turn, waiting.begin()->second)) stopped = true;
        waiting.erase(waiting.begin());
        ++turn;
      }
      if (!plan.progress(finished)) stopped = true;
    }
  };

  const auto work = [&] {
    if (plan.make_lanes) {
      Fibers fibers;
      const std::unique_ptr<SweepLanes> lanes = plan.make_lanes(fibers);
      std::vector<std::function<void()>> tasks;
      for (const auto& worker : lanes->workers())
        tasks.emplace_back([&] { work_with([&]() -> SweepWorker& { return *worker; }); });
      fibers.Run(tasks, [&] { lanes->Together(); });
      return;
    }
    std::unique_ptr<SweepWorker> worker;
    work_with([&]() -> SweepWorker& {
      if (worker == nullptr) worker = plan.make_worker();
      return *worker;
    });
  };

  const auto threads = static_cast<unsigned>(std::min<size_t>(std::max(plan.threads, 1u), plan.count));
  std::vector<std::thread> others;
  for (unsigned k = 1; k < threads; ++k) others.emplace_back(work);
  work();
  for (std::thread& thread : others) thread.join();
  return turn == end;
}

}  // namespace cotree
