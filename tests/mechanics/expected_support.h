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

}  // namespace cotree::test
