// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "expr/substitute.h"
#include "state_space/state_space.h"

namespace cotree {
namespace {

std::string Plain(std::string text) {
  std::string out;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
      out += c;
    } else if (!out.empty() && out.back() != '_') {
      out += '_';
    }
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  return out;
}

/* What a path may be called, shortest first: "motor_alpha.armature.i" is i, i_alpha, i_motor_alpha,
i_motor_alpha_armature. */
std::vector<std::string> Candidates(const ReadableSymbol& s) {
  std::string path = s.path;
  uint32_t order = 0;
  while (path.starts_with("der(") && path.ends_with(")")) {
    path = path.substr(4, path.size() - 5);
    ++order;
  }
  const std::string rate = order == 0 ? "" : "d" + (order > 1 ? std::to_string(order) : "");
  const size_t dot = path.rfind('.');
  const std::string leaf = rate + Plain(dot == std::string::npos ? path : path.substr(dot + 1));
  std::vector<std::string> owners;
  std::string rest = dot == std::string::npos ? "" : path.substr(0, dot);
  for (size_t at = 0; at < rest.size();) {
    const size_t end = std::min(rest.find('.', at), rest.size());
    owners.push_back(Plain(rest.substr(at, end - at)));
    at = end + 1;
  }
  std::vector<std::string> out{leaf};
  // The parts of the owner's name that follow an underline, then its whole name, then those around it.
  for (size_t k = owners.size(); k-- > 0;) {
    const size_t line = owners[k].rfind('_');
    if (line != std::string::npos) out.push_back(leaf + "_" + owners[k].substr(line + 1));
    out.push_back(leaf + "_" + owners[k]);
  }
  // The edge inside a component says less than the component: motor.armature.i is i_motor first.
  if (owners.size() >= 2)
    std::stable_sort(out.begin() + 1, out.end(), [&](const auto& a, const auto& b) {
      const auto of_first = [&](const std::string& x) { return x.ends_with(owners[0]); };
      return of_first(a) && !of_first(b);
    });
  if (owners.size() >= 2) {
    out.push_back(leaf + "_" + owners[0] + "_" + owners.back());
    std::string all = leaf;
    for (const std::string& owner : owners) all += "_" + owner;
    out.push_back(all);
  }
  return out;
}

const std::set<std::string>& Reserved() {
  static const std::set<std::string> names{"t",    "time",  "sin",  "cos",   "tan", "asin",  "acos",  "atan",
                                           "sinh", "cosh",  "tanh", "exp",   "log", "log10", "sqrt",  "abs",
                                           "sign", "floor", "ceil", "atan2", "min", "max",   "mod",   "if",
                                           "then", "else",  "and",  "or",    "not", "true",  "false", "der",
                                           "pre",  "sum",   "for",  "in",    "pi"};
  return names;
}

}  // namespace

std::string FreeLetter(const StateSpace& space, const std::string& letter) {
  const auto taken = [&](const std::string& name) {
    return std::any_of(space.symbols.begin(), space.symbols.end(),
                       [&](const ReadableSymbol& s) { return s.name == name; });
  };
  std::string out = letter;
  for (int k = 0; taken(out); ++k) out = letter + "_q" + (k == 0 ? "" : std::to_string(k + 1));
  return out;
}

void ChooseNames(StateSpace& space) {
  const size_t n = space.symbols.size();
  std::vector<std::vector<std::string>> candidates(n);
  std::vector<size_t> at(n, 0);
  for (size_t k = 0; k < n; ++k) candidates[k] = Candidates(space.symbols[k]);
  // All that have the same name and a longer one take that, until no two have the same; what has no longer
  // one keeps it.
  for (bool changed = true; changed;) {
    changed = false;
    std::map<std::string, std::vector<size_t>> owners;
    for (size_t k = 0; k < n; ++k) owners[candidates[k][at[k]]].push_back(k);
    for (const auto& [text, who] : owners) {
      if (who.size() == 1 && !Reserved().contains(text)) continue;
      for (const size_t k : who) {
        if (at[k] + 1 < candidates[k].size()) {
          ++at[k];
          changed = true;
        }
      }
    }
  }
  // Two paths that differ in signs only, or a name that is taken: numbers behind.
  std::set<std::string> taken = Reserved();
  for (size_t k = 0; k < n; ++k) {
    const std::string own = candidates[k][at[k]];
    std::string text = own;
    for (int number = 2; taken.contains(text); ++number) text = own + "_" + std::to_string(number);
    taken.insert(text);
    space.symbols[k].name = text;
  }
}

std::vector<ExprId> Renamed(ExprPool& pool, const StateSpace& space, std::span<const ExprId> exprs) {
  std::vector<Replacement> names;
  for (const ReadableSymbol& s : space.symbols) {
    const SymbolId symbol = pool.SymbolOf(s.symbol);
    names.emplace_back(symbol, pool.Symbol(pool.DeclareSymbol(s.name, pool.kind(symbol))));
  }
  for (const auto& [rate, state] : space.rates) {
    const ReadableSymbol* s = space.Find(state);
    const SymbolId symbol = pool.DeclareSymbol(s->name, pool.kind(pool.SymbolOf(state)));
    names.emplace(names.begin(), pool.SymbolOf(rate), pool.Symbol(pool.SymbolOfOrder(symbol, 1)));
  }
  return Substitute(pool, exprs, names);
}

ExprId Renamed(ExprPool& pool, const StateSpace& space, ExprId expr) {
  return Renamed(pool, space, std::span(&expr, 1))[0];
}

}  // namespace cotree
