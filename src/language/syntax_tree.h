// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/large_vector.h"
#include "base/source.h"
#include "language/token.h"

namespace cotree {

using NodeId = Id<struct NodeTag>;

/** Kinds of node. Behind each: its children in order; `token` is the token that names the node. */
enum class NodeKind : uint8_t {
  kFile,   // declarations
  kError,  // what could not be understood; its tokens are kept

  // Declarations of a file. `token` is the name.
  kImport,             // `token`: string, or the path's last name; child: path. flag kAll for `.*`
  kPackage,            // child: path
  kDomain,             // documentation?, domain members
  kAcross,             // token: name; type, [rate name], [acceleration name]
  kThrough,            // token: name; type
  kQuantity,           // type, attributes?, documentation?
  kEnumeration,        // names
  kFunction,           // function parameters (kFunctionParameter), type?, documentation?, expression
  kFunctionParameter,  // token: name; type?
  kTable,              // function parameters, type, documentation?, settings
  kComponent,          // documentation?, members
  kSoftware,           // documentation?, members
  kSystem,             // documentation?, members
  kExperiment,         // path (the system), documentation?, settings

  // Members. `token` is the first name.
  kModel,      // documentation?, members
  kTerminal,   // names, type (path to a domain, dimensions). flag kOptional
  kParameter,  // names, type?, attributes?, expression?, documentation?. flags kPublic, kFinal
  kEdge,       // names, path from, path to
  kInput,
  kOutput,
  kVariable,
  kState,
  kExogenous,  // names, type?, attributes?, expression?, documentation?
  kInstance,   // names, class (kClass), documentation?, annotations. flag kPublic
  kClass,      // path, dimensions (kDimensions)?, arguments (kArguments)?, model name (kName)?
  kSection,    // equations. flag kInitial
  kEnergy,
  kLoss,
  kPower,        // expression
  kSetting,      // token: name; expression
  kSet,          // path, expression; or path, name of a model (kName)
  kStart,        // path, expression. flags kFixed, kGuess, kPrefer, kAvoid
  kPlot,         // paths or expressions
  kFeedthrough,  // token: output; paths
  kExternal,     // strings

  // Statements.
  kConnect,    // paths, annotations. flag kSignal when joined by ->
  kAssociate,  // path, path
  kEquation,   // left, right
  kFor,        // token: index; range, statements
  kIf,         // condition, kBranch, (condition, kBranch)*, [kBranch]
  kWhen,       // condition, kBranch, (condition, kBranch)*
  kBranch,     // statements
  kAssert,     // condition, string
  kReinit,     // path, expression
  kStop,       // string

  // Small parts.
  kName,           // token
  kDocumentation,  // token: string
  kAttributes,     // kArgument or kName each
  kArguments,      // kArgument or kStart each
  kArgument,       // path, expression; or path, name of a model (kName)
  kAnnotation,     // token: name; kArguments
  kDimensions,     // expressions
  kType,           // one type term, dimensions?
  kTypeName,       // path: quantity, unit, domain, built-in type
  kTypeOne,
  kTypeGeneric,
  kTypeProduct,
  kTypeQuotient,  // two
  kTypePower,     // base, expression

  // Expressions.
  kPath,             // segments
  kSegment,          // token: name; index expressions
  kNumber,           // token
  kQuantityLiteral,  // token: number; kUnit
  kUnit,             // the text from its first to its last token
  kString,
  kTrue,
  kFalse,
  kParenthesis,  // one
  kNegate,
  kPlus,
  kNot,  // one
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kPower_,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kAnd,
  kOr,
  kConditional,    // condition, then, else
  kCall,           // token: function; arguments
  kRange,          // from, to  or  from, step, to
  kAll,            // a lone `:` in an index
  kArray,          // expressions
  kComprehension,  // token: index; body, range. `[e for i in r]`, `sum(e for i in r)`
};

enum NodeFlag : uint8_t {
  kFlagPublic = 1,
  kFlagFinal = 2,
  kFlagOptional = 4,
  kFlagDiscrete = 8,
  kFlagPrefer = 4,  // of kStart
  kFlagAvoid = 8,
  kFlagSignal = 16,
  kFlagInitial = 16,
  kFlagAll = 16,
  kFlagChoosesModel = 16,  // of kArguments: some argument is `path as model`
  kFlagFixed = 32,
  kFlagGuess = 64,
  kFlagBroken = 128,  // an error inside was reported: what merely follows from it is not said again
};

struct Node {
  NodeKind kind;
  uint8_t flags = 0;
  uint32_t token = 0;        // the token that names it
  uint32_t first_token = 0;  // its extent: tokens [first_token, last_token]
  uint32_t last_token = 0;
  NodeId first_child;
  NodeId next_sibling;
};
static_assert(sizeof(Node) == 24);

/** The syntax of one file, without loss: the tokens with the gaps between them are the text, byte for byte,
whether the text was correct or not; the nodes say what the tokens mean.

Always true (CheckSyntaxTree tests it): a node's tokens lie within its parent's; siblings are in order and do
not overlap; PrintSyntaxTree(tree) is the text that was parsed.

Theory: docs/theory/language.md, LA.1 (LA.1a). */
struct SyntaxTree {
  FileId file;
  std::string_view text;  // owned by SourceFiles
  LargeVector<Token> tokens;
  LargeVector<Node> nodes;
  NodeId root;

  const Node& operator[](NodeId id) const { return nodes[id.index()]; }
  NodeKind kind(NodeId id) const { return nodes[id.index()].kind; }
  bool Has(NodeId id, NodeFlag flag) const { return (nodes[id.index()].flags & flag) != 0; }
  std::string_view TokenText(uint32_t token) const {
    return text.substr(tokens[token].offset, tokens[token].length);
  }
  /// The text of the token that names a node.
  std::string_view Name(NodeId id) const { return TokenText(nodes[id.index()].token); }
  /// The whole text of a node, gaps included.
  std::string_view Text(NodeId id) const;
  Span SpanOf(NodeId id) const;
  Span SpanOfToken(uint32_t token) const { return {file, tokens[token].offset, tokens[token].end()}; }
  Span NameSpan(NodeId id) const { return SpanOfToken(nodes[id.index()].token); }
  /// The first child of a kind, or None.
  NodeId Child(NodeId parent, NodeKind kind) const;

  /// for (NodeId child : tree.Children(node)) ...
  struct ChildRange {
    const SyntaxTree* tree;
    NodeId first;
    struct Iterator {
      const SyntaxTree* tree;
      NodeId at;
      NodeId operator*() const { return at; }
      Iterator& operator++() { return at = (*tree)[at].next_sibling, *this; }
      bool operator!=(const Iterator& other) const { return at != other.at; }
    };
    Iterator begin() const { return {tree, first}; }
    Iterator end() const { return {tree, NodeId::None()}; }
  };
  ChildRange Children(NodeId parent) const { return {this, nodes[parent.index()].first_child}; }
  size_t CountChildren(NodeId parent) const;
};

/// Puts the text together again from tokens and gaps.
std::string PrintSyntaxTree(const SyntaxTree& tree);
/// Aborts (our bug) where an invariant of SyntaxTree does not hold.
void CheckSyntaxTree(const SyntaxTree& tree);
/// Whether two texts say the same: equal tokens on equal lines, and equal trees. Blanks and comments do not
/// count.
bool SameSyntax(const SyntaxTree& a, const SyntaxTree& b);

}  // namespace cotree
