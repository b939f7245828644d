// SPDX-License-Identifier: Apache-2.0
#include "results/select_columns.h"

#include <algorithm>
#include <map>

#include "base/diagnostics.h"

namespace cotree {

bool MatchesPattern(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = std::string_view::npos, retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<size_t> ColumnsLike(const ResultHeader& header, std::string_view pattern) {
  std::vector<size_t> found;
  for (size_t k = 0; k < header.columns.size(); ++k) {
    if (MatchesPattern(pattern, header.columns[k].name)) found.push_back(k);
  }
  return found;
}

std::vector<std::string> SplitNames(std::string_view text) {
  std::vector<std::string> names;
  size_t begin = 0;
  int depth = 0;
  for (size_t k = 0; k <= text.size(); ++k) {
    const char c = k < text.size() ? text[k] : ',';
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (k < text.size() && (c != ',' || depth > 0)) continue;
    std::string_view name = text.substr(begin, k - begin);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (!name.empty()) names.emplace_back(name);
    begin = k + 1;
  }
  return names;
}

std::vector<std::string> SimilarNames(const ResultHeader& header, const std::string& word, size_t most) {
  std::vector<std::string_view> candidates;
  for (const ResultColumn& column : header.columns) candidates.push_back(column.name);
  std::vector<std::string> similar;
  const auto add = [&](std::string_view name) {
    if (!name.empty() && similar.size() < most &&
        std::find(similar.begin(), similar.end(), name) == similar.end())
      similar.emplace_back(name);
  };
  add(Nearest(word, candidates));
  const std::string last = "." + word.substr(word.rfind('.') + 1);
  for (const std::string_view name : candidates) {
    if (name.find(word) != std::string_view::npos) add(name);
  }
  for (const std::string_view name : candidates) {
    if (name.ends_with(last)) add(name);
  }
  return similar;
}

Result SelectColumns(const Result& result, const std::vector<size_t>& columns) {
  Result out;
  out.header = result.header;
  out.header.columns.clear();
  out.times = result.times;
  out.events = result.events;
  out.status = result.status;
  out.damage = result.damage;
  struct Stored {
    std::string name;
    double sign;
  };
  std::map<std::string, Stored> stored;  // by the name of the source: who has its values now
  for (const size_t k : columns) {
    const ResultColumn& column = result.header.columns[k];
    if (column.stored()) stored.emplace(column.name, Stored{column.name, 1});
  }
  for (const size_t k : columns) {
    ResultColumn column = result.header.columns[k];
    const auto source = stored.find(column.alias_of);
    std::vector<double> values;
    if (!column.stored() && source != stored.end()) {
      column.alias_of = source->second.name;
      column.alias_sign *= source->second.sign;
    } else {
      if (!column.stored()) stored.emplace(column.alias_of, Stored{column.name, column.alias_sign});
      values = result.Values(k);
      column.alias_of.clear();
      column.alias_sign = 1;
    }
    out.header.columns.push_back(std::move(column));
    out.columns.push_back(std::move(values));
  }
  const auto kept = out.header.ByName();
  const auto sources = result.header.ByName();
  std::map<uint32_t, std::pair<uint32_t, double>> moved;  // where the values of a stored column are now
  for (const auto& [source, now] : stored)
    moved[static_cast<uint32_t>(sources.at(source))] = {static_cast<uint32_t>(kept.at(now.name)), now.sign};
  for (const ResultExtreme& e : result.extremes) {
    const auto at = moved.find(e.column);
    if (at == moved.end()) continue;
    const auto& [column, sign] = at->second;
    out.extremes.push_back({column, e.time, sign < 0 ? 0.0 - e.value : e.value});
  }
  std::erase_if(out.header.plots, [&](const std::string& name) { return !kept.contains(name); });
  return out;
}

}  // namespace cotree
