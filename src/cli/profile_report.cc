// SPDX-License-Identifier: Apache-2.0
#include "cli/profile_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/text_table.h"

namespace cotree {
namespace {

constexpr size_t kBar = 24, kMostKernels = 15, kWidestName = 48;

// In eighths of a character.
std::string Bar(double share, size_t width) {
  static const char* const kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths =
      static_cast<size_t>(std::lround(std::clamp(share, 0.0, 1.0) * 8 * static_cast<double>(width)));
  std::string out;
  for (size_t k = 0; k < eighths / 8; ++k) out += "█";
  return out + kEighths[eighths % 8];
}

std::string WithPrefix(double value, const char* unit,
                       std::initializer_list<std::pair<double, const char*>> prefixes) {
  for (const auto& [factor, prefix] : prefixes) {
    const double scaled = value / factor;
    if (scaled < 0.9995 && factor != (prefixes.end() - 1)->first) continue;
    const int digits = scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f} {}{}", scaled, digits, prefix, unit);
  }
  return {};
}

// "3 kernels, 1 block".
std::string PartsText(const EvaluationCost& e) {
  size_t count[3] = {0, 0, 0};
  for (const KernelCost& k : e.kernels) ++count[static_cast<size_t>(k.kind)];
  std::string text = Plural(count[0], "kernel") + " for " + Plural(e.instances, "instance");
  if (count[1] > 0) text += ", " + Plural(count[1], "block");
  if (count[2] > 0) text += ", " + Plural(count[2], "call") + " of foreign code";
  return text;
}

std::string Cut(const std::string& text, size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

}  // namespace

std::string TimeText(double seconds) {
  return WithPrefix(seconds, "s", {{1, ""}, {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}});
}

std::string BytesText(double bytes) {
  if (bytes < 1000) return fmt::format("{:.0f} B", bytes);
  return WithPrefix(bytes, "B", {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}});
}

std::string PercentText(double share) {
  return share >= 0.0995 ? fmt::format("{:.0f} %", 100 * share) : fmt::format("{:.1f} %", 100 * share);
}

std::string ProfileText(const Profile& p, const Console& console) {
  std::string out =
      fmt::format("{}: {}, {}; {:g} s in {}{}; {} in all, peak {}\n", console.Bold(p.system),
                  Plural(p.states, "state"), Plural(p.unknowns, "unknown"), p.reached - p.start,
                  Plural(p.steps, "step"), p.events > 0 ? " and " + Plural(p.events, "event") : "",
                  TimeText(p.sum.wall), BytesText(static_cast<double>(p.sum.peak)));
  if (!p.method.empty()) out += console.Dim("  " + p.method) + "\n";
  TextTable stages("lrrrlrr");
  stages.Add({"stage", "time", "share", "processor", "", "memory after", "peak"});
  double longest = 0;
  for (const StageCost& s : p.stages) longest = std::max(longest, s.wall);
  const auto bytes = [](uint64_t n) { return BytesText(static_cast<double>(n)); };
  for (const StageCost& s : p.stages) {
    std::string bar = Bar(longest > 0 ? s.wall / longest : 0, kBar);
    stages.Add({std::string(StageTitle(s.name)), TimeText(s.wall), PercentText(s.wall / p.sum.wall),
                TimeText(s.cpu), bar, bytes(s.memory), bytes(s.peak)});
  }
  stages.Add(
      {"all", TimeText(p.sum.wall), "", TimeText(p.sum.cpu), "", bytes(p.sum.memory), bytes(p.sum.peak)});
  out += "\n" + stages.Text("  ", console);
  if (!p.evaluation) return out;

  const EvaluationCost& e = *p.evaluation;
  const bool machine = e.compiled.has_value();
  out += fmt::format("\n{}: {} interpreted", console.Bold("an evaluation of the derivatives"),
                     TimeText(e.interpreted));
  if (machine)
    out += fmt::format(", {} in machine code ({} in {})", TimeText(*e.compiled),
                       e.from_cache ? "from the cache" : "made", TimeText(e.compiling));
  out += "\n";
  if (!machine && !e.not_compiled.empty()) out += console.Dim("  no machine code: " + e.not_compiled) + "\n";
  const auto states = static_cast<double>(e.states);
  out += console.Dim(fmt::format(
             "  {}; code {}{}, tables {}: {} a state", PartsText(e),
             BytesText(static_cast<double>(e.code_bytes)),
             machine ? " (machine code " + BytesText(static_cast<double>(e.machine_bytes)) + ")" : "",
             BytesText(static_cast<double>(e.table_bytes)),
             BytesText(static_cast<double>(e.table_bytes) / states))) +
         "\n";
  double run = 0;
  for (const StageCost& s : p.stages) run += s.name == "run" ? s.wall : 0;
  if (p.evaluations > 0 && run > 0) {
    const double all = static_cast<double>(p.evaluations);
    const double slow = all * e.interpreted / run, fast = machine ? all * *e.compiled / run : slow;
    out += console.Dim(fmt::format(
               "  the run has {}: about {} of its time{}", Plural(p.evaluations, "evaluation"),
               PercentText(std::min(1.0, fast)),
               machine && slow > 1.2 * fast
                   ? fmt::format(" in machine code, {} interpreted", slow > 1 ? "all" : PercentText(slow))
                   : "")) +
           "\n";
  }
  TextTable kernels("lrrrrrl");
  kernels.Add({"what it computes", "instances", "instructions", "interpreted", "machine code", "share", ""});
  const double all = e.of_kernels(machine);
  const auto each = [](double seconds, const KernelCost& k) {
    return TimeText(seconds / static_cast<double>(std::max<uint64_t>(1, k.instances)));
  };
  double rest = 0;
  for (size_t n = 0; n < e.kernels.size(); ++n) {
    const KernelCost& k = e.kernels[n];
    const double share = all > 0 ? k.compiled.value_or(k.interpreted) / all : 0;
    if (n >= kMostKernels) {
      rest += share;
      continue;
    }
    const bool code = k.kind == KernelCost::Kind::kKernel;
    kernels.Add({Cut(k.what, kWidestName), std::to_string(k.instances),
                 code ? std::to_string(k.instructions) : "-", each(k.interpreted, k),
                 k.compiled ? each(*k.compiled, k) : "-", PercentText(share), Bar(share, kBar)});
  }
  if (e.kernels.size() > kMostKernels)
    kernels.Add({fmt::format("{} more", e.kernels.size() - kMostKernels), "", "", "", "", PercentText(rest),
                 Bar(rest, kBar)});
  out += "\n" + kernels.Text("  ", console);
  out += console.Dim("  instructions and times: of one instance") + "\n";
  return out;
}

}  // namespace cotree
