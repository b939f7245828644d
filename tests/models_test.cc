// SPDX-License-Identifier: Apache-2.0
// The models of the repository check clean, and those of tests/models are the networks of
// expected/networks.json: the same components with the same values, joined at the same nodes with the same
// signs. The comparison is made on the checked Model, edge by edge, so it does not read a .cot file the way
// its author did.

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "pipeline/build_graphs.h"
#include "pipeline/load_model.h"
#include "product_support.h"

namespace cotree {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// `whole`: also as a graph; ill-posed models are clean text all the same.
std::unique_ptr<LoadedModel> LoadClean(const fs::path& path, bool whole = true) {
  DiskReader reader;
  auto loaded = LoadModel(path.string(), reader);
  if (whole) BuildGraphs(*loaded);
  EXPECT_TRUE(loaded->readable) << path;
  EXPECT_TRUE(loaded->diagnostics.list().empty()) << test::Render(loaded->diagnostics, loaded->model.files);
  return loaded;
}

TEST(Models, ExamplesCheckCleanAndHaveAnExperiment) {
  const auto files = test::FilesBelow("examples", ".cot");
  EXPECT_GE(files.size(), 6u);
  for (const fs::path& path : files) {
    SCOPED_TRACE(path);
    const auto loaded = LoadClean(path);
    EXPECT_FALSE(loaded->model.experiments.empty());
    for (const ClassId system : loaded->model.systems) {
      bool run = false;
      for (const Experiment& e : loaded->model.experiments) run = run || e.system == system;
      EXPECT_TRUE(run) << "no experiment of " << loaded->model.Text(loaded->model[system].name);
    }
    EXPECT_TRUE(fs::exists(path.parent_path() / "README.md"));
  }
}

TEST(Models, TestModelsCheckClean) {
  const auto files = test::FilesBelow("tests/models", ".cot");
  EXPECT_GE(files.size(), 22u);
  for (const fs::path& path : files) {
    SCOPED_TRACE(path);
    if (path.stem().string().starts_with("err_")) continue;  // ill-posed on purpose: system_graph_test.cc
    LoadClean(path);
  }
}

TEST(Models, EveryLibraryClassBuildsInEveryModel) {
  NoReader reader;
  const auto loaded = LoadLibrary(reader);
  size_t built = 0;
  for (size_t i = 0; i < loaded->declarations->size(); ++i) {
    const DeclarationId id(i);
    const Declaration declaration = (*loaded->declarations)[id];
    if (declaration.kind != NodeKind::kComponent && declaration.kind != NodeKind::kSoftware) continue;
    const std::string name =
        loaded->model.Text(declaration.package) + "." + loaded->model.Text(declaration.name);
    const SyntaxTree& tree = loaded->declarations->TreeOf(id);
    std::vector<std::string> models;
    for (const NodeId child : tree.Children((*loaded->declarations)[id].node)) {
      if (tree.kind(child) == NodeKind::kModel) models.emplace_back(tree.Name(child));
    }
    if (models.empty()) models.emplace_back();
    for (const std::string& model : models) {
      const auto cls =
          BuildLibraryClass(loaded->model, *loaded->declarations, loaded->diagnostics, id, model);
      ++built;
      ASSERT_TRUE(cls.has_value()) << name << " as " << model;
      EXPECT_FALSE(loaded->model[*cls].documentation.empty()) << name << " has no documentation";
    }
  }
  EXPECT_TRUE(loaded->diagnostics.list().empty()) << test::Render(loaded->diagnostics, loaded->model.files);
  std::printf("library: %zu classes and models build clean\n", built);
  EXPECT_GE(built, 90u);
}

// --- The networks ------------------------------------------------------------------------------------

/** Which class stands for which element of the netlist (tests/models/README.md), and which of its parameters
 * is the element's value. */
struct Counterpart {
  std::string type;
  std::string parameter;  // none: sources and the op-amp
  bool reciprocal = false;
};
const std::map<std::string, Counterpart> kCounterparts = {
    {"SignalVoltageSource", {"V", "", false}},
    {"SignalPressureSource", {"V", "", false}},
    {"SignalCurrentSource", {"I", "", false}},
    {"SignalFlowSource", {"I", "", false}},
    {"SignalForceSource", {"I", "", false}},
    {"SignalTorqueSource", {"I", "", false}},
    {"VelocityForceSource", {"I", "", false}},
    {"SpeedTorqueSource", {"I", "", false}},
    {"Resistor", {"R", "R", false}},
    {"LaminarResistance", {"R", "R", false}},
    {"Damper", {"G", "d", false}},
    {"RotationalDamper", {"G", "d", false}},
    {"VelocityDamper", {"G", "d", false}},
    {"SpeedDamper", {"G", "d", false}},
    {"Capacitor", {"C", "C", false}},
    {"Tank", {"C", "C", false}},
    {"Mass", {"C", "m", false}},
    {"Inertia", {"C", "J", false}},
    {"VelocityMass", {"C", "m", false}},
    {"SpeedInertia", {"C", "J", false}},
    {"Inductor", {"L", "L", false}},
    {"Inertance", {"L", "L", false}},
    {"Spring", {"L", "k", true}},
    {"TorsionSpring", {"L", "k", true}},
    {"VelocitySpring", {"L", "k", true}},
    {"SpeedSpring", {"L", "k", true}},
    {"Transformer", {"TF", "n", false}},
    {"Gear", {"TF", "ratio", false}},
    {"Lever", {"TF", "ratio", false}},
    {"SpeedGear", {"TF", "ratio", false}},
    {"VelocityLever", {"TF", "ratio", false}},
    {"DCMotor", {"TF", "Kt", false}},
    {"SpeedMotor", {"TF", "Kt", false}},
    {"Gyrator", {"GY", "r", false}},
    {"Cylinder", {"CYL", "A", false}},
    {"VelocityCylinder", {"CYL", "A", false}},
    {"OpAmp", {"NULLOR", "", false}},
    {"VoltageControlledVoltageSource", {"VCVS", "gain", false}},
    {"VoltageControlledCurrentSource", {"VCCS", "transconductance", false}},
    {"CurrentControlledVoltageSource", {"CCVS", "transresistance", false}},
    {"CurrentControlledCurrentSource", {"CCCS", "gain", false}},
};

/** Vertices of a system: terminals of its instances and the references of the domains, joined by its
 * connections. */
class Vertices {
 public:
  Vertices(const Model& model, const ComponentClass& system) : model_(model) {
    for (const Instance& instance : system.instances) {
      first_.push_back(count_);
      count_ += model[instance.class_id].terminals.size();
    }
    domains_ = count_;
    parent_.resize(count_ + model.domains.size());
    std::iota(parent_.begin(), parent_.end(), size_t{0});
    for (const Connection& connection : system.connections) {
      if (connection.signal) continue;
      EXPECT_TRUE(connection.condition.IsNone());
      for (uint32_t i = 0; i < connection.endpoint_count; ++i) {
        const Endpoint& end = system.endpoints[connection.first_endpoint + i];
        EXPECT_NE(end.kind, Endpoint::Kind::kSignal);
        const size_t vertex = end.kind == Endpoint::Kind::kGround ? Reference(DomainId(end.member))
                                                                  : Terminal(end.instance, end.member);
        if (i > 0) Join(previous_, vertex);
        previous_ = vertex;
      }
    }
  }
  size_t Terminal(size_t instance, size_t terminal) const { return first_[instance] + terminal; }
  size_t Reference(DomainId domain) const { return domains_ + domain.index(); }
  size_t terminals() const { return count_; }
  size_t Root(size_t v) const {
    while (parent_[v] != v) v = parent_[v];
    return v;
  }
  void Join(size_t a, size_t b) { parent_[Root(a)] = Root(b); }
  std::set<size_t> Joined(size_t v) const {
    std::set<size_t> all;
    for (size_t i = 0; i < parent_.size(); ++i) {
      if (Root(i) == Root(v)) all.insert(i);
    }
    return all;
  }

 private:
  const Model& model_;
  std::vector<size_t> first_, parent_;
  size_t count_ = 0, domains_ = 0, previous_ = 0;
};

double ValueOf(const Json& value) {
  return value.is_string() ? std::strtod(value.get<std::string>().c_str(), nullptr) : value.get<double>();
}

/** Compares one system with one netlist. `edges` counts what was compared. */
class NetworkComparison {
 public:
  NetworkComparison(const LoadedModel& loaded, const Json& netlist)
      : model_(loaded.model),
        system_(model_[model_.systems.at(0)]),
        netlist_(netlist),
        vertices_(model_, system_) {
    for (size_t i = 0; i < system_.instances.size(); ++i)
      by_name_[model_.Text(system_.instances[i].name)] = i;
    for (const Json& component : netlist.at("components")) CompareComponent(component);
    CompareNodes();
    CompareInputs();
  }
  size_t edges() const { return ends_.size(); }

 private:
  size_t From(size_t instance, const Edge& edge) const { return vertices_.Terminal(instance, edge.from); }
  size_t To(size_t instance, const Edge& edge) const {
    return edge.to ? vertices_.Terminal(instance, *edge.to) : vertices_.Reference(edge.domain);
  }
  const ComponentClass& ClassOf(size_t instance) const {
    return model_[system_.instances[instance].class_id];
  }

  void CompareComponent(const Json& component) {
    const std::string id = component.at("id");
    SCOPED_TRACE(id);
    ASSERT_TRUE(by_name_.contains(id)) << "the netlist's component is not in the model";
    const size_t instance = by_name_.at(id);
    named_.insert(id);
    const ComponentClass& cls = ClassOf(instance);
    const auto counterpart = kCounterparts.find(model_.Text(cls.name));
    ASSERT_NE(counterpart, kCounterparts.end()) << model_.Text(cls.name);
    EXPECT_EQ(counterpart->second.type, component.at("type").get<std::string>());
    CompareValue(component, instance, counterpart->second);

    // Ports are edges in their order, behind that of the control.
    const Json& ports = component.at("ports");
    const size_t controls = component.contains("control") ? 1 : 0;
    ASSERT_EQ(cls.edges.size(), ports.size() + controls);
    if (controls == 1 && component["control"].is_array())
      AddEnds(instance, cls.edges[0], component["control"]);
    if (controls == 1 && component["control"].is_string())
      CompareControllingCurrent(instance, cls.edges[0], component["control"]);
    for (size_t k = 0; k < ports.size(); ++k) AddEnds(instance, cls.edges[k + controls], ports[k]);
  }

  void CompareValue(const Json& component, size_t instance, const Counterpart& counterpart) {
    ASSERT_EQ(component.contains("value"), !counterpart.parameter.empty());
    if (counterpart.parameter.empty()) return;
    const ComponentClass& cls = ClassOf(instance);
    for (uint16_t a = 0; a < system_.instances[instance].argument_count; ++a) {
      const Argument& argument = system_.arguments[system_.instances[instance].first_argument + a];
      if (model_.Text(cls.parameters[argument.parameter].name) != counterpart.parameter) continue;
      ASSERT_TRUE(model_.expressions.IsNumber(argument.value));
      const double value = model_.expressions.NumberValue(argument.value);
      EXPECT_DOUBLE_EQ(counterpart.reciprocal ? 1 / value : value, ValueOf(component.at("value")));
      return;
    }
    FAIL() << counterpart.parameter << " is not given";
  }

  void AddEnds(size_t instance, const Edge& edge, const Json& port) {
    ends_.push_back({From(instance, edge), port.at(0)});
    ends_.push_back({To(instance, edge), port.at(1)});
  }

  // The controlling edge is a short in series with the component whose current controls, in its direction:
  // between the two lies a vertex that belongs to them alone. Then it is left out by joining its ends.
  void CompareControllingCurrent(size_t instance, const Edge& control, const std::string& controlling) {
    ASSERT_TRUE(by_name_.contains(controlling));
    const size_t other = by_name_.at(controlling);
    const Edge& edge = ClassOf(other).edges.at(0);
    const std::set<size_t> behind{To(other, edge), From(instance, control)},
        before{To(instance, control), From(other, edge)};
    EXPECT_TRUE(vertices_.Joined(To(other, edge)) == behind || vertices_.Joined(From(other, edge)) == before)
        << "is not in series with " << controlling;
    shorts_.emplace_back(From(instance, control), To(instance, control));
  }

  void CompareNodes() {
    for (const auto& [a, b] : shorts_) vertices_.Join(a, b);
    std::map<size_t, std::string> node_of;
    std::map<std::string, size_t> root_of;
    std::set<size_t> seen;
    for (const auto& [vertex, node] : ends_) {
      seen.insert(vertex);
      const size_t root = vertices_.Root(vertex);
      EXPECT_EQ(node_of.emplace(root, node).first->second, node)
          << "two nodes of the netlist are one vertex here";
      EXPECT_EQ(root_of.emplace(node, root).first->second, root)
          << "node " << node << " of the netlist is two vertices here";
    }
    for (const auto& [a, b] : shorts_) seen.insert({a, b});
    // Grounds are references, and nothing else is.
    std::set<std::string> grounds;
    for (size_t d = 0; d < model_.domains.size(); ++d) {
      const auto found = node_of.find(vertices_.Root(vertices_.Reference(DomainId(d))));
      if (found != node_of.end()) grounds.insert(found->second);
    }
    EXPECT_EQ(grounds, netlist_.at("ground").get<std::set<std::string>>());
    // Every terminal was compared.
    for (size_t t = 0; t < vertices_.terminals(); ++t) EXPECT_TRUE(seen.contains(t));
  }

  // Every input of the netlist is driven by the signal <id>_u, and there is nothing else in the system.
  void CompareInputs() {
    std::set<std::string> driven;
    for (const Connection& connection : system_.connections) {
      if (!connection.signal) continue;
      ASSERT_EQ(connection.endpoint_count, 2u);
      const Endpoint &from = system_.endpoints[connection.first_endpoint],
                     &to = system_.endpoints[connection.first_endpoint + 1];
      const std::string target = model_.Text(system_.instances[to.instance].name);
      EXPECT_EQ(model_.Text(system_.instances[from.instance].name), target + "_u");
      driven.insert(target);
      named_.insert(target + "_u");
    }
    EXPECT_EQ(driven, netlist_.at("inputs").get<std::set<std::string>>());
    for (const auto& [name, instance] : by_name_)
      EXPECT_TRUE(named_.contains(name)) << name << " is not in the netlist";
  }

  const Model& model_;
  const ComponentClass& system_;
  const Json& netlist_;
  Vertices vertices_;
  std::map<std::string, size_t> by_name_;
  std::set<std::string> named_;
  std::vector<std::pair<size_t, std::string>> ends_;  // a vertex here, a node there
  std::vector<std::pair<size_t, size_t>> shorts_;
};

Json Networks() {
  return Json::parse(test::ReadText(test::kRoot / "tests/models/expected/networks.json"));
}

TEST(Models, NetworksAreThoseOfTheNetlists) {
  const std::set<std::string> mechanical{"hydraulic_cylinder_rigid", "motor_gear_flexible", "two_mass_free",
                                         "lever_masses"};
  const Json networks = Networks();
  size_t compared = 0, ends = 0;
  for (const Json& network : networks.at("cases")) {
    const std::string id = network.at("id");
    for (const std::string& name : {id, id + "_velocity"}) {
      if (name != id && !mechanical.contains(id)) continue;
      SCOPED_TRACE(name);
      const auto loaded =
          LoadClean(test::kRoot / "tests/models" / (name + ".cot"), !name.starts_with("err_"));
      ASSERT_EQ(loaded->model.systems.size(), 1u);
      ends += NetworkComparison(*loaded, network.at("netlist")).edges();
      // Ill-posed networks are refused by a later stage; all others have an experiment that shows the
      // netlist's outputs.
      if (id.rfind("err_", 0) != 0) {
        ASSERT_EQ(loaded->model.experiments.size(), 1u);
        EXPECT_EQ(loaded->model.experiments[0].plots.size(), network.at("netlist").at("outputs").size());
      }
      ++compared;
    }
  }
  std::printf("networks: %zu models agree with their netlists in components, values and %zu ends of edges\n",
              compared, ends);
  EXPECT_EQ(compared, 17u + 4u);
}

// The comparison itself: a swapped wire and a wrong value are seen.
TEST(Models, AWrongTranscriptionIsSeen) {
  const Json networks = Networks();
  const Json* netlist = nullptr;
  for (const Json& network : networks.at("cases")) {
    if (network.at("id") == "rc_lowpass") netlist = &network.at("netlist");
  }
  ASSERT_NE(netlist, nullptr);
  const std::string text = test::ReadText(test::kRoot / "tests/models/rc_lowpass.cot");
  const auto differs = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const size_t at = changed.find(from);
    if (at == std::string::npos) return false;
    changed.replace(at, from.size(), to);
    NoReader reader;
    const auto loaded = LoadModelText("changed.cot", changed, reader);
    EXPECT_TRUE(loaded->diagnostics.ok());
    testing::TestPartResultArray failures;
    {
      const testing::ScopedFakeTestPartResultReporter quiet(
          testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
      NetworkComparison(*loaded, *netlist);
    }
    return failures.size() > 0;
  };
  EXPECT_FALSE(differs("2 ohm", "2 ohm"));
  EXPECT_TRUE(differs("2 ohm", "3 ohm"));
  EXPECT_TRUE(differs("V.p -- R.p", "V.p -- R.n"));
  EXPECT_TRUE(differs("connect R.n -- C.p\n", "connect R.p -- C.p\n"));
  EXPECT_TRUE(differs(" -- electrical.ground", ""));
}

}  // namespace
}  // namespace cotree
