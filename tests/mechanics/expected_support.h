// SPDX-License-Identifier: Apache-2.0
// What the tests of motion in space against results from outside (tests/models/expected) share: the files,
// their tables, and the equations of motion at a state of a file.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "curves.h"
#include "motion_probe.h"
#include "product_support.h"
#include "run_support.h"

namespace cotree::test {

using Json = nlohmann::json;

/// "slider_crank": tests/models/expected/slider_crank.json.
inline Json Expected(const std::string& name) {
  return Json::parse(ReadText(kRoot / "tests/models/expected" / (name + ".json")));
}

/// At the same times.
inline std::vector<double> Plus(std::vector<double> a, const std::vector<double>& b) {
  for (size_t k = 0; k < a.size(); ++k) a[k] += b.at(k);
  return a;
}

/// One column of a table of the file.
inline std::vector<double> Column(const Json& rows, size_t k) {
  std::vector<double> out;
  for (const Json& row : rows) out.push_back(row.at(k));
  return out;
}

/// The run gives its values at the times of the file, and at no others.
inline void ExpectTimes(const RunOf& run, const std::vector<double>& times) {
  ASSERT_EQ(run.times().size(), times.size());
  EXPECT_LE(Difference(run.times(), times), 1e-12);
}

/// The mass matrix at the state that was evaluated last, by freedom.
inline std::vector<std::vector<double>> MassMatrix(MotionProbe& probe) {
  const size_t n = probe.motion.freedoms.size();
  std::vector<std::vector<double>> out(n, std::vector<double>(n, 0));
  for (const auto& e : probe.motion.mass_matrix)
    out[e.row][e.column] = out[e.column][e.row] = probe.ValueOf(e.value);
  return out;
}

/// Sets the angles of revolute joints and their two rates, and evaluates.
inline void SetAngles(MotionProbe& probe, const std::vector<std::string>& joints,
                      const std::vector<double>& q, const std::vector<double>& qd,
                      const std::vector<double>& qdd) {
  for (size_t k = 0; k < joints.size(); ++k) {
    EXPECT_TRUE(probe.Set(joints[k] + ".e.phi", 0, 0, q.at(k))) << joints[k];
    probe.Set(joints[k] + ".e.phi", 0, 1, qd.at(k));
    probe.Set(joints[k] + ".e.phi", 0, 2, qdd.at(k));
  }
  probe.Evaluate();
}

/// What must turn a joint at the state that was evaluated last, with this acceleration of its own.
inline double Torque(const MotionProbe& probe, const std::string& joint, double acceleration) {
  return probe.ValueOf(joint + ".load") + probe.ValueOf(joint + ".inertia") * acceleration;
}

}  // namespace cotree::test
