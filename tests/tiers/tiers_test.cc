// SPDX-License-Identifier: Apache-2.0
// One arithmetic: the interpreter in strips, machine code for one lane and for several, and the program as it
// stands give the same bits, evaluation by evaluation and over whole runs, alone and in lanes; kernels of the
// Jacobian give what tangents give; nothing is allocated in a step.
#include <SuiteSparse_config.h>
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cstdlib>
#include <random>

#include "compile/llvm_compiler.h"
#include "pipeline/translate.h"
#include "product_support.h"
#include "program/evaluate_fused.h"
#include "readable/random_systems.h"
#include "simulation/events.h"
#include "simulation/lanes.h"
#include "simulation/simulate.h"

extern "C" void* __libc_malloc(size_t size);              // NOLINT: glibc's own names
extern "C" void* __libc_calloc(size_t n, size_t size);    // NOLINT
extern "C" void* __libc_realloc(void* old, size_t size);  // NOLINT

namespace {
std::atomic<bool> counting{false};
std::atomic<size_t> allocations{0}, of_klu{0};

// What KLU asks for through the hooks of SuiteSparse: factors with new pivots. Counted apart.
void* KluMalloc(size_t size) {
  if (counting) ++of_klu;
  return __libc_malloc(size);
}
void* KluCalloc(size_t n, size_t size) {
  if (counting) ++of_klu;
  return __libc_calloc(n, size);
}
void* KluRealloc(void* old, size_t size) {
  if (counting) ++of_klu;
  return __libc_realloc(old, size);
}
}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" void* malloc(size_t size) {
  if (counting) ++allocations;
  return __libc_malloc(size);
}
extern "C" void* calloc(size_t n, size_t size) {
  if (counting) ++allocations;
  return __libc_calloc(n, size);
}
extern "C" void* realloc(void* old, size_t size) {
  if (counting) ++allocations;
  return __libc_realloc(old, size);
}
#endif

namespace cotree::test {
namespace {

bool Same(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

struct Counts {
  size_t systems = 0, evaluations = 0, runs = 0, values = 0, jacobians = 0, in_lanes = 0;
};

void ExpectSame(const Program& program, const Trajectory& one, const Trajectory& two, const std::string& name,
                Counts& counts) {
  ASSERT_EQ(one.problem, two.problem) << name;
  ASSERT_EQ(one.times, two.times) << name;
  ASSERT_EQ(one.steps, two.steps) << name;
  ++counts.runs;
  for (size_t k = 0; k < one.columns.size(); ++k) {
    for (size_t r = 0; r < one.columns[k].size(); ++r) {
      ++counts.values;
      ASSERT_TRUE(Same(one.columns[k][r], two.columns[k][r]))
          << name << ": " << program.sorted->SlotName(one.slots[k]) << " in row " << r;
    }
  }
}

// Runs that go together, at other tolerances: each has steps of its own.
void CompareInLanes(const Program& program, const std::vector<StartEntry>& starts, SimulationOptions options,
                    const std::string& name, Counts& counts) {
  constexpr size_t kRuns = 3;
  Trajectory alone[kRuns], together[kRuns];
  Fibers fibers;
  LaneBatch batch(fibers, options.tier);
  std::vector<std::function<void()>> tasks;
  for (size_t k = 0; k < kRuns; ++k) {
    options.rtol = 1e-5 * static_cast<double>(k + 1);
    options.lanes = nullptr;
    alone[k] = Simulate(program, starts, options);
    options.lanes = &batch;
    tasks.emplace_back([&, k, options] { together[k] = Simulate(program, starts, options); });
  }
  fibers.Run(tasks, [&] { batch.Together(); });
  for (size_t k = 0; k < kRuns; ++k) {
    ExpectSame(program, alone[k], together[k], name + " in lanes", counts);
    if (testing::Test::HasFatalFailure()) return;
  }
  counts.in_lanes += batch.computed;
}

// One system in both tiers. What cannot be translated or started is left out.
void Compare(LoadedModel& loaded, const TranslateOptions& how, double stop, const std::string& name,
             Counts& counts) {
  const auto translation = Translate(loaded, how);
  if (!translation->ok || translation->program == nullptr || !translation->program->externals.empty()) return;
  const Program& program = *translation->program;
  if (!program.unsupported.empty()) return;
  ProgramRun run(program);
  run.switch_time = 1e-9;
  Events events(run, program, nullptr);
  if (!events.Begin(translation->starts, {0, false}).ok) return;
  ++counts.systems;
  // Evaluations at points around the start.
  if (!program.state_slots.empty()) {
    FusedEvaluation strips(run, FuseDerivatives(program), ProgramTier::kInterpreter);
    FusedEvaluation code(run, FuseDerivatives(program), ProgramTier::kCompiled);
    ASSERT_EQ(code.Description().find("not compiled"), std::string::npos)
        << name << ": " << code.Description();
    const std::vector<uint32_t>& slots = strips.program().state_slots;
    const size_t n = slots.size();
    std::mt19937 random(7);
    const std::vector<double> before = run.values;
    std::vector<double> y(n), a(n), b(n);
    for (int point = 0; point < 5; ++point) {
      for (size_t k = 0; k < n; ++k)
        y[k] = before[slots[k]] * (1 + 1e-3 * static_cast<double>(random() % 100)) +
               1e-3 * point * static_cast<double>(random() % 10);
      run.values = before;
      run.Forget();  // what a solve begins with is the same for all
      if (!strips.Evaluate(0.01, y.data(), a.data())) continue;
      run.values = before;
      run.Forget();  // what a solve begins with is the same for all
      ASSERT_TRUE(code.Evaluate(0.01, y.data(), b.data())) << name;
      run.values = before;
      run.Forget();  // what a solve begins with is the same for all
      for (size_t k = 0; k < n; ++k) run.values[slots[k]] = y[k];
      if (!run.Run(0.01)) continue;
      ++counts.evaluations;
      const std::vector<uint32_t>& states = strips.program().states;
      for (size_t k = 0; k < n; ++k) {
        ASSERT_TRUE(Same(a[k], b[k])) << name << ": strips " << a[k] << ", code " << b[k];
        // Zeros may differ in sign.
        ASSERT_EQ(a[k], run.values[program.derivative_slots[states[k]]]) << name;
      }
      // The Jacobian, against tangents.
      FusedJacobian jacobian = FuseJacobian(program, strips.program());
      if (!jacobian.program.complete || n > 200) continue;
      FusedEvaluation kernels(run, std::move(jacobian.program), ProgramTier::kInterpreter);
      std::vector<double> entries = jacobian.values;
      ASSERT_TRUE(kernels.Evaluate(0.01, y.data(), entries.data()));
      for (size_t j = 0; j < n; ++j) {
        std::fill(run.tangents.begin(), run.tangents.end(), 0.0);
        run.tangents[slots[j]] = 1;
        run.RunTangent(0.01);
        std::vector<double> column(n, 0);
        for (int k = jacobian.first[j]; k < jacobian.first[j + 1]; ++k)
          column[static_cast<size_t>(jacobian.rows[static_cast<size_t>(k)])] =
              entries[static_cast<size_t>(k)];
        double largest = 1e-300;
        for (size_t k = 0; k < n; ++k) largest = std::max(largest, std::fabs(column[k]));
        for (size_t k = 0; k < n; ++k) {
          const double exact = run.tangents[program.derivative_slots[states[k]]];
          if (!std::isfinite(exact)) continue;
          ASSERT_NEAR(column[k], exact, 1e-9 * largest) << name << ": " << program.sorted->SlotName(slots[k]);
        }
      }
      ++counts.jacobians;
    }
    run.values = before;
  }
  // Whole runs.
  SimulationOptions options;
  options.stop = stop;
  options.rtol = 1e-5;
  options.interval = stop / 50;
  Trajectory one, two;
  options.tier = ProgramTier::kInterpreter;
  one = Simulate(program, translation->starts, options);
  options.tier = ProgramTier::kCompiled;
  two = Simulate(program, translation->starts, options);
  ExpectSame(program, one, two, name, counts);
  if (testing::Test::HasFatalFailure()) return;
  if (!FuseDerivatives(program).compact) return;  // goes alone in any case
  options.tier = counts.systems % 2 == 0 ? ProgramTier::kInterpreter : ProgramTier::kCompiled;
  CompareInLanes(program, translation->starts, options, name, counts);
}

class Tiers : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (!HasLlvm(&why)) GTEST_SKIP() << why;
  }
};

void Say(const char* what, const Counts& c) {
  std::printf(
      "tiers %s: %zu systems, %zu evaluations, %zu Jacobians, %zu runs, %zu steps in lanes, %zu values, all "
      "bits "
      "equal\n",
      what, c.systems, c.evaluations, c.jacobians, c.runs, c.in_lanes, c.values);
}

TEST_F(Tiers, Examples) {
  Counts counts;
  for (const char* folder : {"examples", "tests/textbook"}) {
    for (const fs::path& path : FilesBelow(kRoot / folder, ".cot")) {
      DiskReader reader;
      const auto loaded = LoadModel(path.string(), reader);
      for (const ClassId id : loaded->model.systems) {
        // In the form for people, and in that of runs.
        for (const MotionForm form : {MotionForm::kAutomatic, MotionForm::kQuick}) {
          DiskReader again;
          const auto own = LoadModel(path.string(), again);
          TranslateOptions how;
          how.motion_form = form;
          how.system = own->model.Text(own->model[id].name);
          Compare(*own, how, 0.05, path.filename().string() + " " + how.system, counts);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  Say("examples", counts);
  EXPECT_GT(counts.systems, 30u);
  EXPECT_GT(counts.in_lanes, 10000u);
}

// Each alone, and 19 times in an array: as many as fill the lanes of any machine and leave a rest.
TEST_F(Tiers, RandomSystems) {
  const char* more = std::getenv("COTREE_LONG");
  const uint32_t count = more != nullptr ? static_cast<uint32_t>(std::atoi(more)) : 60;
  Counts counts;
  for (uint32_t seed = 1; counts.systems < count && seed < 4 * count; ++seed) {
    std::string text = RandomSystem(seed);
    if (seed % 2 == 0) {
      const std::string head = "system Random";
      text.replace(text.find(head), head.size(), "component Random");
      text += "\nsystem Many { cell : Random[19] }\n";
    }
    NoReader reader;
    const auto loaded = LoadModelText("random.cot", text, reader);
    Compare(*loaded, {}, 0.02, "seed " + std::to_string(seed) + "\n" + text, counts);
    if (HasFatalFailure()) return;
  }
  Say("random", counts);
  EXPECT_GE(counts.systems, count);
}

// A tree of links: `arms` chains of `links` each on one body, with axes that take turns and all masses
// different.
std::string Mechanism(int arms, int links) {
  const char* joints[] = {"Revolute(n = [0, 1, 0])", "Revolute(n = [1, 0, 0])", "Prismatic(n = [0, 0, 1])",
                          "Revolute(n = [0, 0.6, 0.8])"};
  std::string text =
      "system Tree {\n  gravity : Gravity(g = [0, 0, -9.81] m/s^2)\n  base : Revolute(n = [0, 0, 1])\n"
      "  hub : Body(m = 5 kg, center = [0, 0, 0] m, I = [0.1, 0.1, 0.1, 0, 0, 0] kg*m^2)\n"
      "  connect mechanics.ground -- base.a\n  connect base.b -- hub.a\n";
  for (int a = 1; a <= arms; ++a) {
    std::string before = "base.b";
    for (int k = 1; k <= links; ++k) {
      const std::string n = std::to_string(a) + "_" + std::to_string(k);
      text += "  j" + n + " : " + joints[k % 4] + "\n  r" + n + " : Arm(r = [0.1, 0, -0.5] m)\n  b" + n +
              " : Body(m = " + std::to_string(1 + 0.01 * k) +
              " kg, center = [0.02, 0.01, -0.25] m, I = [0.021, 0.022, 0.004, 0, 0, 0] kg*m^2)\n";
      text += "  connect " + before + " -- r" + n + ".a\n  connect r" + n + ".b -- j" + n +
              ".a\n  connect j" + n + ".b -- b" + n + ".a\n";
      before = "j" + n + ".b";
    }
  }
  return text + "}\n";
}

// Long mechanisms are loops over classes of joints: the bits stay, and code does not grow with the links.
TEST_F(Tiers, LongMechanismsAreLoops) {
  Counts counts;
  size_t code[2] = {}, instances[2] = {};
  for (const int size : {0, 1}) {
    const std::string text = Mechanism(2, 24 << size);
    if (size == 0) {
      NoReader reader;
      const auto loaded = LoadModelText("tree.cot", text, reader);
      Compare(*loaded, {}, 0.0002, "tree of 48 links", counts);
      if (HasFatalFailure()) return;
    }
    NoReader again;
    const auto own = LoadModelText("tree.cot", text, again);
    const auto translation = Translate(*own);
    ASSERT_TRUE(translation->ok);
    const FusedProgram fused = FuseDerivatives(*translation->program);
    code[size] = fused.code_bytes();
    for (const FusedRun& run : fused.runs) instances[size] += run.rows ? run.count : 0;
  }
  Say("mechanisms", counts);
  EXPECT_EQ(counts.systems, 1u);
  EXPECT_GT(instances[0], 30u);
  EXPECT_GE(instances[1], 2 * instances[0]);
  EXPECT_LE(code[1], code[0] + code[0] / 50);
}

// After the first steps a step allocates nothing, whatever the method and the tier, but factors that KLU
// finds with new pivots: at the 20 times at which all is forgotten, or where old pivots are no good. IDA,
// too.
TEST_F(Tiers, NothingIsAllocatedInAStep) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer has the heap";
#endif
  const std::string ladder =
      "system Ladder { parameter n : Integer = 50  s : VoltageSource(V = 1 V)  r : Resistor[n](R = 1 ohm)\n"
      "  c : Capacitor[n](C = 1 mF)  connect s.p -- r[1].p  connect r[1:n-1].n -- r[2:n].p  connect r.n -- "
      "c.p\n"
      "  connect c.n -- electrical.ground  connect s.n -- electrical.ground }\n";
  // A nonlinear block: two diodes and a resistor in series.
  const std::string diodes =
      "system Diodes { s : SineVoltageSource(amplitude = 5 V, frequency = 50 Hz)  r : Resistor(R = 10 ohm)\n"
      "  d : Diode  e : Diode  c : Capacitor(C = 1 mF)  l : Resistor(R = 100 ohm)\n"
      "  connect s.p -- r.p  connect r.n -- d.p  connect d.n -- e.p  connect e.n -- c.p -- l.p\n"
      "  connect s.n -- c.n -- l.n -- electrical.ground }\n";
  size_t fresh = 0;
  SuiteSparse_config.malloc_func = KluMalloc;
  SuiteSparse_config.calloc_func = KluCalloc;
  SuiteSparse_config.realloc_func = KluRealloc;
  for (const std::string& text : {ladder, diodes}) {
    for (const Method method : {Method::kExplicit, Method::kBdf, Method::kAutomatic, Method::kIda}) {
      for (const ProgramTier tier : {ProgramTier::kInterpreter, ProgramTier::kCompiled}) {
        NoReader reader;
        const auto loaded = LoadModelText("test.cot", text, reader);
        const auto translation = Translate(*loaded);
        ASSERT_TRUE(translation->ok) << Render(loaded->diagnostics, loaded->model.files);
        const Program& program = *translation->program;
        ProgramRun run(program);
        run.switch_time = 1e-9;
        Events events(run, program, nullptr);
        ASSERT_TRUE(events.Begin(translation->starts, {0, false}).ok);
        SimulationOptions options;
        options.stop = 0.1;
        options.method = method;
        options.tier = tier;
        const auto integrator = MakeIntegrator(run, program, options, nullptr);
        ASSERT_TRUE(integrator->Restart(0, 0.1));
        double time = 0;
        for (int k = 0; k < 60 && time < 0.1; ++k)
          ASSERT_TRUE(integrator->Step(&time)) << integrator->problem();
        const auto count = [&](int most) {
          allocations = of_klu = 0;
          counting = true;
          int taken = 0;
          while (taken < most && time < 0.1 && integrator->Step(&time)) ++taken;
          counting = false;
          EXPECT_GT(taken, 0) << MethodName(method);
          EXPECT_EQ(allocations.load(), 0u) << MethodName(method) << ", " << integrator->ProgramText() << "\n"
                                            << text;
          return of_klu.load();
        };
        EXPECT_EQ(count(30), 0u) << "new pivots, " << MethodName(method);
        run.Forget();
        integrator->Forget();
        fresh = std::max(fresh, count(3));
      }
    }
  }
  EXPECT_GT(fresh, 0u);  // or nothing was counted
  std::printf("allocations: none in a step; %zu by KLU where pivots are chosen anew\n", fresh);
}

// Nor in lanes, whatever the tier: many operands in straight-line code.
TEST_F(Tiers, NothingIsAllocatedInLanes) {
  std::string text = "system Many {";
  for (int k = 0; k < 42; ++k)
    text +=
        " c" + std::to_string(k) + " : Cell" + std::to_string(k % 14) + "(a = " + std::to_string(k) + ".5)";
  text += " }\n";
  for (int k = 0; k < 14; ++k)
    text += "component Cell" + std::to_string(k) +
            " { parameter a : Real  variable x : Real (start = 1)  equation der(x) = (sin(a*x) - x^" +
            std::to_string(k + 2) + "/a)/(1 s) }\n";
  NoReader reader;
  const auto loaded = LoadModelText("test.cot", text, reader);
  const auto translation = Translate(*loaded);
  ASSERT_TRUE(translation->ok) << Render(loaded->diagnostics, loaded->model.files);
  for (const ProgramTier tier : {ProgramTier::kInterpreter, ProgramTier::kCompiled}) {
    Fibers fibers;
    LaneBatch batch(fibers, tier);
    SimulationOptions options;
    options.tier = tier;
    options.lanes = &batch;
    options.stop = 10;
    options.interval = 10;
    options.method = Method::kExplicit;
    options.row = [](double, std::span<const double>) { return true; };
    options.progress = [&](double time) {
      if (time > 2 && time < 8) counting = true;
      if (time > 8) counting = false;
      return true;
    };
    allocations = 0;
    std::vector<std::function<void()>> tasks(
        3, [&] { EXPECT_TRUE(Simulate(*translation->program, translation->starts, options).ok); });
    fibers.Run(tasks, [&] { batch.Together(); });
    counting = false;
    EXPECT_GT(batch.computed, 300u);
    EXPECT_EQ(allocations.load(), 0u);
  }
}

}  // namespace
}  // namespace cotree::test
