// SPDX-License-Identifier: Apache-2.0
// Code of classes, and the order of computation.
#include <fmt/format.h>

#include <algorithm>

#include "emission/c_code.h"
#include "emission/c_text.h"
#include "emission/emitter.h"

namespace cotree {

std::string Emitter::Codes() const {
  std::string out =
      "\n/* ---- The code of the model's classes: each function serves all components of a class "
      "--------------------- */\n";
  std::vector<std::string> codes, tangents;
  for (uint32_t c = 0; c < program_.codes.size(); ++c) {
    codes.push_back(called_[c] ? fmt::format("code_{}", c) : "NULL");
    tangents.push_back(in_block_[c] ? fmt::format("tangent_{}", c) : "NULL");
    if (called_[c]) out += CFunction(program_.codes[c], c);
    if (in_kernel_[c] || in_block_[c]) out += CTangent(program_.codes[c], c, !in_kernel_[c]);
  }
  out += CArray("MAYBE_UNUSED static code* const", "codes", codes, "NULL");
  return out + CArray("MAYBE_UNUSED static code* const", "tangents", tangents, "NULL");
}

// The steps in functions of some length, so that compilers take linear time.
std::string Emitter::StepFunctions(std::string_view name, bool tangents) const {
  constexpr size_t kMost = 200;
  const char array = tangents ? 'd' : 'v';
  std::string out, all;
  size_t part = 0;
  for (size_t first = 0; first < program_.steps.size(); first += kMost, ++part) {
    out += fmt::format("static int {}_{}(model* m) {{\n  double r[MODEL_RESULTS + 1];\n  (void)r;\n", name,
                       part);
    for (size_t k = first; k < std::min(first + kMost, program_.steps.size()); ++k)
      out += StepText(program_.steps[k], array, tangents ? "tangent" : "code");
    out += "  return 1;\n}\n";
    all += fmt::format("{}{}_{}(m)", part > 0 ? " && " : "", name, part);
  }
  return out + fmt::format("static int {}(model* m) {{\n{}  return {};\n}}\n", name,
                           part > 0 ? "" : "  (void)m;\n", part > 0 ? all : "1");
}

std::string Emitter::StepText(const Step& step, char array, std::string_view function) const {
  if (step.kind == Step::Kind::kBlock)
    return fmt::format("  if (!{}_block(m, {})) return 0;\n", array == 'd' ? "tangent" : "solve", step.index);
  if (step.kind == Step::Kind::kSums)
    return fmt::format(
        "  for (int i = {}; i < {}; ++i) {{\n"
        "    const entry* e = sum_entries + sums[i].first;\n"
        "    double total = sums[i].count > 0 ? e[0].sign * m->{}[e[0].slot] : 0;\n"
        "    for (int k = 1; k < sums[i].count; ++k) total += e[k].sign * m->{}[e[k].slot];\n"
        "    m->{}[sums[i].target] = total;\n"
        "  }}\n",
        step.index, step.index + step.count, array, array, array);
  const KernelRun& run = program_.runs[step.index];
  const Code& code = program_.codes[run.code];
  const size_t results = code.results.size();
  std::string out;
  if (run.count == 1) {
    out = fmt::format("  {}_{}(m, m->p + {}, locals + {}, r);\n", function, run.code,
                      program_.bases[run.first_base], run.first_local);
    for (size_t k = 0; k < results; ++k)
      out += fmt::format("  m->{}[{}] = r[{}];\n", array, program_.targets[run.first_target + k], k);
    return out;
  }
  out = fmt::format(
      "  for (int i = 0; i < {}; ++i) {{\n    {}_{}(m, m->p + bases[{} + i], locals + {} + i * {}, r);\n",
      run.count, function, run.code, run.first_base, run.first_local, code.locals);
  for (size_t k = 0; k < results; ++k)
    out += fmt::format("    m->{}[targets[{} + i * {}]] = r[{}];\n", array, run.first_target + k, results, k);
  return out + "  }\n";
}

std::string Emitter::Steps() const {
  return "\n/* ---- The order of computation "
         "-------------------------------------------------------------------- */\n" +
         StepFunctions("run_steps", false) + StepFunctions("run_tangents", true);
}

std::string Emitter::RunOptions() const {
  const SimulationOptions& o = options_.run;
  const char* method = o.method == Method::kEuler         ? "0"
                       : o.method == Method::kHeun        ? "1"
                       : o.method == Method::kRungeKutta4 ? "2"
                                                          : "3";
  return fmt::format(
      "\n#ifndef MODEL_NO_MAIN\nstatic const int run_method = {}; /* 0 euler, 1 heun, 2 rk4, 3 auto */\n"
      "static const double run_start = {}, run_stop = {}, run_step = {}, run_interval = {}, run_max_step = "
      "{}, run_rtol = {};\n"
      "#endif\n",
      method, CNumber(o.start), CNumber(o.stop), CNumber(o.step), CNumber(o.interval), CNumber(o.max_step),
      CNumber(o.rtol));
}

}  // namespace cotree
