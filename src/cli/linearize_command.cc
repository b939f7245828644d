// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "cli/files.h"
#include "cli/linear_model.h"
#include "cli/linear_motion.h"
#include "cli/result_files.h"
#include "cli/system_command.h"
#include "cli/text_table.h"
#include "control/control_figures.h"
#include "control/damping.h"
#include "control/margins.h"
#include "control/matrix_files.h"
#include "plot/draw_figure.h"

namespace cotree {
namespace {

// Of a sampled model in the plane of z; what they mean by s = ln(z)/period.
std::string SampledPolesText(const LinearModel& m, const Console& console) {
  TextTable table("lrlrrrrr");
  table.Add({"poles z", "real", "imaginary", "|z|", "rad/s", "Hz", "damping", "time constant"});
  const auto text = [](double x, const char* unit = "") {
    return std::isfinite(x) ? ShortNumber(x) + unit : "-";
  };
  for (const Damping& d : DampingTable(m.poles, m.period)) {
    table.Add({"", ShortNumber(d.pole.real()),
               d.pole.imag() == 0 ? "" : "+-" + ShortNumber(d.pole.imag()) + "i",
               ShortNumber(std::abs(d.pole)), text(d.natural_frequency),
               text(d.natural_frequency / (2 * M_PI)), text(d.damping), text(d.time_constant, " s")});
  }
  return "\n" + table.Text("  ", console);
}

std::string PolesText(const LinearModel& m, const Console& console) {
  if (m.n() == 0) return "\n  no states, no poles\n";
  if (m.poles.empty()) return "\n  poles: not computed for so many states\n";
  if (m.period > 0) return SampledPolesText(m, console);
  TextTable table("lrlrrrr");
  table.Add({"poles", "real", "imaginary", "rad/s", "Hz", "damping", "time constant"});
  for (const Damping& d : DampingTable(m.poles)) {
    table.Add({"", ShortNumber(d.pole.real()),
               d.pole.imag() == 0 ? "" : "+-" + ShortNumber(d.pole.imag()) + "i",
               ShortNumber(d.natural_frequency), ShortNumber(d.natural_frequency / (2 * M_PI)),
               std::isnan(d.damping) ? "-" : ShortNumber(d.damping),
               std::isinf(d.time_constant) ? "-" : ShortNumber(d.time_constant) + " s"});
  }
  return "\n" + table.Text("  ", console);
}

Json FiniteJson(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

Json PolesJson(const std::vector<std::complex<double>>& poles, double period) {
  Json out = Json::array();
  for (const std::complex<double>& p : poles) {
    const Damping d = DampingOf(p, period);
    out.push_back({{"real", p.real()},
                   {"imaginary", p.imag()},
                   {"natural_frequency", FiniteJson(d.natural_frequency)},
                   {"damping", FiniteJson(d.damping)},
                   {"time_constant", FiniteJson(d.time_constant)}});
  }
  return out;
}

// --- The loop ---------------------------------------------------------------------------------------------

/** What margins and pictures are about. */
struct Loop {
  std::vector<NamedChannel> channels;  // one where `single`
  bool closed_by_sign = false;         // --open: L = -(response)
  std::string name;                    // "-(pid.y / drive.u)"
};

std::string AtText(double frequency) {
  if (std::isinf(frequency)) return "at infinite frequency";
  return fmt::format("at {} rad/s ({} Hz)", ShortNumber(frequency), ShortNumber(frequency / (2 * M_PI)));
}

std::string MarginsText(const Loop& loop, const Margins& m, const Console& console) {
  const auto decibel = [](double x) { return ShortNumber(20 * std::log10(x)); };
  std::string text = fmt::format("\n  {} L = {}, negative feedback: ", console.Bold("loop"), loop.name);
  if (m.algebraic_loop)
    text += "1 + L is 0 at infinite frequency, an algebraic loop without solution\n";
  else
    text += m.stable ? "stable\n" : "not stable\n";
  for (const std::complex<double>& p : m.hidden_growth) {
    text += fmt::format(
        "  but a motion that the loop does not drive or does not see grows: pole {}{}. No gain changes "
        "that\n",
        ShortNumber(p.real()),
        p.imag() == 0 ? ""
                      : fmt::format(" {} {}i", p.imag() < 0 ? "-" : "+", ShortNumber(std::fabs(p.imag()))));
  }
  const auto upper = m.UpperGain(), lower = m.LowerGain();
  TextTable table("llll");
  table.Add({"margins", "", "", ""});
  table.Add({"", "gain, upwards",
             upper ? fmt::format("x {} ({} dB)", ShortNumber(upper->factor), decibel(upper->factor)) : "none",
             upper      ? AtText(upper->frequency)
             : m.stable ? "the gain may grow without bound"
                        : "no larger gain changes that"});
  table.Add({"", "gain, downwards",
             lower ? fmt::format("x {} ({} dB)", ShortNumber(lower->factor), decibel(lower->factor)) : "none",
             lower      ? AtText(lower->frequency)
             : m.stable ? "the gain may fall to 0"
                        : "no smaller gain changes that"});
  const auto phase = m.SmallestPhase(), delay = m.SmallestDelay();
  table.Add({"", "phase", phase ? ShortNumber(phase->margin * 180 / M_PI) + " deg" : "none",
             phase ? AtText(phase->frequency) : "|L| is nowhere 1"});
  table.Add({"", "delay", delay ? ShortNumber(delay->delay) + " s" : "none",
             delay ? AtText(delay->frequency) : "|L| is nowhere 1"});
  text += table.Text("  ", console);
  if (m.gains.size() + m.phases.size() > 2) {
    TextTable all("lrrr");
    all.Add({"crossovers", "rad/s", "gain x", "phase margin"});
    for (const Margins::Gain& g : m.gains)
      all.Add({"phase -180", std::isinf(g.frequency) ? "infinite" : ShortNumber(g.frequency),
               ShortNumber(g.factor), ""});
    for (const Margins::Phase& p : m.phases)
      all.Add({"gain 1", ShortNumber(p.frequency), "", ShortNumber(p.margin * 180 / M_PI) + " deg"});
    text += "\n" + all.Text("  ", console);
  }
  return text;
}

Json MarginsJson(const Loop& loop, const Margins& m) {
  Json out;
  out["loop"] = loop.name;
  out["stable"] = m.stable;
  if (!m.hidden_growth.empty())
    out["hidden_growth"] = PolesJson(m.hidden_growth, loop.channels[0].channel.period);
  Json gains = Json::array(), phases = Json::array();
  for (const Margins::Gain& g : m.gains)
    gains.push_back({{"frequency", FiniteJson(g.frequency)}, {"factor", g.factor}});
  for (const Margins::Phase& p : m.phases)
    phases.push_back({{"frequency", p.frequency}, {"margin", p.margin}, {"delay", p.delay}});
  const auto upper = m.UpperGain(), lower = m.LowerGain();
  const auto phase = m.SmallestPhase(), delay = m.SmallestDelay();
  out["gain_upwards"] = upper ? Json(upper->factor) : Json(nullptr);
  out["gain_downwards"] = lower ? Json(lower->factor) : Json(nullptr);
  out["phase"] = phase ? Json(phase->margin) : Json(nullptr);
  out["delay"] = delay ? Json(delay->delay) : Json(nullptr);
  out["phase_crossovers"] = gains;
  out["gain_crossovers"] = phases;
  out["closed_poles"] = PolesJson(m.closed_poles, loop.channels[0].channel.period);
  return out;
}

class LinearizeCommand {
 public:
  LinearizeCommand(const LinearizeOptions& options, const Console& console)
      : options_(options), console_(console) {}

  int Run() {
    if (!CheckOptions()) return kExitUsage;
    TranslateOptions translate;
    translate.foreign = ForeignAccess::kRun;
    translate.keep_constraints = true;
    translate.free_inputs = options_.inputs;
    if (!options_.open.empty() && !Holds(options_.inputs, options_.open))
      translate.free_inputs.push_back(options_.open);
    return RunOnSystem(
        options_, "cotree.linearize/1", translate, console_,
        [&](Translation& t, const Console& colours, SystemOutput* out) { return Say(t, colours, out); });
  }

 private:
  static bool Holds(const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  }
  // Where a name stands in a list, or would be added.
  static size_t PlaceOf(const std::vector<std::string>& list, const std::string& name) {
    return static_cast<size_t>(std::find(list.begin(), list.end(), name) - list.begin());
  }
  bool needs_loop() const {
    return options_.margins || !options_.nyquist.empty() || !options_.root_locus.empty();
  }
  bool needs_channels() const { return needs_loop() || !options_.bode.empty() || !options_.step.empty(); }

  bool CheckOptions() const {
    for (const std::string& path : {options_.bode, options_.nyquist, options_.root_locus, options_.step}) {
      if (!path.empty() && !CheckPicturePath(path)) return false;
    }
    const bool matrices = options_.format == "npz" || options_.format == "mat";
    if (matrices && options_.output.empty()) {
      fmt::print(stderr, "cotree: --format {0} is no text; say where it goes: --out model.{0}\n",
                 options_.format);
      return false;
    }
    if (options_.at && !(*options_.at >= 0 && std::isfinite(*options_.at))) {
      fmt::print(stderr, "cotree: --at wants a time from 0 on, as \"2.5 s\"; got {:g} s\n", *options_.at);
      return false;
    }
    if (!options_.open.empty() || !needs_channels()) return true;
    if (options_.inputs.empty() || options_.outputs.empty()) {
      fmt::print(stderr,
                 "cotree: margins and pictures need a response: --input U --output Y, or --open NAME for a "
                 "loop of the system\n");
      return false;
    }
    if (needs_loop() && options_.inputs.size() + options_.outputs.size() > 2) {
      fmt::print(stderr,
                 "cotree: --margins, --nyquist and --root-locus are about one loop; name one --input and one "
                 "--output, or --open NAME\n");
      return false;
    }
    return true;
  }

  int Say(Translation& t, const Console& colours, SystemOutput* out) {
    std::vector<std::string> outputs = options_.outputs;
    std::string driver;
    if (!options_.open.empty()) {
      driver = DriverOfInput(t, options_.open);
      if (driver.empty()) {
        fmt::print(
            stderr,
            "cotree: nothing drives `{}`, so there is no loop to cut there; --input makes it an input\n",
            options_.open);
        return kExitUsage;
      }
      if (!Holds(outputs, driver)) outputs.push_back(driver);
    }
    std::optional<LoopCut> cut;
    if (!options_.open.empty())
      cut = {PlaceOf(options_.inputs, options_.open), PlaceOf(options_.outputs, driver)};
    int exit = kExitOk;
    LinearModel linear;
    if (options_.at || !options_.open.empty()) {
      auto found = LinearizeOnMotion(options_, t, outputs, cut, console_, &exit);
      if (!found) return exit;
      linear = std::move(*found);
    } else {
      auto start = LinearizeAtStart(t, outputs, options_.continuous, ForeignCodeOf(options_.foreign), &exit);
      if (!start) return exit;
      linear = std::move(start->model);
    }
    const bool samples = !t.program->clocks.empty() && linear.period == 0,
               delays = !t.program->delays.empty();
    if (samples || delays)
      fmt::print(stderr,
                 "cotree: note: {} not part of the linear model: what they give is taken as constant\n",
                 !samples ? "delays are"
                 : delays ? "sampled variables and delays are"
                          : "sampled variables are");
    for (const std::string& note : linear.notes) fmt::print(stderr, "cotree: note: {}\n", note);
    const double time = options_.at.value_or(BeginningOf(t).time);
    if (options_.format == "npz" || options_.format == "mat") {
      out->text = options_.format == "npz" ? NpzBytes(linear) : Mat4Bytes(linear);
    } else if (options_.format == "json") {
      const Model& model = *t.equations->model;
      out->json["name"] = model.Text(model[t.graph->system].name);
      out->json["time"] = time;
      out->json.update(MatricesJson(linear));
      out->json["poles"] = PolesJson(linear.poles, linear.period);
    } else {
      out->text = SystemHeading(t, colours) +
                  (options_.at ? fmt::format(" at {} s: ", ShortNumber(*options_.at)) : " at its start: ") +
                  Plural(linear.n(), "state") + ", " + Plural(linear.m(), "input") + ", " +
                  Plural(linear.p(), "output") + SamplesText(linear) + "\n" + MatricesText(linear, colours) +
                  PolesText(linear, colours);
    }
    if (!needs_channels()) return kExitOk;
    const Loop loop = FindLoop(linear, driver, cut);
    const Channel& first = loop.channels[0].channel;
    if (cut && first.n() == 0 &&
        std::all_of(first.d.begin(), first.d.end(), [](double x) { return x == 0; })) {
      const std::string note = "nothing of `" + driver + "` comes back to it: L = 0, no loop is closed there";
      fmt::print(stderr, "cotree: note: {}\n", note);
      if (options_.format == "json") out->json["notes"].push_back(note);
    }
    std::optional<Margins> margins;
    if (options_.margins || !options_.open.empty()) margins = FindMargins(loop.channels[0].channel);
    if (options_.margins) {
      if (options_.format == "json") out->json["margins"] = MarginsJson(loop, *margins);
      if (options_.format == "text") out->text += MarginsText(loop, *margins, colours);
    }
    return Draw(loop, margins ? &*margins : nullptr, SystemName(t));
  }

  static std::string SamplesText(const LinearModel& m) {
    return m.period == 0
               ? ""
               : fmt::format("\nat its samples every {} s: x[k+1] = A x[k] + B u[k], y[k] = C x[k] + D u[k]",
                             ShortNumber(m.period));
  }

  static std::string SystemName(const Translation& t) {
    const Model& model = *t.equations->model;
    return model.Text(model[t.graph->system].name);
  }

  Loop FindLoop(const LinearModel& m, const std::string& driver, const std::optional<LoopCut>& cut) const {
    Loop loop;
    if (cut) {
      // Names of the model may be longer than those given: by place, the cut is where it was put.
      loop.closed_by_sign = true;
      loop.name =
          fmt::format("-({} / {})", driver, driver == options_.open ? driver + " cut" : options_.open);
      loop.channels.push_back({loop.name, FindChannel(m, cut->output, cut->input).Times(-1)});
      return loop;
    }
    for (size_t j = 0; j < m.m(); ++j) {
      for (size_t i = 0; i < m.p(); ++i)
        loop.channels.push_back({m.outputs[i] + " / " + m.inputs[j], FindChannel(m, i, j)});
    }
    loop.name = loop.channels[0].name;
    return loop;
  }

  int Draw(const Loop& loop, const Margins* margins, const std::string& system) const {
    std::string title = system + ": " +
                        (loop.closed_by_sign         ? "L = " + loop.name
                         : loop.channels.size() == 1 ? loop.name
                                                     : "responses");
    const Channel& first = loop.channels[0].channel;
    const std::string sampled =
        first.period > 0 ? fmt::format(", sampled every {} s", ShortNumber(first.period)) : "";
    title += sampled;
    if (!options_.bode.empty() && !Save(BodeFigure(title, loop.channels, margins), options_.bode))
      return kExitForeign;
    if (!options_.nyquist.empty() && !Save(NyquistFigure(title, first), options_.nyquist))
      return kExitForeign;
    if (!options_.root_locus.empty() && !Save(RootLocusFigure(title, first), options_.root_locus))
      return kExitForeign;
    if (options_.step.empty()) return kExitOk;
    if (!loop.closed_by_sign)
      return Save(StepFigure(title, loop.channels), options_.step) ? kExitOk : kExitForeign;
    Channel closed;
    if (!CloseLoop(first, &closed)) {
      fmt::print(
          stderr,
          "cotree: --step: the loop cannot be closed: L = {} grows with frequency, or 1 + L is 0 there\n",
          loop.name);
      return kExitNumerical;
    }
    return Save(StepFigure(system + ": closed loop L/(1 + L), L = " + loop.name + sampled,
                           {{"L/(1 + L)", closed}}),
                options_.step)
               ? kExitOk
               : kExitForeign;
  }
  static bool Save(const Figure& figure, const std::string& path) {
    if (path.ends_with(".svg")) return WriteFileSafely(path, DrawSvg(figure));
    return ReplaceFile(path, [&](const std::string& beside, std::string* problem) {
      return WritePng(figure, beside, 2, problem);
    });
  }

  const LinearizeOptions& options_;
  const Console& console_;
};

}  // namespace

int RunLinearize(const LinearizeOptions& given, const Console& console) {
  LinearizeOptions options = given;
  options.written = {{"--bode", options.bode},
                     {"--nyquist", options.nyquist},
                     {"--root-locus", options.root_locus},
                     {"--step", options.step}};
  return LinearizeCommand(options, console).Run();
}

}  // namespace cotree
