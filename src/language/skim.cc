// SPDX-License-Identifier: Apache-2.0
#include "language/skim.h"

namespace cotree {
namespace {

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool IsNameCharacter(char c) {
  return IsLetter(c) || (c >= '0' && c <= '9');
}

// Only words that begin a declaration matter.
NodeKind DeclarationKind(std::string_view word) {
  switch (ReservedWord(word)) {
    case TokenKind::kPackage:
      return NodeKind::kPackage;
    case TokenKind::kDomain:
      return NodeKind::kDomain;
    case TokenKind::kQuantity:
      return NodeKind::kQuantity;
    case TokenKind::kEnumeration:
      return NodeKind::kEnumeration;
    case TokenKind::kFunction:
      return NodeKind::kFunction;
    case TokenKind::kTable:
      return NodeKind::kTable;
    case TokenKind::kComponent:
      return NodeKind::kComponent;
    case TokenKind::kSoftware:
      return NodeKind::kSoftware;
    case TokenKind::kSystem:
      return NodeKind::kSystem;
    case TokenKind::kExperiment:
      return NodeKind::kExperiment;
    case TokenKind::kImport:
      return NodeKind::kImport;
    default:
      return NodeKind::kError;
  }
}

}  // namespace

std::vector<SkimmedDeclaration> Skim(std::string_view text) {
  std::vector<SkimmedDeclaration> found;
  int open = 0;
  bool name_wanted = false;
  const size_t size = text.size();
  for (size_t i = 0; i < size;) {
    const char c = text[i];
    if (c == '/' && i + 1 < size && text[i + 1] == '/') {
      i = text.find('\n', i);
      if (i == std::string_view::npos) break;
    } else if (c == '/' && i + 1 < size && text[i + 1] == '*') {
      i = text.find("*/", i + 2);
      if (i == std::string_view::npos) break;
      i += 2;
    } else if (c == '"') {
      for (++i; i < size && text[i] != '"' && text[i] != '\n'; ++i) i += text[i] == '\\' ? 1u : 0u;
      ++i;
    } else if (c == '{' || c == '}') {
      open += c == '{' ? 1 : -1;
      ++i;
    } else if (open == 0 && IsLetter(c)) {
      const size_t begin = i;
      while (i < size && IsNameCharacter(text[i])) ++i;
      const auto b = static_cast<uint32_t>(begin), e = static_cast<uint32_t>(i);
      if (name_wanted) {
        found.back().name_begin = b;
        found.back().name_end = e;
        name_wanted = false;
        continue;
      }
      const NodeKind kind = DeclarationKind(text.substr(begin, i - begin));
      if (kind == NodeKind::kError) continue;
      if (!found.empty()) found.back().end = b;
      found.push_back({kind, b, static_cast<uint32_t>(size), e, e});
      name_wanted = true;
    } else {
      ++i;
    }
  }
  return found;
}

}  // namespace cotree
