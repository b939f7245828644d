// SPDX-License-Identifier: Apache-2.0
// Foreign code for tests of runs: compiled here, run by the host beside the binary.
#pragma once

#include <cstdlib>

#include "product_support.h"
#include "run_support.h"
#include "software_component/software_component.h"

namespace cotree::test {

inline bool Compile(const fs::path& source, const fs::path& library, const std::string& options = "") {
  const std::string compiler = source.extension() == ".cc" ? "c++ -std=c++17" : "cc -std=c99";
  const std::string command = compiler + " -O1 -fPIC -shared " + options + " -I " +
                              Quoted((kRoot / "include").string()) + " -I " +
                              Quoted((kRoot / "src").string()) + " " + Quoted(source.string()) + " -o " +
                              Quoted(library.string()) + " 2> /dev/null";
  return std::system(command.c_str()) == 0;
}

inline ComponentOptions WithHost() {
  ComponentOptions options;
  options.allow = true;
  options.host_program = (fs::path(COTREE_BINARY).parent_path() / "cotree-component-host").string();
  return options;
}

inline TranslateOptions Asking() {
  TranslateOptions options;
  options.foreign = ForeignAccess::kRun;
  options.components = WithHost();
  return options;
}

inline SimulationOptions Until(double stop, double rtol = 1e-6, Method method = Method::kAutomatic) {
  SimulationOptions options;
  options.stop = stop;
  options.rtol = rtol;
  options.method = method;
  options.components = WithHost();
  return options;
}

/// A model whose foreign code stands in `folder`.
inline RunOf Translated(std::string text, const TemporaryFolder& folder) {
  for (size_t at = 0; (at = text.find("FOLDER", at)) != std::string::npos;)
    text.replace(at, 6, folder.path().string());
  return RunOf(text, Asking());
}

inline RunOf& Go(RunOf& run, const SimulationOptions& options) {
  run.trajectory = Simulate(*run.translation->program, run.translation->starts, options);
  EXPECT_TRUE(run.trajectory.ok) << run.trajectory.problem;
  return run;
}

/// The largest difference of two curves of the same output times, relative to the largest value.
inline double Difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0, scale = 1e-300;
  for (size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    worst = std::max(worst, std::fabs(a[k] - b[k]));
    scale = std::max(scale, std::fabs(b[k]));
  }
  return worst / scale;
}

}  // namespace cotree::test
