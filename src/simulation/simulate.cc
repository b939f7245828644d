// SPDX-License-Identifier: Apache-2.0
#include "simulation/simulate.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <queue>
#include <set>

#include "base/stages.h"
#include "block_triangular/diagnose_order.h"
#include "program/evaluate_fused.h"
#include "program/not_finite.h"
#include "simulation/condition_bounds.h"
#include "simulation/error_scale.h"
#include "simulation/events.h"
#include "simulation/growth.h"
#include "simulation/projection.h"
#include "simulation/refined_states.h"
#include "simulation/vector_operations.h"
#include "simulation/watch_bounds.h"

namespace cotree {
namespace {

std::string TimeText(double time) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g s", time);
  return text;
}

/* Everything that belongs to a component: not the sums. */
std::vector<uint32_t> AllSlots(const Program& program) {
  const SortedSystem& sorted = *program.sorted;
  std::vector<uint32_t> slots;
  for (uint32_t slot = 0; slot < sorted.first_slot[sorted.system->part_variables]; ++slot)
    slots.push_back(slot);
  return slots;
}

/* Notices runs that are longer than allowed, and those that get nowhere. */
class Pace {
 public:
  explicit Pace(const SimulationOptions& options) : options_(options) {}
  /// A step that ends at this time; what to say if it was one too many.
  std::string Add(double time) {
    ++steps_;
    if (options_.max_steps > 0 && steps_ >= options_.max_steps && time < options_.stop)
      return fmt::format("the most steps that are allowed, {}, end the run", options_.max_steps);
    // The clock is asked now and then only.
    if (options_.max_time > 0 && (steps_ % 16 == 0 || steps_ < 16)) {
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
      if (spent.count() > options_.max_time && time < options_.stop)
        return fmt::format("the longest computing time that is allowed, {:g} s, ends the run after {} steps",
                           options_.max_time, steps_);
    }
    // At the pace of the last steps: how many until twice the time, or the end?
    constexpr uint64_t kStretch = 200'000;
    constexpr double kMost = 1e10;
    if (steps_ % kStretch != 0) return {};
    const double rest = std::min(options_.stop - time, time - options_.start);
    const double more = rest / (time - last_) * static_cast<double>(kStretch);
    const double step = (time - last_) / static_cast<double>(kStretch);
    last_ = time;
    if (!(more > kMost)) return {};
    return fmt::format("the run gets nowhere: the last {} steps were {:.2g} s long on average", kStretch,
                       step);
  }

 private:
  const SimulationOptions& options_;
  uint64_t steps_ = 0;
  double last_ = -INFINITY;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/* Notices events that follow each other without end: ever faster (Zeno), or at the limit of the numbers. */
class EventWatch {
 public:
  EventWatch(double start, double stop) : start_(start), stop_(stop), duration_(stop - start) {}
  /// An event that changed something; what to say if it is one too many.
  std::string Add(double time) {
    const double gap = time - last_;
    last_ = time;
    const double ratio = gap / before_;
    shrinking_ = ratio < 1 ? shrinking_ + 1 : 0;
    const double unit = UnitOfTime(time, start_, stop_);
    tiny_ = gap <= 1e-10 * unit ? tiny_ + 1 : 0;
    crowded_ = gap <= 1e-10 * duration_ ? crowded_ + 1 : 0;
    before_ = gap;
    if (shrinking_ >= 10 && gap < 1e-5 * unit)
      return "infinitely many events in a finite time (Zeno): they follow each other ever faster, towards " +
             TimeText(time + gap * ratio / (1 - ratio));
    if (tiny_ >= 300 || crowded_ >= 30000)
      return "chattering: event follows event with next to no time in between";
    return {};
  }

  void Exchange(Archive& archive) {
    for (double* x : {&last_, &before_, &last_crossing_}) archive.Number(*x);
    for (int* x : {&shrinking_, &tiny_, &crowded_, &close_}) archive.Number(*x);
  }
  /// Any crossing, whether it changed something or not: true if many come with next to no time in between.
  bool Dense(double time) {
    close_ = time - last_crossing_ <= 1e-6 * duration_ ? close_ + 1 : 0;
    last_crossing_ = time;
    return close_ >= 10;
  }

 private:
  double start_, stop_, duration_, last_ = -INFINITY, before_ = INFINITY, last_crossing_ = -INFINITY;
  int shrinking_ = 0, tiny_ = 0, crowded_ = 0, close_ = 0;
};

/** Whether constraints keep determining the motion (docs/theory/events.md, EV.10).

Where a constraint is nonlinear, the choice of states holds as long as the matrix of the block that it is
solved in stays regular. At a dead centre (a crank in line with its rod) its determinant becomes zero. The
integrator steps over that: behind it the determinant has the other sign, or, where the iteration fell back on
the solution it came from, rises again though it was to change sign. Both are looked for in each step. At an
event the block may get another matrix: its determinant is compared with that of its own mode only. An error e
of the states leaves a rest of the order of sqrt(2*e) of the determinant where it should be zero (the
constraint has a fold there): what is below that counts as zero. */
class DeadCentres {
 public:
  DeadCentres(ProgramRun& run, const Program& program, double rtol)
      : run_(run), program_(program), zero_(std::log(std::max(1e-5, std::sqrt(20 * rtol)))) {
    const SortedSystem& sorted = *program.sorted;
    for (uint32_t b = 0; b < program.blocks.size(); ++b) {
      if (program.blocks[b].kind == BlockKind::kLinearConstant) continue;
      for (const uint32_t k : sorted.Block(program.blocks[b].block)) {
        if (sorted.offsets.equation[sorted.equations[k].equation] == 0) continue;
        blocks_.push_back(b);
        break;
      }
    }
    largest_.assign(blocks_.size(), -INFINITY);
    falling_.assign(blocks_.size(), 0);
    last_.assign(blocks_.size(), NAN);
    last_sign_.assign(blocks_.size(), 0);
    close_.assign(blocks_.size(), 0);
  }
  bool none() const { return blocks_.empty(); }
  /// An event changed what is held: blocks may have other matrices from here on.
  void BeginMode() { mode_begins_ = true; }
  /// A block that is close to a dead centre or could not be solved, if there is one.
  std::optional<uint32_t> Close() const {
    for (size_t k = 0; k < blocks_.size(); ++k) {
      const LinearSolver::Determinant now = run_.Determinant(blocks_[k]);
      const bool close = now.sign != 0 && now.log < largest_[k] + std::log(1e-3);
      if (close || program_.blocks[blocks_[k]].block == run_.failure().block) return blocks_[k];
    }
    return std::nullopt;
  }

  /// The first block with a dead centre in (from, to), and where; `move` computes everything at a time.
  template <class Move>
  std::optional<std::pair<uint32_t, double>> Find(double from, double to, Move&& move) {
    const auto at = [&](double time) {
      std::vector<LinearSolver::Determinant> out;
      if (!move(time)) return out;
      for (const uint32_t b : blocks_) out.push_back(run_.Determinant(b));
      return out;
    };
    const double little = kLittle * (to - from);
    auto a = at(from);
    const auto a2 = at(from + little), b2 = at(to - little), b = at(to);
    if (a.empty() || a2.empty() || b2.empty() || b.empty()) return std::nullopt;
    const bool mode_begins = mode_begins_;
    mode_begins_ = false;
    for (size_t k = 0; k < blocks_.size(); ++k) {
      if (a[k].sign == 0 || b[k].sign == 0) {  // shared loads: no matrix of full rank
        last_[k] = NAN;
        continue;
      }
      // Close to zero a determinant is known to a few digits only.
      const bool small = std::max(a[k].log, last_[k]) < largest_[k] + zero_;
      const bool same = a[k].sign == last_sign_[k] && std::fabs(a[k].log - last_[k]) < 1e-6;
      if (std::isnan(last_[k]) || (mode_begins && !small && !same)) {  // another matrix
        largest_[k] = -INFINITY;
        falling_[k] = 0;
        close_[k] = 0;
      } else {
        a[k].sign = last_sign_[k];  // looking back from behind a dead centre finds the other solution
      }
      last_[k] = b[k].log;
      last_sign_[k] = b[k].sign;
      largest_[k] = std::max({largest_[k], a[k].log, b[k].log});
      const bool changed = a[k].sign * b[k].sign < 0;
      const bool falls = a2[k].log < a[k].log, rises = b2[k].log < b[k].log;
      const bool turned_before = falling_[k] != 0 && !falls;
      falling_[k] = b[k].log < b2[k].log ? 1 : 0;
      double least = turned_before ? a[k].log : largest_[k], low = from, high = to;
      // Nested intervals around the change of sign, or around the least size.
      for (int turn = 0; turn < 40 && (changed || (falls && rises)); ++turn) {
        const double middle = low + (high - low) / 2;
        const auto m = at(middle), next = changed ? m : at(middle + kLittle * (high - low));
        if (m.empty() || next.empty()) break;
        least = std::min(least, m[k].log);
        (changed ? m[k].sign == a[k].sign : next[k].log < m[k].log) ? low = middle : high = middle;
      }
      // A motion that creeps towards it does not pass it either.
      close_[k] = b[k].log < largest_[k] + zero_ ? close_[k] + 1 : 0;
      constexpr int kCreeps = 30;
      if (changed || least < largest_[k] + zero_ || close_[k] >= kCreeps) return std::pair(blocks_[k], low);
    }
    return std::nullopt;
  }

 private:
  static constexpr double kLittle = 1e-3;
  ProgramRun& run_;
  const Program& program_;
  bool mode_begins_ = false;
  double zero_;  // the logarithm of what counts as zero, relative to the largest
  std::vector<uint32_t> blocks_;
  std::vector<double> largest_;   // of the determinants, their logarithms
  std::vector<uint8_t> falling_;  // at the end of the last step
  std::vector<double> last_;      // the logarithms there,
  std::vector<int> last_sign_;    // and signs
  std::vector<int> close_;        // steps in a row that ended close to zero
};

/** What variables were between two rows, as far as it was looked at: theirs smallest and largest values. */
struct Between {
  std::vector<double> last;  // in the row before
  std::vector<double> low, high, low_time, high_time;
  bool any = false;

  void Resize(size_t count) {
    for (auto* x : {&last, &low, &high, &low_time, &high_time}) x->assign(count, NAN);
    any = false;
  }
  void Add(size_t k, double time, double value) {
    any = true;
    if (!(low[k] <= value)) {
      low[k] = value;
      low_time[k] = time;
    }
    if (!(high[k] >= value)) {
      high[k] = value;
      high_time[k] = time;
    }
  }
  /// A row ends it: what is beyond both rows by more than the tolerance is given.
  template <class Give>
  void Take(const std::vector<uint32_t>& columns, const std::vector<double>& row, double rtol, Give&& give) {
    for (size_t k = 0; k < columns.size(); ++k) {
      const double now = row[columns[k]];
      if (any) {
        const double size =
            rtol * std::max({std::fabs(low[k]), std::fabs(high[k]), std::fabs(now), std::fabs(last[k])});
        const bool below =
            low[k]<std::min(now, last[k]) - size, above = high[k]> std::max(now, last[k]) + size;
        if (below && low_time[k] <= high_time[k]) give(columns[k], low_time[k], low[k]);
        if (above) give(columns[k], high_time[k], high[k]);
        if (below && low_time[k] > high_time[k]) give(columns[k], low_time[k], low[k]);
        low[k] = high[k] = NAN;
      }
      last[k] = now;
    }
    any = false;
  }
  void Exchange(Archive& archive) {
    for (auto* x : {&last, &low, &high, &low_time, &high_time}) archive.Numbers(*x);
    archive.Number(any);
  }
};

}  // namespace

std::vector<double> FindDelayedCorners(ProgramRun& run, const Program& program, double start) {
  std::vector<double> out;
  if (program.delays.empty()) return out;
  for (const uint32_t slot : program.input_slots) run.tangents[slot] = 0;
  for (size_t k = 0; k < program.state_slots.size(); ++k)
    run.tangents[program.state_slots[k]] = run.values[program.derivative_slots[k]];
  for (const Program::Delay& delay : program.delays) run.tangents[delay.slot] = 0;
  run.RunTangent(start, 1);
  std::vector<double> first;
  for (size_t d = 0; d < program.delays.size(); ++d) {
    if (run.ComputeTangent(program.delays[d], start, 1) != 0) first.push_back(run.delay_lines[d].delay);
  }
  constexpr size_t kMost = 1000;
  std::vector<double> all = first;
  for (size_t k = 0; k < first.size() && first.size() * program.delays.size() <= kMost; ++k) {
    for (const DelayLine& line : run.delay_lines) all.push_back(first[k] + line.delay);
  }
  for (const double delay : all) out.push_back(start + delay);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

namespace {

class Simulator {
 public:
  Simulator(const Program& program, const SimulationOptions& options, std::vector<uint32_t> slots)
      : program_(program),
        options_(options),
        run_(program),
        external_(run_, program, options.components),
        events_(run_, program, &external_),
        watch_(options.start, options.stop),
        pace_(options),
        dead_centres_(run_, program, options.rtol),
        projection_(run_, program),
        refinement_(run_, program),
        guard_(FindFiniteGuard(program)) {
    out_.slots = slots.empty() ? AllSlots(program) : std::move(slots);
    out_.columns.resize(out_.slots.size());
    between_.Resize(options.watched.size());
    for (const uint32_t column : options.watched) between_slots_.push_back(out_.slots[column]);
    bounds_.emplace(program, out_.slots);
    growth_.Begin(out_.slots.size(), (options.start + options.stop) / 2);
  }

  Trajectory Run(const std::vector<StartEntry>& starts) {
    if (!program_.unsupported.empty())
      return Refused(
          "before it began: " + program_.unsupported.front() + " cannot be computed in this version", false);
    if (!external_.Load()) return Refused("before it began: " + external_.problem(), true);
    FindKnots(options_.start);
    interval_ = options_.interval > 0 ? options_.interval : (options_.stop - options_.start) / 500;
    double time = options_.start;
    if (options_.resume.empty()) {
      run_.switch_time = (options_.start + (knots_.empty() ? options_.stop : knots_.front())) / 2;
      out_.initialization = events_.Begin(starts, {options_.start, options_.steady});
      EndStage("start");
      if (!out_.initialization.ok)
        return Refused("at the start: " + out_.initialization.problem, events_.foreign());
      if (std::string problem = NoValueAt(options_.start); !problem.empty())
        return Refused("at the start: " + problem, false);
      const std::string too_long = FixedStepProblem(run_, program_, options_);
      if (!too_long.empty()) return Refused("at the start: " + too_long, false);
      if (std::string endless = TooManySteps(); !endless.empty())
        return Refused("at the start: " + endless, false);
      NoteResolution();
      corners_ = FindDelayedCorners(run_, program_, options_.start);
      for (const DelayLine& line : run_.delay_lines) {
        if (line.last_value() != line.before()) delayed_.push(options_.start + line.delay);
      }
      integrator_ = MakeIntegrator(run_, program_, options_, projection_.empty() ? nullptr : &projection_);
      EndStage("fuse");
      if (Record(time) && !(events_.stopped() && !EndByModel(time)) && CheckAssertions(time)) Integrate(time);
    } else {
      integrator_ = MakeIntegrator(run_, program_, options_, projection_.empty() ? nullptr : &projection_);
      Archive archive(options_.resume);
      if (!Exchange(archive, time)) return Refused("before it began: " + external_.problem(), true);
      if (!archive.ok() || !archive.AtEnd() || run_.values.size() != program_.slots)
        return Refused("before it began: the checkpoint does not belong to this model, or is damaged", false);
      Integrate(time);
    }
    out_.steps = integrator_->steps;
    out_.foreign = events_.foreign();
    for (std::string& note : external_.Notes()) out_.notes.push_back(std::move(note));
    for (std::string& note : projection_.Notes()) out_.notes.push_back(std::move(note));
    for (std::string& note : bounds_->Notes()) out_.notes.push_back(std::move(note));
    if (out_.ok) {
      if (std::string note = growth_.Note(program_, out_.slots); !note.empty())
        out_.notes.push_back(std::move(note));
    }
    out_.method = integrator_->Description();
    out_.program = integrator_->ProgramText();
    out_.jacobians = integrator_->jacobians;
    out_.iterations = integrator_->iterations;
    out_.evaluations = run_.evaluations;
    out_.events = events_.count;
    return std::move(out_);
  }

 private:
  // No step is longer than the shortest delay (NU.5a).
  std::string TooManySteps() const {
    constexpr double kMost = 1e8;
    if (options_.method >= Method::kEuler) return {};
    const EquationSystem& system = *program_.sorted->system;
    for (size_t d = 0; d < run_.delay_lines.size(); ++d) {
      const double delay = run_.delay_lines[d].delay, steps = (options_.stop - options_.start) / delay;
      if (!(steps > kMost)) continue;
      char numbers[120];
      std::snprintf(numbers, sizeof numbers, "%.6g s, is never shorter than a step: this run would take %.3g",
                    delay, steps);
      return "the delay of `" +
             ComponentName(*system.model, *system.graph, ComponentId(program_.delays[d].component)) + "`, " +
             numbers + " of them; leave so short a delay out, or end the run earlier (--stop)";
    }
    return {};
  }
  // Times are numbers of 16 digits from 0 on, wherever a run begins.
  void NoteResolution() {
    const double latest = std::max(std::fabs(options_.start), std::fabs(options_.stop));
    const double spacing = std::nextafter(latest, INFINITY) - latest;
    const double span = options_.stop - options_.start;
    if (spacing <= 1e-9 * std::min(span, interval_)) return;
    char text[240];
    std::snprintf(
        text, sizeof text,
        "at %.6g s times are known to %.2g s only, that is %.2g of the run and %.2g of the interval "
        "of the output; let the run begin at 0 s",
        latest, spacing, spacing / span, spacing / interval_);
    out_.notes.push_back(text);
  }
  Trajectory Refused(std::string problem, bool foreign) {
    out_.ok = false;
    out_.foreign = foreign;
    out_.problem = std::move(problem);
    return std::move(out_);
  }

  /** What happens at a time that is known before. */
  struct Stop {
    double time;
    bool knot, tick, delayed, checkpoint, corner;
    bool happens() const { return knot || tick || delayed || corner; }
  };
  // What is within rounding of each other happens together.
  double Close(double time) const { return time + 1e-12 * UnitOfTime(time, options_.start, options_.stop); }
  void FindKnots(double from) {
    knots_ = KnownSwitchTimes(program_, from, options_.stop, &knots_until_);
    next_knot_ = 0;
    if (out_.switch_times.empty()) out_.switch_times = knots_;
  }
  Stop NextStop(double after) {
    const double past = after > options_.start ? Close(after) : after;
    while (past >= knots_until_ && knots_until_ < options_.stop) FindKnots(knots_until_);
    while (next_knot_ < knots_.size() && knots_[next_knot_] <= past) ++next_knot_;
    while (!delayed_.empty() && delayed_.top() <= past) delayed_.pop();
    const double knot = next_knot_ < knots_.size() ? knots_[next_knot_] : INFINITY;
    const double tick = events_.NextTick(after), delayed = delayed_.empty() ? INFINITY : delayed_.top();
    const double checkpoint = NextCheckpoint(after);
    const auto next_corner = std::upper_bound(corners_.begin(), corners_.end(), past);
    const double corner = next_corner == corners_.end() ? INFINITY : *next_corner;
    double time = std::min({knot, tick, delayed, checkpoint, corner, options_.stop});
    if (options_.stop <= Close(time)) time = options_.stop;
    return {time,
            knot <= Close(time),
            tick <= Close(time),
            delayed <= Close(time),
            checkpoint <= Close(time),
            corner <= Close(time)};
  }

  double NextCheckpoint(double after) const {
    if (options_.checkpoints == 0) return INFINITY;
    const double gap = (options_.stop - options_.start) / options_.checkpoints;
    double k = std::floor((after - options_.start) / gap) + 1;
    if (options_.start + k * gap <= Close(after)) ++k;
    return HasFixedSteps() ? NextStepEnd(k * gap, after) : options_.start + k * gap;
  }
  // Nothing but events cuts a fixed step: the first end of one that is not before a time since the start.
  double NextStepEnd(double since, double after) const {
    const double step = FixedStepOf(options_);
    double k = std::ceil(since / step * (1 - 1e-12) - 1e-9);
    if (options_.start + k * step <= Close(after)) ++k;
    return options_.start + k * step;
  }
  // All that the rest of a run depends on; false: foreign code failed to give or take its part.
  bool Exchange(Archive& archive, double& time) {
    archive.Number(time);
    archive.Numbers(run_.values);
    archive.Number(run_.switch_time);
    run_.delay_lines.resize(archive.Size(run_.delay_lines.size()));
    for (DelayLine& line : run_.delay_lines) line.Exchange(archive);
    events_.Exchange(archive);
    const bool exchanged = external_.Exchange(archive);
    integrator_->Exchange(archive);
    watch_.Exchange(archive);
    archive.Numbers(largest_of_mode_);
    archive.Number(last_short_);
    archive.Number(refines_);
    archive.Number(plain_steps_);
    archive.Number(row_);
    archive.Number(rows_);
    between_.Exchange(archive);
    if (between_.last.size() != options_.watched.size()) between_.Resize(options_.watched.size());
    archive.Number(at_stop_.time);
    for (bool* x :
         {&at_stop_.knot, &at_stop_.tick, &at_stop_.delayed, &at_stop_.checkpoint, &at_stop_.corner})
      archive.Number(*x);
    archive.Numbers(corners_);
    std::vector<double> delayed;
    for (auto copy = delayed_; !copy.empty(); copy.pop()) delayed.push_back(copy.top());
    archive.Numbers(delayed);
    delayed_ = {};
    for (const double t : delayed) delayed_.push(t);
    return exchanged;
  }
  void Checkpoint(double time) {
    run_.Forget();
    projection_.Forget();
    refinement_.Forget();
    integrator_->Forget();
    if (!options_.checkpoint) return;
    Archive archive;
    if (Exchange(archive, time)) options_.checkpoint(time, rows_, archive.bytes());
  }

  void Integrate(double time) {
    bool restart = true, located = false;
    while (time < options_.stop) {
      Stop stop = NextStop(time);
      run_.switch_time = time + (stop.time - time) / 2;
      if (located)
        restart = true;
      else if (time > options_.start && !TimeEvent(time, restart))
        return;
      if (!run_.delay_lines.empty()) {  // the event may have made a jump, which arrives before the stop
        stop = NextStop(time);
        run_.switch_time = time + (stop.time - time) / 2;
      }
      if (restart ? !integrator_->Restart(time, stop.time) : !integrator_->Continue(stop.time)) {
        FailToStart(time);
        return;
      }
      double reached = stop.time;
      if (!Segment(time, &reached, stop.happens())) return;
      located = reached < stop.time;
      time = reached;
      at_stop_ = stop;
      if (stop.checkpoint && !located) Checkpoint(time);
    }
    if (options_.at_stop && !(Simple() ? MoveTo(time) : true)) Fail(time, failed_);
    if (options_.at_stop) options_.at_stop(time, run_);
    if (out_.ok && (at_stop_.happens() || !program_.terminal_slots.empty())) End(time);
  }
  // What happens at the very end: conditions on the time are as the text says at that moment (EV.3).
  bool End(double time) {
    const bool switches = at_stop_.knot || at_stop_.delayed;
    if (switches) run_.switch_time = EndMoment(program_, options_.start, options_.stop);
    if (!program_.HasEvents() && program_.terminal_slots.empty()) {
      if (!MoveTo(time)) return Fail(time, failed_);
    } else {
      if (!events_.Settle(time, {at_stop_.tick, true, true})) return Fail(time, events_.problem());
      if (!CheckEvent(time)) return false;
    }
    if (at_stop_.knot && options_.event) options_.event(time, "switch");
    const std::vector<double> before = values_;
    TakeRow();
    const bool jumps = switches && before != values_;
    if ((jumps || events_.changed()) && !Record(time)) return false;
    return AfterEvent(time, false) && (!switches || CheckAssertions(time));
  }

  // What happens at a time known before, seen from behind it.
  bool TimeEvent(double time, bool& restart) {
    if (!at_stop_.happens()) {
      restart = !integrator_->resumes();
      return true;
    }
    if (Simple()) {
      if (!integrator_->Interpolate(time)) return Fail(time, "the integrator lost its history");
    } else if (!program_.HasEvents()) {
      if (!run_.Run(time)) return Fail(time, run_.FailureText());
    } else if (!events_.Settle(time, {at_stop_.tick, false, true})) {
      return Fail(time, events_.problem());
    }
    if (program_.HasEvents() && !CheckEvent(time)) return false;
    const bool anew = at_stop_.knot || at_stop_.delayed || at_stop_.corner || events_.changed();
    if (program_.HasEvents()) BeginModes();
    restart = anew || (at_stop_.checkpoint && !integrator_->resumes());
    if (at_stop_.knot && options_.event) options_.event(time, "switch");
    if (anew) {
      dead_centres_.BeginMode();
      if (!(Simple() ? RecordAt(time) : Record(time))) return false;
      BreakDelays(time, at_stop_.knot || at_stop_.delayed, at_stop_.corner);
    }
    return AfterEvent(time, false) && CheckAssertions(time);
  }

  /** From one known time to the next. Where delays remember a jump, only to the event that made it: when it
  arrives is known from then on. */
  bool Segment(double begin, double* reached, bool happens) {
    const double end = *reached;
    const bool record = happens || end >= options_.stop;
    double time = begin;
    int stuck = 0;
    const bool watched = !program_.relations.empty();
    looks_.clear();
    while (time < end) {
      const double before = time;
      if (!integrator_->Step(&time)) {
        const std::string problem = integrator_->problem();
        time = before;
        if (!PassGuard(&time, end)) return out_.problem.empty() && !out_.stopped && FailStep(before, problem);
        if (!integrator_->Restart(time, end)) return FailToStart(time);
        continue;
      }
      const bool tiny = time - before < 1e-13 * std::fabs(time) && time < end;
      stuck = tiny ? stuck + 1 : 0;
      if (stuck > 200) {
        if (PassGuard(&time, end)) {
          stuck = 0;
          if (!integrator_->Restart(time, end)) return FailToStart(time);
          continue;
        }
        return out_.problem.empty() && !out_.stopped &&
               FailStep(time, "the steps become too small: something grows without bound, or jumps");
      }
      double from = sound_ = before;
      step_begin_ = before;
      step_end_ = time;
      refined_step_ = false;
      unsound_ = !(HasFixedSteps() && GuardsFinite());
      while (watched) {
        double at = time;
        const bool crosses = FindCrossingRefined(from, &at);
        time = step_end_;
        if (!crosses) break;
        if (!failed_.empty()) return Fail(at, failed_);
        if (!PassesNoDeadCentre(from, at)) return false;
        if (!Past(from, at, end) || !CheckStep(still_, true) || !Event(&at, time)) return false;
        from = sound_ = at;
        BeginModes();
        if (!events_.changed()) continue;
        if (!run_.delay_lines.empty() && at < end) {
          *reached = at;
          return true;
        }
        if (!integrator_->Restart(at, end)) return FailToStart(at);
        time = at;
        break;
      }
      still_ = INFINITY;
      if (!failed_.empty()) return Fail(time, failed_);
      // At a known time what its condition guards may have no value any more.
      const bool before_known = happens && time >= end;
      const double checked = before_known ? end - (Close(end) - end) : time;
      if (time > from && (!PassesNoDeadCentre(from, time) || !Past(from, time, end) ||
                          !CheckStep(std::max(checked, from), before_known)))
        return false;
      if (options_.progress && !options_.progress(time)) out_.stopped = true;
      if (out_.stopped) return false;
      if (const std::string slow = pace_.Add(time); !slow.empty()) return FailStep(time, slow);
    }
    const double next = options_.start + static_cast<double>(row_ + 1) * interval_;
    const bool due = std::fabs(next - end) <= 1e-9 * interval_;
    if (due) ++row_;
    if (happens && end < options_.stop) still_ = end - (Close(end) - end);
    const bool row = record || due || options_.every_step;
    if (!row && LooksBetween() && !LookBetween(end)) return Fail(end, failed_);
    const bool moved = Simple() || MoveTo(end);
    const bool recorded = moved && (!row || (Simple() ? RecordAt(end) : RecordBefore(end)));
    still_ = INFINITY;
    return moved ? recorded : Fail(end, failed_);
  }

  bool PassesNoDeadCentre(double from, double to) {
    if (dead_centres_.none()) return true;
    const auto found = dead_centres_.Find(from, to, [&](double time) { return MoveTo(time); });
    if (!failed_.empty()) return FailStep(to, failed_);
    return !found || Fail(found->second, DeadCentreText(found->first));
  }
  // Right at a dead centre the iteration may fail before anything is noticed.
  bool FailStep(double time, const std::string& reason) {
    const auto block = dead_centres_.Close();
    return Fail(time, reason + (block ? ": perhaps " + DeadCentreText(*block) : FastestText(time, reason)));
  }
  // Where a reason names nothing: the state that changes fastest against its size, or what has no value.
  std::string FastestText(double time, const std::string& reason) {
    if (reason.find('`') != std::string::npos || !integrator_->Interpolate(time)) return {};
    if (!run_.Run(time)) return "; " + run_.FailureText();
    const FusedProgram* fused = integrator_->fused();
    const ErrorScale* scale = integrator_->error_scale();
    double most = 0;
    uint32_t fastest = UINT32_MAX;
    for (size_t k = 0; k < program_.state_slots.size(); ++k) {
      const size_t state = fused != nullptr ? fused->states[k] : k;
      const double value = std::fabs(run_.values[program_.state_slots[state]]);
      const double size = std::max(value, scale != nullptr ? scale->floor()[k] : 1e-6);
      const double rate = std::fabs(run_.values[program_.derivative_slots[state]]) / size;
      if (!(rate > most)) continue;
      most = rate;
      fastest = static_cast<uint32_t>(state);
    }
    if (fastest == UINT32_MAX) return {};
    const uint32_t slot = program_.state_slots[fastest];
    char numbers[80];
    std::snprintf(numbers, sizeof numbers, "it is %.4g and changes by %.4g each second", run_.values[slot],
                  run_.values[program_.derivative_slots[fastest]]);
    return "; `" + program_.sorted->SlotName(slot) + "` grows fastest: " + numbers;
  }
  std::string BlockComponents(uint32_t implicit) const {
    const SortedSystem& sorted = *program_.sorted;
    const uint32_t block = program_.blocks[implicit].block;
    std::set<uint32_t> components;
    for (const uint32_t k : sorted.Block(block)) {
      for (const ComponentId id : ComponentsOf(*sorted.system, sorted.equations[k].equation))
        components.insert(id.value);
    }
    std::string names;
    for (const uint32_t c : components) {
      const std::string name = ComponentName(*sorted.system->model, *sorted.system->graph, ComponentId(c));
      if (name.empty()) continue;  // the system itself: where a mechanism is, its equations of motion
      names += (names.empty() ? "`" : ", `") + name + "`";
    }
    return names.empty() ? "the mechanism" : names;
  }
  std::string DeadCentreText(uint32_t implicit) const {
    return "a dead centre, where the states do not determine the position of " + BlockComponents(implicit) +
           " any more and it could go on in two ways (" + run_.BlockText(program_.blocks[implicit].block) +
           "); use a coordinate that determines it everywhere (an angle, say), or end the run before";
  }

  // Nothing happens in it but switches of time: all that is ever asked for is what is recorded.
  bool Simple() const {
    return integrator_->fused() != nullptr && !program_.HasEvents() && run_.delay_lines.empty() &&
           program_.assertions.empty() && dead_centres_.none() && program_.terminal_slots.empty() &&
           program_.externals.empty();
  }

  // Output rows and the past of delays within a step, or a part of it.
  bool Past(double from, double to, double end) {
    while (true) {
      const double next = options_.start + static_cast<double>(row_ + 1) * interval_;
      if (!(next <= to) || !(next < end - 1e-9 * interval_)) break;
      ++row_;
      if (next <= from) continue;
      if (!RecordAt(next)) return false;
    }
    if (to < end && to > out_time_) {
      if (options_.every_step && !RecordAt(to)) return false;
      if (!options_.every_step && to - from < interval_ && LooksBetween() && !LookBetween(to))
        return Fail(to, failed_);
    }
    if (run_.delay_lines.empty() && program_.assertions.empty()) return true;
    const double points = run_.delay_lines.empty() ? 1 : Pieces(to - from, 2000, 4);
    for (double k = 1; k <= points; ++k) {
      const double t = k == points ? to : from + (to - from) * k / points;
      if (!MoveTo(t)) return false;
      for (size_t d = 0; d < run_.delay_lines.size(); ++d)
        run_.delay_lines[d].Add(t, run_.Compute(program_.delays[d], t));
    }
    for (DelayLine& line : run_.delay_lines) line.Forget(to);
    return CheckAssertions(to);
  }

  /** What conditions were when they were looked at. */
  struct LookedAt {
    double time;
    std::vector<double> values;
  };
  /* As FindCrossing. Where conditions amplify what the tolerance leaves open in the states, with refined
  states (EV.13). */
  bool FindCrossingRefined(double from, double* at) {
    const std::vector<double> before = largest_of_mode_;
    const std::vector<LookedAt> looks = looks_;
    const double to = *at;
    const bool crosses = FindCrossing(from, at);
    if (refines_ || !failed_.empty() || !projection_.empty() || HasFixedSteps() ||
        program_.state_slots.empty())
      return crosses;
    if (!crosses && (--plain_steps_ > 0 || !AnyIsFalling())) return false;
    if (!NeedsRefinement(crosses ? *at : to, from, crosses)) {
      plain_steps_ = kPlainSteps;
      return crosses && FindCrossingOfShortStep(from, to, at, before, looks);
    }
    refines_ = true;
    largest_of_mode_ = before;
    *at = to;
    looks_ = looks;
    return FindCrossing(from, at);
  }
  /* Where a step crosses a condition it is taken again, to end a little behind it: what bends
  where a condition switches (`max(depth, 0)` at a stop) leaves neither the step nor its polynomial what the
  tolerance promises (EV.15). */
  bool FindCrossingOfShortStep(double from, double end, double* at, const std::vector<double>& largest,
                               const std::vector<LookedAt>& looks) {
    constexpr double kBehind = 4e-9;  // more than an event that is undecided may be put off
    const double crossing = *at, unit = UnitOfTime(*at, options_.start, options_.stop);
    // What crosses again and again is no bend at a border.
    const bool again = crossing - last_short_ < 1e-6 * unit;
    last_short_ = crossing;
    if (again) return true;
    const auto search = [&](double to) {
      if (!integrator_->EndStepAt(to)) return false;
      step_end_ = *at = to;
      refined_step_ = false;
      largest_of_mode_ = largest;
      looks_ = looks;
      return FindCrossing(from, at);
    };
    for (double target = crossing + kBehind * unit; target < end; target += (target - crossing) * 30) {
      if (search(target)) return true;
      if (step_end_ != target) return true;  // the method cannot
      if (!failed_.empty()) break;
    }
    failed_.clear();
    return step_end_ == end || search(end);
  }
  void LookAtSizes() {
    largest_of_mode_.resize(program_.relations.size(), 0);
    for (size_t k = 0; k < program_.relations.size(); ++k) {
      const double x = OffLevel(k);
      if (std::isfinite(x)) largest_of_mode_[k] = std::max(largest_of_mode_[k], std::fabs(x));
    }
  }
  // How far a condition of the last look is from where it switches.
  double OffLevel(size_t relation) const {
    const double x = events_.looked()[relation];
    const bool level = program_.relations[relation].kind == Program::Relation::Kind::kLevel;
    return level ? x - std::round(x) : x;
  }
  // Whether a condition comes nearer to where it switches.
  bool IsFalling(size_t relation) const {
    return events_.blocked()[relation] == 0 &&
           std::fabs(OffLevel(relation)) < 0.5 * largest_of_mode_[relation];
  }
  bool AnyIsFalling() const {
    for (size_t k = 0; k < largest_of_mode_.size(); ++k) {
      if (IsFalling(k)) return true;
    }
    return false;
  }
  // What changed begins anew: its distance may be another quantity now.
  void BeginModes() {
    for (const Events::Crossing& c : events_.updated()) {
      if (c.relation < largest_of_mode_.size()) largest_of_mode_[c.relation] = 0;
    }
    if (!events_.changed()) return;
    refines_ = refined_step_ = false;
    plain_steps_ = 0;
  }
  /* Whether the errors that states may have make more of a condition than the tolerance of its distance, and
  refined states give it another value. It leaves no trace. */
  bool NeedsRefinement(double time, double from, bool crosses) {
    if (largest_of_mode_.empty()) return false;
    // What has just begun to rise is not about to switch.
    std::vector<uint8_t> near(program_.relations.size(), 0);
    for (size_t k = 0; k < near.size(); ++k) near[k] = IsFalling(k) ? 1 : 0;
    if (crosses) {
      for (const Events::Crossing& c : events_.crossings()) near[c.relation] = 1;
    }
    const std::vector<double> values = run_.values;
    const uint64_t evaluations = run_.evaluations;
    // By relation: how much it changes at most; where it may count as a change.
    const auto changes = [&](double at, const std::function<bool()>& other) {
      std::vector<double> found(program_.relations.size(), 0);
      if (integrator_->Interpolate(at) && run_.Run(at)) {
        const std::vector<double> plain = ConditionValues(at);
        if (other()) {
          const std::vector<double> others = ConditionValues(at);
          for (size_t k = 0; k < plain.size(); ++k) {
            const double size = std::max(largest_of_mode_[k], std::fabs(plain[k]));
            const double change = std::fabs(others[k] - plain[k]);
            const bool counts = change > options_.rtol * size && change > 64 * events_.noise()[k];
            if (counts && near[k] != 0) found[k] = change;
          }
        }
      }
      run_.values = values;
      return found;
    };
    const double part = 0.1 * options_.rtol;
    const std::vector<double> amplified = changes(time, [&] {
      for (size_t k = 0; k < program_.state_slots.size(); ++k)
        run_.values[program_.state_slots[k]] *= 1 + (k % 2 == 0 ? part : -part);
      return run_.Run(time);
    });
    constexpr double kRounding = 1024 * std::numeric_limits<double>::epsilon();
    bool needs = false;
    // Functions of states alone are as smooth as the states; refined ones do not join from step to step.
    const auto reads_results = [&](size_t k) {
      const Program::Relation& r = program_.relations[k];
      const auto first = program_.locals.begin() + r.first_local;
      return std::any_of(first, first + program_.codes[r.code].locals, [&](uint32_t slot) {
        return std::find(program_.state_slots.begin(), program_.state_slots.end(), slot) ==
               program_.state_slots.end();
      });
    };
    bool any = false;
    for (size_t k = 0; k < amplified.size() && !any; ++k) any = amplified[k] > 0 && reads_results(k);
    if (any && BeginRefinement()) {
      for (const double at : {time, from + (time - from) / 2, from + (step_end_ - from) / 3, step_end_}) {
        const std::vector<double> refined = changes(at, [&] { return refinement_.Move(at); });
        for (size_t k = 0; k < refined.size(); ++k)
          needs =
              needs || (amplified[k] > 0 && reads_results(k) && refined[k] > amplified[k] * kRounding / part);
      }
    }
    run_.values = values;
    run_.evaluations = evaluations;
    failed_.clear();
    return needs;
  }
  std::vector<double> ConditionValues(double time) {
    std::vector<double> out;
    for (const Program::Relation& r : program_.relations) out.push_back(run_.Compute(r, time));
    return out;
  }
  bool BeginRefinement() {
    refined_step_ = refinement_.BeginStep(step_begin_, step_end_, options_.rtol,
                                          [&](double time) { return integrator_->Interpolate(time); });
    return refined_step_;
  }

  /* The first time in (from, *at] at which a condition differs from what is held (EV.3). Looks inside the
  step find what goes there and back: at the middle, at each 500th of the run, and wherever a condition may
  turn between two looks (EV.11). */
  bool FindCrossing(double from, double* at) {
    if (!(*at > from)) return false;
    Bracket found{from, *at};
    const double pieces = Pieces(*at - from, LooksOfRun(), 2);
    bool crosses = false;
    double low = from;
    // A step that begins at a border has no look before it: those behind it come closer and closer.
    if (LookFirst(from) && !HasFixedSteps() && IsAtBorder()) {
      for (int k = 9; k > 0 && !crosses; --k) {
        const double t = from + (*at - from) / pieces * std::pow(10, -k);
        if (!(t > low)) continue;
        crosses = SearchTo(low, t, &found);
        if (!crosses && !failed_.empty()) return false;
        low = t;
      }
    }
    for (double k = 1; k <= pieces && !crosses; ++k) {
      const double t = k == pieces ? *at : from + (*at - from) * k / pieces;
      if (!(t > low)) continue;
      crosses = !HasFixedSteps() && MayHide(low, t) ? SearchWithin(low, t, &found) : SearchTo(low, t, &found);
      if (!crosses && !failed_.empty()) return false;
      low = t;
    }
    // Nor has one that ends at a border a look behind it.
    if (!crosses && !HasFixedSteps() && looks_.back().time == *at && IsAtBorder()) {
      for (int k = 1; k < 10 && !crosses; ++k) {
        const double t = *at - (*at - from) / pieces * std::pow(10, -k);
        if (!(t > from && t < *at)) continue;
        found = {from, t};
        crosses = Crosses(t);
        if (!crosses && !failed_.empty()) return false;
      }
    }
    if (!crosses) return false;
    low = found.low;
    double high = found.high;
    looks_.clear();
    const double close =
        std::max(4 * std::numeric_limits<double>::epsilon() * std::fabs(high), 1e-14 * (*at - from));
    auto crossings = events_.crossings();
    std::vector<double> below = Distances(low, crossings), above = Values(crossings);
    double weight_low = 1, weight_high = 1;  // Illinois: an end that stays counts half
    for (int turn = 0; high - low > close && turn < 100 && failed_.empty(); ++turn) {
      double guess = high;
      for (size_t k = 0; k < crossings.size(); ++k) {
        const double a = weight_low * below[k], b = weight_high * above[k];
        // Right behind an event what it was about is zero but for rounding: that says nothing of the next.
        const bool rounding = std::fabs(below[k]) <= 1e-12 * events_.largest()[crossings[k].relation];
        if (a != b && std::isfinite(a) && std::isfinite(b))
          guess = std::min(guess, low + (high - low) * (rounding ? 0.5 : a / (a - b)));
      }
      const double inset = std::min(0.1 * (high - low), close / 2);
      double next = std::clamp(guess, low + inset, high - inset);
      if (turn % 4 == 3 || !std::isfinite(next) || crossings.empty()) next = low + (high - low) / 2;
      if (!(next > low && next < high)) break;
      if (Crosses(next)) {
        high = next;
        if (events_.crossings().size() != crossings.size()) {
          crossings = events_.crossings();
          below = Distances(low, crossings);
        }
        crossings = events_.crossings();
        above = Values(crossings);
        weight_high = 1;
        weight_low /= 2;
      } else {
        low = next;
        below = Distances(low, crossings);
        weight_low = 1;
        weight_high /= 2;
      }
    }
    *at = high;
    still_ = low;
    return true;
  }

  /** A time at which no condition differs from what is held, and a later one at which some do. */
  struct Bracket {
    double low, high;
  };
  void Keep(double time) {
    if (looks_.size() == 3) std::rotate(looks_.begin(), looks_.begin() + 1, looks_.end());
    if (looks_.size() < 3) looks_.emplace_back();
    looks_.back().time = time;
    looks_.back().values = events_.looked();
    LookAtSizes();
  }
  // The beginning of a step, unless it is where the last one ended: then true. It leaves no trace.
  bool LookFirst(double time) {
    if (!looks_.empty() && looks_.back().time == time) {
      looks_.erase(looks_.begin(), looks_.end() - 1);  // there is no way back into the step before
      return true;
    }
    looks_.clear();
    kept_values_ = run_.values;
    if (Watch(time)) {
      events_.Crossed(time);
      Keep(time);
    }
    failed_.clear();
    run_.values = kept_values_;
    return false;
  }
  // Whether some condition of the last look is next to its border: a step ends right behind where it crosses.
  bool IsAtBorder() const {
    for (uint32_t k = 0; k < program_.relations.size(); ++k) {
      const Program::Relation& r = program_.relations[k];
      if (events_.blocked()[k] != 0) continue;
      const double x = looks_.back().values[k];
      const double off = r.kind == Program::Relation::Kind::kLevel ? x - std::round(x) : x;
      if (std::fabs(off) <= 1e-6 * events_.largest()[k]) return true;
    }
    return false;
  }
  // One look; then whether a condition went there and back between the last three.
  bool SearchTo(double low, double t, Bracket* found) {
    *found = {low, t};
    if (Crosses(t)) return true;
    if (!failed_.empty()) return false;
    Keep(t);
    return SearchTurns(found);
  }
  // Halves, until conditions cannot turn between looks any more, or nothing changes in them.
  bool SearchWithin(double low, double high, Bracket* found) {
    const double middle = low + (high - low) / 2;
    const double least = std::max(1e-9 * (options_.stop - options_.start),
                                  16 * std::numeric_limits<double>::epsilon() * std::fabs(high));
    // What turns about its border for ever (by rounding, say) has no end: then as fine as a scan.
    const bool endless = halvings_ > 4'000'000 && high - low <= 1e-5 * (options_.stop - options_.start);
    if (high - low > least && !endless && ++halvings_ > 0 && MayHide(low, high))
      return SearchWithin(low, middle, found) || (failed_.empty() && SearchWithin(middle, high, found));
    return SearchTo(low, middle, found) || (failed_.empty() && SearchTo(middle, high, found));
  }
  // Methods with fixed steps look as often as conditions may turn by the time alone: as emitted programs do.
  double LooksOfRun() {
    if (!(looks_of_run_ > 0)) looks_of_run_ = HasFixedSteps() ? FixedLooks(program_, run_, options_) : 500;
    return looks_of_run_;
  }
  /* Whether a condition may turn and change within a stretch. */
  bool MayHide(double begin, double end) {
    if (!condition_bounds_) condition_bounds_.emplace(program_);
    if (condition_bounds_->none() || !(end > begin)) return false;
    ConditionBounds::Samples& s = samples_;
    s.begin = begin;
    s.end = end;
    const bool sampled = !condition_bounds_->sampled().empty();
    kept_values_ = run_.values;
    bool well = true;
    for (size_t k = 0; k < 3 && well; ++k) {
      const double time = k == 0 ? begin : k == 1 ? begin + (end - begin) / 2 : end;
      well = sampled ? Watch(time) : integrator_->fused() != nullptr || integrator_->Interpolate(time);
      s.sampled[k].clear();
      for (const uint32_t slot : condition_bounds_->sampled()) s.sampled[k].push_back(run_.values[slot]);
      well = well && SampleStates(time, s.states[k]);
    }
    run_.values = kept_values_;
    failed_.clear();
    return well && condition_bounds_->MayHide(s, run_);
  }
  bool SampleStates(double time, std::vector<double>& out) {
    out.clear();
    const std::vector<uint32_t>& wanted = condition_bounds_->states();
    if (const FusedProgram* fused = integrator_->fused(); fused != nullptr) {
      if (state_places_.empty()) {
        state_places_.resize(fused->states.size());
        for (uint32_t k = 0; k < fused->states.size(); ++k) state_places_[fused->states[k]] = k;
      }
      std::vector<uint32_t>& places = sampled_states_;
      places.clear();
      for (const uint32_t state : wanted) places.push_back(state_places_[state]);
      states_.resize(program_.state_slots.size());
      if (integrator_->InterpolateSome(time, places, states_.data())) {
        for (const uint32_t place : places) out.push_back(states_[place]);
        return true;
      }
      if (!integrator_->Interpolate(time)) return false;
    }
    for (const uint32_t state : wanted) out.push_back(run_.values[program_.state_slots[state]]);
    return true;
  }
  /* A condition that comes near its border and leaves it again, by the parabola through three looks: its
  nearest point is looked for. */
  bool SearchTurns(Bracket* found) {
    if (looks_.size() < 3) return false;
    for (uint32_t k = 0; k < program_.relations.size(); ++k) {
      const Program::Relation& r = program_.relations[k];
      if (events_.blocked()[k] != 0) continue;
      const double held = run_.values[r.slot];
      if (r.kind != Program::Relation::Kind::kLevel) {
        if (SearchTurn(k, 0, held != 0 ? -1 : 1, found)) return true;
      } else if (SearchTurn(k, held, 1, found) || SearchTurn(k, held + 1, -1, found)) {
        return true;
      }
      if (!failed_.empty()) return false;
    }
    return false;
  }
  // The distance from the border is side*(x - level).
  bool SearchTurn(uint32_t relation, double level, double side, Bracket* found) {
    double t[3], g[3];
    for (size_t k = 0; k < 3; ++k) {
      t[k] = looks_[k].time;
      g[k] = side * (looks_[k].values[relation] - level);
      if (!std::isfinite(g[k])) return false;
    }
    const double least = std::max(1e-12 * (options_.stop - options_.start),
                                  4 * std::numeric_limits<double>::epsilon() * std::fabs(t[2]));
    for (int turn = 0; turn < 60; ++turn) {
      // Newton's form of the parabola: where its slope is zero, and its value there.
      const double first = (g[1] - g[0]) / (t[1] - t[0]), last = (g[2] - g[1]) / (t[2] - t[1]);
      const double curve = (last - first) / (t[2] - t[0]);
      const double begins = first - curve * (t[1] - t[0]), ends = last + curve * (t[2] - t[1]);
      if (!(begins < 0 && ends > 0)) return false;
      const double at = t[0] - begins / (2 * curve);
      const double nearest = g[0] + begins * (at - t[0]) / 2;
      const double low = std::min({g[0], g[1], g[2]}), high = std::max({g[0], g[1], g[2]});
      // The parabola is off by a part of what the three differ.
      if (nearest > (turn == 0 ? 0.25 : 0.1) * (high - low)) return false;
      // No nearer point between others, or none that rounding lets tell from them.
      if (turn > 0 && !(g[1] < g[0] && g[1] < g[2])) return false;
      if (t[2] - t[0] < least || high - low <= 1e-13 * events_.largest()[relation]) return false;
      // Into the larger part, where the parabola says nothing new.
      double next = at;
      const double inset = 0.02 * (t[2] - t[0]);
      if (std::fabs(next - t[1]) < inset) next = t[1] - t[0] > t[2] - t[1] ? t[1] - inset : t[1] + inset;
      if (turn % 4 == 3) next = t[1] - t[0] > t[2] - t[1] ? (t[0] + t[1]) / 2 : (t[1] + t[2]) / 2;
      next = std::clamp(next, t[0] + least / 8, t[2] - least / 8);
      if (!(next > t[0] && next < t[2]) || next == t[1]) return false;
      const bool left = next < t[1];
      *found = {left ? t[0] : t[1], next};
      if (Crosses(next)) return true;
      if (!failed_.empty()) return false;
      const double x = side * (events_.looked()[relation] - level);
      if (!std::isfinite(x)) return false;
      // The three around the nearest so far.
      const bool nearer = x < g[1];
      if (left == nearer) {
        t[2] = left ? t[1] : next;
        g[2] = left ? g[1] : x;
      } else {
        t[0] = left ? next : t[1];
        g[0] = left ? x : g[1];
      }
      if (nearer) {
        t[1] = next;
        g[1] = x;
      }
    }
    return false;
  }
  // In how many pieces a step is looked at: none longer than a `parts`th of the run.
  double Pieces(double step, double parts, double least) const {
    return std::max(least, std::ceil(step / (options_.stop - options_.start) * parts));
  }
  bool Crosses(double time) {
    if (!Watch(time) && !PassesGuard(time)) return false;
    return events_.Crossed(time) || (events_.undefined() && MoveTo(time) && events_.FindUndefined(time));
  }
  // Behind the end of a branch something has no value, but the condition of the branch tells.
  bool PassesGuard(double time) {
    const ProgramRun::Failure& failure = run_.failure();
    if (failure.foreign || failure.final || failure.block != UINT32_MAX || !events_.Crossed(time))
      return false;
    failed_.clear();
    return true;
  }
  static std::vector<double> Values(const std::vector<Events::Crossing>& crossings) {
    std::vector<double> out;
    for (const Events::Crossing& c : crossings) out.push_back(c.value - c.level);
    return out;
  }
  std::vector<double> Distances(double time, const std::vector<Events::Crossing>& crossings) {
    std::vector<double> out;
    if (!Watch(time)) return std::vector<double>(crossings.size(), NAN);
    for (const Events::Crossing& c : crossings) out.push_back(events_.Distance(c, time));
    return out;
  }

  // Whether a mode holds a little later, too, and not at this very moment only.
  bool LastsBeyond(double time) {
    const std::vector<double> now = run_.values;
    const double later = 1e-6 * UnitOfTime(time, options_.start, options_.stop);
    for (size_t k = 0; k < program_.state_slots.size(); ++k)
      run_.values[program_.state_slots[k]] += later * now[program_.derivative_slots[k]];
    const Events::Memory memory = events_.Remember();
    const bool lasts = run_.Run(time + later) && !events_.Crossed(time + later);
    events_.Recall(memory);
    run_.values = now;
    run_.Run(time);
    return lasts;
  }
  /* An event in the middle of a step that ends at `end`. Right where they switch, conditions that hang on
  each other (diodes that take over a current) may contradict themselves by the rounding of large values that
  cancel; then a little later, by no more than 1e-9 of the time. So also where loads are shared and the mode
  found holds at this very moment only, unless no later one settles. `before`: the values right before. */
  bool SettleEvent(double* at, double end, bool lasting, std::vector<double>* before) {
    const double unit = UnitOfTime(*at, options_.start, options_.stop);
    bool settles = false;
    double time = *at;
    for (double later = 1e-14 * unit;; later *= 8) {
      if (!MoveTo(time) && !PassesGuard(time)) return Fail(time, failed_);
      *before = run_.values;
      const Events::Memory memory = events_.Remember();
      const auto settle_and_last = [&](bool stands) {
        const bool settled = events_.Settle(time, {false, false, false, stands});
        settles = settles || settled;
        return settled && (!lasting || !events_.shared() || LastsBeyond(time));
      };
      if (settle_and_last(lasting)) break;
      if (events_.stood()) {
        run_.values = *before;
        events_.Recall(memory);
        --events_.count;
        if (settle_and_last(false)) break;
      }
      const bool last = later > 1e-9 * unit || time >= end;
      const bool settled = events_.problem().empty();
      if (settles ? last || !(settled || events_.undecided()) : !events_.undecided())
        return settles ? SettleAgain(at, end, memory, before) : Fail(time, events_.problem());
      run_.values = *before;
      events_.Recall(memory);
      --events_.count;
      if (last) {
        if (events_.Settle(time, {false, false, true})) break;
        return Fail(time, events_.problem());
      }
      time = std::min(*at + later, end);
    }
    *at = time;
    return true;
  }
  bool SettleAgain(double* at, double end, const Events::Memory& memory, std::vector<double>* before) {
    run_.values = *before;
    events_.Recall(memory);
    --events_.count;
    return SettleEvent(at, end, false, before);
  }
  bool Event(double* at, double end) {
    std::vector<double> before;
    if (!SettleEvent(at, end, true, &before)) return false;
    const double time = *at;
    if (!CheckEvent(time)) return false;
    if (events_.changed()) {
      dead_centres_.BeginMode();
      // Behind a crossing, what its condition guards may have no value any more.
      if (FirstNotFinite(program_, before) != UINT32_MAX) {
        const std::vector<double> behind = run_.values;
        run_.values = before;  // with what was held
        if (MoveToStill(still_)) before = run_.values;
        run_.values = behind;
      }
      // Which blocks have many solutions is known of the new mode.
      std::vector<uint32_t> least(run_.least_solved.size(), 0);
      least.swap(run_.least_solved);
      before.swap(run_.values);
      const bool recorded = Record(time);
      before.swap(run_.values);
      least.swap(run_.least_solved);
      if (!recorded || !Record(time)) return false;
      BreakDelays(time, true);
    }
    return AfterEvent(time, true) && CheckAssertions(time);
  }
  /* Where the next step has no values because a branch ends (`if h > 0 then -sqrt(h)`): the states go on
  along their slopes, by no more than they may be wrong, until the condition of the branch changes (EV.12).
  False: nothing changes there, or what happened ended the run (`problem`). */
  bool PassGuard(double* at, double end) {
    if (program_.relations.empty() || run_.failure().final || run_.failure().foreign) return false;
    const double begin = *at, unit = std::max(std::fabs(begin), 1e-3 * (options_.stop - options_.start));
    if (!integrator_->Interpolate(begin) || !run_.Run(begin)) return false;
    const std::vector<double> before = run_.values;
    const ErrorScale* scale = integrator_->error_scale();
    const FusedProgram* fused = integrator_->fused();
    bool crosses = false;
    for (double h = 1e-15 * unit; !crosses && begin + h < end; h *= 2) {
      run_.values = before;
      for (size_t k = 0; k < program_.state_slots.size(); ++k) {
        const size_t state = fused != nullptr ? fused->states[k] : k;
        const double value = before[program_.state_slots[state]];
        const double change = h * before[program_.derivative_slots[state]];
        const double size = std::max(std::fabs(value), scale != nullptr ? scale->floor()[k] : 1e-6);
        if (!(std::fabs(change) <= options_.rtol * size)) {
          run_.values = before;
          return false;
        }
        run_.values[program_.state_slots[state]] = value + change;
      }
      run_.Run(begin + h);
      *at = begin + h;
      crosses = events_.Crossed(*at);
    }
    const std::vector<double> behind = run_.values;
    run_.values = before;
    if (!crosses || !Record(begin)) return false;
    run_.values = behind;
    if (!events_.Settle(*at, {})) return Fail(*at, events_.problem());
    if (!CheckEvent(*at) || !Record(*at)) return false;
    BreakDelays(*at, true);
    return AfterEvent(*at, true) && CheckAssertions(*at);
  }
  bool AfterEvent(double time, bool located) {
    if (events_.changed() || !events_.fired().empty()) {
      out_.event_times.push_back(time);
      const std::string names = events_.Names({}, events_.fired());
      if (options_.event && located) options_.event(time, names.empty() ? "event" : names);
    }
    if (events_.stopped()) return EndByModel(time);
    if (located && watch_.Dense(time)) events_.BlockUndecided(time);
    if (!located || !(events_.changed() || !events_.fired().empty())) return true;
    const std::string endless = watch_.Add(time);
    if (endless.empty()) return true;
    std::vector<uint32_t> relations;
    for (const Events::Crossing& c : events_.updated()) relations.push_back(c.relation);
    return Fail(time,
                endless + "; look at " + events_.Names(relations, events_.fired()) +
                    (events_.fired().empty() ? " (give it a hysteresis)" : " (give it a mode of rest)"));
  }
  // stop("..."): the run is over at this moment, which is in the last row; what happens at the end happens
  // here.
  bool EndByModel(double time) {
    out_.stop_reason = *events_.stopped();
    if (time > out_time_ && !Record(time)) return false;
    if (program_.terminal_slots.empty()) return false;
    if (!events_.Settle(time, {false, true, true})) return Fail(time, events_.problem());
    if (CheckEvent(time) && events_.changed()) Record(time);
    return false;
  }
  // What is delayed has a kink or, where it jumped, a jump: it arrives later. Corners are known to have
  // arrived.
  void BreakDelays(double time, bool kink, bool corner = false) {
    for (size_t d = 0; d < run_.delay_lines.size(); ++d) {
      DelayLine& line = run_.delay_lines[d];
      const double u = run_.Compute(program_.delays[d], time);
      const bool arrives = kink || u != line.last_value();
      if (arrives) {
        line.Break(time, u);
        delayed_.push(time + line.delay);
      } else if (corner) {
        line.Corner(time);
      }
    }
  }

  // As MoveTo, but only what the conditions of events read.
  bool Watch(double time) {
    if (refines_ || integrator_->fused() == nullptr) return MoveTo(time);
    if (!watched_) {
      for (const Program::Relation& r : program_.relations) {
        const auto first = program_.locals.begin() + r.first_local;
        watched_slots_.insert(watched_slots_.end(), first, first + program_.codes[r.code].locals);
      }
      std::sort(watched_slots_.begin(), watched_slots_.end());
      watched_slots_.erase(std::unique(watched_slots_.begin(), watched_slots_.end()), watched_slots_.end());
      EndStage("run");
      watched_.emplace(run_, FuseSlots(program_, watched_slots_, *integrator_->fused()), options_.tier);
      EndStage("fuse");
      watched_values_.resize(watched_slots_.size());
      states_.resize(program_.state_slots.size());
    }
    if (!integrator_->InterpolateSome(time, watched_->states_read(), states_.data())) return MoveTo(time);
    if (!watched_->Evaluate(time, states_.data(), watched_values_.data())) {
      failed_ = run_.FailureText();
      return false;
    }
    for (size_t k = 0; k < watched_slots_.size(); ++k) run_.values[watched_slots_[k]] = watched_values_[k];
    return true;
  }

  // The states of a time within the last step, and all that follows from them.
  bool MoveTo(double time) {
    if (refines_ && time > step_begin_ && time <= step_end_ && (refined_step_ || BeginRefinement()) &&
        refinement_.Move(time))
      return true;
    if (!integrator_->Interpolate(time)) {
      failed_ = "the integrator lost its history";
      return false;
    }
    if (run_.Run(time)) return true;
    failed_ = run_.FailureText();
    return false;
  }
  // Some slots at a time within the last step, from the states they depend on; false: not by this way.
  bool Evaluate(std::optional<FusedEvaluation>& evaluation, const std::vector<uint32_t>& slots, double time,
                std::vector<double>& values) {
    if (integrator_->fused() == nullptr) return false;
    if (!evaluation) {
      EndStage("run");
      evaluation.emplace(run_, FuseSlots(program_, slots, *integrator_->fused()), options_.tier);
      EndStage("fuse");
      states_.resize(program_.state_slots.size());
    }
    values.resize(slots.size());
    return integrator_->InterpolateSome(time, evaluation->states_read(), states_.data()) &&
           evaluation->Evaluate(time, states_.data(), values.data());
  }
  // Between events only what is recorded is computed.
  bool RecordAt(double time) {
    const uint64_t least = run_.least_solutions;
    if (!refines_ && Evaluate(outputs_, out_.slots, time, values_) &&
        AllFinite(values_.data(), values_.size()) && run_.least_solutions == least)
      return Give(time);
    if (!MoveTo(time)) return Fail(time, failed_);
    return RecordBefore(time);
  }
  // What is watched, at a time between rows. Few of many have a program of their own. Blocks begin their
  // search where it ended before: what is only looked at leaves no trace, or bits would depend on what is
  // drawn. Fixed steps with blocks give the bits of the emitted program, which solves nothing between rows.
  bool LooksBetween() const {
    return !options_.watched.empty() && !(HasFixedSteps() && !program_.blocks.empty());
  }
  bool LookBetween(double time) {
    if (program_.blocks.empty()) return Look(time);
    unlooked_ = run_.values;
    const bool well = Look(time);
    run_.values = unlooked_;
    return well;
  }
  bool Look(double time) {
    const bool few = 4 * between_slots_.size() < out_.slots.size();
    if (few ? Evaluate(between_outputs_, between_slots_, time, between_values_)
            : Evaluate(outputs_, out_.slots, time, values_)) {
      for (size_t k = 0; k < between_slots_.size(); ++k)
        between_.Add(k, time, few ? between_values_[k] : values_[options_.watched[k]]);
      return true;
    }
    if (!MoveTo(time)) return false;
    for (size_t k = 0; k < between_slots_.size(); ++k) between_.Add(k, time, run_.values[between_slots_[k]]);
    return true;
  }
  // A row within a step, or right before something happens: what a condition guards has no value any more
  // behind its crossing.
  bool RecordBefore(double time) {
    if (!IsUnique(time)) return false;
    TakeRow();
    if (!AllFinite(values_.data(), values_.size())) {
      if (still_ < time && MoveToStill(still_)) TakeRow();
      if (!AllFinite(values_.data(), values_.size())) AtMoment(time, [&] { TakeRow(); });
      if (!AllFinite(values_.data(), values_.size())) return FailWithoutValue(time);
    }
    return Give(time);
  }
  // At the present values.
  /* A singular block has its least solution where it is singular as long as a mode lasts: brakes share a
  load. Where it is singular at this very moment only, that need not be the limit (PR.2d): time and states
  beside it tell. Loops in space are left out: beside them they are open; nonlinear blocks, too, which are
  moved aside by themselves. */
  bool IsUnique(double time) {
    std::vector<uint32_t> least;
    for (uint32_t b = 0; b < run_.least_solved.size(); ++b) {
      if (run_.least_solved[b] != 0 && program_.blocks[b].kind == BlockKind::kLinear) least.push_back(b);
    }
    if (least.empty() || !projection_.empty()) return true;
    const std::vector<double> now = run_.values;
    const std::vector<uint32_t> shared = run_.least_solved;
    const uint64_t evaluations = run_.evaluations;
    for (size_t k = 0; k < program_.state_slots.size(); ++k) {
      double& x = run_.values[program_.state_slots[k]];
      x += (1e-3 * std::fabs(x) + 1e-6) * (1 + 0.25 * static_cast<double>(k % 5));
    }
    const bool computed = run_.Run(time + 0.02 * (run_.switch_time - time));
    const auto alone = std::find_if(least.begin(), least.end(),
                                    [&](uint32_t b) { return computed && run_.least_solved[b] == 0; });
    run_.values = now;
    run_.evaluations = evaluations;
    run_.least_solved = shared;
    if (alone == least.end()) return true;
    return Fail(time,
                "the equations of " + BlockComponents(*alone) +
                    " have many solutions at this very moment, and a single one beside it (" +
                    run_.BlockText(program_.blocks[*alone].block) +
                    "); write them so that they determine it here, too, or begin or end the run elsewhere");
  }
  bool Record(double time) {
    if (!IsUnique(time)) return false;
    TakeRow();
    if (!AllFinite(values_.data(), values_.size())) {
      AtMoment(time, [&] { TakeRow(); });
      if (!AllFinite(values_.data(), values_.size())) return Fail(time, NoValueText(time));
    }
    return Give(time);
  }
  void TakeRow() {
    values_.resize(out_.slots.size());
    for (size_t k = 0; k < out_.slots.size(); ++k) values_[k] = run_.values[out_.slots[k]];
  }
  bool Give(double time) {
    ++rows_;
    out_time_ = time;
    between_.Take(options_.watched, values_, options_.rtol, [&](uint32_t column, double at, double value) {
      if (options_.extreme)
        options_.extreme(column, at, value);
      else
        out_.extremes.push_back({column, at, value});
    });
    bounds_->Look(time, values_);
    growth_.Add(time, values_);
    if (!options_.row) {
      out_.times.push_back(time);
      for (size_t k = 0; k < out_.slots.size(); ++k) out_.columns[k].push_back(values_[k]);
      return !out_.stopped;
    }
    out_.times.assign(1, time);
    out_.stopped = !options_.row(time, values_) || out_.stopped;
    return !out_.stopped;
  }

  bool CheckEvent(double time) {
    const std::string problem = NoValueAt(time);
    return problem.empty() || Fail(time, problem);
  }
  /* What has no value, for people. Conditions of time are as behind a switch; where a branch has no value at
  the moment of the switch itself (sin(t)/t from 0 on), what the text says of that moment counts. */
  std::string NoValueAt(double time) {
    std::string problem = events_.FindNoValue(time);
    if (problem.empty()) return problem;
    AtMoment(time, [&] {
      if (events_.FindNoValue(time).empty()) problem.clear();
    });
    return problem;
  }
  template <class F>
  void AtMoment(double time, F&& look) {
    const std::vector<double> behind = run_.values;
    const double switch_time = run_.switch_time;
    run_.switch_time = time;
    if (run_.Run(time)) look();
    run_.switch_time = switch_time;
    run_.values = behind;
  }
  /* After a step, or the part of it before an event: what no derivative shows. */
  bool CheckStep(double time, bool before_event = false) {
    if (guard_.empty() || !unsound_) return true;
    if (!HasValues(time) && !(before_event && MoveToStill(time))) return FailWithoutValue(time);
    sound_ = time;
    return true;
  }
  /* Right before something happens. What rounding takes beyond a guard belongs to the moment of switching:
  then a little earlier, by no more than times are known. */
  bool MoveToStill(double still) {
    const double unit = UnitOfTime(still, options_.start, options_.stop);
    for (double back = 0; back <= 2e-12 * unit; back = std::max(4 * back, 1e-16 * unit)) {
      const double time = std::max(still - back, step_begin_);
      if (MoveTo(time) && FindNoValue(time).empty()) return true;
    }
    failed_.clear();
    return false;
  }
  // After a fixed step, the values of the run are those at its end.
  bool HasFixedSteps() const { return options_.method >= Method::kEuler && !program_.state_slots.empty(); }
  bool GuardsFinite() const {
    return std::all_of(guard_.slots.begin(), guard_.slots.end(),
                       [&](uint32_t slot) { return std::isfinite(run_.values[slot]); }) &&
           guard_.comparisons.empty();
  }
  // Nothing that follows depends on having looked.
  bool HasValues(double time) {
    const uint64_t evaluations = run_.evaluations;
    const bool well = GuardsHold(time);
    run_.evaluations = evaluations;
    return well;
  }
  bool GuardsHold(double time) {
    if (integrator_->fused() != nullptr) {
      if (!guarded_) {
        EndStage("run");
        guarded_.emplace(run_, FuseSlots(program_, guard_.read, *integrator_->fused()), options_.tier);
        EndStage("fuse");
        states_.resize(program_.state_slots.size());
        guarded_values_.resize(guard_.read.size());
      }
      if (guarded_->program().compact && guard_.comparisons.empty() &&
          integrator_->InterpolateSome(time, guarded_->states_read(), states_.data()))
        return guarded_->Evaluate(time, states_.data(), guarded_values_.data()) &&
               AllFinite(guarded_values_.data(), guarded_values_.size());
    }
    kept_values_ = run_.values;
    bool well = false;
    if (guarded_ && integrator_->InterpolateSome(time, guarded_->states_read(), states_.data())) {
      well = guarded_->Evaluate(time, states_.data(), guarded_values_.data()) &&
             AllFinite(guarded_values_.data(), guarded_values_.size());
      for (size_t k = 0; k < guard_.read.size(); ++k) run_.values[guard_.read[k]] = guarded_values_[k];
    } else {
      well = MoveTo(time) && std::all_of(guard_.slots.begin(), guard_.slots.end(),
                                         [&](uint32_t slot) { return std::isfinite(run_.values[slot]); });
    }
    well = well && DecidesComparisons(time);
    run_.values = kept_values_;
    return well;
  }
  bool DecidesComparisons(double time) {
    return std::none_of(guard_.comparisons.begin(), guard_.comparisons.end(), [&](const Program::Bound& b) {
      return HasUndecidedComparison(program_, run_, b, time);
    });
  }
  // The first time since all was well at which something has no value, and what.
  bool FailWithoutValue(double time) {
    const auto well = [&](double at) { return MoveTo(at) && FindNoValue(at).empty(); };
    double low = sound_, high = time;
    while (high - low > 1e-15 * std::max(std::fabs(low), std::fabs(high))) {
      const double middle = low + (high - low) / 2;
      if (!(middle > low && middle < high)) break;
      (well(middle) ? low : high) = middle;
    }
    failed_.clear();
    return Fail(high, MoveTo(high) ? NoValueText(high) : failed_);
  }
  std::string NoValueText(double time) {
    const std::string text = FindNoValue(time);
    return text.empty() ? "a value is not finite" : text;
  }
  std::string FindNoValue(double time) {
    std::string text = events_.FindNoValue(time);
    for (size_t k = 0; k < guard_.comparisons.size() && text.empty(); ++k) {
      if (HasUndecidedComparison(program_, run_, guard_.comparisons[k], time))
        text = events_.UndefinedText(guard_.comparisons[k], time);
    }
    return text;
  }
  bool CheckAssertions(double time) {
    if (program_.assertions.empty()) return true;
    const auto violated = events_.Violated(time);
    if (!violated) return true;
    if (time > out_time_) Record(time);
    return Fail(time, *violated);
  }
  bool FailToStart(double time) {
    const std::string problem = run_.failure().foreign ? run_.FailureText() : integrator_->problem();
    return FailStep(time, problem.empty() ? "the integrator could not start" : problem);
  }
  bool Fail(double time, const std::string& reason) {
    out_.ok = false;
    out_.problem = "at " + TimeText(time) + ": " + reason;
    return false;
  }

  const Program& program_;
  const SimulationOptions& options_;
  ProgramRun run_;
  ExternalComponents external_;
  Events events_;
  EventWatch watch_;
  Pace pace_;
  DeadCentres dead_centres_;
  Projection projection_;
  RefinedStates refinement_;
  static constexpr int kPlainSteps = 8;
  std::vector<double> largest_of_mode_;  // distances of conditions from where they switch, since they did
  double last_short_ = -INFINITY;        // where a step was last taken again
  bool refines_ = false;                 // conditions of this mode are looked at with refined states
  bool refined_step_ = false;            // their polynomial is that of the present step
  int plain_steps_ = 0;                  // before it is asked again whether they should be
  double step_begin_ = 0, step_end_ = 0;
  std::optional<BoundsWatch> bounds_;
  FiniteGuard guard_;
  Growth growth_;
  std::unique_ptr<Integrator> integrator_;
  std::optional<FusedEvaluation> outputs_, watched_, guarded_, between_outputs_;
  Between between_;
  std::vector<uint32_t> between_slots_;
  std::vector<double> between_values_, unlooked_;
  double out_time_ = -INFINITY;  // of the last row
  std::vector<uint32_t> watched_slots_;
  std::vector<double> watched_values_, guarded_values_, kept_values_;
  bool unsound_ = false;      // something may have no value in the present step
  double sound_ = -INFINITY;  // in the present step, until when everything has a value
  double still_ = INFINITY;   // right before what happens in it: when all is still as it was
  Trajectory out_;
  std::vector<double> knots_, states_;
  size_t next_knot_ = 0;
  double knots_until_ = INFINITY;  // those behind it are not looked for yet
  std::priority_queue<double, std::vector<double>, std::greater<>> delayed_;  // jumps that arrive later
  std::vector<double> corners_;  // times at which the start arrives through delays
  Stop at_stop_{};
  std::string failed_;
  std::optional<ConditionBounds> condition_bounds_;
  ConditionBounds::Samples samples_;
  std::vector<uint32_t> state_places_, sampled_states_;  // by state; of those that are sampled
  std::vector<LookedAt> looks_;                          // the last three
  uint64_t halvings_ = 0;                                // of stretches, to find what turns within
  double looks_of_run_ = 0;                              // at least: evenly spaced
  double interval_ = 0;
  uint64_t row_ = 0, rows_ = 0;  // output times that are past; rows given
  std::vector<double> values_;
};

}  // namespace

Trajectory Simulate(const Program& program, const std::vector<StartEntry>& starts,
                    const SimulationOptions& options, std::vector<uint32_t> slots) {
  Trajectory out = Simulator(program, options, std::move(slots)).Run(starts);
  // The user ended a call of foreign code: the run was stopped, it did not fail.
  if (!out.ok && out.foreign && options.components.interrupted && options.components.interrupted()) {
    out.ok = out.stopped = true;
    out.foreign = false;
    out.problem.clear();
  }
  return out;
}

}  // namespace cotree
