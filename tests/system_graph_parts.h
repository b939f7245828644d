// SPDX-License-Identifier: Apache-2.0
// The components that random netlists are made of, with what their edges are by physics.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cotree::test {

/** An edge of a class as physics says: what the across and through orders are, and what fixes what. */
struct PartEdge {
  std::string name;
  int from, to;  // terminals; to = -1: the reference
  int across_order, through_order;
  std::string kinds;
  bool fixes_across = false, fixes_through = false;
};

struct PartClass {
  std::string name, arguments, domain;
  std::vector<std::string> terminals;
  std::vector<PartEdge> edges;
  std::string input_unit;                     // it has an input u of this unit
  std::vector<std::string> terminal_domains;  // where they differ
  int grounds = -1;                           // this terminal is the reference

  const std::string& DomainOf(int terminal) const {
    return terminal_domains.empty() ? domain : terminal_domains[static_cast<size_t>(terminal)];
  }
};

inline const std::vector<PartClass>& PartClasses() {
  static const std::vector<PartClass> all = [] {
    std::vector<PartClass> list;
    const auto two = [&](const std::string& name, const std::string& arguments, int across, int through,
                         const std::string& kinds, bool fixes_across = false, bool fixes_through = false,
                         const std::string& unit = {}) {
      list.push_back({name,
                      arguments,
                      "electrical",
                      {"p", "n"},
                      {{"e", 0, 1, across, through, kinds, fixes_across, fixes_through}},
                      unit,
                      {},
                      -1});
    };
    two("Resistor", "R = 2 ohm", 0, 0, "dissipates");
    two("Conductor", "G = 2 S", 0, 0, "dissipates");
    two("Capacitor", "C = 1 F", 1, 0, "stores");
    two("Inductor", "L = 1 H", 0, 1, "stores");
    two("VoltageSource", "V = 1 V", 0, -1, "drives", true);
    two("CurrentSource", "I = 1 A", -1, 0, "drives", false, true);
    two("SignalVoltageSource", "", 0, -1, "drives", true, false, "V");
    two("SignalCurrentSource", "", -1, 0, "drives", false, true, "A");
    two("VoltageSensor", "", -1, 0, "none", false, true);
    two("CurrentSensor", "", 0, -1, "none", true);
    two("Resistor", "R = 0 ohm", 0, -1, "none", true);
    two("Inductor", "L = 0 H", 0, -1, "none", true);
    two("Conductor", "G = 0 S", -1, 0, "none", false, true);
    two("Capacitor", "C = 0 F", -1, 0, "none", false, true);
    const auto four = [&](const std::string& name, const std::string& arguments, const PartEdge& a,
                          const PartEdge& b) {
      list.push_back({name, arguments, "electrical", {"p1", "n1", "p2", "n2"}, {a, b}, "", {}, -1});
    };
    for (const auto& [name, arguments] :
         {std::pair("Transformer", "n = 2"), std::pair("Gyrator", "r = 2 ohm")})
      four(name, arguments, {"primary", 0, 1, 0, 0, "couples"}, {"secondary", 2, 3, 0, 0, "couples"});
    four("VoltageControlledVoltageSource", "gain = 2", {"control", 0, 1, 0, 0, "couples", false, true},
         {"source", 2, 3, 0, -1, "drives, couples"});
    four("VoltageControlledCurrentSource", "transconductance = 2 S",
         {"control", 0, 1, 0, 0, "couples", false, true}, {"source", 2, 3, -1, 0, "drives, couples"});
    four("CurrentControlledVoltageSource", "transresistance = 2 ohm",
         {"control", 0, 1, 0, 0, "couples", true, false}, {"source", 2, 3, 0, -1, "drives, couples"});
    four("CurrentControlledCurrentSource", "gain = 2", {"control", 0, 1, 0, 0, "couples", true, false},
         {"source", 2, 3, -1, 0, "drives, couples"});
    list.push_back(
        {"OpAmp",
         "",
         "electrical",
         {"p", "n", "out"},
         {{"difference", 0, 1, 0, 0, "couples", true, true}, {"drive", 2, -1, -1, -1, "drives, couples"}},
         "",
         {},
         -1});
    list.push_back({"Ground", "", "electrical", {"p"}, {}, "", {}, 0});
    const auto one = [&](const std::string& domain, const std::string& name, const std::string& arguments,
                         int across, int through, const std::string& kinds, bool fixes_across = false,
                         bool fixes_through = false) {
      list.push_back({name,
                      arguments,
                      domain,
                      {"a"},
                      {{"e", 0, -1, across, through, kinds, fixes_across, fixes_through}},
                      "",
                      {},
                      -1});
    };
    const auto ab = [&](const std::string& domain, const std::string& name, const std::string& arguments,
                        int across, int through, const std::string& kinds, bool fixes_across = false,
                        bool fixes_through = false, const std::string& unit = {}) {
      list.push_back({name,
                      arguments,
                      domain,
                      {"a", "b"},
                      {{"e", 0, 1, across, through, kinds, fixes_across, fixes_through}},
                      unit,
                      {},
                      -1});
    };
    one("translational", "Mass", "m = 1 kg", 2, 0, "stores");
    one("translational", "Mass", "m = 0 kg", -1, 0, "none", false, true);
    one("translational", "AccelerationSensor", "", -1, 0, "none", false, true);
    ab("translational", "Spring", "k = 1 N/m", 0, 0, "stores");
    ab("translational", "Damper", "d = 1 N*s/m", 1, 0, "dissipates");
    ab("translational", "SpringDamper", "k = 1 N/m, d = 1 N*s/m", 1, 0, "stores, dissipates");
    ab("translational", "ForceSource", "force = 1 N", -1, 0, "drives", false, true);
    ab("translational", "VelocitySource", "velocity = 1 m/s", 1, -1, "drives", true);
    ab("translational", "SignalPositionSource", "", 0, -1, "drives", true, false, "m");
    ab("translational", "ForceSensor", "", 0, -1, "none", true);
    list.push_back({"Lever",
                    "ratio = 2",
                    "translational",
                    {"a", "b"},
                    {{"at_a", 0, -1, 0, 0, "couples"}, {"at_b", 1, -1, 0, 0, "couples"}},
                    "",
                    {},
                    -1});
    one("rotational", "Inertia", "J = 1 kg*m^2", 2, 0, "stores");
    one("rotational", "AngleSensor", "", -1, 0, "none", false, true);
    ab("rotational", "TorsionSpring", "k = 1 N*m/rad", 0, 0, "stores");
    ab("rotational", "RotationalDamper", "d = 1 N*m*s/rad", 1, 0, "dissipates");
    const auto motor = [&](const std::string& arguments, const PartEdge& armature, const PartEdge& rotor) {
      list.push_back({"DCMotor",
                      arguments,
                      "electrical",
                      {"p", "n", "shaft", "housing"},
                      {armature, rotor},
                      "",
                      {"electrical", "electrical", "rotational", "rotational"},
                      -1});
    };
    motor("Kt = 1 N*m/A, J = 1 kg*m^2", {"armature", 0, 1, 0, 1, "stores, dissipates, couples"},
          {"rotor", 2, 3, 2, 0, "stores, couples"});
    motor("Kt = 1 N*m/A, L = 0 H", {"armature", 0, 1, 0, 0, "dissipates, couples"},
          {"rotor", 2, 3, 1, 0, "couples"});
    return list;
  }();
  return all;
}

}  // namespace cotree::test
