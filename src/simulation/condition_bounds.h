// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "program/enclosure.h"
#include "program/run_program.h"

namespace cotree {

/** How far conditions can go within a stretch of a step, and whether a few looks tell their course there.

Enclosures of states and time are carried through the explicit equations to the conditions. Unknowns of
blocks, results of foreign code and what is delayed are known from three samples; how much they can turn is
what their arguments can. Only conditions with a function on the way that can turn (a sine, an exponential, a
root, a table, a divisor that moves) are kept: the others are as smooth as the states.

Theory: docs/theory/events.md, EV.11. */
class ConditionBounds {
 public:
  explicit ConditionBounds(const Program& program);

  bool none() const { return relations_.empty(); }
  /// The numbers of the states that are read; slots that are known by samples only.
  const std::vector<uint32_t>& states() const { return states_; }
  const std::vector<uint32_t>& sampled() const { return sampled_; }

  /** Values at the beginning, in the middle and at the end of a stretch. */
  struct Samples {
    double begin, end;
    std::array<std::vector<double>, 3> states, sampled;
  };
  /// Whether a condition may turn more often than three looks tell, and may change within the stretch. `run`
  /// has what is held.
  bool MayHide(const Samples& samples, const ProgramRun& run);
  /// How much the conditions can turn within a stretch; enclosures are those of the last MayHide.
  double MostPhase() const { return most_phase_; }

 private:
  struct Item {
    uint32_t code;
    uint32_t first_local, parameters;
    uint32_t first_target;  // in `targets_`: one a result
  };
  struct Sum {
    uint32_t target, first, count;
  };
  struct Join {  // of samples: what turns in the arguments turns in the results
    std::vector<uint32_t> results, arguments;
  };
  struct Step {
    enum class Kind : uint8_t { kItem, kSum, kJoin } kind;
    uint32_t index;
  };
  struct Watched {
    uint32_t relation;
    Item item;
  };
  void FindSteps();
  uint32_t Place(uint32_t slot);
  std::vector<uint32_t> ReadBy(const ImplicitBlock& block) const;

  const Program& program_;
  std::vector<Step> steps_;
  std::vector<Item> items_;
  std::vector<Sum> sums_;
  std::vector<Join> joins_;
  std::vector<uint32_t> locals_, targets_;          // places
  std::vector<std::pair<uint32_t, int32_t>> sum_entries_;  // place, sign
  std::vector<uint32_t> place_of_slot_;
  std::vector<uint32_t> states_, state_places_, sampled_, sampled_places_;
  std::vector<std::pair<uint32_t, uint32_t>> held_;  // slot, place: constant between events
  std::vector<Watched> relations_;
  std::vector<Enclosure> places_, registers_;
  double most_phase_ = 0;
};

struct SimulationOptions;
/// How many looks in a run find conditions that turn with the time, states being what they are at the start: 500 at
/// least, 1e7 at most. For methods with fixed steps and emitted programs.
double FixedLooks(const Program& program, const ProgramRun& run, const SimulationOptions& options);

}  // namespace cotree
