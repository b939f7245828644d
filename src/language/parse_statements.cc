// SPDX-License-Identifier: Apache-2.0
// Statements: equations, connections, loops, conditions, events.
#include "language/parser.h"

namespace cotree {

namespace messages = language_messages;

bool Parser::BeginsEquation() const {
  switch (Kind()) {
    case TokenKind::kFor:
    case TokenKind::kWhen:
    case TokenKind::kIf:
    case TokenKind::kNumber:
    case TokenKind::kLeftParen:
    case TokenKind::kMinus:
    case TokenKind::kPlus:
    case TokenKind::kConnect:
    case TokenKind::kLeftBracket:
    case TokenKind::kAssociate:
      return true;
    case TokenKind::kName:
      if (CurrentText() == "initial" && Kind(1) == TokenKind::kEquation) return false;
      if ((CurrentText() == "energy" || CurrentText() == "loss" || CurrentText() == "sample" ||
           CurrentText() == "spatial" || CurrentText() == "coordinates") &&
          Kind(1) == TokenKind::kEqual)
        return false;
      if (CurrentText() == "start" && Kind(1) == TokenKind::kName) return false;
      if (CurrentText() == "feedthrough" && Kind(1) == TokenKind::kName) return false;
      if (CurrentText() == "external" && Kind(1) == TokenKind::kString) return false;
      return !BeginsMember();
    default:
      return false;
  }
}

NodeId Parser::ParseStatement() {
  Depth depth(*this);
  if (depth.TooDeep()) {
    Advance();
    return NodeId::None();
  }
  switch (Kind()) {
    case TokenKind::kConnect:
      return ParseConnect();
    case TokenKind::kAssociate:
      return ParseAssociate();
    case TokenKind::kFor:
      return ParseFor();
    case TokenKind::kIf:
      return ParseIf();
    case TokenKind::kWhen:
      return ParseWhen();
    case TokenKind::kName:
      if (CurrentText() == "assert" && Kind(1) == TokenKind::kLeftParen) return ParseAssert();
      if (CurrentText() == "reinit" && Kind(1) == TokenKind::kLeftParen) return ParseReinit();
      if (CurrentText() == "stop" && Kind(1) == TokenKind::kLeftParen) return ParseStop();
      return ParseEquation();
    default:
      return ParseEquation();
  }
}

// connect a.p -- b.n -- electrical.ground        connect pid.y -> drive.u, scope.u
NodeId Parser::ParseConnect() {
  Builder node = Open(NodeKind::kConnect);
  Advance();
  // `connect table.a -- ...`: the name was refused where it was declared.
  if (!Is(TokenKind::kName) && !(IsReservedWord(Kind()) && Kind(1) == TokenKind::kDot)) {
    Report(messages::kNothingAfter, AfterPrevious(),
           {"connect", "two terminals joined by `--`, or an output and an input joined by `->`"});
    return Close(node);
  }
  Add(node, ParsePath());
  bool physical = false, signal = false;
  while (true) {
    if (Is(TokenKind::kJoin))
      physical = true;
    else if (Is(TokenKind::kArrow))
      signal = true;
    else if (Is(TokenKind::kComma) && signal) {
    } else if (!StartsLine() && (Is(TokenKind::kMinus) || Is(TokenKind::kEqual) || Is(TokenKind::kComma))) {
      Report(messages::kWrongOperator, Here(), {CurrentText(), Is(TokenKind::kMinus) ? "--` or `->" : "--"});
      physical = !signal;
      if (Is(TokenKind::kMinus) && Kind(1) == TokenKind::kGreater) Advance();
    } else
      break;
    Advance();
    if (IsReservedWord(Kind()) && Kind(1) == TokenKind::kDot && !StartsLine()) {
      Report(messages::kReservedName, Here(), {CurrentText()});
    } else if (!Is(TokenKind::kName)) {
      Report(messages::kExpected, AfterPrevious(), {physical ? "a terminal" : "an input", Found()});
      break;
    }
    Add(node, ParsePath());
  }
  if (physical && signal) {
    diagnostics_.Report(messages::kMixedConnection, tree_.SpanOfToken(tree_[node.id].first_token));
    tree_.nodes[node.id.index()].flags |= kFlagBroken;
  }
  if (!physical && !signal) Report(messages::kExpected, AfterPrevious(), {"`--` or `->`", Found()});
  if (signal) tree_.nodes[node.id.index()].flags |= kFlagSignal;
  ParseAnnotations(node);
  return Close(node);
}

// associate motor.theta = joint.phi
NodeId Parser::ParseAssociate() {
  Builder node = Open(NodeKind::kAssociate);
  Advance();
  if (!Is(TokenKind::kName)) {
    Report(messages::kNothingAfter, AfterPrevious(),
           {"associate", "an exogenous variable, `=` and the variable that gives it"});
    return Close(node);
  }
  Add(node, ParsePath());
  if (Expect(TokenKind::kEqual)) Add(node, ParsePath());
  return Close(node);
}

NodeId Parser::ParseBranch() {
  Builder node = Open(NodeKind::kBranch);
  const uint32_t opening = at_;
  if (!Expect(TokenKind::kLeftBrace)) return Close(node);
  while (!BodyEnds(opening)) {
    const uint32_t before = at_;
    if (Is(TokenKind::kConnect) || Is(TokenKind::kAssociate) || BeginsEquation()) {
      Add(node, ParseStatement());
    } else {
      Report(messages::kExpected, Here(), {"an equation or a connection", Found()});
      SkipToMember(node);
    }
    Accept(TokenKind::kSemicolon);
    if (at_ == before) Advance();
  }
  CloseBody(opening);
  return Close(node);
}

// for i in 1:n { ... }
NodeId Parser::ParseFor() {
  Builder node = Open(NodeKind::kFor);
  Advance();
  if (ExpectName(node, "the name of an index") && Expect(TokenKind::kIn)) Add(node, ParseRangeOrExpression());
  Add(node, ParseBranch());
  return Close(node);
}

// if condition { ... } elseif condition { ... } else { ... }
NodeId Parser::ParseIf() {
  Builder node = Open(NodeKind::kIf);
  Advance();
  Add(node, ParseExpression());
  if (Is(TokenKind::kThen)) {
    // `if c then a else b = ...` is an equation that begins with a conditional expression.
    tree_.nodes[node.id.index()].kind = NodeKind::kConditional;
    Builder equation = OpenAt(NodeKind::kEquation, tree_[node.id].first_token);
    const NodeId left = ParseConditionalRest(node);
    return ParseEquationRest(equation, left);
  }
  Add(node, ParseBranch());
  while (Is(TokenKind::kElseif) || (Is(TokenKind::kElse) && Kind(1) == TokenKind::kIf)) {
    if (Is(TokenKind::kElse)) Advance();
    Advance();
    Add(node, ParseExpression());
    Add(node, ParseBranch());
  }
  if (Accept(TokenKind::kElse)) Add(node, ParseBranch());
  return Close(node);
}

// when condition { ... } elsewhen condition { ... }
NodeId Parser::ParseWhen() {
  Builder node = Open(NodeKind::kWhen);
  Advance();
  Add(node, ParseExpression());
  Add(node, ParseBranch());
  while (Accept(TokenKind::kElsewhen)) {
    Add(node, ParseExpression());
    Add(node, ParseBranch());
  }
  return Close(node);
}

// assert(condition, "message")
NodeId Parser::ParseAssert() {
  Builder node = Open(NodeKind::kAssert);
  Advance();
  Advance();
  Add(node, ParseExpression());
  if (Accept(TokenKind::kComma)) Add(node, ParseExpression());
  Expect(TokenKind::kRightParen);
  return Close(node);
}

// reinit(x, value)
NodeId Parser::ParseReinit() {
  Builder node = Open(NodeKind::kReinit);
  Advance();
  Advance();
  Add(node, ParsePath());
  if (Expect(TokenKind::kComma)) Add(node, ParseExpression());
  Expect(TokenKind::kRightParen);
  return Close(node);
}

// stop("message")
NodeId Parser::ParseStop() {
  Builder node = Open(NodeKind::kStop);
  Advance();
  Advance();
  if (Is(TokenKind::kString)) {
    Add(node, Leaf(NodeKind::kString));
  } else {
    Report(messages::kExpected, AfterPrevious(), {"the reason in quotes", Found()});
  }
  Expect(TokenKind::kRightParen);
  return Close(node);
}

NodeId Parser::ParseEquation() {
  Builder node = Open(NodeKind::kEquation);
  left_side_ = true;
  const NodeId left = ParseExpression();
  left_side_ = false;
  return ParseEquationRest(node, left);
}

NodeId Parser::ParseEquationRest(Builder& node, NodeId left) {
  Add(node, left);
  if (Accept(TokenKind::kEqual)) {
    Add(node, ParseExpression());
    if (Is(TokenKind::kEqual)) {
      auto& report = Report(messages::kSecondEqual, Here());
      // The usual cause: a line that begins with an operator and was meant as a new equation.
      for (uint32_t i = tree_[node.id].first_token + 1; i < at_; ++i) {
        const TokenKind k = tree_.tokens[i].kind();
        if (tree_.tokens[i].starts_line && (k == TokenKind::kMinus || k == TokenKind::kPlus)) {
          report.Help(
              "a line that begins with an operator continues the equation above; write it as `0 = ...` or "
              "turn its sides");
          break;
        }
      }
      Builder error = Open(NodeKind::kError);
      Advance();
      Add(error, ParseExpression());
      Add(node, Close(error));
    }
  } else if (!left.IsNone()) {
    auto& report = ReportAt(tree_[left].first_token, messages::kMissingEqual, tree_.SpanOf(left));
    if (tree_.kind(left) == NodeKind::kEqual) report.Help("`==` compares; an equation has one `=`");
    if (Is(TokenKind::kJoin) || Is(TokenKind::kArrow)) report.Help("a connection begins with `connect`");
    // Skip the rest of the line.
    while (!StartsLine() && !Is(TokenKind::kRightBrace) && !Is(TokenKind::kEnd)) Advance();
  } else {
    while (!StartsLine() && !Is(TokenKind::kRightBrace) && !Is(TokenKind::kEnd)) Advance();
  }
  return Close(node);
}

}  // namespace cotree
