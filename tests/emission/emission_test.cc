// SPDX-License-Identifier: Apache-2.0
// Emitted C as a shared library beside the interpreter: the same bits at random states.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "emission/emit_c.h"
#include "pipeline/load_model.h"
#include "pipeline/translate.h"
#include "simulation/events.h"

namespace cotree {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> Models() {
  std::vector<std::string> out;
  for (const char* folder : {"examples", "tests/textbook", "tests/models", "tests/emission"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(COTREE_SOURCE_DIR) / folder)) {
      if (entry.path().extension() == ".cot" && !entry.path().filename().string().starts_with("err_"))
        out.push_back(entry.path().string());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

/** An emitted model, compiled and loaded. */
class Library {
 public:
  Library(const std::string& text, const std::string& name) {
    static int number = 0;
    const fs::path base = fs::temp_directory_path() /
                          ("cotree_emission_" + std::to_string(getpid()) + "_" + std::to_string(number++));
    std::ofstream(base.string() + ".c") << text;
    const std::string command =
        "gcc -std=c99 -O2 -ffp-contract=off -fno-builtin -Wall -Wextra -Wpedantic -Werror -fPIC -shared "
        "-DMODEL_NO_MAIN -DCOTREE_SLEEF " +
        base.string() + ".c -o " + base.string() + ".so -lsleef -lm";
    EXPECT_EQ(std::system(command.c_str()), 0) << name;
    handle_ = dlopen((base.string() + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    fs::remove(base.string() + ".c");
    fs::remove(base.string() + ".so");
  }
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  Library(const Library&) = delete;
  template <class F>
  F* Get(const char* name) const {
    return reinterpret_cast<F*>(dlsym(handle_, name));
  }
  bool loaded() const { return handle_ != nullptr; }

 private:
  void* handle_ = nullptr;
};

bool SameBits(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

class Emitted : public testing::TestWithParam<std::string> {};

TEST_P(Emitted, GivesTheBitsOfTheInterpreter) {
  DiskReader reader;
  const auto loaded = LoadModel(GetParam(), reader, {});
  ASSERT_TRUE(loaded->diagnostics.ok());
  if (loaded->model.systems.empty()) GTEST_SKIP() << "no system";
  TranslateOptions translate;
  for (const Experiment& e : loaded->model.experiments) {
    translate.experiment = loaded->model.names.Text(e.name);
    break;
  }
  const auto translation = Translate(*loaded, translate);
  ASSERT_TRUE(translation->ok);
  const Program& program = *translation->program;
  EmitOptions options;
  options.run.method = Method::kRungeKutta4;
  std::string problem;
  const std::string text = EmitC(program, translation->starts, options, &problem);
  if (text.empty()) GTEST_SKIP() << problem;
  const Library library(text, GetParam());
  ASSERT_TRUE(library.loaded());

  const auto size = library.Get<size_t()>("model_size");
  const auto derivatives = library.Get<int(void*, double, const double*, double*)>("model_derivatives");
  const auto jacobian = library.Get<int(void*, double, const double*, double*)>("model_jacobian");
  const auto conditions = library.Get<int(void*, double, const double*, double*)>("model_events");
  std::vector<char> memory(size());
  void* m = memory.data();
  library.Get<void(void*)>("model_reset")(m);
  ASSERT_EQ(library.Get<int(void*, double, double)>("model_init")(m, options.run.start, options.run.stop), 0);
  const double end = library.Get<double(void*, double)>("model_segment")(m, options.run.start);

  ProgramRun run(program);
  Events events(run, program);
  const auto knots = KnownSwitchTimes(program, options.run.start, options.run.stop);
  EXPECT_EQ(end, knots.empty() ? options.run.stop : knots.front());
  run.switch_time = (options.run.start + end) / 2;
  ASSERT_TRUE(events.Begin(translation->starts, {options.run.start, options.run.steady}).ok);
  run.Forget();
  const std::vector<double> start = run.values;

  // A sparse library factors larger blocks in the interpreter.
  const bool own_factors =
      std::all_of(program.blocks.begin(), program.blocks.end(),
                  [](const ImplicitBlock& b) { return b.unknowns.size() <= LinearSolver::kDense; });
  const size_t n = program.state_slots.size();
  const JacobianPattern pattern = FindJacobianPattern(program);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<double> x(n), dx(n), entries(pattern.entries + 1), g(program.relations.size() + 1);
  for (int turn = 0; turn < 50; ++turn) {
    const double width = turn == 0 ? 0 : turn < 25 ? 1e-3 : 0.3;
    const double t = options.run.start + (turn == 0 ? 0 : (end - options.run.start) * (unit(random) + 1) / 2);
    for (size_t k = 0; k < n; ++k) {
      const double x0 = start[program.state_slots[k]];
      x[k] = x0 + width * unit(random) * (std::fabs(x0) + 0.1);
      run.values[program.state_slots[k]] = x[k];
    }
    const bool found = run.Run(t);
    ASSERT_EQ(derivatives(m, t, x.data(), dx.data()) == 0, found)
        << "turn " << turn << ": " << run.FailureText();
    if (!found) break;
    for (size_t k = 0; k < n; ++k)
      ASSERT_TRUE(SameBits(dx[k], run.values[program.derivative_slots[k]])) << turn << " state " << k;
    // The same calls in the same order: implicit blocks go on from what was found last.
    ASSERT_EQ(conditions(m, t, x.data(), g.data()), 0);
    run.Run(t);
    for (size_t k = 0; k < program.relations.size(); ++k)
      ASSERT_TRUE(SameBits(g[k], run.Compute(program.relations[k], t))) << turn << " condition " << k;
    const bool regular = jacobian(m, t, x.data(), entries.data()) == 0;
    run.Run(t);
    if (!regular) continue;
    for (uint32_t colour = 0; colour < pattern.colours; ++colour) {
      std::fill(run.tangents.begin(), run.tangents.end(), 0.0);
      for (size_t j = 0; j < n; ++j)
        run.tangents[program.state_slots[j]] = pattern.colour_of_column[j] == colour ? 1 : 0;
      run.RunTangent(t);
      size_t at = 0;
      for (size_t j = 0; j < n; ++j) {
        for (const uint32_t i : pattern.rows_of_column[j]) {
          const double entry = entries[at++];
          if (pattern.colour_of_column[j] != colour) continue;
          const double expected = run.tangents[program.derivative_slots[i]];
          ASSERT_TRUE(own_factors ? SameBits(entry, expected)
                                  : std::fabs(entry - expected) <= 1e-9 * (1 + std::fabs(expected)))
              << turn << " entry " << i << ", " << j << ": " << entry << " " << expected;
        }
      }
    }
  }
  library.Get<void(void*)>("model_free")(m);
}

INSTANTIATE_TEST_SUITE_P(Models, Emitted, testing::ValuesIn(Models()), [](const auto& model) {
  std::string name = fs::path(model.param).stem().string();
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name + "_" + std::to_string(model.index);
});

}  // namespace
}  // namespace cotree
