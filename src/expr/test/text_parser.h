// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>
#include <vector>

#include "expr/differentiate.h"
#include "expr/expr_pool.h"

namespace cotree::test {

/** Reads back what PrintText wrote, by the grammar that print_text.h states; a small recursive descent, for
 * tests only. */
class TextParser {
 public:
  TextParser(ExprPool& pool, std::string_view text) : p_(pool), text_(text) {}

  ExprId Parse() {
    const ExprId result = Expression();
    ok = ok && at_ == text_.size();
    return result;
  }
  bool ok = true;

 private:
  void Skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool Take(std::string_view token) {
    Skip();
    if (!text_.substr(at_).starts_with(token)) return false;
    const bool word = std::isalpha(static_cast<unsigned char>(token[0])) != 0;
    if (word && at_ + token.size() < text_.size() && IsName(text_[at_ + token.size()])) return false;
    at_ += token.size();
    return true;
  }
  void Need(std::string_view token) { ok = Take(token) && ok; }
  static bool IsName(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  }

  ExprId Expression() {
    if (!Take("if")) return Or();
    const ExprId condition = Or();
    Need("then");
    const ExprId a = Expression();
    Need("else");
    return p_.If(condition, a, Expression());
  }
  ExprId Or() {
    std::vector<ExprId> all = {And()};
    while (Take("or")) all.push_back(And());
    return all.size() == 1 ? all[0] : p_.Connective(Op::kOr, all);
  }
  ExprId And() {
    std::vector<ExprId> all = {Not()};
    while (Take("and")) all.push_back(Not());
    return all.size() == 1 ? all[0] : p_.Connective(Op::kAnd, all);
  }
  ExprId Not() { return Take("not") ? p_.Not(Relation()) : Relation(); }
  ExprId Relation() {
    const ExprId a = Sum();
    if (Take("<=")) return p_.LessEqual(a, Sum());
    if (Take("<")) return p_.Less(a, Sum());
    if (Take("==")) return p_.Equal(a, Sum());
    if (Take("!=")) return p_.NotEqual(a, Sum());
    return a;
  }
  ExprId Sum() {
    std::vector<ExprId> terms;
    terms.push_back(Take("-") ? p_.Negate(Term()) : Term());
    while (true) {
      if (Take("+")) {
        terms.push_back(Term());
      } else if (Take("-")) {
        terms.push_back(p_.Negate(Term()));
      } else {
        return terms.size() == 1 ? terms[0] : p_.Sum(terms);
      }
    }
  }
  ExprId Term() {
    std::vector<ExprId> factors = {Power()};
    while (true) {
      if (Take("*")) {
        factors.push_back(Power());
      } else if (Take("/")) {
        const ExprId product = factors.size() == 1 ? factors[0] : p_.Product(factors);
        factors = {p_.Divide(product, Power())};
      } else {
        return factors.size() == 1 ? factors[0] : p_.Product(factors);
      }
    }
  }
  ExprId Power() {
    const ExprId base = Primary();
    return Take("^") ? p_.Power(base, Primary()) : base;
  }
  std::vector<ExprId> List(std::string_view close) {
    std::vector<ExprId> all;
    if (Take(close)) return all;
    do all.push_back(Expression());
    while (Take(","));
    Need(close);
    return all;
  }
  ExprId Primary() {
    ExprId result = Simple();
    while (Take("[")) {
      const auto indices = List("]");
      result = p_.Element(result, indices);
    }
    return result;
  }
  ExprId Simple() {
    if (Take("(")) {
      const ExprId inside = Expression();
      Need(")");
      return inside;
    }
    if (Take("{")) return p_.Array(List("}"));
    Skip();
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
      double value = 0;
      const auto end = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      at_ = static_cast<size_t>(end.ptr - text_.data());
      return p_.Number(value);
    }
    size_t end = at_;
    while (end < text_.size() && IsName(text_[end])) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    ok = ok && !name.empty();
    if (name.empty()) return p_.Zero();
    at_ = end;
    if (name == "true" || name == "false") return p_.Boolean(name == "true");
    if (name == "time") return p_.Time();
    if (!Take("(")) return p_.Symbol(name);
    if (name == "sum") return LoopSum();
    auto arguments = List(")");
    const size_t given = arguments.size();
    arguments.resize(std::max(given, size_t{2}), p_.Zero());  // so that a wrong text is wrong, not a crash
    if (name == "der") return TimeDerivative(p_, arguments[0]);
    if (name == "partial") return Partial(arguments);
    for (int op = 0; op < kOpCount; ++op) {
      const Op kind = static_cast<Op>(op);
      if (OpName(kind) != name) continue;
      if (IsUnaryFunction(kind) || IsBinaryFunction(kind))
        ok = ok && given == (IsUnaryFunction(kind) ? 1u : 2u);
      if (IsUnaryFunction(kind)) return p_.Unary(kind, arguments[0]);
      if (IsBinaryFunction(kind)) return p_.Binary(kind, arguments[0], arguments[1]);
    }
    return p_.Call(name, std::span(arguments).first(given));
  }
  ExprId Partial(const std::vector<ExprId>& arguments) {
    std::vector<uint32_t> orders;
    for (size_t k = 1; k < arguments.size(); ++k)
      orders.push_back(static_cast<uint32_t>(*p_.AsInteger(arguments[k])));
    return p_.Call(p_.FunctionName(p_.FunctionOf(arguments.at(0))), p_.operands(arguments[0]), orders);
  }
  ExprId LoopSum() {
    const ExprId body = Expression();
    Need("for");
    Skip();
    const ExprId loop = Simple();
    Need("in");
    const ExprId from = Sum();
    Need(":");
    const ExprId to = Sum();
    Need(")");
    return p_.SumOver(p_.SymbolOf(loop), from, to, body);
  }
  ExprPool& p_;
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace cotree::test
