// SPDX-License-Identifier: Apache-2.0
// The equations of motion of a text, evaluated at a chosen state: mass matrix and forces.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "expr/evaluate.h"
#include "run_support.h"

namespace cotree::test {

class MotionProbe {
 public:
  explicit MotionProbe(const std::string& text)
      : run(text, OnlyEquations()), motion(run.translation->motion) {
    ExprPool& pool = run.loaded->model.expressions;
    const ScalarElement& main = motion.parts.front().scalar;
    for (uint32_t k = 0; k < motion.parts.front().readings.size(); ++k) {
      const AddedReading& reading = motion.parts.front().readings[k];
      if (reading.driver.component.IsNone()) continue;
      const std::string name =
          ComponentName(run.loaded->model, *run.translation->graph, reading.driver.component) + "." +
          std::string(pool.SymbolName(reading.driver.symbol));
      readings_[{name, reading.driver.index}] = main.variables[main.owned + k].symbol;
    }
    for (const ScalarEquation& e : main.equations) {
      if (e.initial || !pool.IsSymbol(e.left)) continue;
      tapes_.emplace_back(pool, std::span(&e.right, 1));
      targets_.push_back(pool.SymbolOf(e.left));
      names_[std::string(pool.SymbolName(targets_.back()))] = targets_.back();
    }
  }

  /// "j1.e.phi", order 1: its rate. False where nothing reads it.
  bool Set(const std::string& name, uint32_t index, int order, double value) {
    const auto at = readings_.find({name, index});
    if (at == readings_.end()) return false;
    values_[run.loaded->model.expressions.SymbolOfOrder(at->second, order).value] = value;
    return true;
  }
  void Evaluate() {
    ExprPool& pool = run.loaded->model.expressions;
    environment_.scalars.assign(pool.symbol_count(), 0);
    for (const auto& [symbol, value] : motion.constants) environment_.scalars[symbol.index()] = value;
    for (const auto& [symbol, value] : values_) environment_.scalars[symbol] = value;
    for (size_t k = 0; k < tapes_.size(); ++k)
      EvaluateDouble(tapes_[k], environment_, workspace_,
                     std::span(&environment_.scalars[targets_[k].index()], 1));
  }
  double ValueOf(ExprId expr) { return EvaluateDouble(run.loaded->model.expressions, expr, environment_); }
  /// An intermediate result, or what a component is given: "j1.inertia", "j2.load[3]".
  double ValueOf(const std::string& name) const {
    auto at = names_.find("@" + name);
    if (at == names_.end()) at = names_.find("~" + name);
    return at == names_.end() ? 0 : environment_.scalars[at->second.index()];
  }
  /// By freedom: its joint and number.
  std::string NameOf(size_t freedom) const {
    return ComponentName(run.loaded->model, *run.translation->graph, motion.freedoms[freedom].joint);
  }

  RunOf run;
  const MotionEquations& motion;

 private:
  static TranslateOptions OnlyEquations() {
    TranslateOptions options;
    options.program = false;
    options.motion_form = MotionForm::kMassMatrix;
    return options;
  }
  std::map<std::pair<std::string, uint32_t>, SymbolId> readings_;
  std::map<std::string, SymbolId> names_;
  std::map<uint32_t, double> values_;
  std::vector<Tape> tapes_;
  std::vector<SymbolId> targets_;
  Environment<double> environment_;
  Workspace<double> workspace_;
};

/// The mass matrix at the state that was evaluated last, by freedom.
inline std::vector<std::vector<double>> MassMatrix(MotionProbe& probe) {
  const size_t n = probe.motion.freedoms.size();
  std::vector<std::vector<double>> out(n, std::vector<double>(n, 0));
  for (const auto& e : probe.motion.mass_matrix)
    out[e.row][e.column] = out[e.column][e.row] = probe.ValueOf(e.value);
  return out;
}

/// Sets the angles of revolute joints and their two rates, and evaluates.
inline void SetAngles(MotionProbe& probe, const std::vector<std::string>& joints,
                      const std::vector<double>& q, const std::vector<double>& qd,
                      const std::vector<double>& qdd) {
  for (size_t k = 0; k < joints.size(); ++k) {
    EXPECT_TRUE(probe.Set(joints[k] + ".e.phi", 0, 0, q.at(k))) << joints[k];
    probe.Set(joints[k] + ".e.phi", 0, 1, qd.at(k));
    probe.Set(joints[k] + ".e.phi", 0, 2, qdd.at(k));
  }
  probe.Evaluate();
}

/// What must turn a joint at the state that was evaluated last, with this acceleration of its own.
inline double Torque(const MotionProbe& probe, const std::string& joint, double acceleration) {
  return probe.ValueOf(joint + ".load") + probe.ValueOf(joint + ".inertia") * acceleration;
}

}  // namespace cotree::test
