// SPDX-License-Identifier: Apache-2.0
// Text to checked Model: an RC ladder, a mass-spring chain and an array of motors, by arrays and spelled out,
// at several sizes. Prints a table, and for `evidence/` one line per measurement: `result NAME N seconds
// megabytes`. Usage: front_end_bench [largest number of spelled-out lines, default 1000000]
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "pipeline/load_model.h"

namespace {

using cotree::LoadedModel;
using Text = std::function<std::string(size_t)>;

std::string N(size_t n) {
  return std::to_string(n);
}

// `n` counts components.
std::string LadderArrays(size_t n) {
  return "system Ladder {\n  parameter n : Integer = " + N(n / 2) +
         "\n  source : VoltageSource(V = 1 V)\n  r : Resistor[n](R = 1 ohm)\n  c : Capacitor[n](C = 1 nF)\n"
         "  connect source.p -- r[1].p\n  connect r[1:n-1].n -- r[2:n].p\n  connect r.n -- c.p\n"
         "  connect c.n -- electrical.ground\n  connect source.n -- electrical.ground\n}\n";
}
std::string ChainArrays(size_t n) {
  return "system Chain {\n  parameter n : Integer = " + N(n / 2) +
         "\n  m : Mass[n](m = 1 kg)\n  k : Spring[n](k = 100 N/m)\n  connect m.a -- k.a\n"
         "  connect k[1:n-1].b -- m[2:n].a\n  connect k[n].b -- translational.ground\n}\n";
}
std::string MotorArrays(size_t n) {
  return "system Motors {\n  parameter n : Integer = " + N(n / 3) +
         "\n  v : VoltageSource[n](V = 12 V)\n  motor : DCMotor[n](Kt = 0.05 N*m/A)\n  load : Inertia[n](J = "
         "[1e-3 kg*m^2 * i for i in 1:n])\n"
         "  connect v.p -- motor.p\n  connect v.n -- motor.n -- electrical.ground\n"
         "  connect motor.shaft -- load.a\n  connect motor.housing -- rotational.ground\n}\n";
}

// `n` counts lines.
std::string LadderLines(size_t n) {
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
std::string ChainLines(size_t n) {
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
std::string MotorLines(size_t n) {
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

struct Measurement {
  double seconds = 0, megabytes = 0;
};

// In a process of its own, so that memory is that of one run; the text is made before the clock starts, as if
// just read.
Measurement Measure(const Text& make, size_t n) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    std::string text = make(n);
    rusage before{};
    getrusage(RUSAGE_SELF, &before);
    cotree::NoReader reader;
    const auto begin = std::chrono::steady_clock::now();
    const auto loaded = cotree::LoadModelText("bench.cot", std::move(text), reader);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    rusage after{};
    getrusage(RUSAGE_SELF, &after);
    if (!loaded->diagnostics.ok()) {
      std::fputs(cotree::RenderText(loaded->diagnostics.list().front(), loaded->model.files, false).c_str(),
                 stderr);
      _exit(1);
    }
    const double result[2] = {elapsed.count(), static_cast<double>(after.ru_maxrss) / 1024};
    if (write(ends[1], result, sizeof result) != sizeof result) _exit(1);
    _exit(0);
  }
  close(ends[1]);
  double result[2] = {};
  const bool got = read(ends[0], result, sizeof result) == sizeof result;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!got || status != 0) {
    std::fprintf(stderr, "front_end_bench: a run failed at %zu\n", n);
    std::exit(1);
  }
  return {result[0], result[1]};
}

Measurement Best(const Text& make, size_t n) {
  Measurement best = Measure(make, n);
  const int repetitions = 6;
  for (int i = 0; i < repetitions; ++i) {
    const Measurement next = Measure(make, n);
    best.seconds = std::min(best.seconds, next.seconds);
    best.megabytes = std::max(best.megabytes, next.megabytes);
  }
  return best;
}

void Family(const char* name, const char* unit, const Text& make, const std::vector<size_t>& sizes) {
  std::printf("\n%-24s %12s %10s %12s %10s\n", name, unit, "seconds", "us each", "MB");
  std::vector<double> x, y;
  for (const size_t n : sizes) {
    const Measurement m = Best(make, n);
    std::printf("%-24s %12zu %10.4f %12.4f %10.1f\n", "", n, m.seconds,
                m.seconds / static_cast<double>(n) * 1e6, m.megabytes);
    std::printf("result %s %zu %.5f %.1f\n", name, n, m.seconds, m.megabytes);
    x.push_back(std::log(static_cast<double>(n)));
    y.push_back(std::log(m.seconds));
  }
  // The exponent of growth over the sizes, by least squares.
  const auto k = static_cast<double>(x.size());
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (size_t i = 0; i < x.size(); ++i) sx += x[i], sy += y[i], sxx += x[i] * x[i], sxy += x[i] * y[i];
  std::printf("exponent %s %.3f\n", name, (k * sxy - sx * sy) / (k * sxx - sx * sx));
}

}  // namespace

int main(int argc, char** argv) {
  const size_t largest = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
  std::printf(
      "Text to checked model; the best of several runs, each in a fresh process; memory: the largest "
      "resident size of the process, text included.\n");
  std::vector<size_t> arrays{1000, 10000, 100000, 1000000};
  Family("ladder_arrays", "components", LadderArrays, arrays);
  Family("chain_arrays", "components", ChainArrays, arrays);
  Family("motors_arrays", "components", MotorArrays, arrays);
  std::vector<size_t> lines;
  for (size_t n = 10000; n <= largest; n *= 10) {
    lines.push_back(n);
    if (n * 3 <= largest) lines.push_back(n * 3);
  }
  Family("ladder_lines", "lines", LadderLines, lines);
  Family("chain_lines", "lines", ChainLines, lines);
  Family("motors_lines", "lines", MotorLines, lines);
}
