// SPDX-License-Identifier: Apache-2.0
// All networks of up to four edges on a reference and up to three nodes: resistors, inductors, capacitors,
// sources, transformers, gyrators, voltage-controlled voltage sources and ideal op-amps, up to renaming of
// nodes and turning elements round. Once with values that hardly cancel, once with all of them 1: of these a
// part of those with four edges. COTREE_LONG: all, and a part of those with five edges.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "oracle/check.h"
#include "oracle/random_network.h"

namespace cotree::oracle {
namespace {

/** An element at its place: type and nodes, two or four of them. Elements are turned so that the first port
has its smaller node first; an element with one edge, and the inputs of an op-amp, may be turned alone. */
struct Item {
  Type type;
  std::array<int, 4> nodes{};  // plus and minus of the first port, then of the second
  size_t edges = 1;
  friend auto operator<=>(const Item&, const Item&) = default;
};

Item Turned(Item item) {
  if (item.nodes[0] > item.nodes[1]) {
    std::swap(item.nodes[0], item.nodes[1]);
    if (item.edges == 2 && item.type != Type::kOpAmp) std::swap(item.nodes[2], item.nodes[3]);
  }
  return item;
}

std::vector<Item> AllItems() {
  std::vector<Item> items;
  for (int a = 0; a < 4; ++a) {
    for (int b = a + 1; b < 4; ++b) {
      for (Type type :
           {Type::kResistor, Type::kInductor, Type::kCapacitor, Type::kVoltageSource, Type::kCurrentSource}) {
        items.push_back({type, {a, b, 0, 0}, 1});
      }
      for (int out = 1; out < 4; ++out) items.push_back({Type::kOpAmp, {a, b, out, 0}, 2});
      for (Type type : {Type::kTransformer, Type::kGyrator, Type::kVcvs}) {
        for (int c = 0; c < 4; ++c) {
          for (int d = 0; d < 4; ++d) {
            if (c != d) items.push_back({type, {a, b, c, d}, 2});
          }
        }
      }
    }
  }
  std::sort(items.begin(), items.end());
  return items;
}

Network NetworkOf(const std::vector<Item>& items, bool ones) {
  static const std::array<Rational, 5> values = {{{3, 1}, {5, 2}, {7, 4}, {11, 8}, {13, 1}}};
  Network network;
  for (size_t k = 0; k < items.size(); ++k) {
    const Item& item = items[k];
    Element e;
    e.type = item.type;
    e.name = InfoOf(item.type).letter + std::to_string(k + 1);
    e.ports.push_back({Domain::kElectrical, item.nodes[0], item.nodes[1]});
    if (item.edges == 2) e.ports.push_back({Domain::kElectrical, item.nodes[2], item.nodes[3]});
    if (item.type != Type::kOpAmp) e.values = {ones ? Rational{1, 1} : values[k]};
    network.elements.push_back(e);
  }
  return network;
}

bool IsSmallestOfItsKind(const std::vector<Item>& items) {
  std::array<int, 4> to{0, 1, 2, 3};
  while (std::next_permutation(to.begin() + 1, to.end())) {
    std::vector<Item> other = items;
    for (Item& item : other) {
      for (int& node : item.nodes) node = to[static_cast<size_t>(node)];
      item = Turned(item);
    }
    std::sort(other.begin(), other.end());
    if (other < items) return false;
  }
  return true;
}

/// Calls `visit` for each network of exactly `edges` edges, each kind once, in a fixed order.
template <typename Visit>
void ForAllNetworks(size_t edges, const Visit& visit) {
  static const std::vector<Item> all = AllItems();
  std::vector<Item> items;
  const auto extend = [&](const auto& self, size_t first, size_t left) -> void {
    if (left == 0) {
      if (IsSmallestOfItsKind(items) && IsConnected(NetworkOf(items, false))) visit(items);
      return;
    }
    for (size_t k = first; k < all.size(); ++k) {
      if (all[k].edges > left) continue;
      items.push_back(all[k]);
      self(self, k, left - all[k].edges);
      items.pop_back();
    }
  };
  extend(extend, 0, edges);
}

void CheckAll(bool ones) {
  Tally tally;
  size_t all_networks = 0;
  for (size_t edges = 1; edges <= (LongTests() ? 5 : 4); ++edges) {
    const size_t stride = edges == 5 ? 10 : edges == 4 && ones && !LongTests() ? 3 : 1;
    size_t index = 0;
    ForAllNetworks(edges, [&](const std::vector<Item>& items) {
      ++all_networks;
      if (index++ % stride != 0) return;
      CheckNetwork(NetworkOf(items, ones), std::to_string(edges) + " edges, network " + std::to_string(index),
                   {}, tally);
    });
  }
  std::cout << tally.Summary() << ", of " << all_networks << std::endl;
  EXPECT_EQ(tally.disagreements(), 0u) << tally.report;
}

TEST(AllSmallNetworks, WithDifferentValues) {
  CheckAll(false);
}
TEST(AllSmallNetworks, WithAllValuesOne) {
  CheckAll(true);
}

}  // namespace
}  // namespace cotree::oracle
