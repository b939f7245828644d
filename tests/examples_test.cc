// SPDX-License-Identifier: Apache-2.0
// Every experiment of every example runs to its end, and every number of its rows is finite.
#include <gtest/gtest.h>

#include "pipeline/load_model.h"
#include "product_support.h"

namespace cotree {
namespace {

namespace fs = std::filesystem;

TEST(Examples, EveryExperimentRuns) {
  const test::TemporaryFolder folder;
  const std::string rows = (folder / "rows.csv").string();
  size_t count = 0;
  for (const fs::path& path : test::FilesBelow("examples", ".cot")) {
    if (path.stem() == "continuous")
      continue;  // wants shared libraries: tests/events/continuous_foreign_test.cc
    DiskReader reader;
    const auto loaded = LoadModel(path.string(), reader);
    for (const Experiment& experiment : loaded->model.experiments) {
      const std::string name(loaded->model.names.Text(experiment.name));
      SCOPED_TRACE(path.stem().string() + " " + name);
      const test::Ran run = test::RunCotree({"simulate", path.string(), "--experiment", name, "--out", rows});
      EXPECT_EQ(run.exit_code, 0) << run.err;
      const std::string text = test::ReadText(rows);
      EXPECT_FALSE(test::Contains(text, "nan") || test::Contains(text, "inf,") ||
                   test::Contains(text, "inf\n"));
      ++count;
    }
  }
  EXPECT_GE(count, 30u);
  std::printf("examples: %zu experiments run to their end\n", count);
}

}  // namespace
}  // namespace cotree
