// SPDX-License-Identifier: Apache-2.0
#include "program/evaluate_fused.h"

#include <algorithm>

#include "base/plural.h"

namespace cotree {

namespace {

constexpr double kWorthLooking = 4e6, kWorthCompiling = 6e7;  // nanoseconds of interpreting
constexpr size_t kLargestToCompile = 300000;                  // instructions of straight-line code

}  // namespace

ProgramTier TierOf(std::string_view name) {
  return name == "jit"           ? ProgramTier::kCompiled
         : name == "interpreter" ? ProgramTier::kInterpreter
                                 : ProgramTier::kAutomatic;
}

TieredProgram::TieredProgram(FusedProgram program, ProgramTier tier)
    : program_(std::move(program)), interpreter_(program_), tier_(tier) {
  size_t straight = 0;
  for (const FusedRun& r : program_.runs) {
    const auto length = static_cast<double>(program_.kernels[r.kernel].code.instructions.size());
    const bool single = r.count <= 8 || r.rows;
    cost_ += 20 + length * (single ? 2.0 * r.count : 5 + 0.2 * r.count);
    if (single && !r.rows) straight += program_.kernels[r.kernel].code.instructions.size() * r.count;
  }
  if (tier_ == ProgramTier::kAutomatic && straight > kLargestToCompile) tier_ = ProgramTier::kInterpreter;
  if (tier_ == ProgramTier::kCompiled)
    compiled_ = CompiledProgram::Make(program_, CompiledProgram::Search::kCompile, &problem_);
}

TieredProgram::~TieredProgram() {
  if (compiler_.joinable()) compiler_.join();
}

void TieredProgram::ConsiderCompiling() {
  if (stage_ == Stage::kYoung) {
    std::string problem;
    compiled_ = CompiledProgram::Make(program_, CompiledProgram::Search::kCacheOnly, &problem);
    stage_ = compiled_ != nullptr ? Stage::kDone : Stage::kLookedUp;
  } else if (stage_ == Stage::kLookedUp && spent_ > kWorthCompiling) {
    stage_ = Stage::kCompiling;
    compiler_ = std::thread([this] {
      made_ = CompiledProgram::Make(program_, CompiledProgram::Search::kCompile, &problem_);
      ready_.store(true, std::memory_order_release);
    });
  } else if (stage_ == Stage::kCompiling && ready_.load(std::memory_order_acquire)) {
    compiler_.join();
    compiled_ = std::move(made_);
    stage_ = Stage::kDone;
  }
}

std::string TieredProgram::Description() const {
  uint64_t instances = 0;
  for (const FusedRun& r : program_.runs) instances += r.count;
  std::string text =
      Plural(program_.kernels.size(), "kernel") + " for " + Plural(instances, "instance") + ", ";
  if (compiled_ == nullptr) {
    text += "interpreted";
    if (tier_ == ProgramTier::kCompiled) text += " (not compiled: " + problem_ + ")";
    return text;
  }
  return text + (compiled_->from_cache() ? "machine code from the cache" : "compiled");
}

void TieredProgram::Begin(uint32_t evaluations) {
  if (tier_ != ProgramTier::kAutomatic || compiled_ != nullptr || stage_ == Stage::kDone) return;
  spent_ += evaluations * cost_;
  if (spent_ > kWorthLooking) ConsiderCompiling();
}

size_t TieredProgram::Run(size_t step, const FusedArrays& arrays) {
  if (compiled_ != nullptr) return compiled_->Run(step, arrays);
  interpreter_.Run(program_.runs[program_.steps[step].index], arrays);
  return step + 1;
}

void TieredProgram::RunPart(size_t step, const FusedArrays& arrays, uint32_t first, uint32_t count) {
  if (compiled_ != nullptr)
    compiled_->Run(step, arrays, first, count);
  else
    interpreter_.Run(program_.runs[program_.steps[step].index], arrays, first, count);
}

FusedEvaluation::FusedEvaluation(ProgramRun& run, FusedProgram program, ProgramTier tier)
    : run_(run), tiers_(std::move(program), tier) {
  const FusedProgram& p = tiers_.program();
  if (p.compact) work_.resize(p.work);
  scratch_.resize(p.scratch);
  if (!p.compact) {
    for (uint32_t k = 0; k < p.states.size(); ++k) states_read_.push_back(k);
    return;
  }
  for (const FusedRun& r : p.runs) {
    for (uint32_t l = 0; l < p.kernels[r.kernel].leaves; ++l) {
      const Operand& operand = p.operands[r.first_operand + l];
      if (operand.base != Operand::Base::kStates) continue;
      const uint32_t count = operand.kind == Operand::Kind::kUniform ? 1 : r.count;
      for (uint32_t i = 0; i < count; ++i) states_read_.push_back(p.PlaceOf(r, operand, i));
    }
  }
  std::sort(states_read_.begin(), states_read_.end());
  states_read_.erase(std::unique(states_read_.begin(), states_read_.end()), states_read_.end());
  states_read_.shrink_to_fit();
}

void FusedEvaluation::BeginParts(uint32_t count) {
  evaluations += count;
  run_.evaluations += count;
  tiers_.Begin(count);
  for (const auto& [slot, place] : program().copies) work_[place] = run_.values[slot];
}

void FusedEvaluation::RunPart(uint32_t step, uint32_t first, uint32_t count, double time,
                              const double* states, double* results) {
  tiers_.RunPart(step, {states, results, work_.data(), scratch_.data(), time, run_.switch_time}, first,
                 count);
}

bool FusedEvaluation::Evaluate(double time, const double* states, double* results) {
  ++evaluations;
  run_.Begin(time);
  tiers_.Begin(1);
  const FusedProgram& p = tiers_.program();
  FusedArrays arrays{states, results, work_.data(), scratch_.data(), time, run_.switch_time};
  if (p.compact) {
    for (const auto& [slot, place] : p.copies) work_[place] = run_.values[slot];
    for (size_t s = 0; s < p.steps.size();) s = tiers_.Run(s, arrays);
    return true;
  }
  arrays.work = run_.values.data();
  for (size_t k = 0; k < p.state_slots.size(); ++k) run_.values[p.state_slots[k]] = states[k];
  for (size_t s = 0; s < p.steps.size();) {
    const FusedStep& step = p.steps[s];
    switch (step.kind) {
      case FusedStep::Kind::kRun:
        s = tiers_.Run(s, arrays);
        continue;
      case FusedStep::Kind::kBlock:
        if (!run_.RunBlock(step.index, time)) return false;
        break;
      case FusedStep::Kind::kForeign:
        if (!run_.RunGroup(step.index, time)) return false;
        break;
    }
    ++s;
  }
  return true;
}

}  // namespace cotree
