// SPDX-License-Identifier: Apache-2.0
#include "language/format_roles.h"

#include <algorithm>

namespace cotree {
namespace {

constexpr uint32_t kDeepestLevel =
    40;  // beyond it indentation stops to grow, so that the result stays linear in the text

bool OwnsItems(NodeKind kind) {
  switch (kind) {
    case NodeKind::kFile:
    case NodeKind::kDomain:
    case NodeKind::kEnumeration:
    case NodeKind::kTable:
    case NodeKind::kComponent:
    case NodeKind::kSoftware:
    case NodeKind::kSystem:
    case NodeKind::kExperiment:
    case NodeKind::kModel:
    case NodeKind::kSection:
    case NodeKind::kBranch:
      return true;
    default:
      return false;
  }
}

bool OwnsBraces(NodeKind kind) {
  return (OwnsItems(kind) && kind != NodeKind::kSection) || kind == NodeKind::kFor || kind == NodeKind::kIf ||
         kind == NodeKind::kWhen;
}

// Declarations, members and statements come first in NodeKind; the names of an enumeration count as items
// too.
bool IsItem(NodeKind kind) {
  if (kind == NodeKind::kFunctionParameter || kind == NodeKind::kClass || kind == NodeKind::kBranch)
    return false;
  return kind <= NodeKind::kStop || kind == NodeKind::kName;
}

class RoleFinder {
 public:
  explicit RoleFinder(const SyntaxTree& tree) : tree_(tree) {
    found_.roles.assign(tree.tokens.size(), FormatRole::kPlain);
  }

  FormatRoles Run() {
    struct Open {
      NodeId node;
      NodeKind parent;
      bool in_index;
      uint32_t level;  // of items among the node and its siblings
    };
    std::vector<Open> open{{tree_.root, NodeKind::kFile, false, 0}};
    while (!open.empty()) {
      const Open here = open.back();
      open.pop_back();
      const Node& node = tree_[here.node];
      if (!node.next_sibling.IsNone())
        open.push_back({node.next_sibling, here.parent, here.in_index, here.level});
      uint32_t level = here.level;
      if (here.node != tree_.root && OwnsItems(here.parent) && IsItem(node.kind)) {
        // A connection behind equations belongs to their section for the parser, but not for people.
        const bool connects = node.kind == NodeKind::kConnect || node.kind == NodeKind::kAssociate;
        if (connects && here.parent == NodeKind::kSection) --level;
        found_.items.push_back(
            {node.first_token, node.last_token, std::min(level, kDeepestLevel), OwnsBraces(node.kind)});
        ++level;
      }
      Mark(here.node, node);
      const bool sum = node.kind == NodeKind::kAdd || node.kind == NodeKind::kSubtract;
      if (sum && here.in_index) Set(node.token, AsWritten(node.token));
      const bool in_index = here.in_index || node.kind == NodeKind::kSegment || node.kind == NodeKind::kRange;
      if (!node.first_child.IsNone()) open.push_back({node.first_child, node.kind, in_index, level});
    }
    for (const uint32_t token : operators_) found_.roles[token] = OperatorRole(token);
    return std::move(found_);
  }

 private:
  void Set(uint32_t token, FormatRole role) { found_.roles[token] = role; }

  void SetOpener(const Node& node, uint32_t token) {
    if (token > node.last_token) return;
    const TokenKind kind = tree_.tokens[token].kind();
    if (kind == TokenKind::kLeftParen || kind == TokenKind::kLeftBracket)
      Set(token, FormatRole::kTightOpener);
  }

  void Mark(NodeId id, const Node& node) {
    switch (node.kind) {
      case NodeKind::kUnit:
        for (uint32_t i = node.first_token; i <= node.last_token; ++i) Set(i, FormatRole::kUnit);
        break;
      case NodeKind::kMultiply:
      case NodeKind::kDivide:
      case NodeKind::kPower_:
      case NodeKind::kTypeProduct:
      case NodeKind::kTypeQuotient:
      case NodeKind::kTypePower:
        operators_.push_back(node.token);
        break;
      case NodeKind::kNegate:
      case NodeKind::kPlus:
        Set(node.token, FormatRole::kSign);
        break;
      case NodeKind::kAll:
        Set(node.first_token, FormatRole::kRangeColon);
        break;
      case NodeKind::kRange: {
        for (const NodeId child : tree_.Children(id)) {
          const uint32_t next = tree_[child].last_token + 1;
          const bool colon = next <= node.last_token && tree_.tokens[next].kind() == TokenKind::kColon;
          if (colon) Set(next, FormatRole::kRangeColon);
        }
        break;
      }
      case NodeKind::kDocumentation:
      case NodeKind::kAttributes:
        Set(node.first_token, FormatRole::kAligned);
        break;
      case NodeKind::kCall:
      case NodeKind::kSegment:
      case NodeKind::kAssert:
      case NodeKind::kReinit:
      case NodeKind::kStop:
        SetOpener(node, node.first_token + 1);
        break;
      case NodeKind::kDimensions:
      case NodeKind::kArguments:
        SetOpener(node, node.first_token);
        break;
      case NodeKind::kFunction:
      case NodeKind::kTable:
        SetOpener(node, node.token + 1);
        break;
      default:
        break;
    }
  }

  FormatRole OperatorRole(uint32_t token) const {
    if (token > 0 && found_.roles[token - 1] == FormatRole::kUnit) return FormatRole::kLooseOperator;
    const bool before_quantity = token + 2 < tree_.tokens.size() &&
                                 tree_.tokens[token + 1].kind() == TokenKind::kNumber &&
                                 found_.roles[token + 2] == FormatRole::kUnit;
    return before_quantity ? AsWritten(token) : FormatRole::kTightOperator;
  }

  // Only what stands before the operator decides, since that is what the formatter keeps for sure.
  FormatRole AsWritten(uint32_t token) const {
    const bool touches = token > 0 && tree_.tokens[token - 1].end() == tree_.tokens[token].offset;
    return touches ? FormatRole::kTightOperator : FormatRole::kLooseOperator;
  }

  const SyntaxTree& tree_;
  FormatRoles found_;
  std::vector<uint32_t> operators_;  // * / ^
};

}  // namespace

FormatRoles FindFormatRoles(const SyntaxTree& tree) {
  return RoleFinder(tree).Run();
}

}  // namespace cotree
