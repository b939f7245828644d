// SPDX-License-Identifier: Apache-2.0
#include "language/lex.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/text_encoding.h"
#include "base/visible_text.h"
#include "language/diagnostics.h"

namespace cotree {
namespace {

namespace messages = language_messages;

enum : uint8_t { kOther = 0, kBlank = 1, kLetter = 2, kDigit = 4 };

constexpr std::array<uint8_t, 256> MakeClasses() {
  std::array<uint8_t, 256> classes{};
  for (const char c : {' ', '\t', '\r', '\n'}) classes[static_cast<unsigned char>(c)] = kBlank;
  for (int c = 'a'; c <= 'z'; ++c) classes[static_cast<size_t>(c)] = kLetter;
  for (int c = 'A'; c <= 'Z'; ++c) classes[static_cast<size_t>(c)] = kLetter;
  classes['_'] = kLetter;
  for (int c = '0'; c <= '9'; ++c) classes[static_cast<size_t>(c)] = kDigit;
  return classes;
}
constexpr auto kClasses = MakeClasses();
constexpr uint32_t kLongest = (1u << 23) - 1;

class Lexer {
 public:
  Lexer(std::string_view text, FileId file, Diagnostics& diagnostics, uint32_t begin)
      : text_(text), file_(file), diagnostics_(diagnostics), at_(begin) {}

  LargeVector<Token> Run() {
    tokens_.reserve((text_.size() - at_) / 3 + 16);  // seldom too few, and what is not used is never touched
    while (SkipBlanks()) Next();
    if (!is_text_) tokens_.clear();
    Push(TokenKind::kEnd, text_.size(), text_.size());
    return std::move(tokens_);
  }

 private:
  // Bytes of the name character at `at`: ASCII letters and digits, and the signs of units: micro, mu, omega,
  // ohm, degree.
  size_t NameBytes(size_t at) const {
    if ((Class(at) & (kLetter | kDigit)) != 0) return 1;
    if (at >= text_.size() || static_cast<unsigned char>(text_[at]) < 0x80) return 0;
    for (const std::string_view sign : {"\xC2\xB5", "\xCE\xBC", "\xCE\xA9", "\xE2\x84\xA6", "\xC2\xB0"}) {
      if (text_.substr(at, sign.size()) == sign) return sign.size();
    }
    return 0;
  }
  size_t NameEnd(size_t at) const {
    while (const size_t bytes = NameBytes(at)) at += bytes;
    return at;
  }

  uint8_t Class(size_t at) const {
    return at < text_.size() ? kClasses[static_cast<unsigned char>(text_[at])] : uint8_t{kOther};
  }
  char At(size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

  Span SpanOf(size_t begin, size_t end) const {
    return {file_, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }

  // Moves over blanks and comments; false at the end of the text.
  bool SkipBlanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        starts_line_ = true;
        ++at_;
      } else if (Class(at_) == kBlank) {
        ++at_;
      } else if (c == '/' && At(at_ + 1) == '/') {
        const size_t end = text_.find('\n', at_);
        at_ = end == std::string_view::npos ? text_.size() : end;
      } else if (c == '/' && At(at_ + 1) == '*') {
        const size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) {
          diagnostics_.Report(messages::kUnterminatedComment, SpanOf(at_, at_ + 2));
          at_ = text_.size();
        } else {
          if (text_.substr(at_, end - at_).find('\n') != std::string_view::npos) starts_line_ = true;
          at_ = end + 2;
        }
      } else {
        return true;
      }
    }
    return false;
  }

  void Push(TokenKind kind, size_t begin, size_t end) {
    if (end - begin > kLongest) {
      end = begin + kLongest;
      diagnostics_.Report(messages::kTooLarge, SpanOf(begin, begin), {"a word", "8 MiB"});
    }
    Token token{};
    token.offset = static_cast<uint32_t>(begin);
    token.length = static_cast<uint32_t>(end - begin) & kLongest;
    token.starts_line = starts_line_;
    token.kind_bits = static_cast<uint32_t>(kind) & 0xFFu;
    tokens_.push_back(token);
    starts_line_ = false;
    at_ = end;
  }

  void Next() {
    const size_t begin = at_;
    const uint8_t first = Class(begin);
    if (first == kLetter || (first == kOther && NameBytes(begin) > 0)) {
      const size_t end = NameEnd(begin);
      Push(ReservedWord(text_.substr(begin, end - begin)), begin, end);
    } else if (first == kDigit || (At(begin) == '.' && Class(begin + 1) == kDigit)) {
      Number();
    } else if (At(begin) == '"') {
      String();
    } else if (At(begin) == '$' && Class(begin + 1) == kLetter) {
      Push(TokenKind::kGeneric, begin, NameEnd(begin + 2));
    } else {
      Punctuation();
    }
  }

  void Number() {
    const size_t begin = at_;
    size_t end = begin;
    while (Class(end) == kDigit) ++end;
    if (At(end) == '.' && Class(end + 1) == kDigit) {
      ++end;
      while (Class(end) == kDigit) ++end;
    } else if (At(end) == '.' && Class(end + 1) != kLetter && At(end + 1) != '.') {
      ++end;  // "2." is a number too
    }
    if (At(end) == 'e' || At(end) == 'E') {
      size_t exponent = end + 1;
      if (At(exponent) == '+' || At(exponent) == '-') ++exponent;
      if (Class(exponent) == kDigit) {
        while (Class(exponent) == kDigit) ++exponent;
        end = exponent;
      }
    }
    if (At(end) == '.' && Class(end + 1) == kDigit) {
      while (Class(end) == kDigit || (At(end) == '.' && Class(end + 1) == kDigit)) ++end;
      diagnostics_.Report(messages::kBadNumber, SpanOf(begin, end),
                          {text_.substr(begin, std::min<size_t>(end - begin, 32))});
    }
    Push(TokenKind::kNumber, begin, end);
  }

  // No more of this file: it is none of ours, and one message says so.
  void RefuseText(size_t begin, std::string_view why) {
    diagnostics_.Report(messages::kNotText, SpanOf(begin, begin), {why});
    is_text_ = false;
    at_ = text_.size();
  }

  void String() {
    const size_t begin = at_;
    size_t end = begin + 1;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') {
      const size_t bytes = CharacterBytes(text_, end);
      if (bytes == 0) return RefuseText(end, kNoCharacter);
      end += text_[end] == '\\' && At(end + 1) != '\n' ? 2u : bytes;
    }
    if (end >= text_.size() || text_[end] != '"') {
      end = std::min(end, text_.size());
      while (At(end - 1) == '\r') --end;
      diagnostics_.Report(messages::kUnterminatedString, SpanOf(begin, end));
      Push(TokenKind::kString, begin, end);
      return;
    }
    Push(TokenKind::kString, begin, end + 1);
  }

  void Punctuation() {
    const size_t begin = at_;
    const auto pair = [&](char second, TokenKind with, TokenKind without) {
      return At(begin + 1) == second ? Push(with, begin, begin + 2) : Push(without, begin, begin + 1);
    };
    switch (At(begin)) {
      case '{':
        return Push(TokenKind::kLeftBrace, begin, begin + 1);
      case '}':
        return Push(TokenKind::kRightBrace, begin, begin + 1);
      case '(':
        return Push(TokenKind::kLeftParen, begin, begin + 1);
      case ')':
        return Push(TokenKind::kRightParen, begin, begin + 1);
      case '[':
        return Push(TokenKind::kLeftBracket, begin, begin + 1);
      case ']':
        return Push(TokenKind::kRightBracket, begin, begin + 1);
      case ',':
        return Push(TokenKind::kComma, begin, begin + 1);
      case ';':
        return Push(TokenKind::kSemicolon, begin, begin + 1);
      case ':':
        return Push(TokenKind::kColon, begin, begin + 1);
      case '.':
        return Push(TokenKind::kDot, begin, begin + 1);
      case '+':
        return Push(TokenKind::kPlus, begin, begin + 1);
      case '*':
        return Push(TokenKind::kStar, begin, begin + 1);
      case '/':
        return Push(TokenKind::kSlash, begin, begin + 1);
      case '^':
        return Push(TokenKind::kCaret, begin, begin + 1);
      case '@':
        return Push(TokenKind::kAt, begin, begin + 1);
      case '=':
        return pair('=', TokenKind::kEqualEqual, TokenKind::kEqual);
      case '<':
        return pair('=', TokenKind::kLessEqual, TokenKind::kLess);
      case '>':
        return pair('=', TokenKind::kGreaterEqual, TokenKind::kGreater);
      case '-':
        if (At(begin + 1) == '>') return Push(TokenKind::kArrow, begin, begin + 2);
        return pair('-', TokenKind::kJoin, TokenKind::kMinus);
      case '!':
        if (At(begin + 1) == '=') return Push(TokenKind::kNotEqual, begin, begin + 2);
        break;
      default:
        break;
    }
    const auto first = static_cast<unsigned char>(text_[begin]);
    if (first < 0x20 || first == 0x7f) return RefuseText(begin, "there is a control character here");
    if (CharacterBytes(text_, begin) == 0) return RefuseText(begin, kNoCharacter);
    // One error for a run of strange characters.
    size_t end = begin + 1;
    while (end < text_.size() && static_cast<unsigned char>(text_[end]) >= 0x80) ++end;
    const std::string shown = "`" + std::string(text_.substr(begin, std::min<size_t>(end - begin, 32))) + "`";
    auto& report = diagnostics_.Report(messages::kUnknownCharacter, SpanOf(begin, end), {shown});
    // What word processors and data sheets make of plain characters.
    static constexpr std::pair<std::string_view, std::string_view> kPlain[] = {
        {"\xE2\x80\x93", "--"}, {"\xE2\x80\x94", "--"}, {"\xE2\x88\x92", "-"},
        {"\xC2\xB7", "*"},      {"\xE2\x8B\x85", "*"},  {"\xC3\x97", "*"},
        {"\xE2\x86\x92", "->"}, {"\xE2\x80\x9C", "\""}, {"\xE2\x80\x9D", "\""},
        {"\xC2\xB2", "^2"},     {"\xC2\xB3", "^3"},     {"\xE2\x89\xA4", "<="},
        {"\xE2\x89\xA5", ">="}, {"\xE2\x89\xA0", "!="}, {"#", "//"},
    };
    for (const auto& [strange, plain] : kPlain) {
      if (text_.substr(begin, end - begin) != strange) continue;
      report.helps.assign(1, "write `" + std::string(plain) + "`");
    }
    Push(TokenKind::kError, begin, end);
  }

  static constexpr std::string_view kNoCharacter =
      "there is no character of UTF-8 here; is it in an older encoding such as Latin-1?";

  std::string_view text_;
  FileId file_;
  Diagnostics& diagnostics_;
  LargeVector<Token> tokens_;
  size_t at_;
  bool starts_line_ = true;
  bool is_text_ = true;
};

}  // namespace

LargeVector<Token> Lex(std::string_view text, FileId file, Diagnostics& diagnostics, uint32_t begin) {
  if (text.size() >= (size_t{1} << 31)) {
    diagnostics.Report(messages::kTooLarge, Span{file, 0, 0}, {"the file", "2 GiB"});
    text = {};
    begin = 0;
  }
  if (begin == 0) {
    begin = static_cast<uint32_t>(ByteOrderMark(text));
    if (const std::string foreign = ForeignEncoding(text); !foreign.empty()) {
      diagnostics.Report(messages::kNotText, Span{file, 0, 0}, {foreign});
      begin = static_cast<uint32_t>(text.size());
    }
  }
  return Lexer(text, file, diagnostics, begin).Run();
}

double NumberValue(std::string_view text) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec == std::errc::result_out_of_range) {
    // from_chars leaves the value alone: a tiny number is 0, a huge one infinite.
    const size_t e = text.find_first_of("eE");
    const bool tiny = e != std::string_view::npos && e + 1 < text.size() && text[e + 1] == '-';
    return tiny ? 0.0 : 1e308 * 10;
  }
  return value;
}

std::string StringValue(std::string_view text) {
  std::string out;
  if (text.size() >= 2 && text.back() == '"') text = text.substr(1, text.size() - 2);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      ++i;
      out += text[i] == 'n' ? '\n' : text[i] == 't' ? '\t' : text[i];
    } else {
      out += text[i];
    }
  }
  return VisibleText(out, LineEnds::kKept);
}

}  // namespace cotree
