// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "language/diagnostics.h"
#include "language/edit.h"

namespace cotree {

namespace messages = language_messages;

std::optional<TextEdits> SourceEditor::AddConnection(std::string_view body_name, std::string_view from_text,
                                                     std::string_view to_text, ConnectionKind kind) const {
  const auto body = FindBody(body_name);
  if (!body) return std::nullopt;
  const bool signal = kind == ConnectionKind::kSignal;
  const auto from = CheckPath(from_text, signal ? "an output" : "a terminal");
  const auto to = CheckPath(to_text, signal ? "an input" : "a terminal");
  if (!from || !to || !CheckEnd(*body, *from) || !CheckEnd(*body, *to)) return std::nullopt;
  if (*from == *to) return BadText(*to, signal ? "another signal" : "another terminal");
  const std::vector<NodeId> connections = Statements(*body, NodeKind::kConnect);
  for (const NodeId connect : connections) {
    if (tree_.Has(connect, kFlagSignal) != signal) continue;
    bool has_from = false, has_to = false;
    for (const NodeId end : Ends(connect)) {
      has_from = has_from || Key(end) == *from;
      has_to = has_to || Key(end) == *to;
    }
    if (has_from && has_to) {
      diagnostics_.Report(messages::kEditAlreadyConnected, tree_.SpanOf(connect), {*from, *to}).Label("here");
      return std::nullopt;
    }
  }
  // Behind the last connection of the body itself, else behind the last instance.
  NodeId behind;
  for (const NodeId member : tree_.Children(body->node)) {
    const NodeKind member_kind = tree_.kind(member);
    const bool have_connection = !behind.IsNone() && tree_.kind(behind) == NodeKind::kConnect;
    if (member_kind == NodeKind::kSection) {
      for (const NodeId statement : tree_.Children(member)) {
        if (tree_.kind(statement) == NodeKind::kConnect) behind = statement;
      }
    } else if (member_kind == NodeKind::kConnect ||
               (member_kind == NodeKind::kInstance && !have_connection)) {
      behind = member;
    }
  }
  const std::string text = "connect " + *from + (signal ? " -> " : " -- ") + *to;
  TextEdits edits;
  InsertMember(*body, behind, text, edits);
  return Finish(std::move(edits), text);
}

std::optional<TextEdits> SourceEditor::RemoveConnection(std::string_view body_name,
                                                        std::string_view from_text,
                                                        std::string_view to_text) const {
  const auto body = FindBody(body_name);
  if (!body) return std::nullopt;
  const auto from = CheckPath(from_text, "a terminal");
  const auto to = CheckPath(to_text, "a terminal");
  if (!from || !to) return std::nullopt;
  TextEdits edits;
  std::string through;  // what stands between them, where they are joined but no neighbours
  for (const NodeId connect : Statements(*body, NodeKind::kConnect)) {
    const std::vector<NodeId> ends = Ends(connect);
    std::vector<std::string> keys(ends.size());
    for (size_t i = 0; i < ends.size(); ++i) keys[i] = Key(ends[i]);
    const auto is_pair = [&](size_t a, size_t b) {
      return (keys[a] == *from && keys[b] == *to) || (keys[a] == *to && keys[b] == *from);
    };
    std::vector<bool> removed(ends.size(), false);
    if (tree_.Has(connect, kFlagSignal)) {
      for (size_t i = 1; i < ends.size(); ++i) removed[i] = is_pair(0, i);
      RemoveEnds(connect, ends, removed, edits);
      continue;
    }
    size_t cut = 0;  // between ends cut - 1 and cut
    for (size_t i = 1; i < ends.size() && cut == 0; ++i) cut = is_pair(i - 1, i) ? i : 0;
    if (cut == 0) {
      const auto one = std::find(keys.begin(), keys.end(), *from),
                 two = std::find(keys.begin(), keys.end(), *to);
      if (one != keys.end() && two != keys.end() && one != two) through = *std::next(std::min(one, two));
    } else if (cut == 1 || cut + 1 == ends.size()) {
      removed[cut == 1 ? 0 : cut] = true;
      RemoveEnds(connect, ends, removed, edits);
    } else {
      // Cut in the middle: `a -- b -- c -- d` becomes two connections.
      const uint32_t first = tree_.SpanOf(connect).begin;
      const bool own_line = tree_.tokens[tree_[connect].first_token].starts_line != 0;
      const std::string gap = own_line ? line_end_ + IndentationOf(first) : "   ";
      const uint32_t begin = tree_.SpanOf(ends[cut - 1]).end, end = tree_.SpanOf(ends[cut]).begin;
      if (Between(begin, end).find('/') == std::string_view::npos) {
        edits.push_back({begin, end, gap + "connect "});
      } else {
        const Span join = tree_.SpanOfToken(tree_[ends[cut]].first_token - 1);
        edits.push_back({join.begin, join.end, gap + "connect"});
      }
    }
  }
  if (edits.empty() && !through.empty()) {
    diagnostics_.Report(messages::kEditNotNeighbours, Span{}, {*from, *to, through});
    return std::nullopt;
  }
  if (edits.empty())
    return NoSuchThing("connection", *from + " -- " + *to, "`" + std::string(body_name) + "`", {});
  return Finish(std::move(edits), *from);
}

}  // namespace cotree
