// SPDX-License-Identifier: Apache-2.0
// The same circuits in ngspice and here, live. Skipped where ngspice is missing (`./dev evidence` installs
// it).
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "product_support.h"
#include "run_support.h"

namespace cotree::test {
namespace {

/** A circuit for both: its curves by names, `tstop` and the grid. */
struct Circuit {
  std::string spice, cotree;
  double stop, grid, most_step;
  std::vector<std::pair<std::string, std::string>> curves;  // ngspice's name, ours
};

bool HasNgspice() {
  return std::system("ngspice --version > /dev/null 2>&1") == 0;
}

std::vector<std::vector<double>> RunNgspice(const Circuit& c) {
  const TemporaryFolder folder;
  std::string names;
  for (const auto& [spice, ours] : c.curves) names += " " + spice;
  std::ostringstream text;
  text << "* test\n"
       << c.spice << ".options reltol=1e-6 abstol=1e-12 vntol=1e-9 chgtol=1e-16 gmin=1e-12 temp=27\n"
       << ".control\nset filetype=ascii\nset wr_vecnames\nset numdgt=15\n"
       << "tran " << c.grid << " " << c.stop << " 0 " << c.most_step << " uic\nlinearize" << names
       << "\nwrdata out.data" << names << "\nquit\n.endc\n.end\n";
  WriteText(folder.path() / "in.cir", text.str());
  // It writes the names of files in small letters: no path.
  const std::string command = "cd " + Quoted(folder.path().string()) + " && ngspice -b in.cir > log 2>&1";
  if (std::system(command.c_str()) != 0 && !fs::exists(folder.path() / "out.data"))
    throw std::runtime_error("ngspice failed:\n" + ReadText(folder.path() / "log"));
  std::istringstream lines(ReadText(folder.path() / "out.data"));
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream numbers(line);
    std::vector<double> row;
    for (double x; numbers >> x;) row.push_back(x);
    if (row.size() == 2 * c.curves.size()) rows.push_back(row);
  }
  return rows;
}

// The largest difference of a curve by its largest value.
void Compare(const char* name, const Circuit& c) {
  if (!HasNgspice()) GTEST_SKIP() << "ngspice is not installed";
  const auto spice = RunNgspice(c);
  ASSERT_GT(spice.size(), 100u);
  RunOf run(c.cotree);
  run.Simulate(c.stop, 1e-8, Method::kBdf, c.grid);
  double worst = 0;
  for (size_t k = 0; k < c.curves.size(); ++k) {
    double largest = 0, difference = 0;
    const auto& ours = run[c.curves[k].second];
    size_t at = 0;
    for (const auto& row : spice) {
      const double t = row[2 * k], x = row[2 * k + 1];
      largest = std::max(largest, std::fabs(x));
      while (at + 1 < run.times().size() && run.times()[at] < t - 1e-12) ++at;
      if (std::fabs(run.times()[at] - t) > 1e-11) continue;
      difference = std::max(difference, std::fabs(ours[at] - x));
    }
    worst = std::max(worst, difference / largest);
  }
  std::printf("ngspice %s: %zu points, worst %.1e of full scale\n", name, spice.size(), worst);
  EXPECT_LT(worst, 1e-4);
}

constexpr const char* kDiode = "Diode(Is = 1e-12 A, Vt = 25.86492 mV, Gmin = 1e-12 S, maxexp = 80)";

TEST(Ngspice, ExponentialDiodeRectifier) {
  Compare("rectifier", {R"(V1 in 0 SIN(0 10 50)
D1 in out DM
R1 out 0 1k
C1 out 0 10u IC=0
.model DM D(IS=1e-12 N=1)
)",
                        std::string(R"(system S {
  V : SineVoltageSource(amplitude = 10 V, frequency = 50 Hz)   D : )") +
                            kDiode + R"(
  R : Resistor(R = 1 kohm)   C : Capacitor(C = 10 uF, start e.v = 0 V)
  connect V.p -- D.p   connect D.n -- R.p -- C.p   connect V.n -- R.n -- C.n -- electrical.ground })",
                        0.06,
                        1e-5,
                        1e-6,
                        {{"v(out)", "C.v"}}});
}

TEST(Ngspice, SchmittTrigger) {
  Compare("schmitt trigger", {R"(V1 in 0 SIN(0 3 100)
B1 drive 0 V=5*tanh(50*(V(plus)-V(in)))
R3 drive out 100
C1 out 0 1u IC=5
R1 out plus 10k
R2 plus 0 10k
)",
                              R"(component Comparator "5 V * tanh(50 v) behind 100 ohm" {
  terminal p1, n1, p2, n2 : electrical
  edge sense : p1 -> n1
  edge drive : p2 -> n2
  equation
    sense.i = 0
    drive.v = 5 V * tanh(50*sense.v/(1 V))
}
system S {
  V : SineVoltageSource(amplitude = 3 V, frequency = 100 Hz)   K : Comparator
  R1 : Resistor(R = 10 kohm)   R2 : Resistor(R = 10 kohm)   R3 : Resistor(R = 100 ohm)
  C : Capacitor(C = 1 uF, start e.v = 5 V)
  connect V.p -- K.n1   connect K.p1 -- R1.n -- R2.p   connect K.p2 -- R3.p   connect R3.n -- C.p -- R1.p
  connect V.n -- K.n2 -- R2.n -- C.n -- electrical.ground })",
                              0.02,
                              1e-5,
                              5e-8,
                              {{"v(out)", "C.v"}}});
}

TEST(Ngspice, ConverterWithClockedSwitches) {
  std::string spice = "Vref ref 0 5\n.model SM SW(VT=0.5 VH=0 RON=10 ROFF=1e8)\n";
  std::string ours = "system S {\n  Vref : VoltageSource(V = 5 V)\n  connect Vref.n -- electrical.ground\n";
  const char* periods[] = {"2m", "4m", "8m", "16m"};
  const char* halves[] = {"1m", "2m", "4m", "8m"};
  for (int k = 0; k < 4; ++k) {
    const std::string n = std::to_string(k), node = "n" + n;
    spice += "Vc" + n + " c" + n + " 0 PULSE(0 1 " + halves[k] + " 1n 1n " + halves[k] + " " + periods[k] +
             ")\n" + "Vd" + n + " d" + n + " 0 PULSE(1 0 " + halves[k] + " 1n 1n " + halves[k] + " " +
             periods[k] + ")\n" + "S" + n + " ref b" + n + " c" + n + " 0 SM\n";
    spice += "Sg" + n + " b" + n + " 0 d" + n + " 0 SM\nRb" + n + " b" + n + " " + node + " 20k\n";
    if (k > 0) spice += "Rs" + n + " n" + std::to_string(k - 1) + " " + node + " 10k\n";
    const std::string half(halves[k], 1),
        period = std::string(periods[k]).substr(0, std::string(periods[k]).size() - 1);
    ours += "  bit" + n + " : Pulse(low = 0, high = 1, period = " + period + " ms, width = " + half +
            " ms, delay = " + half + " ms)\n";
    ours += "  up" + n + " : ThresholdSwitch(threshold = 0.5, Ron = 10 ohm, Goff = 1e-8 S)\n  down" + n +
            " : Switch(Ron = 10 ohm, Goff = 1e-8 S)\n  low" + n + " : BelowThreshold(threshold = 0.5)\n  Rb" +
            n + " : Resistor(R = 20 kohm)\n";
    ours += "  connect bit" + n + ".y -> up" + n + ".u   connect bit" + n + ".y -> low" + n +
            ".u   connect low" + n + ".y -> down" + n + ".u\n  connect Vref.p -- up" + n + ".p   connect up" +
            n + ".n -- down" + n + ".p -- Rb" + n + ".p   connect down" + n + ".n -- electrical.ground\n";
    if (k > 0)
      ours += "  Rs" + n + " : Resistor(R = 10 kohm)\n  connect Rb" + std::to_string(k - 1) + ".n -- Rs" + n +
              ".p   connect Rs" + n + ".n -- Rb" + n + ".n\n";
  }
  spice += "Rt n0 0 20k\nC1 n3 0 10n IC=0\n";
  ours += R"(  Rt : Resistor(R = 20 kohm)   C : Capacitor(C = 10 nF, start e.v = 0 V)
  connect Rb0.n -- Rt.p   connect Rb3.n -- C.p   connect Rt.n -- C.n -- electrical.ground })";
  Compare("R-2R converter", {spice, ours, 0.016, 2e-5, 2e-7, {{"v(n3)", "C.v"}}});
}

TEST(Ngspice, BuckConverter) {
  Compare("buck converter", {R"(V1 in 0 12
S1 in sw c 0 SM
Vc c 0 PULSE(0 1 0 1n 1n 8u 20u)
D1 0 sw DM
L1 sw x 100u IC=0
R1 x out 0.05
C1 out 0 47u IC=0
R2 out 0 10
.model SM SW(VT=0.5 VH=0 RON=0.01 ROFF=1e6)
.model DM D(IS=1e-12 N=1)
)",
                             std::string(R"(system S {
  V : VoltageSource(V = 12 V)   c : Pulse(low = 0, high = 1, period = 20 us, width = 8.001 us, delay = 0.5 ns)
  T : ThresholdSwitch(threshold = 0.5, Ron = 0.01 ohm, Goff = 1e-6 S)   D : )") +
                                 kDiode + R"(
  L : Inductor(L = 100 uH, start e.i = 0 A)   R1 : Resistor(R = 0.05 ohm)   C : Capacitor(C = 47 uF, start e.v = 0 V)
  R2 : Resistor(R = 10 ohm)
  connect c.y -> T.u   connect V.p -- T.p   connect T.n -- L.p -- D.n   connect L.n -- R1.p   connect R1.n -- C.p -- R2.p
  connect V.n -- D.p -- C.n -- R2.n -- electrical.ground })",
                             0.002,
                             1e-6,
                             2e-8,
                             {{"v(out)", "C.v"}, {"i(l1)", "L.i"}}});
}

TEST(Ngspice, SallenKeyFilter) {
  Compare("op-amp filter", {R"(V1 in 0 PULSE(0 1 0.1m 1n 1n 1 2)
R1 in a 10k
R2 a plus 10k
C1 a out 22n IC=0
C2 plus 0 10n IC=0
E1 out 0 plus out 1e6
)",
                            R"(system S {
  u : Step(height = 1 V, start = 0.1000005 ms)   V : SignalVoltageSource   R1 : Resistor(R = 10 kohm)   R2 : Resistor(R = 10 kohm)
  C1 : Capacitor(C = 22 nF, start e.v = 0 V)   C2 : Capacitor(C = 10 nF, start e.v = 0 V)
  A : VoltageControlledVoltageSource(gain = 1e6)
  connect u.y -> V.u   connect V.p -- R1.p   connect R1.n -- R2.p -- C1.p   connect R2.n -- C2.p -- A.p1
  connect C1.n -- A.p2 -- A.n1   connect V.n -- C2.n -- A.n2 -- electrical.ground })",
                            0.002,
                            2e-6,
                            1e-7,
                            {{"v(out)", "A.source.v"}}});
}

TEST(Ngspice, CoupledInductors) {
  Compare("coupled inductors", {R"(V1 in 0 SIN(0 10 1k)
R1 in a 10
L1 a 0 1m IC=0
L2 b 0 4m IC=0
K1 L1 L2 0.9
R2 b 0 100
C1 b 0 1u IC=0
)",
                                R"(system S {
  V : SineVoltageSource(amplitude = 10 V, frequency = 1 kHz)   R1 : Resistor(R = 10 ohm)
  L : CoupledInductorPair(L1 = 1 mH, L2 = 4 mH, k = 0.9)   R2 : Resistor(R = 100 ohm)   C : Capacitor(C = 1 uF, start e.v = 0 V)
  connect V.p -- R1.p   connect R1.n -- L.p1   connect L.p2 -- R2.p -- C.p
  connect V.n -- L.n1 -- L.n2 -- R2.n -- C.n -- electrical.ground })",
                                0.005,
                                5e-6,
                                2e-7,
                                {{"v(b)", "C.v"}}});
}

}  // namespace
}  // namespace cotree::test
