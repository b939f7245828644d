// SPDX-License-Identifier: Apache-2.0
// What holds for every text, correct or not: over all files of the repository, and over mutations of them.
#include <gtest/gtest.h>

#include <random>

#include "language/lex.h"
#include "language/test/text_support.h"

namespace cotree {
namespace {

std::string Comments(const SyntaxTree& tree) {
  std::string out;
  uint32_t begin = 0;
  for (const Token& token : tree.tokens) {
    for (uint32_t i = begin; i < token.offset; ++i) {
      if (std::string_view(" \t\r\n").find(tree.text[i]) == std::string_view::npos) out += tree.text[i];
    }
    begin = token.end();
  }
  return out;
}

// Returns what is broken, or nothing.
std::string Broken(const std::string& text) {
  Parsed parsed(text);
  CheckSyntaxTree(parsed.tree);
  if (PrintSyntaxTree(parsed.tree) != text) return "print(parse(x)) == x";
  const std::string formatted = Format(parsed.tree);
  Parsed again(formatted);
  CheckSyntaxTree(again.tree);
  if (!SameSyntax(parsed.tree, again.tree)) return "formatting keeps tokens and tree";
  if (parsed.diagnostics.errors() != again.diagnostics.errors())
    return "formatting keeps the number of errors";
  if (Comments(parsed.tree) != Comments(again.tree)) return "formatting keeps comments";
  if (Format(again.tree) != formatted) return "formatting is idempotent";
  return "";
}

TEST(Properties, HoldForEveryFile) {
  const auto paths = CotreeFiles();
  ASSERT_GE(paths.size(), 12u);
  for (const auto& path : paths) EXPECT_EQ(Broken(ReadFile(path)), "") << path;
}

TEST(Properties, LibraryAndExamplesHaveNoSyntaxErrors) {
  for (const auto& path : CotreeFiles()) {
    const std::string name = path.string();
    if (name.find("/library/") == std::string::npos && name.find("/examples/") == std::string::npos) continue;
    Parsed parsed(ReadFile(path));
    EXPECT_TRUE(parsed.Codes().empty()) << path;
  }
}

// Deletes, doubles, swaps or inserts a few tokens, or cuts bytes out.
std::string Mutated(const std::string& text, std::mt19937& random) {
  Diagnostics ignored;
  const auto tokens = Lex(text, FileId(), ignored);
  const auto below = [&](size_t n) { return n == 0 ? 0 : random() % n; };
  static const char* const kPieces[] = {
      "{",     "}",      "(",  ")",    "[",    "]",  ",",        ";",        ":",   ".",
      "=",     "-",      "--", "->",   "*",    "/",  "^",        "@",        "\"",  "/*",
      "*/",    "//",     "\n", "\r\n", "\t",   "  ", "equation", "connect",  "if",  "then",
      "model", "system", "2",  "2.",   "1e-3", "m",  "$a",       "\xC2\xB5", "\xFF"};
  std::string out = text;
  for (size_t changes = 1 + below(4); changes > 0 && !out.empty(); --changes) {
    const Token& token = tokens[below(tokens.size())];
    const size_t begin = std::min<size_t>(token.offset, out.size());
    const size_t length = std::min<size_t>(token.length, out.size() - begin);
    switch (below(5)) {
      case 0:
        out.erase(begin, length);
        break;
      case 1:
        out.insert(begin, out.substr(begin, length));
        break;
      case 2:
        out.insert(begin, std::string(" ") + kPieces[below(std::size(kPieces))] + " ");
        break;
      case 3:
        out.insert(below(out.size()), kPieces[below(std::size(kPieces))]);
        break;
      default:
        out.erase(below(out.size()), below(20));
        break;
    }
  }
  return out;
}

TEST(Properties, HoldForMutatedFiles) {
  std::mt19937 random(20240607);
  std::vector<std::string> texts;
  for (const auto& path : CotreeFiles()) {
    std::string text = ReadFile(path);
    if (text.size() < 4000) texts.push_back(std::move(text));
  }
  ASSERT_FALSE(texts.empty());
  for (int i = 0; i < 6000; ++i) {
    const std::string text = Mutated(texts[random() % texts.size()], random);
    const std::string broken = Broken(text);
    ASSERT_EQ(broken, "") << "in mutation " << i << ":\n" << text;
  }
}

}  // namespace
}  // namespace cotree
