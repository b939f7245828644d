// SPDX-License-Identifier: Apache-2.0
// SourceEditor: finds what an operation speaks of, and checks the texts that come in.
#include "language/diagnostics.h"
#include "language/edit.h"
#include "language/lex.h"
#include "language/parse.h"

namespace cotree {

namespace messages = language_messages;

namespace {

bool IsClass(NodeKind kind) {
  return kind == NodeKind::kComponent || kind == NodeKind::kSoftware || kind == NodeKind::kSystem;
}

std::string Quoted(std::string_view text) {
  return "`" + std::string(text) + "`";
}

// A text that comes in must begin and end with a token: a comment would swallow what follows.
bool IsTight(const SyntaxTree& tree) {
  if (tree.tokens.size() < 2) return false;
  return tree.tokens.front().offset == 0 && tree.tokens[tree.tokens.size() - 2].end() == tree.text.size();
}

}  // namespace

std::nullopt_t SourceEditor::NoSuchThing(std::string_view what, std::string_view name, std::string_view where,
                                         const std::vector<std::string_view>& candidates) const {
  auto& report = diagnostics_.Report(messages::kEditNoSuchThing, Span{}, {what, name.substr(0, 60), where});
  const std::string_view near = Nearest(name.substr(0, 60), candidates);
  if (!near.empty()) report.Help("did you mean " + Quoted(near) + "?");
  return std::nullopt;
}

std::nullopt_t SourceEditor::BadText(std::string_view text, std::string_view what) const {
  diagnostics_.Report(messages::kEditBadText, Span{}, {text.substr(0, 60), what});
  return std::nullopt;
}

std::optional<SourceEditor::Body> SourceEditor::FindBody(std::string_view name) const {
  if (broken_) {
    diagnostics_.Report(messages::kEditBrokenFile, *broken_).Label("the first of them");
    return std::nullopt;
  }
  const size_t dot = name.find('.');
  const std::string_view class_name = name.substr(0, dot);
  std::vector<std::string_view> candidates;
  for (const NodeId declaration : tree_.Children(tree_.root)) {
    if (!IsClass(tree_.kind(declaration))) continue;
    candidates.push_back(tree_.Name(declaration));
    if (candidates.back() != class_name) continue;
    NodeId node = declaration;
    if (dot != std::string_view::npos) {
      std::vector<std::string_view> models;
      for (const NodeId member : tree_.Children(declaration)) {
        if (tree_.kind(member) != NodeKind::kModel) continue;
        models.push_back(tree_.Name(member));
        if (models.back() == name.substr(dot + 1) && node == declaration) node = member;
      }
      if (node == declaration) return NoSuchThing("model", name.substr(dot + 1), Quoted(class_name), models);
    }
    uint32_t opening = tree_[node].token;
    while (tree_.tokens[opening].kind() != TokenKind::kLeftBrace) ++opening;
    return Body{std::string(name), node, declaration, opening};
  }
  return NoSuchThing("system or component", class_name, "this file", candidates);
}

std::optional<SourceEditor::Instance> SourceEditor::FindInstance(const Body& body,
                                                                 std::string_view name) const {
  std::vector<std::string_view> candidates;
  for (const NodeId member : tree_.Children(body.node)) {
    if (tree_.kind(member) != NodeKind::kInstance) continue;
    size_t names = 0;
    NodeId found;
    for (const NodeId child : tree_.Children(member)) {
      if (tree_.kind(child) != NodeKind::kName) continue;
      ++names;
      candidates.push_back(tree_.Name(child));
      if (candidates.back() == name) found = child;
    }
    if (!found.IsNone()) return Instance{member, found, names == 1};
  }
  return NoSuchThing("instance", name, Quoted(body.name), candidates);
}

// A path without its blanks and comments.
std::string SourceEditor::Key(NodeId path) const {
  std::string key;
  for (uint32_t i = tree_[path].first_token; i <= tree_[path].last_token; ++i) key += tree_.TokenText(i);
  return key;
}

// The argument `R`, `motor.R` or `start v`, or None.
NodeId SourceEditor::FindArgument(NodeId arguments, std::string_view parameter) const {
  const bool start = parameter.substr(0, 6) == "start ";
  for (const NodeId argument : tree_.Children(arguments)) {
    const NodeKind kind = tree_.kind(argument);
    if (kind != (start ? NodeKind::kStart : NodeKind::kArgument)) continue;
    if (Key(tree_[argument].first_child) == (start ? parameter.substr(6) : parameter)) return argument;
  }
  return NodeId::None();
}

// The connections or associations of a body, also those inside loops, conditions, sections and models.
std::vector<NodeId> SourceEditor::Statements(const Body& body, NodeKind kind) const {
  std::vector<NodeId> found, open{tree_[body.node].first_child};
  while (!open.empty()) {
    const NodeId node = open.back();
    open.pop_back();
    if (node.IsNone()) continue;
    open.push_back(tree_[node].next_sibling);
    switch (tree_.kind(node)) {
      case NodeKind::kSection:
      case NodeKind::kModel:
      case NodeKind::kFor:
      case NodeKind::kIf:
      case NodeKind::kWhen:
      case NodeKind::kBranch:
        open.push_back(tree_[node].first_child);
        break;
      default:
        if (tree_.kind(node) == kind) found.push_back(node);
    }
  }
  return found;
}

std::vector<NodeId> SourceEditor::Ends(NodeId connect) const {
  std::vector<NodeId> ends;
  for (const NodeId child : tree_.Children(connect)) {
    if (tree_.kind(child) == NodeKind::kPath) ends.push_back(child);
  }
  return ends;
}

// The token that declares a name in a body: names of a model and of the component around it share one space.
std::optional<uint32_t> SourceEditor::Declared(const Body& body, std::string_view name) const {
  std::vector<NodeId> open{tree_[body.outer].first_child};
  while (!open.empty()) {
    const NodeId node = open.back();
    open.pop_back();
    if (node.IsNone()) continue;
    open.push_back(tree_[node].next_sibling);
    const NodeKind kind = tree_.kind(node);
    if ((kind == NodeKind::kModel || kind == NodeKind::kTable) && tree_.Name(node) == name)
      return tree_[node].token;
    if (kind == NodeKind::kModel) {
      if (body.node == body.outer || body.node == node) open.push_back(tree_[node].first_child);
    } else if (kind >= NodeKind::kTerminal && kind <= NodeKind::kInstance) {
      for (const NodeId child : tree_.Children(node)) {
        if (tree_.kind(child) == NodeKind::kName && tree_.Name(child) == name) return tree_[child].token;
      }
    }
  }
  return std::nullopt;
}

bool SourceEditor::CheckName(std::string_view text) const {
  Diagnostics ignored;
  const auto tokens = Lex(text, FileId(), ignored);
  const bool name = ignored.ok() && tokens.size() == 2 && tokens[0].kind() == TokenKind::kName &&
                    tokens[0].length == text.size();
  if (!name) BadText(text, "a name");
  return name;
}

bool SourceEditor::CheckFree(const Body& body, std::string_view name) const {
  const auto declared = Declared(body, name);
  if (!declared) return true;
  diagnostics_.Report(messages::kEditNameTaken, tree_.SpanOfToken(*declared), {name, Quoted(body.name)})
      .Label("declared here");
  return false;
}

// The path without its blanks.
std::optional<std::string> SourceEditor::CheckPath(std::string_view text, std::string_view what) const {
  Diagnostics ignored;
  const SyntaxTree tree = ParseExpressionText(text, FileId(), ignored);
  if (!ignored.ok() || tree.kind(tree.root) != NodeKind::kPath || !IsTight(tree)) return BadText(text, what);
  std::string key;
  for (uint32_t i = 0; i < tree.tokens.size(); ++i) key += tree.TokenText(i);
  return key;
}

// An end of a connection begins with a name of the body; `electrical.ground` and its like belong to a domain.
bool SourceEditor::CheckEnd(const Body& body, std::string_view path) const {
  const std::string_view first = path.substr(0, path.find_first_of(".["));
  if (path.size() > first.size() && path.substr(first.size()) == ".ground") return true;
  if (Declared(body, first)) return true;
  NoSuchThing("instance or terminal", first, Quoted(body.name), {});
  return false;
}

bool SourceEditor::CheckValue(std::string_view parameter, std::string_view value) const {
  Diagnostics ignored;
  if (parameter.substr(0, 6) == "start ") {
    const std::string item = std::string(parameter) + " = " + std::string(value);
    const SyntaxTree tree = ParseMemberText(item, FileId(), ignored);
    const NodeId member = tree[tree.root].first_child;
    const bool start =
        ignored.ok() && !member.IsNone() && tree.kind(member) == NodeKind::kStart && IsTight(tree);
    if (!start) BadText(value, "an expression");
    return start;
  }
  const SyntaxTree tree = ParseExpressionText(value, FileId(), ignored);
  const bool expression = ignored.ok() && IsTight(tree);
  if (!expression) BadText(value, "an expression");
  return expression;
}

// The last word on every operation: what cannot be read again is not done.
std::optional<TextEdits> SourceEditor::Finish(TextEdits edits, std::string_view text) const {
  SortTextEdits(edits);
  Diagnostics found;
  const std::string result = ApplyEdits(tree_.text, edits);
  Parse(result, tree_.file, found);
  if (!found.ok()) return BadText(text, "possible at this place");
  return edits;
}

}  // namespace cotree
