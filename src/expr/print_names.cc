// SPDX-License-Identifier: Apache-2.0
#include "expr/print_names.h"

#include <utility>

namespace cotree {

TypesetName SplitForTypesetting(std::string_view name) {
  TypesetName result;
  // The last dot outside of brackets.
  size_t split = std::string_view::npos;
  int depth = 0;
  for (size_t k = 0; k < name.size(); ++k) {
    if (name[k] == '[') ++depth;
    if (name[k] == ']') --depth;
    if (name[k] == '.' && depth == 0) split = k;
  }
  if (split != std::string_view::npos) {
    result.path = name.substr(0, split);
    name = name.substr(split + 1);
  }
  std::string_view index;
  if (const size_t bracket = name.find('[');
      bracket != std::string_view::npos && bracket > 0 && name.ends_with(']')) {
    index = name.substr(bracket + 1, name.size() - bracket - 2);
    name = name.substr(0, bracket);
  }
  if (const size_t underscore = name.find('_');
      underscore != std::string_view::npos && underscore > 0 && underscore + 1 < name.size()) {
    result.subscripts.push_back(name.substr(underscore + 1));
    name = name.substr(0, underscore);
  }
  size_t digits = name.size();
  while (digits > 1 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  if (digits < name.size()) result.subscripts.insert(result.subscripts.begin(), name.substr(digits));
  result.letter = name.substr(0, digits);
  if (!index.empty()) result.subscripts.push_back(index);
  return result;
}

std::vector<std::string_view> SplitSideBySide(std::string_view name) {
  std::vector<std::string_view> out;
  if (!name.starts_with('[') || !name.ends_with(']')) return out;
  name = name.substr(1, name.size() - 2);
  while (!name.empty()) {
    const size_t end = name.find(' ');
    out.push_back(name.substr(0, end));
    name = end == std::string_view::npos ? std::string_view() : name.substr(end + 1);
  }
  return out;
}

std::string_view GreekLetter(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kLetters[] = {
      {"alpha", "α"},   {"beta", "β"},  {"gamma", "γ"},  {"delta", "δ"}, {"epsilon", "ε"}, {"zeta", "ζ"},
      {"eta", "η"},     {"theta", "θ"}, {"iota", "ι"},   {"kappa", "κ"}, {"lambda", "λ"},  {"mu", "μ"},
      {"nu", "ν"},      {"xi", "ξ"},    {"pi", "π"},     {"rho", "ρ"},   {"sigma", "σ"},   {"tau", "τ"},
      {"upsilon", "υ"}, {"phi", "φ"},   {"chi", "χ"},    {"psi", "ψ"},   {"omega", "ω"},   {"Gamma", "Γ"},
      {"Delta", "Δ"},   {"Theta", "Θ"}, {"Lambda", "Λ"}, {"Xi", "Ξ"},    {"Pi", "Π"},      {"Sigma", "Σ"},
      {"Upsilon", "Υ"}, {"Phi", "Φ"},   {"Psi", "Ψ"},    {"Omega", "Ω"},
  };
  for (const auto& [english, letter] : kLetters) {
    if (english == name) return letter;
  }
  return {};
}

}  // namespace cotree
