// SPDX-License-Identifier: Apache-2.0
// The test bench behind library/probe.h: the names that a test uses, the equations of the component, their
// solution, and what is read from it. One source each: bench_names.cc, bench_equations.cc, bench_solve.cc,
// bench_readings.cc; what a test calls is in probe.cc.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "library/bench_evaluate.h"
#include "library/bench_network.h"
#include "library/bench_newton.h"
#include "library/probe.h"
#include "pipeline/load_model.h"

namespace cotree::test {

class Probe::Bench {
 public:
  Bench(const std::string& use, const std::string& declarations);

  // See Probe.
  void Set(const std::string& name, double value);
  void Guess(const std::string& name, double value);
  void Reset();
  double Get(const std::string& name);
  double Power();
  double Energy() { return Declared(true); }
  double Loss() { return Declared(false); }
  double EnergyRate();
  void ExpectBalance(double tolerance);
  size_t WhenCount() const { return whens_.size(); }
  bool WhenHolds(size_t k);
  double WhenValue(size_t k, const std::string& name);
  bool AssertHolds(size_t k);
  std::vector<std::string> Unknowns();

 private:
  struct Row {
    ExprId left, right;
    Scope scope;
    LinearEquation sum;      // instead of left = right, where it is not empty
    std::set<Scalar> reads;  // by FindUnknowns
  };
  // Of a path: "K[1,2]" has the indices 1 and 2.
  struct Segment {
    std::string name;
    std::vector<int> indices;
  };

  Part Root() const { return {&model_[model_.systems.at(0)], "", {}}; }
  void Forget();

  // --- Names -----------------------------------------------------------------------------------------

  static std::string NumberText(double value);
  // As a user writes it: without the instance, rates by their names.
  std::string Text(const Scalar& s) const;
  template <class Scalars>
  std::string ListOf(const Scalars& scalars) const;
  std::string ValuesText() const;
  [[noreturn]] void UnknownName(const std::string& name) const;
  std::vector<Segment> Segments(const std::string& name) const;
  // Appends indices that must fit the sizes.
  void Append(std::vector<int>& indices, const std::vector<int>& own, const std::vector<int>& sizes,
              const std::string& name) const;
  // Down the instances; what is left of the path stays in `segments`.
  Part Descend(std::vector<Segment>& segments, const std::string& name);
  std::optional<double> ParameterNamed(const std::string& name);
  Scalar Resolve(const std::string& name);
  // A potential, or what flows in at a terminal of the composite.
  std::optional<Scalar> TerminalNamed(const Part& part, const std::vector<Segment>& segments);

  // --- Equations -------------------------------------------------------------------------------------

  static bool IsWired(const ComponentClass& cls);
  // The equations and clauses of a part and, of a composite, those of all inside it.
  void TakeApart(const Part& part);
  // input = source, element by element where they are arrays.
  void AddSignal(ExprId input, ExprId source, const Scope& scope);
  // All sizes behind a path from a part: of the instances on the way, then of the variable.
  std::vector<int> SizesOf(const std::string& path, Part part);
  void AddNetworkEquations();
  // An equation without derivatives holds between derivatives too: a gear between angles also between speeds.
  // Differentiated as long as what comes out is spoken of elsewhere.
  void AddDerivatives();
  std::set<Scalar> AllReads();
  void FindReads(const Row& row, std::set<Scalar>& reads);
  // Left and right side.
  std::pair<Slope, Slope> Sides(const Row& row);
  // The calls that can be set under their text.
  void FindCalls(ExprId id);
  Slope Read(const Scalar& s) const;
  // The scalars an expression reads, branches left out that are ruled out already.
  void FindReads(ExprId id, const Scope& scope, std::vector<int> indices, std::set<Scalar>& out);
  std::set<Scalar> FindUnknowns();
  std::string EquationText(const Row& row) const;
  std::string SituationText(const std::set<Scalar>& unknowns) const;

  // --- Their solution --------------------------------------------------------------------------------

  void Solve();
  void Store(const std::vector<Scalar>& unknowns, const Vector& x);
  Residuals ResidualsAt(const std::vector<Scalar>& unknowns, const Vector& x);
  // Of a composite there are potentials and derivatives that nobody asks for; those that are not determined
  // have no value.
  void ForgetUndetermined(const Newton& newton, const std::vector<Scalar>& unknowns);
  // Where the Jacobian is singular at the solution, the residuals must change along its null vector (x^2 =
  // 0); otherwise any value would do (0*x = 0).
  void ExpectDetermined(Newton& newton, const std::vector<Scalar>& unknowns, const std::set<Scalar>& found);

  // --- What is read from the solution ----------------------------------------------------------------

  // With the values that are set, if these are enough; otherwise all equations are solved.
  template <class F>
  double WithValues(F f);
  template <class F>
  double AtEvent(F f);
  // What the component, or the parts of a composite, declare as energy or loss.
  std::vector<std::pair<ExprId, Scope>> Declarations(bool energy) const;
  bool DeclaresEither() const;
  double Declared(bool energy);
  // Of the edges or, of a composite, of its terminals.
  std::vector<double> EdgePowers();
  // The domain's expression, in which the variables stand for those of the edge.
  double PowerOf(const std::string& path, const std::vector<int>& at, DomainId domain);
  template <class F>
  double DerivativeAlong(const Scalar& s, F f);
  // The time derivative of a scalar, where it has a value.
  std::optional<double> RateIfKnown(Scalar s);
  bool IsDiscrete(const Scalar& s);
  // df/dt = sum of df/dx * dx/dt. Where dx/dt has no value, the equations differentiated by time are asked:
  // a combination l of them with l*dF/dx = df/dx for all those x gives -l*(the known part of dF/dt).
  double RateOf(ExprId f, const Scope& scope);
  const std::pair<const WhenClause*, Scope>& Clause(size_t k) const;

  std::string use_;
  std::unique_ptr<LoadedModel> loaded_;
  const Model& model_;
  const ExprPool& pool_;
  Evaluator evaluator_;
  Network network_;
  Part part_;
  bool wired_ = false;
  std::vector<Part> parts_;  // the component itself and all inside it
  std::vector<Row> rows_;
  std::vector<std::pair<const WhenClause*, Scope>> whens_;
  std::set<std::string> calls_;
  std::map<Scalar, double> set_, guesses_, solved_, seeds_;
  bool is_solved_ = false;
};

template <class Scalars>
std::string Probe::Bench::ListOf(const Scalars& scalars) const {
  std::string text;
  for (const Scalar& s : scalars) text += (text.empty() ? "" : ", ") + Text(s);
  return text.empty() ? "none" : text;
}

template <class F>
double Probe::Bench::WithValues(F f) {
  try {
    return f();
  } catch (const NoValue&) {
    seeds_.clear();
    Solve();
  }
  try {
    return f();
  } catch (const NoValue& e) {
    throw std::runtime_error(use_ + ": " + Text(e.scalar) +
                             " has no value: the equations do not give it, so set it\n" + ValuesText());
  }
}

template <class F>
double Probe::Bench::AtEvent(F f) {
  evaluator_.pre_is_now = true;
  struct Back {
    bool& flag;
    ~Back() { flag = false; }
  } back{evaluator_.pre_is_now};
  try {
    return f();
  } catch (const NoValue&) {
  }
  evaluator_.pre_is_now = false;
  Solve();
  evaluator_.pre_is_now = true;
  return WithValues(f);
}

template <class F>
double Probe::Bench::DerivativeAlong(const Scalar& s, F f) {
  seeds_ = {{s, 1.0}};
  const double slope = f();
  seeds_.clear();
  return slope;
}

}  // namespace cotree::test
