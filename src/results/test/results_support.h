// SPDX-License-Identifier: Apache-2.0
// Results for tests, and files to put them in.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "results/result.h"

namespace cotree::test {

/** A folder for the files of one test, removed with it. */
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "cotree_results_XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string operator/(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

inline std::string Bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void PutBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// A swing, a switch, an alias with a sign, a name with everything that CSV must quote; rows twice at an
/// event.
inline Result Example(size_t rows) {
  Result result;
  result.header = {.model = "Drive",
                   .model_hash = "0123456789abcdef",
                   .version = "0.1.0",
                   .experiment = "Step",
                   .tolerance = "rtol 1e-06",
                   .plots = {"load.w"},
                   .columns = {}};
  result.header.columns = {{"load.w", "rad/s", "speed of the load"},
                           {"switch.on", "", "", true},
                           {"motor.w", "rad/s", "", false, "load.w", -1},
                           {"m[1,2].\"x\"", "N*m", "über alles"}};
  result.columns.resize(4);
  for (size_t r = 0; r < rows; ++r) {
    const double t = r < rows / 2 ? 0.1 * static_cast<double>(r) : 0.1 * static_cast<double>(r - 1);
    result.times.push_back(t);
    result.columns[0].push_back(std::sin(t) / 3);
    result.columns[1].push_back(r < rows / 2 ? 0 : 1);
    result.columns[3].push_back(std::exp(-t) * 1e-300);
  }
  if (rows > 0) result.events = {{result.times[rows / 2], "switch closes"}};
  result.status = kComplete;
  return result;
}

inline void ExpectSameRows(const Result& got, const Result& expected, size_t rows) {
  ASSERT_EQ(got.times.size(), rows);
  ASSERT_EQ(got.header.columns.size(), expected.header.columns.size());
  for (const ResultColumn& column : expected.header.columns) {
    const auto mine = got.header.Find(column.name), theirs = expected.header.Find(column.name);
    ASSERT_TRUE(mine.has_value()) << column.name;
    const std::vector<double> a = got.Values(*mine), b = expected.Values(*theirs);
    for (size_t r = 0; r < rows; ++r) ASSERT_EQ(a[r], b[r]) << column.name << " row " << r;
  }
  for (size_t r = 0; r < rows; ++r) ASSERT_EQ(got.times[r], expected.times[r]);
}

}  // namespace cotree::test
