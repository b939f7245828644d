// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "library/signal_bench.h"

namespace cotree::test {
namespace {

double Two(Probe& block, double u1, double u2) {
  return Output(block, {{"u1", u1}, {"u2", u2}});
}

// --- Arithmetic
// ---------------------------------------------------------------------------------------------

TEST(SignalArithmetic, GainAddFeedbackProduct) {
  Probe gain("Gain(k = -2.5 V/A)");
  EXPECT_DOUBLE_EQ(Of(gain, 4), -10);
  Probe add("Add(k1 = 2, k2 = -3)"), feedback("Feedback"), product("Product");
  EXPECT_DOUBLE_EQ(Two(add, 5, 4), -2);
  EXPECT_DOUBLE_EQ(Two(feedback, 5, 7), -2);
  EXPECT_DOUBLE_EQ(Two(product, -3, 7), -21);
  // (a + b)(a - b) = a^2 - b^2
  Probe plain("Add");
  EXPECT_DOUBLE_EQ(Two(product, Two(plain, 7, 4), Two(feedback, 7, 4)), 49 - 16);
}

TEST(SignalArithmetic, SumAndMatrixGain) {
  Probe sum("Sum(n = 3, k = [1, -2, 0.5])");
  EXPECT_DOUBLE_EQ(Output(sum, {{"u[1]", 10}, {"u[2]", 3}, {"u[3]", 8}}), 8);
  Probe plain("Sum");
  EXPECT_DOUBLE_EQ(Output(plain, {{"u[1]", 10}, {"u[2]", 3}}), 13);
  // A rotation by 90 degrees with a third row that adds: columns are what unit vectors become.
  Probe matrix("MatrixGain(m = 2, p = 3, K = [[0, -1], [1, 0], [1, 1]] V/A)");
  const double wanted[2][3] = {{0, 1, 1}, {-1, 0, 1}};
  for (int column = 0; column < 2; ++column) {
    for (int row = 0; row < 3; ++row) {
      EXPECT_DOUBLE_EQ(Output(matrix, {{"u[1]", column == 0 ? 1 : 0}, {"u[2]", column == 1 ? 1 : 0}},
                              "y[" + std::to_string(row + 1) + "]"),
                       wanted[column][row]);
    }
  }
}

// Division undoes multiplication; the guard keeps the sign.
TEST(SignalArithmetic, Division) {
  Probe division("Division"), product("Product"), guarded("Division(smallest = 0.1 V)");
  for (const double u2 : {-4.0, -0.01, 0.3, 8.0})
    EXPECT_NEAR(Two(product, Two(division, 7, u2), u2), 7, 1e-12) << u2;
  EXPECT_NEAR(Two(guarded, 7, 0.2), 35, 1e-12);
  EXPECT_NEAR(Two(guarded, 7, -0.2), -35, 1e-12);
  EXPECT_NEAR(Two(guarded, 7, 0.001), 70, 1e-12);
  EXPECT_NEAR(Two(guarded, 7, 0), 70, 1e-12);
  EXPECT_NEAR(Two(guarded, 7, -0.001), -70, 1e-12);
}

TEST(SignalArithmetic, Functions) {
  Probe absolute("Abs"), sign("Sign"), root("Sqrt"), smaller("Min"), larger("Max");
  for (const double u : {-3.5, 0.0, 2.0}) {
    EXPECT_DOUBLE_EQ(Of(absolute, u), u < 0 ? -u : u);
    EXPECT_DOUBLE_EQ(Of(sign, u), u < 0 ? -1 : u > 0 ? 1 : 0);
    EXPECT_DOUBLE_EQ(Of(sign, u) * Of(absolute, u), u);
    // min + max = u1 + u2, max - min = |u1 - u2|
    EXPECT_DOUBLE_EQ(Two(smaller, u, 1) + Two(larger, u, 1), u + 1);
    EXPECT_DOUBLE_EQ(Two(larger, u, 1) - Two(smaller, u, 1), std::abs(u - 1));
  }
  for (const double u : {0.25, 2.0, 9.0}) EXPECT_NEAR(Of(root, u) * Of(root, u), u, 1e-12);
}

// A point at the angle a on the unit circle: (1/2, sqrt(3)/2) at 60 degrees, and so on in each quadrant.
TEST(SignalArithmetic, AnglesOnTheUnitCircle) {
  Probe sine("Sin"), cosine("Cos"), angle("Atan2");
  const double h = std::sqrt(3.0) / 2;
  const double points[][3] = {{60, 0.5, h}, {150, -h, 0.5}, {-120, -0.5, -h}, {-30, h, -0.5}};
  for (const auto& [degrees, x, y] : points) {
    EXPECT_NEAR(Of(cosine, degrees * kPi / 180), x, 1e-12);
    EXPECT_NEAR(Of(sine, degrees * kPi / 180), y, 1e-12);
    EXPECT_NEAR(Two(angle, 5 * y, 5 * x), degrees * kPi / 180, 1e-12);
  }
}

TEST(SignalArithmetic, TerminatorHasNoEquations) {
  Probe terminator("Terminator");
  terminator.Set("u", 5);
  EXPECT_TRUE(terminator.Unknowns().empty());
  EXPECT_DOUBLE_EQ(terminator["u"], 5);
}

// --- Units
// --------------------------------------------------------------------------------------------------

// BIPM, The International System of Units, 9th ed., §2.3.4 and table 8: t/degC = T/K - 273.15, 1 deg = pi/180
// rad.
TEST(SignalUnits, ToAndFrom) {
  Probe to_degrees("ToDegrees"), from_degrees("FromDegrees"), to_rpm("ToRpm"), from_rpm("FromRpm"),
      to_celsius("ToCelsius"), from_celsius("FromCelsius");
  EXPECT_NEAR(Of(to_degrees, kPi), 180, 1e-12);
  EXPECT_NEAR(Of(from_degrees, -90), -kPi / 2, 1e-12);
  EXPECT_NEAR(Of(to_rpm, 100 * kPi), 3000, 1e-9);  // a two-pole machine at 50 Hz
  EXPECT_NEAR(Of(from_rpm, 60), 2 * kPi, 1e-12);
  EXPECT_NEAR(Of(to_celsius, 373.15), 100, 1e-12);
  EXPECT_NEAR(Of(from_celsius, -273.15), 0, 1e-12);
  EXPECT_NEAR(Of(from_celsius, 20), 293.15, 1e-12);
}

// --- Characteristics
// ----------------------------------------------------------------------------------------

TEST(SignalCharacteristics, Limiters) {
  Probe limiter("Limiter(upper = 2 V)"), skew("Limiter(upper = 2 V, lower = 1 V)"),
      variable("VariableLimiter");
  const double points[][3] = {{-5, -2, 1}, {-1, -1, 1}, {1.5, 1.5, 1.5}, {2, 2, 2}, {7, 2, 2}};
  for (const auto& [u, y, z] : points) {
    EXPECT_DOUBLE_EQ(Of(limiter, u), y);
    EXPECT_DOUBLE_EQ(Of(skew, u), z);
    EXPECT_DOUBLE_EQ(Output(variable, {{"u", u}, {"upper", 2}, {"lower", 1}}), z);
    EXPECT_DOUBLE_EQ(Output(variable, {{"u", u}, {"upper", 2}, {"lower", -2}}), y);
  }
}

// Slotine & Li, Applied Nonlinear Control, §5.2.2: saturation and dead zone of equal limits add up to u.
TEST(SignalCharacteristics, DeadZoneIsWhatALimiterTakesAway) {
  Probe dead("DeadZone(upper = 2 V, lower = -1 V)"), limiter("Limiter(upper = 2 V, lower = -1 V)");
  for (const double u : {-7.0, -1.0, -0.3, 1.9, 2.0, 5.0}) EXPECT_DOUBLE_EQ(Of(dead, u) + Of(limiter, u), u);
  Probe even("DeadZone(upper = 2 V)");
  EXPECT_DOUBLE_EQ(Of(even, -1.9), 0);
  EXPECT_DOUBLE_EQ(Of(even, -2.5), -0.5);
}

// Oppenheim & Schafer, Discrete-Time Signal Processing, 3rd ed., §4.8.2: the error of rounding is between
// -step/2 and step/2, with a mean square of step^2/12.
TEST(SignalCharacteristics, QuantiserRounds) {
  Probe quantiser("Quantiser(step = 0.25 V)");
  EXPECT_DOUBLE_EQ(Of(quantiser, 0.3), 0.25);
  EXPECT_DOUBLE_EQ(Of(quantiser, -0.3), -0.25);
  EXPECT_DOUBLE_EQ(Of(quantiser, 0.12), 0);
  double square = 0;
  for (int i = 0; i < 1000; ++i) {
    const double u = -1 + (i + 0.5) / 500, error = Of(quantiser, u) - u;
    EXPECT_LE(std::abs(error), 0.125);
    square += error * error / 1000;
  }
  EXPECT_NEAR(square, 0.25 * 0.25 / 12, 1e-5);
}

// The loop of a Schmitt trigger (Horowitz & Hill, The Art of Electronics, 3rd ed., §4.3.2).
TEST(SignalCharacteristics, HysteresisAndRelayGoRoundTheLoop) {
  const double way[][2] = {{0, 0}, {1.9, 0}, {2.1, 1}, {0, 1}, {-0.9, 1}, {-1.1, 0}, {1.9, 0}, {3, 1}};
  Probe hysteresis("Hysteresis(upper = 2 V, lower = -1 V)");
  Probe relay("Relay(upper = 2 V, lower = -1 V, high = 5 N, low = -3 N)");
  double before = 0;
  for (const auto& [u, on] : way) {
    EXPECT_EQ(Output(hysteresis, {{"u", u}, {"pre(y)", before}}), on) << u;
    EXPECT_EQ(Output(relay, {{"u", u}, {"pre(on)", before}}), on != 0 ? 5 : -3) << u;
    before = on;
  }
  Probe even("Hysteresis(upper = 2 V)");
  EXPECT_EQ(Output(even, {{"u", -1.9}, {"pre(y)", 1}}), 1);
  EXPECT_EQ(Output(even, {{"u", -2.1}, {"pre(y)", 1}}), 0);
}

// Far from u the rate is the limit, near it the lag is that of a first-order element: rate*T behind a ramp.
TEST(SignalCharacteristics, RateLimiter) {
  Probe limiter("RateLimiter(rising = 4 V/s, falling = -2 V/s, T = 10 ms)");
  const auto rate = [&](double u, double y) { return Output(limiter, {{"u", u}, {"y", y}}, "der(y)"); };
  EXPECT_DOUBLE_EQ(rate(5, 1), 4);
  EXPECT_DOUBLE_EQ(rate(-5, 1), -2);
  EXPECT_NEAR(rate(1 + 3 * 0.01, 1), 3, 1e-9);
  EXPECT_DOUBLE_EQ(rate(1, 1), 0);
  Probe even("RateLimiter(rising = 4 V/s)");
  EXPECT_DOUBLE_EQ(Output(even, {{"u", -5}, {"y", 1}}, "der(y)"), -4);
}

// Slotine & Li, Applied Nonlinear Control, §5.2.2: with play the output stands still, or it trails by half
// the width.
TEST(SignalCharacteristics, BacklashSignal) {
  Probe play("BacklashSignal(width = 0.4, T = 1 ms)");
  const auto rate = [&](double u, double y) { return Output(play, {{"u", u}, {"y", y}}, "der(y)"); };
  EXPECT_DOUBLE_EQ(rate(1.1, 1), 0);
  EXPECT_DOUBLE_EQ(rate(0.81, 1), 0);
  EXPECT_NEAR(rate(1.25, 1), 50, 1e-9);
  EXPECT_NEAR(rate(0.7, 1), -100, 1e-9);
  // Driven by a triangle of amplitude 1 the loop is closed and 0.4 wide.
  double y = 0, up = 0, down = 0;
  const double h = 2e-4;
  for (int i = 0; i < 30000; ++i) {
    const double t = i * h, u = std::asin(std::sin(kPi * t)) * 2 / kPi;
    if (i == 20000) down = y;  // u crosses 0 upwards at t = 4, downwards at t = 5
    if (i == 25000) up = y;
    y += h * rate(u, y);
  }
  EXPECT_NEAR(down, -0.2, 5e-3);
  EXPECT_NEAR(up, 0.2, 5e-3);
}

// Points of the line; between them the two-point form of a straight line.
TEST(SignalCharacteristics, Lookup1D) {
  const std::string points = "n = 4, x = [-1, 0, 2, 3] V, values = [5, 1, 2, 8] N";
  Probe hold("Lookup1D(" + points + ")"), go_on("Lookup1D(" + points + ", continues = true)");
  const double inside[][2] = {{-1, 5}, {-0.25, 2}, {0, 1}, {0.5, 1.25}, {2, 2}, {2.5, 5}, {3, 8}};
  for (const auto& [u, y] : inside) {
    EXPECT_NEAR(Of(hold, u), y, 1e-12) << u;
    EXPECT_NEAR(Of(go_on, u), y, 1e-12) << u;
  }
  EXPECT_NEAR(Of(hold, -3), 5, 1e-12);
  EXPECT_NEAR(Of(hold, 10), 8, 1e-12);
  EXPECT_NEAR(Of(go_on, -3), 13, 1e-12);
  EXPECT_NEAR(Of(go_on, 4.5), 17, 1e-12);
}

// A bilinear surface is exact for a + b*x + c*y + d*x*y in each cell (Press et al., Numerical Recipes, 3rd
// ed., §3.6.1).
TEST(SignalCharacteristics, Lookup2D) {
  const auto f = [](double x, double y) { return 2 + 3 * x - y + 0.5 * x * y; };
  std::string rows;
  for (const double x : {0.0, 1.0, 3.0}) {
    rows += rows.empty() ? "[" : ", [";
    for (const double y : {-1.0, 0.5, 1.0, 4.0}) rows += (y < 0 ? "" : ", ") + std::to_string(f(x, y));
    rows += "]";
  }
  Probe surface("Lookup2D(n1 = 3, n2 = 4, x1 = [0, 1, 3] V, x2 = [-1, 0.5, 1, 4] A, values = [" + rows +
                "] N)");
  for (const double x : {0.0, 0.3, 1.0, 2.2, 3.0}) {
    for (const double y : {-1.0, -0.2, 0.5, 0.9, 3.7, 4.0}) EXPECT_NEAR(Two(surface, x, y), f(x, y), 1e-9);
  }
  EXPECT_NEAR(Two(surface, -5, 0.9), f(0, 0.9), 1e-9);
  EXPECT_NEAR(Two(surface, 2.2, 9), f(2.2, 4), 1e-9);
  EXPECT_NEAR(Two(surface, 9, -9), f(3, -1), 1e-9);
  // A single peak is a pyramid: 1 at its corner, 1/4 in the middle of a cell.
  Probe peak(
      "Lookup2D(n1 = 3, n2 = 3, x1 = [0, 1, 2], x2 = [0, 1, 2], values = [[0, 0, 0], [0, 1, 0], [0, 0, 0]])");
  EXPECT_NEAR(Two(peak, 1, 1), 1, 1e-12);
  EXPECT_NEAR(Two(peak, 1.5, 0.5), 0.25, 1e-12);
  EXPECT_NEAR(Two(peak, 2, 1), 0, 1e-12);
}

// --- Logic
// --------------------------------------------------------------------------------------------------

// Truth tables (Horowitz & Hill, The Art of Electronics, 3rd ed., §10.1.4), by their numbers u1 + 2*u2.
TEST(SignalLogic, Gates) {
  const std::pair<const char*, const char*> gates[] = {
      {"And", "0001"}, {"Or", "0111"}, {"Xor", "0110"}, {"NAnd", "1110"}, {"NOr", "1000"}};
  for (const auto& [name, truth] : gates) {
    Probe gate(name);
    for (int k = 0; k < 4; ++k) EXPECT_EQ(Two(gate, k % 2, k / 2), truth[k] - '0') << name << k;
  }
  Probe inverter("Not");
  EXPECT_EQ(Of(inverter, 0), 1);
  EXPECT_EQ(Of(inverter, 1), 0);
}

TEST(SignalLogic, ComparisonsAndSwitch) {
  Probe greater("GreaterThan"), less("LessThan"), above("AboveThreshold(threshold = 2 V)"),
      below("BelowThreshold(threshold = 2 V)");
  for (const double u : {-3.0, 1.9, 2.0, 2.1}) {
    EXPECT_EQ(Two(greater, u, 2), u > 2 ? 1 : 0);
    EXPECT_EQ(Two(less, u, 2), u < 2 ? 1 : 0);
    EXPECT_EQ(Of(above, u), u > 2 ? 1 : 0);
    EXPECT_EQ(Of(below, u), u < 2 ? 1 : 0);
  }
  Probe logic_switch("LogicSwitch"), real("BooleanToReal(high = 5 V, low = -1 V)"), one("BooleanToReal");
  EXPECT_EQ(Output(logic_switch, {{"choose", 1}, {"u1", 3}, {"u2", 4}}), 3);
  EXPECT_EQ(Output(logic_switch, {{"choose", 0}, {"u1", 3}, {"u2", 4}}), 4);
  EXPECT_EQ(Of(real, 1), 5);
  EXPECT_EQ(Of(real, 0), -1);
  EXPECT_EQ(Of(one, 1), 1);
}

TEST(SignalLogic, EdgesAndCounter) {
  Probe rising("RisingEdge"), falling("FallingEdge");
  for (int k = 0; k < 4; ++k) {
    const double u = k % 2, before = k / 2;
    EXPECT_EQ(Output(rising, {{"u", u}, {"pre(u)", before}}), u > before ? 1 : 0);
    EXPECT_EQ(Output(falling, {{"u", u}, {"pre(u)", before}}), u < before ? 1 : 0);
  }
  Probe counter("Counter");
  ASSERT_EQ(counter.WhenCount(), 2u);
  counter.Set("u", 1);
  counter.Set("reset", 0);
  counter.Set("pre(y)", 4);
  counter.Set("y", 99);
  EXPECT_FALSE(counter.WhenHolds(0));
  EXPECT_TRUE(counter.WhenHolds(1));
  EXPECT_EQ(counter.WhenValue(1, "y"), 5);
  counter.Set("reset", 1);
  EXPECT_TRUE(counter.WhenHolds(0));  // the first clause goes first
  EXPECT_EQ(counter.WhenValue(0, "y"), 0);
}

// The characteristic table of the latch (Mano & Ciletti, Digital Design, 5th ed., §5.3), reset first.
TEST(SignalLogic, SRLatch) {
  Probe latch("SRLatch");
  const double table[][4] = {{0, 0, 0, 0}, {0, 0, 1, 1}, {1, 0, 0, 1}, {1, 0, 1, 1},
                             {0, 1, 0, 0}, {0, 1, 1, 0}, {1, 1, 0, 0}, {1, 1, 1, 0}};
  for (const auto& [set, reset, before, after] : table)
    EXPECT_EQ(Output(latch, {{"set", set}, {"reset", reset}, {"pre(y)", before}}), after);
}

TEST(SignalLogic, Timers) {
  Probe timer("Timer"), delay("OnDelay(T = 2 s)");
  for (Probe* probe : {&timer, &delay}) {
    probe->Set("time", 3.5);
    probe->Set("u", 1);
    probe->Set("begin", 0);
    EXPECT_TRUE(probe->WhenHolds(1));
    EXPECT_EQ(probe->WhenValue(1, "begin"), 3.5);
    probe->Set("u", 0);
    EXPECT_FALSE(probe->WhenHolds(1));
  }
  EXPECT_DOUBLE_EQ(Output(timer, {{"time", 5}, {"u", 1}, {"begin", 3.5}}), 1.5);
  EXPECT_DOUBLE_EQ(Output(timer, {{"time", 5}, {"u", 0}, {"begin", 3.5}}), 0);
  EXPECT_EQ(Output(delay, {{"time", 5.4}, {"u", 1}, {"begin", 3.5}}), 0);
  EXPECT_EQ(Output(delay, {{"time", 5.6}, {"u", 1}, {"begin", 3.5}}), 1);
  EXPECT_EQ(Output(delay, {{"time", 5.6}, {"u", 0}, {"begin", 3.5}}), 0);
}

}  // namespace
}  // namespace cotree::test
