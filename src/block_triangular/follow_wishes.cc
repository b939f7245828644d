// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "block_triangular/offsets.h"

namespace cotree {
namespace {

/* An equation that is differentiated c_i times takes c_i orders of its variable away from the states. To
change that for a variable v, its equation e takes another variable, whose equation takes another one, and so
on, until one of them takes v: a circle of tight pairs, found breadth-first. */
class Rematcher {
 public:
  Rematcher(const EquationSystem& system, Offsets& offsets) : system_(system), offsets_(offsets) {
    const uint32_t m = system.variable_count;
    satisfied_.assign(m, 0);
    seen_.assign(system.equation_count(), 0);
    from_.assign(system.equation_count(), UINT32_MAX);
  }

  void Run() {
    std::vector<std::pair<uint32_t, int>> wishes = system_.state_wishes;
    std::erase_if(wishes, [&](const auto& w) {
      return offsets_.equation_of_variable[w.first] == UINT32_MAX || offsets_.variable[w.first] == 0;
    });
    std::stable_sort(wishes.begin(), wishes.end(), [](const auto& a, const auto& b) {
      const int x = std::abs(a.second), y = std::abs(b.second);
      return x != y ? x > y : a.first < b.first;
    });
    // Of equally strong wishes those that are met best already come first, and stay so.
    for (size_t first = 0, last = 0; first < wishes.size(); first = last) {
      while (last < wishes.size() && std::abs(wishes[last].second) == std::abs(wishes[first].second)) ++last;
      const auto begin = wishes.begin() + static_cast<std::ptrdiff_t>(first);
      const auto end = wishes.begin() + static_cast<std::ptrdiff_t>(last);
      const auto lost = [&](const auto& w) {
        const int times = static_cast<int>(Times(offsets_.equation_of_variable[w.first]));
        return w.second > 0 ? times : -times;
      };
      std::stable_sort(begin, end, [&](const auto& a, const auto& b) { return lost(a) < lost(b); });
      for (auto at = begin; at != end; ++at) {
        while (Move(at->first, at->second)) {
        }
        satisfied_[at->first] = at->second > 0 ? 1 : 2;
      }
    }
  }

 private:
  uint32_t Times(uint32_t equation) const { return offsets_.equation[equation]; }
  bool Wanted(uint32_t equation, uint32_t now, int wish) const {
    return wish > 0 ? Times(equation) < now : Times(equation) > now;
  }
  // Whether a variable that has got its wish may go to another equation.
  bool MayTake(uint32_t variable, uint32_t equation) const {
    const uint32_t now = Times(offsets_.equation_of_variable[variable]);
    return satisfied_[variable] == 0 || (satisfied_[variable] == 1 && Times(equation) <= now) ||
           (satisfied_[variable] == 2 && Times(equation) >= now);
  }
  template <class F>
  void OverTight(uint32_t equation, F&& f) const {
    for (uint32_t k = system_.incidence_first[equation]; k < system_.incidence_first[equation + 1]; ++k) {
      const uint32_t v = system_.incidence_variable[k];
      if (offsets_.variable[v] == Times(equation) + system_.incidence_order[k]) f(v);
    }
  }

  bool Move(uint32_t variable, int wish) {
    const uint32_t first = offsets_.equation_of_variable[variable];
    const uint32_t now = Times(first);
    if (wish > 0 && now == 0) return false;
    ++stamp_;
    std::vector<uint32_t> queue{first};
    seen_[first] = stamp_;
    uint32_t last = UINT32_MAX;
    for (size_t at = 0; at < queue.size() && last == UINT32_MAX && work_ < kMostWork; ++at) {
      const uint32_t e = queue[at];
      OverTight(e, [&](uint32_t v) {
        ++work_;
        if (last != UINT32_MAX) return;
        if (v == variable) {
          if (e != first && Wanted(e, now, wish)) last = e;
          return;
        }
        const uint32_t next = offsets_.equation_of_variable[v];
        if (next == UINT32_MAX || seen_[next] == stamp_ || !MayTake(v, e)) return;
        seen_[next] = stamp_;
        from_[next] = e;
        queue.push_back(next);
      });
    }
    if (last == UINT32_MAX) return false;
    // Each equation on the way takes the variable of the one behind it.
    uint32_t take = variable;
    for (uint32_t e = last;; e = from_[e]) {
      const uint32_t before = offsets_.variable_of_equation[e];
      offsets_.variable_of_equation[e] = take;
      offsets_.equation_of_variable[take] = e;
      if (e == first) break;
      take = before;
    }
    return true;
  }

  static constexpr uint64_t kMostWork = 20'000'000;
  const EquationSystem& system_;
  Offsets& offsets_;
  std::vector<uint8_t> satisfied_;  // 1: wanted, 2: avoided, and looked at
  std::vector<uint32_t> seen_, from_;
  uint32_t stamp_ = 0;
  uint64_t work_ = 0;
};

}  // namespace

void FollowWishes(const EquationSystem& system, Offsets& offsets) {
  if (!system.state_wishes.empty()) Rematcher(system, offsets).Run();
}

}  // namespace cotree
