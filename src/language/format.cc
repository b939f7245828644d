// SPDX-License-Identifier: Apache-2.0
#include "language/format.h"

#include <algorithm>

#include "base/text_encoding.h"
#include "language/format_roles.h"
#include "language/lex.h"

namespace cotree {
namespace {

bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
bool IsWordy(TokenKind kind) {
  return kind <= TokenKind::kFalse;
}
bool IsOpener(TokenKind kind) {
  return kind == TokenKind::kLeftParen || kind == TokenKind::kLeftBracket;
}
bool IsCloser(TokenKind kind) {
  return kind == TokenKind::kRightParen || kind == TokenKind::kRightBracket;
}
bool IsSeparator(TokenKind kind) {
  return kind == TokenKind::kComma || kind == TokenKind::kSemicolon;
}

// Whether the lexer still tells two tokens apart when nothing stands between them.
bool MayTouch(TokenKind left, TokenKind right) {
  if (IsWordy(left) && IsWordy(right)) return left == TokenKind::kString || right == TokenKind::kString;
  switch (left) {
    case TokenKind::kNumber:
      return right != TokenKind::kDot;
    case TokenKind::kDot:
      return right != TokenKind::kNumber;
    case TokenKind::kMinus:
      return right != TokenKind::kMinus && right != TokenKind::kJoin && right != TokenKind::kArrow &&
             right != TokenKind::kGreater && right != TokenKind::kGreaterEqual;
    case TokenKind::kSlash:
      return right != TokenKind::kSlash && right != TokenKind::kStar;
    case TokenKind::kEqual:
    case TokenKind::kLess:
    case TokenKind::kGreater:
      return right != TokenKind::kEqual && right != TokenKind::kEqualEqual;
    default:
      return true;
  }
}

class Formatter {
 public:
  explicit Formatter(const SyntaxTree& tree)
      : tree_(tree), bom_(ByteOrderMark(tree.text)), found_(FindFormatRoles(tree)) {
    out_ = tree.text.substr(0, bom_);
    FindLineEnd();
    int64_t braces = 0;
    for (const Token& token : tree.tokens) {
      braces += token.kind() == TokenKind::kLeftBrace ? 1 : token.kind() == TokenKind::kRightBrace ? -1 : 0;
    }
    keep_indentation_ = braces != 0;
  }

  std::string Run() {
    out_.reserve(tree_.text.size() + tree_.text.size() / 8 + 16);
    for (uint32_t token = 0; token < tree_.tokens.size(); ++token) {
      OpenItems(token);
      WriteGap(token);
      out_ += tree_.TokenText(token);
      for (size_t i = items_open_before_; i < open_.size(); ++i) open_[i].anchor = line_;
    }
    if (out_.size() > bom_ && !ends_in_comment_) out_ += line_end_;
    return std::move(out_);
  }

 private:
  /** The line that is being written. */
  struct Line {
    uint32_t first_token = UINT32_MAX;  // none where the line begins inside a comment
    size_t width = 0;                   // of its indentation in the text
  };
  struct OpenItem {
    const FormatItem* item;
    Line anchor;  // the line on which it begins
  };

  TokenKind Kind(uint32_t token) const { return tree_.tokens[token].kind(); }
  FormatRole Role(uint32_t token) const { return found_.roles[token]; }
  bool BeginsItem(uint32_t token) const { return !open_.empty() && open_.back().item->first_token == token; }

  void OpenItems(uint32_t token) {
    while (!open_.empty() && open_.back().item->last_token < token) open_.pop_back();
    items_open_before_ = open_.size();
    while (next_item_ < found_.items.size() && found_.items[next_item_].first_token == token) {
      open_.push_back({&found_.items[next_item_++], {}});
    }
  }

  // Line ends are written as the first one between two tokens is. (Inside a comment they are the comment's
  // own.)
  void FindLineEnd() {
    uint32_t begin = static_cast<uint32_t>(bom_);
    for (const Token& token : tree_.tokens) {
      for (size_t at = begin; at < token.offset;) {
        if (tree_.text[at] == '\n') {
          line_end_ = at > 0 && tree_.text[at - 1] == '\r' ? "\r\n" : "\n";
          return;
        }
        at = IsBlank(tree_.text[at]) ? at + 1 : CommentEnd(at, token.offset);
      }
      begin = token.end();
    }
  }

  size_t CommentEnd(size_t at, size_t gap_end) const {
    const bool block = tree_.text.substr(at, 2) == "/*";
    const size_t end = tree_.text.substr(0, gap_end).find(block ? "*/" : "\n", at + 2);
    if (end == std::string_view::npos) return gap_end;
    return block ? end + 2 : end;
  }

  // --- Gaps ------------------------------------------------------------------------------------------

  /* What stands before a token: blanks, comment, blanks, comment, ..., blanks. */
  void WriteGap(uint32_t token) {
    const size_t begin = token == 0 ? bom_ : tree_.tokens[token - 1].end();
    const size_t end = tree_.tokens[token].offset;
    size_t at = begin;
    bool after_comment = false;
    while (true) {
      const size_t blanks = at;
      size_t line_begin = std::string_view::npos;  // of the last line that begins among these blanks
      size_t lines = 0;
      for (; at < end && IsBlank(tree_.text[at]); ++at) {
        if (tree_.text[at] == '\n') {
          ++lines;
          line_begin = at + 1;
        }
      }
      const bool at_token = at == end;
      if (blanks == bom_) line_begin = line_begin == std::string_view::npos ? bom_ : line_begin;
      if (line_begin != std::string_view::npos) {
        if (at_token && Kind(token) == TokenKind::kEnd) return;
        if (out_.size() > bom_) {
          for (size_t i = 0; i < std::min<size_t>(lines, 2); ++i) out_ += line_end_;
        }
        WriteIndentation(token, at_token, line_begin, at);
      } else if (at_token) {
        if (Kind(token) == TokenKind::kEnd) return;
        const bool close = IsCloser(Kind(token)) || IsSeparator(Kind(token));
        out_.append(after_comment ? (close ? 0u : 1u) : BlanksBetween(token - 1, token, at - blanks), ' ');
      } else if (after_comment) {
        out_ += ' ';
      } else {
        const bool inside = IsOpener(Kind(token - 1)) && tree_.text[at + 1] == '*';
        out_.append(inside ? std::min<size_t>(at - blanks, 1) : std::max<size_t>(at - blanks, 1), ' ');
      }
      if (at_token) return;
      at = WriteComment(at, end);
      after_comment = true;
    }
  }

  size_t WriteComment(size_t begin, size_t gap_end) {
    const size_t end = CommentEnd(begin, gap_end);
    std::string_view comment = tree_.text.substr(begin, end - begin);
    if (comment.substr(0, 2) == "//") {
      while (IsBlank(comment.back())) comment.remove_suffix(1);
    } else {
      if (comment.find('\n') != std::string_view::npos) line_ = {};
      const bool open_ended = comment.size() < 4 || comment.substr(comment.size() - 2) != "*/";
      if (open_ended) ends_in_comment_ = true;
    }
    out_ += comment;
    return end;
  }

  // --- Lines -----------------------------------------------------------------------------------------

  // At the beginning of a line, before `token` or before a comment that stands before it.
  void WriteIndentation(uint32_t token, bool at_token, size_t line_begin, size_t end) {
    size_t blanks = line_begin;
    size_t width = 0;
    for (; blanks < end && (tree_.text[blanks] == ' ' || tree_.text[blanks] == '\t'); ++blanks) {
      width += tree_.text[blanks] == '\t' ? 4u : 1u;
    }
    if (keep_indentation_) {
      out_ += tree_.text.substr(line_begin, blanks - line_begin);
      return;
    }
    size_t indentation = Indentation(token, at_token ? width : TokenLineWidth(token));
    line_ = {token, width};
    if (!at_token && Kind(token) == TokenKind::kRightBrace) indentation += 2;
    out_.append(indentation, ' ');
  }

  // The width of the blanks before the line on which a token stands; 0 if that line begins inside a comment.
  size_t TokenLineWidth(uint32_t token) {
    if (measured_.first_token == token) return measured_.width;
    size_t at = token == 0 ? bom_ : tree_.tokens[token - 1].end();
    const size_t end = tree_.tokens[token].offset;
    size_t width = 0;
    bool leading = token == 0;
    while (at < end) {
      const char c = tree_.text[at];
      if (c == '\n') {
        width = 0;
        leading = true;
        ++at;
      } else if (IsBlank(c)) {
        if (leading && c != '\r') width += c == '\t' ? 4u : 1u;
        ++at;
      } else {
        const size_t comment_end = CommentEnd(at, end);
        if (tree_.text.substr(at, comment_end - at).find('\n') != std::string_view::npos) width = 0;
        leading = false;
        at = comment_end;
      }
    }
    measured_ = {token, width};
    return width;
  }

  // The indentation of a line that begins with a token and was `width` wide.
  size_t Indentation(uint32_t token, size_t width) const {
    if (open_.empty() || Kind(token) == TokenKind::kEnd) return 0;
    const FormatItem& item = *open_.back().item;
    const size_t base = size_t{2} * item.level;
    if (item.first_token == token) return base;
    const TokenKind kind = Kind(token);
    if (item.owns_braces) {
      switch (kind) {
        case TokenKind::kLeftBrace:
        case TokenKind::kRightBrace:
        case TokenKind::kElse:
        case TokenKind::kElseif:
        case TokenKind::kElsewhen:
          return base;
        case TokenKind::kSemicolon:
          return base + 2;
        default:
          break;
      }
    }
    const Line& anchor = open_.back().anchor;
    if (anchor.first_token != item.first_token) return base + (IsCloser(kind) ? 0u : 4u);
    const size_t distance = width > anchor.width ? width - anchor.width : 0;
    return base + (IsCloser(kind) || distance >= 2 ? distance : 4u);
  }

  // --- Blanks between two tokens of a line -----------------------------------------------------------

  size_t BlanksBetween(uint32_t left, uint32_t right, size_t written) const {
    const TokenKind a = Kind(left), b = Kind(right);
    if (a == TokenKind::kError || b == TokenKind::kError) return written > 0 ? 1u : 0u;
    // "2.m" is three tokens, "2. m" two.
    if (written == 0 && (a == TokenKind::kDot || b == TokenKind::kDot)) return 0;
    const size_t wanted = WantedBlanks(left, right, written);
    return wanted == 0 && written > 0 && !MayTouch(a, b) ? 1 : wanted;
  }

  size_t WantedBlanks(uint32_t left, uint32_t right, size_t written) const {
    const TokenKind a = Kind(left), b = Kind(right);
    const FormatRole left_role = Role(left), right_role = Role(right);
    const size_t aligned = std::max<size_t>(written, 1);
    if (right_role == FormatRole::kTightOperator) return 0;
    if (right_role == FormatRole::kLooseOperator) return 1;
    if (a == TokenKind::kLeftBrace || b == TokenKind::kRightBrace) return 1;
    if (BeginsItem(right) || right_role == FormatRole::kAligned) return IsOpener(a) ? 0 : aligned;
    if (left_role == FormatRole::kUnit && right_role == FormatRole::kUnit) return 0;
    if (a == TokenKind::kDot || b == TokenKind::kDot || IsSeparator(b)) return 0;
    if (IsSeparator(a)) return aligned;
    if (a == TokenKind::kAt || IsOpener(a) || IsCloser(b)) return 0;
    if (right_role == FormatRole::kTightOpener) return 0;
    if (left_role == FormatRole::kRangeColon || right_role == FormatRole::kRangeColon) return 0;
    if (left_role == FormatRole::kTightOperator || left_role == FormatRole::kSign) return 0;
    if (b == TokenKind::kColon || b == TokenKind::kEqual || b == TokenKind::kLeftBrace) return aligned;
    return 1;
  }

  const SyntaxTree& tree_;
  size_t bom_;  // bytes of a byte order mark
  FormatRoles found_;
  std::string out_;
  std::string_view line_end_ = "\n";
  bool keep_indentation_ = false;
  bool ends_in_comment_ = false;  // the text ends in a comment that is not closed
  std::vector<OpenItem> open_;    // the items that hold the current token, innermost last
  size_t items_open_before_ = 0;  // those of open_ that do not begin with the current token
  size_t next_item_ = 0;
  Line line_;
  Line measured_;  // by TokenLineWidth: the last answer
};

}  // namespace

std::string Format(const SyntaxTree& tree) {
  if (tree.tokens.size() == 1) {  // nothing but comments, or no text at all, which stays as it is
    Diagnostics found;
    Lex(tree.text, tree.file, found);
    if (!found.ok()) return std::string(tree.text);
  }
  return Formatter(tree).Run();
}

}  // namespace cotree
