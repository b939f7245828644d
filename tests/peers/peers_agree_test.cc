// SPDX-License-Identifier: Apache-2.0
// MuJoCo, Simbody and a third computation, written straight from the definitions, agree about random trees:
// so we read both peers aright.
//
//   peers_agree_test MUJOCO_PEER SIMBODY_PEER [COUNT [FIRST_SEED]]     "-" for a peer that is not there
//
// The third computation is in long double: world axes, a Jacobian per body, M = sum J' diag(I, m) J. It
// shares with the peers the text of the tree only. Deviations are measured so that light bodies count as
// heavy ones:
//   mass      |dM_ij| / sqrt(M_ii M_jj)
//   inverse   |dtau_i| / sum over the bodies of |their share in tau_i|
//   forward   |dqdd| / |qdd| in the 2-norm, judged by the condition of M
//   residual  |M qdd + h - tau|_i / (sum over j of |M_ij qdd_j| + |shares in h_i| + |tau_i|), of the first of
//   the two
// The first COUNT trees have no screws and are for all. As many with screws follow, mostly for Simbody alone;
// there a residual of 1e-9 will do for its forward accelerations. Its articulated bodies lose digits where
// light links carry heavy ones, beyond what the condition of M explains: scaling all masses and forces of
// seed 227 by 1.1, which changes nothing, changes its accelerations by 5e-5.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "spatial_tree.h"

namespace {

using namespace cotree::peers;

// ---- The third computation -------------------------------------------------------------------------------

using Real = long double;
using Vec = std::array<Real, 3>;
using Rot = std::array<Vec, 3>;  // columns: the axes of the frame
using Numbers = std::vector<Real>;
using Square = std::vector<Numbers>;

Vec Of(const Vector3& a) {
  return {a[0], a[1], a[2]};
}

Vec operator+(const Vec& a, const Vec& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

Vec operator-(const Vec& a, const Vec& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

Vec operator*(Real s, const Vec& a) {
  return {s * a[0], s * a[1], s * a[2]};
}

Real Dot(const Vec& a, const Vec& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Vec Cross(const Vec& a, const Vec& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// From the axes of the frame to those around it.
Vec Out(const Rot& r, const Vec& a) {
  return a[0] * r[0] + a[1] * r[1] + a[2] * r[2];
}

Vec Into(const Rot& r, const Vec& a) {
  return {Dot(r[0], a), Dot(r[1], a), Dot(r[2], a)};
}

constexpr Rot kIdentity{Vec{1, 0, 0}, Vec{0, 1, 0}, Vec{0, 0, 1}};

/// The formula of Rodrigues, for a unit vector.
Rot OfTurn(const Vec& axis, Real angle) {
  Rot result;
  for (size_t i = 0; i < 3; ++i) {
    const Vec& e = kIdentity[i];
    result[i] =
        std::cos(angle) * e + std::sin(angle) * Cross(axis, e) + (1 - std::cos(angle)) * Dot(axis, e) * axis;
  }
  return result;
}

/// v + 2 u x (u x v + w v)
Rot OfQuaternion(const double* q) {
  const Vec u{q[1], q[2], q[3]};
  Rot result;
  for (size_t i = 0; i < 3; ++i) {
    result[i] = kIdentity[i] + Real{2} * Cross(u, Cross(u, kIdentity[i]) + Real{q[0]} * kIdentity[i]);
  }
  return result;
}

/** A frame that moves, in world axes. The motion is linear in the velocities and accelerations: `turn` and
`shift` are the columns of the Jacobians, `alpha` and `accel` the accelerations where qdd = 0. */
struct Moving {
  Rot axes = kIdentity;
  Vec origin{};
  std::vector<Vec> turn;
  std::vector<Vec> shift;
  Vec omega{}, velocity{}, alpha{}, accel{};

  explicit Moving(size_t count) : turn(count), shift(count) {}

  /// By a rotation given inside. (Not by turning the axes about one of themselves: that lets the error of
  /// their lengths grow up to fivefold each time.)
  void Turn(const Rot& relative) {
    axes = {Out(axes, relative[0]), Out(axes, relative[1]), Out(axes, relative[2])};
  }
  /// The frame is carried to a point fixed in it.
  void MoveTo(const Vec& arm_inside) {
    const Vec arm = Out(axes, arm_inside);
    for (size_t i = 0; i < turn.size(); ++i) shift[i] = shift[i] + Cross(turn[i], arm);
    accel = accel + Cross(alpha, arm) + Cross(omega, Cross(omega, arm));
    velocity = velocity + Cross(omega, arm);
    origin = origin + arm;
  }
  /// A shift along a direction fixed in the frame.
  void Slide(size_t index, const Vec& direction_inside, Real by, Real rate, Real factor = 1) {
    MoveTo(by * direction_inside);
    const Vec direction = Out(axes, direction_inside);
    shift[index] = shift[index] + factor * direction;
    velocity = velocity + rate * direction;
    accel = accel + Real{2} * rate * Cross(omega, direction);
  }
  /// A turn about an axis fixed in the frame, through its origin.
  void Hinge(size_t index, const Vec& axis_inside, Real by, Real rate) {
    const Vec axis = Out(axes, axis_inside);
    turn[index] = turn[index] + axis;
    alpha = alpha + rate * Cross(omega, axis);
    omega = omega + rate * axis;
    Turn(OfTurn(axis_inside, by));
  }
  /// Any attitude; the angular velocity is given in the new axes.
  void Ball(size_t index, const double* quaternion, const double* rates) {
    Turn(OfQuaternion(quaternion));
    const Vec own = Out(axes, {rates[0], rates[1], rates[2]});
    // own = sum w_i e_i with e_i fixed in the link: its rate at constant w_i is (omega + own) x own.
    alpha = alpha + Cross(omega, own);
    omega = omega + own;
    for (size_t i = 0; i < 3; ++i) turn[index + i] = turn[index + i] + axes[i];
  }
};

void ApplyJoint(const Link& link, const double* q, const double* qd, size_t index, Moving* frame) {
  frame->MoveTo(Of(link.xyz));
  // Rz(yaw) Ry(pitch) Rx(roll): each about the axes as turned so far.
  for (const size_t axis : {2u, 1u, 0u}) frame->Turn(OfTurn(kIdentity[axis], link.rpy[axis]));
  const Vec n = Of(link.axis);
  switch (link.kind) {
    case JointKind::kFixed:
      break;
    case JointKind::kRevolute:
      frame->Hinge(index, n, q[0], qd[0]);
      break;
    case JointKind::kPrismatic:
      frame->Slide(index, n, q[0], qd[0]);
      break;
    case JointKind::kScrew: {
      const Real pitch = link.pitch;
      frame->Slide(index, n, pitch * q[0], pitch * qd[0], pitch);
      frame->Hinge(index, n, q[0], qd[0]);
      break;
    }
    case JointKind::kCylindrical:
      frame->Slide(index + 1, n, q[1], qd[1]);
      frame->Hinge(index, n, q[0], qd[0]);
      break;
    case JointKind::kUniversal:
      frame->Hinge(index, n, q[0], qd[0]);
      frame->Hinge(index + 1, Of(link.axis2), q[1], qd[1]);
      break;
    case JointKind::kSpherical:
      frame->Ball(index, q, qd);
      break;
    case JointKind::kPlanar:
      frame->Slide(index, Of(link.u), q[0], qd[0]);
      frame->Slide(index + 1, Of(link.v), q[1], qd[1]);
      frame->Hinge(index + 2, n, q[2], qd[2]);
      break;
    case JointKind::kFree:
      for (size_t i = 0; i < 3; ++i) frame->Slide(index + i, kIdentity[i], q[i], qd[i]);
      frame->Ball(index + 3, q + 3, qd + 3);
      break;
  }
}

struct Exact {
  Square mass;
  Numbers bias;        // forces where qdd = 0
  Numbers bias_scale;  // sum of |share| of the bodies
  Numbers inverse;
  Numbers inverse_scale;
  Numbers acceleration;
  Real condition = 0;
};

Square Zeros(size_t count) {
  return Square(count, Numbers(count));
}

/// a x = b for a positive definite a.
Numbers Solved(const Square& a, const Numbers& b) {
  const size_t n = b.size();
  Square l = Zeros(n);
  for (size_t j = 0; j < n; ++j) {
    for (size_t i = j; i < n; ++i) {
      Real sum = a[i][j];
      for (size_t k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
      if (i == j && !(sum > 0)) throw std::runtime_error("a mass matrix is not positive definite");
      l[i][j] = i == j ? std::sqrt(sum) : sum / l[j][j];
    }
  }
  Numbers x = b;
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < i; ++k) x[i] -= l[i][k] * x[k];
    x[i] /= l[i][i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; ++k) x[i] -= l[k][i] * x[k];
    x[i] /= l[i][i];
  }
  return x;
}

/// Largest over smallest eigenvalue, by rotations of Jacobi.
Real ConditionOf(Square a) {
  const size_t n = a.size();
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool changed = false;
    for (size_t p = 0; p < n; ++p) {
      for (size_t q = p + 1; q < n; ++q) {
        if (std::abs(a[p][q]) <= 1e-18L * std::sqrt(std::abs(a[p][p] * a[q][q]))) continue;
        changed = true;
        const Real theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const Real t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const Real c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (size_t k = 0; k < n; ++k) {
          const Real kp = a[k][p], kq = a[k][q];
          a[k][p] = c * kp - s * kq;
          a[k][q] = s * kp + c * kq;
        }
        for (size_t k = 0; k < n; ++k) {
          const Real pk = a[p][k], qk = a[q][k];
          a[p][k] = c * pk - s * qk;
          a[q][k] = s * pk + c * qk;
        }
      }
    }
    if (!changed) break;
  }
  Real low = a[0][0], high = a[0][0];
  for (size_t i = 0; i < n; ++i) {
    low = std::min(low, a[i][i]);
    high = std::max(high, a[i][i]);
  }
  return high / low;
}

Exact ExactOf(const TreeCase& tree_case) {
  const SpatialTree& tree = tree_case.tree;
  const TreeState& state = tree_case.state;
  const size_t n = state.qd.size();
  Exact exact{Zeros(n), Numbers(n), Numbers(n), Numbers(n), Numbers(n), {}, 0};
  std::vector<Moving> frames;
  size_t position = 0, index = 0;
  for (const Link& link : tree.links) {
    Moving frame = link.parent < 0 ? Moving(n) : frames[static_cast<size_t>(link.parent)];
    ApplyJoint(link, state.q.data() + position, state.qd.data() + index, index, &frame);
    position += static_cast<size_t>(PositionCount(link.kind));
    index += static_cast<size_t>(VelocityCount(link.kind));
    frames.push_back(frame);

    Moving center = frame;
    center.MoveTo(Of(link.com));
    const Real mass = link.mass;
    const auto inertia = [&](const Vec& outside) {
      const Vec w = Into(center.axes, outside);
      const auto [xx, yy, zz, xy, xz, yz] = link.inertia;
      return Out(center.axes, {xx * w[0] + xy * w[1] + xz * w[2], xy * w[0] + yy * w[1] + yz * w[2],
                               xz * w[0] + yz * w[1] + zz * w[2]});
    };
    // Newton and Euler for this body, where qdd = 0 and where it is as given.
    const auto add_forces = [&](const Vec& alpha, const Vec& accel, Numbers* forces, Numbers* scale) {
      const Vec force = mass * (accel - Of(tree.gravity));
      const Vec moment = inertia(alpha) + Cross(center.omega, inertia(center.omega));
      for (size_t i = 0; i < n; ++i) {
        (*forces)[i] += Dot(center.shift[i], force) + Dot(center.turn[i], moment);
        (*scale)[i] += std::abs(Dot(center.shift[i], force)) + std::abs(Dot(center.turn[i], moment));
      }
    };
    add_forces(center.alpha, center.accel, &exact.bias, &exact.bias_scale);
    Vec alpha = center.alpha, accel = center.accel;
    for (size_t i = 0; i < n; ++i) {
      alpha = alpha + Real{state.qdd[i]} * center.turn[i];
      accel = accel + Real{state.qdd[i]} * center.shift[i];
    }
    add_forces(alpha, accel, &exact.inverse, &exact.inverse_scale);
    for (size_t j = 0; j < n; ++j) {
      const Vec turned = inertia(center.turn[j]);
      for (size_t i = 0; i < n; ++i) {
        exact.mass[i][j] += mass * Dot(center.shift[i], center.shift[j]) + Dot(center.turn[i], turned);
      }
    }
  }
  Numbers right(n);
  for (size_t i = 0; i < n; ++i) right[i] = state.tau[i] - exact.bias[i];
  exact.acceleration = Solved(exact.mass, right);
  exact.condition = ConditionOf(exact.mass);
  return exact;
}

// ---- Comparing -------------------------------------------------------------------------------------------

struct Deviation {
  Real mass = 0, inverse = 0, forward = 0, residual = 0;
};

constexpr Real kTolerance = 1e-9L;

Real ForwardTolerance(Real condition) {
  return std::max(kTolerance, 1e-14L * condition);
}

/// NaN counts as infinite.
void Raise(Real value, Real* worst) {
  if (!(value <= *worst)) *worst = std::isnan(value) ? INFINITY : value;
}

Real Share(Real difference, Real scale) {
  return difference == 0 ? 0 : std::abs(difference) / scale;
}

Deviation Compare(const PeerAnswer& a, const PeerAnswer& b, const Exact& exact, const TreeCase& tree_case) {
  const size_t n = exact.bias.size();
  Deviation worst;
  Real difference = 0, size = 0;
  for (size_t i = 0; i < n; ++i) {
    Real residual = exact.bias[i] - tree_case.state.tau[i];
    Real scale = exact.bias_scale[i] + std::abs(Real{tree_case.state.tau[i]});
    for (size_t j = 0; j < n; ++j) {
      Raise(Share(Real{a.mass[i][j]} - b.mass[i][j], std::sqrt(exact.mass[i][i] * exact.mass[j][j])),
            &worst.mass);
      residual += exact.mass[i][j] * a.acceleration[j];
      scale += std::abs(exact.mass[i][j] * a.acceleration[j]);
    }
    Raise(Share(residual, scale), &worst.residual);
    Raise(Share(Real{a.inverse[i]} - b.inverse[i], exact.inverse_scale[i]), &worst.inverse);
    const Real d = Real{a.acceleration[i]} - b.acceleration[i];
    difference += d * d;
    size += exact.acceleration[i] * exact.acceleration[i];
  }
  Raise(Share(std::sqrt(difference), std::sqrt(size)), &worst.forward);
  return worst;
}

/// Rounded to double.
PeerAnswer AsAnswer(const Exact& exact) {
  PeerAnswer answer;
  for (const Numbers& row : exact.mass) answer.mass.emplace_back(row.begin(), row.end());
  answer.inverse.assign(exact.inverse.begin(), exact.inverse.end());
  answer.acceleration.assign(exact.acceleration.begin(), exact.acceleration.end());
  return answer;
}

/** The worst of each kind, and the seed where it occurred. */
struct Worst {
  int compared = 0, failed = 0, by_residual = 0;
  Deviation deviation;
  Real forward_share = 0;  // of the tolerance
  uint64_t mass_seed = 0, inverse_seed = 0, forward_seed = 0, share_seed = 0, residual_seed = 0;

  void Take(const Deviation& d, Real condition, uint64_t seed, bool residual_will_do = false) {
    ++compared;
    const Real share = d.forward / ForwardTolerance(condition);
    bool forward = share <= 1;
    if (!forward && residual_will_do && d.residual <= kTolerance) {
      forward = true;
      ++by_residual;
      std::printf("seed %" PRIu64 " by its residual: forward %.2Lg, %.2Lg of its tolerance; residual %.2Lg\n",
                  seed, d.forward, share, d.residual);
    }
    if (!(d.mass <= kTolerance && d.inverse <= kTolerance && forward)) {
      ++failed;
      std::printf("FAILED seed %" PRIu64
                  ": mass %.2Lg inverse %.2Lg forward %.2Lg (condition %.2Lg) residual %.2Lg\n",
                  seed, d.mass, d.inverse, d.forward, condition, d.residual);
    }
    const auto keep = [&](Real value, Real* worst, uint64_t* where) {
      if (value > *worst) *worst = value, *where = seed;
    };
    keep(d.mass, &deviation.mass, &mass_seed);
    keep(d.inverse, &deviation.inverse, &inverse_seed);
    keep(d.forward, &deviation.forward, &forward_seed);
    keep(share, &forward_share, &share_seed);
    keep(d.residual, &deviation.residual, &residual_seed);
  }

  void Print(const char* name) const {
    std::printf("%-19s %4d trees, %d failed, %d by residual; worst: mass %.1Le (seed %" PRIu64
                "), inverse %.1Le (%" PRIu64
                "), forward %.1Le "
                "(%" PRIu64 "), %.1Le of its tolerance (%" PRIu64 "), residual %.1Le (%" PRIu64 ")\n",
                name, compared, failed, by_residual, deviation.mass, mass_seed, deviation.inverse,
                inverse_seed, deviation.forward, forward_seed, forward_share, share_seed, deviation.residual,
                residual_seed);
  }
};

// ---- Asking ----------------------------------------------------------------------------------------------

struct Asked {
  uint64_t seed;
  TreeCase tree_case;
};

std::vector<PeerAnswer> Ask(const std::string& program, const std::vector<Asked>& asked) {
  namespace fs = std::filesystem;
  const fs::path input = fs::temp_directory_path() / ("cotree_peers_" + std::to_string(getpid()) + ".txt");
  std::vector<PeerAnswer> answers;
  {
    std::ofstream out(input);
    for (const Asked& one : asked) WriteTree(out, one.tree_case);
  }
  FILE* pipe = popen(("'" + program + "' < '" + input.string() + "'").c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + program);
  std::string text;
  char buffer[65536];
  for (size_t got; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, got);
  const int code = pclose(pipe);
  fs::remove(input);
  if (code != 0) throw std::runtime_error(program + " failed");
  std::istringstream in(text);
  for (PeerAnswer answer; ReadAnswer(in, &answer);) answers.push_back(answer);
  if (answers.size() != asked.size()) throw std::runtime_error(program + " left some trees out");
  return answers;
}

/// Text, read back, is the same text, and the numbers are the same.
bool ReadsBack(const TreeCase& tree_case) {
  std::ostringstream once, twice;
  WriteTree(once, tree_case);
  std::istringstream in(once.str());
  TreeCase again;
  if (!ReadTree(in, &again) || again.state.q != tree_case.state.q) return false;
  WriteTree(twice, again);
  return once.str() == twice.str();
}

int Run(const std::string& mujoco, const std::string& simbody, int count, uint64_t first) {
  // Trees without screws for both peers, then as many with screws.
  std::vector<Asked> asked;
  std::map<JointKind, int> kinds;
  int deep = 0, failed = 0;
  for (int i = 0; i < 2 * count; ++i) {
    RandomTreeOptions options;
    options.screws = i >= count;
    const uint64_t seed = first + static_cast<uint64_t>(i);
    asked.push_back({seed, RandomTree(seed, options)});
    const TreeCase& last = asked.back().tree_case;
    if (!ReadsBack(last)) ++failed, std::printf("FAILED seed %" PRIu64 ": reads back otherwise\n", seed);
    for (const Link& link : last.tree.links) ++kinds[link.kind];
    if (DepthOf(last.tree) >= 8) ++deep;
  }
  std::printf("seeds %" PRIu64 "..%" PRIu64 " without screws, ..%" PRIu64
              " with; %d of %d trees at least 8 deep;",
              first, asked[static_cast<size_t>(count) - 1].seed, asked.back().seed, deep, 2 * count);
  for (const auto& [kind, times] : kinds) std::printf(" %s %d", std::string(NameOf(kind)).c_str(), times);
  std::printf("\n");

  const std::vector<PeerAnswer> none;
  const std::vector<PeerAnswer> by_mujoco = mujoco == "-" ? none : Ask(mujoco, asked);
  const std::vector<PeerAnswer> by_simbody = simbody == "-" ? none : Ask(simbody, asked);
  struct Worsts {
    Worst mujoco, simbody, both;
  } halves[2];
  int screws = 0;
  Real condition = 0;
  for (size_t i = 0; i < asked.size(); ++i) {
    const auto& [seed, tree_case] = asked[i];
    const bool second = i >= static_cast<size_t>(count);
    Worsts& worst = halves[second ? 1 : 0];
    const Exact exact = ExactOf(tree_case);
    const PeerAnswer own = AsAnswer(exact);
    condition = std::max(condition, exact.condition);
    const bool screw = Has(tree_case.tree, JointKind::kScrew);
    if (screw) ++screws;
    const auto answers = [&](const std::vector<PeerAnswer>& by, bool able) {
      if (by.empty()) return false;
      if (by[i].supported != able) {
        ++failed;
        std::printf("FAILED seed %" PRIu64 ": %s\n", seed,
                    able ? ("refused: " + by[i].reason).c_str() : "answered, with a screw");
      }
      return by[i].supported && able;
    };
    const bool m = answers(by_mujoco, !screw), s = answers(by_simbody, true);
    if (m) worst.mujoco.Take(Compare(by_mujoco[i], own, exact, tree_case), exact.condition, seed);
    if (s) worst.simbody.Take(Compare(by_simbody[i], own, exact, tree_case), exact.condition, seed, second);
    if (m && s)
      worst.both.Take(Compare(by_mujoco[i], by_simbody[i], exact, tree_case), exact.condition, seed);
  }
  std::printf("%d trees have screws; condition of M up to %.1Le\n", screws, condition);
  for (const Worsts& worst : halves) {
    std::printf(&worst == halves ? "Without screws\n" : "With screws\n");
    worst.mujoco.Print("MuJoCo - third:");
    worst.simbody.Print("Simbody - third:");
    worst.both.Print("MuJoCo - Simbody:");
    failed += worst.mujoco.failed + worst.simbody.failed + worst.both.failed;
  }
  std::printf(failed == 0 ? "all agree\n" : "%d deviations\n", failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: peers_agree_test MUJOCO_PEER SIMBODY_PEER [COUNT [FIRST_SEED]]\n");
    return 2;
  }
  try {
    return Run(argv[1], argv[2], argc > 3 ? std::max(1, std::atoi(argv[3])) : 200,
               argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 1);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "peers_agree_test: %s\n", error.what());
    return 1;
  }
}
