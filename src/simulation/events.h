// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "simulation/external_components.h"
#include "simulation/initialize.h"
#include "simulation/projection.h"

namespace cotree {

/// Slots of Integers, which are counted exactly below 2^53 only.
std::vector<uint32_t> FindIntegers(const Program& program);

/** What happens at events (design §3.11, docs/theory/events.md, EV.3 to EV.7, EV.6a, EV.14).

Between events all conditions on the motion keep the values they had, so that everything is smooth; discrete
variables are constant. At an event, round after round: conditions take their values at the present motion;
`when`s whose condition became true act, all of a round together, until what they set and what is computed
from it agree; then pre(x) becomes x. The event is over when a round changes nothing. */
class Events {
 public:
  Events(ProgramRun& run, const Program& program, ExternalComponents* external = nullptr);

  /// Everything at the beginning: states from start values and initial equations, conditions, and what
  /// happens at once (`initial()`, samples at the start).
  Initialization Begin(const std::vector<StartEntry>& starts, const InitializeOptions& options);

  /** Why an event happens, besides conditions. */
  struct Cause {
    bool samples = false;   // clocks that tick at this time
    bool terminal = false;  // the end of the run
    bool force = false;     // conditions that rounding leaves undecided keep their values
    bool stands = true;     // what some share of the loads holds stands, though it could also slide
  };
  /// Carries out an event at the present states; false: it has no end, or something cannot be computed
  /// (`problem`).
  bool Settle(double time, Cause cause);

  /// Whether a condition differs from what is held, or is undefined, at the present values (after Run).
  bool Crossed(double time);
  /// Whether the last look found a condition that compares something with no number, and something depends on
  /// its truth: there is no right one. `problem` says which.
  bool FindUndefined(double time);
  bool undefined() const { return !undefined_.empty(); }
  /// Of a condition that compares something with no number, at the present values.
  std::string UndefinedText(const Program::Bound& bound, double time) const;
  /// What no variable can be at the present values: not finite, or an integer that is not counted exactly; or
  /// a condition that is undefined. Empty: all is well.
  std::string FindNoValue(double time);
  /** A condition that differs, with the value its code gave: zero where it switches. */
  struct Crossing {
    uint32_t relation;
    double value, level;  // level: where it switches
  };
  const std::vector<Crossing>& crossings() const { return crossings_; }
  /// What the codes of all relations gave at the last look.
  const std::vector<double>& looked() const { return looked_; }
  /// Those that the last event brought up to date.
  const std::vector<Crossing>& updated() const { return updated_; }
  /// Conditions that crossed at the last event though they are zero but for rounding keep their values until
  /// they differ clearly. How large rounding is, is measured: see `noise_`.
  void BlockUndecided(double time);
  /// The distance of a relation from where it switches.
  double Distance(const Crossing& c, double time);

  /// The next tick behind a time, whether those until then were carried out or not; infinity: none.
  double NextTick(double after) const;
  /// The violated assertion with its component, if there is one.
  std::optional<std::string> Violated(double time);

  /// What the last event did.
  bool changed() const { return changed_; }  // what is computed between events: the integrator must restart
  const std::vector<uint32_t>& fired() const { return fired_; }           // `when`s
  const std::optional<std::string>& stopped() const { return stopped_; }  // by stop("reason")
  const std::string& problem() const { return problem_; }
  bool foreign() const { return foreign_ || run_.failure().foreign; }  // the problem is one of foreign code
  /// Settle found no values for the conditions and did nothing else: a little later they may differ clearly.
  bool undecided() const { return undecided_; }
  /// Whether the last event met loads that are shared: the mode it found may hold at this very moment only.
  bool stood() const { return stood_; }  // by Cause::stands
  bool shared() const { return bore_ || run_.least_solutions != least_before_; }
  /// What is remembered (see below), to try an event again.
  struct Memory {
    std::vector<double> clocks, largest, noise;
    std::vector<uint8_t> conditions, blocked, borne;
  };
  Memory Remember() const;
  void Recall(const Memory& memory);
  /// Components whose conditions changed in the last rounds, for messages: "`relay` and `plant`".
  std::string Names(const std::vector<uint32_t>& relations, const std::vector<uint32_t>& whens) const;

  /** A clock: ticks at start + k*period. */
  struct ClockState {
    double start = 0, period = 0;
    double next = 0;  // number of the next tick
  };
  /// What events remember between them, besides values: clocks; by `when`, whether its condition holds; by
  /// relation, how large it was, how large rounding is, and whether it waits to differ clearly.
  const std::vector<ClockState>& clocks() const { return clocks_; }
  const std::vector<uint8_t>& conditions() const { return conditions_; }
  const std::vector<double>& largest() const { return largest_; }
  const std::vector<double>& noise() const { return noise_; }
  const std::vector<uint8_t>& blocked() const { return blocked_; }
  const std::vector<uint8_t>& borne() const { return borne_; }

  uint64_t count = 0;  // of events
  void Exchange(Archive& archive);

 private:
  bool IsSmall(uint32_t relation, double x, double level) const;
  bool Matters(uint32_t relation, double time);
  bool IsUndecided(const Program::Bound& bound, double time) const;
  double Held(const Program::Relation& r, double x) const;
  bool Reads(const Program::Bound& bound, const std::vector<uint32_t>& slots) const;
  bool AgreesButForRounding();
  bool IsHeldByOthers(uint32_t relation, double time);
  bool LetsGo(double time);
  void FindBorne(double time);
  bool ActsWithout(double time, const std::vector<uint32_t>& switched);
  std::vector<uint8_t> FindWhensThatHold(double time);
  bool UpdateRelations(double time, bool one_only, std::vector<uint32_t>& changed);
  std::vector<uint32_t> Candidates(const std::vector<uint32_t>& switched, bool all) const;
  bool SearchModes(double time, bool clearly, const std::vector<double>& before,
                   const std::vector<uint32_t>& switched, const std::function<bool()>& compute,
                   bool standing = false);
  bool WalkToMode(double time, const std::vector<double>& base, const std::function<bool()>& compute);
  bool Sweep(double time, const std::vector<uint32_t>& active);
  bool FindActive(double time, std::vector<uint32_t>& active);
  bool SettleRounds(double time, Cause cause);
  void FindHolding(double time);
  std::string NoStartText(const std::vector<uint32_t>& delays) const;
  bool FindDelayed(Initializer& initializer, double time);
  bool Reinit(double time, const std::vector<uint32_t>& active);
  void HoldTargets(double time, const std::vector<uint32_t>& active);
  double BeforeStart(const Program::Delay& delay, double time);
  std::string ImpulseText(const Program::Delay& delay) const;
  bool TakePre();
  bool StepContinuous(double time);
  void SetTicks(double time, bool tick);

  ProgramRun& run_;
  const Program& program_;
  std::optional<HeldAtZero> held_at_zero_;  // for jumps
  ExternalComponents* external_;
  std::vector<ClockState> clocks_;
  std::vector<uint8_t> conditions_;  // of `when`s, at the last event
  std::vector<uint32_t> undefined_;  // relations without a number at the last look
  std::vector<uint32_t> integers_;   // slots of Integers
  std::vector<uint8_t> fragile_;     // by code: it compares what may be no number
  std::vector<Crossing> crossings_, updated_;
  std::vector<double> looked_;
  void MeasureNoise(double time);
  std::vector<double> largest_;  // |x| of each relation so far
  /// By how much x changed with the last digits of states and time, for those that were undecided. A
  /// condition may be zero for ever (a diode between two places that a transformer holds at one potential):
  /// its own size says nothing then.
  std::vector<double> noise_;
  std::vector<uint8_t> blocked_;     // by relation: undecided, see BlockUndecided
  uint64_t least_before_ = 0;        // singular blocks solved before this event
  std::vector<double> mode_before_;  // of relations, before this round of an event
  std::vector<double> first_looked_;  // what their codes gave when it began
  std::vector<uint8_t> borne_;       // by relation: its component bears its limit and stands still (EV.6a)
  std::vector<uint32_t> fired_;
  std::optional<std::string> stopped_;
  std::string problem_;
  bool changed_ = false, undecided_ = false, foreign_ = false;
  bool bore_ = false;   // before the last event something bore its limit
  bool stood_ = false;  // it could have begun to slide at the last event
};

}  // namespace cotree
