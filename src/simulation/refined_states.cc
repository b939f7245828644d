// SPDX-License-Identifier: Apache-2.0
#include "simulation/refined_states.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cotree {

RefinedStates::RefinedStates(ProgramRun& run, const Program& program)
    : run_(run), program_(program), n_(program.state_slots.size()) {}

bool RefinedStates::BeginStep(double from, double to, double most,
                              const std::function<bool(double)>& states) {
  from_ = from;
  most_ = most;
  length_ = to - from;
  states_ = states;
  known_ = factored_ = false;
  for (int node = 0; node < kNodes; ++node) {
    const double time = node == kNodes - 1 ? to : from + length_ * node / (kNodes - 1);
    if (!states(time)) return false;
    at_nodes_[node].resize(n_);
    for (size_t k = 0; k < n_; ++k) at_nodes_[node][k] = run_.values[program_.state_slots[k]];
  }
  return known_ = true;
}

// The factors of 1 - h J at the present values, J by coloured tangents.
bool RefinedStates::Factor(double time) {
  if (!pattern_) {
    pattern_ = FindJacobianPattern(program_, {}, true);
    std::vector<int> first{0}, rows;
    for (const auto& column : pattern_->rows_of_column) {
      rows.insert(rows.end(), column.begin(), column.end());
      first.push_back(static_cast<int>(rows.size()));
    }
    solver_.emplace(std::move(first), std::move(rows));
  }
  std::vector<std::vector<double>> columns(n_);
  for (uint32_t colour = 0; colour < pattern_->colours; ++colour) {
    for (const uint32_t slot : program_.input_slots) run_.tangents[slot] = 0;
    for (size_t j = 0; j < n_; ++j)
      run_.tangents[program_.state_slots[j]] = pattern_->colour_of_column[j] == colour ? 1 : 0;
    run_.RunTangent(time);
    for (size_t j = 0; j < n_; ++j) {
      if (pattern_->colour_of_column[j] != colour) continue;
      for (const uint32_t i : pattern_->rows_of_column[j])
        columns[j].push_back((i == j ? 1 : 0) - length_ * run_.tangents[program_.derivative_slots[i]]);
    }
  }
  std::vector<double> values;
  values.reserve(pattern_->entries);
  for (const auto& column : columns) values.insert(values.end(), column.begin(), column.end());
  solver_->Forget();
  factored_ = std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }) &&
              solver_->FactorColumns(values);
  return factored_;
}

bool RefinedStates::Move(double time) {
  if (!known_ || !(length_ > 0)) return false;
  // The slope of p by its values at evenly spaced nodes (Lagrange's form).
  const double s = (time - from_) / length_ * (kNodes - 1);
  double slope[kNodes];
  for (int i = 0; i < kNodes; ++i) {
    double value = 1;
    slope[i] = 0;
    for (int j = 0; j < kNodes; ++j) {
      if (j == i) continue;
      slope[i] = (slope[i] * (s - j) + value) / (i - j);
      value *= (s - j) / (i - j);
    }
  }
  if (!states_(time)) return false;
  wanted_.resize(n_);
  plain_.resize(n_);
  for (size_t k = 0; k < n_; ++k) {
    // From the node in the middle: what all have in common is not to be rounded again and again.
    const double middle = at_nodes_[kNodes / 2][k];
    double rate = 0;
    for (int i = 0; i < kNodes; ++i) rate += slope[i] * (at_nodes_[i][k] - middle);
    plain_[k] = run_.values[program_.state_slots[k]];
    wanted_[k] = plain_[k] - rate * (kNodes - 1);
  }
  if (!run_.Run(time)) return false;
  if (!factored_ && !Factor(time)) return false;
  constexpr int kMostTurns = 12;
  constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
  double before = INFINITY;
  for (int turn = 0; turn < kMostTurns; ++turn) {
    change_.resize(n_);
    for (size_t k = 0; k < n_; ++k)
      change_[k] = wanted_[k] - run_.values[program_.state_slots[k]] +
                   length_ * run_.values[program_.derivative_slots[k]];
    solver_->Solve(change_);
    double size = 0;
    for (size_t k = 0; k < n_; ++k) {
      double& x = run_.values[program_.state_slots[k]];
      if (!std::isfinite(change_[k])) return false;
      size = std::max(size, std::fabs(change_[k]) / std::max(std::fabs(wanted_[k]), 1e-300));
      x += change_[k];
    }
    if (!run_.Run(time)) return false;
    // What does not shrink any more is rounding.
    if (size <= kRounding || (turn > 1 && size > 0.5 * before && size < 1e-6)) return KeepEqual(time);
    if (turn > 0 && size > 0.1 * before && size > 1e-12 && !Factor(time)) return false;
    before = size;
  }
  return before < 1e-6 && KeepEqual(time);
}

// What differs by rounding alone stays as it was: a speed that an event made zero is zero. False: something
// moved too far.
bool RefinedStates::KeepEqual(double time) {
  constexpr double kEqual = 8 * std::numeric_limits<double>::epsilon();
  bool any = false;
  for (size_t k = 0; k < n_; ++k) {
    double& x = run_.values[program_.state_slots[k]];
    const double largest = std::max(std::fabs(at_nodes_[0][k]), std::fabs(at_nodes_[kNodes - 1][k]));
    const double moved = std::fabs(x - plain_[k]);
    if (moved > most_ * largest) return false;
    if (moved == 0 || moved > kEqual * largest) continue;
    x = plain_[k];
    any = true;
  }
  return !any || run_.Run(time);
}

}  // namespace cotree
