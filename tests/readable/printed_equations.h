// SPDX-License-Identifier: Apache-2.0
// The text of `cotree equations --form state-space`, read back as a reader would: nothing of what made it is
// used, only the text and the grammar of formulas.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "expr/evaluate.h"
#include "expr/print_names.h"
#include "expr/test/text_parser.h"
#include "expr/walk.h"

namespace cotree::test {

/** A value, and the size of what was added up to it: how much rounding is no wonder. */
struct Sized {
  double value = 0, size = 0;
};

/** "φ_load' = ..." in ASCII, as TextParser reads it. */
inline std::string InAscii(const std::string& text) {
  static const std::vector<std::pair<std::string, std::string>> kSigns = [] {
    std::vector<std::pair<std::string, std::string>> out{{"·", "*"},  {"²", "^2"}, {"³", "^3"},
                                                         {"⁴", "^4"}, {"⁵", "^5"}, {"⁶", "^6"},
                                                         {"⁷", "^7"}, {"⁸", "^8"}, {"⁹", "^9"}};
    for (const char* name :
         {"alpha",   "beta",   "gamma", "delta",   "epsilon", "zeta",  "eta",   "theta", "iota",
          "kappa",   "lambda", "mu",    "nu",      "xi",      "pi",    "rho",   "sigma", "tau",
          "upsilon", "phi",    "chi",   "psi",     "omega",   "Gamma", "Delta", "Theta", "Lambda",
          "Xi",      "Pi",     "Sigma", "Upsilon", "Phi",     "Psi",   "Omega"})
      out.emplace_back(std::string(GreekLetter(name)), name);
    return out;
  }();
  std::string out;
  for (size_t k = 0; k < text.size();) {
    bool found = false;
    for (const auto& [sign, ascii] : kSigns) {
      if (text.compare(k, sign.size(), sign) != 0) continue;
      out += ascii;
      k += sign.size();
      found = true;
      break;
    }
    if (!found) out += text[k++];
  }
  // x' is der(x); t alone is the time.
  std::string named;
  for (size_t k = 0; k < out.size();) {
    if (std::isalpha(static_cast<unsigned char>(out[k])) == 0 && out[k] != '_') {
      named += out[k++];
      continue;
    }
    size_t end = k;
    while (end < out.size() && (std::isalnum(static_cast<unsigned char>(out[end])) != 0 || out[end] == '_'))
      ++end;
    std::string name = out.substr(k, end - k);
    if (name == "t") name = "time";
    while (end < out.size() && out[end] == '\'') {
      name = "der(" + name + ")";
      ++end;
    }
    named += name;
    k = end;
  }
  return named;
}

/** The lines of the text as equations. */
class PrintedEquations {
 public:
  struct Group {
    std::vector<std::string> unknowns;  // if linear
    bool symmetric = false;
    std::map<std::pair<size_t, size_t>, ExprId> matrix;
    std::vector<ExprId> right;
    std::vector<ExprId> residuals;  // otherwise
    // Of equations of motion with loops: J q'' = gamma, and J' lambda on the right of the others.
    std::map<std::pair<size_t, size_t>, ExprId> conditions;
    std::map<size_t, ExprId> gamma, lambda;
  };

  explicit PrintedEquations(const std::string& text) {
    parameters["pi"] = std::acos(-1.0);
    enum { kEquations, kNames, kParameters } part = kEquations;
    size_t begin = 0;
    std::vector<std::string> lines;
    while (begin < text.size()) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      std::string line = text.substr(begin, end - begin);
      begin = end + 1;
      // A line that goes on: + or - behind a deep indent.
      const size_t first = line.find_first_not_of(' ');
      const bool goes_on = first != std::string::npos && first >= 6 && !lines.empty() && part == kEquations &&
                           (line[first] == '+' || line[first] == '-') &&
                           lines.back().find(" = ") != std::string::npos;
      if (line == "Names") part = kNames;
      if (line == "Parameters") part = kParameters;
      if (goes_on)
        lines.back() += " " + line.substr(first);
      else
        lines.push_back(line);
    }
    part = kEquations;
    for (const std::string& line : lines) {
      if (line == "Names") part = kNames;
      if (line == "Parameters") part = kParameters;
      if (part == kEquations) ReadEquation(line);
      if (part == kParameters) ReadParameter(line);
    }
  }

  ExprPool pool;
  std::map<std::string, ExprId> right;  // by left side: "x", "der(x)"
  std::map<std::string, double> parameters;
  std::vector<Group> groups;
  std::vector<std::string> problems;

  ExprId Parse(const std::string& text) {
    TextParser parser(pool, text);
    const ExprId out = parser.Parse();
    if (!parser.ok) problems.push_back("cannot be read: " + text);
    return out;
  }

 private:
  void ReadEquation(const std::string& line) {
    const size_t first = line.find_first_not_of(' ');
    if (first == std::string::npos || line.find(":", first) == line.size() - 1) return;
    if (line.find(" by (") != std::string::npos) {
      if (line[first] == 'J') return;  // its columns are those of M
      groups.emplace_back();
      groups.back().symmetric = line.find("symmetric") != std::string::npos;
      std::string list = line.substr(line.find(" by (") + 5);
      list.resize(list.find(')'));
      for (size_t at = 0; at < list.size();) {
        const size_t end = std::min(list.find(", ", at), list.size());
        groups.back().unknowns.push_back(InAscii(list.substr(at, end - at)));
        at = end + 2;
      }
      return;
    }
    const size_t equals = line.find(" = ");
    if (equals == std::string::npos) return;
    std::string left = line.substr(first, equals - first);
    while (left.ends_with(' ')) left.pop_back();
    const ExprId value = Parse(InAscii(line.substr(equals + 3)));
    if (left == "0") {
      if (groups.empty() || !groups.back().unknowns.empty()) groups.emplace_back();
      groups.back().residuals.push_back(value);
      return;
    }
    left = InAscii(left);
    const size_t bracket = left.find('[');
    if (left.ends_with(']') && !groups.empty() && left.starts_with("J")) {
      groups.back()
          .conditions[{std::stoul(left.substr(bracket + 1)), std::stoul(left.substr(left.find(',') + 1))}] =
          value;
      return;
    }
    if (left.ends_with(']') && !groups.empty() && (left.starts_with("gamma") || left.starts_with("lambda"))) {
      (left[0] == 'g' ? groups.back().gamma : groups.back().lambda)[std::stoul(left.substr(bracket + 1))] =
          value;
      return;
    }
    if (left.ends_with(']') && std::string("MHQVG").find(left[0]) != std::string::npos && !groups.empty()) {
      const size_t i = std::stoul(left.substr(bracket + 1));
      if (left[0] == 'Q' || left[0] == 'V' || left[0] == 'G') {
        std::vector<ExprId>& rows = groups.back().right;
        rows.resize(std::max(rows.size(), i), pool.Zero());
        rows[i - 1] = left[0] == 'Q' ? pool.Add(rows[i - 1], value) : pool.Subtract(rows[i - 1], value);
        return;
      }
      const size_t j = std::stoul(left.substr(left.find(',') + 1));
      groups.back().matrix[{i, j}] = value;
      if (groups.back().symmetric) groups.back().matrix[{j, i}] = value;
      return;
    }
    right[left] = value;
  }
  void ReadParameter(const std::string& line) {
    const size_t first = line.find_first_not_of(' ');
    if (first == std::string::npos || first == 0) return;
    const size_t end = line.find(' ', first);
    const std::string name = InAscii(line.substr(first, end - first));
    const size_t number = line.find_first_not_of(' ', end);
    if (number == std::string::npos) return;
    char* rest = nullptr;
    const double value = std::strtod(line.c_str() + number, &rest);
    if (rest != line.c_str() + number) parameters[name] = value;
  }
};

/// The value of an expression with the size of its terms.
inline Sized SizedValue(const ExprPool& pool, ExprId expr, Environment<double>& environment) {
  ExprOrder order;
  FindOrder(pool, std::span(&expr, 1), &order);
  const std::vector<double> values = EvaluateDouble(pool, order.nodes, environment);
  std::vector<double> sizes(values.size());
  for (size_t k = 0; k < order.nodes.size(); ++k) {
    const ExprId id = order.nodes[k];
    const auto operands = pool.operands(id);
    const auto size = [&](size_t i) { return sizes[order.PositionOf(operands[i])]; };
    const auto value = [&](size_t i) { return std::fabs(values[order.PositionOf(operands[i])]); };
    double s = std::fabs(values[k]);
    switch (pool.op(id)) {
      case Op::kAdd:
        s = 0;
        for (size_t i = 0; i < operands.size(); ++i) s += size(i);
        break;
      case Op::kMultiply:
        s = 1;
        for (size_t i = 0; i < operands.size(); ++i) s *= size(i);
        break;
      case Op::kDivide:
        s = size(0) / value(1) * (size(1) / value(1));
        break;
      case Op::kPower:
        if (value(0) > 0) s *= std::pow(size(0) / value(0), std::max(1.0, value(1)));
        break;
      case Op::kIf:
        s += size(1) + size(2);
        break;
      case Op::kExp:
        s *= 1 + size(0);
        break;
      default:
        for (size_t i = 0; i < operands.size(); ++i) s += size(i);
    }
    sizes[k] = std::isfinite(s) ? s : std::fabs(values[k]);
  }
  const size_t at = order.PositionOf(expr);
  return {values[at], sizes[at]};
}

}  // namespace cotree::test
