// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "program/evaluate_fused.h"
#include "simulation/initialize.h"
#include "software_component/software_component.h"

namespace cotree {

/// Theory: docs/theory/numerics.md, NU.2 (NU.2a), NU.3 (NU.3a); residual form: docs/theory/program.md, PR.9a.
enum class Method : uint8_t {
  kBdf,            // backward differentiation, analytic sparse Jacobian
  kIda,            // IDA, likewise, together with the unknowns of implicit blocks: residual form
  kExplicit,       // explicit Runge-Kutta of order 5 (Dormand and Prince)
  kAutomatic,      // explicit as long as stability does not limit its steps, otherwise BDF
  kEuler,          // fixed steps, for real time: first,
  kHeun,           // second
  kRungeKutta4,    // and fourth order
  kImplicitEuler,  // and linearly implicit, for stiff systems
};

/// "auto", "bdf", "erk", ...: as users write them; automatic for any other word.
std::string_view MethodName(Method method);
Method MethodOf(std::string_view name);

class LaneBatch;

struct SimulationOptions {
  double start = 0, stop = 1;
  double interval = 0;  // of the output; 0: a 500th of the run
  double rtol = 1e-6;   // docs/theory/numerics.md, NU.4: (NU.4a), (NU.4b); program.md, (PR.7a)
  /// States (slots) whose size is known: errors below rtol times this size are none.
  std::vector<std::pair<uint32_t, double>> scales;
  double step = 0;         // of the methods with fixed steps; 0: `interval`
  double max_step = 0;     // 0: a 100th of the run, so that no pulse of an input is stepped over unseen
  double max_time = 0;     // of computing, in seconds by the clock; 0: as long as it takes
  uint64_t max_steps = 0;  // 0: any number
  Method method = Method::kAutomatic;
  ProgramTier tier = ProgramTier::kAutomatic;
  bool steady = false;
  /// Called now and then with the time reached; false stops the run.
  std::function<bool(double time)> progress;
  /// Takes each row (values by slot in `slots`) instead of keeping it in the trajectory; false stops the run.
  std::function<bool(double time, std::span<const double> values)> row;
  /// Takes everything as it is at `stop`, before terminal events; not called where the run ends earlier.
  std::function<void(double time, ProgramRun& run)> at_stop;
  bool every_step = false;  // rows at the ends of all steps, too
  /** Which of `slots` are watched between rows, by their places. Where steps are shorter than the interval,
  the ends of steps are looked at; what is larger than both rows around it, or smaller, is given before the
  second of them (docs/manual/results.md). */
  std::vector<uint32_t> watched;
  /// Takes an extreme (place in `slots`) instead of keeping it in the trajectory.
  std::function<void(uint32_t column, double time, double value)> extreme;
  /// Takes what happens, in words.
  std::function<void(double time, const std::string& what)> event;

  /** Every run begins its methods anew at these many times, evenly spaced (with fixed steps: at the ends of
  steps behind them), so that one that is resumed there gives the same bits (docs/theory/events.md, EV.8;
  numerics.md, NU.10). */
  uint32_t checkpoints = 20;
  /// Takes everything that a run needs to go on from a time.
  std::function<void(double time, uint64_t rows, const std::string& state)> checkpoint;
  ComponentOptions components;  // how foreign code is run
  LaneBatch* lanes = nullptr;   // of runs that go together (lanes.h)
  std::string resume;           // a state to go on from, instead of the beginning
};

/** What a run gave. Rows at the output times, and two at each event: before and after. */
struct Trajectory {
  std::vector<uint32_t> slots;  // what the columns are
  std::vector<double> times;
  std::vector<std::vector<double>> columns;  // by slot in `slots`, then row
  struct Extreme {
    uint32_t column;
    double time, value;
  };
  std::vector<Extreme> extremes;  // between rows, of what is watched

  bool ok = true;
  bool foreign = false;            // foreign code failed
  std::vector<std::string> notes;  // what foreign code did and was put right
  bool stopped = false;            // by `progress`, or in the middle of a call of foreign code
  std::string problem;             // what went wrong, with the time; what was computed so far is kept
  Initialization initialization;
  std::string method;       // what integrated, and why
  std::string program;      // what computed the derivatives
  std::string stop_reason;  // of stop("reason"): the model ended the run
  uint64_t steps = 0, evaluations = 0, jacobians = 0, iterations = 0, events = 0;
  std::vector<double> switch_times;  // known before
  std::vector<double> event_times;   // at which something happened: conditions, samples
};

/// `slots`: what to record; empty: everything that belongs to a component.
/// Theory: docs/theory/numerics.md, NU.1, NU.7, NU.11; events without end: docs/theory/events.md, EV.7a.
Trajectory Simulate(const Program& program, const std::vector<StartEntry>& starts,
                    const SimulationOptions& options, std::vector<uint32_t> slots = {});

/// What rounding and tolerances of times go by: the time reached. The length of a run tells nothing about how
/// fast things are in it; a billionth of it stands for the rounding of times that are found from its ends.
/// Theory: docs/theory/numerics.md, NU.5.
double UnitOfTime(double time, double start, double stop);

/// Times in (start, stop] at which something is known to switch: steps, ramps, knots of tables.
/// Where there are very many, only those up to `until`, if that is asked for.
/// Theory: docs/theory/program.md, PR.5.
std::vector<double> KnownSwitchTimes(const Program& program, double start, double stop,
                                     double* until = nullptr);
/// Where the start arrives through delays, or one after another: what is delayed was constant before, and has a
/// corner there if it moves at the start. At the present values, with delays that have begun.
std::vector<double> FindDelayedCorners(ProgramRun& run, const Program& program, double start);
/// Into how many parts a run must be cut so that a scan finds them: for emitted programs, which cannot
/// enclose.
size_t SwitchSamples(const Program& program, double start, double stop);
/// The time at which conditions on the time are asked at the very end of a run: the end itself, as the text
/// says, or right behind it where something is late by rounding (0.1*3 s at 0.3 s).
double EndMoment(const Program& program, double start, double stop);

/** Which states each derivative depends on, and columns that can be differentiated together. With open blocks
their unknowns are further columns behind the states, their rows further rows behind the derivatives;
`diagonal`: the entry of each state in the row of its own derivative is there in any case.

Theory: docs/theory/numerics.md, NU.6 (NU.6a). */
struct JacobianPattern {
  std::vector<std::vector<uint32_t>> rows_of_column;
  std::vector<uint32_t> colour_of_column;
  uint32_t colours = 0;
  size_t entries = 0;
};
JacobianPattern FindJacobianPattern(const Program& program, std::span<const uint32_t> open = {},
                                    bool diagonal = false);
/// The same for any slots as rows, by states.
JacobianPattern FindPatternOf(const Program& program, std::span<const uint32_t> slots);
/// The implicit blocks that residual form leaves open: those whose matrix changes, of so many unknowns or
/// more.
std::vector<uint32_t> BlocksToOpen(const Program& program, size_t least);

class Projection;
class ErrorScale;

/** An integrator between two switching times. What must stay zero is made so after each step (`projection`,
none: nothing must).

Theory: docs/theory/numerics.md, NU.1 (NU.1a), NU.5 (NU.5b); docs/theory/program.md, PR.7, PR.9. */
class Integrator {
 public:
  virtual ~Integrator() = default;
  /// Starts anew at a time with the states of `run`.
  virtual bool Restart(double time, double stop) = 0;
  /// Goes on to another stop time.
  virtual bool Continue(double stop) = 0;
  /// One step towards the stop time; the time reached.
  virtual bool Step(double* time) = 0;
  /// The states at a time within the last step, into the values of the run.
  virtual bool Interpolate(double time) = 0;
  /// Takes the last step again, so that it ends at another time, not beyond where it ended at first; false: it
  /// cannot, and stays as it was.
  virtual bool EndStepAt(double) { return false; }
  /// Only some states, given by their places in the order of `fused()`, into `states` at these places.
  virtual bool InterpolateSome(double, std::span<const uint32_t>, double*) { return false; }
  /// What it evaluates, where that is a fused program.
  virtual const FusedProgram* fused() const { return nullptr; }
  virtual std::string problem() const = 0;
  /// Forgets all but the tolerances it found: what follows depends on the states alone.
  virtual void Forget() {}
  /// All that its future depends on; where `resumes()`, a run goes on from there without a restart.
  virtual void Exchange(Archive&) {}
  virtual bool resumes() const { return false; }
  /// What it did, for the summary: "explicit Runge-Kutta, BDF from 0.3 s on: ...".
  virtual std::string Description() const = 0;
  uint64_t steps = 0, jacobians = 0, iterations = 0;  // of Newton's method
  /// What computed the derivatives, for the summary.
  virtual std::string ProgramText() const { return {}; }
  /// How errors are measured: a method that takes over goes on with it.
  virtual ErrorScale* error_scale() { return nullptr; }
  /// An estimate of the fastest rate along the last steps, from its stages or its Jacobian; 0: none.
  virtual double FastestRate() { return 0; }
};
/// No step is longer: a step reads the past of a delay up to its own beginning at most.
/// Theory: docs/theory/numerics.md, NU.5a; docs/theory/events.md, EV.9.
double LargestStep(const ProgramRun& run, const SimulationOptions& options);
std::unique_ptr<Integrator> MakeFixedStep(ProgramRun& run, const Program& program,
                                          const SimulationOptions& options, Projection* projection);
/// The length of fixed steps: as told, or else the interval of the output.
double FixedStepOf(const SimulationOptions& options);
/// Why fixed steps are too long for the delays of a run that has begun; empty: they are not. Euler's method
/// asks for nothing behind the beginning of a step.
std::string FixedStepProblem(const ProgramRun& run, const Program& program, const SimulationOptions& options);
/// From so many unknowns on, an implicit block is solved together with the step: see bench/residual_bench.cc.
constexpr size_t kLargeBlock = 100;
std::unique_ptr<Integrator> MakeRungeKutta(ProgramRun& run, const Program& program,
                                           const SimulationOptions& options, Projection* projection);
std::unique_ptr<Integrator> MakeBackwardDifferences(ProgramRun& run, const Program& program,
                                                    const SimulationOptions& options, Projection* projection);
std::unique_ptr<Integrator> MakeIda(ProgramRun& run, const Program& program, const SimulationOptions& options,
                                    Projection* projection);
std::unique_ptr<Integrator> MakeIntegrator(ProgramRun& run, const Program& program,
                                           const SimulationOptions& options, Projection* projection);

}  // namespace cotree
