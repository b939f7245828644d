// SPDX-License-Identifier: Apache-2.0
// The systems that are measured: an RC ladder, a mass-spring chain and drives, by arrays and spelled out.
#pragma once

#include <string>

namespace cotree::bench {

inline std::string N(size_t n) {
  return std::to_string(n);
}

// `n` counts components.
inline std::string LadderArrays(size_t n) {
  return "system Ladder {\n  parameter n : Integer = " + N(n / 2) +
         "\n  source : VoltageSource(V = 1 V)\n  r : Resistor[n](R = 1 ohm)\n  c : Capacitor[n](C = 1 nF)\n"
         "  connect source.p -- r[1].p\n  connect r[1:n-1].n -- r[2:n].p\n  connect r.n -- c.p\n"
         "  connect c.n -- electrical.ground\n  connect source.n -- electrical.ground\n}\n";
}
inline std::string ChainArrays(size_t n) {
  return "system Chain {\n  parameter n : Integer = " + N(n / 2) +
         "\n  m : Mass[n](m = 1 kg)\n  k : Spring[n](k = 100 N/m)\n  connect m.a -- k.a\n"
         "  connect k[1:n-1].b -- m[2:n].a\n  connect k[n].b -- translational.ground\n}\n";
}
inline std::string MotorArrays(size_t n) {
  return "system Motors {\n  parameter n : Integer = " + N(n / 3) +
         "\n  v : VoltageSource[n](V = 12 V)\n  motor : DCMotor[n](Kt = 0.05 N*m/A)\n  load : Inertia[n](J = "
         "[1e-3 kg*m^2 * i for i in 1:n])\n"
         "  connect v.p -- motor.p\n  connect v.n -- motor.n -- electrical.ground\n"
         "  connect motor.shaft -- load.a\n  connect motor.housing -- rotational.ground\n}\n";
}

// Composites in an array, and a composite around it: what is expanded one by one.
inline std::string CompositeArrays(size_t n) {
  return "component Cell { terminal p, n : electrical   r : Resistor(R = 1 ohm)   c : Capacitor(C = 1 nF)\n"
         "  connect p -- r.p   connect r.n -- n -- c.p   connect c.n -- electrical.ground }\n"
         "component Line { terminal p, n : electrical   parameter k : Integer = 10   cell : Cell[k]\n"
         "  connect p -- cell[1].p   connect cell[1:k-1].n -- cell[2:k].p   connect cell[k].n -- n }\n"
         "system Grid { parameter n : Integer = " +
         N(n / 20) +
         "\n  source : VoltageSource(V = 1 V)   line : Line[n]   load : Resistor[n](R = 1 ohm)\n"
         "  connect source.p -- line.p   connect line.n -- load.p   connect load.n -- source.n -- "
         "electrical.ground }\n";
}

// `n` counts lines.
inline std::string LadderLines(size_t n) {
  std::string text =
      "system Ladder {\n  source : VoltageSource(V = 1 V)\n  connect source.p -- r1.p\n  connect source.n -- "
      "electrical.ground\n";
  const size_t sections = n / 4;
  for (size_t i = 1; i <= sections; ++i) {
    const std::string k = N(i);
    text += "  r" + k + " : Resistor(R = 1 ohm)\n  c" + k + " : Capacitor(C = 1 nF)\n  connect r" + k +
            ".n -- c" + k + ".p" + (i < sections ? " -- r" + N(i + 1) + ".p" : "") + "\n  connect c" + k +
            ".n -- electrical.ground\n";
  }
  return text + "}\n";
}
inline std::string ChainLines(size_t n) {
  std::string text = "system Chain {\n";
  const size_t sections = n / 4;
  for (size_t i = 1; i <= sections; ++i) {
    const std::string k = N(i);
    text += "  m" + k + " : Mass(m = 1.5 kg)\n  k" + k + " : Spring(k = " + N(100 + i % 7) +
            " N/m)\n  connect m" + k + ".a -- k" + k + ".a\n  connect k" + k + ".b -- " +
            (i < sections ? "m" + N(i + 1) + ".a" : "translational.ground") + "\n";
  }
  return text + "}\n";
}
// Drives with a controller each, so that dimensions of signals are inferred over the whole system.
inline std::string MotorLines(size_t n) {
  std::string text = "system Motors {\n";
  for (size_t i = 1; i <= n / 12; ++i) {
    const std::string k = N(i);
    text += "  t" + k + " : Step(height = 90 deg, start = 0.1 s)\n  pid" + k +
            " : PID(kp = 4 V/rad, ki = 8 V/(rad*s), kd = 0.35 V*s/rad, limit = 24 V)\n  d" + k +
            " : SignalVoltageSource\n  motor" + k + " : DCMotor(Kt = 0.05 N*m/A)\n  load" + k +
            " : Inertia(J = 1e-3 kg*m^2)\n  a" + k + " : AngleSensor\n  connect d" + k + ".p -- motor" + k +
            ".p\n  connect d" + k + ".n -- motor" + k + ".n -- electrical.ground\n  connect motor" + k +
            ".shaft -- load" + k + ".a -- a" + k + ".a\n  connect motor" + k +
            ".housing -- rotational.ground\n  connect t" + k + ".y -> pid" + k + ".target\n  connect a" + k +
            ".y -> pid" + k + ".measured\n  connect pid" + k + ".y -> d" + k + ".u\n";
  }
  return text + "}\n";
}

}  // namespace cotree::bench
