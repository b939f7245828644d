// SPDX-License-Identifier: Apache-2.0
#include "base/plural.h"

#include <gtest/gtest.h>

namespace cotree {
namespace {

TEST(Plural, OneIsOne) {
  struct Row {
    size_t n;
    const char *one, *many, *text;
  };
  const Row rows[] = {{0, "state", "", "0 states"},
                      {1, "state", "", "1 state"},
                      {2, "state", "", "2 states"},
                      {1, "vertex", "vertices", "1 vertex"},
                      {21, "vertex", "vertices", "21 vertices"},
                      {1, "motion is", "motions are", "1 motion is"},
                      {3, "motion is", "motions are", "3 motions are"}};
  for (const Row& row : rows) EXPECT_EQ(Plural(row.n, row.one, row.many), row.text);
}

}  // namespace
}  // namespace cotree
