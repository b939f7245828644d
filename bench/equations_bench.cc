// SPDX-License-Identifier: Apache-2.0
// Text to ordered equations (graph, tree, equations, offsets, states, blocks), by arrays, spelled out,
// shuffled, and with every tenth instance different, at several sizes. Prints a table and `result NAME N
// seconds megabytes`, `exponent NAME x`; then symbolic work and kernels, the tree of drives, a resistor grid,
// a chain of couplers. Usage: equations_bench [largest number of components, default
// 1000000 [families whose name contains this, and nothing else]]
#include <algorithm>
#include <random>

#include "base/large_vector.h"
#include "bench_models.h"
#include "measure.h"
#include "pipeline/translate.h"

namespace {

using namespace cotree::bench;

cotree::Translation* last = nullptr;
cotree::LoadedModel* last_model = nullptr;

void Translate(std::string text, bool program) {
  cotree::KeepFreedMemory();  // as the command does
  cotree::NoReader reader;
  last_model = cotree::LoadModelText("bench.cot", std::move(text), reader).release();
  cotree::TranslateOptions options;
  options.program = program;
  last = cotree::Translate(*last_model, options).release();
  if (!last->ok) {
    if (!last_model->diagnostics.list().empty())
      std::fputs(
          cotree::RenderText(last_model->diagnostics.list().front(), last_model->model.files, false).c_str(),
          stderr);
    _exit(1);
  }
}
void Order(std::string text) {
  Translate(std::move(text), false);
}

// --- Models; n counts components ---------------------------------------------------------------------------

std::string DriveArrays(size_t n) {
  return "system Drives {\n  parameter n : Integer = " + N(n / 6) +
         "\n  target : Step(height = 90 deg, start = 0.1 s)\n"
         "  pid : PID[n](kp = 4 V/rad, ki = 8 V/(rad*s), kd = 0.35 V*s/rad, limit = 24 V)\n"
         "  supply : SignalVoltageSource[n]\n  motor : DCMotor[n](Kt = 0.05 N*m/A)\n  gear : Gear[n](ratio = "
         "10)\n"
         "  load : Inertia[n](J = 1e-3 kg*m^2)\n  angle : AngleSensor[n]\n"
         "  connect supply.p -- motor.p\n  connect supply.n -- motor.n -- electrical.ground\n"
         "  connect motor.shaft -- gear.a\n  connect gear.b -- load.a -- angle.a\n"
         "  connect motor.housing -- rotational.ground\n"
         "  for i in 1:n { connect target.y -> pid[i].target   connect angle[i].y -> pid[i].measured   "
         "connect "
         "pid[i].y -> supply[i].u }\n}\n";
}

/* Lines of declarations, in order or shuffled; with `tenths` every tenth instance is different. */
std::string Lines(const std::string& head, std::vector<std::string> lines, bool shuffled) {
  if (shuffled) {
    std::mt19937 random(7);
    std::shuffle(lines.begin(), lines.end(), random);
  }
  std::string text = head;
  for (const std::string& line : lines) text += "  " + line + "\n";
  return text + "}\n";
}

std::vector<std::string> LadderList(size_t n, bool tenths) {
  std::vector<std::string> lines{"source : VoltageSource(V = 1 V)", "connect source.p -- r1.p",
                                 "connect source.n -- electrical.ground"};
  const size_t sections = n / 2;
  for (size_t i = 1; i <= sections; ++i) {
    const std::string k = N(i);
    const bool other = tenths && i % 10 == 0;
    lines.push_back("r" + k + " : Resistor(R = " + (other ? N(i % 97 + 1) : "1") + " ohm)");
    // A shorted end: no capacitance, or a resistor in the capacitor's place.
    lines.push_back("c" + k + " : " + (other && i % 20 == 0 ? "Resistor(R = 2 ohm)" : "Capacitor(C = 1 nF)"));
    lines.push_back("connect r" + k + ".n -- c" + k + ".p" + (i < sections ? " -- r" + N(i + 1) + ".p" : ""));
    lines.push_back("connect c" + k + ".n -- electrical.ground");
  }
  return lines;
}
std::vector<std::string> ChainList(size_t n, bool tenths) {
  std::vector<std::string> lines;
  const size_t sections = n / 2;
  for (size_t i = 1; i <= sections; ++i) {
    const std::string k = N(i);
    const bool other = tenths && i % 10 == 0;
    lines.push_back("m" + k + " : Mass(m = " + (other ? "2.5" : "1.5") + " kg)");
    lines.push_back("k" + k + " : " +
                    (other ? "SpringDamper(k = 100 N/m, d = 1 N*s/m)" : "Spring(k = 100 N/m)"));
    lines.push_back("connect m" + k + ".a -- k" + k + ".a");
    lines.push_back("connect k" + k + ".b -- " +
                    (i < sections ? "m" + N(i + 1) + ".a" : "translational.ground"));
  }
  return lines;
}
std::vector<std::string> DriveList(size_t n, bool tenths) {
  std::vector<std::string> lines{"t : Step(height = 90 deg, start = 0.1 s)"};
  for (size_t i = 1; i <= n / 6; ++i) {
    const std::string k = N(i);
    const bool other = tenths && i % 10 == 0;
    lines.push_back("pid" + k + " : PID(kp = 4 V/rad, ki = 8 V/(rad*s), kd = 0.35 V*s/rad, limit = 24 V)");
    lines.push_back("d" + k + " : SignalVoltageSource");
    lines.push_back("motor" + k + " : DCMotor(Kt = 0.05 N*m/A" + (other ? ", J = 1e-4 kg*m^2)" : ")"));
    lines.push_back("gear" + k + " : Gear(ratio = " + (other ? "7" : "10") + ")");
    lines.push_back("load" + k + " : Inertia(J = 1e-3 kg*m^2)");
    lines.push_back("a" + k + " : AngleSensor");
    lines.push_back("connect d" + k + ".p -- motor" + k + ".p");
    lines.push_back("connect d" + k + ".n -- motor" + k + ".n -- electrical.ground");
    lines.push_back("connect motor" + k + ".shaft -- gear" + k + ".a");
    lines.push_back("connect gear" + k + ".b -- load" + k + ".a -- a" + k + ".a");
    lines.push_back("connect motor" + k + ".housing -- rotational.ground");
    lines.push_back("connect t.y -> pid" + k + ".target");
    lines.push_back("connect a" + k + ".y -> pid" + k + ".measured");
    lines.push_back("connect pid" + k + ".y -> d" + k + ".u");
  }
  return lines;
}

std::string LadderLinesOf(size_t n) {
  return Lines("system S {\n", LadderList(n, false), false);
}
std::string LadderShuffled(size_t n) {
  return Lines("system S {\n", LadderList(n, false), true);
}
std::string LadderTenths(size_t n) {
  return Lines("system S {\n", LadderList(n, true), false);
}
std::string ChainLinesOf(size_t n) {
  return Lines("system S {\n", ChainList(n, false), false);
}
std::string ChainShuffled(size_t n) {
  return Lines("system S {\n", ChainList(n, false), true);
}
std::string ChainTenths(size_t n) {
  return Lines("system S {\n", ChainList(n, true), false);
}
std::string DriveLinesOf(size_t n) {
  return Lines("system S {\n", DriveList(n, false), false);
}
std::string DriveShuffled(size_t n) {
  return Lines("system S {\n", DriveList(n, false), true);
}
std::string DriveTenths(size_t n) {
  return Lines("system S {\n", DriveList(n, true), false);
}

std::string Grid(size_t n) {
  const std::string k = N(n), k1 = N(n - 1);
  return "system Grid {\n  V : VoltageSource(V = 1 V)\n  load : Resistor(R = 1 ohm)\n  h : Resistor[" + k +
         ", " + k1 + "](R = 1 ohm)\n  v : Resistor[" + k1 + ", " + k +
         "](R = 1 ohm)\n  connect V.n -- load.n -- electrical.ground\n  connect V.p -- h[1,1].p\n  connect "
         "load.p -- h[" +
         k + "," + k1 + "].n\n  for i in 1:" + k + " { for j in 1:" + N(n - 2) +
         " { connect h[i,j].n -- h[i,j+1].p } }\n  for i in 1:" + N(n - 2) + " { for j in 1:" + k +
         " { connect v[i,j].n -- v[i+1,j].p } }\n  for i in 1:" + k1 + " { for j in 1:" + k1 +
         " { connect v[i,j].p -- h[i,j].p } }\n  for i in 1:" + k1 + " { connect v[i," + k + "].p -- h[i," +
         k1 + "].n }\n  for j in 1:" + k1 + " { connect v[" + k1 + ",j].n -- h[" + k +
         ",j].p }\n  connect v[" + k1 + "," + k + "].n -- h[" + k + "," + k1 + "].n\n}\n";
}

std::string Couplers(size_t n) {
  return "system Couplers {\n  parameter n : Integer = " + N(n) +
         "\n  J : Inertia(J = 1 kg*m^2)\n  g : Gear[n](ratio = 1.01)\n  L : Inertia(J = 1 kg*m^2)\n"
         "  k : TorsionSpring(k = 1 N*m/rad)\n  connect J.a -- g[1].a\n  connect g[1:n-1].b -- g[2:n].a\n"
         "  connect g[n].b -- L.a -- k.a\n  connect k.b -- rotational.ground\n  V : VoltageSource(V = 1 V)\n"
         "  t : Transformer[n](n = 1.01)\n  R : Resistor(R = 1 ohm)\n  C : Capacitor(C = 1 F)\n"
         "  connect V.p -- R.p\n  connect R.n -- t[1].p1\n  connect V.n -- electrical.ground\n"
         "  connect t[1:n-1].p2 -- t[2:n].p1\n  for i in 1:n { connect t[i].n1 -- t[i].n2 -- "
         "electrical.ground }\n"
         "  connect t[n].p2 -- C.p\n  connect C.n -- electrical.ground\n}\n";
}

// Symbolic operations and kernels: the same for 1,000 and 1,000,000 components.
void CountWork(const char* name, std::string (*model)(size_t), size_t n) {
  std::fflush(stdout);
  Measure(
      model,
      [](std::string text) {
        Translate(std::move(text), true);
        const cotree::ExprStatistics& s = last_model->model.expressions.statistics();
        std::printf("work %llu operations, %zu kernels; ",
                    static_cast<unsigned long long>(s.derivatives + s.substitutions + s.solutions),
                    last->program->codes.size());
        std::fflush(stdout);
      },
      n);
  std::printf("%s %zu\n", name, n);
}

std::string_view only;  // from the command line: the families wanted

/* As bench::Family, but the largest sizes are run twice only: each takes seconds. */
void Sizes(const char* name, std::string (*make)(size_t), const std::vector<size_t>& sizes) {
  if (std::string_view(name).find(only) == std::string_view::npos) return;
  std::printf("\n%-24s %12s %10s %12s %10s\n", name, "components", "seconds", "us each", "MB");
  std::vector<double> x, y;
  for (const size_t n : sizes) {
    Measurement best = Measure(make, Order, n);
    for (int i = 0; i < (n >= 500000 ? 1 : 4); ++i) {
      const Measurement next = Measure(make, Order, n);
      best.seconds = std::min(best.seconds, next.seconds);
      best.megabytes = std::max(best.megabytes, next.megabytes);
    }
    std::printf("%-24s %12zu %10.4f %12.4f %10.1f\n", "", n, best.seconds,
                best.seconds / static_cast<double>(n) * 1e6, best.megabytes);
    std::printf("result %s %zu %.5f %.1f\n", name, n, best.seconds, best.megabytes);
    std::fflush(stdout);
    x.push_back(std::log(static_cast<double>(n)));
    y.push_back(std::log(best.seconds));
  }
  const auto k = static_cast<double>(x.size());
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (size_t i = 0; i < x.size(); ++i) sx += x[i], sy += y[i], sxx += x[i] * x[i], sxy += x[i] * y[i];
  std::printf("exponent %s %.3f\n", name, (k * sxy - sx * sy) / (k * sxx - sx * sx));
  // The last two sizes alone: the fixed cost of small models hides growth.
  std::printf("last_exponent %s %.3f\n", name,
              (y[y.size() - 1] - y[y.size() - 2]) / (x[x.size() - 1] - x[x.size() - 2]));
}

}  // namespace

int main(int argc, char** argv) {
  const size_t largest = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
  if (argc > 2) only = argv[2];
  std::printf(
      "Text to ordered equations; the best of several runs, each in a fresh process; memory: the largest "
      "resident "
      "size, text included.\n");
  std::vector<size_t> sizes;
  for (size_t n = 100; n <= largest; n *= 10) sizes.push_back(n);
  std::vector<size_t> drives = sizes;
  drives.back() = std::min<size_t>(largest * 6 / 10, 600000);
  Sizes("ladder_arrays", LadderArrays, sizes);
  Sizes("chain_arrays", ChainArrays, sizes);
  Sizes("drives_arrays", DriveArrays, drives);
  Sizes("ladder_lines", LadderLinesOf, sizes);
  Sizes("chain_lines", ChainLinesOf, sizes);
  Sizes("drives_lines", DriveLinesOf, drives);
  Sizes("ladder_shuffled", LadderShuffled, sizes);
  Sizes("chain_shuffled", ChainShuffled, sizes);
  Sizes("drives_shuffled", DriveShuffled, drives);
  Sizes("ladder_tenths", LadderTenths, sizes);
  Sizes("chain_tenths", ChainTenths, sizes);
  Sizes("drives_tenths", DriveTenths, drives);
  if (!only.empty()) return 0;
  for (const size_t n : {size_t{1000}, largest}) {
    CountWork("ladder_arrays", LadderArrays, n);
    CountWork("chain_arrays", ChainArrays, n);
    CountWork("ladder_tenths", LadderTenths, n);
    CountWork("chain_tenths", ChainTenths, n);
  }
  std::fflush(stdout);
  Measure(
      DriveArrays,
      [](std::string text) {
        cotree::NoReader reader;
        auto* loaded = cotree::LoadModelText("bench.cot", std::move(text), reader).release();
        auto* graphs = new std::vector<cotree::SystemGraph>(cotree::BuildGraphs(*loaded));
        auto* scalars =
            new std::vector<cotree::ScalarElement>(cotree::MakeScalars(loaded->model, graphs->front()));
        const auto begin = std::chrono::steady_clock::now();
        const cotree::NormalTree tree = cotree::FindNormalTree(loaded->model, graphs->front(), *scalars);
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        std::printf("result tree_of_drives %zu %.3f 0\n", graphs->front().edges.size(), seconds);
        std::fflush(stdout);
      },
      600000);
  Measure(
      Grid,
      [](std::string text) {
        Translate(std::move(text), true);
        size_t most = 0;
        for (const auto& block : last->program->blocks) most = std::max(most, block.unknowns.size());
        std::printf("grid %zu blocks, largest %zu unknowns\n", last->program->blocks.size(), most);
        std::fflush(stdout);
      },
      300);
  const auto grid = Best(Grid, Order, 300);
  std::printf("result grid 300 %.3f %.0f\n", grid.seconds, grid.megabytes);
  const auto couplers = Best(Couplers, Order, 1000);
  std::printf("result couplers 1000 %.3f %.0f\n", couplers.seconds, couplers.megabytes);
}
