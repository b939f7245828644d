// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <set>

#include "mechanics/diagnostics.h"
#include "mechanics/loop_solver.h"
#include "mechanics/motion_builder.h"

namespace cotree {
namespace {

constexpr double kDependent = 1e-8;  // what is left of a unit row when it depends on others

// Numbers that look random and are the same in every run.
double Random(uint64_t& state) {
  state += 0x9E3779B97F4A7C15ull;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53 * 2 - 1;
}

}  // namespace

/* Which rows are needed: those that do not follow from rows before them. Rows of planar loops follow for
every position, those of overconstrained ones (Bricard) only where the loops are closed; so loops are closed
first, from several beginnings, and a row is left out where it follows in all positions found. */
std::vector<bool> MotionBuilder::FindIndependent(const std::vector<Row>& rows) {
  MotionEquations all;
  all.parts.resize(1);
  all.parts[0].scalar.equations = main_.equations;
  all.parts[0].scalar.owned = 0;
  all.parts[0].scalar.variables = readings_;
  all.constants = out_.constants;
  DescribeFreedoms(all);
  for (const Row& row : rows) all.loops.push_back(Describe(row));
  LoopSolver solver(pool_, all);
  uint64_t state = 1;
  std::vector<Eigen::MatrixXd> found;
  double best = INFINITY;
  size_t worst_row = 0;
  for (int trial = 0; trial < 24 && found.size() < 3; ++trial) {
    for (const MotionFreedom& freedom : all.freedoms) {
      if (freedom.position != UINT32_MAX)
        solver.reading(freedom.position) = trial == 0 ? 0 : 1.5 * Random(state);
    }
    for (const MotionQuaternion& q : all.quaternions) {
      for (size_t k = 0; k < 4; ++k)
        solver.reading(q.numbers[k]) = k == 0 ? 1 : trial == 0 ? 0 : Random(state);
    }
    const double gap = solver.Close({});
    if (!(gap < INFINITY)) continue;
    if (gap < best) {
      best = gap;
      worst_row = solver.WorstRow();
    }
    if (gap < LoopSolver::kClosed) found.push_back(solver.Jacobian());
  }
  const auto names = [&](const std::set<uint32_t>& joints) {
    std::string text;
    size_t count = 0;
    for (const uint32_t k : joints) {
      if (++count > 6) {
        text += " and " + std::to_string(joints.size() - 6) + " more";
        break;
      }
      text += (text.empty() ? "`" : ", `") + NameOf(mechanism_.joints[k].component) + "`";
    }
    return text;
  };
  const auto loop_of = [&](const Row& row) {
    const std::vector<uint32_t> joints = Describe(row).joints;
    return std::set<uint32_t>(joints.begin(), joints.end());
  };
  std::vector<bool> needed(rows.size(), true);
  if (found.empty()) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "at best %.3g m (or rad) are left", best);
    const Row& row = rows[worst_row];
    diagnostics_.Report(mechanics_messages::kNotClosing,
                        ComponentPlace(model_, graph_, mechanism_.joints[row.chord].component),
                        {names(loop_of(row)), buffer});
    return needed;
  }
  // Rows are taken one by one; what is left of a row across those taken before decides, in each position.
  size_t rank = 0;
  std::vector<std::vector<Eigen::VectorXd>> basis(found.size());
  for (size_t k = 0; k < rows.size(); ++k) {
    bool independent = false;
    std::vector<Eigen::VectorXd> rest(found.size());
    for (size_t p = 0; p < found.size(); ++p) {
      Eigen::VectorXd v = found[p].row(static_cast<Eigen::Index>(k)).transpose();
      const double size = v.norm();
      if (size > 1e-12) v /= size;
      for (int twice = 0; twice < 2; ++twice) {
        for (const Eigen::VectorXd& b : basis[p]) v -= b * b.dot(v);
      }
      rest[p] = v;
      independent = independent || (size > 1e-12 && v.norm() > kDependent);
    }
    needed[k] = independent;
    if (!independent) {
      out_.redundant.push_back(rows[k].name);
      continue;
    }
    ++rank;
    for (size_t p = 0; p < found.size(); ++p) {
      if (rest[p].norm() > kDependent) basis[p].push_back(rest[p].normalized());
    }
  }
  out_.degrees = static_cast<uint32_t>(freedoms_.size() - rank);
  if (out_.degrees == 0) {
    std::set<uint32_t> joints;
    for (const Row& row : rows) joints.merge(loop_of(row));
    diagnostics_.Report(mechanics_messages::kLocked,
                        ComponentPlace(model_, graph_, mechanism_.joints[rows[0].chord].component),
                        {names(joints)});
  }
  return needed;
}

void MotionBuilder::DescribeFreedoms(MotionEquations& out) const {
  const auto reading = [&](SymbolId symbol) {
    return symbol.IsNone() ? UINT32_MAX : local_of_.at(symbol.value) - kReading;
  };
  for (const Freedom& freedom : freedoms_) {
    const SymbolInfo& velocity = pool_.symbol(pool_.SymbolOf(freedom.velocity.In(pool_)));
    out.freedoms.push_back({mechanism_.joints[freedom.joint].component, freedom.index,
                            reading(freedom.position), reading(velocity.base), velocity.order});
  }
  for (const Link& link : links_) {
    if (link.quaternion[0].IsNone()) continue;
    MotionQuaternion q;
    for (size_t k = 0; k < 4; ++k) q.numbers[k] = reading(link.quaternion[k]);
    q.first_freedom = link.first + link.count - 3;
    out.quaternions.push_back(q);
  }
}

LoopRow MotionBuilder::Describe(const Row& row) const {
  LoopRow out;
  out.value = row.value.In(pool_);
  for (const auto& [f, entry] : row.jacobian) out.jacobian.emplace_back(f, entry.In(pool_));
  out.joints = {row.chord};
  const uint32_t meet = CommonAncestor(row.a, row.b);
  for (const uint32_t side : {row.a, row.b}) {
    for (const uint32_t c : PathTo(side, meet)) out.joints.push_back(mechanism_.composites[c].joint);
  }
  return out;
}

}  // namespace cotree
