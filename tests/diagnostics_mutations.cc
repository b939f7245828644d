// SPDX-License-Identifier: Apache-2.0
#include "diagnostics_mutations.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "language/lex.h"
#include "language/parse.h"

namespace cotree::test {

const std::string_view kNestedPrefix = "nested1.";

namespace {

constexpr std::string_view kOuter = "OuterSystem";

SyntaxTree ParseQuietly(std::string_view text) {
  Diagnostics ignored;
  return Parse(text, FileId(0), ignored);
}

std::vector<NodeId> ChildrenOf(const SyntaxTree& tree, NodeId node) {
  std::vector<NodeId> children;
  for (const NodeId child : tree.Children(node)) children.push_back(child);
  return children;
}

bool IsClass(NodeKind kind) {
  return kind == NodeKind::kComponent || kind == NodeKind::kSoftware || kind == NodeKind::kSystem;
}

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool NamedByToken(const SyntaxTree& tree, NodeId node) {
  return tree.tokens[tree[node].token].kind() == TokenKind::kName;
}

struct Change {
  uint32_t begin, end;
  std::string text;
};

std::string Apply(std::string_view text, std::vector<Change> changes) {
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.begin < b.begin; });
  std::string out;
  size_t at = 0;
  for (const Change& change : changes) {
    out += text.substr(at, change.begin - at);
    out += change.text;
    at = change.end;
  }
  return out + std::string(text.substr(at));
}

// --- Another order ---

std::string ReorderedNode(const SyntaxTree& tree, NodeId node, uint32_t last);

// The text of children [first token of it, token before the next child], the last one up to token `last`; so
// no token is lost.
std::vector<std::string> Pieces(const SyntaxTree& tree, std::vector<NodeId>& children, uint32_t last) {
  std::vector<std::string> pieces;
  // What could not be understood behind something on the same line stays with it.
  for (size_t i = children.size(); i-- > 1;) {
    const bool belongs = tree.kind(children[i]) == NodeKind::kError &&
                         tree.tokens[tree[children[i]].first_token].starts_line == 0;
    if (belongs) children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (size_t i = 0; i < children.size(); ++i) {
    const uint32_t end = i + 1 < children.size() ? tree[children[i + 1]].first_token - 1 : last;
    pieces.push_back(ReorderedNode(tree, children[i], end));
  }
  return pieces;
}

std::string TokensText(const SyntaxTree& tree, uint32_t first, uint32_t last) {
  const uint32_t begin = tree.tokens[first].offset;
  return std::string(tree.text.substr(begin, tree.tokens[last].end() - begin));
}

// `last`: the last token that belongs to the node's piece.
std::string ReorderedNode(const SyntaxTree& tree, NodeId node, uint32_t last) {
  const Node& n = tree[node];
  if (!IsClass(n.kind) && n.kind != NodeKind::kModel) return TokensText(tree, n.first_token, last);
  std::vector<NodeId> members;
  for (const NodeId child : tree.Children(node)) {
    if (tree.kind(child) != NodeKind::kDocumentation) members.push_back(child);
  }
  uint32_t opening = n.first_token;
  while (opening < n.last_token && tree.tokens[opening].kind() != TokenKind::kLeftBrace) ++opening;
  if (members.empty() || tree[members[0]].first_token <= opening)
    return TokensText(tree, n.first_token, last);
  const bool closed = tree.tokens[n.last_token].kind() == TokenKind::kRightBrace &&
                      tree[members.back()].last_token < n.last_token;
  const std::vector<std::string> pieces = Pieces(tree, members, closed ? n.last_token - 1 : n.last_token);
  std::string plain, models, sections;
  for (size_t i = members.size(); i-- > 0;) {
    const NodeKind kind = tree.kind(members[i]);
    if (kind == NodeKind::kSection)
      sections += "  " + pieces[i] + "\n";
    else if (kind == NodeKind::kModel)
      models = "  " + pieces[i] + "\n" + models;
    else
      plain += "  " + pieces[i] + "\n";
  }
  std::string out = TokensText(tree, n.first_token, tree[members[0]].first_token - 1) + "\n";
  out += plain + models + sections;
  if (closed) out += TokensText(tree, n.last_token, last);
  return out;
}

// --- One level further in ---

void PrefixPaths(const SyntaxTree& tree, NodeId node, const std::string& prefix,
                 std::vector<Change>& changes) {
  if (tree.kind(node) == NodeKind::kPath) {
    const std::string_view first = tree.TokenText(tree[node].first_token);
    const uint32_t at = tree.tokens[tree[node].first_token].offset;
    if (first != "time" && first != "pi") changes.push_back({at, at, prefix});
    return;
  }
  for (const NodeId child : tree.Children(node)) PrefixPaths(tree, child, prefix, changes);
}

bool NeedsArguments(const SyntaxTree& tree, NodeId component) {
  for (const NodeId member : tree.Children(component)) {
    if (tree.kind(member) == NodeKind::kExogenous) return true;
    if (tree.kind(member) != NodeKind::kParameter) continue;
    const Node& n = tree[member];
    bool has_value = false;
    for (uint32_t i = n.first_token; i <= n.last_token; ++i)
      has_value = has_value || tree.tokens[i].kind() == TokenKind::kEqual;
    if (!has_value) return true;
  }
  return false;
}

}  // namespace

WrongModel ReadWrongModel(std::string name, std::string text) {
  WrongModel model;
  model.name = std::move(name);
  size_t begin = 0;
  while (text.compare(begin, 2, "//") == 0) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = std::min(end + 1, text.size());
    if (line.starts_with("// expect: COT")) {
      char* rest = nullptr;
      Expectation e;
      e.code = static_cast<int>(std::strtol(line.c_str() + 14, &rest, 10));
      e.line = static_cast<unsigned>(std::strtoul(rest, &rest, 10));
      if (*rest == ':') e.column = static_cast<unsigned>(std::strtoul(rest + 1, &rest, 10));
      e.text = *rest == ' ' ? rest + 1 : "";
      if (e.line == 0 || e.column == 0 || e.text.empty()) model.trouble = line;
      e.reordered_text = e.text;
      model.expectations.push_back(std::move(e));
    } else if (line.starts_with("// help: ") || line.starts_with("// note: ")) {
      if (model.expectations.empty())
        model.trouble = line;
      else
        model.expectations.back().helps.push_back(line.substr(9));
    } else if (line.starts_with("// reordered: ")) {
      if (model.expectations.empty())
        model.trouble = line;
      else
        model.expectations.back().reordered_text = line.substr(14);
    } else if (line.starts_with("// mutations: ")) {
      const size_t colon = line.find(':', 14);
      if (colon == std::string::npos) model.trouble = "no reason is given in: " + line;
      model.mutations.clear();
      const std::string list = line.substr(14, colon - 14);
      for (const char* mutation : {"renamed", "reordered", "nested"}) {
        if (list.find(mutation) != std::string::npos) model.mutations.insert(mutation);
      }
    }
  }
  if (model.expectations.empty()) model.trouble = "nothing is expected";
  model.text = std::move(text);
  return model;
}

std::map<std::string, std::string> NewNames(std::string_view text) {
  const SyntaxTree tree = ParseQuietly(text);
  std::set<std::string> declared, kept;
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const NodeId node(i);
    std::set<std::string>* names = nullptr;
    switch (tree.kind(node)) {
      case NodeKind::kComponent:
      case NodeKind::kSoftware:
      case NodeKind::kSystem:
      case NodeKind::kExperiment:
      case NodeKind::kFunction:
      case NodeKind::kTable:
      case NodeKind::kDomain:
      case NodeKind::kModel:
        if (NamedByToken(tree, node)) declared.insert(std::string(tree.Name(node)));
        break;
      case NodeKind::kFunctionParameter:
      case NodeKind::kAcross:
      case NodeKind::kThrough:
        kept.insert(std::string(tree.Name(node)));
        break;
      case NodeKind::kInstance:
        names = &declared;
        break;
      case NodeKind::kTerminal:
      case NodeKind::kParameter:
      case NodeKind::kEdge:
      case NodeKind::kInput:
      case NodeKind::kOutput:
      case NodeKind::kVariable:
      case NodeKind::kState:
      case NodeKind::kExogenous:
        names = &kept;
        break;
      default:
        break;
    }
    if (names == nullptr) continue;
    for (const NodeId child : tree.Children(node)) {
      if (tree.kind(child) == NodeKind::kName) names->insert(std::string(tree.Name(child)));
    }
  }
  std::map<std::string, std::string> map;
  for (const std::string& name : declared) {
    const bool upper = std::isupper(static_cast<unsigned char>(name[0])) != 0;
    if (kept.count(name) == 0) map[name] = (upper ? "Zz" : "zz") + name + "9";
  }
  return map;
}

std::string RenameWords(std::string_view text, const std::map<std::string, std::string>& names) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && IsWordCharacter(text[end])) ++end;
    if (end == i) {
      out += text[i++];
      continue;
    }
    const auto found = names.find(std::string(text.substr(i, end - i)));
    out += found == names.end() ? text.substr(i, end - i) : std::string_view(found->second);
    i = end;
  }
  return out;
}

std::string Renamed(std::string_view text, const std::map<std::string, std::string>& names) {
  if (names.empty()) return {};
  Diagnostics ignored;
  std::vector<Change> changes;
  for (const Token& token : Lex(text, FileId(0), ignored)) {
    if (token.kind() != TokenKind::kName) continue;
    const auto found = names.find(std::string(text.substr(token.offset, token.length)));
    if (found != names.end()) changes.push_back({token.offset, token.end(), found->second});
  }
  return Apply(text, std::move(changes));
}

std::string Reordered(std::string_view text) {
  const SyntaxTree tree = ParseQuietly(text);
  std::vector<NodeId> children = ChildrenOf(tree, tree.root);
  if (children.empty()) return {};
  const auto last = static_cast<uint32_t>(tree.tokens.size()) - 2;  // before the end
  const std::vector<std::string> pieces = Pieces(tree, children, last);
  std::string out, rest;
  for (size_t i = children.size(); i-- > 0;) {
    (tree.kind(children[i]) == NodeKind::kPackage ? out : rest) += pieces[i] + "\n\n";
  }
  out += rest;
  const SyntaxTree changed = ParseQuietly(out);
  bool same = changed.tokens.size() == tree.tokens.size();
  for (uint32_t i = 0; same && i < tree.tokens.size(); ++i) same = tree.TokenText(i) == changed.TokenText(i);
  return same ? std::string() : out;
}

std::string Nested(std::string_view text) {
  const SyntaxTree tree = ParseQuietly(text);
  std::vector<Change> changes;
  std::vector<std::string> inside;
  for (const NodeId node : tree.Children(tree.root)) {
    if (tree.kind(node) != NodeKind::kSystem || !NamedByToken(tree, node)) continue;
    const Span word = tree.SpanOfToken(tree[node].first_token);
    if (tree.TokenText(tree[node].first_token) == "system")
      changes.push_back({word.begin, word.end, "component"});
    inside.emplace_back(tree.Name(node));
  }
  const bool systems = !inside.empty();
  for (const NodeId node : tree.Children(tree.root)) {
    const bool usable = IsClass(tree.kind(node)) && NamedByToken(tree, node) && !NeedsArguments(tree, node);
    const bool known = std::count(inside.begin(), inside.end(), tree.Name(node)) > 0;
    if (!systems && usable && !known) inside.emplace_back(tree.Name(node));
  }
  if (inside.empty()) return {};
  std::string outer = "system " + std::string(kOuter) + " {";
  for (size_t i = 0; i < inside.size(); ++i)
    outer += " nested" + std::to_string(i + 1) + " : " + inside[i] + "  ";
  changes.push_back({0, 0, outer + "}  "});
  for (const NodeId node : tree.Children(tree.root)) {
    if (tree.kind(node) != NodeKind::kExperiment) continue;
    const NodeId path = tree.Child(node, NodeKind::kPath);
    if (path.IsNone() || inside[0] != tree.Text(path)) continue;
    const Span span = tree.SpanOf(path);
    changes.push_back({span.begin, span.end, std::string(kOuter)});
    for (const NodeId item : tree.Children(node)) {
      const NodeKind kind = tree.kind(item);
      if (kind == NodeKind::kPlot || kind == NodeKind::kSet || kind == NodeKind::kStart)
        PrefixPaths(tree, item, std::string(kNestedPrefix), changes);
    }
  }
  return Apply(text, std::move(changes));
}

}  // namespace cotree::test
