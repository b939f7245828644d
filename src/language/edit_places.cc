// SPDX-License-Identifier: Apache-2.0
// SourceEditor: where in the text something is put in or taken out, so that lines, blanks and comments around
// it stay as they are.
#include <algorithm>

#include "language/edit.h"

namespace cotree {
namespace {

constexpr std::string_view kItemGap = "   ";  // between two items of one line

bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

}  // namespace

uint32_t SourceEditor::LineBegin(uint32_t offset) const {
  const size_t newline = offset == 0 ? std::string_view::npos : tree_.text.rfind('\n', offset - 1);
  return newline == std::string_view::npos ? 0 : static_cast<uint32_t>(newline + 1);
}

// The blanks before the line that holds a place.
std::string SourceEditor::IndentationOf(uint32_t offset) const {
  const uint32_t begin = LineBegin(offset);
  uint32_t end = begin;
  while (end < tree_.text.size() && (tree_.text[end] == ' ' || tree_.text[end] == '\t')) ++end;
  return std::string(Between(begin, end));
}

// The end of the line on which a token stands, behind its comments; nothing if another token or the inside of
// a comment follows first.
std::optional<uint32_t> SourceEditor::LineTail(uint32_t last_token) const {
  const uint32_t end = tree_.tokens[last_token + 1].offset;
  for (uint32_t at = tree_.tokens[last_token].end(); at < end;) {
    const char c = tree_.text[at];
    if (c == '\n') return at > 0 && tree_.text[at - 1] == '\r' ? at - 1 : at;
    if (IsBlank(c)) {
      ++at;
    } else if (tree_.text[at + 1] == '/') {
      at = static_cast<uint32_t>(std::min<size_t>(tree_.text.find('\n', at), end));
    } else {
      const auto comment_end = static_cast<uint32_t>(tree_.text.find("*/", at + 2) + 2);
      if (Between(at, comment_end).find('\n') != std::string_view::npos) return std::nullopt;
      at = comment_end;
    }
  }
  if (tree_.tokens[last_token + 1].kind() == TokenKind::kEnd) return end;
  return std::nullopt;
}

// Whether only blanks stand between a token and the one before it, and both are on one line.
bool SourceEditor::BlanksBefore(uint32_t token) const {
  const std::string_view gap = Between(tree_.tokens[token - 1].end(), tree_.tokens[token].offset);
  return std::all_of(gap.begin(), gap.end(), [](char c) { return IsBlank(c) && c != '\n'; });
}

// Deletes bytes [begin, end), but leaves gaps that hold a comment.
void SourceEditor::Delete(uint32_t begin, uint32_t end, TextEdits& edits) const {
  const auto first =
      std::lower_bound(tree_.tokens.begin(), tree_.tokens.end(), begin,
                       [](const Token& token, uint32_t offset) { return token.end() <= offset; });
  uint32_t from = begin, gap_begin = begin;
  for (auto token = first; from < end; ++token) {
    const uint32_t gap_end = std::max(gap_begin, std::min(token->offset, end));
    if (Between(gap_begin, gap_end).find('/') != std::string_view::npos) {
      edits.push_back({from, gap_begin, ""});
      from = gap_end;
    }
    if (token->offset >= end) break;
    gap_begin = std::min(token->end(), end);
  }
  edits.push_back({from, std::max(from, end), ""});
}

void SourceEditor::RemoveItem(uint32_t first_token, uint32_t last_token, TextEdits& edits) const {
  const auto& tokens = tree_.tokens;
  const bool semicolon =
      tokens[last_token + 1].kind() == TokenKind::kSemicolon && !tokens[last_token + 1].starts_line;
  if (semicolon) ++last_token;
  const uint32_t begin = tokens[first_token].offset, end = tokens[last_token].end();
  const uint32_t line = LineBegin(begin);
  const std::string_view before = Between(line, begin);
  const bool starts_line = std::all_of(before.begin(), before.end(), IsBlank);
  const std::optional<uint32_t> tail = LineTail(last_token);
  const Token& next = tokens[last_token + 1];
  const bool next_follows = next.kind() != TokenKind::kEnd && BlanksBefore(last_token + 1);
  if (starts_line && tail) {
    // Whole lines, with the line end before them.
    if (line == 0) {
      const size_t newline = tree_.text.find('\n', *tail);
      edits.push_back({0, static_cast<uint32_t>(std::min(newline, tree_.text.size() - 1) + 1), ""});
    } else {
      const bool two = line >= 2 && tree_.text[line - 2] == '\r';
      edits.push_back({line - (two ? 2u : 1u), *tail, ""});
    }
  } else if (starts_line || tokens[first_token - 1].kind() == TokenKind::kLeftBrace ||
             !BlanksBefore(first_token)) {
    edits.push_back({begin, next_follows ? next.offset : end, ""});
  } else {
    edits.push_back({tokens[first_token - 1].end(), end, ""});
  }
}

void SourceEditor::InsertBehind(NodeId member, const Body& body, std::string_view text,
                                TextEdits& edits) const {
  uint32_t last = tree_[member].last_token;
  const Token& next = tree_.tokens[last + 1];
  if (next.kind() == TokenKind::kSemicolon && !next.starts_line) ++last;
  const std::optional<uint32_t> tail = LineTail(last);
  if (!tail) {
    const uint32_t end = tree_.tokens[last].end();
    edits.push_back({end, end, std::string(kItemGap) + std::string(text)});
    return;
  }
  const uint32_t begin = tree_.tokens[tree_[member].first_token].offset;
  const uint32_t brace = tree_.tokens[body.opening].offset;
  std::string indentation = IndentationOf(begin);
  if (LineBegin(begin) <= brace) indentation += "  ";
  edits.push_back({*tail, *tail, line_end_ + indentation + std::string(text)});
}

// Behind the `{` of a body.
void SourceEditor::InsertFirst(const Body& body, std::string_view text, TextEdits& edits) const {
  const Token& brace = tree_.tokens[body.opening];
  const Token& next = tree_.tokens[body.opening + 1];
  const bool empty = next.kind() == TokenKind::kRightBrace;
  if (const auto tail = LineTail(body.opening)) {
    const std::string indentation = empty ? IndentationOf(brace.offset) + "  " : IndentationOf(next.offset);
    edits.push_back({*tail, *tail, line_end_ + indentation + std::string(text)});
  } else {
    const bool blanks = BlanksBefore(body.opening + 1);
    const std::string_view gap = empty && blanks ? Between(brace.end(), next.offset) : kItemGap;
    edits.push_back({next.offset, next.offset, std::string(text) + std::string(gap)});
  }
}

void SourceEditor::InsertMember(const Body& body, NodeId behind, std::string_view text,
                                TextEdits& edits) const {
  if (behind.IsNone()) {
    InsertFirst(body, text, edits);
  } else {
    InsertBehind(behind, body, text, edits);
  }
}

// Takes one node out of a list that has others, together with the mark that parts it from its neighbour.
void SourceEditor::RemoveFromList(const std::vector<NodeId>& list, size_t index, TextEdits& edits) const {
  if (index == 0) {
    Delete(tree_.SpanOf(list[0]).begin, tree_.SpanOf(list[1]).begin, edits);
  } else {
    Delete(tree_.SpanOf(list[index - 1]).end, tree_.SpanOf(list[index]).end, edits);
  }
}

// Takes ends out of a connection; the statement goes where fewer than two would remain, or no output.
void SourceEditor::RemoveEnds(NodeId connect, const std::vector<NodeId>& ends,
                              const std::vector<bool>& removed, TextEdits& edits) const {
  const auto kept = static_cast<size_t>(std::count(removed.begin(), removed.end(), false));
  const bool signal = tree_.Has(connect, kFlagSignal);
  if (kept == removed.size()) return;
  if (kept < 2 || (signal && removed[0])) {
    RemoveItem(tree_[connect].first_token, tree_[connect].last_token, edits);
    return;
  }
  // Those before the first that stays go with the mark behind them, the others with the mark before them.
  size_t first = signal ? 1 : 0;
  const size_t begin = first;
  while (removed[first]) ++first;
  if (first > begin) Delete(tree_.SpanOf(ends[begin]).begin, tree_.SpanOf(ends[first]).begin, edits);
  for (size_t i = first + 1; i < ends.size(); ++i) {
    if (removed[i]) RemoveFromList(ends, i, edits);
  }
}

// `inner` changes a declaration that several names share, somewhere behind the names: one name gets a changed
// declaration of its own.
TextEdits SourceEditor::Separate(const Body& body, const Instance& instance, TextEdits inner) const {
  if (instance.alone || inner.empty()) return inner;
  std::vector<NodeId> names;
  for (const NodeId child : tree_.Children(instance.declaration)) {
    if (tree_.kind(child) == NodeKind::kName) names.push_back(child);
  }
  const Span whole = tree_.SpanOf(instance.declaration);
  const uint32_t names_end = tree_.SpanOf(names.back()).end;
  SortTextEdits(inner);
  for (TextEdit& edit : inner) {
    edit.begin -= names_end;
    edit.end -= names_end;
  }
  std::string text(Between(whole.begin, tree_.SpanOf(names.front()).begin));
  text += tree_.Name(instance.name);
  text += ApplyEdits(Between(names_end, whole.end), inner);
  TextEdits edits;
  const auto index = std::find(names.begin(), names.end(), instance.name) - names.begin();
  RemoveFromList(names, static_cast<size_t>(index), edits);
  InsertBehind(instance.declaration, body, text, edits);
  return edits;
}

}  // namespace cotree
