// SPDX-License-Identifier: Apache-2.0
// Random systems with switches, diodes, couplers and nonlinear storage run without failure, and obey the law
// of energy: what went into each storage is what it holds, and the powers of all edges sum to nothing.
#include <gtest/gtest.h>

#include <random>

#include "run_support.h"

namespace cotree::test {
namespace {

// Each component counts the energy that went into it: W.
constexpr const char* kParts = R"(
component Cap { terminal p, n : electrical  parameter C : Capacitance  edge e : p -> n  variable W : Energy  variable E : Energy
  equation e.i = C*der(e.v)  der(W) = e.v*e.i  E = C*e.v^2/2 }
component NonlinearCap "C grows with the square of the voltage" { terminal p, n : electrical  parameter C : Capacitance  edge e : p -> n
  variable W : Energy  variable E : Energy
  equation e.i = C*(1 + (e.v/(5 V))^2)*der(e.v)  der(W) = e.v*e.i  E = C*(e.v^2/2 + e.v^4/(100 V^2)) }
component Coil { terminal p, n : electrical  parameter L : Inductance  edge e : p -> n  variable W : Energy  variable E : Energy
  equation e.v = L*der(e.i)  der(W) = e.v*e.i  E = L*e.i^2/2 }
component Res { terminal p, n : electrical  parameter R : Resistance  edge e : p -> n  variable W : Energy
  equation e.v = R*e.i  der(W) = e.v*e.i }
component Src { terminal p, n : electrical  parameter V : Voltage  parameter f : Frequency  parameter R : Resistance  edge e : p -> n
  variable W : Energy
  equation e.v = V*sin(2*pi*f*time) + R*e.i  der(W) = e.v*e.i }
component Dio { terminal p, n : electrical  edge e : p -> n  variable on : Boolean  variable W : Energy
  equation on = e.v + 1 ohm * e.i > 0 V  if on { e.v = 10 mohm * e.i } else { e.i = 1e-5 S * e.v }  der(W) = e.v*e.i }
component Swi { terminal p, n : electrical  parameter T : Time  edge e : p -> n  variable on : Boolean  variable W : Energy
  equation on = mod(time/T, 1) < 0.4  if on { e.v = 10 mohm * e.i } else { e.i = 1e-5 S * e.v }  der(W) = e.v*e.i }
component Tra { terminal p1, n1, p2, n2 : electrical  parameter k : Real  edge a : p1 -> n1  edge b : p2 -> n2  variable W : Energy
  equation a.v = k*b.v  b.i = -k*a.i  der(W) = a.v*a.i + b.v*b.i }
)";

struct Made {
  std::string text;
  std::vector<std::string> all, stores;
};

Made MakeSystem(uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  const int nodes = pick(2, 5), extra = pick(2, 6);
  Made out;
  std::string declared, connected;
  int number = 0;
  const auto node = [](int k) {
    return k == 0 ? std::string("electrical.ground") : "n" + std::to_string(k) + ".n";
  };
  // A node is the end of a big resistor to ground, so that nothing floats.
  for (int k = 1; k <= nodes; ++k) {
    declared += "  n" + std::to_string(k) + " : Res(R = 100 kohm)\n";
    connected += "  connect n" + std::to_string(k) + ".p -- electrical.ground\n";
    out.all.push_back("n" + std::to_string(k));
  }
  const auto add = [&](const std::string& kind, const std::string& cls, int a, int b) {
    const std::string name = kind + std::to_string(++number);
    declared += "  " + name + " : " + cls + "\n";
    connected += "  connect " + name + ".p -- " + node(a) + "\n  connect " + name + ".n -- " + node(b) + "\n";
    out.all.push_back(name);
    if (kind == "C" || kind == "L" || kind == "N") out.stores.push_back(name);
  };
  const auto some = [&](int a, int b) {
    switch (pick(0, 6)) {
      case 0:
        return add("C", "Cap(C = " + std::to_string(pick(1, 50)) + " uF)", a, b);
      case 1:
        return add("L", "Coil(L = " + std::to_string(pick(1, 50)) + " mH)", a, b);
      case 2:
        return add("R", "Res(R = " + std::to_string(pick(1, 200)) + " ohm)", a, b);
      case 3:
        return add("D", "Dio", a, b);
      case 4:
        return add("S", "Swi(T = " + std::to_string(pick(2, 9)) + " ms)", a, b);
      case 5:
        return add("N", "NonlinearCap(C = " + std::to_string(pick(1, 50)) + " uF)", a, b);
      default:
        return add("R", "Res(R = " + std::to_string(pick(1, 20)) + " ohm)", a, b);
    }
  };
  add("V",
      "Src(V = " + std::to_string(pick(1, 20)) + " V, f = " + std::to_string(pick(10, 200)) +
          " Hz, R = 1 ohm)",
      1, 0);
  for (int k = 2; k <= nodes; ++k) some(pick(0, k - 1), k);
  for (int k = 0; k < extra; ++k) {
    const int a = pick(0, nodes), b = pick(0, nodes);
    if (a != b) some(a, b);
  }
  if (seed % 2 == 0 && nodes > 2) {
    declared += "  T1 : Tra(k = " + std::to_string(pick(1, 5)) + ")\n";
    connected += "  connect T1.p1 -- " + node(1) +
                 "\n  connect T1.n1 -- T1.n2 -- electrical.ground\n  connect T1.p2 -- " + node(2) + "\n";
    out.all.push_back("T1");
  }
  out.text = std::string(kParts) + "system S {\n" + declared + connected + "}\n";
  return out;
}

TEST(RandomSystems, RunAndConserveEnergy) {
  // COTREE_LONG=1500: so many; 500 at least.
  const char* number = std::getenv("COTREE_LONG");
  const size_t wanted = number != nullptr ? std::max<size_t>(500, std::strtoul(number, nullptr, 10)) : 100;
  constexpr double kRtol = 1e-6;
  size_t systems = 0, refused = 0, events = 0;
  double worst = 0;
  for (uint32_t seed = 1; systems < wanted && seed < 5000; ++seed) {
    const Made made = MakeSystem(seed);
    std::unique_ptr<RunOf> run;
    try {
      run = std::make_unique<RunOf>(made.text);
    } catch (const std::runtime_error& e) {
      ++refused;  // not well posed: said before the run
      continue;
    }
    ++systems;
    try {
      run->Simulate(0.05, kRtol);
    } catch (const std::runtime_error& e) {
      ADD_FAILURE() << "seed " << seed << ": " << e.what() << "\n" << made.text;
      continue;
    }
    events += run->trajectory.event_times.size();
    double moved = 1e-12, sum = 0;
    for (const std::string& name : made.all) {
      for (const double w : (*run)[name + ".W"]) moved = std::max(moved, std::fabs(w));
      sum += run->End(name + ".W");
    }
    double defect = std::fabs(sum) / moved;
    for (const std::string& name : made.stores) {
      const double stored = run->End(name + ".E") - (*run)[name + ".E"].front();
      defect = std::max(defect, std::fabs(stored - run->End(name + ".W")) / moved);
    }
    worst = std::max(worst, defect);
    EXPECT_LE(defect, 100 * kRtol) << "seed " << seed << "\n" << made.text;
  }
  EXPECT_EQ(systems, wanted);
  std::printf("random systems %zu (%zu refused), events %zu, energy worst %.1e\n", systems, refused, events,
              worst);
}

}  // namespace
}  // namespace cotree::test
