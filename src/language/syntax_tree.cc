// SPDX-License-Identifier: Apache-2.0
#include "language/syntax_tree.h"

#include "base/check.h"
#include "language/parse.h"
#include "language/release_syntax.h"

namespace cotree {

std::string_view SyntaxTree::Text(NodeId id) const {
  const Span span = SpanOf(id);
  return text.substr(span.begin, span.end - span.begin);
}

void ReleaseSyntax(SyntaxTree& tree) {
  LargeVector<Token>().swap(tree.tokens);
  LargeVector<Node>().swap(tree.nodes);
}

Span SyntaxTree::SpanOf(NodeId id) const {
  if (nodes.empty()) {  // released: the text says the same again
    Diagnostics none;
    *const_cast<SyntaxTree*>(this) = Parse(text, file, none);
  }
  const Node& node = nodes[id.index()];
  return {file, tokens[node.first_token].offset, tokens[node.last_token].end()};
}

NodeId SyntaxTree::Child(NodeId parent, NodeKind kind) const {
  for (const NodeId child : Children(parent)) {
    if (nodes[child.index()].kind == kind) return child;
  }
  return NodeId::None();
}

size_t SyntaxTree::CountChildren(NodeId parent) const {
  size_t count = 0;
  for ([[maybe_unused]] const NodeId child : Children(parent)) ++count;
  return count;
}

std::string PrintSyntaxTree(const SyntaxTree& tree) {
  std::string out;
  out.reserve(tree.text.size());
  uint32_t at = 0;
  for (const Token& token : tree.tokens) {
    out += tree.text.substr(at, token.offset - at);
    out += tree.text.substr(token.offset, token.length);
    at = token.end();
  }
  out += tree.text.substr(at);  // nothing, unless the text was too large to be cut into tokens
  return out;
}

bool SameSyntax(const SyntaxTree& a, const SyntaxTree& b) {
  if (a.tokens.size() != b.tokens.size()) return false;
  for (uint32_t i = 0; i < a.tokens.size(); ++i) {
    const bool end = a.tokens[i].kind() == TokenKind::kEnd;
    if (a.tokens[i].kind() != b.tokens[i].kind() || a.TokenText(i) != b.TokenText(i)) return false;
    if (!end && a.tokens[i].starts_line != b.tokens[i].starts_line) return false;
  }
  std::vector<std::pair<NodeId, NodeId>> open{{a.root, b.root}};
  while (!open.empty()) {
    const auto [left, right] = open.back();
    open.pop_back();
    if (left.IsNone() != right.IsNone()) return false;
    if (left.IsNone()) continue;
    const Node &x = a[left], &y = b[right];
    if (x.kind != y.kind || x.flags != y.flags || x.token != y.token) return false;
    if (x.first_token != y.first_token || x.last_token != y.last_token) return false;
    open.emplace_back(x.next_sibling, y.next_sibling);
    open.emplace_back(x.first_child, y.first_child);
  }
  return true;
}

void CheckSyntaxTree(const SyntaxTree& tree) {
  COTREE_CHECK(!tree.tokens.empty() && tree.tokens.back().kind() == TokenKind::kEnd);
  uint32_t at = 0;
  for (const Token& token : tree.tokens) {
    COTREE_CHECK(token.offset >= at);
    at = token.end();
  }
  std::vector<NodeId> open{tree.root};
  while (!open.empty()) {
    const NodeId parent = open.back();
    open.pop_back();
    const Node& node = tree[parent];
    COTREE_CHECK(node.first_token <= node.last_token && node.last_token < tree.tokens.size());
    uint32_t next = node.first_token;
    for (const NodeId child : tree.Children(parent)) {
      COTREE_CHECK(tree[child].first_token >= next && tree[child].last_token <= node.last_token);
      next = tree[child].last_token + 1;
      open.push_back(child);
    }
  }
}

}  // namespace cotree
