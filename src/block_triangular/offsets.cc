// SPDX-License-Identifier: Apache-2.0
#include "block_triangular/offsets.h"

#include <algorithm>

namespace cotree {
namespace {

class Search {
 public:
  Search(const EquationSystem& system, LargeVector<uint32_t> seed, std::span<const VariableRef> wanted)
      : system_(system), wanted_(wanted) {
    const uint32_t n = system.equation_count(), m = system.variable_count;
    out_.variable_of_equation = std::move(seed);
    out_.equation_of_variable.assign(m, UINT32_MAX);
    out_.equation.assign(n, 0);
    out_.variable.assign(m, 0);
    seen_equation_.assign(n, 0);
    seen_variable_.assign(m, 0);
  }

  Offsets Run();

 private:
  void Clear();
  bool Settle();
  bool Augment(uint32_t equation, bool tight);
  bool CheckComplete();
  void Dulmage();
  uint32_t begin(uint32_t e) const { return system_.incidence_first[e]; }
  uint32_t end(uint32_t e) const { return system_.incidence_first[e + 1]; }

  const EquationSystem& system_;
  std::span<const VariableRef> wanted_;
  Offsets out_;
  LargeVector<uint32_t> seen_equation_, seen_variable_;
  uint32_t stamp_ = 0;
  std::vector<uint32_t> path_equations_, path_at_, visited_equations_, visited_variables_;
};

// The smallest offsets for which the matched pairs are tight. False: the matching is not one of the largest
// total order, since offsets grow round a circle.
bool Search::Settle() {
  const uint32_t n = system_.equation_count();
  for (uint32_t e = 0; e < n; ++e) {
    for (uint32_t k = begin(e); k < end(e); ++k) {
      uint8_t& d = out_.variable[system_.incidence_variable[k]];
      d = std::max(d, system_.incidence_order[k]);
    }
  }
  for (const VariableRef& ref : wanted_) {
    uint8_t& d = out_.variable[ref.variable];
    d = std::max(d, static_cast<uint8_t>(ref.order));
  }
  std::vector<uint32_t> work;
  LargeVector<uint8_t> sigma(n, 0);
  for (uint32_t e = 0; e < n; ++e) {
    const uint32_t v = out_.variable_of_equation[e];
    if (v == UINT32_MAX) continue;
    bool occurs = false;
    for (uint32_t k = begin(e); k < end(e); ++k) {
      if (system_.incidence_variable[k] == v) {
        sigma[e] = system_.incidence_order[k];
        occurs = true;
      }
    }
    if (!occurs || out_.equation_of_variable[v] != UINT32_MAX) {
      out_.variable_of_equation[e] = UINT32_MAX;
      continue;
    }
    out_.equation_of_variable[v] = e;
    if (out_.variable[v] > sigma[e]) work.push_back(e);
  }
  constexpr uint8_t kMost = 40;
  while (!work.empty()) {
    const uint32_t e = work.back();
    work.pop_back();
    const uint32_t matched = out_.variable_of_equation[e];
    const auto c = static_cast<uint8_t>(out_.variable[matched] - sigma[e]);
    if (c <= out_.equation[e]) continue;
    if (c > kMost) return false;
    out_.equation[e] = c;
    for (uint32_t k = begin(e); k < end(e); ++k) {
      const uint32_t v = system_.incidence_variable[k];
      const auto need = static_cast<uint8_t>(system_.incidence_order[k] + c);
      if (out_.variable[v] >= need) continue;
      out_.variable[v] = need;
      const uint32_t other = out_.equation_of_variable[v];
      if (other != UINT32_MAX && other != e) work.push_back(other);
      if (other == e && v == matched) return false;
    }
  }
  return true;
}

void Search::Clear() {
  std::fill(out_.variable_of_equation.begin(), out_.variable_of_equation.end(), UINT32_MAX);
  std::fill(out_.equation_of_variable.begin(), out_.equation_of_variable.end(), UINT32_MAX);
  std::fill(out_.equation.begin(), out_.equation.end(), uint8_t{0});
  std::fill(out_.variable.begin(), out_.variable.end(), uint8_t{0});
}

// An alternating path from a free equation, over tight entries or over all. Visited ones are kept.
bool Search::Augment(uint32_t root, bool tight) {
  ++stamp_;
  visited_equations_.assign(1, root);
  visited_variables_.clear();
  path_equations_.assign(1, root);
  path_at_.assign(1, begin(root));
  seen_equation_[root] = stamp_;
  const auto usable = [&](uint32_t e, uint32_t k) {
    return !tight ||
           system_.incidence_order[k] + out_.equation[e] == out_.variable[system_.incidence_variable[k]];
  };
  while (!path_equations_.empty()) {
    const uint32_t e = path_equations_.back();
    uint32_t& at = path_at_.back();
    if (at == begin(e)) {
      // A free variable ends the search at once.
      for (uint32_t k = begin(e); k < end(e); ++k) {
        const uint32_t v = system_.incidence_variable[k];
        if (out_.equation_of_variable[v] != UINT32_MAX || !usable(e, k)) continue;
        uint32_t take = v;
        for (size_t p = path_equations_.size(); p-- > 0;) {
          const uint32_t equation = path_equations_[p];
          const uint32_t before = out_.variable_of_equation[equation];
          out_.variable_of_equation[equation] = take;
          out_.equation_of_variable[take] = equation;
          take = before;
        }
        return true;
      }
    }
    bool deeper = false;
    while (at < end(e)) {
      const uint32_t k = at++;
      const uint32_t v = system_.incidence_variable[k];
      if (seen_variable_[v] == stamp_ || !usable(e, k)) continue;
      const uint32_t next = out_.equation_of_variable[v];
      if (next == UINT32_MAX) continue;
      seen_variable_[v] = stamp_;
      visited_variables_.push_back(v);
      if (seen_equation_[next] == stamp_) continue;
      seen_equation_[next] = stamp_;
      visited_equations_.push_back(next);
      path_equations_.push_back(next);
      path_at_.push_back(begin(next));
      deeper = true;
      break;
    }
    if (!deeper) {
      path_equations_.pop_back();
      path_at_.pop_back();
    }
  }
  return false;
}

// Whether the equations can be matched at all, whatever the orders.
bool Search::CheckComplete() {
  const auto kept_variables = out_.variable_of_equation;
  const auto kept_equations = out_.equation_of_variable;
  bool complete = true;
  for (uint32_t e = 0; e < system_.equation_count(); ++e) {
    if (out_.variable_of_equation[e] == UINT32_MAX && !Augment(e, false)) complete = false;
  }
  uint32_t known = 0;
  for (uint32_t v = 0; v < system_.variable_count; ++v) {
    const bool input = !system_.is_input.empty() && system_.is_input[v];
    if (input) ++known;
  }
  uint32_t matched = 0;
  for (const uint32_t e : out_.equation_of_variable) matched += e != UINT32_MAX ? 1 : 0;
  // Discrete variables are no unknowns here.
  uint32_t discrete = 0;
  for (const Part& part : system_.parts)
    discrete += system_.scalars[part.scalar].owned - system_.scalars[part.scalar].continuous;
  if (matched + known + discrete < system_.variable_count) complete = false;
  if (!complete) {
    Dulmage();
    return false;
  }
  out_.variable_of_equation = kept_variables;
  out_.equation_of_variable = kept_equations;
  return true;
}

void Search::Dulmage() {
  out_.singular = true;
  const uint32_t n = system_.equation_count(), m = system_.variable_count;
  std::vector<uint8_t> equation(n, 0), variable(m, 0);
  std::vector<uint32_t> work;
  for (uint32_t e = 0; e < n; ++e) {
    if (out_.variable_of_equation[e] == UINT32_MAX) {
      equation[e] = 1;
      work.push_back(e);
    }
  }
  while (!work.empty()) {
    const uint32_t e = work.back();
    work.pop_back();
    out_.over_equations.push_back(e);
    for (uint32_t k = begin(e); k < end(e); ++k) {
      const uint32_t v = system_.incidence_variable[k];
      if (variable[v] != 0) continue;
      variable[v] = 1;
      out_.over_variables.push_back(v);
      const uint32_t next = out_.equation_of_variable[v];
      if (next != UINT32_MAX && equation[next] == 0) {
        equation[next] = 1;
        work.push_back(next);
      }
    }
  }
  std::vector<uint32_t> first(m + 1, 0), equations;
  for (const uint32_t v : system_.incidence_variable) ++first[v + 1];
  for (uint32_t v = 0; v < m; ++v) first[v + 1] += first[v];
  equations.resize(system_.incidence_variable.size());
  std::vector<uint32_t> at(first.begin(), first.end() - 1);
  for (uint32_t e = 0; e < n; ++e) {
    for (uint32_t k = begin(e); k < end(e); ++k) equations[at[system_.incidence_variable[k]]++] = e;
  }
  std::vector<bool> discrete(m, false);
  for (const Part& part : system_.parts) {
    const ScalarElement& scalar = system_.scalars[part.scalar];
    for (uint32_t v = scalar.continuous; v < scalar.owned; ++v) discrete[part.first_variable + v] = true;
  }
  for (uint32_t v = 0; v < m; ++v) {
    const bool input = !system_.is_input.empty() && system_.is_input[v];
    if (out_.equation_of_variable[v] == UINT32_MAX && !input && !discrete[v]) {
      variable[v] = 2;
      work.push_back(v);
    }
  }
  while (!work.empty()) {
    const uint32_t v = work.back();
    work.pop_back();
    out_.under_variables.push_back(v);
    for (uint32_t k = first[v]; k < first[v + 1]; ++k) {
      const uint32_t e = equations[k];
      if (equation[e] == 2) continue;
      equation[e] = 2;
      out_.under_equations.push_back(e);
      const uint32_t next = out_.variable_of_equation[e];
      if (next != UINT32_MAX && variable[next] != 2) {
        variable[next] = 2;
        work.push_back(next);
      }
    }
  }
  for (auto* list :
       {&out_.over_equations, &out_.over_variables, &out_.under_equations, &out_.under_variables})
    std::sort(list->begin(), list->end());
}

Offsets Search::Run() {
  if (!Settle()) {
    Clear();
    out_.from_scratch = true;
    Settle();
  }
  const uint32_t n = system_.equation_count();
  bool open = n != system_.variable_count;
  for (uint32_t e = 0; e < n && !open; ++e) open = out_.variable_of_equation[e] == UINT32_MAX;
  if (!open) return std::move(out_);
  if (!CheckComplete()) return std::move(out_);
  for (uint32_t e = 0; e < n; ++e) {
    if (out_.variable_of_equation[e] != UINT32_MAX) continue;
    ++out_.augmentations;
    while (!Augment(e, true)) {
      // Pantelides: differentiate what was reached.
      for (const uint32_t seen : visited_equations_) ++out_.equation[seen];
      for (const uint32_t seen : visited_variables_) ++out_.variable[seen];
      if (out_.equation[e] > 200) {
        out_.singular = true;
        return std::move(out_);
      }
    }
  }
  // The search may have differentiated more than needed before it found the last pairs: the smallest offsets
  // of the complete matching.
  std::fill(out_.equation_of_variable.begin(), out_.equation_of_variable.end(), UINT32_MAX);
  std::fill(out_.equation.begin(), out_.equation.end(), uint8_t{0});
  std::fill(out_.variable.begin(), out_.variable.end(), uint8_t{0});
  Settle();
  return std::move(out_);
}

}  // namespace

Offsets FindOffsets(const EquationSystem& system, LargeVector<uint32_t> seed) {
  return FindOffsets(system, std::move(seed), system.wanted);
}

Offsets FindOffsets(const EquationSystem& system, LargeVector<uint32_t> seed,
                    std::span<const VariableRef> wanted) {
  return Search(system, std::move(seed), wanted).Run();
}

}  // namespace cotree
