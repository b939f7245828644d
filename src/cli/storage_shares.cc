// SPDX-License-Identifier: Apache-2.0
#include "cli/storage_shares.h"

#include <cmath>
#include <limits>
#include <map>

#include "expr/evaluate.h"
#include "expr/walk.h"

namespace cotree {
namespace {

/* The energies of all components that declare one, from the values of a run. */
class StoredEnergy {
 public:
  explicit StoredEnergy(const Translation& t) : t_(t), pool_(t.equations->model->expressions) {
    environment_.scalars.assign(pool_.symbol_count(), std::numeric_limits<double>::quiet_NaN());
    for (uint32_t i = 1; i < t.graph->components.size(); ++i) {
      const ScalarElement& scalar = t.equations->scalars[t.graph->components[i].element.index()];
      if (!scalar.energy.IsNone()) stores_.push_back(i);
    }
  }
  std::string Name(size_t k) const {
    return ComponentName(*t_.equations->model, *t_.graph, ComponentId(stores_[k]));
  }
  // By component that stores; not a number where a variable has no value.
  std::vector<double> At(const ProgramRun& run) {
    std::vector<double> out;
    for (const uint32_t i : stores_) out.push_back(Of(i, run));
    return out;
  }

 private:
  double Of(uint32_t component, const ProgramRun& run) {
    const EquationSystem& system = *t_.equations;
    const Part& part = system.parts[component];
    const ScalarElement& scalar = system.scalars[part.scalar];
    const auto parameters = system.parameters.Of(ComponentId(component), scalar);
    ExprOrder order;
    FindOrder(pool_, std::span(&scalar.energy, 1), &order);
    for (const ExprId id : order.nodes) {
      if (!pool_.IsSymbol(id)) continue;
      const SymbolId symbol = pool_.SymbolOf(id);
      const SymbolInfo info = pool_.symbol(symbol);
      double value = std::numeric_limits<double>::quiet_NaN();
      for (size_t k = 0; k < scalar.parameters.size(); ++k) {
        if (scalar.parameters[k].symbol == symbol) value = parameters[k];
      }
      for (uint32_t v = 0; v < scalar.variables.size(); ++v) {
        if (scalar.variables[v].symbol != info.base) continue;
        const VariableRef ref = system.Resolve(part, v);
        const VariableRef at{ref.variable, ref.order + info.order};
        if (t_.sorted->HasSlot(at)) value = run.values[t_.sorted->Slot(at)];
      }
      SetValue(environment_, symbol, value);
    }
    return EvaluateDouble(pool_, scalar.energy, environment_);
  }

  const Translation& t_;
  const ExprPool& pool_;
  Environment<double> environment_;
  std::vector<uint32_t> stores_;
};

// Whether the variable is one of a joint in space, whose bodies store for it.
bool IsInSpace(const EquationSystem& system, uint32_t variable) {
  if (variable >= system.part_variables) return false;
  const uint32_t part = system.PartOfVariable(variable);
  return part >= system.graph->components.size() ||
         !system.graph->ClassOf(*system.model, ComponentId(system.parts[part].component)).spatial.IsNone();
}

}  // namespace

StorageShares FindStorageShares(const Translation& t, const LinearStart& start) {
  const std::vector<VariableRef>& states = t.sorted->states;
  StorageShares out(states.size());
  constexpr size_t kMost = 200;
  if (states.size() > kMost || !t.program->externals.empty()) return out;
  StoredEnergy energy(t);
  ProgramRun run(*t.program);
  std::map<std::pair<uint32_t, uint32_t>, size_t> number;
  for (size_t k = states.size(); k-- > 0;) {
    number[{states[k].variable, states[k].order}] = k;
    if (const auto speed = number.find({states[k].variable, states[k].order + 1}); speed != number.end()) {
      out[k] = out[speed->second];
      continue;
    }
    if (IsInSpace(*t.equations, states[k].variable)) continue;
    // The energy is a square, or nearly: its second difference.
    const uint32_t slot = t.sorted->Slot(states[k]);
    std::vector<double> second;
    for (const double side : {0.0, 1.0, -1.0}) {
      run.values = start.values;
      run.switch_time = start.switch_time;
      run.values[slot] += side * 1e-3 * (1 + std::fabs(run.values[slot]));
      if (!run.Run(start.switch_time)) break;
      const std::vector<double> values = energy.At(run);
      second.resize(values.size());
      for (size_t c = 0; c < values.size(); ++c) second[c] += (side == 0 ? -2 : 1) * values[c];
    }
    double sum = 0;
    for (double& x : second) {
      x = std::isfinite(x) ? std::fabs(x) : 0;
      sum += x;
    }
    constexpr double kRounding = 1e-9;
    for (size_t c = 0; c < second.size(); ++c) {
      if (second[c] > kRounding * sum) out[k].emplace_back(energy.Name(c), second[c] / sum);
    }
  }
  return out;
}

}  // namespace cotree
