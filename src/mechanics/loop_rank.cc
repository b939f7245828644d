// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "linear_algebra/decompositions.h"
#include "mechanics/diagnostics.h"
#include "mechanics/loop_solver.h"
#include "mechanics/motion_builder.h"
#include "mechanics/poses.h"

namespace cotree {
namespace {

constexpr double kNothing = 1e-12;   // a row of this size is one of zeros, rounded
constexpr double kDependent = 1e-8;  // what is left of a unit row when it depends on others

// Numbers that look random and are the same in every run.
double Random(uint64_t& state) {
  state += 0x9E3779B97F4A7C15ull;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53 * 2 - 1;
}

// A row of length 1, or of 0.
std::vector<double> Normalized(std::span<const double> row) {
  std::vector<double> out(row.begin(), row.end());
  const double size = Norm(row);
  for (double& x : out) x = size > kNothing ? x / size : 0;
  return out;
}

size_t RankOf(const Matrix& J) {
  Matrix rows = J;
  for (size_t k = 0; k < rows.rows(); ++k) {
    const std::vector<double> row = Normalized(J.row(k));
    std::copy(row.begin(), row.end(), rows.row(k).begin());
  }
  const std::vector<double> values = FindSingularValues(rows).values;
  return static_cast<size_t>(std::count_if(values.begin(), values.end(), [](double x) { return x > 1e-7; }));
}

// Some way along what the loops leave free, away from positions that are special; what is left of the gaps.
double Walk(LoopSolver& solver, int steps, uint64_t& random) {
  double gap = solver.Gap();
  std::vector<double> way(solver.Jacobian().columns());
  for (double& v : way) v = Random(random);
  for (int step = 0; step < steps && gap < LoopSolver::kClosed; ++step) {
    const Matrix& J = solver.Jacobian();
    if (J.rows() == 0) return gap;
    AddTimes(way, -1, LeastSquares(J).Solve(J * way));
    const double size = Norm(way);
    if (!(size > 1e-6)) return gap;  // rigid
    for (double& v : way) v /= size;
    std::vector<double> move = way;
    for (double& v : move) v *= 0.2;
    solver.Move(move);
    gap = solver.Close({});
  }
  return gap;
}

// How well some rows hold what all rows do: the least singular value that counts, by that of all.
double HoldsAsWell(const std::vector<Matrix>& found, const std::vector<bool>& needed) {
  const auto rank = static_cast<size_t>(std::count(needed.begin(), needed.end(), true));
  const auto least = [&](const Matrix& of) { return FindSingularValues(of).values[rank - 1]; };
  double worst = 1;
  for (const Matrix& all : found) {
    Matrix some = all;
    for (size_t k = 0; k < needed.size(); ++k) {
      if (!needed[k]) some.ClearRow(k);
    }
    worst = std::min(worst, least(some) / std::max(least(all), 1e-300));
  }
  return worst;
}

}  // namespace

// The Jacobians of all rows in several positions in which the loops are closed; none: a report has been made.
std::vector<Matrix> MotionBuilder::FindClosed(const std::vector<Row>& rows) {
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
  std::vector<Matrix> found;
  double best = INFINITY;
  size_t worst_row = 0;
  const size_t wanted = freedoms_.size() <= 20 ? 24 : freedoms_.size() <= 60 ? 6 : 3;
  // Around the starts: other ways to put the same parts together may leave more or less freedom. Where these
  // do not close, anywhere.
  const Mechanism& placed = joint_motion_ != nullptr ? joint_motion_->mechanism : mechanism_;
  const auto is_turned_round = [&] {
    return IsTurnedRound(placed, FindPoses(placed, sought, numbers_,
                                           [&](uint32_t reading) { return seeker.reading(reading); }));
  };
  const std::vector<bool> held = TakeStarts(sought, seeker);
  bool near = !starts_.empty() && seeker.Close(held) < LoopSolver::kClosed && !is_turned_round();
  for (int trial = 0; trial < 32 && found.size() < wanted; ++trial) {
    if (near) {
      TakeStarts(sought, seeker);
      near = seeker.Close(held) < LoopSolver::kClosed;
    } else {
      for (const MotionFreedom& freedom : sought.freedoms) {
        if (freedom.position != UINT32_MAX)
          seeker.reading(freedom.position) = trial == 0 ? 0 : 1.5 * Random(state);
      }
      for (const MotionQuaternion& q : sought.quaternions) {
        for (size_t k = 0; k < 4; ++k)
          seeker.reading(q.numbers[k]) = k == 0 ? 1 : trial == 0 ? 0 : Random(state);
      }
    }
    double gap = seeker.Close(near ? held : std::vector<bool>{});
    if (gap < LoopSolver::kClosed) gap = Walk(seeker, near ? trial : 3, state);  // the first: where it begins
    if (gap < LoopSolver::kClosed && is_turned_round()) gap = 1;
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
  // On its way a loop may come to another way to put its parts together, with more or less freedom.
  // Where it begins rows may depend on each other that elsewhere do not: then that position is left out.
  if (near && !found.empty()) {
    const size_t next = RankOf(found[found.size() > 1 ? 1 : 0]);
    if (RankOf(found.front()) < next) found.erase(found.begin());
    std::erase_if(found, [&](const Matrix& J) { return RankOf(J) != next; });
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

// The starts as positions; by freedom, whether it is fixed.
std::vector<bool> MotionBuilder::TakeStarts(const MotionEquations& motion, LoopSolver& values) const {
  const std::vector<AddedReading>& readings = motion.parts.front().readings;
  std::vector<bool> held(motion.freedoms.size(), false);
  const auto start_of = [&](uint32_t reading) -> const SpatialStart* {
    const Driver& d = readings[reading].driver;
    for (const SpatialStart& s : starts_) {
      if (s.variable.component == d.component && s.variable.symbol == d.symbol && s.variable.index == d.index)
        return &s;
    }
    return nullptr;
  };
  for (size_t f = 0; f < motion.freedoms.size(); ++f) {
    const uint32_t position = motion.freedoms[f].position;
    if (position == UINT32_MAX) continue;
    const SpatialStart* start = start_of(position);
    values.reading(position) = start != nullptr ? start->value : 0;
    held[f] = start != nullptr && start->fixed;
  }
  for (const MotionQuaternion& q : motion.quaternions) {
    for (size_t k = 0; k < 4; ++k) {
      const SpatialStart* start = start_of(q.numbers[k]);
      values.reading(q.numbers[k]) = start != nullptr ? start->value : k == 0 ? 1 : 0;
      for (uint32_t i = 0; i < 3 && start != nullptr && start->fixed; ++i) held[q.first_freedom + i] = true;
    }
  }
  return held;
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
beginnings. Where the rows chosen say less about some directions than all of them do (Bennett: which rows are
good differs from position to position), all rows are held and give way by next to nothing. */
MotionBuilder::HeldRows MotionBuilder::ChooseConditions(const std::vector<Row>& rows) {
  const size_t count = rows.size();
  const auto hold = [&](const std::vector<bool>& held, const std::vector<bool>& needed) {
    HeldRows out;
    for (uint32_t k = 0; k < count; ++k) {
      if (!held[k]) continue;
      out.rows.push_back(k);
      out.needed.push_back(needed[k]);
    }
    return out;
  };
  const std::vector<Matrix> found = FindClosed(rows);
  const std::vector<bool> all(count, true);
  if (found.empty()) return hold(all, all);
  std::vector<bool> needed(count, false);
  // The next row is one of which much is left across those taken before, in every position if there is such a
  // row: rows that depend on each other in a single position would make that position singular.
  size_t rank = 0, position_rank = 0;
  std::vector<std::vector<std::vector<double>>> rest(found.size());
  for (size_t p = 0; p < found.size(); ++p) {
    for (size_t k = 0; k < rows.size(); ++k) rest[p].push_back(Normalized(found[p].row(k)));
  }
  size_t most_rank = 0;
  for (const Matrix& J : found) most_rank = std::max(most_rank, RankOf(J));
  while (rank < most_rank) {
    std::vector<double> least(rows.size(), 0), most(rows.size(), 0);
    for (size_t k = 0; k < rows.size(); ++k) {
      if (needed[k]) continue;
      least[k] = 2;
      for (size_t p = 0; p < found.size(); ++p) {
        const double size = Norm(rest[p][k]);
        least[k] = std::min(least[k], size);
        most[k] = std::max(most[k], size);
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
      if (!(Norm(rest[p][row]) > kDependent)) continue;
      const std::vector<double> direction = Normalized(rest[p][row]);
      for (int twice = 0; twice < 2; ++twice) {
        for (std::vector<double>& v : rest[p]) AddTimes(v, -Dot(direction, v), direction);
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
  if (rank == count || rank == 0 || count > 60) return hold(needed, needed);
  // A row of zeros says nothing anywhere: the height of a wheel whose axle a planar joint carries.
  std::vector<bool> speaks(count, false);
  for (const Matrix& J : found) {
    for (size_t k = 0; k < count; ++k) speaks[k] = speaks[k] || Norm(J.row(k)) > kNothing;
  }
  // Which three of four wheels bear changes as they are steered, far from here.
  const bool rolls = std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.velocity; });
  bool bears = false;
  for (size_t k = 0; k < count; ++k)
    bears = bears || (rolls && speaks[k] && !needed[k] && !rows[k].velocity);
  constexpr double kGood = 0.7;
  return hold(bears || HoldsAsWell(found, needed) < kGood ? speaks : needed, needed);
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
