// SPDX-License-Identifier: Apache-2.0
#include "system_graph/words.h"

#include <algorithm>
#include <cctype>

namespace cotree {

std::string ListNames(const std::vector<std::string>& names, size_t most) {
  std::string text;
  const size_t shown = names.size() <= most + 1 ? names.size() : most;
  for (size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += "`" + names[i] + "`";
  }
  if (shown < names.size()) text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

namespace {

std::string WordOf(const Model& model, const Type& type, NameId name) {
  if (type.quantity.IsNone()) return model.Text(name);
  const std::string quantity = model.Text(model.quantities[type.quantity.index()].name);
  std::string text;
  for (const char c : quantity) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isupper(u) != 0 && !text.empty()) text += ' ';
    text += static_cast<char>(std::tolower(u));
  }
  return text == "length" ? "position" : text;
}

}  // namespace

std::string AcrossWord(const Model& model, DomainId domain) {
  const Domain& d = model.domains[domain.index()];
  return WordOf(model, d.across_type, d.across);
}

std::string ThroughWord(const Model& model, DomainId domain) {
  const Domain& d = model.domains[domain.index()];
  return WordOf(model, d.through_type, d.through);
}

}  // namespace cotree
