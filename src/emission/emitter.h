// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "emission/emit_c.h"
#include "emission/gap_order.h"
#include "emission/runtime.h"
#include "simulation/events.h"

namespace cotree {

/** Writes the C file of one program: what the parts of EmitC share. */
class Emitter {
 public:
  Emitter(const Program& program, const std::vector<StartEntry>& starts, const EmitOptions& options)
      : program_(program),
        sorted_(*program.sorted),
        system_(*program.sorted->system),
        starts_(starts),
        options_(options),
        run_(program),
        events_(run_, program) {}
  std::string Run(std::string* problem);

 private:
  std::string Text(std::string_view name) const { return "\n" + RuntimeText(name, features_); }
  std::string Name(uint32_t component) const {
    return ComponentName(*system_.model, *system_.graph, ComponentId(component));
  }

  // emit_c.cc: what is refused, what is needed, the beginning
  std::string FindRefusal() const;
  std::vector<std::string> ComponentsOfBlock(const ImplicitBlock& block) const;
  std::string Begin();
  void FindFeatures();
  void FindGaps();
  void FindUses();
  void Use(uint32_t code, uint32_t parameters);
  void FindPlaces();
  std::string Head() const;
  std::string Sizes() const;

  // emit_tables.cc
  std::string ParameterName(uint32_t component, uint32_t k) const;
  std::vector<std::string> FixedNames() const;
  void FindTimes();
  std::string ParameterUnit(uint32_t component, uint32_t k) const;
  std::string ParameterBounds(uint32_t component, uint32_t k) const;
  std::string HangingBounds() const;
  std::string PublicTables() const;
  std::vector<Program::Decision> Decisions() const;
  std::string Data() const;
  std::string GapData() const;
  std::string EventData() const;
  std::string Tables() const;
  std::string Blocks() const;

  // emit_steps.cc
  std::string Codes() const;
  std::string StepFunctions(std::string_view name, bool tangents) const;
  std::string StepText(const Step& step, char array, std::string_view function) const;
  std::string Steps() const;
  std::string RunOptions() const;

  struct Settable {  // a parameter that is read
    uint32_t component, number, at;
  };
  const Program& program_;
  const SortedSystem& sorted_;
  const EquationSystem& system_;
  const std::vector<StartEntry>& starts_;
  const EmitOptions& options_;
  ProgramRun run_;
  Events events_;
  std::set<std::string> features_;                                  // of the runtime: see RuntimeText
  std::vector<bool> called_, in_kernel_, in_block_, read_, times_;  // codes; parameters
  std::vector<Settable> settable_;
  std::vector<double> corners_;
  std::vector<uint32_t> dead_blocks_, held_;
  std::vector<size_t> work_, order_;  // by block, + 1: where its numbers begin
  JacobianPattern pattern_, gaps_;
  std::vector<uint32_t> gap_slots_, watched_blocks_;
  std::vector<size_t> gap_kept_;   // by gap: whether it is of a kept constraint
  std::vector<size_t> gap_below_;  // by gap: the one whose rate it is; their number: of none
  GapOrder gap_order_;
  uint32_t give_ = UINT32_MAX;
};

}  // namespace cotree
