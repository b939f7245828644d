// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "language/diagnostics.h"
#include "language/syntax_tree.h"
#include "units/udunits_reader.h"

namespace cotree {

/** The recursive-descent parser behind Parse(); expressions by precedence climbing. Private to this folder.

Recovery: a member that fails becomes a kError node that extends to the next token which can begin a member; a
missing `}` is noticed where a word stands that only a file can contain, or, if the braces of the file do not
balance, where a closing brace stands further left than the line that opened the block. So blanks never decide
how a correct file is understood. */
class Parser {
 public:
  Parser(SyntaxTree& tree, Diagnostics& diagnostics) : tree_(tree), diagnostics_(diagnostics) {}

  NodeId ParseFile();
  NodeId ParseMemberOnly();
  NodeId ParseExpressionOnly();
  NodeId ParseSettingOnly();

 private:
  /** A node under construction: collects children, then Close() gives it its extent. */
  struct Builder {
    NodeId id;
    NodeId last_child;
  };

  // Tokens (parser.cc).
  TokenKind Kind(size_t ahead = 0) const;
  const Token& Current() const { return tree_.tokens[at_]; }
  std::string_view CurrentText() const { return tree_.TokenText(at_); }
  bool Is(TokenKind kind) const { return Kind() == kind; }
  bool IsWord(std::string_view text) const { return Is(TokenKind::kName) && CurrentText() == text; }
  bool StartsLine(size_t ahead = 0) const;
  void Advance() { at_ += at_ + 1 < tree_.tokens.size() ? 1u : 0u; }
  bool Accept(TokenKind kind);
  bool Expect(TokenKind kind, std::string_view what = {});
  bool ExpectName(Builder& parent, std::string_view what);
  std::string Found() const;
  Span Here() const;
  Span AfterPrevious() const;
  Span LineAfterPrevious() const;
  uint32_t Indentation(uint32_t token) const;

  // Messages (parser.cc).
  Diagnostic& ReportAt(uint32_t token, const DiagnosticInfo& info, Span where,
                       std::initializer_list<std::string_view> arguments = {});
  Diagnostic& Report(const DiagnosticInfo& info, Span where,
                     std::initializer_list<std::string_view> arguments = {}) {
    return ReportAt(at_, info, where, arguments);
  }

  // Nodes (parser.cc).
  Builder Open(NodeKind kind);
  Builder OpenAt(NodeKind kind, uint32_t first_token);
  void Add(Builder& parent, NodeId child);
  NodeId Close(Builder& node);
  NodeId Leaf(NodeKind kind);
  NodeId Wrap(NodeKind kind, uint32_t token, NodeId left, NodeId right = NodeId::None());

  // Recovery (parser.cc).
  void SkipToMember(Builder& parent);
  void SkipToDeclaration(Builder& parent);
  bool BodyEnds(uint32_t opening) const;
  bool BraceMissing();
  void CloseBody(uint32_t opening);
  static bool BeginsDeclaration(TokenKind kind);
  bool BeginsMember() const;

  // Declarations (parse_declarations.cc).
  NodeId ParseDeclaration();
  NodeId ParseImport();
  NodeId ParsePackage();
  NodeId ParseDomain();
  NodeId ParseQuantity();
  NodeId ParseEnumeration();
  NodeId ParseFunction();
  NodeId ParseTable();
  NodeId ParseClassDeclaration(NodeKind kind);
  NodeId ParseExperiment();
  void ParseFunctionHead(Builder& node);
  void ParseBody(Builder& node, std::string_view what);
  NodeId ParseExperimentItem();
  NodeId ParseSet(Builder& node);
  NodeId ParseSettingItem();

  // Members (parse_members.cc).
  NodeId ParseMember(std::string_view what);
  NodeId ParseTerminal();
  NodeId ParseEdge();
  NodeId ParseVariable(NodeKind kind);
  NodeId ParseInstance(bool is_public);
  NodeId ParseClassUse();
  bool ParseModelChoice(Builder& node);
  NodeId ParseModel();
  NodeId ParseSection();
  NodeId ParseStart(NodeKind context);
  NodeId ParseFeedthrough();
  NodeId ParseExternal();
  NodeId ParseAssignedExpression(NodeKind kind);
  bool ClassFollowsEqual() const;
  void ParseNames(Builder& node);
  void ParseDocumentation(Builder& node);
  void ParseAnnotations(Builder& node);
  NodeId ParseArguments(NodeKind kind);
  NodeId ParseType();
  NodeId ParseTypeTerm(int depth);
  NodeId ParseTypeAtom(int depth);

  // Statements (parse_statements.cc).
  bool BeginsEquation() const;
  NodeId ParseStatement();
  NodeId ParseConnect();
  NodeId ParseAssociate();
  NodeId ParseFor();
  NodeId ParseIf();
  NodeId ParseWhen();
  NodeId ParseBranch();
  NodeId ParseAssert();
  NodeId ParseReinit();
  NodeId ParseStop();
  NodeId ParseEquation();
  NodeId ParseEquationRest(Builder& node, NodeId left);

  // Expressions (parse_expressions.cc).
  NodeId ParseExpression() { return ParseConditional(); }
  NodeId ParseConditional();
  NodeId ParseConditionalRest(Builder& node);
  NodeId ParseBinary(int lowest);
  NodeId ParsePrefix();
  NodeId ParsePostfixPower();
  NodeId ParsePrimary();
  NodeId ParseNumber();
  bool UnitFollows() const;
  bool UnitGroupFollows();
  bool IsUnitName(uint32_t token);
  NodeId ParseUnit();
  bool ParseUnitFactor();
  NodeId ParsePath();
  NodeId ParsePathOrCall();
  NodeId ParseRangeOrExpression();
  NodeId ParseArray();
  void ParseIndices(Builder& parent);

  struct Depth;  // counts nesting, so that hostile input cannot exhaust the stack

  SyntaxTree& tree_;
  Diagnostics& diagnostics_;
  uint32_t at_ = 0;
  bool left_side_ = false;  // of an equation: its `=` is still to come
  int depth_ = 0;
  bool whole_file_ = true;  // false: a piece of text, such as the value of an option
  // The last list `a, b, c` that BeginsMember looked at, tokens [names_begin_, names_end_): none is looked at
  // twice.
  mutable uint32_t names_begin_ = 0, names_end_ = 0;
  mutable bool names_declare_ = false;
  uint32_t error_token_ = UINT32_MAX;                             // the token of the last message
  uint32_t quiet_end_ = 0;                                        // tokens before it give no further messages
  std::optional<std::unordered_set<std::string_view>> declared_;  // names that the text declares; when asked
  std::unique_ptr<UdunitsReader> udunits_;                        // when asked
  std::set<std::string> misused_;  // words of the language that were used as names
  Diagnostic unsaid_{};
  bool braces_counted_ = false;
  int64_t missing_braces_ = 0;
  bool depth_reported_ = false;
  static constexpr int kDeepest = 200;
  static constexpr uint32_t kLookAhead = 256;  // tokens that a guess for a message may look at
};

struct Parser::Depth {
  explicit Depth(Parser& parser) : parser_(parser) { ++parser_.depth_; }
  ~Depth() { --parser_.depth_; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;
  bool TooDeep();

 private:
  Parser& parser_;
};

}  // namespace cotree
