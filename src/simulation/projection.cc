// SPDX-License-Identifier: Apache-2.0
#include "simulation/projection.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "linear_algebra/least_correction.h"
#include "system_equations/loop_give.h"

namespace cotree {

HeldAtZero::HeldAtZero(const Program& program) {
  const SortedSystem& sorted = *program.sorted;
  const auto& invariants = sorted.system->invariants;
  std::vector<uint32_t> place(invariants.size(), UINT32_MAX);
  for (size_t k = 0; k < invariants.size(); ++k) {
    if (!invariants[k].projected) continue;
    place[k] = static_cast<uint32_t>(slots.size());
    slots.push_back(sorted.Slot({invariants[k].variable, invariants[k].order}));
  }
  for (const EquationSystem::Invariant& invariant : invariants) {
    if (invariant.projected)
      below.push_back(invariant.below == UINT32_MAX ? UINT32_MAX : place[invariant.below]);
  }
  if (!slots.empty()) pattern = FindPatternOf(program, slots);
}

bool HeldAtZero::IsMovedBy(uint32_t place, uint32_t state) const {
  const std::vector<uint32_t>& rows = pattern.rows_of_column[state];
  const auto reads = [&](uint32_t row) { return std::find(rows.begin(), rows.end(), row) != rows.end(); };
  return reads(place) && (below[place] == UINT32_MAX || !reads(below[place]));
}

struct Projection::Matrix {
  JacobianPattern pattern;
  LeastCorrection change;  // of states, by invariants
};

Projection::Projection(ProgramRun& run, const Program& program) : run_(run), program_(program) {
  const SortedSystem& sorted = *program.sorted;
  std::map<uint32_t, std::set<std::string>> loops;  // by implicit block
  for (const EquationSystem::Invariant& invariant : sorted.system->invariants) {
    if (!invariant.projected) continue;
    slots_.push_back(sorted.Slot({invariant.variable, invariant.order}));
    kept_.push_back(sorted.system->IsRemainder(invariant.variable) ? 1 : 0);
    if (invariant.multiplier == UINT32_MAX) continue;
    const uint32_t slot = sorted.Slot({invariant.multiplier, 0});
    for (uint32_t b = 0; b < program.blocks.size(); ++b) {
      const auto& unknowns = program.blocks[b].unknowns;
      if (std::find(unknowns.begin(), unknowns.end(), slot) != unknowns.end())
        loops[b].insert(invariant.loop);
    }
  }
  for (const auto& [block, names] : loops) {
    Watched watched;
    watched.block = block;
    watched.largest = -INFINITY;
    for (const std::string& name : names) {
      if (watched.loops.size() > 200) {
        watched.loops += ", or another";
        break;
      }
      watched.loops += (watched.loops.empty() ? "" : ", or of ") + name;
    }
    watched_.push_back(std::move(watched));
  }
  if (sorted.system->kept_constraints.empty()) kept_.clear();
  if (slots_.empty()) return;
  const uint32_t give = GiveVariable(*sorted.system);
  if (give != UINT32_MAX) give_ = sorted.Slot({give, 0});
  matrix_ = std::make_unique<Matrix>();
  matrix_->pattern = FindPatternOf(program, slots_);
}

Projection::~Projection() = default;

void Projection::Forget() {
  known_ = false;
  rounding_.clear();
  for (Watched& w : watched_) w.count = 0;
}

double Projection::Size() const {
  double size = 0;
  for (size_t k = 0; k < slots_.size(); ++k)
    size = std::max(size, std::fabs(run_.values[slots_[k]]) / rounding_[k]);
  return size;
}

void Projection::FillMatrix(double time) {
  const JacobianPattern& pattern = matrix_->pattern;
  const size_t n = pattern.rows_of_column.size();
  std::vector<SparseEntry> entries;
  std::vector<std::vector<double>> columns(n);  // the same, column by column
  for (uint32_t colour = 0; colour < pattern.colours; ++colour) {
    for (const uint32_t slot : program_.input_slots) run_.tangents[slot] = 0;
    for (uint32_t j = 0; j < n; ++j)
      run_.tangents[program_.state_slots[j]] = pattern.colour_of_column[j] == colour ? 1 : 0;
    run_.RunTangent(time);
    for (uint32_t j = 0; j < n; ++j) {
      if (pattern.colour_of_column[j] != colour) continue;
      for (const uint32_t i : pattern.rows_of_column[j]) {
        entries.push_back({i, j, run_.tangents[slots_[i]]});
        columns[j].push_back(run_.tangents[slots_[i]]);
      }
    }
  }
  // What terms of this size leave when they cancel.
  rounding_.assign(slots_.size(), 1);
  for (const SparseEntry& entry : entries)
    rounding_[entry.row] += std::fabs(entry.value * run_.values[program_.state_slots[entry.column]]);
  for (double& r : rounding_) r *= 1e-13;
  FindScales(columns);
  for (SparseEntry& entry : entries)
    entry.value = entry.value * column_scale_[entry.column] * row_scale_[entry.row];
  matrix_->change.Factor(slots_.size(), n, entries);
  known_ = true;
}

/* Places of bodies are of one kind, and rows of loops of one size. What kept constraints tie together may be
of any: a change counts by the size of its state, no less than a thousandth of the largest beside it, and rows
have length 1 (NU.8b). */
void Projection::FindScales(const std::vector<std::vector<double>>& columns) {
  const JacobianPattern& pattern = matrix_->pattern;
  const size_t n = columns.size();
  column_scale_.assign(n, 1);
  row_scale_.assign(slots_.size(), 1);
  if (kept_.empty()) return;
  std::vector<double> largest(slots_.size(), 0), length(slots_.size(), 0);
  const auto over = [&](auto&& f) {
    for (size_t j = 0; j < n; ++j) {
      const double size = std::fabs(run_.values[program_.state_slots[j]]);
      for (size_t e = 0; e < columns[j].size(); ++e) {
        const uint32_t i = pattern.rows_of_column[j][e];
        if (kept_[i] != 0) f(i, j, columns[j][e], size);
      }
    }
  };
  over([&](uint32_t i, size_t, double, double size) { largest[i] = std::max(largest[i], size); });
  std::vector<double> scale(n, 0);
  over([&](uint32_t i, size_t j, double, double size) {
    scale[j] = std::max({scale[j], size, 1e-3 * largest[i]});
  });
  for (size_t j = 0; j < n; ++j) {
    if (scale[j] > 0) column_scale_[j] = scale[j];
  }
  over([&](uint32_t i, size_t j, double value, double) {
    const double own = value * column_scale_[j];
    length[i] += own * own;
  });
  for (size_t i = 0; i < length.size(); ++i) {
    if (length[i] > 0) row_scale_[i] = 1 / std::sqrt(length[i]);
  }
}

// One turn of (NU.8a).
bool Projection::Correct(double* states) {
  std::vector<double> off;
  for (size_t k = 0; k < slots_.size(); ++k) off.push_back(run_.values[slots_[k]] * row_scale_[k]);
  const std::vector<double> change = matrix_->change.Solve(off);
  if (!std::all_of(change.begin(), change.end(), [](double x) { return std::isfinite(x); })) return false;
  for (size_t k = 0; k < change.size(); ++k) states[k] -= change[k] * column_scale_[k];
  return true;
}

bool Projection::Project(double time, double* states, bool fine) {
  const size_t n = program_.state_slots.size();
  const std::vector<double> before(states, states + n);
  double size = 0, first = 0;
  bool fresh = false;
  constexpr double kFast = 0.05;
  for (int round = 0; round < 10; ++round) {
    for (size_t k = 0; k < n; ++k) run_.values[program_.state_slots[k]] = states[k];
    if (!run_.Run(time)) return false;
    if (rounding_.empty()) FillMatrix(time);
    const double now = Size();
    if (round == 0) first = now;
    if (!(now > 1)) {
      if (fine) Correct(states);
      break;
    }
    if (round > 0 && fresh && now > 0.5 * size) break;
    if (round > 0 && now > kFast * size) known_ = false;
    size = now;
    fresh = !known_;
    if (!known_) FillMatrix(time);
    if (!Correct(states)) break;
  }
  if (!(Size() <= std::max(first, 1.0))) {  // it led away
    known_ = false;
    std::copy(before.begin(), before.end(), states);
    for (size_t k = 0; k < n; ++k) run_.values[program_.state_slots[k]] = states[k];
    return run_.Run(time);
  }
  Watch(time);
  return true;
}

void Projection::Say(Watched& w) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4g s", w.least_time);
  notes_.push_back("near " + std::string(text) + " the loop of " + w.loops +
                   " passes a position in which its conditions depend on each other (bars in line): "
                   "what it carries is not determined there, and it could go on in more than one way");
  w.seen = INFINITY;
}

std::vector<std::string> Projection::Notes() {
  for (Watched& w : watched_) {
    if (w.seen < INFINITY) Say(w);
  }
  return notes_;
}

/* At a position where conditions depend on each other the determinant touches zero as the square of the
distance: its root goes down in a straight line and up again. Whether it touched zero is seen by how low it
came, or, where steps are long, by the line through the steps before. */
void Projection::Watch(double time) {
  constexpr double kLow = 1e-3, kNear = 0.1, kSoft = 0.02, kGive = 1e-7;
  double least = 1;
  for (Watched& w : watched_) {
    const LinearSolver::Determinant now = run_.Determinant(w.block);
    if (now.sign == 0 || !std::isfinite(now.log)) continue;
    w.largest = std::max(w.largest, now.log);
    const double root = std::exp((now.log - w.largest) / 2);
    least = std::min(least, root);
    if (w.count > 0 && !(time > w.times[1])) w.count = 0;
    const double a = w.roots[0], b = w.roots[1];
    if (root < kLow && root < w.seen) {
      w.seen = root;
      w.least_time = time;
    }
    if (w.count >= 2 && b < a && root > b) {
      for (const double sign : {1.0, -1.0}) {
        const double slope = (sign * b - a) / (w.times[1] - w.times[0]);
        const double ahead = sign * b + slope * (time - w.times[1]);
        if (b < kNear && b < w.seen && std::fabs(ahead + root) < 0.3 * root) {
          w.seen = b;
          w.least_time = w.times[1];
        }
      }
    }
    if (w.seen < INFINITY && root > kNear) Say(w);
    w.times[0] = w.times[1], w.roots[0] = w.roots[1];
    w.times[1] = time, w.roots[1] = root;
    w.count = std::min(w.count + 1, 2);
  }
  if (give_ == UINT32_MAX) return;
  const double near = std::max(0.0, 1 - least / kSoft);
  run_.values[give_] = kGive * near * near;
}

}  // namespace cotree
