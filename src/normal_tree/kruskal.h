// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "normal_tree/islands.h"
#include "normal_tree/normal_tree.h"

namespace cotree {

/** What an edge of a class is worth. */
struct EdgeWorth {
  int32_t across = GroupValues::kNone, through = GroupValues::kNone;  // GroupValues::Edge
  int64_t rank = 0;  // StartPotential and wishes: edges enter the tree in descending order of it
  int32_t across_wish = 0, through_wish = 0;
};

/** The worth of every edge: by class, wishes of the user put in.
Theory: docs/theory/normal_tree.md, NT.3. */
class EdgeWorths {
 public:
  EdgeWorths(const SystemGraph& graph, const std::vector<ElementGroups>& groups,
             const TreePreferences& preferences);

  /// Calls visit(edge, worth) for every edge, ascending. `worth.rank` has the wishes in it.
  template <class Visit>
  void ForEach(const Visit& visit) const {
    size_t wish = 0;
    for (const Component& component : graph_.components) {
      const uint32_t begin = first_[component.element.index()], end = first_[component.element.index() + 1];
      for (uint32_t k = begin; k < end; ++k) {
        const uint32_t e = component.first_edge + (k - begin);
        if (wish == wishes_.size() || wishes_[wish].edge != e) {
          visit(e, worth_[k]);
          continue;
        }
        visit(e, Add(worth_[k], wishes_[wish++]));
      }
    }
  }
  EdgeWorth Of(uint32_t edge) const;
  /// Whether the user has any.
  bool HasWishes() const { return !wishes_.empty(); }
  /// All ranks that occur, descending.
  std::vector<int64_t> Ranks() const;

 private:
  struct EdgeWish {
    uint32_t edge;
    int32_t across, through;
  };
  static EdgeWorth Add(EdgeWorth worth, const EdgeWish& wish) {
    worth.rank += int64_t{wish.across} - wish.through;
    worth.across_wish += wish.across;
    worth.through_wish += wish.through;
    return worth;
  }
  const EdgeWish* FindWish(uint32_t edge) const;

  const SystemGraph& graph_;
  std::vector<uint32_t> first_;   // by element class, and one more: in worth_
  std::vector<EdgeWorth> worth_;  // by edge of the classes
  std::vector<EdgeWish> wishes_;  // by edge
};

/** Chooses the tree in all islands that are not coupled, at once: Kruskal's algorithm by ranks
(ForestGrower), which is exact there. Adds to `primary` and `degree`. Returned are the guilty edges: those
that must be a branch and close a circuit (of edges that all must), those that must be a chord and are needed
(as all in their cut-set are), those that can be neither. */
std::vector<uint32_t> ChooseUncoupled(const SystemGraph& graph, const Islands& islands,
                                      const EdgeWorths& worths, NormalTree* tree);
/// The circuits and cut-sets of guilty edges, once the whole tree is chosen: adds to `blocking_sets`.
void ExplainGuilty(const SystemGraph& graph, const EdgeWorths& worths, const std::vector<uint32_t>& guilty,
                   NormalTree* tree);

}  // namespace cotree
