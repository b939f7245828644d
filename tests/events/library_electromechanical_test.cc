// SPDX-License-Identifier: Apache-2.0
// The encoder, whose counts are events, against closed forms.
#include "events/event_curves.h"

namespace cotree::test {
namespace {

// By hand: phi = w*t counts each line once, at k*2*pi/(lines*w); backwards it begins with -1.
TEST(EventsElectromechanical, EncoderAtConstantSpeed) {
  for (const double speed : {3.0, -3.0}) {
    const auto run = RunBody("drive : SpeedSource(speed = " + std::to_string(speed) + R"( rad/s)
      encoder : QuantisedEncoder(lines = 60) as counting
      connect drive.a -- encoder.shaft
      connect drive.b -- encoder.housing -- rotational.ground)",
                             2.02);
    const auto lines = [&](double t) { return speed * t * 60 / (2 * kPi); };
    Close("encoder: count", EventError(run, "encoder.count", [&](double t) { return std::floor(lines(t)); }));
    Close("encoder: angle",
          EventError(run, "encoder.y", [&](double t) { return std::floor(lines(t)) * 2 * kPi / 60; }));
    std::vector<double> times;
    for (int k = speed > 0 ? 1 : 0; 2 * kPi * k / 180 < 2.02; ++k) times.push_back(2 * kPi * k / 180);
    Close("encoder: times", TimesError(Jumps(run, "encoder.count"), times), kEventTime);
  }
}

// Quadrature: A is true for the first half of a line, B for the half that begins a quarter later; backwards B
// is ahead. The shaft swings, 0.2 rad to both sides.
TEST(EventsElectromechanical, EncoderOnASwingingShaft) {
  const auto run = RunBody(R"(
    disc    : Inertia(J = 2 kg*m^2, start phi = 0.2 rad fixed, start w = 0 rad/s fixed)
    spring  : TorsionSpring(k = 50 N*m/rad)
    encoder : QuantisedEncoder(lines = 100) as quadrature
    never   : BooleanConstant(k = false)
    pulses  : Counter
    connect encoder.A -> pulses.u
    connect never.y -> pulses.reset
    connect disc.a -- spring.a -- encoder.shaft
    connect spring.b -- encoder.housing -- rotational.ground)",
                           2.6);
  const auto lines = [](double t) { return 0.2 * std::cos(5 * t) * 100 / (2 * kPi); };
  const auto part = [](double x) { return x - std::floor(x); };
  Close("swing: count", EventError(run, "encoder.count", [&](double t) { return std::floor(lines(t)); }));
  Close("swing: A", EventError(run, "encoder.A", [&](double t) { return part(lines(t)) < 0.5 ? 1 : 0; }));
  Close("swing: B",
        EventError(run, "encoder.B", [&](double t) { return part(lines(t) - 0.25) < 0.5 ? 1 : 0; }));
  double rises = 0;
  for (double t = 1e-5; t < 2.6; t += 1e-5) {
    if (part(lines(t)) < 0.5 && part(lines(t - 1e-5)) >= 0.5) ++rises;
  }
  EXPECT_EQ(run.End("pulses.y"), rises);
  const double end = std::acos(3 * 2 * kPi / 100 / 0.2) / 5;  // the first jump: 3.18 lines fall to 3
  Close("swing: first time", std::fabs(Jumps(run, "encoder.count").front() - end), kEventTime);
}

}  // namespace
}  // namespace cotree::test
