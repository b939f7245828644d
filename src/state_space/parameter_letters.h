// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "expr/substitute.h"
#include "state_space/state_space.h"

namespace cotree {

/** What stands for a parameter of a component in printed equations (CF.7): its letter; or, where the instance
gives it an expression of the surrounding composite's parameters, that expression; or its number. A default
that is nothing but another parameter (`Ke = Kt`) is that parameter. */
class ParameterLetters {
 public:
  ParameterLetters(const EquationSystem& system, const SymbolChoice& choice)
      : system_(system), pool_(system.model->expressions), choice_(choice) {}

  /// `symbol`: of the class of the component, as its scalar equations have it. None: it is no parameter.
  ExprId Of(ComponentId component, SymbolId symbol);
  /// Letters that shall become numbers at the very end.
  const std::vector<Replacement>& numbers() const { return numbers_; }
  /// Letters that stand for the acceleration of gravity.
  const std::vector<ExprId>& gravity() const { return gravity_; }
  /// Every letter that was handed out.
  const std::vector<ReadableSymbol>& letters() const { return letters_; }
  /// The value of an expression of letters alone.
  double Evaluate(ExprId expr) const;

 private:
  struct Place {
    ComponentId component;
    uint32_t parameter;  // of the scalar element
  };
  const ScalarElement& ScalarOf(ComponentId component) const {
    return system_.scalars[system_.graph->components[component.index()].element.index()];
  }
  ExprId Make(const Place& place);
  ExprId Given(const Place& place, bool* by_default);
  ExprId InLetters(ExprId expr, ComponentId owner);
  bool StaysLetter(const std::string& path, const std::string& component, const std::string& unit,
                   double value) const;
  std::string UnitOf(const Place& place, const Parameter& parameter) const;

  const EquationSystem& system_;
  ExprPool& pool_;
  SymbolChoice choice_;
  std::map<std::pair<uint32_t, uint32_t>, ExprId> made_;  // component, parameter
  std::vector<ReadableSymbol> letters_;
  std::vector<Replacement> numbers_;
  std::vector<ExprId> gravity_;
  std::unordered_map<uint32_t, double> values_;  // by symbol
};

}  // namespace cotree
