// SPDX-License-Identifier: Apache-2.0
#include "cli/describe_linear.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/text_table.h"
#include "control/damping.h"
#include "control/participation.h"
#include "state_space/linear_symbols.h"

namespace cotree {
namespace {

class LinearTeller {
 public:
  LinearTeller(ExprPool& pool, const StateSpace& space, const LinearStart& start, const StorageShares& shares)
      : pool_(pool), space_(space), start_(start), shares_(shares) {}

  ExprId letter() const { return linear_.s; }
  std::vector<DocumentSection> Run() {
    // States of the symbols and of the numbers are the same, unless loops left some out.
    linear_ = FindLinearSymbols(pool_, space_, start_.states, true);
    if (linear_.A.empty() || linear_.states.size() != start_.model.n()) return {};
    Matrices();
    Polynomials();
    Poles();
    return std::move(out_);
  }
  std::vector<DocumentSection> Numbers(const std::string& note) {
    if (start_.model.n() == 0 && start_.model.p() == 0) return {};
    DocumentSection s{"linear", "Linear around the start, in numbers", {TextItem{note}}};
    s.items.emplace_back(TextItem{Sentence(false, start_.model.B.size() > 1)});
    const LinearModel& m = start_.model;
    const auto labels = [](const std::vector<std::string>& names, size_t primes) {
      std::vector<MatrixItem::Label> out;
      for (const std::string& name : names)
        out.push_back({name + std::string(primes, '\''), ExprId(), OwnerOf(name)});
      return out;
    };
    const auto add = [&](const std::string& name, const std::vector<double>& numbers,
                         const std::vector<std::string>& rows, size_t primes,
                         const std::vector<std::string>& columns, size_t derivatives) {
      if (rows.empty() || columns.empty() || numbers.size() != rows.size() * columns.size()) return;
      MatrixItem item;
      item.name = name;
      item.rows = labels(rows, primes);
      item.columns = labels(columns, derivatives);
      for (size_t i = 0; i < rows.size(); ++i) {
        item.entries.emplace_back();
        for (size_t j = 0; j < columns.size(); ++j)
          item.entries.back().push_back(pool_.Number(numbers[i * columns.size() + j]));
      }
      s.items.emplace_back(std::move(item));
    };
    add(Letter("A"), m.A, m.states, 1, m.states, 0);
    for (size_t k = 0; k < m.B.size(); ++k) add(Named("B", k), m.B[k], m.states, 1, m.inputs, k);
    add(Letter("C"), m.C, m.outputs, 0, m.states, 0);
    for (size_t k = 0; k < m.D.size(); ++k) add(Named("D", k), m.D[k], m.outputs, 0, m.inputs, k);
    out_.push_back(std::move(s));
    linear_ = {};
    Poles();
    return std::move(out_);
  }

 private:
  // A letter of ours that no name of the model is: C, or C_q where a capacitor has that one.
  std::string Letter(const char* name) const { return FreeLetter(space_, name); }
  std::string Named(const char* name, size_t order) const {
    return Letter(name) + (order == 0 ? "" : "_du" + std::to_string(order));
  }
  std::string Sentence(bool deviations, bool rates) const {
    const std::string A = Letter("A"), B = Letter("B"), C = Letter("C"), D = Letter("D");
    std::string out = "Rates of the states = " + A + " times the states + " + B + " times the inputs";
    if (rates) out += " + " + B + "_du1 times the rates of the inputs + ...";
    out += "; outputs = " + C + " times the states + " + D + " times the inputs";
    if (rates) out += " + " + D + "_du1 times the rates of the inputs + ...";
    return out + (deviations
                      ? ". All are small deviations from the start; states that are 0 there are put in, "
                        "others stay letters and mean their value there."
                      : ".");
  }
  static std::string OwnerOf(const std::string& path) {
    const size_t dot = path.rfind('.');
    return dot == std::string::npos ? "" : path.substr(0, dot);
  }
  MatrixItem::Label StateLabel(size_t k, bool rate) const {
    const ExprId symbol = Renamed(pool_, space_, linear_.states[k]->symbol);
    return {"", rate ? pool_.Symbol(pool_.SymbolOfOrder(pool_.SymbolOf(symbol), 1)) : symbol,
            linear_.states[k]->component};
  }
  MatrixItem::Label InputLabel(size_t k) const {
    return {"", Renamed(pool_, space_, linear_.inputs[k]->symbol), linear_.inputs[k]->component};
  }
  MatrixItem::Label OutputLabel(size_t k) const {
    return {"", Renamed(pool_, space_, linear_.outputs[k]->symbol), linear_.outputs[k]->component};
  }
  void Matrix(DocumentSection& s, const std::string& name, const std::vector<std::vector<ExprId>>& entries,
              bool of_states, bool by_states, const std::vector<double>& numbers) {
    if (entries.empty() || entries[0].empty()) return;
    for (const bool symbols : {true, false}) {
      MatrixItem m;
      m.name = name;
      m.entries = entries;
      for (size_t i = 0; i < entries.size(); ++i)
        m.rows.push_back(of_states ? StateLabel(i, true) : OutputLabel(i));
      for (size_t j = 0; j < entries[0].size(); ++j)
        m.columns.push_back(by_states ? StateLabel(j, false) : InputLabel(j));
      if (!symbols) {
        if (numbers.size() != entries.size() * entries[0].size()) break;
        for (size_t i = 0; i < entries.size(); ++i) {
          for (size_t j = 0; j < entries[i].size(); ++j)
            m.entries[i][j] = pool_.Number(numbers[i * entries[i].size() + j]);
        }
        if (m.entries == entries) break;  // nothing but numbers
        s.items.emplace_back(TextItem{"The same in numbers:"});
      }
      s.items.emplace_back(std::move(m));
    }
  }
  void Matrices() {
    DocumentSection s{"linear", linear_.at_a_point ? "Linear around the start" : "Matrices", {}};
    s.items.emplace_back(TextItem{Sentence(linear_.at_a_point, linear_.B.size() > 1)});
    const LinearModel& m = start_.model;
    Matrix(s, Letter("A"), linear_.A, true, true, m.A);
    const auto numbers = [](const std::vector<std::vector<double>>& by_order, size_t k) {
      return k < by_order.size() ? by_order[k] : std::vector<double>{};
    };
    for (size_t k = 0; k < linear_.B.size(); ++k)
      Matrix(s, Named("B", k), linear_.B[k], true, false, numbers(m.B, k));
    Matrix(s, Letter("C"), linear_.C, false, true, m.C);
    for (size_t k = 0; k < linear_.D.size(); ++k)
      Matrix(s, Named("D", k), linear_.D[k], false, false, numbers(m.D, k));
    out_.push_back(std::move(s));
  }
  void Polynomials() {
    if (linear_.characteristic.IsNone()) return;
    DocumentSection s{"transfer", "Characteristic polynomial and transfer functions", {}};
    const std::string s_name(pool_.SymbolName(pool_.SymbolOf(linear_.s)));
    s.items.emplace_back(TextItem{"The determinant of " + s_name + " times the unit matrix less " +
                                  Letter("A") + ", and outputs by inputs:"});
    EquationsItem p;
    // The first of these that is no letter of the model.
    const char* determinant = "Delta";
    for (const char* name : {"Delta", "chi", "Pi", "Xi"}) {
      determinant = name;
      if (Letter(name) == name) break;
    }
    const ExprId left = pool_.Call(determinant, {linear_.s});
    p.rows.push_back({left, linear_.characteristic});
    if (!linear_.factored.IsNone())
      p.rows.push_back({left, linear_.factored, "", "up to a factor without s"});
    s.items.emplace_back(std::move(p));
    EquationsItem g;
    for (size_t o = 0; o < linear_.transfer.size(); ++o) {
      for (size_t u = 0; u < linear_.transfer[o].size(); ++u)
        g.rows.push_back({pool_.Divide(OutputLabel(o).formula, InputLabel(u).formula), linear_.transfer[o][u],
                          linear_.outputs[o]->component});
    }
    if (!g.rows.empty()) s.items.emplace_back(std::move(g));
    out_.push_back(std::move(s));
  }
  // Whose storage the states of a mode are, by component.
  std::map<std::string, double> CreditOf(const Mode& mode) const {
    std::map<std::string, double> share;
    const bool symbols = !linear_.states.empty();
    for (size_t k = 0; k < mode.participation.size(); ++k) {
      const std::string path = symbols ? linear_.states[k]->path : start_.model.states[k];
      const std::string component = symbols ? linear_.states[k]->component : OwnerOf(path);
      if (symbols && k < shares_.size() && !shares_[k].empty()) {
        for (const auto& [name, part] : shares_[k]) share[name] += part * mode.participation[k];
      } else {
        share[component.empty() ? path : component] += mode.participation[k];
      }
    }
    return share;
  }
  // Poles that are 0 in symbols, or by the pattern of the matrix, are 0 in numbers.
  std::vector<Mode> Modes() const {
    const size_t n = start_.model.n();
    std::vector<Mode> modes = FindModes(start_.model.A, n);
    size_t zeros = std::max<size_t>(linear_.poles_at_zero, ZerosByPattern(start_.model.A, n));
    std::stable_sort(modes.begin(), modes.end(),
                     [](const Mode& a, const Mode& b) { return std::abs(a.pole) < std::abs(b.pole); });
    for (size_t k = 0; k < modes.size() && zeros > 0; ++k) {
      const bool pair = modes[k].pole.imag() != 0;
      if (pair && zeros < 2) break;
      modes[k].pole = 0;
      if (pair) modes.insert(modes.begin() + static_cast<ptrdiff_t>(k), modes[k]), ++k;
      zeros -= pair ? 2 : 1;
    }
    constexpr double kRounding = 1e-12;
    for (Mode& mode : modes) {
      if (std::fabs(mode.pole.real()) <= kRounding * std::abs(mode.pole)) mode.pole.real(0);
    }
    std::stable_sort(modes.begin(), modes.end(), [](const Mode& a, const Mode& b) {
      return std::make_pair(-a.pole.real(), a.pole.imag()) < std::make_pair(-b.pole.real(), b.pole.imag());
    });
    return modes;
  }
  // States that nothing reads, or that do not change, one after the other: each is an eigenvalue 0.
  static size_t ZerosByPattern(const std::vector<double>& matrix, size_t n) {
    std::vector<bool> gone(n, false);
    size_t out = 0;
    for (bool found = true; found;) {
      found = false;
      for (size_t k = 0; k < n; ++k) {
        if (gone[k]) continue;
        bool row = true, column = true;
        for (size_t i = 0; i < n; ++i) {
          if (gone[i]) continue;
          row = row && matrix[k * n + i] == 0;
          column = column && matrix[i * n + k] == 0;
        }
        if (!row && !column) continue;
        gone[k] = found = true;
        ++out;
      }
    }
    return out;
  }
  void Poles() {
    DocumentSection s{"poles", "Poles and what makes them", {}};
    TableItem table{{"pole", "time constant", "frequency", "damping", "made by"}, "rrrrl", {}};
    for (const Mode& mode : Modes()) {
      const Damping d = DampingOf(mode.pole);
      const std::map<std::string, double> share = CreditOf(mode);
      std::vector<std::pair<double, std::string>> order;
      for (const auto& [component, part] : share) order.emplace_back(-part, component);
      std::sort(order.begin(), order.end());
      std::string names, first;
      for (const auto& [part, component] : order) {
        if (-part < 0.05) break;
        names += fmt::format("{}{} {:.0f} %", names.empty() ? "" : ", ", component, -100 * part);
        if (first.empty()) first = component;
      }
      const bool pair = mode.pole.imag() != 0;
      table.rows.push_back(
          {{{pair ? fmt::format("{:.5g} ± {:.5g}i", mode.pole.real(), mode.pole.imag())
                  : fmt::format("{:.5g}", mode.pole.real())},
            {std::isfinite(d.time_constant) && mode.pole != 0.0 ? fmt::format("{:.4g} s", d.time_constant)
                                                                : "-"},
            {pair ? fmt::format("{:.4g} Hz", std::abs(mode.pole) / (2 * M_PI)) : "-"},
            {pair ? fmt::format("{:.3g}", d.damping + 0.0) : "-"},
            {names.empty() ? "-" : names}},
           first});
    }
    if (table.rows.empty()) return;
    s.items.emplace_back(
        TextItem{"By real part, the largest first; shares are participation factors of the states. Storage "
                 "that moves as one has "
                 "one state: its share goes by stored energy."});
    s.items.emplace_back(std::move(table));
    out_.push_back(std::move(s));
  }

  ExprPool& pool_;
  const StateSpace& space_;
  const LinearStart& start_;
  const StorageShares& shares_;
  LinearSymbols linear_;
  std::vector<DocumentSection> out_;
};

}  // namespace

std::vector<DocumentSection> DescribeLinear(ExprPool& pool, const StateSpace& space, const LinearStart& start,
                                            const StorageShares& shares, Document* document) {
  LinearTeller teller(pool, space, start, shares);
  std::vector<DocumentSection> out = teller.Run();
  document->main_letter = teller.letter();
  return out;
}

std::vector<DocumentSection> DescribeLinearNumbers(ExprPool& pool, const StateSpace& space,
                                                   const LinearStart& start, const std::string& note) {
  const StorageShares none;
  return LinearTeller(pool, space, start, none).Numbers(note);
}

}  // namespace cotree
