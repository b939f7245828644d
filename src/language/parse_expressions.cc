// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "language/parser.h"
#include "units/unit_symbols.h"

namespace cotree {

namespace messages = language_messages;

namespace {

struct Operator {
  TokenKind token;
  NodeKind node;
  int precedence;
};

// Lowest first. Comparisons do not chain; ^ binds tighter than a sign and is handled with the operand.
constexpr int kComparison = 3;
constexpr std::array kOperators = {
    Operator{TokenKind::kOr, NodeKind::kOr, 1},
    Operator{TokenKind::kAnd, NodeKind::kAnd, 2},
    Operator{TokenKind::kEqualEqual, NodeKind::kEqual, kComparison},
    Operator{TokenKind::kNotEqual, NodeKind::kNotEqual, kComparison},
    Operator{TokenKind::kLess, NodeKind::kLess, kComparison},
    Operator{TokenKind::kLessEqual, NodeKind::kLessEqual, kComparison},
    Operator{TokenKind::kGreater, NodeKind::kGreater, kComparison},
    Operator{TokenKind::kGreaterEqual, NodeKind::kGreaterEqual, kComparison},
    Operator{TokenKind::kPlus, NodeKind::kAdd, 4},
    Operator{TokenKind::kMinus, NodeKind::kSubtract, 4},
    Operator{TokenKind::kStar, NodeKind::kMultiply, 5},
    Operator{TokenKind::kSlash, NodeKind::kDivide, 5},
};

const Operator* FindOperator(TokenKind kind) {
  if (kind != TokenKind::kOr && kind != TokenKind::kAnd && kind < TokenKind::kPlus) return nullptr;
  for (const Operator& op : kOperators) {
    if (op.token == kind) return &op;
  }
  return nullptr;
}

// Words that begin something else and are never a unit.
bool IsClauseWord(std::string_view text) {
  for (const std::string_view word :
       {"plot", "loss", "energy", "power", "through", "across", "rate", "start", "stop", "fixed", "guess",
        "prefer", "avoid", "set", "assert", "reinit", "initial", "feedthrough", "external"}) {
    if (text == word) return true;
  }
  return false;
}

}  // namespace

NodeId Parser::ParseConditional() {
  if (!Is(TokenKind::kIf)) return ParseBinary(1);
  Depth depth(*this);
  Builder node = Open(NodeKind::kConditional);
  Advance();
  if (depth.TooDeep()) return Close(node);
  Add(node, ParseBinary(1));
  return ParseConditionalRest(node);
}

// `node` is a kConditional that has its condition: then a else b.
NodeId Parser::ParseConditionalRest(Builder& node) {
  if (Expect(TokenKind::kThen)) Add(node, ParseExpression());
  if (Is(TokenKind::kElseif)) {
    // `elseif` is `else if` in one word.
    Builder inner = Open(NodeKind::kConditional);
    Advance();
    Add(inner, ParseBinary(1));
    if (Expect(TokenKind::kThen)) Add(inner, ParseExpression());
    // Further branches nest to the right, by the same rule.
    std::vector<Builder> chain{inner};
    while (Is(TokenKind::kElseif)) {
      Builder next = Open(NodeKind::kConditional);
      Advance();
      Add(next, ParseBinary(1));
      if (Expect(TokenKind::kThen)) Add(next, ParseExpression());
      chain.push_back(next);
    }
    if (Expect(TokenKind::kElse)) Add(chain.back(), ParseExpression());
    NodeId closed = Close(chain.back());
    for (size_t i = chain.size() - 1; i-- > 0;) {
      Add(chain[i], closed);
      closed = Close(chain[i]);
    }
    Add(node, closed);
  } else if (Expect(TokenKind::kElse)) {
    Add(node, ParseExpression());
  }
  return Close(node);
}

NodeId Parser::ParseBinary(int lowest) {
  Depth depth(*this);
  if (depth.TooDeep()) return NodeId::None();
  NodeId left = ParsePrefix();
  while (!left.IsNone()) {
    const Operator* op = FindOperator(Kind());
    if (op == nullptr || op->precedence < lowest) break;
    const uint32_t token = at_;
    Advance();
    if (Is(TokenKind::kEqual) && (op->token == TokenKind::kLess || op->token == TokenKind::kGreater)) {
      Report(messages::kWrongOperator, Here(), {"=", op->token == TokenKind::kLess ? "<=" : ">="});
      Advance();
    }
    const NodeId right = ParseBinary(op->precedence + 1);
    if (right.IsNone()) return Wrap(op->node, token, left);
    const bool chained = op->precedence == kComparison && tree_.kind(left) >= NodeKind::kLess &&
                         tree_.kind(left) <= NodeKind::kNotEqual;
    if (chained) diagnostics_.Report(messages::kChainedComparison, tree_.SpanOfToken(token));
    left = Wrap(op->node, token, left, right);
  }
  return left;
}

NodeId Parser::ParsePrefix() {
  NodeKind kind;
  switch (Kind()) {
    case TokenKind::kMinus:
      kind = NodeKind::kNegate;
      break;
    case TokenKind::kJoin:
      kind = NodeKind::kNegate;
      break;
    case TokenKind::kPlus:
      kind = NodeKind::kPlus;
      break;
    case TokenKind::kNot:
      kind = NodeKind::kNot;
      break;
    default:
      return ParsePostfixPower();
  }
  Depth depth(*this);
  Builder node = Open(kind);
  if (Is(TokenKind::kJoin)) Report(messages::kWrongOperator, Here(), {"--", "-"});
  Advance();
  if (depth.TooDeep()) return Close(node);
  // -a*b is -(a*b) in value; a sign binds like a product. `not` binds above `and`, below comparisons.
  Add(node, kind == NodeKind::kNot ? ParseBinary(kComparison) : ParsePrefix());
  return Close(node);
}

NodeId Parser::ParsePostfixPower() {
  const NodeId base = ParsePrimary();
  if (base.IsNone() || !Is(TokenKind::kCaret)) return base;
  Depth depth(*this);
  const uint32_t token = at_;
  Advance();
  if (depth.TooDeep()) return base;
  const NodeId exponent = ParsePrefix();  // right-associative, and x^-2 is fine
  return Wrap(NodeKind::kPower_, token, base, exponent);
}

NodeId Parser::ParsePrimary() {
  switch (Kind()) {
    case TokenKind::kNumber:
      return ParseNumber();
    case TokenKind::kString:
      return Leaf(NodeKind::kString);
    case TokenKind::kTrue:
      return Leaf(NodeKind::kTrue);
    case TokenKind::kFalse:
      return Leaf(NodeKind::kFalse);
    case TokenKind::kName:
      return ParsePathOrCall();
    case TokenKind::kIf:
      return ParseConditional();
    case TokenKind::kLeftBracket:
      return ParseArray();
    case TokenKind::kLeftParen: {
      Depth depth(*this);
      Builder node = Open(NodeKind::kParenthesis);
      const uint32_t opening = at_;
      Advance();
      if (depth.TooDeep()) return Close(node);
      Add(node, ParseExpression());
      if (!Accept(TokenKind::kRightParen)) {
        Report(messages::kUnclosed, AfterPrevious(), {"(", ")"})
            .Also(tree_.SpanOfToken(opening), "opened here");
      }
      return Close(node);
    }
    default:
      break;
  }
  // `terminal()` and `edge(b)` are functions too.
  if ((Is(TokenKind::kTerminal) || Is(TokenKind::kEdge)) && Kind(1) == TokenKind::kLeftParen &&
      !StartsLine(1))
    return ParsePathOrCall();
  if (IsReservedWord(Kind()) && !StartsLine()) {
    Report(messages::kReservedName, Here(), {CurrentText()});
    return ParsePath();
  }
  auto& report = Report(messages::kExpectedExpression, AfterPrevious(), {Found()});
  if (Is(TokenKind::kEqualEqual) || Is(TokenKind::kEqual))
    report.Help("an equation is `left = right`, a comparison `left == right`");
  if (Is(TokenKind::kStar) && at_ > 0 && tree_.tokens[at_ - 1].kind() == TokenKind::kStar)
    report.Help("a power is written x^2");
  return NodeId::None();
}

// --- Numbers with units ------------------------------------------------------------------------------

/* A unit stands behind its number on the same line and is written without blanks inside: 0.05 N*m/A. A name
that is followed by `=` (but for that of the equation itself) or `:` begins the next item instead, and so do `f(`, `x[` and the list `a, b :`. */
bool Parser::UnitFollows() const {
  if (StartsLine()) return false;
  if (Is(TokenKind::kNumber)) return CurrentText() == "1" && Kind(1) == TokenKind::kSlash;  // 10 1/s
  if (Is(TokenKind::kIn)) return Kind(1) != TokenKind::kName || StartsLine(1);              // inch
  if (!Is(TokenKind::kName) || IsClauseWord(CurrentText())) return false;
  if (Kind(1) == TokenKind::kEqual) return left_side_;  // x + 1 m = y
  if (Kind(1) == TokenKind::kDot) return false;
  if ((Kind(1) == TokenKind::kLeftParen || Kind(1) == TokenKind::kLeftBracket) && !StartsLine(1))
    return false;
  return Kind(1) == TokenKind::kComma ? !BeginsMember() : Kind(1) != TokenKind::kColon;
}

/* Whether a name behind an operator goes on with a unit: `N*m`, but not `rad/s*time`. What is built in is a
unit, whatever else bears its name; what only UDUNITS knows gives way to names declared in this text, and to
short ones (`5 V/R` is no roentgen). */
bool Parser::IsUnitName(uint32_t token) {
  const std::string_view name = tree_.TokenText(token);
  if (FindUnitSymbol(name)) return true;
  if (name.size() < 3 || name == "time") return false;
  if (!declared_) {
    declared_.emplace();
    for (uint32_t k = 0; k + 1 < tree_.tokens.size(); ++k) {
      const TokenKind next = tree_.tokens[k + 1].kind();
      if (tree_.tokens[k].kind() == TokenKind::kName &&
          (next == TokenKind::kColon || next == TokenKind::kComma))
        declared_->insert(tree_.TokenText(k));
    }
  }
  if (declared_->count(name) > 0) return false;
  if (udunits_ == nullptr) udunits_ = std::make_unique<UdunitsReader>();
  return udunits_->Find(name).has_value();
}

// Whether the brackets behind the operator hold units, their products, quotients and powers alone.
bool Parser::UnitGroupFollows() {
  int open = 0;
  for (uint32_t k = 1;; ++k) {
    switch (Kind(k)) {
      case TokenKind::kLeftParen:
        if (Kind(k - 1) == TokenKind::kName) return false;
        ++open;
        break;
      case TokenKind::kRightParen:
        if (--open == 0) return true;
        break;
      case TokenKind::kMinus:  // of an exponent
        if (Kind(k - 1) != TokenKind::kCaret &&
            !(Kind(k - 1) == TokenKind::kLeftParen && k > 1 && Kind(k - 2) == TokenKind::kCaret))
          return false;
        break;
      case TokenKind::kNumber:  // an exponent, or the 1 of 1/s
        if (Kind(k - 1) == TokenKind::kLeftParen && (k < 2 || Kind(k - 2) != TokenKind::kCaret) &&
            tree_.TokenText(at_ + k) != "1")
          return false;
        break;
      case TokenKind::kName:
        if (Kind(k - 1) == TokenKind::kNumber || Kind(k + 1) == TokenKind::kDot || !IsUnitName(at_ + k))
          return false;
        break;
      case TokenKind::kIn:
      case TokenKind::kStar:
      case TokenKind::kSlash:
      case TokenKind::kCaret:
        break;
      case TokenKind::kRightBrace:  // never closed: that is what is to be said
      case TokenKind::kComma:
      case TokenKind::kEnd:
        return true;
      default:
        return false;
    }
  }
}

NodeId Parser::ParseNumber() {
  const uint32_t number = at_;
  const NodeId plain = Leaf(NodeKind::kNumber);
  if (!UnitFollows()) return plain;
  // `10 k ohm`: a prefix and its unit are one word.
  if (Is(TokenKind::kName) && Kind(1) == TokenKind::kName && !StartsLine(1) &&
      !FindUnitSymbol(CurrentText()) &&
      FindUnitSymbol(std::string(CurrentText()) + std::string(tree_.TokenText(at_ + 1)))) {
    Report(messages::kBlankInUnit, Here(), {CurrentText(), tree_.TokenText(at_ + 1)});
    Advance();
  }
  const NodeId unit = ParseUnit();
  Node& node = tree_.nodes[plain.index()];
  node.kind = NodeKind::kQuantityLiteral;
  node.token = number;
  node.first_child = unit;
  node.last_token = at_ - 1;
  return plain;
}

NodeId Parser::ParseUnit() {
  Builder unit = Open(NodeKind::kUnit);
  const auto tight = [&] { return tree_.tokens[at_ - 1].end() == Current().offset; };
  ParseUnitFactor();
  while ((Is(TokenKind::kStar) || Is(TokenKind::kSlash)) && tight()) {
    const bool operand =
        Kind(1) == TokenKind::kName || Kind(1) == TokenKind::kLeftParen || Kind(1) == TokenKind::kIn;
    if (!operand || tree_.tokens[at_ + 1].offset != Current().end()) break;
    // `1 ohm*e.i`, `2 V*sin(x)`, `3 A*x[1]`, `1 A*(1 - x)`, `2 rad/s*time`: a path, a call, a sum or a
    // variable is no unit, so the operator multiplies.
    if (Kind(1) == TokenKind::kLeftParen && !UnitGroupFollows()) break;
    if (Kind(1) == TokenKind::kName) {
      const TokenKind behind = Kind(2);
      const bool opens =
          (behind == TokenKind::kLeftParen || behind == TokenKind::kLeftBracket) && !StartsLine(2);
      if (behind == TokenKind::kDot || opens || !IsUnitName(at_ + 1)) break;
    }
    Advance();
    if (!ParseUnitFactor()) break;
  }
  return Close(unit);
}

bool Parser::ParseUnitFactor() {
  Depth depth(*this);
  if (depth.TooDeep()) return false;
  if (Accept(TokenKind::kLeftParen)) {
    if (!ParseUnitFactor()) return false;
    while ((Is(TokenKind::kStar) || Is(TokenKind::kSlash)) &&
           tree_.tokens[at_ - 1].end() == Current().offset) {
      Advance();
      if (!ParseUnitFactor()) return false;
    }
    if (!Accept(TokenKind::kRightParen)) {
      Report(messages::kExpected, AfterPrevious(), {"`)` of the unit", Found()});
      return false;
    }
  } else if (Is(TokenKind::kName) || Is(TokenKind::kNumber) || Is(TokenKind::kIn)) {
    Advance();
  } else {
    Report(messages::kExpected, AfterPrevious(), {"a unit", Found()});
    return false;
  }
  if (Is(TokenKind::kCaret) && tree_.tokens[at_ - 1].end() == Current().offset) {
    Advance();
    if (Accept(TokenKind::kLeftParen)) {
      Accept(TokenKind::kMinus);
      if (!Expect(TokenKind::kNumber, "an exponent")) return false;
      if (Accept(TokenKind::kSlash) && !Expect(TokenKind::kNumber, "an exponent")) return false;
      return Expect(TokenKind::kRightParen);
    }
    Accept(TokenKind::kMinus);
    return Expect(TokenKind::kNumber, "an exponent");
  }
  return true;
}

// --- Paths, calls, arrays ----------------------------------------------------------------------------

void Parser::ParseIndices(Builder& parent) {
  const uint32_t opening = at_;
  Advance();  // [
  Depth depth(*this);
  if (depth.TooDeep()) return;
  do {
    if (Is(TokenKind::kColon)) {
      Add(parent, Leaf(NodeKind::kAll));
    } else {
      Add(parent, ParseRangeOrExpression());
    }
  } while (Accept(TokenKind::kComma));
  if (!Accept(TokenKind::kRightBracket)) {
    Report(messages::kUnclosed, AfterPrevious(), {"[", "]"}).Also(tree_.SpanOfToken(opening), "opened here");
  }
}

NodeId Parser::ParseRangeOrExpression() {
  const NodeId from = ParseExpression();
  if (from.IsNone() || !Is(TokenKind::kColon)) return from;
  const uint32_t colon = at_;
  Builder range = OpenAt(NodeKind::kRange, tree_[from].first_token);
  tree_.nodes[range.id.index()].token = colon;
  Add(range, from);
  Advance();
  Add(range, ParseExpression());
  if (Accept(TokenKind::kColon)) Add(range, ParseExpression());
  return Close(range);
}

// name, name.name, name[3].name[i, 2]
NodeId Parser::ParsePath() {
  Builder path = Open(NodeKind::kPath);
  while (true) {
    Builder segment = Open(NodeKind::kSegment);
    const bool reserved = IsReservedWord(Kind());
    if (!Is(TokenKind::kName) && !reserved) {
      Report(messages::kExpected, AfterPrevious(), {"a name", Found()});
      break;
    }
    if (reserved && at_ > tree_[path.id].first_token)
      Report(messages::kReservedName, Here(), {CurrentText()});
    Advance();
    if (Is(TokenKind::kLeftBracket) && !StartsLine()) ParseIndices(segment);
    Add(path, Close(segment));
    if (!Is(TokenKind::kDot)) break;
    if (Kind(1) == TokenKind::kStar) break;  // import package.*
    Advance();
  }
  return Close(path);
}

NodeId Parser::ParsePathOrCall() {
  const bool call = Kind(1) == TokenKind::kLeftParen && !StartsLine(1);
  if (!call) return ParsePath();
  Depth depth(*this);
  Builder node = Open(NodeKind::kCall);
  Advance();
  const uint32_t opening = at_;
  Advance();
  if (depth.TooDeep()) return Close(node);
  if (!Is(TokenKind::kRightParen)) {
    do {
      const NodeId argument = ParseExpression();
      if (argument.IsNone()) break;
      if (Is(TokenKind::kFor)) {
        Builder comprehension = OpenAt(NodeKind::kComprehension, tree_[argument].first_token);
        Add(comprehension, argument);
        Advance();
        if (ExpectName(comprehension, "the name of an index") && Expect(TokenKind::kIn))
          Add(comprehension, ParseRangeOrExpression());
        Add(node, Close(comprehension));
      } else {
        Add(node, argument);
      }
    } while (Accept(TokenKind::kComma));
  }
  if (!Accept(TokenKind::kRightParen)) {
    Report(messages::kUnclosed, AfterPrevious(), {"(", ")"}).Also(tree_.SpanOfToken(opening), "opened here");
  }
  return Close(node);
}

// [a, b, c] or [expression for i in 1:n]
NodeId Parser::ParseArray() {
  Depth depth(*this);
  Builder array = Open(NodeKind::kArray);
  const uint32_t opening = at_;
  Advance();
  if (depth.TooDeep()) return Close(array);
  if (!Is(TokenKind::kRightBracket)) {
    do {
      if (Is(TokenKind::kRightBracket)) break;  // a trailing comma
      const NodeId element = ParseExpression();
      if (element.IsNone()) break;
      Add(array, element);
      if (Is(TokenKind::kFor)) {
        tree_.nodes[array.id.index()].kind = NodeKind::kComprehension;
        Advance();
        if (ExpectName(array, "the name of an index") && Expect(TokenKind::kIn))
          Add(array, ParseRangeOrExpression());
        break;
      }
    } while (Accept(TokenKind::kComma));
  }
  if (!Accept(TokenKind::kRightBracket)) {
    Report(messages::kUnclosed, AfterPrevious(), {"[", "]"}).Also(tree_.SpanOfToken(opening), "opened here");
  }
  // A unit behind an array literal holds for all its numbers: [1, 2, 3] ohm.
  if (UnitFollows()) {
    Add(array, ParseUnit());
  }
  return Close(array);
}

}  // namespace cotree
