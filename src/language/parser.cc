// SPDX-License-Identifier: Apache-2.0
#include "language/parser.h"

#include <algorithm>

#include "language/lex.h"
#include "language/parse.h"

namespace cotree {

namespace messages = language_messages;

SyntaxTree Parse(std::string_view text, FileId file, Diagnostics& diagnostics) {
  return ParseRange(text, 0, static_cast<uint32_t>(std::min<size_t>(text.size(), UINT32_MAX)), file,
                    diagnostics);
}

SyntaxTree ParseRange(std::string_view text, uint32_t begin, uint32_t end, FileId file,
                      Diagnostics& diagnostics) {
  SyntaxTree tree;
  tree.file = file;
  tree.text = text.substr(0, end);
  tree.tokens = Lex(tree.text, file, diagnostics, begin);
  tree.nodes.reserve(tree.tokens.size() + tree.tokens.size() / 4);  // what is not used is never touched
  tree.root = Parser(tree, diagnostics).ParseFile();
  return tree;
}

SyntaxTree ParseExpressionText(std::string_view text, FileId file, Diagnostics& diagnostics) {
  SyntaxTree tree{file, text, Lex(text, file, diagnostics), {}, {}};
  tree.root = Parser(tree, diagnostics).ParseExpressionOnly();
  return tree;
}

SyntaxTree ParseSettingText(std::string_view text, FileId file, Diagnostics& diagnostics) {
  SyntaxTree tree{file, text, Lex(text, file, diagnostics), {}, {}};
  tree.root = Parser(tree, diagnostics).ParseSettingOnly();
  return tree;
}

SyntaxTree ParseMemberText(std::string_view text, FileId file, Diagnostics& diagnostics) {
  SyntaxTree tree{file, text, Lex(text, file, diagnostics), {}, {}};
  tree.root = Parser(tree, diagnostics).ParseMemberOnly();
  return tree;
}

NodeId Parser::ParseMemberOnly() {
  Builder file = OpenAt(NodeKind::kFile, 0);
  Add(file, ParseMember("a system"));
  if (!Is(TokenKind::kEnd)) Report(messages::kExpected, Here(), {"the end", Found()});
  while (!Is(TokenKind::kEnd)) Advance();
  tree_.nodes[file.id.index()].last_token = at_;
  return file.id;
}

NodeId Parser::ParseExpressionOnly() {
  NodeId expression = ParseExpression();
  if (!Is(TokenKind::kEnd)) Report(messages::kExpected, Here(), {"the end", Found()});
  if (expression.IsNone()) expression = OpenAt(NodeKind::kError, 0).id;
  return expression;
}

NodeId Parser::ParseSettingOnly() {
  whole_file_ = false;
  Builder node = Open(NodeKind::kSet);
  if (!Is(TokenKind::kName)) {
    Report(messages::kExpected, Here(), {"a path", Found()}).Help("write `path = value`, or `path as model`");
    return OpenAt(NodeKind::kError, 0).id;
  }
  ParseSet(node);
  if (!Is(TokenKind::kEnd)) Report(messages::kExpected, Here(), {"the end", Found()});
  return node.id;
}

// --- Tokens ------------------------------------------------------------------------------------------

TokenKind Parser::Kind(size_t ahead) const {
  const size_t i = at_ + ahead;
  return i < tree_.tokens.size() ? tree_.tokens[i].kind() : TokenKind::kEnd;
}

bool Parser::StartsLine(size_t ahead) const {
  const size_t i = at_ + ahead;
  return i >= tree_.tokens.size() || tree_.tokens[i].starts_line != 0;
}

bool Parser::Accept(TokenKind kind) {
  if (!Is(kind)) return false;
  Advance();
  return true;
}

std::string Parser::Found() const {
  switch (Kind()) {
    case TokenKind::kEnd:
      return whole_file_ ? "the end of the file" : "the end";
    case TokenKind::kError:
      return "an unknown character";
    default: {
      std::string text(CurrentText().substr(0, 40));
      return (IsReservedWord(Kind()) ? "the word `" : "`") + text + "`";
    }
  }
}

Span Parser::Here() const {
  return tree_.SpanOfToken(at_);
}

// Where something is missing: at the token found, or, if that stands on a later line, behind the last token.
Span Parser::AfterPrevious() const {
  if (at_ == 0 || !(StartsLine() || Is(TokenKind::kEnd))) return Here();
  const uint32_t end = tree_.tokens[at_ - 1].end();
  return {tree_.file, end, end};
}

// A missing `}` usually stood on the line behind the last token.
Span Parser::LineAfterPrevious() const {
  if (at_ == 0) return Here();
  const size_t line_end = tree_.text.find('\n', tree_.tokens[at_ - 1].end());
  if (line_end == std::string_view::npos) return AfterPrevious();
  const auto begin = static_cast<uint32_t>(line_end + 1);
  return {tree_.file, begin, begin};
}

// Blanks in front of the line that holds a token.
uint32_t Parser::Indentation(uint32_t token) const {
  const size_t offset = tree_.tokens[token].offset;
  const size_t newline = offset == 0 ? std::string_view::npos : tree_.text.rfind('\n', offset - 1);
  const size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  size_t at = begin;
  while (at < offset && (tree_.text[at] == ' ' || tree_.text[at] == '\t')) ++at;
  return static_cast<uint32_t>(at - begin);
}

// One message for one place: what follows from an error at a token, or from a character without a meaning, is
// not said again.
Diagnostic& Parser::ReportAt(uint32_t token, const DiagnosticInfo& info, Span where,
                             std::initializer_list<std::string_view> arguments) {
  const auto unclosed_string = [&](uint32_t i) {
    return tree_.tokens[i].kind() == TokenKind::kString &&
           (tree_.tokens[i].length < 2 || tree_.TokenText(i).back() != '"');
  };
  const bool follows = error_token_ == token || tree_.tokens[token].kind() == TokenKind::kError ||
                       token < quiet_end_ || (token > 0 && unclosed_string(token - 1));
  if (follows) return unsaid_ = Diagnostic{};
  // A word that was taken for a name is said once, where it is first.
  if (&info == &messages::kReservedName && !misused_.insert(std::string(*arguments.begin())).second)
    return unsaid_ = Diagnostic{};
  error_token_ = token;
  return diagnostics_.Report(info, where, arguments);
}

bool Parser::Expect(TokenKind kind, std::string_view what) {
  if (Accept(kind)) return true;
  const std::string expected = what.empty() ? "`" + std::string(TokenText(kind)) + "`" : std::string(what);
  Report(messages::kExpected, AfterPrevious(), {expected, Found()});
  return false;
}

bool Parser::ExpectName(Builder& parent, std::string_view what) {
  if (Is(TokenKind::kName)) {
    tree_.nodes[parent.id.index()].token = at_;
    Advance();
    return true;
  }
  if (IsReservedWord(Kind()) && !StartsLine()) {
    Report(messages::kReservedName, Here(), {CurrentText()});
    tree_.nodes[parent.id.index()].token = at_;
    Advance();
    return true;
  }
  Report(messages::kExpected, AfterPrevious(), {what, Found()});
  return false;
}

// --- Nodes -------------------------------------------------------------------------------------------

Parser::Builder Parser::Open(NodeKind kind) {
  return OpenAt(kind, at_);
}

Parser::Builder Parser::OpenAt(NodeKind kind, uint32_t first_token) {
  Node node{};
  node.kind = kind;
  node.token = node.first_token = node.last_token = first_token;
  tree_.nodes.push_back(node);
  return {NodeId(tree_.nodes.size() - 1), NodeId::None()};
}

void Parser::Add(Builder& parent, NodeId child) {
  // A node without tokens (something expected was not there) would overlap with what follows: it is left out.
  if (child.IsNone() || tree_[child].last_token >= at_) return;
  if (parent.last_child.IsNone()) {
    tree_.nodes[parent.id.index()].first_child = child;
  } else {
    tree_.nodes[parent.last_child.index()].next_sibling = child;
  }
  parent.last_child = child;
}

NodeId Parser::Close(Builder& node) {
  Node& n = tree_.nodes[node.id.index()];
  n.last_token = at_ > n.first_token ? at_ - 1 : n.first_token;
  return node.id;
}

NodeId Parser::Leaf(NodeKind kind) {
  Builder node = Open(kind);
  Advance();
  return Close(node);
}

NodeId Parser::Wrap(NodeKind kind, uint32_t token, NodeId left, NodeId right) {
  Builder node = OpenAt(kind, tree_[left].first_token);
  tree_.nodes[node.id.index()].token = token;
  Add(node, left);
  Add(node, right);
  return Close(node);
}

bool Parser::Depth::TooDeep() {
  if (parser_.depth_ <= kDeepest) return false;
  if (!parser_.depth_reported_) {
    parser_.diagnostics_.Report(messages::kTooDeep, parser_.Here(), {std::to_string(kDeepest)});
    parser_.depth_reported_ = true;
    // The rest of the line would only tell of brackets that were not counted any more.
    uint32_t end = parser_.at_ + 1;
    while (end < parser_.tree_.tokens.size() && parser_.tree_.tokens[end].starts_line == 0) ++end;
    parser_.quiet_end_ = end + 1;
  }
  return true;
}

// --- Recovery ----------------------------------------------------------------------------------------

bool Parser::BeginsDeclaration(TokenKind kind) {
  switch (kind) {
    case TokenKind::kImport:
    case TokenKind::kPackage:
    case TokenKind::kDomain:
    case TokenKind::kQuantity:
    case TokenKind::kEnumeration:
    case TokenKind::kFunction:
    case TokenKind::kComponent:
    case TokenKind::kSoftware:
    case TokenKind::kSystem:
    case TokenKind::kExperiment:
      return true;
    default:
      return false;
  }
}

bool Parser::BeginsMember() const {
  switch (Kind()) {
    case TokenKind::kModel:
    case TokenKind::kTerminal:
    case TokenKind::kParameter:
    case TokenKind::kEdge:
    case TokenKind::kInput:
    case TokenKind::kOutput:
    case TokenKind::kVariable:
    case TokenKind::kState:
    case TokenKind::kExogenous:
    case TokenKind::kEquation:
    case TokenKind::kConnect:
    case TokenKind::kAssociate:
    case TokenKind::kPublic:
    case TokenKind::kFinal:
    case TokenKind::kOptional:
    case TokenKind::kDiscrete:
    case TokenKind::kFor:
    case TokenKind::kWhen:
    case TokenKind::kTable:
      return true;
    case TokenKind::kIf:
      return StartsLine();
    case TokenKind::kName: {
      // `name :` or `name, name :` begins an instance; `name =` a setting; `start path`.
      if (at_ >= names_begin_ && at_ < names_end_) return names_declare_;
      names_begin_ = names_end_ = at_;
      do {
        names_end_ += 2;
      } while (Kind(names_end_ - at_ - 1) == TokenKind::kComma && Kind(names_end_ - at_) == TokenKind::kName);
      --names_end_;
      names_declare_ = Kind(names_end_ - at_) == TokenKind::kColon;
      return names_declare_;
    }
    default:
      return false;
  }
}

// Skips what was not understood, to the next token that can begin a member, or the end of the body.
void Parser::SkipToMember(Builder& parent) {
  Builder error = Open(NodeKind::kError);
  const uint32_t begin = at_;
  int open = 0;
  while (!Is(TokenKind::kEnd)) {
    if (open == 0 && at_ > begin && (BeginsMember() || (StartsLine() && Is(TokenKind::kName)))) break;
    if (BeginsDeclaration(Kind()) && StartsLine()) break;
    if (Is(TokenKind::kLeftBrace)) ++open;
    if (Is(TokenKind::kRightBrace) && open-- == 0) break;
    Advance();
  }
  if (at_ > begin) Add(parent, Close(error));
}

void Parser::SkipToDeclaration(Builder& parent) {
  Builder error = Open(NodeKind::kError);
  const uint32_t begin = at_;
  int open = 0;
  while (!Is(TokenKind::kEnd)) {
    if (at_ > begin && StartsLine() && (BeginsDeclaration(Kind()) || (Is(TokenKind::kTable) && open == 0)))
      break;
    if (Is(TokenKind::kLeftBrace)) ++open;
    if (Is(TokenKind::kRightBrace) && open > 0) --open;
    Advance();
  }
  if (at_ > begin) Add(parent, Close(error));
}

// Whether a body ends here: at its `}`, at the end of the file, or where the `}` must have been forgotten.
bool Parser::BodyEnds(uint32_t opening) const {
  (void)opening;
  return Is(TokenKind::kRightBrace) || Is(TokenKind::kEnd) || (BeginsDeclaration(Kind()) && StartsLine());
}

// Whether the file has more `{` than `}`. Only then may indentation tell where the missing `}` should have
// stood.
bool Parser::BraceMissing() {
  if (!braces_counted_) {
    braces_counted_ = true;
    for (const Token& token : tree_.tokens) {
      missing_braces_ += token.kind() == TokenKind::kLeftBrace    ? 1
                         : token.kind() == TokenKind::kRightBrace ? -1
                                                                  : 0;
    }
  }
  return missing_braces_ > 0;
}

void Parser::CloseBody(uint32_t opening) {
  const bool closes = Is(TokenKind::kRightBrace);
  const bool belongs_further_out =
      closes && StartsLine() && Indentation(at_) < Indentation(opening) && BraceMissing();
  if (closes && !belongs_further_out) {
    Advance();
    return;
  }
  // Two bodies may lack their `}` at one place.
  diagnostics_.Report(messages::kUnclosed, LineAfterPrevious(), {"{", "}"})
      .Label("`}` is missing here at the latest")
      .Also(tree_.SpanOfToken(opening), "opened here");
}

}  // namespace cotree
