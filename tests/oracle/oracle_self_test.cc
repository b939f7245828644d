// SPDX-License-Identifier: Apache-2.0
// The oracle itself: known answers, two routes to the same poles, the comparison of poles.

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "oracle/check.h"
#include "oracle/eigenvalue_poles.h"
#include "oracle/exact_order.h"
#include "oracle/network.h"
#include "oracle/poles.h"
#include "oracle/random_network.h"

namespace cotree::oracle {
namespace {

nlohmann::json Reference() {
  for (const std::string& root : {std::string(COTREE_SOURCE_DIR) + "/", std::string(), std::string("../")}) {
    std::ifstream file(root + "tests/models/expected/networks.json");
    if (file) return nlohmann::json::parse(file);
  }
  ADD_FAILURE() << "no tests/models/expected/networks.json";
  return {};
}

Rational ParseDecimal(std::string text) {
  int64_t den = 1;
  const size_t e = text.find_first_of("eE");
  int exponent = 0;
  if (e != std::string::npos) {
    exponent = std::stoi(text.substr(e + 1));
    text.resize(e);
  }
  const size_t point = text.find('.');
  if (point != std::string::npos) {
    exponent -= static_cast<int>(text.size() - point - 1);
    text.erase(point, 1);
  }
  int64_t num = std::stoll(text);
  for (; exponent < 0; ++exponent) den *= 10;
  for (; exponent > 0; --exponent) num *= 10;
  return Reduced(num, den);
}
Rational ValueOf(const nlohmann::json& component) {
  if (!component.contains("value")) return {1, 1};
  const auto& value = component["value"];
  return ParseDecimal(value.is_string() ? value.get<std::string>() : value.dump());
}

/** A case of the file as a Network. Its across variables are velocities, so everything can be written in the
electrical domain; with `displacements` the parts of other domains are written in theirs. */
class CaseReader {
 public:
  CaseReader(const nlohmann::json& netlist, bool displacements)
      : netlist_(netlist), displacements_(displacements) {
    for (const auto& g : netlist["ground"]) node_[g] = 0;
    FindDomains();
    for (const auto& c : netlist["components"]) Add(c);
  }
  Network network;

 private:
  using Pair = std::pair<std::string, std::string>;
  Pair PairOf(const nlohmann::json& port) { return {port[0], port[1]}; }

  // The file does not name domains: TF with more than one ground joins electrical and rotational, CYL
  // hydraulic and translational. An island without coupler in a file with mechanical names is found by the
  // id.
  void FindDomains() {
    static const std::map<std::string, Domain> of_ground = {
        {"0", Domain::kElectrical}, {"h0", Domain::kHydraulic}, {"g", Domain::kTranslational}};
    for (const auto& g : netlist_["ground"]) {
      const auto at = of_ground.find(g);
      if (at != of_ground.end()) domain_[g] = at->second;
    }
    for (const auto& c : netlist_["components"]) {
      if (c["id"] == "M") domain_["g"] = Domain::kRotational;
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& c : netlist_["components"]) {
        for (const auto& port : c["ports"]) {
          const Pair p = PairOf(port);
          if (domain_.contains(p.first) == domain_.contains(p.second)) continue;
          const Domain d = domain_.contains(p.first) ? domain_[p.first] : domain_[p.second];
          domain_[p.first] = domain_[p.second] = d;
          changed = true;
        }
      }
    }
  }
  Domain DomainOf(const std::string& name) const {
    return displacements_ && domain_.contains(name) ? domain_.at(name) : Domain::kElectrical;
  }
  int NodeOf(const std::string& name) {
    return node_.try_emplace(name, static_cast<int>(node_.size())).first->second;
  }
  Port PortOf(const nlohmann::json& port) { return {DomainOf(port[0]), NodeOf(port[0]), NodeOf(port[1])}; }

  void Add(const nlohmann::json& c) {
    const std::string type = c["type"];
    Element e;
    e.name = c["id"];
    e.values = {ValueOf(c)};
    for (const auto& port : c["ports"]) e.ports.push_back(PortOf(port));
    const Domain d = e.ports[0].domain;
    const auto inverse = [&] { e.values[0] = Reduced(e.values[0].den, e.values[0].num); };
    if (type == "R" || type == "G") {
      e.type = type == "R" ? Type::kResistor : Type::kConductor;
      if (d == Domain::kHydraulic && type == "R") e.type = Type::kLaminarResistance;
      if (IsMechanical(d)) {
        EXPECT_EQ(type, "G");
        e.type = d == Domain::kRotational ? Type::kRotationalDamper : Type::kDamper;
      }
    } else if (type == "C") {
      e.type = d == Domain::kElectrical   ? Type::kCapacitor
               : d == Domain::kHydraulic  ? Type::kTank
               : d == Domain::kRotational ? Type::kInertia
                                          : Type::kMass;
    } else if (type == "L") {
      e.type = d == Domain::kElectrical   ? Type::kInductor
               : d == Domain::kHydraulic  ? Type::kInertance
               : d == Domain::kRotational ? Type::kTorsionSpring
                                          : Type::kSpring;
      if (IsMechanical(d)) inverse();
    } else if (type == "V") {
      EXPECT_FALSE(IsMechanical(d));
      e.type = d == Domain::kHydraulic ? Type::kPressureSource : Type::kVoltageSource;
    } else if (type == "I") {
      e.type = d == Domain::kElectrical   ? Type::kCurrentSource
               : d == Domain::kHydraulic  ? Type::kFlowSource
               : d == Domain::kRotational ? Type::kTorqueSource
                                          : Type::kForceSource;
    } else if (type == "TF") {
      const Domain second = e.ports[1].domain;
      e.type = d == Domain::kElectrical && second == Domain::kRotational ? Type::kDcMotor
               : d == Domain::kRotational                                ? Type::kGear
               : d == Domain::kTranslational                             ? Type::kLever
                                                                         : Type::kTransformer;
    } else if (type == "GY") {
      e.type = Type::kGyrator;
    } else if (type == "CYL") {
      e.type = Type::kCylinder;
      if (!displacements_) {  // y1 = A*x2, y2 = -A*x1 is a gyrator: x2 = y1/A, x1 = -y2/A
        e.type = Type::kGyrator;
        std::swap(e.ports[0], e.ports[1]);
        inverse();
      }
    } else if (type == "NULLOR") {
      e.type = Type::kOpAmp;
      e.values.clear();
    } else if (type == "VCVS" || type == "VCCS") {
      e.type = type == "VCVS" ? Type::kVcvs : Type::kVccs;
      e.ports.insert(e.ports.begin(), PortOf(c["control"]));
    } else if (type == "CCVS" || type == "CCCS") {
      e.type = Type::kSignalLink;  // reads the current of an element; the element must stand before it
      e.sensed = Quantity::kThrough;
      e.driven = type == "CCVS" ? Quantity::kAcross : Quantity::kThrough;
      for (size_t k = 0; k < network.elements.size(); ++k) {
        if (network.elements[k].name == c["control"]) e.reads = static_cast<int>(k);
      }
      EXPECT_GE(e.reads, 0);
    } else {
      ADD_FAILURE() << type;
    }
    network.elements.push_back(e);
  }

  const nlohmann::json& netlist_;
  bool displacements_;
  std::map<std::string, int> node_;
  std::map<std::string, Domain> domain_;
};

TEST(Oracle, GivesTheReferenceResults) {
  static const std::map<std::string, int> with_displacements = {
      {"motor_gear_flexible", 5}, {"two_mass_free", 4}, {"lever_masses", 2}, {"hydraulic_cylinder_rigid", 2}};
  size_t cases = 0;
  const nlohmann::json reference = Reference();
  for (const auto& c : reference["cases"]) {
    const std::string id = c["id"];
    SCOPED_TRACE(id);
    ++cases;
    const Network network = CaseReader(c["netlist"], false).network;
    const Pencil pencil = PencilOf(network);
    const ExactOrder exact = ExactOrderOf(pencil);
    if (c["expected"].contains("error")) {
      EXPECT_TRUE(exact.singular);
      continue;
    }
    EXPECT_FALSE(exact.singular);
    ASSERT_EQ(exact.order, c["expected"]["order"].get<int>());
    EXPECT_EQ(exact.zeros, c["expected"]["zero_eigenvalues"].get<int>());
    Poles expected;
    for (const auto& pole : c["expected"]["eigenvalues"]) expected.emplace_back(pole["re"], pole["im"]);
    const auto polynomial = PolynomialPoles(exact);
    ASSERT_TRUE(polynomial);
    EXPECT_EQ(ComparePoles(expected, *polynomial), "");
    EXPECT_EQ(ComparePoles(expected, EigenvaluePoles(pencil, exact.order).poles), "");
    if (!with_displacements.contains(id)) continue;
    const Network displaced = CaseReader(c["netlist"], true).network;
    const ExactOrder order = ExactOrderOf(displaced);
    ASSERT_EQ(order.order, with_displacements.at(id));
    while (expected.size() < static_cast<size_t>(order.order)) expected.emplace_back(0.0);
    EXPECT_EQ(ComparePoles(expected, *PolynomialPoles(order)), "");
  }
  EXPECT_EQ(cases, 17u);
}

TEST(Oracle, TextOfNumbersIsExact) {
  EXPECT_EQ(DecimalText({5, 4}), "1.25");
  EXPECT_EQ(DecimalText({-1, 2}), "-0.5");
  EXPECT_EQ(DecimalText({1, 1000}), "0.001");
  EXPECT_EQ(DecimalText({12, 1}), "12");
  EXPECT_EQ(DecimalText({0, 1}), "0");
  EXPECT_EQ(DecimalText({-9, 4}), "-2.25");
}

// --- Each law once, with a closed form
// ----------------------------------------------------------------------------------

constexpr Domain kE = Domain::kElectrical, kR = Domain::kRotational, kT = Domain::kTranslational,
                 kH = Domain::kHydraulic;

Element Make(Type type, std::vector<Port> ports, std::vector<Rational> values) {
  Element e;
  e.type = type;
  e.ports = std::move(ports);
  e.values = std::move(values);
  return e;
}
Element Link(std::vector<Port> ports, Quantity sensed, Block block, Quantity driven,
             std::vector<Rational> values, int reads = -1) {
  Element e = Make(Type::kSignalLink, std::move(ports), std::move(values));
  e.sensed = sensed;
  e.driven = driven;
  e.block = block;
  e.reads = reads;
  return e;
}
/// The roots of c[0] + c[1]*s + c[2]*s^2, and `zeros` times 0.
Poles Roots(double c0, double c1, double c2, int zeros = 0) {
  Poles poles;
  poles.reserve(8);
  for (int k = 0; k < zeros; ++k) poles.emplace_back(0.0, 0.0);
  if (c2 == 0) {
    poles.emplace_back(-c0 / c1, 0.0);
    return poles;
  }
  const std::complex<double> root = std::sqrt(std::complex<double>(c1 * c1 - 4 * c0 * c2));
  for (double sign : {-1.0, 1.0}) poles.push_back((-c1 + sign * root) / (2 * c2));
  return poles;
}
void ExpectPoles(const std::string& what, std::vector<Element> elements, const Poles& expected) {
  SCOPED_TRACE(what);
  const Network network{std::move(elements)};
  const ExactOrder exact = ExactOrderOf(network);
  ASSERT_FALSE(exact.singular);
  ASSERT_EQ(exact.order, static_cast<int>(expected.size()));
  const auto poles = PolynomialPoles(exact);
  ASSERT_TRUE(poles);
  EXPECT_EQ(ComparePoles(expected, *poles), "");
}

TEST(Oracle, LawsOfElectricalElements) {
  const Port a{kE, 1, 0}, b{kE, 2, 0}, ab{kE, 1, 2};
  ExpectPoles("R C", {Make(Type::kResistor, {a}, {{2, 1}}), Make(Type::kCapacitor, {a}, {{3, 1}})},
              {-1.0 / 6});
  ExpectPoles("G L", {Make(Type::kConductor, {a}, {{2, 1}}), Make(Type::kInductor, {a}, {{3, 1}})},
              {-1.0 / 6});
  ExpectPoles("V C loop", {Make(Type::kVoltageSource, {a}, {{1, 1}}), Make(Type::kCapacitor, {a}, {{3, 1}})},
              {});
  ExpectPoles("I L cut-set",
              {Make(Type::kCurrentSource, {a}, {{1, 1}}), Make(Type::kInductor, {a}, {{3, 1}})}, {});
  // n = 3: C1 + C2/9 seen at side 1, with R there.
  ExpectPoles("transformer",
              {Make(Type::kTransformer, {a, b}, {{3, 1}}), Make(Type::kCapacitor, {a}, {{2, 1}}),
               Make(Type::kCapacitor, {b}, {{9, 1}}), Make(Type::kResistor, {a}, {{5, 1}})},
              {-1.0 / 15});
  ExpectPoles("gyrator",
              {Make(Type::kGyrator, {a, b}, {{2, 1}}), Make(Type::kCapacitor, {a}, {{3, 1}}),
               Make(Type::kCapacitor, {b}, {{5, 1}})},
              Roots(1.0 / (4 * 15), 0, 1));
  const auto coupled = [&](Rational k) {
    return std::vector<Element>{Make(Type::kCoupledInductors, {a, b}, {{1, 1}, {4, 1}, k}),
                                Make(Type::kResistor, {a}, {{2, 1}}), Make(Type::kResistor, {b}, {{3, 1}})};
  };
  ExpectPoles("coupled", coupled({1, 2}), Roots(6, 2 * 4 + 3 * 1, 4 - 1));
  ExpectPoles("coupled, k = 1", coupled({1, 1}), Roots(6, 11, 0));
  ExpectPoles("coupled, k = -1", coupled({-1, 1}), Roots(6, 11, 0));
  ExpectPoles("VCCS", {Make(Type::kVccs, {a, a}, {{3, 1}}), Make(Type::kCapacitor, {a}, {{2, 1}})}, {-1.5});
  // The current of the coil goes through the controlling edge from node 1 to node 2, and through the source.
  ExpectPoles("CCVS", {Make(Type::kCcvs, {ab, b}, {{3, 1}}), Make(Type::kInductor, {{kE, 0, 1}}, {{2, 1}})},
              {-1.5});
  // i of R through the controlling edge; C sees (1 + 3)*i.
  ExpectPoles("CCCS",
              {Make(Type::kCccs, {ab, a}, {{3, 1}}), Make(Type::kResistor, {b}, {{2, 1}}),
               Make(Type::kCapacitor, {a}, {{5, 1}})},
              {-0.4});
  // C between node 1 and 3 times node 1: (1 - 3)*C.
  ExpectPoles("VCVS",
              {Make(Type::kVcvs, {a, b}, {{3, 1}}), Make(Type::kCapacitor, {ab}, {{1, 1}}),
               Make(Type::kResistor, {a}, {{1, 2}})},
              {1.0});
  // Integrator, inverted and led back: s = -1/(R*C) with a follower of gain -1 would be unstable; here a
  // lossy one.
  ExpectPoles("op-amp",
              {Make(Type::kOpAmp, {{kE, 0, 1}, b}, {}), Make(Type::kCapacitor, {ab}, {{2, 1}}),
               Make(Type::kResistor, {ab}, {{3, 1}}), Make(Type::kResistor, {a}, {{7, 1}})},
              {-1.0 / 6});
}

TEST(Oracle, LawsOfMechanicalElements) {
  const Port r1{kR, 1, 0}, r2{kR, 2, 0}, r3{kR, 3, 0}, t1{kT, 1, 0}, t2{kT, 2, 0};
  ExpectPoles("mass alone", {Make(Type::kMass, {t1}, {{3, 1}})}, {0.0, 0.0});
  ExpectPoles("mass, spring, damper",
              {Make(Type::kMass, {t1}, {{3, 1}}), Make(Type::kDamper, {t1}, {{2, 1}}),
               Make(Type::kSpring, {t1}, {{5, 1}})},
              Roots(5, 2, 3));
  ExpectPoles("inertia, damper",
              {Make(Type::kInertia, {r1}, {{3, 1}}), Make(Type::kRotationalDamper, {r1}, {{2, 1}})},
              {0.0, -2.0 / 3});
  ExpectPoles("inertia, spring",
              {Make(Type::kInertia, {r1}, {{3, 1}}), Make(Type::kTorsionSpring, {r1}, {{2, 1}})},
              Roots(2, 0, 3));
  ExpectPoles("spring, damper", {Make(Type::kSpring, {t1}, {{3, 1}}), Make(Type::kDamper, {t1}, {{2, 1}})},
              {-1.5});
  ExpectPoles("held", {Make(Type::kPositionSource, {t1}, {{1, 1}}), Make(Type::kMass, {t1}, {{2, 1}})}, {});
  ExpectPoles("driven", {Make(Type::kSpeedSource, {r1}, {{1, 1}}), Make(Type::kInertia, {r1}, {{2, 1}})},
              {0.0});
  ExpectPoles("gear",
              {Make(Type::kGear, {r1, r2}, {{3, 1}}), Make(Type::kInertia, {r1}, {{2, 1}}),
               Make(Type::kTorsionSpring, {r2}, {{5, 1}})},
              Roots(5, 0, 2 * 9));
  ExpectPoles("lever",
              {Make(Type::kLever, {t1, t2}, {{-3, 1}}), Make(Type::kMass, {t1}, {{2, 1}}),
               Make(Type::kSpring, {t2}, {{5, 1}})},
              Roots(5, 0, 2 * 9));
  // s(a) = 2*s(axle) with b fixed.
  ExpectPoles("pulley",
              {Make(Type::kPulley, {{kT, 1, 2}, {kT, 0, 2}}, {}), Make(Type::kMass, {t2}, {{3, 1}}),
               Make(Type::kSpring, {t1}, {{5, 1}})},
              Roots(4 * 5, 0, 3));
  // The ring is fixed: phi(sun) = (1 + ratio)*phi(carrier).
  ExpectPoles("planetary gear",
              {Make(Type::kPlanetaryGear, {{kR, 1, 2}, {kR, 0, 2}}, {{2, 1}}),
               Make(Type::kInertia, {r1}, {{3, 1}}), Make(Type::kTorsionSpring, {r2}, {{5, 1}})},
              Roots(5, 0, 3 * 9));
  ExpectPoles("differential",
              {Make(Type::kDifferential, {r1, r2, r3}, {{3, 1}}), Make(Type::kInertia, {r1}, {{2, 1}}),
               Make(Type::kTorsionSpring, {r2}, {{5, 1}}), Make(Type::kTorsionSpring, {r3}, {{5, 1}})},
              Roots(2 * 5, 0, 9 * 2));
  ExpectPoles("rack",
              {Make(Type::kRackAndPinion, {r1, t1}, {{3, 1}}), Make(Type::kInertia, {r1}, {{2, 1}}),
               Make(Type::kSpring, {t1}, {{5, 1}})},
              Roots(5 * 9, 0, 2));
}

TEST(Oracle, LawsBetweenDomains) {
  const Port e1{kE, 1, 0}, r1{kR, 1, 0}, t1{kT, 1, 0}, h1{kH, 1, 0};
  ExpectPoles("tank", {Make(Type::kTank, {h1}, {{2, 1}}), Make(Type::kLaminarResistance, {h1}, {{3, 1}})},
              {-1.0 / 6});
  ExpectPoles("pipe", {Make(Type::kTank, {h1}, {{2, 1}}), Make(Type::kInertance, {h1}, {{3, 1}})},
              Roots(1, 0, 6));
  ExpectPoles("motor",
              {Make(Type::kDcMotor, {e1, r1}, {{3, 1}}), Make(Type::kInductor, {e1}, {{2, 1}}),
               Make(Type::kInertia, {r1}, {{5, 1}})},
              Roots(9, 0, 10, 1));
  ExpectPoles("linear motor",
              {Make(Type::kLinearMotor, {e1, t1}, {{3, 1}}), Make(Type::kResistor, {e1}, {{2, 1}}),
               Make(Type::kMass, {t1}, {{5, 1}})},
              {0.0, -0.9});
  ExpectPoles("standard motor, shorted",
              {Make(Type::kDcMotorStandard, {{kE, 0, 0}, r1}, {{2, 1}, {3, 1}, {5, 1}, {7, 1}})},
              Roots(25, 2 * 7, 3 * 7, 1));
  ExpectPoles("tachometer, shorted", {Make(Type::kTachometer, {{kE, 0, 0}, r1}, {{3, 1}, {2, 1}, {5, 1}})},
              {0.0, -0.9});
  // Shorted, a piezo is its spring and mass; open, its charge 0 = (C - k*D^2)*v + k*D*x is kept: stiffer.
  ExpectPoles("piezo, shorted",
              {Make(Type::kPiezoStack, {{kE, 0, 0}, t1}, {{4, 1}, {1, 2}, {2, 1}, {1, 1}, {3, 1}})},
              Roots(2, 1, 3));
  ExpectPoles("piezo, open",
              {Make(Type::kPiezoStack, {e1, t1}, {{4, 1}, {1, 2}, {2, 1}, {1, 1}, {3, 1}}),
               Make(Type::kCurrentSource, {e1}, {{1, 1}})},
              Roots(2 + 1.0 / 3.5, 1, 3, 1));
  ExpectPoles("cylinder",
              {Make(Type::kCylinder, {h1, t1}, {{3, 1}}), Make(Type::kTank, {h1}, {{2, 1}}),
               Make(Type::kMass, {t1}, {{5, 1}})},
              Roots(9, 0, 10, 1));
  ExpectPoles("pump",
              {Make(Type::kPump, {h1, r1}, {{3, 1}}), Make(Type::kLaminarResistance, {h1}, {{2, 1}}),
               Make(Type::kInertia, {r1}, {{5, 1}})},
              {0.0, -9 * 2 / 5.0});
}

TEST(Oracle, LawsOfSignals) {
  const Port e1{kE, 1, 0}, t1{kT, 1, 0};
  const Element c = Make(Type::kCapacitor, {e1}, {{2, 1}});
  const auto from_voltage = [&](Block block) {
    return Link({e1, e1}, Quantity::kAcross, block, Quantity::kThrough, {{3, 1}, {5, 1}});
  };
  ExpectPoles("gain", {c, from_voltage(Block::kGain)}, {-1.5});
  ExpectPoles("integrator", {c, from_voltage(Block::kIntegrator)}, Roots(3, 0, 2));
  ExpectPoles("first order", {c, from_voltage(Block::kFirstOrder)}, Roots(3, 2, 10));
  ExpectPoles("reading a current",
              {c, Make(Type::kResistor, {e1}, {{7, 1}}),
               Link({e1}, Quantity::kThrough, Block::kGain, Quantity::kThrough, {{3, 1}, {1, 1}}, 1)},
              {-4.0 / 14});
  ExpectPoles("speed to force",
              {Make(Type::kMass, {t1}, {{2, 1}}),
               Link({t1, t1}, Quantity::kRate, Block::kGain, Quantity::kThrough, {{3, 1}, {1, 1}})},
              {0.0, -1.5});
  ExpectPoles("voltage to speed",
              {c, Make(Type::kResistor, {e1}, {{1, 2}}),
               Link({e1, t1}, Quantity::kAcross, Block::kGain, Quantity::kRate, {{3, 1}, {1, 1}})},
              {-1.0, 0.0});
}

// Laws that the pencil must obey, whatever the network: (1) both routes give the same poles; (2) swapping
// plus and minus of elements with one edge changes nothing; (3) renaming nodes changes nothing.
TEST(Oracle, RandomNetworksTwoRoutes) {
  size_t compared = 0, singular = 0, unknown = 0, differ = 0;
  std::map<std::string, std::pair<size_t, size_t>> families;
  std::map<int, size_t> orders;
  const uint32_t count = LongTests() ? 5000 : 700;
  for (uint32_t seed = 1; seed <= count; ++seed) {
    RandomNetworkMaker maker(seed, seed % 5 == 0);
    const Network network = maker.Make();
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + FamilyName(maker.family()) + "\n" +
                 NetworkText(network));
    ASSERT_TRUE(IsConnected(network));
    const Pencil pencil = PencilOf(network);
    const ExactOrder exact = ExactOrderOf(pencil);
    auto& family = families[FamilyName(maker.family())];
    ++family.first;
    if (exact.singular) {
      ++singular;
      ++family.second;
      continue;
    }
    ++orders[exact.order];
    Network turned = network;
    for (Element& e : turned.elements) {
      if (e.ports.size() == 1 && e.type != Type::kSignalLink && !InfoOf(e.type).ports[0].minus.empty()) {
        bool read = false;
        for (const Element& other : turned.elements) {
          read |= other.reads >= 0 && &turned.elements[static_cast<size_t>(other.reads)] == &e;
        }
        if (!read) std::swap(e.ports[0].plus, e.ports[0].minus);
      }
      for (Port& port : e.ports) {
        if (port.plus != 0) port.plus = 100 - port.plus;
        if (port.minus != 0) port.minus = 100 - port.minus;
      }
    }
    const ExactOrder same = ExactOrderOf(turned);
    EXPECT_EQ(same.order, exact.order);
    EXPECT_EQ(same.zeros, exact.zeros);
    const auto polynomial = PolynomialPoles(exact);
    if (!polynomial) {
      ++unknown;
      continue;
    }
    const EigenvalueResult result = EigenvaluePoles(pencil, exact.order);
    double condition = 1;
    for (double c : result.condition) condition = std::max(condition, c);
    if (result.gap < 1e3) {  // infinite poles in long chains: the routes cannot be compared
      ++differ;
      continue;
    }
    ++compared;
    EXPECT_EQ(ComparePoles(*polynomial, result.poles, std::min(condition, 1e4)), "")
        << condition << " " << result.gap;
  }
  std::cout << "compared " << compared << ", singular " << singular << ", without polynomial " << unknown
            << ", eigenvalues not separated " << differ << "\n";
  for (const auto& [name, c] : families)
    std::cout << name << ": " << c.first << ", singular " << c.second << "\n";
  std::cout << "orders:";
  for (const auto& [order, n] : orders) std::cout << " " << order << ":" << n;
  std::cout << std::endl;
  EXPECT_EQ(unknown, 0u);
}

TEST(ComparePoles, TellsWhatDiffers) {
  using C = std::complex<double>;
  EXPECT_EQ(ComparePoles({}, {}), "");
  EXPECT_EQ(ComparePoles({C(-1), C(-2)}, {C(-2), C(-1)}), "");
  EXPECT_NE(ComparePoles({C(-1), C(-2)}, {C(-2), C(-2)}), "");
  EXPECT_NE(ComparePoles({C(-1)}, {C(-1 + 1e-7)}), "");
  EXPECT_EQ(ComparePoles({C(-1)}, {C(-1 + 1e-11)}), "");
  EXPECT_NE(ComparePoles({C(-1)}, {}), "");
  // A double zero, as a solver finds it.
  EXPECT_EQ(ComparePoles({C(0), C(0), C(-3)}, {C(0, 1e-8), C(-3), C(0, -1e-8)}), "");
  EXPECT_NE(ComparePoles({C(0), C(0), C(-3)}, {C(1e-5, 0), C(-3), C(0, 0)}), "");
  EXPECT_NE(ComparePoles({C(0), C(0)}, {C(0.1, 0), C(-0.1, 0)}), "");
  // A triple pole.
  EXPECT_EQ(ComparePoles({C(-1), C(-1), C(-1)},
                         {C(-1 + 1e-5), C(-1 - 0.5e-5, 0.866e-5), C(-1 - 0.5e-5, -0.866e-5)}),
            "");
}

}  // namespace
}  // namespace cotree::oracle
