// SPDX-License-Identifier: Apache-2.0
// Random networks. Every terminal is connected, every island has its reference; for the rest they may be
// singular, and then they should be refused.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "oracle/network.h"

namespace cotree::oracle {

enum class Family : uint8_t {
  kRlc,         // R, G, L, C and sources
  kTwoPorts,    // also transformers, gyrators, coupled inductors
  kControlled,  // also controlled sources, half of them through signals
  kOpAmps,      // also ideal op-amps
  kMechanical,  // rotational and translational, with gears, levers, racks
  kHydraulic,
  kMixed,  // all domains with motors, cylinders, pumps, signals across domains
};
constexpr size_t kFamilies = 7;

inline const std::string& FamilyName(Family family) {
  static const std::string names[kFamilies] = {
      "RLC", "two-ports", "controlled sources", "op-amps", "mechanical", "hydraulic", "mixed"};
  return names[static_cast<size_t>(family)];
}

struct Node {
  Domain domain;
  int node;
  friend auto operator<=>(const Node&, const Node&) = default;
};

/// How many terminals each node has; node 0 counts its reference as one more.
inline std::map<Node, size_t> TerminalCounts(const Network& network) {
  std::map<Node, size_t> counts;
  for (const Terminal& t : TerminalsOf(network)) {
    ++counts.try_emplace({t.domain, t.node}, t.node == 0 ? 1u : 0u).first->second;
  }
  return counts;
}

inline void RenameNode(Network& network, Domain domain, int from, int to) {
  for (Element& e : network.elements) {
    for (Port& port : e.ports) {
      if (port.domain != domain) continue;
      if (port.plus == from) port.plus = to;
      if (port.minus == from) port.minus = to;
    }
  }
}

/// The nodes that no path of edges joins with their reference.
inline std::vector<Node> FloatingNodes(const Network& network) {
  std::map<Node, bool> grounded;
  for (const Element& e : network.elements) {
    for (const Port& port : e.ports) {
      grounded[{port.domain, port.plus}] |= port.plus == 0;
      grounded[{port.domain, port.minus}] |= port.minus == 0;
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const Element& e : network.elements) {
      for (const Port& port : e.ports) {
        bool &a = grounded[{port.domain, port.plus}], &b = grounded[{port.domain, port.minus}];
        if (a == b) continue;
        a = b = changed = true;
      }
    }
  }
  std::vector<Node> floating;
  for (const auto& [node, is_grounded] : grounded) {
    if (!is_grounded) floating.push_back(node);
  }
  return floating;
}

/// Whether every terminal is connected to something and every island has its reference.
inline bool IsConnected(const Network& network) {
  for (const auto& [node, count] : TerminalCounts(network)) {
    if (count < 2) return false;
  }
  return FloatingNodes(network).empty();
}

class RandomNetworkMaker {
 public:
  /// With `decimals`, values may be 0.1, 0.3, ... which no binary number is equal to.
  RandomNetworkMaker(uint32_t seed, bool decimals)
      : random_(seed * 2654435761u + 12345u), decimals_(decimals) {
    family_ = static_cast<Family>(seed % kFamilies);
    random_.discard(16);
  }

  Family family() const { return family_; }

  Network Make() {
    const size_t count = 3 + Below(random_, 12);
    switch (family_) {
      case Family::kRlc:
      case Family::kTwoPorts:
      case Family::kControlled:
      case Family::kOpAmps:
        nodes_[0] = static_cast<int>(1 + Below(random_, 1 + count / 2));
        break;
      case Family::kMechanical:
        if (Below(random_, 3) != 0) nodes_[1] = static_cast<int>(2 + Below(random_, 1 + count / 3));
        if (nodes_[1] == 0 || Below(random_, 2) == 0)
          nodes_[2] = static_cast<int>(2 + Below(random_, 1 + count / 3));
        break;
      case Family::kHydraulic:
        nodes_[3] = static_cast<int>(1 + Below(random_, 1 + count / 2));
        break;
      case Family::kMixed:
        for (int& nodes : nodes_) {
          if (Below(random_, 3) != 0) nodes = static_cast<int>(1 + Below(random_, 1 + count / 3));
        }
        if (nodes_[0] + nodes_[1] + nodes_[2] + nodes_[3] == 0) nodes_[0] = nodes_[1] = 2;
        break;
    }
    if (family_ == Family::kOpAmps) OpAmpStages(count);
    while (network_.elements.size() < count) AddOne();
    Connect();
    return network_;
  }

 private:
  size_t size() const { return network_.elements.size(); }
  bool Chance(size_t percent) { return Below(random_, 100) < percent; }
  bool Has(Domain d) const { return nodes_[static_cast<size_t>(d)] > 0; }
  Domain AnyDomain() {
    for (;;) {
      const auto d = static_cast<Domain>(Below(random_, kDomains));
      if (Has(d)) return d;
    }
  }

  Rational Value() {
    static const std::vector<Rational> dyadic = {{1, 1}, {1, 1}, {2, 1}, {2, 1}, {3, 1}, {4, 1},
                                                 {5, 1}, {6, 1}, {1, 2}, {1, 2}, {1, 4}, {3, 2},
                                                 {3, 4}, {5, 2}, {5, 4}, {7, 2}};
    static const std::vector<Rational> decimal = {{1, 10}, {1, 5}, {3, 10}, {2, 5}, {3, 5},
                                                  {7, 10}, {4, 5}, {9, 10}, {6, 5}, {11, 10}};
    const std::vector<Rational>& from = decimals_ && Chance(70) ? decimal : dyadic;
    return from[Below(random_, from.size())];
  }
  Rational SignedValue() {
    const Rational v = Value();
    return Chance(40) ? Rational{-v.num, v.den} : v;
  }

  int AnyNode(Domain d) {
    return static_cast<int>(Below(random_, static_cast<size_t>(nodes_[static_cast<size_t>(d)]) + 1));
  }
  Port AnyPort(Domain d) {
    Port port{d, AnyNode(d), AnyNode(d)};
    while (port.plus == port.minus && !Chance(2)) port.minus = AnyNode(d);
    return port;
  }

  Element& Put(Type type, std::vector<Port> ports, std::vector<Rational> values) {
    const std::string letter = type == Type::kSignalLink ? "X" : InfoOf(type).letter;
    Element e;
    e.type = type;
    e.name = letter + std::to_string(size() + 1);
    e.ports = std::move(ports);
    e.values = std::move(values);
    if (type != Type::kSignalLink && !InfoOf(type).signal_class.empty()) e.by_signal = Chance(50);
    network_.elements.push_back(std::move(e));
    return network_.elements.back();
  }
  /// A component of this type at random nodes with random values.
  void Put(Type type) {
    const TypeInfo& info = InfoOf(type);
    std::vector<Port> ports;
    for (const auto& p : info.ports) {
      // Several tries, as two ports side by side, or a port to the reference that is there already, are dull.
      Port port;
      for (int tries = 0; tries < 4; ++tries) {
        port = AnyPort(p.domain);
        if (p.minus.empty()) {
          port.minus = 0;
          while (port.plus == 0 && !Chance(3)) port.plus = AnyNode(p.domain);
        } else if (!ports.empty() && p.minus == info.ports[0].minus) {
          port.minus = ports[0].minus;
        }
        const bool beside = std::any_of(ports.begin(), ports.end(), [&](const Port& other) {
          return other.domain == port.domain &&
                 std::minmax(other.plus, other.minus) == std::minmax(port.plus, port.minus);
        });
        if (!beside && port.plus != port.minus) break;
      }
      ports.push_back(port);
    }
    std::vector<Rational> values;
    for (const auto& p : info.parameters) values.push_back(p.unit.empty() ? SignedValue() : Value());
    if (type == Type::kCoupledInductors) {
      // sqrt(L1*L2) is rational, and all are binary fractions.
      static const std::vector<std::array<Rational, 2>> pairs = {
          {{{1, 1}, {4, 1}}}, {{{1, 4}, {1, 1}}}, {{{2, 1}, {2, 1}}}, {{{1, 2}, {2, 1}}},
          {{{9, 4}, {1, 1}}}, {{{3, 1}, {3, 4}}}, {{{4, 1}, {9, 1}}}, {{{5, 1}, {5, 4}}}};
      static const std::vector<Rational> couplings = {{1, 1}, {1, 1},  {-1, 1}, {1, 2},
                                                      {3, 4}, {-1, 2}, {1, 4},  {0, 1}};
      const auto& pair = pairs[Below(random_, pairs.size())];
      values = {pair[0], pair[1], couplings[Below(random_, couplings.size())]};
      if (Chance(50)) std::swap(values[0], values[1]);
    }
    if (type == Type::kPiezoStack) {  // C > k*D^2, or equal: then the capacitance at rest is gone
      values[0] = {4, 1};
      values[1] = Chance(50) ? Rational{1, 1} : Rational{1, 2};
      values[2] = Chance(30) ? Rational{4, 1} : Rational{2, 1};
      if (Chance(40)) values[3] = {0, 1};
      if (Chance(40)) values[4] = {0, 1};
    }
    Put(type, std::move(ports), std::move(values));
  }

  Type Pick(const std::vector<std::pair<Type, size_t>>& weights) {
    size_t sum = 0;
    for (const auto& [type, weight] : weights) sum += weight;
    size_t at = Below(random_, sum);
    for (const auto& [type, weight] : weights) {
      if (at < weight) return type;
      at -= weight;
    }
    return weights[0].first;
  }

  void AddOneEdge(Domain d) {
    switch (d) {
      case Domain::kElectrical:
        return Put(Pick({{Type::kResistor, 4},
                         {Type::kConductor, 2},
                         {Type::kCapacitor, 5},
                         {Type::kInductor, 5},
                         {Type::kVoltageSource, 1},
                         {Type::kCurrentSource, 1}}));
      case Domain::kRotational:
        return Put(Pick({{Type::kInertia, 10},
                         {Type::kTorsionSpring, 8},
                         {Type::kRotationalDamper, 8},
                         {Type::kTorqueSource, 2},
                         {Type::kAngleSource, 1},
                         {Type::kSpeedSource, 1}}));
      case Domain::kTranslational:
        return Put(Pick({{Type::kMass, 10},
                         {Type::kSpring, 8},
                         {Type::kDamper, 8},
                         {Type::kForceSource, 2},
                         {Type::kPositionSource, 1},
                         {Type::kVelocitySource, 1}}));
      case Domain::kHydraulic:
        return Put(Pick({{Type::kTank, 5},
                         {Type::kLaminarResistance, 5},
                         {Type::kInertance, 4},
                         {Type::kPressureSource, 1},
                         {Type::kFlowSource, 1}}));
    }
  }

  void AddOne() {
    switch (family_) {
      case Family::kRlc:
        return AddOneEdge(Domain::kElectrical);
      case Family::kTwoPorts:
        if (Chance(70)) return AddOneEdge(Domain::kElectrical);
        return Put(Pick({{Type::kTransformer, 2}, {Type::kGyrator, 2}, {Type::kCoupledInductors, 2}}));
      case Family::kControlled:
        if (Chance(70)) return AddOneEdge(Domain::kElectrical);
        return AddControlled();
      case Family::kOpAmps:
        if (Chance(85)) return AddOneEdge(Domain::kElectrical);
        if (Chance(50)) return AddControlled();
        return Put(Pick({{Type::kTransformer, 1}, {Type::kGyrator, 1}, {Type::kOpAmp, 1}}));
      case Family::kMechanical: {
        if (Chance(80)) return AddOneEdge(AnyDomain());
        if (Chance(20)) return AddLink(AnyDomain(), AnyDomain());
        std::vector<std::pair<Type, size_t>> weights;
        if (Has(Domain::kRotational)) {
          weights.insert(weights.end(),
                         {{Type::kGear, 4}, {Type::kPlanetaryGear, 2}, {Type::kDifferential, 1}});
        }
        if (Has(Domain::kTranslational))
          weights.insert(weights.end(), {{Type::kLever, 3}, {Type::kPulley, 2}});
        if (Has(Domain::kRotational) && Has(Domain::kTranslational))
          weights.emplace_back(Type::kRackAndPinion, 5);
        return Put(Pick(weights));
      }
      case Family::kHydraulic:
        if (Chance(90)) return AddOneEdge(Domain::kHydraulic);
        return AddLink(Domain::kHydraulic, Domain::kHydraulic);
      case Family::kMixed: {
        if (Chance(60)) return AddOneEdge(AnyDomain());
        if (Chance(25)) return AddLink(AnyDomain(), AnyDomain());
        std::vector<std::pair<Type, size_t>> weights;
        const bool e = Has(Domain::kElectrical), r = Has(Domain::kRotational),
                   t = Has(Domain::kTranslational), h = Has(Domain::kHydraulic);
        if (e)
          weights.insert(weights.end(), {{Type::kTransformer, 1}, {Type::kGyrator, 1}, {Type::kVcvs, 1}});
        if (r) weights.emplace_back(Type::kGear, 1);
        if (t) weights.emplace_back(Type::kLever, 1);
        if (e && r)
          weights.insert(weights.end(),
                         {{Type::kDcMotor, 4}, {Type::kDcMotorStandard, 2}, {Type::kTachometer, 1}});
        if (e && t) weights.insert(weights.end(), {{Type::kLinearMotor, 3}, {Type::kPiezoStack, 2}});
        if (r && t) weights.emplace_back(Type::kRackAndPinion, 3);
        if (h && t) weights.emplace_back(Type::kCylinder, 4);
        if (h && r) weights.emplace_back(Type::kPump, 3);
        if (weights.empty()) return AddOneEdge(AnyDomain());
        return Put(Pick(weights));
      }
    }
  }

  /// Half of the controlled sources are components, the others go through signals.
  void AddControlled() {
    if (Chance(50)) {
      return Put(Pick({{Type::kVcvs, 1}, {Type::kVccs, 1}, {Type::kCcvs, 1}, {Type::kCccs, 1}}));
    }
    AddLink(Domain::kElectrical, Domain::kElectrical);
  }

  void AddLink(Domain from, Domain to) {
    Element link;
    const auto quantity = [&](Domain d) {
      const size_t which = Below(random_, IsMechanical(d) ? 3 : 2);
      return which == 0 ? Quantity::kAcross : which == 1 ? Quantity::kThrough : Quantity::kRate;
    };
    link.sensed = quantity(from);
    link.driven = quantity(to);
    link.block = Chance(75) ? Block::kGain : Chance(50) ? Block::kIntegrator : Block::kFirstOrder;
    std::vector<size_t> readable;
    for (size_t k = 0; k < size(); ++k) {
      const Element& e = network_.elements[k];
      if (e.type != Type::kSignalLink && e.ports.size() == 1 && e.ports[0].domain == from)
        readable.push_back(k);
    }
    std::vector<Port> ports{AnyPort(from), AnyPort(to)};
    if (!readable.empty() && Chance(link.sensed == Quantity::kThrough ? 70 : 30)) {
      link.reads = static_cast<int>(readable[Below(random_, readable.size())]);
      ports.erase(ports.begin());
    }
    Element& put = Put(Type::kSignalLink, std::move(ports), {SignedValue(), Value()});
    put.sensed = link.sensed;
    put.driven = link.driven;
    put.block = link.block;
    put.reads = link.reads;
  }

  /// Op-amps as they are used: with something from the output back to the inverting input.
  void OpAmpStages(size_t count) {
    const Domain d = Domain::kElectrical;
    const auto impedance = [&](int a, int b) {
      const Type type =
          Pick({{Type::kResistor, 3}, {Type::kCapacitor, 3}, {Type::kInductor, 1}, {Type::kConductor, 1}});
      Put(type, {{d, a, b}}, {Value()});
    };
    const size_t stages = 1 + Below(random_, std::max<size_t>(1, count / 4));
    int last = 1;
    Put(Type::kVoltageSource, {{d, 1, 0}}, {Value()});
    int nodes = 1;
    for (size_t k = 0; k < stages && size() + 3 <= count; ++k) {
      const int inverting = ++nodes, out = ++nodes;
      const int other = Chance(70) ? 0 : static_cast<int>(Below(random_, static_cast<size_t>(nodes) + 1));
      impedance(last, inverting);
      impedance(inverting,
                Chance(90) ? out : static_cast<int>(Below(random_, static_cast<size_t>(nodes) + 1)));
      Put(Type::kOpAmp, {{d, other, inverting}, {d, out, 0}}, {});
      last = out;
    }
    nodes_[0] = std::max(nodes_[0], nodes);
  }

  /// Joins nodes until everything is connected.
  void Connect() {
    for (int round = 0; round < 100; ++round) {
      bool changed = false;
      for (const auto& [node, count] : TerminalCounts(network_)) {
        if (node.node == 0 || count >= 2) continue;
        // Another node, if possible one that does not short the element.
        std::vector<int> others, good;
        const auto counts = TerminalCounts(network_);
        others.push_back(0);
        for (const auto& [o, c] : counts) {
          if (o.domain == node.domain && o.node != node.node && o.node != 0) others.push_back(o.node);
        }
        for (int other : others) {
          bool shorts = false;
          for (const Element& e : network_.elements) {
            for (const Port& port : e.ports) {
              if (port.domain != node.domain) continue;
              shorts |= (port.plus == node.node && port.minus == other) ||
                        (port.minus == node.node && port.plus == other);
            }
          }
          if (!shorts) good.push_back(other);
        }
        const std::vector<int>& from = good.empty() ? others : good;
        RenameNode(network_, node.domain, node.node, from[Below(random_, from.size())]);
        changed = true;
        break;
      }
      if (changed) continue;
      const std::vector<Node> floating = FloatingNodes(network_);
      if (floating.empty()) return;
      const Node chosen = floating[Below(random_, floating.size())];
      RenameNode(network_, chosen.domain, chosen.node, 0);
    }
  }

  std::mt19937 random_;
  bool decimals_;
  Family family_ = Family::kRlc;
  std::array<int, kDomains> nodes_{};  // besides the reference
  Network network_;
};

}  // namespace cotree::oracle
