// SPDX-License-Identifier: Apache-2.0
#include "model/declared_states.h"

#include <algorithm>

namespace cotree {

bool IsStateNone(const SyntaxTree& tree, NodeId node) {
  if (tree.kind(node) != NodeKind::kState || tree.CountChildren(node) != 1) return false;
  const NodeId name = tree[node].first_child;
  return tree.kind(name) == NodeKind::kName && tree.CountChildren(name) == 0 && tree.Name(name) == "none";
}

bool DeclaresStates(const Model& model, const ComponentClass& cls) {
  if (std::any_of(cls.variables.begin(), cls.variables.end(),
                  [](const Variable& v) { return v.role == VariableRole::kState; }))
    return true;
  model.SpanOf(cls.origin);  // the syntax may have been given back
  const SyntaxTree& tree = model.tree(cls.origin.tree);
  for (const NodeId member : tree.Children(cls.origin.node)) {
    if (IsStateNone(tree, member)) return true;
    if (tree.kind(member) != NodeKind::kModel || cls.model.IsNone() ||
        tree.Name(member) != model.names.Text(cls.model))
      continue;
    for (const NodeId inner : tree.Children(member)) {
      if (IsStateNone(tree, inner)) return true;
    }
  }
  return false;
}

}  // namespace cotree
