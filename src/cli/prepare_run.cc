// SPDX-License-Identifier: Apache-2.0
#include "cli/prepare_run.h"

#include <fmt/core.h>

#include <cmath>

#include "cli/files.h"
#include "cli/measured_data.h"
#include "cli/quantities.h"
#include "cli/system_command.h"
#include "pipeline/choose_system.h"
#include "pipeline/release_syntax.h"
#include "system_graph/evaluate_settings.h"

namespace cotree {
namespace {

/* Fills a PreparedRun step by step; each step is false where it is the last. */
class Preparer {
 public:
  Preparer(const SimulateOptions& options, DiskReader& reader, const Variation& variation)
      : options_(options), reader_(reader), variation_(variation) {}

  PreparedRun Run() {
    if (Load() && Choose() && Measure() && MayWrite() && DoTranslate()) Set();
    return std::move(out_);
  }

 private:
  bool Refuse(int exit, std::string problem) {
    if (out_.exit == kExitOk) {
      out_.exit = exit;
      out_.problem = std::move(problem);
    }
    return false;
  }
  const Model& model() const { return out_.loaded->model; }

  bool Load() {
    out_.loaded = LoadModel(options_.file, reader_, {.library = options_.library});
    if (!out_.loaded->readable) return Refuse(kExitForeign, "");
    return out_.loaded->diagnostics.ok() || Refuse(kExitModel, "");
  }

  bool Choose() {
    const SystemChoice& choice = ChooseSystem(*out_.loaded, RequestOf(options_, variation_), options_.file);
    experiment_ = choice.experiment;
    ReleaseLargeSyntax(*out_.loaded);
    if (!choice.note.empty()) out_.notes.push_back(choice.note);
    if (choice.usage) return Refuse(kExitUsage, choice.problem);
    return out_.loaded->diagnostics.ok() || Refuse(kExitModel, "");
  }

  bool Measure() {
    for (const std::string& text : options_.inputs) {
      std::string problem;
      auto data = ReadMeasuredData(text, &problem);
      if (!data.read) return Refuse(data.usage ? kExitUsage : kExitForeign, problem);
      out_.translated_with.measured.emplace_back(data.input, data.tables);
      if (!data.note.empty()) out_.notes.push_back(data.note);
      measured_.push_back(std::move(data));
    }
    return true;
  }

  // What is read stays.
  bool MayWrite() {
    std::vector<InputFile> inputs = InputsOf(options_.file, reader_, model());
    for (const std::string& text : options_.inputs) AddInput(MeasuredFile(text), &inputs);
    const std::string problem = OutputProblem(options_.written, inputs);
    return problem.empty() || Refuse(kExitUsage, problem);
  }

  bool DoTranslate() {
    TranslateOptions& translate = out_.translated_with;
    translate.chosen = variation_.chosen;
    translate.rates = options_.rates;
    translate.keep_constraints = options_.keep_constraints && options_.freed.empty();
    if (options_.quick_motion) translate.motion_form = MotionForm::kQuick;
    translate.own_parameters = options_.own_parameters;
    translate.foreign = options_.runs ? ForeignAccess::kRun : ForeignAccess::kNone;
    translate.components = ForeignCodeOf(options_.foreign);
    translate.freed = options_.freed;
    translate.prefer = options_.prefer;
    if (options_.other_coordinates) {
      const bool absolute = model()[out_.loaded->choice.system].absolute;
      translate.coordinates = absolute ? Coordinates::kOfJoints : Coordinates::kAbsolute;
    }
    out_.translation = Translate(*out_.loaded, translate);
    for (const std::string& name : out_.translation->unknown_inputs)
      return Refuse(kExitUsage, UnknownInput(model(), *out_.translation, name));
    if (!out_.loaded->diagnostics.ok() || !out_.translation->ok)
      return Refuse(out_.translation->foreign ? kExitForeign : kExitModel, out_.translation->foreign_problem);
    const Program& program = *out_.translation->program;
    if (!program.unsupported.empty())
      return Refuse(kExitModel, program.unsupported.front() + " cannot be computed in this version");
    for (const MeasuredData& data : measured_) {
      const std::string problem = CheckMeasuredUnit(data, model(), *out_.translation);
      if (!problem.empty()) return Refuse(kExitUsage, problem);
    }
    return true;
  }

  // A setting of the experiment, which may use the parameters of the system.
  double Number(ExprId expr, double otherwise, const char* what) {
    if (expr.IsNone()) return otherwise;
    const SystemGraph& graph = *out_.translation->graph;
    const auto number =
        EvaluateConstant(model().expressions, expr, SystemParameters(model(), graph.system, graph.settings));
    if (!number)
      Refuse(kExitModel, fmt::format("`{}` of the experiment `{}` is no number: it is made of numbers, units "
                                     "and parameters of the system",
                                     what, model().Text(experiment_->name)));
    return number.value_or(otherwise);
  }

  bool AddScale(const std::string& text) {
    auto scale = ParseNamedValue(text);
    if (!scale || !(scale->number > 0))
      return Refuse(
          kExitUsage,
          fmt::format("--scale wants `state = size`, as in --scale \"tank.p = 1 bar\"; got `{}`", text));
    const SortedSystem& sorted = *out_.translation->sorted;
    const VariableRef ref = FindVariable(*out_.translation->equations,
                                         NameFinder(model(), *out_.translation->graph), scale->name);
    if (!sorted.HasSlot(ref) || !sorted.IsState(ref)) {
      std::vector<std::string> states;
      for (const VariableRef& s : sorted.states) states.push_back(sorted.SlotName(sorted.Slot(s)));
      return Refuse(kExitUsage, fmt::format("--scale {}: it is no state; `cotree order` lists the states{}",
                                            scale->name, DidYouMean(scale->name, states)));
    }
    std::string problem = ConvertToSi(*out_.translation->equations, ref, &*scale);
    if (scale->unit == "degC" || scale->unit == "degF") problem = "a size is a difference; write it in K";
    if (!problem.empty()) return Refuse(kExitUsage, fmt::format("--scale {}: {}", scale->name, problem));
    out_.simulation.scales.emplace_back(sorted.Slot(ref), scale->number);
    return true;
  }

  void Set() {
    SimulationOptions& s = out_.simulation;
    if (experiment_ != nullptr) {
      s.start = Number(experiment_->settings.begin, 0, "begin");
      s.stop = Number(experiment_->settings.stop, s.start + 1, "stop");
      s.interval = Number(experiment_->settings.interval, 0, "interval");
      s.rtol = Number(experiment_->settings.tolerance, s.rtol, "tolerance");
      s.steady = experiment_->settings.steady;
    }
    s.steady = s.steady || model()[out_.translation->graph->system].steady;
    if (options_.stop) s.stop = *options_.stop;
    if (options_.rtol) s.rtol = *options_.rtol;
    if (options_.interval) s.interval = *options_.interval;
    s.method = MethodOf(options_.solver);
    s.tier = TierOf(options_.tier);
    s.components = ForeignCodeOf(options_.foreign);
    if (options_.step) s.step = *options_.step;
    if (options_.step && s.method < Method::kEuler)
      out_.notes.push_back(
          fmt::format("--step is of the methods with fixed steps (--solver euler, heun, rk4 or ieuler); `{}` "
                      "chooses its steps, which --max-step limits",
                      MethodName(s.method)));
    if (options_.max_step) s.max_step = *options_.max_step;
    s.max_time = options_.max_time.value_or(0);
    s.max_steps = options_.max_steps;
    for (const std::string& text : options_.scales) AddScale(text);
    for (const MeasuredData& data : measured_) {
      std::string note = MeasuredEnds(data, s.start, s.stop);
      if (!note.empty()) out_.notes.push_back(std::move(note));
    }
    if (!(s.rtol >= 1e-13 && s.rtol <= 0.1))
      Refuse(kExitUsage, fmt::format("a tolerance of {} is not between 1e-13 and 0.1", s.rtol));
    if ((options_.step && !(*options_.step > 0)) || (options_.max_step && !(*options_.max_step > 0)))
      Refuse(kExitUsage, "a step must be longer than 0");
    if (options_.max_time && !(*options_.max_time > 0))
      Refuse(kExitUsage, "the time of computing that is allowed must be longer than 0");
    if ((options_.interval || (experiment_ != nullptr && !experiment_->settings.interval.IsNone())) &&
        !(s.interval > 0))
      Refuse(kExitUsage, "the interval of the output must be positive");
    constexpr double kMostRows = 1e9;
    const double rows = s.interval > 0 ? (s.stop - s.start) / s.interval : 0;
    if (std::isfinite(s.stop) && rows > kMostRows)
      Refuse(kExitUsage,
             fmt::format("an interval of {} s means {:.3g} rows; at most {:g} are written, so let it "
                         "be {:.2g} s or more",
                         s.interval, rows, kMostRows, (s.stop - s.start) / kMostRows));
    if (!std::isfinite(s.stop)) Refuse(kExitUsage, "the run would never end");
    for (const auto& [what, time] : {std::pair("begin", s.start), std::pair("stop", s.stop)}) {
      const std::string problem = TimeProblem(time);
      if (!problem.empty()) Refuse(kExitUsage, fmt::format("{}: {}", what, problem));
    }
    if (!(s.stop > s.start))
      Refuse(kExitUsage,
             fmt::format("the run would end at {} s, not after its beginning at {} s", s.stop, s.start));
  }

  const SimulateOptions& options_;
  DiskReader& reader_;
  const Variation& variation_;
  const Experiment* experiment_ = nullptr;
  std::vector<MeasuredData> measured_;
  PreparedRun out_;
};

}  // namespace

SystemRequest RequestOf(const SimulateOptions& options, const Variation& variation) {
  SystemRequest out;
  out.system = options.system;
  out.experiment = options.experiment;
  out.options = {options.settings, variation.alternatives, options.motions};
  return out;
}

PreparedRun PrepareRun(const SimulateOptions& options, DiskReader& reader, const Variation& variation) {
  return Preparer(options, reader, variation).Run();
}

void SayPrepared(const PreparedRun& prepared, const Console& console) {
  PrintDiagnostics(prepared.loaded->diagnostics, prepared.loaded->model.files, console);
  for (const std::string& note : prepared.notes) fmt::print(stderr, "cotree: note: {}\n", note);
  if (!prepared.problem.empty()) fmt::print(stderr, "cotree: {}\n", prepared.problem);
}

}  // namespace cotree
