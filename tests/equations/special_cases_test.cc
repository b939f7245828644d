// SPDX-License-Identifier: Apache-2.0
// Where other tools loop, fail or are silent.
#include <gtest/gtest.h>

#include "product_support.h"
#include "run_support.h"

namespace cotree::test {
namespace {

struct Findings {
  bool ok;
  std::vector<int> codes;
  std::string text;
  size_t order = 0, largest = 0;
};

Findings Find(const std::string& text) {
  NoReader reader;
  const auto loaded = LoadModelText("case.cot", text, reader);
  TranslateOptions options;
  options.notes = true;
  const auto translation = Translate(*loaded, options);
  Findings out{translation->ok, {}, Render(loaded->diagnostics, loaded->model.files)};
  for (const Diagnostic& d : loaded->diagnostics.list()) out.codes.push_back(d.info->code);
  if (translation->ok) {
    out.order = translation->sorted->states.size();
    for (size_t b = 0; b < translation->sorted->blocks(); ++b)
      out.largest = std::max(out.largest, translation->sorted->Block(b).size());
  }
  return out;
}

TEST(SpecialCases, CurrentSourceResistorCapacitorHasNoLoop) {
  const Findings f =
      Find(R"(system S { I : CurrentSource(I = 1 A)  R : Resistor(R = 2 ohm)  C : Capacitor(C = 1 F)
    R2 : Resistor(R = 3 ohm)
    connect I.p -- electrical.ground   connect I.n -- R.p   connect R.n -- C.p -- R2.p
    connect C.n -- R2.n -- electrical.ground })");
  EXPECT_TRUE(f.ok) << f.text;
  EXPECT_EQ(f.order, 1u);
  EXPECT_EQ(f.largest, 1u);
}

TEST(SpecialCases, GearsThatDisagreeHoldTheirShafts) {
  const Findings f = Find(R"(system S { N1 : Gear(ratio = 2)  N2 : Gear(ratio = 3)
    A : Inertia(J = 1 kg*m^2)  B : Inertia(J = 2 kg*m^2)
    connect N1.a -- N2.a -- A.a   connect N1.b -- N2.b -- B.a })");
  EXPECT_TRUE(f.ok) << f.text;
  EXPECT_EQ(f.order, 0u);
  EXPECT_NE(f.text.find("`A` and `B` cannot move: `N1` and `N2` disagree"), std::string::npos) << f.text;
}

TEST(SpecialCases, EqualGearsInParallelAreANote) {
  const Findings f = Find(R"(system S { N1 : Gear(ratio = 2)  N2 : Gear(ratio = 2)
    A : Inertia(J = 1 kg*m^2)  B : Inertia(J = 2 kg*m^2)
    connect N1.a -- N2.a -- A.a   connect N1.b -- N2.b -- B.a })");
  EXPECT_TRUE(f.ok);
  EXPECT_EQ(f.order, 2u);
  EXPECT_NE(f.text.find("`N1` and `N2` demand the same, so `N2` is left out"), std::string::npos) << f.text;
}

TEST(SpecialCases, LoopOfOneToOneGearsIsANote) {
  const Findings f = Find(R"(system S { N1 : Gear(ratio = 1)  N2 : Gear(ratio = 1)  N3 : Gear(ratio = 1)
    A : Inertia(J = 1 kg*m^2)  B : Inertia(J = 1 kg*m^2)  C : Inertia(J = 1 kg*m^2)
    connect A.a -- N1.a -- N3.b   connect N1.b -- B.a -- N2.a   connect N2.b -- C.a -- N3.a })");
  EXPECT_TRUE(f.ok);
  EXPECT_EQ(f.order, 2u);
  EXPECT_NE(f.text.find("`N1`, `N2` and `N3` demand the same, so `N3` is left out"), std::string::npos)
      << f.text;
}

TEST(SpecialCases, GearBetweenTwoPositionDrivers) {
  const Findings f = Find(R"(system S { N : Gear(ratio = 2)  p1 : SignalAngleSource  p2 : SignalAngleSource
    u1 : Constant(k = 1 rad)  u2 : Constant(k = 2 rad)
    connect u1.y -> p1.u   connect u2.y -> p2.u   connect p1.a -- N.a   connect p2.a -- N.b
    connect p1.b -- p2.b -- rotational.ground })");
  EXPECT_FALSE(f.ok);
  EXPECT_NE(f.text.find("`N`, `p1` and `p2` contradict each other"), std::string::npos) << f.text;
}

TEST(SpecialCases, InductorsInSeriesWithACurrentSource) {
  const Findings f =
      Find(R"(system S { I : CurrentSource(I = 1 A)  L1 : Inductor(L = 1 H)  L2 : Inductor(L = 2 H)
    R : Resistor(R = 1 ohm)
    connect I.n -- L1.p   connect L1.n -- L2.p   connect L2.n -- R.p   connect R.n -- I.p -- electrical.ground })");
  EXPECT_TRUE(f.ok) << f.text;
  EXPECT_EQ(f.order, 0u);
  EXPECT_EQ(std::count(f.codes.begin(), f.codes.end(), 4101), 2) << f.text;
}

// A delta of transformer windings on a three-wire feeder: the sum of the delta's voltages is zero by
// topology, so the circulating current is not determined by ideal transformers alone.
TEST(SpecialCases, ClosedDeltaOfIdealTransformers) {
  const std::string windings = R"(
    va : VoltageSource(V = 1 V)  vb : VoltageSource(V = 2 V)  vc : VoltageSource(V = -3 V)
    connect va.n -- vb.n -- vc.n -- electrical.ground
    ra : Resistor(R = 1 ohm)  rb : Resistor(R = 1 ohm)  rc : Resistor(R = 1 ohm)
    connect va.p -- ra.p   connect vb.p -- rb.p   connect vc.p -- rc.p
    ta : Transformer(n = 2)  tb : Transformer(n = 2)  tc : Transformer(n = 2)
    connect ra.n -- ta.p1   connect rb.n -- tb.p1   connect rc.n -- tc.p1
    connect ta.n1 -- tb.n1 -- tc.n1 -- electrical.ground
    load : Resistor(R = 1 ohm)
    connect load.p -- ta.p2   connect load.n -- ta.n2 -- electrical.ground
    connect ta.n2 -- tb.p2   connect tb.n2 -- tc.p2   connect tc.n2 -- ta.p2
)";
  const Findings f = Find("system S {" + windings + "}");
  EXPECT_TRUE(f.ok) << f.text;  // the primaries' resistances decide the circulating current
  EXPECT_EQ(f.order, 0u);
}

TEST(SpecialCases, PerfectlyCoupledInductorsHaveOneState) {
  const Findings f = Find(R"(system S { V : VoltageSource(V = 1 V)  R : Resistor(R = 1 ohm)
    T : CoupledInductorPair(L1 = 2 H, L2 = 2 H, k = 1)  RL : Resistor(R = 3 ohm)
    connect V.p -- R.p   connect R.n -- T.p1   connect T.n1 -- V.n -- electrical.ground
    connect T.p2 -- RL.p   connect T.n2 -- RL.n -- electrical.ground })");
  EXPECT_TRUE(f.ok) << f.text;
  EXPECT_EQ(f.order, 1u);
  EXPECT_EQ(std::count(f.codes.begin(), f.codes.end(), 4102), 1) << f.text;
}

TEST(SpecialCases, StepIntoACapacitorIsAnImpulse) {
  const Findings f = Find(R"(system S { u : Step(height = 1 V, start = 0.1 s)  V : SignalVoltageSource
    C : Capacitor(C = 1 F)   connect u.y -> V.u   connect V.p -- C.p   connect V.n -- C.n -- electrical.ground })");
  EXPECT_FALSE(f.ok);
  EXPECT_EQ(std::count(f.codes.begin(), f.codes.end(), 4103), 1) << f.text;
  EXPECT_NE(f.text.find("C closes a circuit with V"), std::string::npos) << f.text;
}

TEST(SpecialCases, SourceThatFollowsItsOwnCurrentIsAResistor) {
  RunOf run(R"(system S { V1 : VoltageSource(V = 1 V)  X : SignalVoltageSource  k : Gain(k = 2 ohm)
    connect X.i -> k.u   connect k.y -> X.u   connect V1.p -- X.p   connect V1.n -- X.n -- electrical.ground })");
  run.Simulate(1);
  EXPECT_NEAR(run.End("X.i"), 0.5, 1e-12);
}

// The certificate in the finite field against matrices whose rank is known.
TEST(BlockCertificates, NullVectorsOfRandomMatrices) {
  size_t singular = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const size_t n = 1 + seed % 9;
    uint64_t state = seed;
    const auto draw = [&state] {
      state = state * 6364136223846793005u + 1442695040888963407u;
      return FieldElement{state % FieldElement::kPrime, true};
    };
    std::vector<FieldElement> a(n * n);
    for (FieldElement& x : a) x = draw();
    const bool dependent = n > 1 && seed % 2 == 0;
    if (dependent) {  // the last row a combination of the others
      for (size_t c = 0; c < n; ++c) a[(n - 1) * n + c] = {};
      for (size_t r = 0; r + 1 < n; ++r) {
        const FieldElement factor = draw();
        for (size_t c = 0; c < n; ++c) a[(n - 1) * n + c] = a[(n - 1) * n + c] + factor * a[r * n + c];
      }
    }
    const std::vector<FieldElement> x = LeftNullVector(n, a);
    ASSERT_EQ(!x.empty(), dependent) << seed;
    if (x.empty()) continue;
    ++singular;
    for (size_t c = 0; c < n; ++c) {
      FieldElement sum{};
      for (size_t r = 0; r < n; ++r) sum = sum + x[r] * a[r * n + c];
      EXPECT_EQ(sum.value, 0u);
    }
  }
  EXPECT_GT(singular, 80u);
}

// A sum in brackets is no unit: the operator behind the number multiplies.
TEST(SpecialCases, ANumberWithItsUnitTimesASum) {
  RunOf run(
      "component Cam { output y : Length  equation y = 0.1 m*(1 - cos(2*pi*time/(1 s))) }\n"
      "component Rider { input u : Length  variable x : Length  equation x = u }\n"
      "system S { cam : Cam  rider : Rider  connect cam.y -> rider.u }\n");
  run.Simulate(0.25);
  EXPECT_NEAR(run.End("rider.x"), 0.1, 1e-12);
}

// A step of 0.2 s cannot look into what a delay of 0.1 s has not seen yet; one of 0.1 s can.
TEST(SpecialCases, FixedStepsLongerThanADelayAreRefused) {
  const std::string text =
      "component Late { output y : Real  variable x : Real (start = 1)  equation der(x) = -delay(x, 0.1 "
      "s)/(1 s)  y = x }\n"
      "system S { late : Late  out : Gain(k = 1)  connect late.y -> out.u }\n";
  for (const Method method : {Method::kHeun, Method::kRungeKutta4, Method::kImplicitEuler}) {
    RunOf run(text);
    SimulationOptions options;
    options.method = method;
    options.step = 0.2;
    const Trajectory refused = Simulate(*run.translation->program, run.translation->starts, options);
    EXPECT_FALSE(refused.ok);
    EXPECT_NE(refused.problem.find("longer than the delay of `late`, 0.1 s"), std::string::npos)
        << refused.problem;
    options.step = 0.1;
    EXPECT_TRUE(Simulate(*run.translation->program, run.translation->starts, options).ok);
  }
}

// What an experiment sets is within the bounds of the declaration, or said with both numbers.
TEST(SpecialCases, SettingsKeepWithinBounds) {
  const std::string text =
      "system S { parameter load : Resistance (min = 1 ohm, max = 10 ohm) = 2 ohm\n"
      "  v : VoltageSource(V = 1 V)  r : Resistor(R = load)\n"
      "  connect v.p -- r.p  connect v.n -- r.n -- electrical.ground }\n"
      "experiment Within of S { set load = 10 ohm }\n"
      "experiment Above of S { set load = 20 ohm }\n";
  TranslateOptions options;
  options.experiment = "Within";
  EXPECT_TRUE(RunOf(text, options).translation->ok);
  options.experiment = "Above";
  try {
    RunOf above(text, options);
    FAIL();
  } catch (const std::runtime_error& refused) {
    EXPECT_TRUE(Contains(refused.what(), "COT2120")) << refused.what();
    EXPECT_TRUE(Contains(refused.what(), "`load` is 20 ohm, but must be at most 10 ohm")) << refused.what();
  }
}

// A generic parameter that turned out to be a temperature takes degC from an experiment as from the text.
TEST(SpecialCases, AGenericTemperatureIsSetInDegreesCelsius) {
  TranslateOptions options;
  options.experiment = "Warm";
  RunOf run(
      "system S { room : Constant(k = 20 degC)  s : SignalTemperatureSource  r : ThermalResistor(R = 1 K/W)\n"
      "  c : HeatCapacity(C = 1 J/K)  connect room.y -> s.u  connect s.a -- r.a  connect r.b -- c.a }\n"
      "experiment Warm of S { set room.k = 30 degC }\n",
      options);
  run.Simulate(1);
  EXPECT_NEAR(run.End("room.y"), 303.15, 1e-12);
}

}  // namespace
}  // namespace cotree::test
