// SPDX-License-Identifier: Apache-2.0
#include "normal_tree/forest_paths.h"

#include <algorithm>

namespace cotree {

namespace {
constexpr uint32_t kNobody = UINT32_MAX;
}

ForestPair::ForestPair(std::span<const std::pair<uint32_t, uint32_t>> ends, uint32_t vertices)
    : ends_(ends),
      first_(vertices + 2, 0),
      in_tree_(ends.size(), 0),
      in_through_(ends.size(), 0),
      up_(vertices, kNobody),
      up_edge_(vertices, kNobody),
      mark_(vertices, 0),
      step_(vertices, 0) {
  for (const auto& [from, to] : ends) {
    if (from == to) continue;
    ++first_[from + 2];
    ++first_[to + 2];
  }
  for (size_t v = 2; v < first_.size(); ++v) first_[v] += first_[v - 1];
  incident_.resize(first_.back());
  for (uint32_t e = 0; e < ends.size(); ++e) {
    if (ends[e].first == ends[e].second) continue;
    incident_[first_[ends[e].first + 1]++] = e;
    incident_[first_[ends[e].second + 1]++] = e;
  }
}

void ForestPair::Set(std::vector<uint8_t> tree, std::vector<uint8_t> through,
                     std::span<const uint32_t> roots) {
  in_tree_ = std::move(tree);
  in_through_ = std::move(through);
  roots_.assign(roots.begin(), roots.end());
  RootThrough();
}

ForestPair ForestPair::Mirrored() const {
  ForestPair out = *this;
  std::swap(out.in_tree_, out.in_through_);
  out.RootThrough();
  return out;
}

bool ForestPair::RootThrough() {
  std::fill(up_.begin(), up_.end(), kNobody);
  std::fill(up_edge_.begin(), up_edge_.end(), kNobody);
  size_t used = 0;
  std::vector<uint8_t> seen(up_.size(), 0);
  std::vector<uint32_t> queue;
  const auto grow = [&](uint32_t root) {
    if (seen[root] != 0) return;
    seen[root] = 1;
    queue.assign(1, root);
    for (size_t at = 0; at < queue.size(); ++at) {
      const uint32_t v = queue[at];
      for (uint32_t k = first_[v]; k < first_[v + 1]; ++k) {
        const uint32_t e = incident_[k], w = Other(e, v);
        if (in_through_[e] == 0 || seen[w] != 0) continue;
        seen[w] = 1;
        up_[w] = v;
        up_edge_[w] = e;
        queue.push_back(w);
        ++used;
      }
    }
  };
  for (const uint32_t root : roots_) grow(root);
  for (uint32_t v = 0; v < up_.size(); ++v) grow(v);
  return used == static_cast<size_t>(std::count(in_through_.begin(), in_through_.end(), uint8_t{1}));
}

void ForestPair::StartSides(uint32_t branch) {
  for (const int s : {0, 1}) {
    const uint32_t v = s == 0 ? ends_[branch].first : ends_[branch].second;
    Side& side = sides_[s];
    side.vertices.assign(1, v);
    side.at = 0;
    side.next = first_[v];
    side.mark = ++last_mark_;
    mark_[v] = side.mark;
  }
}

void ForestPair::FindThroughPath(uint32_t chord) {
  climb_[0].clear();
  climb_[1].clear();
  uint32_t at[2] = {ends_[chord].first, ends_[chord].second};
  if (at[0] == at[1]) return;
  const uint32_t marks[2] = {++last_mark_, ++last_mark_};
  for (const int s : {0, 1}) {
    mark_[at[s]] = marks[s];
    step_[at[s]] = 0;
  }
  for (int s = 0; up_[at[0]] != kNobody || up_[at[1]] != kNobody; s = 1 - s) {
    if (up_[at[s]] == kNobody) continue;
    climb_[s].push_back(at[s]);
    at[s] = up_[at[s]];
    if (mark_[at[s]] == marks[1 - s]) {
      climb_[1 - s].resize(step_[at[s]]);
      return;
    }
    mark_[at[s]] = marks[s];
    step_[at[s]] = static_cast<uint32_t>(climb_[s].size());
  }
}

bool ForestPair::SwapOne(uint32_t in, uint32_t out) {
  FindThroughPath(in);
  for (const int s : {0, 1}) {
    const auto found =
        std::find_if(climb_[s].begin(), climb_[s].end(), [&](uint32_t v) { return up_edge_[v] == out; });
    if (found == climb_[s].end()) continue;
    // What hangs below `out` is turned round: it hangs on `in` now.
    uint32_t parent = s == 0 ? ends_[in].second : ends_[in].first, parent_edge = in;
    for (auto v = climb_[s].begin();; ++v) {
      std::swap(up_edge_[*v], parent_edge);
      up_[*v] = parent;
      parent = *v;
      if (v == found) break;
    }
    in_through_[in] = 1;
    in_through_[out] = 0;
    return true;
  }
  return false;
}

bool ForestPair::SwapThrough(std::vector<std::pair<uint32_t, uint32_t>> pairs) {
  while (!pairs.empty()) {
    const size_t before = pairs.size();
    std::erase_if(pairs, [&](const auto& pair) { return SwapOne(pair.first, pair.second); });
    if (pairs.size() == before) break;
  }
  if (pairs.empty()) return true;
  for (const auto& [in, out] : pairs) in_through_[out] = 0;
  for (const auto& [in, out] : pairs) in_through_[in] = 1;
  return RootThrough();
}

}  // namespace cotree
