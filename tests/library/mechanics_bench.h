// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <tuple>
#include <utility>

#include "library/probe.h"

// What the tests of the mechanical and hydraulic classes share: points of operation, and the modes of dry
// friction.
namespace cotree::test {

using Point = std::initializer_list<std::pair<const char*, double>>;

inline void SetAll(Probe& probe, Point values) {
  probe.Reset();
  for (const auto& [name, value] : values) probe.Set(name, value);
}

inline void ExpectBalanceAt(Probe& probe, std::initializer_list<Point> points) {
  for (const Point& point : points) {
    SetAll(probe, point);
    probe.ExpectBalance(1e-9);
  }
}

// FrictionMode { backward, stuck, forward }
constexpr double kBackward = 1;
constexpr double kStuck = 2;
constexpr double kForward = 3;

/** The modes of a component that sticks: those of the Modelica Standard Library 4.0, PartialFriction in
Mechanics.Rotational.Interfaces, without its two modes for the start of sliding. The when clauses are: 0 at
the start, 1 to forwards, 2 to backwards, 3 to stuck. Stuck, it holds between `down` and `up`; sliding ends
where the speed changes its sign, and only there. `others` are the values that the equations need besides. */
inline void ExpectFrictionModes(Probe& probe, const std::string& speed, const std::string& force, double down,
                                double up, Point others) {
  const auto at = [&](double mode, double v, double f) {
    SetAll(probe, others);
    probe.Set("mode", mode);
    probe.Set("pre(mode)", mode);
    probe.Set(speed, v);
    if (mode == kStuck) probe.Set(force, f);  // sliding, the equations give it
  };
  ASSERT_EQ(probe.WhenCount(), 4U);
  const double margin = 0.01 * (up - down);
  const std::string edge = speed.substr(0, speed.find('.'));
  const std::string acceleration = edge + (speed.back() == 'v' ? ".acc" : ".alpha");
  for (const auto& [f, forward, backward] : {std::tuple{up - margin, false, false},
                                             {up + margin, true, false},
                                             {down + margin, false, false},
                                             {down - margin, false, true}}) {
    at(kStuck, 0.0, f);
    if (forward || backward) {  // beyond the limit it bears the limit, and accelerates
      SetAll(probe, others);
      probe.Set("mode", kStuck);
      probe.Set("pre(mode)", kStuck);
      probe.Set(speed, 0.0);
      probe.Set(acceleration, forward ? margin : -margin);
      probe.Guess(force, forward ? up : down);
      probe.Guess(forward ? "forwards" : "backwards", 1.0);
    }
    EXPECT_EQ(probe.WhenHolds(1), forward) << f;
    EXPECT_EQ(probe.WhenHolds(2), backward) << f;
    EXPECT_FALSE(probe.WhenHolds(0));
    EXPECT_FALSE(probe.WhenHolds(3));
  }
  for (const auto& [mode, v, stops] : {std::tuple{kForward, 1e-3, false},
                                       {kForward, -1e-9, true},
                                       {kBackward, -1e-3, false},
                                       {kBackward, 1e-9, true}}) {
    at(mode, v, 0.0);
    EXPECT_EQ(probe.WhenHolds(3), stops) << mode << " at " << v;
    EXPECT_FALSE(probe.WhenHolds(1));
    EXPECT_FALSE(probe.WhenHolds(2));
    if (stops) {
      EXPECT_EQ(probe.WhenValue(3, "mode"), kStuck);
      EXPECT_EQ(probe.WhenValue(3, speed), 0.0);
    }
  }
  for (const auto& [v, mode] : {std::pair{0.0, kStuck}, {0.1, kForward}, {-0.1, kBackward}}) {
    at(kStuck, v, 0.0);
    EXPECT_EQ(probe.WhenValue(0, "mode"), mode) << v;
  }
  EXPECT_EQ(probe.WhenValue(1, "mode"), kForward);
  EXPECT_EQ(probe.WhenValue(2, "mode"), kBackward);
}

}  // namespace cotree::test
