// SPDX-License-Identifier: Apache-2.0
#include "language/parser.h"

namespace cotree {

namespace messages = language_messages;

NodeId Parser::ParseFile() {
  Builder file = OpenAt(NodeKind::kFile, 0);
  while (!Is(TokenKind::kEnd)) {
    const uint32_t before = at_;
    if (BeginsDeclaration(Kind()) || Is(TokenKind::kTable)) {
      Add(file, ParseDeclaration());
    } else if (Is(TokenKind::kRightBrace)) {
      Report(messages::kUnopened, Here(), {"}", "{"});
      Builder error = Open(NodeKind::kError);
      Advance();
      Add(file, Close(error));
    } else if (Is(TokenKind::kSemicolon)) {
      Advance();
    } else {
      auto& report = Report(messages::kExpectedDeclaration, Here(), {Found()});
      if (Is(TokenKind::kName)) {
        const std::string_view near =
            Nearest(CurrentText(), {"component", "system", "experiment", "software", "domain", "import",
                                    "package", "function", "table", "quantity", "enumeration"});
        if (!near.empty()) {
          report.Help("did you mean `" + std::string(near) + "`?");
          // With a name and a body behind it, it is read as what was meant, so that its users find it.
          if (Kind(1) == TokenKind::kName &&
              (Kind(2) == TokenKind::kLeftBrace || Kind(2) == TokenKind::kString)) {
            const TokenKind meant = ReservedWord(near);
            if (meant == TokenKind::kComponent || meant == TokenKind::kSystem ||
                meant == TokenKind::kSoftware) {
              Add(file, ParseClassDeclaration(meant == TokenKind::kComponent ? NodeKind::kComponent
                                              : meant == TokenKind::kSystem  ? NodeKind::kSystem
                                                                             : NodeKind::kSoftware));
              continue;
            }
          }
        } else
          report.Help(
              "a file holds `system Name { ... }`, `component Name { ... }`, `experiment Name of System { "
              "... }`");
      } else if (BeginsMember()) {
        report.Help("this belongs inside `system Name { ... }` or `component Name { ... }`");
      }
      SkipToDeclaration(file);
    }
    if (at_ == before) Advance();
  }
  Node& root = tree_.nodes[file.id.index()];
  root.last_token = at_;
  return file.id;
}

NodeId Parser::ParseDeclaration() {
  switch (Kind()) {
    case TokenKind::kImport:
      return ParseImport();
    case TokenKind::kPackage:
      return ParsePackage();
    case TokenKind::kDomain:
      return ParseDomain();
    case TokenKind::kQuantity:
      return ParseQuantity();
    case TokenKind::kEnumeration:
      return ParseEnumeration();
    case TokenKind::kFunction:
      return ParseFunction();
    case TokenKind::kTable:
      return ParseTable();
    case TokenKind::kComponent:
      return ParseClassDeclaration(NodeKind::kComponent);
    case TokenKind::kSoftware:
      return ParseClassDeclaration(NodeKind::kSoftware);
    case TokenKind::kSystem:
      return ParseClassDeclaration(NodeKind::kSystem);
    default:
      return ParseExperiment();
  }
}

// import "file.cot"    import rotational.*    import rotational.Inertia
NodeId Parser::ParseImport() {
  Builder node = Open(NodeKind::kImport);
  Advance();
  if (Is(TokenKind::kString)) {
    tree_.nodes[node.id.index()].token = at_;
    Add(node, Leaf(NodeKind::kString));
  } else if (Is(TokenKind::kName)) {
    Add(node, ParsePath());
    if (Is(TokenKind::kDot) && Kind(1) == TokenKind::kStar) {
      Advance();
      Advance();
      tree_.nodes[node.id.index()].flags |= kFlagAll;
    }
  } else {
    Report(messages::kNothingAfter, AfterPrevious(),
           {"import", "a file in quotes, or a package such as `rotational.*`"});
  }
  return Close(node);
}

NodeId Parser::ParsePackage() {
  Builder node = Open(NodeKind::kPackage);
  Advance();
  if (Is(TokenKind::kName)) {
    Add(node, ParsePath());
  } else {
    Report(messages::kNothingAfter, AfterPrevious(), {"package", "a name"});
  }
  ParseDocumentation(node);
  return Close(node);
}

// domain rotational { across phi : Angle, rate w, acceleration alpha   through tau : Torque   power = w*tau }
NodeId Parser::ParseDomain() {
  Builder node = Open(NodeKind::kDomain);
  Advance();
  ExpectName(node, "the name of the domain");
  ParseDocumentation(node);
  const uint32_t opening = at_;
  if (!Expect(TokenKind::kLeftBrace)) return Close(node);
  while (!BodyEnds(opening)) {
    const uint32_t before = at_;
    if (IsWord("across")) {
      Builder across = Open(NodeKind::kAcross);
      Advance();
      if (ExpectName(across, "the name of the across variable") && Expect(TokenKind::kColon))
        Add(across, ParseType());
      while (Accept(TokenKind::kComma)) {
        if (!IsWord("rate") && !IsWord("acceleration")) {
          Report(messages::kExpected, AfterPrevious(), {"`rate` or `acceleration`", Found()});
          break;
        }
        Advance();
        if (Is(TokenKind::kName))
          Add(across, Leaf(NodeKind::kName));
        else
          Expect(TokenKind::kName);
      }
      Add(node, Close(across));
    } else if (IsWord("through")) {
      Builder through = Open(NodeKind::kThrough);
      Advance();
      if (ExpectName(through, "the name of the through variable") && Expect(TokenKind::kColon))
        Add(through, ParseType());
      Add(node, Close(through));
    } else if (IsWord("power") && Kind(1) == TokenKind::kEqual) {
      Add(node, ParseAssignedExpression(NodeKind::kPower));
    } else if (IsWord("spatial") && Kind(1) == TokenKind::kEqual) {
      Add(node, ParseSettingItem());
    } else {
      Report(messages::kExpected, Here(), {"`across`, `through` or `power =`", Found()});
      SkipToMember(node);
    }
    if (at_ == before) Advance();
  }
  CloseBody(opening);
  return Close(node);
}

// quantity Angle = rad (display = deg) "plane angle"
NodeId Parser::ParseQuantity() {
  Builder node = Open(NodeKind::kQuantity);
  Advance();
  if (ExpectName(node, "the name of the quantity") && Expect(TokenKind::kEqual)) {
    Add(node, ParseType());
    if (Is(TokenKind::kLeftParen) && !StartsLine()) Add(node, ParseArguments(NodeKind::kAttributes));
  }
  ParseDocumentation(node);
  return Close(node);
}

// enumeration Mode { off, heating, cooling }
NodeId Parser::ParseEnumeration() {
  Builder node = Open(NodeKind::kEnumeration);
  Advance();
  ExpectName(node, "the name of the enumeration");
  ParseDocumentation(node);
  const uint32_t opening = at_;
  if (!Expect(TokenKind::kLeftBrace)) return Close(node);
  while (Is(TokenKind::kName)) {
    Add(node, Leaf(NodeKind::kName));
    if (!Accept(TokenKind::kComma)) break;
  }
  if (!BodyEnds(opening)) {
    Report(messages::kExpected, AfterPrevious(), {"a name", Found()});
    SkipToMember(node);
    while (!BodyEnds(opening)) Advance();
  }
  CloseBody(opening);
  return Close(node);
}

// (x : Length, y) : Force
void Parser::ParseFunctionHead(Builder& node) {
  ExpectName(node, "a name");
  if (!Expect(TokenKind::kLeftParen)) return;
  while (Is(TokenKind::kName)) {
    Builder parameter = Open(NodeKind::kFunctionParameter);
    Advance();
    if (Accept(TokenKind::kColon)) Add(parameter, ParseType());
    Add(node, Close(parameter));
    if (!Accept(TokenKind::kComma)) break;
  }
  Expect(TokenKind::kRightParen);
  if (Accept(TokenKind::kColon)) Add(node, ParseType());
  ParseDocumentation(node);
}

// function area(d : Length) : Area = pi*d^2/4
NodeId Parser::ParseFunction() {
  Builder node = Open(NodeKind::kFunction);
  Advance();
  ParseFunctionHead(node);
  if (Expect(TokenKind::kEqual)) Add(node, ParseExpression());
  return Close(node);
}

// table pull(x : Length) : Force { interpolation = spline   extrapolation = hold   data = [[0 mm, 0 N], [1
// mm, 3 N]] }
NodeId Parser::ParseTable() {
  Builder node = Open(NodeKind::kTable);
  Advance();
  ParseFunctionHead(node);
  const uint32_t opening = at_;
  if (!Expect(TokenKind::kLeftBrace)) return Close(node);
  while (!BodyEnds(opening)) {
    const uint32_t before = at_;
    Add(node, ParseSettingItem());
    Accept(TokenKind::kSemicolon);
    if (at_ == before) Advance();
  }
  CloseBody(opening);
  return Close(node);
}

NodeId Parser::ParseSettingItem() {
  if (Is(TokenKind::kName) && Kind(1) == TokenKind::kEqual) {
    Builder node = Open(NodeKind::kSetting);
    Advance();
    Advance();
    Add(node, ParseExpression());
    return Close(node);
  }
  Report(messages::kExpected, Here(), {"a setting such as `name = value`", Found()});
  Builder error = Open(NodeKind::kError);
  do {
    Advance();
  } while (!StartsLine() && !Is(TokenKind::kRightBrace) && !Is(TokenKind::kEnd));
  return Close(error);
}

NodeId Parser::ParseClassDeclaration(NodeKind kind) {
  Builder node = Open(kind);
  const std::string_view what = kind == NodeKind::kSystem     ? "a system"
                                : kind == NodeKind::kSoftware ? "a software component"
                                                              : "a component";
  Advance();
  ExpectName(node, "the name of " + std::string(what));
  ParseDocumentation(node);
  ParseBody(node, what);
  return Close(node);
}

void Parser::ParseBody(Builder& node, std::string_view what) {
  const uint32_t opening = at_;
  if (!Accept(TokenKind::kLeftBrace)) {
    Report(messages::kExpected, AfterPrevious(), {"`{`", Found()});
    // If members follow, the brace was forgotten: go on as if it were there.
    if (!BeginsMember()) return;
  }
  while (!BodyEnds(opening)) {
    const uint32_t before = at_;
    if (Accept(TokenKind::kSemicolon)) continue;
    const NodeId member = ParseMember(what);
    if (member.IsNone())
      SkipToMember(node);
    else
      Add(node, member);
    if (at_ == before) Advance();
  }
  CloseBody(opening);
}

// experiment StepResponse of Positioner { stop = 3 s   plot load.phi, motor.i }
NodeId Parser::ParseExperiment() {
  Builder node = Open(NodeKind::kExperiment);
  Advance();
  ExpectName(node, "the name of the experiment");
  if (Expect(TokenKind::kOf, "`of` and the name of a system")) {
    if (Is(TokenKind::kName))
      Add(node, ParsePath());
    else
      Report(messages::kNothingAfter, AfterPrevious(), {"of", "the name of a system"});
  }
  ParseDocumentation(node);
  const uint32_t opening = at_;
  if (!Expect(TokenKind::kLeftBrace)) return Close(node);
  while (!BodyEnds(opening)) {
    const uint32_t before = at_;
    Add(node, ParseExperimentItem());
    Accept(TokenKind::kSemicolon);
    if (at_ == before) Advance();
  }
  CloseBody(opening);
  return Close(node);
}

// motor.R = 0.3 ohm, or a model instead of a value: motor as ideal
NodeId Parser::ParseSet(Builder& node) {
  Add(node, ParsePath());
  if (ParseModelChoice(node)) return Close(node);
  if (Accept(TokenKind::kEqual))
    Add(node, ParseExpression());
  else
    Report(messages::kExpected, AfterPrevious(), {"`=`", Found()})
        .Help("write `path = value`, or `path as model`");
  return Close(node);
}

NodeId Parser::ParseExperimentItem() {
  if (IsWord("plot") && Kind(1) != TokenKind::kEqual) {
    Builder node = Open(NodeKind::kPlot);
    Advance();
    do {
      Add(node, ParseExpression());
    } while (Accept(TokenKind::kComma));
    return Close(node);
  }
  if (IsWord("set") && Kind(1) == TokenKind::kName) {
    Builder node = Open(NodeKind::kSet);
    Advance();
    return ParseSet(node);
  }
  if (IsWord("start") && Kind(1) == TokenKind::kName) return ParseStart(NodeKind::kExperiment);
  return ParseSettingItem();
}

}  // namespace cotree
