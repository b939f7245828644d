// SPDX-License-Identifier: Apache-2.0
// A grid of nonlinear resistors with a diode to ground at each of its n*n places and a capacitor at every
// fifth: the other places make one large nonlinear block.
#pragma once

#include <string>

namespace cotree::test {

inline std::string DiodeGrid(size_t n) {
  std::string declared, connected;
  const auto place = [&](size_t i, size_t j) { return "d" + std::to_string(i * n + j + 1); };
  const auto join = [&](const std::string& a, const std::string& b) {
    connected += "  connect " + a + " -- " + b + "\n";
  };
  size_t resistors = 0;
  const auto resistor = [&](const std::string& from, const std::string& to) {
    const std::string name = "r" + std::to_string(++resistors);
    declared += "  " + name + " : Cubic(G = " + std::to_string(1 + resistors % 3) + " mS)\n";
    join(name + ".p", from + ".p");
    join(name + ".n", to + ".p");
  };
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      declared += "  " + place(i, j) + " : Diode(Gmin = 10 uS)\n";
      join(place(i, j) + ".n", "electrical.ground");
      if (i + 1 < n) resistor(place(i, j), place(i + 1, j));
      if (j + 1 < n) resistor(place(i, j), place(i, j + 1));
      if ((i + 2 * j) % 5 != 0) continue;
      const std::string name = "c" + std::to_string(i * n + j + 1);
      declared += "  " + name + " : Capacitor(C = 1 uF)\n";
      join(name + ".p", place(i, j) + ".p");
      join(name + ".n", "electrical.ground");
    }
  }
  return "component Cubic { terminal p, n : electrical  parameter G : Conductance  edge e : p -> n\n"
         "  equation e.i = G*e.v*(1 + (e.v/(1 V))^2) }\n"
         "system Grid {\n  source : SineVoltageSource(amplitude = 5 V, frequency = 100 Hz)\n"
         "  feed : Resistor(R = 20 ohm)\n  connect source.p -- feed.p\n  connect source.n -- "
         "electrical.ground\n"
         "  connect feed.n -- " +
         place(n / 2, n / 2) + ".p\n" + declared + connected + "}\n";
}

}  // namespace cotree::test
