// SPDX-License-Identifier: Apache-2.0
// SourceEditor::RenameInstance: follows every path of the file from the body in which it is written to the
// instances it names.
#include <unordered_map>

#include "language/diagnostics.h"
#include "language/edit.h"

namespace cotree {

namespace messages = language_messages;

namespace {

/** Finds the tokens that name one instance. A path is resolved as the model does it, as far as this file
tells: its first name in the body where it stands, each further one in the class of the instance before it. */
class InstanceUses {
 public:
  InstanceUses(const SyntaxTree& tree, NodeId target_class, NodeId target_body, std::string_view from,
               std::string_view to)
      : tree_(tree), target_class_(target_class), target_body_(target_body), from_(from), to_(to) {
    for (const NodeId declaration : tree.Children(tree.root)) {
      if (IsClass(tree.kind(declaration))) classes_.emplace(tree.Name(declaration), declaration);
    }
  }

  void Find() {
    for (const NodeId declaration : tree_.Children(tree_.root)) {
      if (IsClass(tree_.kind(declaration))) {
        Visit({tree_[declaration].first_child, declaration, NodeId::None(), false, false});
      } else if (tree_.kind(declaration) == NodeKind::kExperiment) {
        VisitExperiment(declaration);
      }
    }
  }

  std::vector<uint32_t> tokens;      // to be renamed
  std::optional<uint32_t> captured;  // a token where the new name already means something else

 private:
  struct Open {
    NodeId node;       // it and its later siblings
    NodeId scope;      // the class in which names are looked up
    NodeId instance;   // inside an instance's use of a class: that class, if this file declares it
    bool is_argument;  // inside the arguments of an instance
    bool hidden;       // a loop around it has an index with the new name
  };

  static bool IsClass(NodeKind kind) {
    return kind == NodeKind::kComponent || kind == NodeKind::kSoftware || kind == NodeKind::kSystem;
  }

  NodeId ClassNamed(std::string_view name) const {
    const auto found = classes_.find(name);
    return found == classes_.end() ? NodeId::None() : found->second;
  }
  NodeId ClassOfPath(NodeId path) const { return ClassNamed(tree_.TokenText(tree_[path].last_token)); }

  // The class of an instance, if this file declares it.
  NodeId ClassOfInstance(NodeId owner, std::string_view name) {
    const auto [entry, added] = instances_.try_emplace(owner.value);
    if (added) {
      std::vector<NodeId> open{tree_[owner].first_child};
      while (!open.empty()) {
        const NodeId member = open.back();
        open.pop_back();
        if (member.IsNone()) continue;
        open.push_back(tree_[member].next_sibling);
        if (tree_.kind(member) == NodeKind::kModel) open.push_back(tree_[member].first_child);
        if (tree_.kind(member) != NodeKind::kInstance) continue;
        const NodeId used = ClassOfPath(tree_[tree_.Child(member, NodeKind::kClass)].first_child);
        for (const NodeId child : tree_.Children(member)) {
          if (tree_.kind(child) == NodeKind::kName) entry->second.emplace(tree_.Name(child), used);
        }
      }
    }
    const auto found = entry->second.find(name);
    return found == entry->second.end() ? NodeId::None() : found->second;
  }

  void Follow(NodeId path, NodeId scope, bool hidden) {
    bool first = true;
    for (const NodeId segment : tree_.Children(path)) {
      if (scope.IsNone()) return;
      if (scope == target_class_) {
        if (tree_.Name(segment) == from_) {
          tokens.push_back(tree_[segment].token);
          if (hidden && first) captured = tree_[segment].token;
        } else if (tree_.Name(segment) == to_ && first) {
          captured = tree_[segment].token;
        }
      }
      scope = ClassOfInstance(scope, tree_.Name(segment));
      first = false;
    }
  }

  void VisitExperiment(NodeId experiment) {
    const NodeId path = tree_.Child(experiment, NodeKind::kPath);
    if (path.IsNone()) return;
    const NodeId system = ClassOfPath(path);
    for (const NodeId item : tree_.Children(experiment)) {
      const NodeKind kind = tree_.kind(item);
      const bool uses = kind == NodeKind::kPlot || kind == NodeKind::kSet || kind == NodeKind::kStart;
      if (uses) Visit({tree_[item].first_child, system, NodeId::None(), false, false});
    }
  }

  void Visit(Open begin) {
    std::vector<Open> open{begin};
    while (!open.empty()) {
      const Open here = open.back();
      open.pop_back();
      if (here.node.IsNone()) continue;
      const Node& node = tree_[here.node];
      Open next = here;
      next.node = node.next_sibling;
      open.push_back(next);
      Open inside{node.first_child, here.scope, NodeId::None(), false, here.hidden};
      switch (node.kind) {
        case NodeKind::kPath:
          Follow(here.node, here.scope, here.hidden);
          break;
        case NodeKind::kModel:
          // Another model may have an instance of the same name.
          if (here.scope == target_class_ && target_body_ != target_class_ && target_body_ != here.node)
            continue;
          break;
        case NodeKind::kFor:
        case NodeKind::kComprehension:
          if (here.scope == target_class_ && tree_.Name(here.node) == from_) continue;
          inside.hidden = here.hidden || tree_.Name(here.node) == to_;
          break;
        case NodeKind::kClass:
          // Its path names a class; what follows are dimensions, arguments and a model.
          inside.instance = ClassOfPath(node.first_child);
          inside.node = tree_[node.first_child].next_sibling;
          break;
        case NodeKind::kArguments:
          inside.instance = here.instance;
          inside.is_argument = true;
          break;
        case NodeKind::kArgument:
        case NodeKind::kStart: {
          // The name of an argument belongs to the instance's class, a `start` of the body to the body.
          const bool of_instance = node.kind == NodeKind::kArgument || here.is_argument;
          const NodeId path = node.first_child;
          Follow(path, of_instance ? here.instance : here.scope, here.hidden);
          open.push_back({tree_[path].first_child, here.scope, NodeId::None(), false, here.hidden});
          inside.node = tree_[path].next_sibling;
          break;
        }
        case NodeKind::kTypeName:
        case NodeKind::kTable:
        case NodeKind::kAnnotation:
          continue;
        default:
          break;
      }
      open.push_back(inside);
    }
  }

  const SyntaxTree& tree_;
  NodeId target_class_;
  NodeId target_body_;
  std::string_view from_, to_;
  std::unordered_map<std::string_view, NodeId> classes_;  // looked up only, never walked
  std::unordered_map<uint32_t, std::unordered_map<std::string_view, NodeId>> instances_;
};

}  // namespace

std::optional<TextEdits> SourceEditor::RenameInstance(std::string_view body_name, std::string_view from,
                                                      std::string_view to) const {
  const auto body = FindBody(body_name);
  if (!body) return std::nullopt;
  const auto instance = FindInstance(*body, from);
  if (!instance || !CheckName(to)) return std::nullopt;
  if (from == to) return TextEdits{};
  if (!CheckFree(*body, to)) return std::nullopt;
  InstanceUses uses(tree_, body->outer, body->node, from, to);
  uses.Find();
  if (uses.captured) {
    diagnostics_
        .Report(messages::kEditNameTaken, tree_.SpanOfToken(*uses.captured), {to, "`" + body->name + "`"})
        .Label("the name means something else here");
    return std::nullopt;
  }
  uses.tokens.push_back(tree_[instance->name].token);
  TextEdits edits;
  for (const uint32_t token : uses.tokens) {
    const Span span = tree_.SpanOfToken(token);
    edits.push_back({span.begin, span.end, std::string(to)});
  }
  return Finish(std::move(edits), to);
}

}  // namespace cotree
