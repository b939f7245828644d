// SPDX-License-Identifier: Apache-2.0
// Other values of parameters without a new translation: the same bits as with one, or an honest refusal.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "pipeline/choose_system.h"
#include "pipeline/translate.h"
#include "simulation/simulate.h"

namespace cotree {
namespace {

/* A model with values to choose from, translated for one of them. */
struct Chosen {
  Chosen(const std::string& text, const std::vector<std::string>& alternatives, uint32_t which) {
    NoReader reader;
    loaded = LoadModelText("test.cot", text, reader);
    SystemRequest request;
    request.options.alternatives = alternatives;
    ChooseSystem(*loaded, request, "test.cot");
    options.chosen = {which};
    translation = Translate(*loaded, options);
    std::string all;
    for (const Diagnostic& d : loaded->diagnostics.list()) all += RenderText(d, loaded->model.files, false);
    EXPECT_TRUE(translation->ok) << all;
  }
  bool Change(uint32_t which) {
    options.chosen = {which};
    return ChangeParameters(*loaded, *translation, options);
  }
  // Every value of every row.
  std::vector<uint64_t> Bits(double stop) const {
    SimulationOptions simulation;
    simulation.stop = stop;
    const Trajectory run = Simulate(*translation->program, translation->starts, simulation);
    EXPECT_TRUE(run.ok) << run.problem;
    std::vector<uint64_t> bits;
    for (const double t : run.times) bits.push_back(std::bit_cast<uint64_t>(t));
    for (const auto& column : run.columns) {
      for (const double x : column) bits.push_back(std::bit_cast<uint64_t>(x));
    }
    return bits;
  }
  std::unique_ptr<LoadedModel> loaded;
  TranslateOptions options;
  std::unique_ptr<Translation> translation;
};

// From the first value to each other one, and back: as if it had been translated so. The last may refuse.
void ExpectSameBits(const std::string& text, const std::vector<std::string>& alternatives, double stop) {
  Chosen changed(text, alternatives, 0);
  std::vector<uint64_t> before;
  for (uint32_t k = 0; k <= alternatives.size(); ++k) {
    const uint32_t which = k % static_cast<uint32_t>(alternatives.size());
    SCOPED_TRACE(alternatives[which]);
    ASSERT_TRUE(changed.Change(which));
    const std::vector<uint64_t> bits = changed.Bits(stop);
    EXPECT_EQ(bits, Chosen(text, alternatives, which).Bits(stop));
    EXPECT_NE(bits, before) << "the value has no effect";
    before = bits;
  }
}

void ExpectTranslatedAgain(const std::string& text, const std::vector<std::string>& alternatives) {
  for (uint32_t from = 0; from < 2; ++from) {
    SCOPED_TRACE(alternatives[1 - from]);
    EXPECT_FALSE(Chosen(text, alternatives, from).Change(1 - from));
  }
}

constexpr const char* kMotor = R"(
system S {
  parameter tau : Time = 2 ms
  parameter w0 : AngularVelocity = 3 rad/s
  parameter n : Integer = 2
  v     : VoltageSource(V = 12 V)
  r     : Resistor[n](R = 0.1 ohm)
  motor : DCMotor(Kt = 0.05 N*m/A, R = 0.5 ohm, L = tau*0.5 ohm)
  load  : Inertia(J = 1e-3 kg*m^2, start w = w0)
  same  : Inertia(J = 1e-3 kg*m^2)
  belt  : TorsionSpring(k = 10 N*m/rad)
  connect v.p -- r[1].p
  connect r[1:n-1].n -- r[2:n].p
  connect r[n].n -- motor.p
  connect v.n -- motor.n -- electrical.ground
  connect motor.shaft -- load.a -- belt.a
  connect belt.b -- same.a
  connect motor.housing -- rotational.ground
}
)";

TEST(ChangeParameters, OfAComponent) {
  ExpectSameBits(kMotor, {"motor.R = 0.5 ohm", "motor.R = 700 mohm", "motor.R = 1.1 ohm"}, 0.3);
}

// One inertia is like the other at the first value only.
TEST(ChangeParameters, WhereNumbersAreEqualByChance) {
  ExpectSameBits(kMotor, {"same.J = 1e-3 kg*m^2", "same.J = 2e-3 kg*m^2"}, 0.3);
}

TEST(ChangeParameters, ThatOthersDependOn) {
  ExpectSameBits(kMotor, {"tau = 2 ms", "tau = 3 ms", "tau = 40 us"}, 0.3);
}

TEST(ChangeParameters, ThatStartsDependOn) {
  ExpectSameBits(kMotor, {"w0 = 3 rad/s", "w0 = 0 rad/s", "w0 = -7 rad/s"}, 0.3);
}

TEST(ChangeParameters, OfAnArray) {
  ExpectSameBits(kMotor, {"r.R = 0.1 ohm", "r.R = 0.2 ohm"}, 0.3);
}

TEST(ChangeParameters, StructureIsTranslatedAgain) {
  ExpectTranslatedAgain(kMotor, {"n = 2", "n = 3"});
  ExpectTranslatedAgain(kMotor, {"tau = 2 ms", "tau = 0 s"});
  ExpectTranslatedAgain(kMotor, {"same.J = 1e-3 kg*m^2", "same.J = 0 kg*m^2"});
}

// A start by the experiment, initial equations, and events.
constexpr const char* kBall = R"(
component Ball {
  parameter e : Real = 0.7
  parameter h0 : Length = 1 m
  variable h : Length (start = h0, fixed)
  variable v : Velocity (start = 0 m/s, fixed)
  equation
    der(h) = v
    der(v) = -9.81 m/s^2
    when h < 0 m { reinit(v, -e*pre(v)) }
}
system S { ball : Ball }
)";

TEST(ChangeParameters, Events) {
  ExpectSameBits(kBall, {"ball.e = 0.7", "ball.e = 0.5", "ball.e = 0.9"}, 1.2);
  ExpectSameBits(kBall, {"ball.h0 = 1 m", "ball.h0 = 2 m"}, 1.2);
}

// Perfectly coupled inductors have one state less: numbers alone decide it.
constexpr const char* kCoupled = R"(
system S {
  v : VoltageSource(V = 1 V)
  r : Resistor(R = 1 ohm)
  q : Resistor(R = 2 ohm)
  l : CoupledInductorPair(L1 = 1 mH, L2 = 4 mH, k = 0.9)
  connect v.p -- r.p
  connect r.n -- l.p1
  connect l.p2 -- q.p
  connect v.n -- l.n1 -- l.n2 -- q.n -- electrical.ground
}
)";

TEST(ChangeParameters, NumbersThatCancel) {
  ExpectSameBits(kCoupled, {"l.k = 0.9", "l.k = 0.5", "l.k = -0.99"}, 0.01);
  ExpectTranslatedAgain(kCoupled, {"l.k = 0.9", "l.k = 1"});
}

// A coefficient that is zero at one value: y - k*u cannot be solved for u there.
TEST(ChangeParameters, CoefficientsThatVanish) {
  const std::string text = R"(
component Lever {
  parameter a : Real = 2
  parameter b : Real = 1
  variable x : Real
  variable y : Real (start = 1, fixed)
  equation
    (a - b)*x = y
    der(y) = -x/1 s
}
system S { lever : Lever }
)";
  ExpectSameBits(text, {"lever.a = 2", "lever.a = 3"}, 1);
  Chosen chosen(text, {"lever.a = 2", "lever.a = 1"}, 0);
  EXPECT_FALSE(chosen.Change(1)) << "at a = b the equation is singular";
}

// The sampled controller's period is data as well.
TEST(ChangeParameters, Clocks) {
  const std::string text = R"(
component Sampler {
  parameter period : Time = 10 ms
  discrete variable n : Real (start = 0)
  variable x : Real (start = 0, fixed)
  equation
    der(x) = n/1 s
    when sample(0 s, period) { n = pre(n) + 1 }
}
system S { s : Sampler }
)";
  ExpectSameBits(text, {"s.period = 10 ms", "s.period = 3 ms"}, 0.1);
}

}  // namespace
}  // namespace cotree
