// SPDX-License-Identifier: Apache-2.0
#include "cli/mechanism_view.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/json.h"
#include "cli/text_table.h"
#include "drawing/describe_mechanism.h"

namespace cotree {
namespace {

constexpr size_t kMostRows = 300;

// The joint that is kept in place of one that is left out; none: it is not.
const Mechanism::Dropped* DroppedOf(const Mechanism& mechanism, uint32_t joint) {
  const auto at = std::find_if(mechanism.dropped.begin(), mechanism.dropped.end(),
                               [&](const Mechanism::Dropped& d) { return d.joint == joint; });
  return at == mechanism.dropped.end() ? nullptr : &*at;
}

std::string Rows(const TextTable& table, size_t all, const Console& console) {
  std::string text = table.Text("    ", console);
  if (all > kMostRows) text += fmt::format("    ... and {} more; --format json has all\n", all - kMostRows);
  return text;
}

}  // namespace

Mechanism ViewMechanism(Model& model, const SystemGraph& graph) {
  if (graph.refused || graph.frame_of_terminal.empty()) return {};
  const std::vector<ScalarElement> scalars = MakeScalars(model, graph);
  const ParameterTable parameters = FindParameters(model, graph, scalars);
  if (!parameters.missing.empty()) return {};
  Diagnostics findings;
  Mechanism mechanism = FindMechanism(model, graph, SpatialNumbers(model, graph, scalars, parameters),
                                      Coordinates::kAsChosen, findings);
  return findings.ok() ? mechanism : Mechanism{};
}

std::string MechanismText(const Model& model, const SystemGraph& graph, const Mechanism& mechanism,
                          const Console& console) {
  const std::string heading = "\n  " + console.Cyan("mechanics, in space") + ": ";
  if (mechanism.empty()) {
    if (graph.frame_of_terminal.empty()) return {};
    return heading + "cannot be shown; `cotree check` says what is wrong\n";
  }
  const auto name = [&](ComponentId id) { return ComponentName(model, graph, id); };
  const auto body = [&](uint32_t composite) { return CompositeName(model, graph, mechanism, composite); };
  const auto& composites = mechanism.composites;
  const auto& joints = mechanism.joints;
  std::string text = heading + Plural(composites.size() - 1, "rigid body", "rigid bodies") + ", " +
                     Plural(joints.size(), "joint");
  if (!mechanism.chords.empty()) text += ", " + Plural(mechanism.chords.size(), "loop");
  text += "\n";
  TextTable parts("ll");
  parts.Add({"rigid body", "made of"});
  for (uint32_t c = 0; c < composites.size() && parts.rows() <= kMostRows; ++c) {
    std::string members;
    for (const ComponentId id : composites[c].bodies) members += (members.empty() ? "" : ", ") + name(id);
    parts.Add({body(c), !members.empty() ? members : c == 0 ? "the world" : "no mass"});
  }
  text += Rows(parts, composites.size(), console);
  TextTable table("llllll");
  table.Add({"joint", "from", "", "to", "kind", "in the tree"});
  for (uint32_t k = 0; k < joints.size() && table.rows() <= kMostRows; ++k) {
    const SpatialJoint& joint = joints[k];
    if (joint.component.IsNone()) continue;  // only coordinates
    std::string role = RoleText(RoleOf(mechanism, k));
    if (const auto* dropped = DroppedOf(mechanism, k))
      role += ": has the axis of " + name(joints[dropped->kept].component);
    table.Add({name(joint.component), body(mechanism.frames[joint.a].composite), "->",
               body(mechanism.frames[joint.b].composite),
               model.Text(graph.ClassOf(model, joint.component).spatial), role});
  }
  text += "\n" + Rows(table, joints.size(), console);
  TextTable forces("lllll");
  forces.Add({"force", "from", "", "to", "class"});
  size_t exerting = 0;
  for (const SpatialElement& element : mechanism.elements) {
    if (!Exerts(model, graph, element) || ++exerting > kMostRows) continue;
    const auto [a, b] = EndsOf(mechanism, element);
    forces.Add({name(element.component), body(a), "->", body(b),
                model.Text(graph.ClassOf(model, element.component).name)});
  }
  if (exerting > 0) text += "\n" + Rows(forces, exerting, console);
  return text;
}

Json MechanismJson(const Model& model, const SystemGraph& graph, const Mechanism& mechanism) {
  if (mechanism.empty()) return nullptr;
  const auto name = [&](ComponentId id) { return ComponentName(model, graph, id); };
  Json bodies = Json::array(), joints = Json::array(), forces = Json::array(), gravity = Json::array();
  for (uint32_t c = 0; c < mechanism.composites.size(); ++c) {
    const CompositeBody& composite = mechanism.composites[c];
    Json parts = Json::array(), parent, joint;
    for (const ComponentId id : composite.bodies) parts.push_back(name(id));
    if (composite.parent != UINT32_MAX) {
      parent = composite.parent;
      const ComponentId id = mechanism.joints[composite.joint].component;
      if (!id.IsNone()) joint = name(id);
    }
    bodies.push_back({{"id", c},
                      {"name", CompositeName(model, graph, mechanism, c)},
                      {"parts", parts},
                      {"parent", parent},
                      {"joint", joint}});
  }
  for (uint32_t k = 0; k < mechanism.joints.size(); ++k) {
    const SpatialJoint& joint = mechanism.joints[k];
    if (joint.component.IsNone()) continue;  // only coordinates
    const auto* dropped = DroppedOf(mechanism, k);
    joints.push_back(
        {{"name", name(joint.component)},
         {"kind", model.Text(graph.ClassOf(model, joint.component).spatial)},
         {"from", mechanism.frames[joint.a].composite},
         {"to", mechanism.frames[joint.b].composite},
         {"role", RoleText(RoleOf(mechanism, k))},
         {"same_as",
          dropped == nullptr ? Json(nullptr) : Json(name(mechanism.joints[dropped->kept].component))}});
  }
  for (const SpatialElement& element : mechanism.elements) {
    if (!Exerts(model, graph, element)) continue;
    const auto [a, b] = EndsOf(mechanism, element);
    forces.push_back({{"name", name(element.component)},
                      {"class", model.Text(graph.ClassOf(model, element.component).name)},
                      {"from", a},
                      {"to", b}});
  }
  for (const ComponentId id : mechanism.gravity) gravity.push_back(name(id));
  return {{"bodies", bodies}, {"joints", joints}, {"forces", forces}, {"gravity", gravity}};
}

}  // namespace cotree
