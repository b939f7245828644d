// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "mechanics/diagnostics.h"
#include "mechanics/loop_solver.h"
#include "mechanics/motion_builder.h"
#include "mechanics/poses.h"

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

// Whether some rows hold a direction much less than all rows do: by the least singular value that counts.
bool Weaker(const Eigen::MatrixXd& all, const std::vector<bool>& chosen, size_t rank) {
  constexpr double kAsGood = 0.7;
  Eigen::MatrixXd some(0, all.cols());
  for (Eigen::Index k = 0; k < all.rows(); ++k) {
    if (!chosen[static_cast<size_t>(k)]) continue;
    some.conservativeResize(some.rows() + 1, Eigen::NoChange);
    some.row(some.rows() - 1) = all.row(k);
  }
  if (some.rows() == all.rows() || rank == 0) return false;
  const auto least = [&](const Eigen::MatrixXd& of) {
    return Eigen::BDCSVD<Eigen::MatrixXd>(of).singularValues()[static_cast<Eigen::Index>(rank) - 1];
  };
  return least(some) < kAsGood * least(all);
}

}  // namespace

// The Jacobians of all rows in several positions in which the loops are closed; none: a report has been made.
std::vector<Eigen::MatrixXd> MotionBuilder::FindClosed(const std::vector<Row>& rows) {
  MotionEquations all;
  all.parts.resize(1);
  all.parts[0].scalar.equations = main_.equations;
  all.parts[0].scalar.owned = 0;
  all.parts[0].scalar.variables = readings_;
  all.parts[0].readings = reading_of_;
  all.constants = out_.constants;
  DescribeFreedoms(all);
  for (const Row& row : rows) all.loops.push_back(Describe(row));
  LoopSolver solver(pool_, all);
  uint64_t state = 1;
  // Where bodies are placed, their places follow from coordinates of joints.
  const MotionEquations& sought = joint_motion_ != nullptr ? joint_motion_->motion : all;
  std::optional<LoopSolver> by_joints;
  if (joint_motion_ != nullptr) by_joints.emplace(pool_, sought);
  LoopSolver& seeker = by_joints ? *by_joints : solver;
  std::vector<Eigen::MatrixXd> found;
  double best = INFINITY;
  size_t worst_row = 0;
  const size_t wanted = freedoms_.size() <= 60 ? 6 : 3;
  for (int trial = 0; trial < 24 && found.size() < wanted; ++trial) {
    for (const MotionFreedom& freedom : sought.freedoms) {
      if (freedom.position != UINT32_MAX)
        seeker.reading(freedom.position) = trial == 0 ? 0 : 1.5 * Random(state);
    }
    for (const MotionQuaternion& q : sought.quaternions) {
      for (size_t k = 0; k < 4; ++k)
        seeker.reading(q.numbers[k]) = k == 0 ? 1 : trial == 0 ? 0 : Random(state);
    }
    double gap = seeker.Close({});
    if (by_joints && gap < LoopSolver::kClosed) {
      CarryPositions(joint_motion_->mechanism, sought, *by_joints, numbers_, mechanism_, all, solver);
      gap = solver.Gap();
    }
    if (!(gap < INFINITY)) continue;
    if (gap < best) {
      best = gap;
      worst_row = by_joints ? 0 : solver.WorstRow();
    }
    if (gap < LoopSolver::kClosed) found.push_back(solver.Jacobian());
  }
  if (found.empty()) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "at best %.3g m (or rad) are left", best);
    const Row& row = rows[worst_row];
    diagnostics_.Report(mechanics_messages::kNotClosing,
                        ComponentPlace(model_, graph_, mechanism_.joints[row.chord].component),
                        {NamesOf(Describe(row).joints), buffer});
  }
  return found;
}

// "`crank`, `rod`": joints by name, each once.
std::string MotionBuilder::NamesOf(std::vector<uint32_t> joints) const {
  std::sort(joints.begin(), joints.end());
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
  std::string text;
  for (size_t k = 0; k < joints.size(); ++k) {
    if (k == 6) return text + " and " + std::to_string(joints.size() - 6) + " more";
    text += (text.empty() ? "`" : ", `") + NameOf(mechanism_.joints[joints[k]]) + "`";
  }
  return text;
}

/* Rows that do not follow from others. Rows of planar loops follow for every position, those of
overconstrained ones (Bricard) only where the loops are closed; so loops are closed first, from several
beginnings. Where any choice of rows would say less about some directions than all of them do (Bennett: which
rows are good differs from position to position), combinations are taken: those that all rows together hold
best, over all positions found. */
Eigen::MatrixXd MotionBuilder::ChooseConditions(const std::vector<Row>& rows) {
  const auto count = static_cast<Eigen::Index>(rows.size());
  const std::vector<Eigen::MatrixXd> found = FindClosed(rows);
  if (found.empty()) return Eigen::MatrixXd::Identity(count, count);
  std::vector<bool> needed(rows.size(), false);
  // The next row is one of which much is left across those taken before, in every position if there is such a
  // row: rows that depend on each other in a single position would make that position singular.
  size_t rank = 0, position_rank = 0;
  std::vector<std::vector<Eigen::VectorXd>> rest(found.size());
  for (size_t p = 0; p < found.size(); ++p) {
    for (size_t k = 0; k < rows.size(); ++k) {
      Eigen::VectorXd v = found[p].row(static_cast<Eigen::Index>(k)).transpose();
      const double size = v.norm();
      rest[p].push_back(size > 1e-12 ? Eigen::VectorXd(v / size) : Eigen::VectorXd::Zero(v.size()));
    }
  }
  for (;;) {
    std::vector<double> least(rows.size(), 0), most(rows.size(), 0);
    for (size_t k = 0; k < rows.size(); ++k) {
      if (needed[k]) continue;
      least[k] = 2;
      for (size_t p = 0; p < found.size(); ++p) {
        least[k] = std::min(least[k], rest[p][k].norm());
        most[k] = std::max(most[k], rest[p][k].norm());
      }
    }
    double best = *std::max_element(least.begin(), least.end());
    const bool everywhere = best > kDependent;
    if (!everywhere) best = *std::max_element(most.begin(), most.end());
    if (!(best > kDependent)) break;
    const std::vector<double>& left = everywhere ? least : most;
    const auto row = static_cast<size_t>(
        std::find_if(left.begin(), left.end(), [&](double x) { return x >= 0.5 * best; }) - left.begin());
    needed[row] = true;
    ++rank;
    if (!rows[row].velocity) ++position_rank;
    for (size_t p = 0; p < found.size(); ++p) {
      if (!(rest[p][row].norm() > kDependent)) continue;
      const Eigen::VectorXd direction = rest[p][row].normalized();
      for (int twice = 0; twice < 2; ++twice) {
        for (Eigen::VectorXd& v : rest[p]) v -= direction * direction.dot(v);
      }
    }
  }
  for (size_t k = 0; k < rows.size(); ++k) {
    if (!needed[k]) out_.redundant.push_back(rows[k].name);
  }
  out_.degrees = static_cast<uint32_t>(freedoms_.size() - rank);
  out_.position_degrees = static_cast<uint32_t>(freedoms_.size() - position_rank);
  if (out_.degrees == 0) {
    std::vector<uint32_t> joints;
    for (const Row& row : rows) {
      const std::vector<uint32_t> own = Describe(row).joints;
      joints.insert(joints.end(), own.begin(), own.end());
    }
    diagnostics_.Report(mechanics_messages::kLocked,
                        ComponentPlace(model_, graph_, mechanism_.joints[rows[0].chord].component),
                        {NamesOf(joints)});
  }
  const auto held = static_cast<Eigen::Index>(rank);
  const bool rolls = std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.velocity; });
  const bool weaker = !rolls && std::any_of(found.begin(), found.end(), [&](const Eigen::MatrixXd& all) {
    return Weaker(all, needed, rank);
  });
  if (weaker) {
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(count, count);
    for (const Eigen::MatrixXd& J : found) all += J * J.transpose();
    return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(all).eigenvectors().rightCols(held);
  }
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(count, held);
  Eigen::Index next = 0;
  for (size_t k = 0; k < rows.size(); ++k) {
    if (needed[k]) out(static_cast<Eigen::Index>(k), next++) = 1;
  }
  return out;
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
  if (!row.velocity) out.value = row.value.In(pool_);
  for (const auto& [f, entry] : row.jacobian) out.jacobian.emplace_back(f, entry.In(pool_));
  out.joints = {row.chord};
  const uint32_t meet = CommonAncestor(row.a, row.b);
  for (const uint32_t side : {row.a, row.b}) {
    for (const uint32_t c : PathTo(side, meet)) out.joints.push_back(mechanism_.composites[c].joint);
  }
  out.names = NamesOf(out.joints);
  return out;
}

}  // namespace cotree
