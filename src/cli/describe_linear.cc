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
  LinearTeller(ExprPool& pool, const StateSpace& space, const LinearStart& start)
      : pool_(pool), space_(space), start_(start) {}

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

 private:
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
    if (linear_.at_a_point)
      s.items.emplace_back(
          TextItem{"x' = A x + B u for small deviations from the start; states that are 0 there are put "
                   "in, others stay letters and mean their value there."});
    else
      s.items.emplace_back(TextItem{linear_.B.size() > 1
                                        ? "x' = A x + B u + B_du1 u' + ..., y = C x + D u + D_du1 u' + ...: "
                                          "derivatives of inputs are needed."
                                        : "x' = A x + B u, y = C x + D u, in symbols and in numbers."});
    const LinearModel& m = start_.model;
    Matrix(s, "A", linear_.A, true, true, m.A);
    const auto numbers = [](const std::vector<std::vector<double>>& by_order, size_t k) {
      return k < by_order.size() ? by_order[k] : std::vector<double>{};
    };
    const auto named = [](const char* name, size_t k) {
      return k == 0 ? std::string(name) : name + ("_du" + std::to_string(k));
    };
    for (size_t k = 0; k < linear_.B.size(); ++k)
      Matrix(s, named("B", k), linear_.B[k], true, false, numbers(m.B, k));
    Matrix(s, "C", linear_.C, false, true, m.C);
    for (size_t k = 0; k < linear_.D.size(); ++k)
      Matrix(s, named("D", k), linear_.D[k], false, false, numbers(m.D, k));
    out_.push_back(std::move(s));
  }
  void Polynomials() {
    if (linear_.characteristic.IsNone()) return;
    DocumentSection s{"transfer", "Characteristic polynomial and transfer functions", {}};
    s.items.emplace_back(TextItem{"det(s I - A):"});
    EquationsItem p;
    const ExprId left = pool_.Call("Delta", {linear_.s});
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
  void Poles() {
    DocumentSection s{"poles", "Poles and what makes them", {}};
    TableItem table{{"pole", "time constant", "frequency", "damping", "made by"}, "rrrrl", {}};
    for (const Mode& mode : FindModes(start_.model.A, start_.model.n())) {
      const Damping d = DampingOf(mode.pole);
      std::map<std::string, double> share;
      for (size_t k = 0; k < mode.participation.size(); ++k)
        share[linear_.states[k]->component.empty() ? linear_.states[k]->path
                                                   : linear_.states[k]->component] += mode.participation[k];
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
            {pair ? fmt::format("{:.3g}", d.damping) : "-"},
            {names.empty() ? "-" : names}},
           first});
    }
    if (table.rows.empty()) return;
    s.items.emplace_back(TextItem{"Slowest first; shares are participation factors of the states."});
    s.items.emplace_back(std::move(table));
    out_.push_back(std::move(s));
  }

  ExprPool& pool_;
  const StateSpace& space_;
  const LinearStart& start_;
  LinearSymbols linear_;
  std::vector<DocumentSection> out_;
};

}  // namespace

std::vector<DocumentSection> DescribeLinear(ExprPool& pool, const StateSpace& space, const LinearStart& start,
                                            Document* document) {
  LinearTeller teller(pool, space, start);
  std::vector<DocumentSection> out = teller.Run();
  document->main_letter = teller.letter();
  return out;
}

}  // namespace cotree
