// SPDX-License-Identifier: Apache-2.0
// Any text: parsed without loss, formatted without changing what it says.
#include <string>
#include <string_view>

#include "allocation_limit.h"
#include "language/format.h"
#include "language/lex.h"
#include "language/parse.h"
#include "language/skim.h"

namespace cotree {
namespace {

// What stands between the tokens, blanks left out: the comments, one behind the other.
std::string Comments(const SyntaxTree& tree) {
  std::string out;
  uint32_t begin = 0;
  for (const Token& token : tree.tokens) {
    for (uint32_t i = begin; i < token.offset; ++i) {
      const char c = tree.text[i];
      if (c != ' ' && c != '\t' && c != '\r' && c != '\n') out += c;
    }
    begin = token.end();
  }
  return out;
}

void CheckFile(const std::string& text) {
  SourceFiles files;
  const FileId file = files.Add("input.cot", text);
  Diagnostics diagnostics;
  const SyntaxTree tree = Parse(files[file].text(), file, diagnostics);
  CheckSyntaxTree(tree);
  FUZZ_ASSERT(PrintSyntaxTree(tree) == text);

  const std::string formatted = Format(tree);
  Diagnostics again;
  const SyntaxTree formatted_tree = Parse(formatted, file, again);
  CheckSyntaxTree(formatted_tree);
  FUZZ_ASSERT(SameSyntax(tree, formatted_tree));
  FUZZ_ASSERT(diagnostics.errors() == again.errors());
  FUZZ_ASSERT(Comments(tree) == Comments(formatted_tree));
  FUZZ_ASSERT(Format(formatted_tree) == formatted);

  for (uint32_t i = 0; i < tree.tokens.size(); ++i) {
    if (tree.tokens[i].kind() == TokenKind::kNumber) static_cast<void>(NumberValue(tree.TokenText(i)));
    if (tree.tokens[i].kind() == TokenKind::kString) static_cast<void>(StringValue(tree.TokenText(i)));
  }
  diagnostics.Sort();
  size_t shown = 0;
  for (const Diagnostic& diagnostic : diagnostics.list()) {
    FUZZ_ASSERT(diagnostic.where.begin <= diagnostic.where.end && diagnostic.where.end <= text.size());
    if (++shown <= 20) FUZZ_ASSERT(!RenderText(diagnostic, files, false).empty());
  }
}

// The pieces of text that the edit API and --set read.
void CheckPieces(const std::string& text) {
  Diagnostics diagnostics;
  const SyntaxTree expression = ParseExpressionText(text, FileId(), diagnostics);
  CheckSyntaxTree(expression);
  FUZZ_ASSERT(PrintSyntaxTree(expression) == text);
  const SyntaxTree member = ParseMemberText(text, FileId(), diagnostics);
  CheckSyntaxTree(member);
  FUZZ_ASSERT(PrintSyntaxTree(member) == text);
  const SyntaxTree setting = ParseSettingText(text, FileId(), diagnostics);
  CheckSyntaxTree(setting);
  FUZZ_ASSERT(PrintSyntaxTree(setting) == text);
  for (const SkimmedDeclaration& declaration : Skim(text)) {
    FUZZ_ASSERT(declaration.begin < declaration.end && declaration.end <= text.size());
  }
}

}  // namespace
}  // namespace cotree

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const cotree::fuzz::InputLimits limits;
  const std::string text(reinterpret_cast<const char*>(data), size);
  cotree::CheckFile(text);
  cotree::CheckPieces(text);
  return 0;
}
