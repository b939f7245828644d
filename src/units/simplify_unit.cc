// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <vector>

#include "units/format_dimension.h"

namespace cotree {
namespace {

struct Factor {
  std::string_view symbol;
  Rational exponent;
};

/** Takes a text apart into symbols with exponents, in order of appearance. */
class Product {
 public:
  explicit Product(std::string_view text) : text_(text) {}

  bool Read() { return ReadProduct(1, 0) && at_ == text_.size(); }

  std::string Text() const {
    std::string over, under;
    size_t below = 0;
    for (const Factor& factor : factors_) {
      if (factor.exponent.IsZero()) continue;
      const bool above = factor.exponent.num > 0;
      std::string& side = above ? over : under;
      side += (side.empty() ? "" : "*") + std::string(factor.symbol);
      const Rational size = above ? factor.exponent : -factor.exponent;
      if (!size.IsInteger())
        side += "^(" + std::to_string(size.num) + "/" + std::to_string(size.den) + ")";
      else if (size.num != 1)
        side += "^" + std::to_string(size.num);
      below += above ? 0 : 1;
    }
    if (over.empty()) over = "1";
    return below == 0 ? over : over + "/" + (below == 1 ? under : "(" + under + ")");
  }

 private:
  bool ReadProduct(int16_t sign, int depth) {
    if (depth > 8 || !ReadFactor(sign, depth)) return false;
    while (at_ < text_.size() && (text_[at_] == '*' || text_[at_] == '/')) {
      const bool divide = text_[at_++] == '/';
      if (!ReadFactor(static_cast<int16_t>(divide ? -sign : sign), depth)) return false;
    }
    return true;
  }

  bool ReadFactor(int16_t sign, int depth) {
    if (at_ == text_.size()) return false;
    const size_t first = factors_.size();
    if (text_[at_] == '(') {
      ++at_;
      if (!ReadProduct(sign, depth + 1) || at_ == text_.size() || text_[at_++] != ')') return false;
      return at_ == text_.size() || text_[at_] != '^';
    }
    const size_t begin = at_;
    while (at_ < text_.size() && IsName(text_[at_])) ++at_;
    const std::string_view symbol = text_.substr(begin, at_ - begin);
    if (symbol.empty()) return false;
    if (symbol == "1") return true;
    if (symbol[0] >= '0' && symbol[0] <= '9') return false;
    Rational exponent(sign);
    if (at_ < text_.size() && text_[at_] == '^') {
      ++at_;
      int value = 0;
      const size_t digits = at_;
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && value < 1000)
        value = 10 * value + (text_[at_++] - '0');
      if (digits == at_) return false;
      exponent = Rational(static_cast<int16_t>(sign * value));
    }
    for (size_t k = 0; k < first; ++k) {
      if (factors_[k].symbol != symbol) continue;
      const auto sum = Add(factors_[k].exponent, exponent);
      if (!sum) return false;
      factors_[k].exponent = *sum;
      return true;
    }
    factors_.push_back({symbol, exponent});
    return true;
  }

  static bool IsName(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || static_cast<unsigned char>(c) >= 0x80;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<Factor> factors_;
};

}  // namespace

std::string SimplifyUnit(std::string_view text) {
  Product product(text);
  return product.Read() ? product.Text() : std::string(text);
}

}  // namespace cotree
