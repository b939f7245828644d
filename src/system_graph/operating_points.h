// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "expr/evaluate.h"
#include "system_graph/system_graph.h"

namespace cotree {

/// The power into an edge, by the power of its domain; `index` is the element of an array of edges.
ExprId EdgePower(Model& model, const Edge& edge, ExprId index);

/** Operating points of an element class: random values of its parameters, variables and their derivatives
that satisfy its equations and the first time derivatives of these (docs/theory/system_graph.md, SG.5).

An identity that holds at several such points holds everywhere, but for bad luck of measure zero: this is how
the energy balance is decided for equations that no rule could solve in symbols. The points are the same in
every run.

Half of the points are mirror images in all variables, so that a power that changes its sign shows it. */
class OperatingPoints {
 public:
  static constexpr size_t kMostUnknowns = 96;
  static constexpr int kPoints = 12;

  OperatingPoints(Model& model, const ElementClass& element);

  /// False where the class is too large, or uses what has no value here (foreign code).
  bool usable() const { return usable_; }
  /// Moves to a point; false where Newton's method found none. `number` counts from 0.
  bool MoveTo(int number);

  double Power(uint32_t edge) const;  // into an ElementEdge, by the power of its domain
  double EnergyRate() const;
  double Loss() const;

 private:
  struct Column {
    SymbolId symbol;
    size_t array = SIZE_MAX;  // in environment_.arrays; none: a scalar
    size_t element = 0;
  };
  struct Row {
    std::unique_ptr<Tape> tape;
    LoopRange loops;
  };
  void Collect(ExprId expr);
  void AddSymbol(SymbolId symbol);
  void Randomise(int number);
  bool Residuals(std::vector<Dual>& out) const;
  void LoopOver(const LoopRange& loops, uint32_t k, const Row& row, std::vector<Dual>& out) const;
  Dual& At(const Column& column) const;
  double Evaluate(const Tape& tape) const;

  Model& model_;
  const ElementClass& element_;
  const ComponentClass& cls_;
  bool usable_ = true;
  std::vector<Row> rows_;
  std::vector<std::pair<SymbolId, std::unique_ptr<Tape>>> conditions_;  // named ones, with what they say
  std::vector<SymbolId> symbols_;
  std::vector<Column> columns_;               // what Newton's method may change
  std::vector<std::unique_ptr<Tape>> power_;  // by edge of the class, at the edge's own variables
  std::unique_ptr<Tape> energy_rate_, loss_;
  SymbolId element_index_;
  mutable Environment<Dual> environment_;
  mutable Workspace<Dual> workspace_;
};

}  // namespace cotree
