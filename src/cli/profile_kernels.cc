// SPDX-License-Identifier: Apache-2.0
#include "cli/profile_kernels.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "cli/system_command.h"
#include "program/compile_fused.h"
#include "program/fused_program.h"
#include "program/run_fused.h"
#include "simulation/events.h"
#include "simulation/simulate.h"

namespace cotree {
namespace {

using Clock = std::chrono::steady_clock;
constexpr uint32_t kNone = UINT32_MAX;

double Seconds(Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

template <class F>
void OverPlaces(const FusedProgram& program, const FusedRun& run, const Operand& operand, uint32_t most,
                F&& f) {
  const uint32_t count = operand.kind == Operand::Kind::kUniform ? 1 : run.count;
  for (uint32_t k = 0; k < count; k += std::max(1u, count / most)) f(program.PlaceOf(run, operand, k));
}

/* What runs compute, in the words of the model. */
class KernelNames {
 public:
  KernelNames(const Translation& translation, const FusedProgram& fused)
      : sorted_(*translation.sorted), system_(*translation.equations), fused_(fused) {
    if (!fused.compact) return;
    reader_.assign(fused.work, kNone);
    for (uint32_t r = 0; r < fused.runs.size(); ++r) {
      const FusedRun& run = fused.runs[r];
      for (uint32_t l = 0; l < fused.kernels[run.kernel].leaves; ++l) {
        const Operand& operand = fused.operands[run.first_operand + l];
        if (operand.base != Operand::Base::kWork) continue;
        OverPlaces(fused, run, operand, kNone, [&](uint32_t place) {
          if (reader_[place] == kNone) reader_[place] = r;
        });
      }
    }
  }

  std::string Of(const std::vector<uint32_t>& runs) const {
    Words words;
    for (size_t k = 0; k < runs.size(); k += std::max<size_t>(1, runs.size() / kMostRuns))
      AddTargets(runs[k], 0, words);
    return Text(words);
  }
  std::string OfSlots(const std::vector<uint32_t>& slots) const {
    Words words;
    for (const uint32_t slot : slots) words.Add(slot, *this);
    return Text(words);
  }

 private:
  static constexpr uint32_t kMostRuns = 100, kMostInstances = 200, kShown = 3;

  // By class; what occurs once has a name of its own.
  struct Words {
    std::vector<std::pair<std::string, uint32_t>> classes;  // and a slot of it
    std::map<std::string, size_t> count;
    bool kept = false;  // what others read
    void Add(uint32_t slot, const KernelNames& names) {
      std::string word = names.ClassWord(slot);
      if (++count[word] == 1) classes.emplace_back(std::move(word), slot);
    }
  };

  std::string Text(const Words& words) const {
    std::string text;
    for (size_t k = 0; k < words.classes.size() && k < kShown; ++k) {
      const auto& [word, slot] = words.classes[k];
      text += (k > 0 ? ", " : "") + (words.count.at(word) == 1 ? sorted_.SlotName(slot) : word);
    }
    if (words.classes.size() > kShown) text += fmt::format(" and {} more", words.classes.size() - kShown);
    if (!words.kept) return text.empty() ? "intermediate results" : text;
    return text.empty() ? "what several need" : "for " + text;
  }

  // "der(Capacitor.v)" for der(c1.v).
  std::string ClassWord(uint32_t slot) const {
    std::string text = sorted_.SlotName(slot);
    const uint32_t variable = sorted_.OfSlot(slot).variable;
    if (variable >= system_.part_variables) return text;
    const uint32_t part = system_.PartOfVariable(variable);
    if (part >= system_.graph->components.size()) return text;
    const ComponentId id(part);
    const std::string name = ComponentName(*system_.model, *system_.graph, id);
    const size_t at = text.find(name + ".");
    if (name.empty() || at == std::string::npos) return text;
    return text.replace(at, name.size(),
                        system_.model->Text(system_.graph->ClassOf(*system_.model, id).name));
  }

  void AddTargets(uint32_t number, int depth, Words& words) const {
    const FusedRun& run = fused_.runs[number];
    const FusedKernel& kernel = fused_.kernels[run.kernel];
    for (size_t r = 0; r < kernel.code.results.size(); ++r) {
      const Operand& target = fused_.operands[run.first_operand + kernel.leaves + kernel.parameters + r];
      OverPlaces(fused_, run, target, kMostInstances, [&](uint32_t place) {
        if (target.base == Operand::Base::kDerivatives) {
          words.Add(fused_.program->derivative_slots[fused_.states[place]], *this);
        } else if (target.base == Operand::Base::kWork && !fused_.compact && place < sorted_.slots()) {
          words.Add(place, *this);
        } else if (target.base == Operand::Base::kWork && !fused_.compact) {
          words.kept = true;
        } else if (target.base == Operand::Base::kWork) {
          words.kept = true;
          if (depth < 3 && words.classes.size() <= kShown && reader_[place] != kNone &&
              reader_[place] != number)
            AddTargets(reader_[place], depth + 1, words);
        }
      });
    }
  }

  const SortedSystem& sorted_;
  const EquationSystem& system_;
  const FusedProgram& fused_;
  std::vector<uint32_t> reader_;  // by place of what is kept: the first run that reads it
};

/* Evaluates step by step, with a clock between the steps. */
class StepTimer {
 public:
  StepTimer(ProgramRun& run, const FusedProgram& fused, double time)
      : run_(run),
        fused_(fused),
        interpreter_(fused),
        time_(time),
        work_(fused.compact ? fused.work : 0),
        scratch_(fused.scratch),
        results_(fused.states.size()) {
    for (const uint32_t slot : fused.state_slots) states_[0].push_back(run.values[slot]);
    // Blocks are solved from a point nearby, as on a way.
    for (const double x : states_[0]) states_[1].push_back(fused.compact ? x : x * (1 + 1e-6));
  }

  /// Seconds of an evaluation as a whole; by step into `steps`. False: it failed.
  bool Measure(const CompiledProgram* code, double* whole, std::vector<double>* steps) {
    constexpr int kRounds = 7;
    constexpr double kRound = 6e-3;
    code_ = code;
    std::vector<Clock::time_point> marks;
    for (int k = 0; k < 2; ++k) {
      if (!Evaluate(nullptr)) return false;
    }
    auto begin = Clock::now();
    if (!Evaluate(nullptr)) return false;
    const double once = std::max(1e-8, Seconds(Clock::now() - begin));
    const auto turns = static_cast<size_t>(std::clamp(kRound / once, 1.0, 20000.0));
    *whole = 1e300;
    for (int round = 0; round < kRounds; ++round) {
      begin = Clock::now();
      for (size_t k = 0; k < turns; ++k) {
        if (!Evaluate(nullptr)) return false;
      }
      *whole = std::min(*whole, Seconds(Clock::now() - begin) / static_cast<double>(turns));
    }
    const double empty = EmptyClock();
    const size_t n = fused_.steps.size();
    std::vector<std::vector<double>> found(n, std::vector<double>(kRounds, 0));
    for (int round = 0; round < kRounds; ++round) {
      for (size_t k = 0; k < turns; ++k) {
        if (!Evaluate(&marks)) return false;
        for (size_t m = 0; m + 1 < marks.size(); ++m)
          found[at_[m]][static_cast<size_t>(round)] += Seconds(marks[m + 1] - marks[m]) - empty;
      }
    }
    steps->assign(n, 0);
    for (size_t s = 0; s < n; ++s) {
      std::nth_element(found[s].begin(), found[s].begin() + kRounds / 2, found[s].end());
      (*steps)[s] = std::max(0.0, found[s][kRounds / 2] / static_cast<double>(turns));
    }
    if (code == nullptr) return true;
    // Straight-line code runs several steps at once: by their lengths.
    at_.push_back(static_cast<uint32_t>(n));
    for (size_t m = 0; m + 1 < at_.size(); ++m) {
      double all = 0;
      for (uint32_t s = at_[m]; s < at_[m + 1]; ++s) all += LengthOf(s);
      const double time = (*steps)[at_[m]];
      for (uint32_t s = at_[m]; s < at_[m + 1] && all > 0; ++s) (*steps)[s] = time * LengthOf(s) / all;
    }
    return true;
  }

 private:
  static double EmptyClock() {
    double least = 1;
    for (int k = 0; k < 200; ++k) {
      const auto begin = Clock::now();
      least = std::min(least, Seconds(Clock::now() - begin));
    }
    return least;
  }
  double LengthOf(uint32_t step) const {
    if (fused_.steps[step].kind != FusedStep::Kind::kRun) return 1;
    const FusedRun& run = fused_.runs[fused_.steps[step].index];
    return static_cast<double>(fused_.kernels[run.kernel].code.instructions.size()) * run.count;
  }

  bool Evaluate(std::vector<Clock::time_point>* marks) {
    const std::vector<double>& states = states_[turn_++ % 2];
    run_.Begin(time_);
    FusedArrays arrays{states.data(),   results_.data(), work_.data(),
                       scratch_.data(), time_,           run_.switch_time};
    if (fused_.compact) {
      for (const auto& [slot, place] : fused_.copies) work_[place] = run_.values[slot];
    } else {
      arrays.work = run_.values.data();
      for (size_t k = 0; k < states.size(); ++k) run_.values[fused_.state_slots[k]] = states[k];
    }
    if (marks != nullptr) {
      marks->clear();
      at_.clear();
    }
    for (size_t s = 0; s < fused_.steps.size();) {
      const FusedStep& step = fused_.steps[s];
      if (marks != nullptr) {
        at_.push_back(static_cast<uint32_t>(s));
        marks->push_back(Clock::now());
      }
      switch (step.kind) {
        case FusedStep::Kind::kRun:
          if (code_ != nullptr) {
            s = code_->Run(s, arrays);
            continue;
          }
          interpreter_.Run(fused_.runs[step.index], arrays);
          break;
        case FusedStep::Kind::kBlock:
          if (!run_.RunBlock(step.index, time_)) return false;
          break;
        case FusedStep::Kind::kForeign:
          if (!run_.RunGroup(step.index, time_)) return false;
          break;
      }
      ++s;
    }
    if (marks != nullptr) marks->push_back(Clock::now());
    return true;
  }

  ProgramRun& run_;
  const FusedProgram& fused_;
  FusedInterpreter interpreter_;
  const CompiledProgram* code_ = nullptr;
  double time_;
  std::vector<double> work_, scratch_, results_;
  std::vector<double> states_[2];
  size_t turn_ = 0;
  std::vector<uint32_t> at_;  // the step at which each mark stands
};

// What belongs together: all runs of a kernel, a block, a group of foreign code.
std::vector<KernelCost> CostsOf(const Translation& translation, const FusedProgram& fused,
                                const std::vector<double>& interpreted, const std::vector<double>& compiled) {
  const Program& program = *translation.program;
  const KernelNames names(translation, fused);
  std::vector<KernelCost> out;
  std::vector<std::vector<uint32_t>> runs;
  std::map<std::pair<FusedStep::Kind, uint32_t>, size_t> found;
  for (size_t s = 0; s < fused.steps.size(); ++s) {
    const FusedStep& step = fused.steps[s];
    const bool is_run = step.kind == FusedStep::Kind::kRun;
    const auto [at, fresh] =
        found.try_emplace({step.kind, is_run ? fused.runs[step.index].kernel : step.index}, out.size());
    if (fresh) {
      out.emplace_back();
      runs.emplace_back();
    }
    KernelCost& cost = out[at->second];
    ++cost.runs;
    cost.interpreted += interpreted[s];
    if (!compiled.empty()) cost.compiled = cost.compiled.value_or(0) + compiled[s];
    if (is_run) {
      const FusedRun& run = fused.runs[step.index];
      cost.instances += run.count;
      cost.instructions = fused.kernels[run.kernel].code.instructions.size();
      runs[at->second].push_back(step.index);
    } else if (step.kind == FusedStep::Kind::kBlock) {
      const std::vector<uint32_t>& unknowns = program.blocks[step.index].unknowns;
      cost.kind = KernelCost::Kind::kBlock;
      cost.instances = 1;
      cost.what = fmt::format("block of {} ({}): {}", unknowns.size(),
                              BlockKindName(program.blocks[step.index].kind), names.OfSlots(unknowns));
    } else {
      cost.kind = KernelCost::Kind::kForeign;
      cost.instances = 1;
      cost.what = "foreign code of " + program.externals[program.foreign[step.index].external].instance;
    }
  }
  for (size_t k = 0; k < out.size(); ++k) {
    if (out[k].kind == KernelCost::Kind::kKernel) out[k].what = names.Of(runs[k]);
  }
  std::stable_sort(out.begin(), out.end(), [](const KernelCost& a, const KernelCost& b) {
    return a.compiled.value_or(a.interpreted) > b.compiled.value_or(b.interpreted);
  });
  return out;
}

}  // namespace

std::optional<EvaluationCost> MeasureEvaluation(const PreparedRun& p) {
  constexpr size_t kLargestToCompile = 300000;  // instructions of straight-line code, as in a run
  const Program& program = *p.translation->program;
  if (program.state_slots.empty()) return std::nullopt;
  ProgramRun run(program);
  run.switch_time = JustBehind(p.simulation.start);
  ExternalComponents external(run, program, p.simulation.components);
  Events events(run, program, &external);
  if (!external.Load() || !events.Begin(p.translation->starts, {p.simulation.start, p.simulation.steady}).ok)
    return std::nullopt;

  const FusedProgram fused = FuseDerivatives(program);
  EvaluationCost out;
  out.states = program.state_slots.size();
  out.instructions = fused.instructions();
  out.code_bytes = fused.code_bytes();
  out.table_bytes = fused.table_bytes();
  size_t straight = 0;
  for (const FusedRun& r : fused.runs) {
    out.instances += r.count;
    if (r.count <= 8 && !r.rows) straight += fused.kernels[r.kernel].code.instructions.size() * r.count;
  }
  StepTimer timer(run, fused, p.simulation.start);
  std::vector<double> interpreted, compiled;
  if (!timer.Measure(nullptr, &out.interpreted, &interpreted)) return std::nullopt;
  std::unique_ptr<CompiledProgram> code;
  if (p.simulation.tier == ProgramTier::kInterpreter) {
    out.not_compiled = "only the interpreter was asked for";
  } else if (p.simulation.tier == ProgramTier::kAutomatic && straight > kLargestToCompile) {
    out.not_compiled = "too much straight-line code";
  } else {
    const auto begin = Clock::now();
    code = CompiledProgram::Make(fused, CompiledProgram::Search::kCompile, &out.not_compiled);
    out.compiling = Seconds(Clock::now() - begin);
  }
  double whole = 0;
  if (code != nullptr && timer.Measure(code.get(), &whole, &compiled)) {
    out.compiled = whole;
    out.machine_bytes = code->code_bytes();
    out.from_cache = code->from_cache();
    out.not_compiled.clear();
  }
  out.kernels = CostsOf(*p.translation, fused, interpreted, compiled);
  return out;
}

}  // namespace cotree
