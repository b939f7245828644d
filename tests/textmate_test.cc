// SPDX-License-Identifier: Apache-2.0
// The editor's grammar knows the words of the language, all of them and no others.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "language/token.h"
#include "product_support.h"

namespace cotree {
namespace {

using Json = nlohmann::json;

std::set<std::string> ReservedWords() {
  std::set<std::string> words;
  for (auto k = static_cast<size_t>(TokenKind::kImport); k <= static_cast<size_t>(TokenKind::kFalse); ++k) {
    words.emplace(TokenText(static_cast<TokenKind>(k)));
  }
  return words;
}

// The alternatives of all groups (a|b|c) in a regular expression that are plain words.
void AddWords(const std::string& pattern, std::set<std::string>& words) {
  for (size_t open = pattern.find('('); open != std::string::npos; open = pattern.find('(', open + 1)) {
    const size_t close = pattern.find(')', open);
    std::string group = pattern.substr(open + 1, close - open - 1);
    if (group.rfind("?:", 0) == 0) group = group.substr(2);
    if (group.empty() || group.find_first_not_of("abcdefghijklmnopqrstuvwxyz|") != std::string::npos)
      continue;
    for (size_t begin = 0; begin <= group.size();) {
      const size_t end = std::min(group.find('|', begin), group.size());
      words.insert(group.substr(begin, end - begin));
      begin = end + 1;
    }
  }
}

const Json& Grammar() {
  static const Json grammar =
      Json::parse(test::ReadText(test::kRoot / "editors/textmate/cotree.tmLanguage.json"));
  return grammar;
}

TEST(TextMate, KeywordsAreTheReservedWords) {
  std::set<std::string> words;
  for (const Json& rule : Grammar().at("repository").at("keywords").at("patterns"))
    AddWords(rule.at("match"), words);
  EXPECT_EQ(words, ReservedWords());
}

// Words that declare, beside their own rule, must be reserved words too.
TEST(TextMate, DeclarationsAreReservedWords) {
  std::set<std::string> words;
  for (const Json& rule : Grammar().at("repository").at("declarations").at("patterns"))
    AddWords(rule.at("match"), words);
  EXPECT_FALSE(words.empty());
  for (const std::string& word : words) EXPECT_TRUE(ReservedWords().contains(word)) << word;
}

TEST(TextMate, EveryRuleIsReachable) {
  std::set<std::string> included;
  const std::string text = Grammar().dump();
  for (const auto& [name, rule] : Grammar().at("repository").items()) {
    EXPECT_NE(text.find("\"#" + name + "\""), std::string::npos) << name << " is included nowhere";
  }
  for (const Json& pattern : Grammar().at("patterns")) {
    const std::string include = pattern.at("include");
    EXPECT_TRUE(Grammar().at("repository").contains(include.substr(1))) << include;
  }
}

}  // namespace
}  // namespace cotree
