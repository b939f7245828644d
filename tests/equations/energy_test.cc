// SPDX-License-Identifier: Apache-2.0
// The law of energy over whole runs: the sum of declared energies changes by minus the integral of the power
// into components without `energy` and of the losses of those with it. A law, not a reference of this
// project.
#include <gtest/gtest.h>

#include "expr/dependence.h"
#include "oracle/random_network.h"
#include "product_support.h"
#include "run_support.h"

namespace cotree::test {
namespace {

/* Sums over all components, evaluated at a row of a trajectory. */
class Balance {
 public:
  explicit Balance(const Program& program) : sorted_(*program.sorted), system_(*sorted_.system) {
    const ExprPool& pool = system_.model->expressions;
    for (const Part& part : system_.parts) {
      if (part.component >= system_.graph->components.size()) continue;
      if (&part - &system_.parts[0] >= static_cast<std::ptrdiff_t>(system_.graph->components.size())) break;
      const ScalarElement& scalar = system_.scalars[part.scalar];
      const bool stores = !scalar.energy.IsNone();
      if (stores) Add(pool, part, scalar.energy, true);
      if (stores && !scalar.loss.IsNone()) Add(pool, part, scalar.loss, false);
      if (!stores) {
        for (const ExprId power : scalar.power) Add(pool, part, power, false);
      }
    }
  }

  /// Energy and power going out at a row; `size`: the sum of the powers' sizes.
  void At(const Trajectory& t, const std::vector<size_t>& column_of_slot, size_t row, double* energy,
          double* power, double* size) {
    *energy = *power = *size = 0;
    environment_.time = t.times[row];
    environment_.scalars.resize(system_.model->expressions.symbol_count(), 0);
    for (const Term& term : terms_) {
      for (const auto& [symbol, slot] : term.slots)
        environment_.scalars[symbol.index()] = t.columns[column_of_slot[slot]][row];
      for (const auto& [symbol, value] : term.numbers) environment_.scalars[symbol.index()] = value;
      double value = 0;
      EvaluateDouble(*term.tape, environment_, workspace_, std::span(&value, 1));
      (term.energy ? *energy : *power) += value;
      if (!term.energy) *size += std::fabs(value);
    }
  }

 private:
  struct Term {
    bool energy;
    std::unique_ptr<Tape> tape;
    std::vector<std::pair<SymbolId, uint32_t>> slots;
    std::vector<std::pair<SymbolId, double>> numbers;
  };
  void Add(const ExprPool& pool, const Part& part, ExprId expr, bool energy) {
    Term term;
    term.energy = energy;
    term.tape = std::make_unique<Tape>(pool, std::span(&expr, 1));
    const ScalarElement& scalar = system_.scalars[part.scalar];
    const auto numbers = system_.parameters.Of(ComponentId(part.component), scalar);
    for (size_t p = 0; p < scalar.parameters.size(); ++p)
      term.numbers.emplace_back(scalar.parameters[p].symbol, numbers[p]);
    for (const SymbolId symbol : FindSymbols(pool, expr)) {
      const SymbolInfo info = pool.symbol(symbol);
      for (uint32_t v = 0; v < scalar.variables.size(); ++v) {
        if (scalar.variables[v].symbol != info.base) continue;
        const VariableRef ref = system_.Resolve(part, v);
        const VariableRef at{ref.variable, ref.order + info.order};
        if (!sorted_.HasSlot(at))
          throw std::runtime_error("the power needs " + system_.VariableName(at.variable, at.order));
        term.slots.emplace_back(symbol, sorted_.Slot(at));
      }
    }
    terms_.push_back(std::move(term));
  }

  const SortedSystem& sorted_;
  const EquationSystem& system_;
  std::vector<Term> terms_;
  Environment<double> environment_;
  Workspace<double> workspace_;
};

/// The defect of the balance relative to the energy that was moved; negative: no suitable run (unstable, too
/// stiff).
double Defect(const Program& program, const std::vector<StartEntry>& starts, double rtol) {
  ProgramRun run(program);
  run.switch_time = 1e-9;
  for (const StartEntry& s : starts) {
    if (program.sorted->HasSlot(s.variable)) run.values[program.sorted->Slot(s.variable)] = s.value;
  }
  if (!run.Run(0)) return -1;
  const LinearModel linear = Linearize(run, program, {}, 0);
  double slowest = INFINITY, fastest = 2 * M_PI;
  for (const auto& pole : linear.poles) {
    if (pole.real() > 1e-9) return -1;
    if (pole.real() < -1e-6) slowest = std::min(slowest, -pole.real());
    fastest = std::max(fastest, std::abs(pole));
  }
  const double stop = std::isfinite(slowest) ? 5 / slowest : 5.0;
  const double step = 0.05 / fastest;
  const double rows = std::ceil(stop / step / 2) * 2;
  if (rows > 6000 || linear.n() == 0) return -1;
  SimulationOptions options;
  options.stop = stop;
  options.rtol = rtol;
  options.interval = stop / rows;
  const Trajectory t = Simulate(program, starts, options);
  if (!t.ok || t.times.size() != static_cast<size_t>(rows) + 1) return -1;
  std::vector<size_t> column_of_slot(program.slots, 0);
  for (size_t k = 0; k < t.slots.size(); ++k) column_of_slot[t.slots[k]] = k;
  Balance balance(program);
  double first = 0, last = 0, integral = 0, moved = 0, most = 0;
  for (size_t r = 0; r < t.times.size(); ++r) {
    double energy, power, size;
    balance.At(t, column_of_slot, r, &energy, &power, &size);
    if (r == 0) first = energy;
    last = energy;
    most = std::max(most, std::fabs(energy));
    const double weight = r == 0 || r + 1 == t.times.size() ? 1 : r % 2 == 1 ? 4 : 2;  // Simpson
    integral += weight * power * options.interval / 3;
    moved += weight * size * options.interval / 3;
  }
  return std::fabs(last - first + integral) / std::max({moved, most, 1e-12});
}

TEST(Energy, IsConservedByRandomSystems) {
  constexpr double kRtol = 1e-6;
  size_t systems = 0;
  double worst = 0;
  for (uint32_t seed = 1; systems < 200 && seed < 3000; ++seed) {
    oracle::RandomNetworkMaker maker(seed, false);
    const std::string text = oracle::NetworkText(maker.Make());
    NoReader reader;
    const auto loaded = LoadModelText("r.cot", text, reader);
    TranslateOptions options;
    options.rates = true;
    const auto translation = Translate(*loaded, options);
    if (!translation->ok) continue;
    const double defect = Defect(*translation->program, translation->starts, kRtol);
    if (defect < 0) continue;
    ++systems;
    worst = std::max(worst, defect);
    EXPECT_LE(defect, 100 * kRtol) << "seed " << seed << "\n" << text;
  }
  EXPECT_EQ(systems, 200u);
  std::printf("energy: systems %zu, worst %.2e, bound %.0e\n", systems, worst, 100 * kRtol);
}

// A planted sign error in one terminal equation makes the balance fail.
TEST(Energy, ASignErrorIsSeen) {
  const std::string text =
      R"(system S { V : VoltageSource(V = 10 V)  R : Resistor(R = 0.5 ohm)  M : DCMotor(R = 0.5 ohm, L = 10 mH, Kt = 0.5 N*m/A)
    J : Inertia(J = 0.1 kg*m^2)  d : RotationalDamper(d = 0.5 N*m*s/rad)
    connect V.p -- R.p   connect R.n -- M.p   connect V.n -- M.n -- electrical.ground
    connect M.shaft -- J.a -- d.a   connect d.b -- M.housing -- rotational.ground })";
  for (const bool planted : {false, true}) {
    NoReader reader;
    const auto loaded = LoadModelText("s.cot", text, reader);
    const std::vector<SystemGraph> graphs = BuildGraphs(*loaded);
    ASSERT_TRUE(loaded->diagnostics.ok());
    std::vector<ScalarElement> scalars = MakeScalars(loaded->model, graphs[0]);
    if (planted) {
      ExprPool& pool = loaded->model.expressions;
      for (size_t k = 0; k < scalars.size(); ++k) {
        if (loaded->model.Text(loaded->model[graphs[0].elements[k].class_id].name) != "DCMotor") continue;
        ScalarEquation& torque = scalars[k].equations.back();
        torque.right = pool.Negate(torque.right);
        torque.residual = pool.Subtract(torque.left, torque.right);
      }
    }
    const NormalTree tree = FindNormalTree(loaded->model, graphs[0], scalars);
    std::vector<std::string> problems;
    const EquationSystem system = BuildEquations(loaded->model, graphs[0], scalars, tree, {}, &problems);
    const auto sorted = std::make_shared<SortedSystem>(SortEquations(system));
    std::string problem;
    const auto program = BuildProgram(sorted, &problem);
    ASSERT_NE(program, nullptr);
    const double defect = Defect(*program, {}, 1e-6);
    ASSERT_GE(defect, 0);
    if (planted)
      EXPECT_GT(defect, 1e-4);
    else
      EXPECT_LE(defect, 1e-4);
  }
}

}  // namespace
}  // namespace cotree::test
