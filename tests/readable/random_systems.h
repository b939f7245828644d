// SPDX-License-Identifier: Apache-2.0
// Random systems of all domains that always have a solution: trees of resistive elements carry everything, so
// nothing floats; storage, sources, gears, motors, controllers and nonlinear elements are put between.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace cotree::test {

inline std::string RandomSystem(uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<uint32_t>(n)); };
  const auto number = [&](double low, double high) {
    const double x = low + (high - low) * static_cast<double>(random() % 1000) / 1000;
    return std::to_string(x);
  };
  std::string text = "system Random {\n";
  // Electrical: every node is tied to another or to ground by a resistor.
  const int nodes = 2 + pick(5);
  const auto node = [&](int k) {
    return k == 0 ? std::string("electrical.ground") : "tie" + std::to_string(k) + ".p";
  };
  for (int k = 1; k <= nodes; ++k)
    text += "  tie" + std::to_string(k) + " : Resistor(R = " + number(1, 20) + " ohm)\n  connect tie" +
            std::to_string(k) + ".n -- " + node(pick(k)) + "\n";
  for (int k = 1; k <= nodes; ++k)
    text += "  leak" + std::to_string(k) + " : Resistor(R = " + number(50, 200) + " ohm)\n  connect leak" +
            std::to_string(k) + ".p -- " + node(k) + "\n  connect leak" + std::to_string(k) +
            ".n -- electrical.ground\n";
  const int elements = 2 + pick(6);
  for (int k = 0; k < elements; ++k) {
    const std::string name = "e" + std::to_string(k);
    const int a = 1 + pick(nodes);
    int b = pick(nodes + 1);
    if (b == a) b = 0;
    switch (pick(6)) {
      case 0:
        text += "  " + name + " : Capacitor(C = " + number(0.1, 2) + " mF)\n";
        break;
      case 1:
        text += "  " + name + " : Inductor(L = " + number(0.1, 2) + " mH)\n";
        break;
      case 2:
        text += "  " + name + " : Resistor(R = " + number(1, 50) + " ohm)\n";
        break;
      case 3:
        text += "  " + name + " : SignalCurrentSource\n  s" + name + " : Sine(amplitude = " + number(1, 3) +
                " A, frequency = 5 Hz)\n  connect s" + name + ".y -> " + name + ".u\n";
        break;
      case 4:
        text += "  " + name + " : Cubic(a = " + number(0.01, 0.2) + ")\n";
        break;
      default:
        text += "  " + name + " : Inductor(L = " + number(0.1, 2) + " mH)\n";
    }
    text += "  connect " + name + ".p -- " + node(a) + "\n  connect " + name + ".n -- " + node(b) + "\n";
  }
  // Rotational: a motor turns shafts through gears.
  if (pick(3) > 0) {
    text += "  motor : DCMotor(R = " + number(0.1, 2) + " ohm, L = " + number(0.1, 1) +
            " mH, Kt = " + number(0.02, 0.3) + " N*m/A, J = " + number(0.1, 2) +
            "e-3 kg*m^2)\n  connect motor.p -- " + node(1 + pick(nodes)) +
            "\n  connect motor.n -- electrical.ground\n  connect motor.housing -- rotational.ground\n";
    std::string shaft = "motor.shaft";
    const int stages = pick(3);
    for (int k = 0; k < stages; ++k) {
      const std::string n = std::to_string(k);
      if (pick(2) == 0) {
        text += "  gear" + n + " : Gear(ratio = " + number(2, 9) + ")\n  connect " + shaft + " -- gear" + n +
                ".a\n";
        shaft = "gear" + n + ".b";
      } else {
        text += "  shaft" + n + " : TorsionSpring(k = " + number(10, 300) + " N*m/rad)\n  damp" + n +
                " : RotationalDamper(d = " + number(0.01, 0.5) + " N*m*s/rad)\n  connect " + shaft +
                " -- shaft" + n + ".a -- damp" + n + ".a\n  connect shaft" + n + ".b -- damp" + n + ".b\n";
        shaft = "shaft" + n + ".b";
      }
      text += "  wheel" + n + " : Inertia(J = " + number(0.1, 3) + "e-2 kg*m^2)\n  connect " + shaft +
              " -- wheel" + n + ".a\n";
    }
    text += "  bearing : RotationalDamper(d = " + number(0.001, 0.05) + " N*m*s/rad)\n  connect " + shaft +
            " -- bearing.a\n  connect bearing.b -- rotational.ground\n";
    if (pick(2) == 0) {
      text += "  target : Constant(k = 10 rad/s)\n  pi : PI(kp = " + number(0.1, 2) +
              " V*s/rad, ki = " + number(0.1, 1) +
              " V/rad)\n  amplifier : SignalVoltageSource\n  load : Resistor(R = 5 ohm)\n  tacho : "
              "SpeedSensor\n  connect " +
              shaft +
              " -- tacho.a\n  connect target.y -> pi.target\n  connect tacho.y -> pi.measured\n  connect "
              "pi.y -> amplifier.u\n" +
              "  connect amplifier.p -- load.p\n  connect load.n -- " + node(1 + pick(nodes)) +
              "\n  connect amplifier.n -- electrical.ground\n";
    }
  }
  // Translational: a chain of masses, some springs stiffening.
  if (pick(3) == 0) {
    const int masses = 1 + pick(3);
    std::string last = "translational.ground";
    for (int k = 0; k < masses; ++k) {
      const std::string n = std::to_string(k);
      text += "  mass" + n + " : Mass(m = " + number(0.5, 5) + " kg)\n  spring" + n +
              " : Spring(k = " + number(10, 200) + " N/m)\n  damper" + n + " : Damper(d = " + number(0.1, 4) +
              " N*s/m)\n  connect " + last + " -- spring" + n + ".a -- damper" + n + ".a\n  connect mass" +
              n + ".a -- spring" + n + ".b -- damper" + n + ".b\n";
      last = "mass" + n + ".a";
    }
  }
  // In space: a planar chain of links on a cart or a pivot.
  if (pick(4) == 0) {
    const int links = 1 + pick(2);
    text += "  gravity : Gravity(g = [0, 0, -9.81] m/s^2)\n";
    std::string last = "mechanics.ground";
    if (pick(2) == 0) {
      text += "  rail : Prismatic(n = [1, 0, 0], d = " + number(0.1, 1) +
              " N*s/m)\n  cart : Body(m = " + number(1, 4) +
              " kg)\n  connect mechanics.ground -- rail.a\n  connect rail.b -- cart.a\n";
      last = "rail.b";
    }
    for (int k = 0; k < links; ++k) {
      const std::string n = std::to_string(k);
      text += "  joint" + n + " : Revolute(n = [0, 1, 0], d = " + number(0.01, 0.1) + " N*m*s/rad)\n  link" +
              n + " : Body(m = " + number(0.3, 2) + " kg, center = [0, 0, -" + number(0.1, 0.4) +
              "] m, I = [0.01, " + number(0.01, 0.05) + ", 0.01, 0, 0, 0] kg*m^2)\n  arm" + n +
              " : Arm(r = [0, 0, -" + number(0.3, 0.8) + "] m)\n  connect " + last + " -- joint" + n +
              ".a\n  connect joint" + n + ".b -- link" + n + ".a -- arm" + n + ".a\n";
      last = "arm" + n + ".b";
    }
  }
  text += "}\n";
  return "component Cubic \"i = v/R0 + a v^3\" {\n  terminal p, n : electrical\n  edge e : p -> n\n  "
         "parameter a : Real = 0.1\n  equation e.i = 0.05 S*e.v + a*1 A/V^3*e.v^3\n}\n" +
         text;
}

}  // namespace cotree::test
