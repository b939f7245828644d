// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/linear_model.h"
#include "cli/system_command.h"
#include "cli/text_table.h"

namespace cotree {
namespace {

using Json = nlohmann::ordered_json;

std::string PolesText(const LinearModel& m, const Console& console) {
  if (m.n() == 0) return "\n  no states, no poles\n";
  if (m.poles.empty()) return "\n  poles: not computed for so many states\n";
  TextTable table("lrlrrr");
  table.Add({"poles", "real", "imaginary", "rad/s", "Hz", "damping"});
  for (const std::complex<double>& p : m.poles) {
    if (p.imag() < 0) continue;  // said with its conjugate
    const double size = std::abs(p);
    table.Add({"", ShortNumber(p.real()), p.imag() == 0 ? "" : "+-" + ShortNumber(p.imag()) + "i",
               ShortNumber(size), ShortNumber(size / (2 * M_PI)),
               size == 0 ? "-" : ShortNumber(-p.real() / size)});
  }
  return "\n" + table.Text("  ", console);
}

Json PolesJson(const LinearModel& m) {
  Json out = Json::array();
  for (const std::complex<double>& p : m.poles) {
    const double size = std::abs(p);
    out.push_back({{"real", p.real()},
                   {"imaginary", p.imag()},
                   {"natural_frequency", size},
                   {"damping", size == 0 ? Json(nullptr) : Json(-p.real() / size)}});
  }
  return out;
}

}  // namespace

int RunLinearize(const LinearizeOptions& options, const Console& console) {
  TranslateOptions translate;
  translate.free_inputs = options.inputs;
  return RunOnSystem(options, "cotree.linearize/1", translate, console,
                     [&](Translation& t, const Console& colours, SystemOutput* out) {
                       int exit = kExitOk;
                       const std::optional<LinearStart> start = LinearizeAtStart(t, options.outputs, &exit);
                       if (!start) return exit;
                       const LinearModel& linear = start->model;
                       const Model& model = *t.equations->model;
                       if (options.format == "json") {
                         out->json["name"] = model.Text(model[t.graph->system].name);
                         out->json["time"] = 0;
                         out->json.update(MatricesJson(linear));
                         out->json["poles"] = PolesJson(linear);
                       } else {
                         out->text = SystemHeading(t, colours) +
                                     " at its start: " + Plural(linear.n(), "state") + ", " +
                                     Plural(linear.m(), "input") + ", " + Plural(linear.p(), "output") +
                                     "\n" + MatricesText(linear, colours) + PolesText(linear, colours);
                       }
                       return exit;
                     });
}

}  // namespace cotree
