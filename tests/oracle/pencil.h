// SPDX-License-Identifier: Apache-2.0
// The equations of a network as a matrix pencil s*E - A with integer entries, straight from the netlist.
//
// Unknowns: the potential of every node but the references, the through variable of every edge, the velocity
// of edges with inertia, the outputs of dynamic blocks. Equations: the sum of the through variables at every
// node but the references, and the laws of the elements, in which an across variable is written as a
// difference of potentials. Each row is multiplied by the common denominator of its coefficients.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "oracle/network.h"

namespace cotree::oracle {

/** (c0 + c1*s) at (row, column). */
struct PencilEntry {
  size_t row = 0, column = 0;
  int64_t c0 = 0, c1 = 0;
};

struct Pencil {
  size_t size = 0;
  std::vector<PencilEntry> entries;  // each place once, none is 0
};

inline Rational Times(Rational a, Rational b) {
  const Rational x = Reduced(a.num, b.den), y = Reduced(b.num, a.den);
  return Reduced(x.num * y.num, x.den * y.den);
}
inline Rational Plus(Rational a, Rational b) {
  const int64_t common = std::lcm(a.den, b.den);
  return Reduced(a.num * (common / a.den) + b.num * (common / b.den), common);
}
inline Rational Minus(Rational a) {
  return {-a.num, a.den};
}

/// Throws if the root is not rational.
inline Rational SquareRoot(Rational a) {
  const auto root = [](int64_t n) {
    int64_t r = static_cast<int64_t>(std::llround(std::sqrt(static_cast<double>(n))));
    if (r * r != n) throw std::logic_error("the root is not rational");
    return r;
  };
  return {root(a.num), root(a.den)};
}

/** Collects the equations; `Build` makes the pencil. */
class PencilBuilder {
 public:
  explicit PencilBuilder(const Network& network) : network_(network) {
    // Edges in the order of the elements and their ports.
    for (const Element& e : network.elements) {
      first_edge_.push_back(edges_.size());
      for (const Port& port : e.ports) edges_.push_back(port);
    }
    for (const Port& port : edges_) {
      for (int node : {port.plus, port.minus}) {
        if (node != 0) potential_.try_emplace({port.domain, node}, 0);
      }
    }
    for (auto& [node, column] : potential_) column = columns_++;
    for (size_t k = 0; k < edges_.size(); ++k) through_.push_back(columns_++);
  }

  Pencil Build() {
    for (const auto& [node, column] : potential_) {  // what goes into the edges at a node adds up to 0
      BeginRow();
      for (size_t k = 0; k < edges_.size(); ++k) {
        if (edges_[k].domain != node.first) continue;
        if (edges_[k].plus == node.second) Add(through_[k], {1, 1}, {0, 1});
        if (edges_[k].minus == node.second) Add(through_[k], {-1, 1}, {0, 1});
      }
    }
    for (size_t k = 0; k < network_.elements.size(); ++k) Laws(k);
    return Finish();
  }

 private:
  using Coefficient = std::pair<Rational, Rational>;  // c0, c1
  static constexpr Rational kZero{0, 1}, kOne{1, 1};

  void BeginRow() { rows_.emplace_back(); }
  void Add(size_t column, Rational c0, Rational c1) {
    Coefficient& at = rows_.back().try_emplace(column, kZero, kZero).first->second;
    at.first = Plus(at.first, c0);
    at.second = Plus(at.second, c1);
  }
  void Across(size_t edge, Rational c0, Rational c1 = kZero) {
    const Port& port = edges_[edge];
    if (port.plus != 0) Add(potential_.at({port.domain, port.plus}), c0, c1);
    if (port.minus != 0) Add(potential_.at({port.domain, port.minus}), Minus(c0), Minus(c1));
  }
  void Through(size_t edge, Rational c0, Rational c1 = kZero) { Add(through_[edge], c0, c1); }

  /// A new unknown w with w = s*x of the edge.
  size_t NewVelocity(size_t edge) {
    const size_t column = columns_++;
    BeginRow();
    Add(column, kOne, kZero);
    Across(edge, kZero, Minus(kOne));
    return column;
  }
  /// A law of a source: the quantity of the edge is prescribed; what prescribes it does not count.
  void Prescribe(size_t edge, Quantity quantity) {
    BeginRow();
    AddQuantity(edge, quantity, kOne);
  }
  void AddQuantity(size_t edge, Quantity quantity, Rational factor) {
    if (quantity == Quantity::kAcross) Across(edge, factor);
    if (quantity == Quantity::kRate) Across(edge, kZero, factor);
    if (quantity == Quantity::kThrough) Through(edge, factor);
  }
  /// x1 = ratio*x2, y2 = -ratio*y1.
  void TransformerLaw(size_t first, size_t second, Rational ratio) {
    BeginRow();
    Across(first, kOne);
    Across(second, Minus(ratio));
    BeginRow();
    Through(second, kOne);
    Through(first, ratio);
  }
  /// Edge `mechanical` of speed w = s*x and edge `other`: (its across) = factor*w, y = -factor*(its through).
  void MotorLaw(size_t other, size_t mechanical, Rational factor) {
    BeginRow();
    Across(other, kOne);
    Across(mechanical, kZero, Minus(factor));
    BeginRow();
    Through(mechanical, kOne);
    Through(other, factor);
  }
  /// (through of `other`) = factor*w, y = -factor*(its across).
  void DisplacementLaw(size_t other, size_t mechanical, Rational factor) {
    BeginRow();
    Through(other, kOne);
    Across(mechanical, kZero, Minus(factor));
    BeginRow();
    Through(mechanical, kOne);
    Across(other, factor);
  }

  void Laws(size_t index) {
    const Element& e = network_.elements[index];
    const size_t e1 = first_edge_[index], e2 = e1 + 1;
    const auto value = [&](size_t k) { return e.values.at(k); };
    switch (e.type) {
      case Type::kResistor:
      case Type::kLaminarResistance:  // x = R*y
        BeginRow();
        Across(e1, kOne);
        Through(e1, Minus(value(0)));
        break;
      case Type::kConductor:
      case Type::kTorsionSpring:
      case Type::kSpring:  // y = G*x
        BeginRow();
        Through(e1, kOne);
        Across(e1, Minus(value(0)));
        break;
      case Type::kCapacitor:
      case Type::kTank:
      case Type::kRotationalDamper:
      case Type::kDamper:  // y = C*s*x
        BeginRow();
        Through(e1, kOne);
        Across(e1, kZero, Minus(value(0)));
        break;
      case Type::kInductor:
      case Type::kInertance:  // x = L*s*y
        BeginRow();
        Across(e1, kOne);
        Through(e1, kZero, Minus(value(0)));
        break;
      case Type::kInertia:
      case Type::kMass: {  // y = m*s*w
        const size_t w = NewVelocity(e1);
        BeginRow();
        Through(e1, kOne);
        Add(w, kZero, Minus(value(0)));
        break;
      }
      case Type::kVoltageSource:
      case Type::kAngleSource:
      case Type::kPositionSource:
      case Type::kPressureSource:
        Prescribe(e1, Quantity::kAcross);
        break;
      case Type::kSpeedSource:
      case Type::kVelocitySource:
        Prescribe(e1, Quantity::kRate);
        break;
      case Type::kCurrentSource:
      case Type::kTorqueSource:
      case Type::kForceSource:
      case Type::kFlowSource:
        Prescribe(e1, Quantity::kThrough);
        break;
      case Type::kTransformer:
      case Type::kGear:
      case Type::kLever:
        TransformerLaw(e1, e2, value(0));
        break;
      case Type::kPlanetaryGear:  // x1 = -ratio*x2, y2 = ratio*y1
        TransformerLaw(e1, e2, Minus(value(0)));
        break;
      case Type::kPulley:  // x1 = -x2, y2 = y1
        TransformerLaw(e1, e2, Minus(kOne));
        break;
      case Type::kRackAndPinion:  // x2 = r*x1, y1 = -r*y2
        TransformerLaw(e2, e1, value(0));
        break;
      case Type::kDifferential: {  // x1 = ratio/2*(x2 + x3), y2 = y3 = -ratio/2*y1
        const Rational half = Times(value(0), {1, 2});
        BeginRow();
        Across(e1, kOne);
        Across(e2, Minus(half));
        Across(e2 + 1, Minus(half));
        for (size_t out : {e2, e2 + 1}) {
          BeginRow();
          Through(out, kOne);
          Through(e1, half);
        }
        break;
      }
      case Type::kGyrator:  // x1 = r*y2, x2 = -r*y1
        BeginRow();
        Across(e1, kOne);
        Through(e2, Minus(value(0)));
        BeginRow();
        Across(e2, kOne);
        Through(e1, value(0));
        break;
      case Type::kCoupledInductors: {  // x1 = s*(L1*y1 + M*y2), x2 = s*(M*y1 + L2*y2)
        const Rational mutual = Times(value(2), SquareRoot(Times(value(0), value(1))));
        BeginRow();
        Across(e1, kOne);
        Through(e1, kZero, Minus(value(0)));
        Through(e2, kZero, Minus(mutual));
        BeginRow();
        Across(e2, kOne);
        Through(e1, kZero, Minus(mutual));
        Through(e2, kZero, Minus(value(1)));
        break;
      }
      case Type::kVcvs:
      case Type::kVccs:
      case Type::kCcvs:
      case Type::kCccs: {
        const bool by_voltage = e.type == Type::kVcvs || e.type == Type::kVccs;
        const bool gives_voltage = e.type == Type::kVcvs || e.type == Type::kCcvs;
        Prescribe(
            e1, by_voltage ? Quantity::kThrough : Quantity::kAcross);  // the controlling edge: open or short
        BeginRow();
        AddQuantity(e2, gives_voltage ? Quantity::kAcross : Quantity::kThrough, kOne);
        AddQuantity(e1, by_voltage ? Quantity::kAcross : Quantity::kThrough, Minus(value(0)));
        break;
      }
      case Type::kOpAmp:  // x1 = 0, y1 = 0, nothing for the output
        Prescribe(e1, Quantity::kAcross);
        Prescribe(e1, Quantity::kThrough);
        break;
      case Type::kDcMotor:
      case Type::kLinearMotor:
        MotorLaw(e1, e2, value(0));
        break;
      case Type::kDcMotorStandard: {  // v = R*i + L*s*i + K*w, tau = J*s*w - K*i
        const size_t w = NewVelocity(e2);
        BeginRow();
        Across(e1, kOne);
        Through(e1, Minus(value(0)), Minus(value(1)));
        Add(w, Minus(value(2)), kZero);
        BeginRow();
        Through(e2, kOne);
        Add(w, kZero, Minus(value(3)));
        Through(e1, value(2));
        break;
      }
      case Type::kTachometer: {  // v = K*w + R*i, tau = J*s*w - K*i
        const size_t w = NewVelocity(e2);
        BeginRow();
        Across(e1, kOne);
        Add(w, Minus(value(0)), kZero);
        Through(e1, Minus(value(1)));
        BeginRow();
        Through(e2, kOne);
        Add(w, kZero, Minus(value(2)));
        Through(e1, value(0));
        break;
      }
      case Type::kPiezoStack: {  // i = (C - k*D^2)*s*v + k*D*w, f = m*s*w + d*w + k*(x - D*v)
        const Rational force = Times(value(2), value(1));
        const size_t w = NewVelocity(e2);
        BeginRow();
        Through(e1, kOne);
        Across(e1, kZero, Plus(Times(force, value(1)), Minus(value(0))));
        Add(w, Minus(force), kZero);
        BeginRow();
        Through(e2, kOne);
        Add(w, Minus(value(3)), Minus(value(4)));
        Across(e2, Minus(value(2)));
        Across(e1, force);
        break;
      }
      case Type::kCylinder:
      case Type::kPump:  // q = A*w, y = -A*p
        DisplacementLaw(e1, e2, value(0));
        break;
      case Type::kSignalLink:
        SignalLaw(index);
        break;
    }
  }

  void SignalLaw(size_t index) {
    const Element& e = network_.elements[index];
    const bool has_sensor = e.reads < 0;
    const size_t sensed = has_sensor ? first_edge_[index] : first_edge_[static_cast<size_t>(e.reads)];
    const size_t driven = first_edge_[index] + (has_sensor ? 1 : 0);
    if (has_sensor)
      Prescribe(sensed, e.sensed == Quantity::kThrough ? Quantity::kAcross : Quantity::kThrough);
    if (e.block == Block::kGain) {
      BeginRow();
      AddQuantity(driven, e.driven, kOne);
      AddQuantity(sensed, e.sensed, Minus(e.values.at(0)));
      return;
    }
    const size_t signal = columns_++;
    BeginRow();
    AddQuantity(driven, e.driven, kOne);
    Add(signal, Minus(kOne), kZero);
    BeginRow();
    if (e.block == Block::kIntegrator) Add(signal, kZero, kOne);
    if (e.block == Block::kFirstOrder) Add(signal, kOne, e.values.at(1));
    AddQuantity(sensed, e.sensed, Minus(e.values.at(0)));
  }

  Pencil Finish() const {
    Pencil pencil;
    pencil.size = columns_;
    if (rows_.size() != columns_) throw std::logic_error("as many equations as unknowns are needed");
    for (size_t row = 0; row < rows_.size(); ++row) {
      int64_t common = 1;
      for (const auto& [column, c] : rows_[row])
        common = std::lcm(common, std::lcm(c.first.den, c.second.den));
      for (const auto& [column, c] : rows_[row]) {
        const PencilEntry entry{row, column, c.first.num * (common / c.first.den),
                                c.second.num * (common / c.second.den)};
        if (entry.c0 != 0 || entry.c1 != 0) pencil.entries.push_back(entry);
      }
    }
    return pencil;
  }

  const Network& network_;
  std::vector<size_t> first_edge_;  // by element
  std::vector<Port> edges_;
  std::map<std::pair<Domain, int>, size_t> potential_;  // column
  std::vector<size_t> through_;                         // column
  size_t columns_ = 0;
  std::vector<std::map<size_t, Coefficient>> rows_;
};

inline Pencil PencilOf(const Network& network) {
  return PencilBuilder(network).Build();
}

}  // namespace cotree::oracle
