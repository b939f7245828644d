// SPDX-License-Identifier: Apache-2.0
#include "cli/run_energy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "cli/spatial_motion.h"
#include "expr/evaluate.h"
#include "expr/walk.h"
#include "graph/union_find.h"

namespace cotree {
namespace {

class EnergyFinder {
 public:
  EnergyFinder(const Translation& t, const Trajectory& run, size_t most)
      : t_(t), run_(run), pool_(t.equations->model->expressions), column_(t.sorted->slots(), UINT32_MAX) {
    for (uint32_t k = 0; k < run.slots.size(); ++k) column_[run.slots[k]] = k;
    const size_t stride = std::max<size_t>(1, (run.times.size() + most - 1) / most);
    for (size_t r = 0; r < run.times.size(); r += stride) rows_.push_back(r);
    environment_.scalars.assign(pool_.symbol_count(), std::numeric_limits<double>::quiet_NaN());
  }

  EnergyItem Run() {
    EnergyItem out;
    for (const size_t r : rows_) out.times.push_back(run_.times[r]);
    const SystemGraph& graph = *t_.graph;
    // Islands: edges that share a vertex other than a reference.
    UnionFind islands(graph.vertex_count());
    for (const GraphEdge& e : graph.edges) {
      if (!graph.IsReference(e.from) && !graph.IsReference(e.to)) islands.Join(e.from.value, e.to.value);
    }
    std::map<uint32_t, std::map<std::string, std::vector<double>>> powers;  // by island and component
    std::map<uint32_t, std::string> names;
    for (uint32_t i = 1; i < graph.components.size(); ++i) {
      const ElementClass& element = graph.ElementOf(ComponentId(i));
      const ScalarElement& scalar = t_.equations->scalars[graph.components[i].element.index()];
      const std::string name = ComponentName(*t_.equations->model, graph, ComponentId(i));
      for (uint32_t k = 0; k < element.edges.size() && k < scalar.power.size(); ++k) {
        const GraphEdge& edge = graph.edges[graph.components[i].first_edge + k];
        if (scalar.power[k].IsNone()) continue;
        const VertexId vertex = graph.IsReference(edge.from) ? edge.to : edge.from;
        const std::vector<double> values = Evaluate(i, scalar, scalar.power[k]);
        if (values.empty() || graph.IsReference(vertex)) continue;
        const uint32_t island = islands.Find(vertex.value);
        names.emplace(island, t_.equations->model->Text(
                                  t_.equations->model->domains[element.edges[k].domain.index()].name));
        std::vector<double>& sum = powers[island][name];
        sum.resize(values.size(), 0);
        for (size_t r = 0; r < values.size(); ++r) sum[r] += values[r];
      }
      if (!scalar.energy.IsNone()) {
        std::vector<double> values = Evaluate(i, scalar, scalar.energy);
        const bool any = std::any_of(values.begin(), values.end(), [](double v) { return v != 0; });
        if (any) out.stored.push_back({name, std::move(values)});
      }
    }
    AddBodies(&out);
    std::map<std::string, size_t> islands_of;  // by domain
    for (const auto& [island, name] : names) ++islands_of[name];
    for (auto& [island, components] : powers) {
      EnergyItem::Island entry{names[island], {}};
      if (islands_of[names[island]] > 1) entry.name += ": " + SomeNames(components);
      bool any = false;
      for (auto& [name, values] : components) {
        any = any || std::any_of(values.begin(), values.end(), [](double v) { return std::fabs(v) > 1e-12; });
        entry.powers.push_back({name, std::move(values)});
      }
      if (any) out.islands.push_back(std::move(entry));
    }
    return out;
  }

 private:
  // "motor, gear and 3 more".
  template <class Map>
  static std::string SomeNames(const Map& components) {
    constexpr size_t kMost = 3;
    std::string out;
    size_t shown = 0;
    for (const auto& [name, values] : components) {
      if (shown == kMost && components.size() > kMost + 1) break;
      out += (shown == 0 ? "" : shown + 1 == components.size() ? " and " : ", ") + name;
      ++shown;
    }
    return shown < components.size() ? out + " and " + std::to_string(components.size() - shown) + " more"
                                     : out;
  }

  // Kinetic and potential energy of what moves in space.
  void AddBodies(EnergyItem* out) {
    const Mechanism& mechanism = t_.mechanism;
    if (mechanism.composites.size() < 2 || t_.motion.empty()) return;
    const SystemGraph& graph = *t_.graph;
    const SpatialNumbers numbers(*t_.equations->model, graph, t_.equations->scalars,
                                 t_.equations->parameters);
    const MechanismReadings readings(t_, run_);
    Vec3<double> g;
    for (const ComponentId id : mechanism.gravity) g = g + numbers.Vector(id, "g");
    std::map<uint32_t, std::pair<std::vector<double>, std::vector<double>>> energies;  // by component
    for (const size_t row : rows_) {
      const std::vector<SpatialPose> poses = FindPoses(
          mechanism, t_.motion, numbers, [&](uint32_t reading) { return readings.At(reading, 0, row); });
      const std::vector<SpatialTwist> twists = FindTwists(mechanism, numbers, poses, [&](uint32_t freedom) {
        const MotionFreedom& f = t_.motion.freedoms[freedom];
        return readings.At(f.velocity, f.velocity_order, row);
      });
      for (uint32_t c = 1; c < mechanism.composites.size(); ++c) {
        for (const ComponentId id : mechanism.composites[c].bodies) {
          const uint32_t frame = graph.frame_of_terminal[graph.components[id.index()].first_terminal];
          const SpatialPose pose = PoseOf(mechanism, poses, frame);
          const Vec3<double> centre = pose.p + pose.R * numbers.Vector(id, "center");
          const Vec3<double> v = twists[c].v + Cross(twists[c].w, centre - poses[c].p);
          const Vec3<double> w = Transpose(pose.R) * twists[c].w;
          const auto inertia = [&](uint32_t k) { return numbers.Number(id, "I", k); };
          const double m = numbers.Number(id, "m");
          const double turning =
              inertia(0) * w[0] * w[0] + inertia(1) * w[1] * w[1] + inertia(2) * w[2] * w[2] +
              2 * (inertia(3) * w[0] * w[1] + inertia(4) * w[0] * w[2] + inertia(5) * w[1] * w[2]);
          auto& [kinetic, potential] = energies[id.value];
          kinetic.push_back((m * Dot(v, v) + turning) / 2);
          potential.push_back(-m * Dot(g, centre));
        }
      }
    }
    for (auto& [id, both] : energies) {
      const std::string name = ComponentName(*t_.equations->model, graph, ComponentId(id));
      auto& [kinetic, potential] = both;
      const double lowest = *std::min_element(potential.begin(), potential.end());
      for (double& value : potential) value -= lowest;
      const auto add = [&](std::vector<double>& values, const char* what) {
        if (std::any_of(values.begin(), values.end(), [](double value) { return value > 1e-12; }))
          out->stored.push_back({name, std::move(values), name + ", " + what});
      };
      add(kinetic, "kinetic");
      add(potential, "potential");
    }
  }

  // An expression of a component's class over time; empty where a variable was not recorded.
  std::vector<double> Evaluate(uint32_t component, const ScalarElement& scalar, ExprId expr) {
    const EquationSystem& system = *t_.equations;
    const Part& part = system.parts[component];
    ExprOrder order;
    FindOrder(pool_, std::span(&expr, 1), &order);
    std::vector<std::pair<SymbolId, const std::vector<double>*>> varying;
    const auto parameters = system.parameters.Of(ComponentId(component), scalar);
    for (const ExprId id : order.nodes) {
      if (!pool_.IsSymbol(id)) continue;
      const SymbolId symbol = pool_.SymbolOf(id);
      const SymbolInfo info = pool_.symbol(symbol);
      bool found = false;
      for (size_t k = 0; k < scalar.parameters.size() && !found; ++k) {
        if (scalar.parameters[k].symbol != symbol) continue;
        SetValue(environment_, symbol, parameters[k]);
        found = true;
      }
      for (uint32_t v = 0; v < scalar.variables.size() && !found; ++v) {
        if (scalar.variables[v].symbol != info.base) continue;
        const VariableRef ref = system.Resolve(part, v);
        const VariableRef at{ref.variable, ref.order + info.order};
        if (!t_.sorted->HasSlot(at)) return {};
        const uint32_t column = column_[t_.sorted->Slot(at)];
        if (column == UINT32_MAX) return {};
        varying.emplace_back(symbol, &run_.columns[column]);
        found = true;
      }
      if (!found) return {};
    }
    auto& tape = tapes_[expr.value];
    if (!tape) tape = std::make_unique<Tape>(pool_, std::span(&expr, 1));
    std::vector<double> out;
    for (const size_t r : rows_) {
      for (const auto& [symbol, column] : varying) SetValue(environment_, symbol, (*column)[r]);
      double value = 0;
      EvaluateDouble(*tape, environment_, workspace_, std::span(&value, 1));
      out.push_back(value);
    }
    return out;
  }

  const Translation& t_;
  const Trajectory& run_;
  const ExprPool& pool_;
  std::vector<uint32_t> column_;  // by slot
  std::vector<size_t> rows_;
  Environment<double> environment_;
  Workspace<double> workspace_;
  std::map<uint32_t, std::unique_ptr<Tape>> tapes_;
};

}  // namespace

EnergyItem FindEnergy(const Translation& t, const Trajectory& run, size_t most) {
  return EnergyFinder(t, run, most).Run();
}

}  // namespace cotree
