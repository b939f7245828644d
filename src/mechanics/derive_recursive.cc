// SPDX-License-Identifier: Apache-2.0
#include "mechanics/motion_builder.h"

namespace cotree {
namespace {

SymMat CrossMatrix(const SymVec& r) {
  SymMat out;
  out[0][1] = -r[2], out[1][0] = r[2];
  out[0][2] = r[1], out[2][0] = -r[1];
  out[1][2] = -r[0], out[2][1] = r[0];
  return out;
}

SymMat Less(const SymMat& a, const SymMat& b) {
  SymMat out;
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) out[i][j] = a[i][j] - b[i][j];
  }
  return out;
}

SymMat Outer(const SymVec& a, const SymVec& b, const Sym& scale) {
  SymMat out;
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) out[i][j] = a[i] * b[j] * scale;
  }
  return out;
}

/* What a body with all it carries answers to an acceleration when the freedoms behind it are left free:
force = A*linear + B*angular, torque = B'*linear + C*angular. */
struct Articulated {
  SymMat A, B, C;
};

}  // namespace

// The recursive form: articulated inertias inwards, freedoms eliminated one by one, accelerations outwards.
// Work and size grow linearly with the number of bodies (Featherstone).
void MotionBuilder::AddRecursive() {
  const size_t count = mechanism_.composites.size();
  std::vector<Articulated> inertia(count);
  std::vector<Wrench> bias(count);
  struct Eliminated {
    SymVec force, torque;  // that its unit acceleration needs
    Sym own;               // of them what it works against itself
    Sym load;              // without accelerations
  };
  std::vector<Eliminated> eliminated(freedoms_.size());
  for (uint32_t c = 1; c < count; ++c) {
    const MassProperties<Sym>& m = mass_[c];
    for (size_t k = 0; k < 3; ++k) inertia[c].A[k][k] = m.m;
    inertia[c].B = Transpose(CrossMatrix(m.h));
    inertia[c].C = m.inertia;
    const SymVec w = Velocity(c).angular;
    bias[c] = {Cross(w, Cross(w, m.h)) - external_[c].force, Cross(w, m.inertia * w) - external_[c].torque};
  }
  for (size_t number = count; number-- > 1;) {
    const auto c = static_cast<uint32_t>(number);
    const Home home(*this, c);
    const Link& link = links_[c];
    const std::string& name = link.name;
    Articulated I = {Let(name + ".A", inertia[c].A, true), Let(name + ".B", inertia[c].B),
                     Let(name + ".C", inertia[c].C, true)};
    Wrench p = {Let(name + ".bias_force", bias[c].force), Let(name + ".bias_torque", bias[c].torque)};
    for (uint32_t f = link.first; f < link.first + link.count; ++f) {
      const Freedom& freedom = freedoms_[f];
      const std::string own = name + (link.count > 1 ? "." + std::to_string(f - link.first + 1) : "");
      Eliminated& e = eliminated[f];
      e.force = Let(own + ".Uf", I.A * freedom.linear + I.B * freedom.angular);
      e.torque = Let(own + ".Ut", Transpose(I.B) * freedom.linear + I.C * freedom.angular);
      e.own = Let(own + ".D", Dot(freedom.linear, e.force) + Dot(freedom.angular, e.torque));
      e.load = Let(own + ".p", Dot(freedom.linear, p.force) + Dot(freedom.angular, p.torque));
      const Sym inverse = Let(own + ".1/D", Sym(1) / e.own);
      const Sym free = Let(own + ".u", (DriveOf(freedom) + drives_[f] - e.load) * inverse);
      I = {Let(own + ".A'", Less(I.A, Outer(e.force, e.force, inverse)), true),
           Let(own + ".B'", Less(I.B, Outer(e.force, e.torque, inverse))),
           Let(own + ".C'", Less(I.C, Outer(e.torque, e.torque, inverse)), true)};
      p = {Let(own + ".force'", p.force + e.force * free), Let(own + ".torque'", p.torque + e.torque * free)};
    }
    const uint32_t parent = mechanism_.composites[c].parent;
    if (parent == 0) continue;
    // What the parent feels: with the acceleration it cannot help, in its axes, about its origin.
    const Twist rest = Let(name + ".rest", Carry(c, Twist{}, false, true));
    const SymVec force = Let(name + ".up.f", p.force + I.A * rest.linear + I.B * rest.angular);
    const SymVec torque = Let(name + ".up.t", p.torque + Transpose(I.B) * rest.linear + I.C * rest.angular);
    const Wrench up = ToParent(c, {force, torque}, name + ".up'");
    bias[parent] = {bias[parent].force + up.force, bias[parent].torque + up.torque};
    const SymMat back = Transpose(link.R);
    const SymMat A = Let(name + ".RA", link.R * I.A * back, true);
    const SymMat B = Let(name + ".RB", link.R * I.B * back);
    const SymMat C = Let(name + ".RC", link.R * I.C * back, true);
    const SymMat r = CrossMatrix(link.r);
    const SymMat shifted = Let(name + ".shifted", Less(B, A * r));
    inertia[parent].A = inertia[parent].A + A;
    inertia[parent].B = inertia[parent].B + shifted;
    inertia[parent].C = inertia[parent].C + Less(C + r * shifted, Transpose(B) * r);
  }
  for (uint32_t c = 1; c < count; ++c) {
    const Home home(*this, c);
    const Link& link = links_[c];
    Twist a = Carry(c, *acceleration_[mechanism_.composites[c].parent], false, true);
    a = Let(link.name + ".pre", a);
    for (uint32_t f = link.first + link.count; f-- > link.first;) {
      const Eliminated& e = eliminated[f];
      const Sym load = e.load + Dot(e.force, a.linear) + Dot(e.torque, a.angular) - drives_[f];
      SupplyJoint(f, e.own, load);
      a = Let(link.name + ".full" + std::to_string(f - link.first),
              Twist{a.linear + freedoms_[f].linear * freedoms_[f].acceleration,
                    a.angular + freedoms_[f].angular * freedoms_[f].acceleration});
    }
    acceleration_[c] = a;
  }
}

}  // namespace cotree
