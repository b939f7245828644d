// SPDX-License-Identifier: Apache-2.0
#include "drawing/describe_mechanism.h"

#include <algorithm>

namespace cotree {

JointRole RoleOf(const Mechanism& mechanism, uint32_t joint) {
  if (mechanism.joints[joint].in_tree) return JointRole::kBranch;
  const bool dropped = std::any_of(mechanism.dropped.begin(), mechanism.dropped.end(),
                                   [&](const Mechanism::Dropped& d) { return d.joint == joint; });
  return dropped ? JointRole::kLeftOut : JointRole::kChord;
}

const char* RoleText(JointRole role) {
  return role == JointRole::kBranch ? "branch" : role == JointRole::kChord ? "chord" : "left out";
}

std::string CompositeName(const Model& model, const SystemGraph& graph, const Mechanism& mechanism,
                          uint32_t composite) {
  if (composite == 0) return "mechanics.ground";
  const CompositeBody& body = mechanism.composites[composite];
  if (!body.bodies.empty()) return ComponentName(model, graph, body.bodies.front());
  const auto& frames = graph.frame_of_terminal;
  const auto slot =
      static_cast<uint32_t>(std::find(frames.begin(), frames.end(), body.frame) - frames.begin());
  const ComponentId owner = ComponentOfTerminal(graph, slot);
  return TerminalName(model, graph, owner, slot - graph.components[owner.index()].first_terminal);
}

bool Exerts(const Model& model, const SystemGraph& graph, const SpatialElement& element) {
  const auto& variables = graph.ClassOf(model, element.component).variables;
  return std::any_of(variables.begin(), variables.end(), [&](const Variable& v) {
    const std::string_view name = model.names.Text(v.name);
    return v.role != VariableRole::kExogenous &&
           (name == "f" || name == "t" || name == "f_a" || name == "t_a");
  });
}

std::pair<uint32_t, uint32_t> EndsOf(const Mechanism& mechanism, const SpatialElement& element) {
  const uint32_t a = mechanism.frames[element.a].composite;
  if (element.b == UINT32_MAX) return {0, a};
  return {a, mechanism.frames[element.b].composite};
}

}  // namespace cotree
