// SPDX-License-Identifier: Apache-2.0
#include "language/parser.h"

namespace cotree {

namespace messages = language_messages;

// --- Members of components, software components and systems ------------------------------------------

NodeId Parser::ParseMember(std::string_view what) {
  uint8_t flags = 0;
  const uint32_t first = at_;
  while (true) {
    if (Is(TokenKind::kPublic))
      flags |= kFlagPublic;
    else if (Is(TokenKind::kFinal))
      flags |= kFlagFinal;
    else if (Is(TokenKind::kOptional))
      flags |= kFlagOptional;
    else if (Is(TokenKind::kDiscrete))
      flags |= kFlagDiscrete;
    else
      break;
    Advance();
  }
  NodeId member;
  if (IsReservedWord(Kind()) && Kind(1) == TokenKind::kColon) {  // `table : Inertia`: meant as a name
    member = ParseInstance((flags & kFlagPublic) != 0);
    tree_.nodes[member.index()].flags |= flags;
    tree_.nodes[member.index()].first_token = first;
    return member;
  }
  switch (Kind()) {
    case TokenKind::kTerminal:
      member = ParseTerminal();
      break;
    case TokenKind::kParameter:
      member = ParseVariable(NodeKind::kParameter);
      break;
    case TokenKind::kInput:
      member = ParseVariable(NodeKind::kInput);
      break;
    case TokenKind::kOutput:
      member = ParseVariable(NodeKind::kOutput);
      break;
    case TokenKind::kVariable:
      member = ParseVariable(NodeKind::kVariable);
      break;
    case TokenKind::kState:
      member = ParseVariable(NodeKind::kState);
      break;
    case TokenKind::kExogenous:
      member = ParseVariable(NodeKind::kExogenous);
      break;
    case TokenKind::kEdge:
      member = ParseEdge();
      break;
    case TokenKind::kModel:
      member = ParseModel();
      break;
    case TokenKind::kTable:
      member = ParseTable();
      break;
    case TokenKind::kEquation:
      member = ParseSection();
      break;
    case TokenKind::kConnect:
    case TokenKind::kAssociate:
    case TokenKind::kFor:
    case TokenKind::kIf:
    case TokenKind::kWhen:
      member = ParseStatement();
      break;
    case TokenKind::kName:
      if (CurrentText() == "initial" && Kind(1) == TokenKind::kEquation)
        member = ParseSection();
      else if (CurrentText() == "energy" && Kind(1) == TokenKind::kEqual)
        member = ParseAssignedExpression(NodeKind::kEnergy);
      else if (CurrentText() == "loss" && Kind(1) == TokenKind::kEqual)
        member = ParseAssignedExpression(NodeKind::kLoss);
      else if (CurrentText() == "start" && Kind(1) == TokenKind::kName)
        member = ParseStart(NodeKind::kComponent);
      else if (CurrentText() == "feedthrough" && Kind(1) == TokenKind::kName)
        member = ParseFeedthrough();
      else if (CurrentText() == "external" && Kind(1) == TokenKind::kString)
        member = ParseExternal();
      else if (CurrentText() == "assert" && Kind(1) == TokenKind::kLeftParen)
        member = ParseAssert();
      else if ((CurrentText() == "sample" || CurrentText() == "initial" || CurrentText() == "spatial" ||
                CurrentText() == "coordinates") &&
               Kind(1) == TokenKind::kEqual)
        member = ParseSettingItem();
      else if (Kind(1) == TokenKind::kColon || Kind(1) == TokenKind::kComma || ClassFollowsEqual())
        member = ParseInstance((flags & kFlagPublic) != 0);
      break;
    default:
      break;
  }
  if (!member.IsNone()) {
    tree_.nodes[member.index()].flags |= flags;
    tree_.nodes[member.index()].first_token = first;
    return member;
  }
  auto& report = Report(messages::kExpectedMember, Here(), {what, Found()});
  if (Is(TokenKind::kName)) {
    const std::string_view near =
        Nearest(CurrentText(), {"terminal", "parameter", "edge", "input", "output", "variable", "equation",
                                "connect", "associate", "exogenous", "model", "energy", "loss", "state"});
    if (!near.empty() && Kind(1) != TokenKind::kDot) {
      report.Help("did you mean `" + std::string(near) + "`?");
    } else if (Kind(1) == TokenKind::kEqual || Kind(1) == TokenKind::kDot ||
               Kind(1) == TokenKind::kLeftBracket) {
      size_t i = at_;
      const size_t limit = at_ + kLookAhead;
      while (i < limit && tree_.tokens[i].kind() != TokenKind::kEnd &&
             (i == at_ || tree_.tokens[i].starts_line == 0) && tree_.tokens[i].kind() != TokenKind::kJoin &&
             tree_.tokens[i].kind() != TokenKind::kArrow) {
        ++i;
      }
      const bool joins =
          tree_.tokens[i].kind() == TokenKind::kJoin || tree_.tokens[i].kind() == TokenKind::kArrow;
      report.Help(joins ? "a connection begins with `connect`"
                        : "equations stand behind the word `equation`");
    } else {
      report.Help("an instance is written `name : Class(parameter = value)`");
    }
  } else if (Is(TokenKind::kLeftBrace)) {
    report.Help("if this opens a model or a loop, its word (`model`, `for`, `when`) is missing");
  }
  return NodeId::None();
}

// `r = Resistor(R = 1 kohm)`, which is no equation: the name of a class begins with a capital.
bool Parser::ClassFollowsEqual() const {
  if (Kind(1) != TokenKind::kEqual || Kind(2) != TokenKind::kName || StartsLine(2)) return false;
  uint32_t k = 2;
  while (Kind(k + 1) == TokenKind::kDot && Kind(k + 2) == TokenKind::kName) k += 2;
  const char first = tree_.TokenText(at_ + k)[0];
  const TokenKind behind = Kind(k + 1);
  const bool ends = StartsLine(k + 1) || behind == TokenKind::kRightBrace || behind == TokenKind::kString;
  return first >= 'A' && first <= 'Z' && (behind == TokenKind::kLeftParen || ends);
}

void Parser::ParseNames(Builder& node) {
  bool first = true;
  do {
    const bool meant = IsReservedWord(Kind()) && (!StartsLine() || Kind(1) == TokenKind::kColon);
    if (!Is(TokenKind::kName) && !meant) {
      Report(messages::kExpected, AfterPrevious(), {"a name", Found()});
      return;
    }
    if (!Is(TokenKind::kName)) Report(messages::kReservedName, Here(), {CurrentText()});
    if (first) tree_.nodes[node.id.index()].token = at_;
    first = false;
    Add(node, Leaf(NodeKind::kName));
  } while (Accept(TokenKind::kComma));
}

void Parser::ParseDocumentation(Builder& node) {
  if (Is(TokenKind::kString)) Add(node, Leaf(NodeKind::kDocumentation));
}

// terminal p, n : electrical        terminal pins : electrical[n]
NodeId Parser::ParseTerminal() {
  Builder node = Open(NodeKind::kTerminal);
  Advance();
  ParseNames(node);
  if (Expect(TokenKind::kColon)) Add(node, ParseType());
  ParseDocumentation(node);
  return Close(node);
}

// parameter R : Resistance (min = 0 ohm) = 1 ohm "series resistance"
NodeId Parser::ParseVariable(NodeKind kind) {
  Builder node = Open(kind);
  Advance();
  ParseNames(node);
  if (Accept(TokenKind::kColon)) Add(node, ParseType());
  if (Is(TokenKind::kLeftParen) && !StartsLine()) Add(node, ParseArguments(NodeKind::kAttributes));
  if (Accept(TokenKind::kEqual)) Add(node, ParseExpression());
  ParseDocumentation(node);
  return Close(node);
}

// edge armature : p -> n
NodeId Parser::ParseEdge() {
  Builder node = Open(NodeKind::kEdge);
  Advance();
  ParseNames(node);
  if (Expect(TokenKind::kColon)) {
    Add(node, ParsePath());
    if (Is(TokenKind::kJoin)) {
      Report(messages::kWrongOperator, Here(), {"--", "->"});
      Advance();
      Add(node, ParsePath());
    } else if (Expect(TokenKind::kArrow)) {
      Add(node, ParsePath());
    }
  }
  ParseDocumentation(node);
  return Close(node);
}

// motor : DCMotor[3](Kt = 0.05 N*m/A) as ideal "the drive" @layout(x = 1, y = 2)
NodeId Parser::ParseInstance(bool is_public) {
  Builder node = Open(NodeKind::kInstance);
  if (is_public) tree_.nodes[node.id.index()].flags |= kFlagPublic;
  ParseNames(node);
  if (Is(TokenKind::kEqual) && Kind(1) == TokenKind::kName) {
    const std::string_view name = tree_.TokenText(at_ - 1), cls = tree_.TokenText(at_ + 1);
    Report(messages::kEqualForColon, Here(), {name, cls});
    Advance();
  } else if (!Expect(TokenKind::kColon)) {
    return Close(node);
  }
  Add(node, ParseClassUse());
  ParseDocumentation(node);
  ParseAnnotations(node);
  return Close(node);
}

// as ideal; false: there is no `as`.
bool Parser::ParseModelChoice(Builder& node) {
  if (!Accept(TokenKind::kAs)) return false;
  const bool next_item = StartsLine() && (Kind(1) == TokenKind::kColon || Kind(1) == TokenKind::kComma);
  if (Is(TokenKind::kName) && !next_item)
    Add(node, Leaf(NodeKind::kName));
  else
    Report(messages::kNothingAfter, AfterPrevious(), {"as", "the name of a model"});
  return true;
}

NodeId Parser::ParseClassUse() {
  Builder node = Open(NodeKind::kClass);
  if (!Is(TokenKind::kName)) {
    auto& report = Report(messages::kExpected, AfterPrevious(), {"the name of a component", Found()});
    if (Is(TokenKind::kGeneric))
      report.Help("a signal is declared with `input` or `output` in front of its name");
    return Close(node);
  }
  // The dimensions belong to the instance, so they are taken off the path's last segment.
  Builder path = Open(NodeKind::kPath);
  while (Is(TokenKind::kName)) {
    Add(path, Leaf(NodeKind::kSegment));
    if (!(Is(TokenKind::kDot) && Kind(1) == TokenKind::kName)) break;
    Advance();
  }
  Add(node, Close(path));
  if (Is(TokenKind::kLeftBracket) && !StartsLine()) {
    Builder dimensions = Open(NodeKind::kDimensions);
    ParseIndices(dimensions);
    Add(node, Close(dimensions));
  }
  if (Is(TokenKind::kLeftParen) && !StartsLine()) Add(node, ParseArguments(NodeKind::kArguments));
  ParseModelChoice(node);
  if (Is(TokenKind::kEqual)) {
    Report(messages::kExpectedMember, Here(), {"an instance", Found()})
        .Help(
            "a parameter is declared with `parameter` in front; arguments stand in parentheses: `name : "
            "Class(p = value)`");
    Builder error = Open(NodeKind::kError);
    Advance();
    Add(error, ParseExpression());
    Add(node, Close(error));
  } else if (Is(TokenKind::kArrow)) {
    Report(messages::kExpectedMember, Here(), {"an instance", Found()})
        .Help("an edge is declared with `edge` in front");
    Builder error = Open(NodeKind::kError);
    Advance();
    if (Is(TokenKind::kName)) Add(error, ParsePath());
    Add(node, Close(error));
  }
  return Close(node);
}

// (name = expression, start path = expression fixed, word)
NodeId Parser::ParseArguments(NodeKind kind) {
  Depth depth(*this);
  Builder node = Open(kind);
  const uint32_t opening = at_;
  Advance();
  if (depth.TooDeep()) return Close(node);
  while (!Is(TokenKind::kRightParen) && !Is(TokenKind::kEnd)) {
    if (IsWord("start") && Kind(1) == TokenKind::kName) {
      Add(node, ParseStart(NodeKind::kArguments));
    } else if (Is(TokenKind::kName)) {
      const bool word = Kind(1) == TokenKind::kComma || Kind(1) == TokenKind::kRightParen;
      if (word && kind == NodeKind::kAttributes) {
        Add(node, Leaf(NodeKind::kName));
      } else {
        Builder argument = Open(NodeKind::kArgument);
        Add(argument, ParsePath());
        if (kind == NodeKind::kArguments && ParseModelChoice(argument)) {
          tree_.nodes[node.id.index()].flags |= kFlagChoosesModel;
          Add(node, Close(argument));
          if (!Accept(TokenKind::kComma)) break;
          continue;
        }
        bool assigned = Accept(TokenKind::kEqual);
        if (!assigned && (Is(TokenKind::kColon) || Is(TokenKind::kEqualEqual))) {
          Report(messages::kWrongOperator, Here(), {CurrentText(), "="});
          Advance();
          assigned = true;
        }
        if (!assigned)
          Report(messages::kExpected, AfterPrevious(), {"`=` and a value", Found()})
              .Help("arguments are given by name: `R = 10 ohm`");
        if (assigned) Add(argument, ParseExpression());
        Add(node, Close(argument));
        if (!assigned) break;
      }
    } else {
      auto& report = Report(messages::kExpected, AfterPrevious(), {"the name of a parameter", Found()});
      if (Is(TokenKind::kNumber)) report.Help("arguments are given by name: `R = 10 ohm`");
      break;
    }
    if (!Accept(TokenKind::kComma)) break;
  }
  if (!Accept(TokenKind::kRightParen)) {
    tree_.nodes[node.id.index()].flags |= kFlagBroken;
    const bool comma_missing = Is(TokenKind::kName) && !StartsLine() && Kind(1) == TokenKind::kEqual;
    if (comma_missing) {
      Report(messages::kExpected, Here(), {"`,`", Found()});
    } else {
      Report(messages::kUnclosed, AfterPrevious(), {"(", ")"})
          .Also(tree_.SpanOfToken(opening), "opened here");
    }
    // Go on behind the parenthesis if it is on this line.
    uint32_t i = at_;
    const uint32_t limit = at_ + kLookAhead;
    int open = 0;
    while (i < limit && tree_.tokens[i].starts_line == 0 && tree_.tokens[i].kind() != TokenKind::kEnd) {
      const TokenKind k = tree_.tokens[i].kind();
      if (k == TokenKind::kLeftBrace || k == TokenKind::kRightBrace) break;
      if (k == TokenKind::kLeftParen) ++open;
      if (k == TokenKind::kRightParen && open-- == 0) {
        at_ = i + 1;
        break;
      }
      ++i;
    }
  }
  return Close(node);
}

// start load.w = 3 rad/s fixed prefer
NodeId Parser::ParseStart(NodeKind context) {
  (void)context;
  Builder node = Open(NodeKind::kStart);
  Advance();
  Add(node, ParsePath());
  if (Expect(TokenKind::kEqual)) Add(node, ParseExpression());
  if (IsWord("fixed") && !StartsLine()) {
    tree_.nodes[node.id.index()].flags |= kFlagFixed;
    Advance();
  } else if (IsWord("guess") && !StartsLine()) {
    tree_.nodes[node.id.index()].flags |= kFlagGuess;
    Advance();
  }
  if ((IsWord("prefer") || IsWord("avoid")) && !StartsLine()) {
    tree_.nodes[node.id.index()].flags |= IsWord("prefer") ? kFlagPrefer : kFlagAvoid;
    Advance();
  }
  return Close(node);
}

void Parser::ParseAnnotations(Builder& node) {
  while (Is(TokenKind::kAt)) {
    Builder annotation = Open(NodeKind::kAnnotation);
    Advance();
    if (ExpectName(annotation, "the name of an annotation") && Is(TokenKind::kLeftParen)) {
      Add(annotation, ParseArguments(NodeKind::kArguments));
    }
    Add(node, Close(annotation));
  }
}

// model ideal "no resistance" { members }
NodeId Parser::ParseModel() {
  Depth depth(*this);
  Builder node = Open(NodeKind::kModel);
  Advance();
  if (depth.TooDeep()) return Close(node);
  ExpectName(node, "the name of the model");
  ParseDocumentation(node);
  ParseBody(node, "a model");
  return Close(node);
}

// equation ... or initial equation ...: everything up to the next member.
NodeId Parser::ParseSection() {
  Builder node = Open(NodeKind::kSection);
  if (!Is(TokenKind::kEquation)) {
    tree_.nodes[node.id.index()].flags |= kFlagInitial;
    Advance();
  }
  Advance();
  while (BeginsEquation()) {
    const uint32_t before = at_;
    Add(node, ParseStatement());
    Accept(TokenKind::kSemicolon);
    if (at_ == before) break;
  }
  return Close(node);
}

// feedthrough u : e, r
NodeId Parser::ParseFeedthrough() {
  Builder node = Open(NodeKind::kFeedthrough);
  Advance();
  ExpectName(node, "the name of an output");
  if (Expect(TokenKind::kColon)) {
    do {
      if (IsWord("none")) {
        Advance();
        break;
      }
      if (!Is(TokenKind::kName)) {
        Report(messages::kExpected, AfterPrevious(), {"the name of an input, or `none`", Found()});
        break;
      }
      Add(node, ParsePath());
    } while (Accept(TokenKind::kComma));
  }
  return Close(node);
}

// external "libpid.so" "pid"
NodeId Parser::ParseExternal() {
  Builder node = Open(NodeKind::kExternal);
  Advance();
  while (Is(TokenKind::kString)) Add(node, Leaf(NodeKind::kString));
  return Close(node);
}

// energy = expression
NodeId Parser::ParseAssignedExpression(NodeKind kind) {
  Builder node = Open(kind);
  Advance();
  Advance();
  Add(node, ParseExpression());
  return Close(node);
}

// --- Types -------------------------------------------------------------------------------------------

// Resistance   $b/$a   N*m/rad   electrical[n]
NodeId Parser::ParseType() {
  Builder node = Open(NodeKind::kType);
  const NodeId term = ParseTypeTerm(0);
  if (term.IsNone()) return NodeId::None();
  Add(node, term);
  if (Is(TokenKind::kLeftBracket) && !StartsLine()) {
    Builder dimensions = Open(NodeKind::kDimensions);
    ParseIndices(dimensions);
    Add(node, Close(dimensions));
  }
  return Close(node);
}

NodeId Parser::ParseTypeTerm(int depth) {
  NodeId left = ParseTypeAtom(depth);
  while (!left.IsNone() && (Is(TokenKind::kStar) || Is(TokenKind::kSlash))) {
    const NodeKind kind = Is(TokenKind::kStar) ? NodeKind::kTypeProduct : NodeKind::kTypeQuotient;
    const uint32_t token = at_;
    Advance();
    left = Wrap(kind, token, left, ParseTypeAtom(depth));
  }
  return left;
}

NodeId Parser::ParseTypeAtom(int depth) {
  NodeId atom;
  Depth nesting(*this);
  if (nesting.TooDeep()) return atom;
  if (Is(TokenKind::kName) || Is(TokenKind::kIn)) {
    Builder node = Open(NodeKind::kTypeName);
    Builder path = Open(NodeKind::kPath);
    Add(path, Leaf(NodeKind::kSegment));
    while (Is(TokenKind::kDot) && Kind(1) == TokenKind::kName) {
      Advance();
      Add(path, Leaf(NodeKind::kSegment));
    }
    Add(node, Close(path));
    atom = Close(node);
  } else if (Is(TokenKind::kGeneric)) {
    atom = Leaf(NodeKind::kTypeGeneric);
  } else if (Is(TokenKind::kNumber) && CurrentText() == "1") {
    atom = Leaf(NodeKind::kTypeOne);
  } else if (Is(TokenKind::kLeftParen)) {
    Builder node = Open(NodeKind::kParenthesis);
    Advance();
    Add(node, ParseTypeTerm(depth + 1));
    Expect(TokenKind::kRightParen);
    atom = Close(node);
  } else {
    Report(messages::kExpected, AfterPrevious(), {"a quantity such as Voltage, or a unit", Found()});
    return NodeId::None();
  }
  if (!Is(TokenKind::kCaret)) return atom;
  const uint32_t token = at_;
  Advance();
  return Wrap(NodeKind::kTypePower, token, atom, ParsePrefix());
}

}  // namespace cotree
