// SPDX-License-Identifier: Apache-2.0
#include "language/edit.h"

#include <array>
#include <charconv>
#include <cmath>

#include "language/parse.h"

namespace cotree {
namespace {

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

// The shortest text that reads back as the same number, whatever the locale.
std::string NumberText(double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value == 0 ? 0.0 : value);
  return std::string(buffer.data(), result.ptr);
}

}  // namespace

SourceEditor::SourceEditor(std::string_view text, FileId file, Diagnostics& diagnostics)
    : diagnostics_(diagnostics) {
  Diagnostics found;
  tree_ = Parse(text, file, found);
  found.Sort();
  for (const Diagnostic& diagnostic : found.list()) {
    if (!broken_ && diagnostic.info->severity == Severity::kError) broken_ = diagnostic.where;
  }
  const size_t newline = text.find('\n');
  line_end_ = newline != std::string_view::npos && newline > 0 && text[newline - 1] == '\r' ? "\r\n" : "\n";
}

// --- Parameters --------------------------------------------------------------------------------------

std::optional<TextEdits> SourceEditor::SetParameter(std::string_view body_name,
                                                    std::string_view instance_name,
                                                    std::string_view parameter_text,
                                                    std::string_view value) const {
  const auto body = FindBody(body_name);
  if (!body) return std::nullopt;
  const auto instance = FindInstance(*body, instance_name);
  if (!instance) return std::nullopt;
  parameter_text = Trimmed(parameter_text);
  const bool start = parameter_text.substr(0, 6) == "start ";
  const auto path =
      CheckPath(start ? Trimmed(parameter_text.substr(6)) : parameter_text, "the name of a parameter");
  if (!path) return std::nullopt;
  const std::string parameter = start ? "start " + *path : *path;
  value = Trimmed(value);
  const NodeId use = tree_.Child(instance->declaration, NodeKind::kClass);
  const NodeId arguments = tree_.Child(use, NodeKind::kArguments);
  TextEdits edits;
  if (value.empty()) {
    const NodeId argument = arguments.IsNone() ? NodeId::None() : FindArgument(arguments, parameter);
    if (argument.IsNone())
      return NoSuchThing("argument", parameter, "`" + std::string(instance_name) + "`", {});
    RemoveArgument(arguments, argument, edits);
  } else {
    if (!CheckValue(parameter, value)) return std::nullopt;
    // `(...)` stands behind the class and its dimensions, before `as`.
    NodeId behind = tree_.Child(use, NodeKind::kDimensions);
    if (behind.IsNone()) behind = tree_[use].first_child;
    SetArgument(arguments, tree_[behind].last_token, parameter, value, edits);
  }
  return Finish(Separate(*body, *instance, std::move(edits)), value.empty() ? parameter : value);
}

// Adds an argument or replaces its value; without parentheses they are put behind `last_token`.
void SourceEditor::SetArgument(NodeId arguments, uint32_t last_token, std::string_view parameter,
                               std::string_view value, TextEdits& edits) const {
  const std::string item = std::string(parameter) + " = " + std::string(value);
  if (arguments.IsNone()) {
    const uint32_t end = tree_.tokens[last_token].end();
    edits.push_back({end, end, "(" + item + ")"});
    return;
  }
  const NodeId argument = FindArgument(arguments, parameter);
  if (!argument.IsNone()) {
    const NodeId expression = tree_[tree_[argument].first_child].next_sibling;
    const uint32_t begin = tree_.SpanOf(expression).begin, end = tree_.SpanOf(argument).end;
    if (Between(begin, end) != value) edits.push_back({begin, end, std::string(value)});
    return;
  }
  NodeId last;
  for (const NodeId child : tree_.Children(arguments)) last = child;
  if (last.IsNone()) {
    const uint32_t end = tree_.tokens[tree_[arguments].first_token].end();
    edits.push_back({end, end, item});
    return;
  }
  const Span span = tree_.SpanOf(last);
  const bool own_line = tree_.tokens[tree_[last].first_token].starts_line != 0;
  edits.push_back(
      {span.end, span.end, (own_line ? "," + line_end_ + IndentationOf(span.begin) : ", ") + item});
}

// Takes an argument out, and the parentheses with the last one.
void SourceEditor::RemoveArgument(NodeId arguments, NodeId argument, TextEdits& edits) const {
  std::vector<NodeId> list;
  size_t index = 0;
  for (const NodeId child : tree_.Children(arguments)) {
    if (child == argument) index = list.size();
    list.push_back(child);
  }
  if (list.size() > 1) {
    RemoveFromList(list, index, edits);
  } else {
    Delete(tree_.SpanOf(arguments).begin, tree_.SpanOf(arguments).end, edits);
  }
}

// --- Instances ---------------------------------------------------------------------------------------

std::optional<TextEdits> SourceEditor::AddInstance(std::string_view body_name, std::string_view name,
                                                   std::string_view declaration) const {
  const auto body = FindBody(body_name);
  if (!body || !CheckName(name) || !CheckFree(*body, name)) return std::nullopt;
  const std::string text = std::string(name) + " : " + std::string(Trimmed(declaration));
  Diagnostics ignored;
  const SyntaxTree tree = ParseMemberText(text, FileId(), ignored);
  const NodeId member = tree[tree.root].first_child;
  const bool whole =
      !member.IsNone() && tree.kind(member) == NodeKind::kInstance && tree.SpanOf(member).end == text.size();
  if (!ignored.ok() || !whole) return BadText(declaration, "a component with its arguments");
  NodeId behind;
  for (const NodeId child : tree_.Children(body->node)) {
    const NodeKind kind = tree_.kind(child);
    const bool have_instance = !behind.IsNone() && tree_.kind(behind) == NodeKind::kInstance;
    if (kind == NodeKind::kInstance ||
        (kind >= NodeKind::kTerminal && kind < NodeKind::kInstance && !have_instance)) {
      behind = child;
    }
  }
  TextEdits edits;
  InsertMember(*body, behind, text, edits);
  return Finish(std::move(edits), text);
}

std::optional<TextEdits> SourceEditor::RemoveInstance(std::string_view body_name,
                                                      std::string_view name) const {
  const auto body = FindBody(body_name);
  if (!body) return std::nullopt;
  const auto instance = FindInstance(*body, name);
  if (!instance) return std::nullopt;
  const auto mentions = [&](NodeId path) { return tree_.Name(tree_[path].first_child) == name; };
  TextEdits edits;
  if (instance->alone) {
    const Node& node = tree_[instance->declaration];
    RemoveItem(node.first_token, node.last_token, edits);
  } else {
    std::vector<NodeId> names;
    size_t index = 0;
    for (const NodeId child : tree_.Children(instance->declaration)) {
      if (child == instance->name) index = names.size();
      if (tree_.kind(child) == NodeKind::kName) names.push_back(child);
    }
    RemoveFromList(names, index, edits);
  }
  for (const NodeId connect : Statements(*body, NodeKind::kConnect)) {
    const std::vector<NodeId> ends = Ends(connect);
    std::vector<bool> removed(ends.size());
    for (size_t i = 0; i < ends.size(); ++i) removed[i] = mentions(ends[i]);
    RemoveEnds(connect, ends, removed, edits);
  }
  for (const NodeId associate : Statements(*body, NodeKind::kAssociate)) {
    const std::vector<NodeId> ends = Ends(associate);
    bool removed = false;
    for (const NodeId end : ends) removed = removed || mentions(end);
    if (removed) RemoveItem(tree_[associate].first_token, tree_[associate].last_token, edits);
  }
  return Finish(std::move(edits), name);
}

// --- Layout ------------------------------------------------------------------------------------------

std::optional<TextEdits> SourceEditor::SetLayout(std::string_view body_name, std::string_view instance_name,
                                                 std::optional<Layout> layout) const {
  const auto body = FindBody(body_name);
  if (!body) return std::nullopt;
  const auto instance = FindInstance(*body, instance_name);
  if (!instance) return std::nullopt;
  NodeId annotation;
  for (const NodeId child : tree_.Children(instance->declaration)) {
    if (tree_.kind(child) == NodeKind::kAnnotation && tree_.Name(child) == "layout") annotation = child;
  }
  TextEdits edits;
  if (!layout) {
    if (annotation.IsNone()) return TextEdits{};
    const uint32_t first = tree_[annotation].first_token;
    const uint32_t begin = BlanksBefore(first) ? tree_.tokens[first - 1].end() : tree_.tokens[first].offset;
    edits.push_back({begin, tree_.SpanOf(annotation).end, ""});
    return Finish(Separate(*body, *instance, std::move(edits)), "layout");
  }
  std::vector<std::pair<std::string, double>> values{{"x", layout->x}, {"y", layout->y}};
  if (layout->rotate) values.emplace_back("rotate", *layout->rotate);
  std::string missing;  // arguments that are not there yet
  const NodeId arguments = annotation.IsNone() ? annotation : tree_.Child(annotation, NodeKind::kArguments);
  for (const auto& [key, value] : values) {
    if (!std::isfinite(value)) return BadText(NumberText(value), "a place");
    if (!arguments.IsNone() && !FindArgument(arguments, key).IsNone()) {
      SetArgument(arguments, 0, key, NumberText(value), edits);
    } else {
      missing += (missing.empty() ? "" : ", ") + key + " = " + NumberText(value);
    }
  }
  if (!missing.empty()) {
    NodeId last;
    if (!arguments.IsNone()) {
      for (const NodeId child : tree_.Children(arguments)) last = child;
    }
    const NodeId behind = !last.IsNone() ? last : annotation.IsNone() ? instance->declaration : annotation;
    uint32_t end = tree_.SpanOf(behind).end;
    if (!last.IsNone()) {
      missing = ", " + missing;
    } else if (!arguments.IsNone()) {
      end = tree_.tokens[tree_[arguments].first_token].end();
    } else {
      missing = (annotation.IsNone() ? " @layout(" : "(") + missing + ")";
    }
    edits.push_back({end, end, missing});
  }
  return Finish(Separate(*body, *instance, std::move(edits)), "layout");
}

}  // namespace cotree
