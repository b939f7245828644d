// SPDX-License-Identifier: Apache-2.0
#include "simulation/condition_bounds.h"

#include <algorithm>
#include <cmath>

#include "simulation/simulate.h"

namespace cotree {
namespace {

// Functions that bend: what they are of may turn them more often than it turns itself.
bool Bends(const Instruction& i) {
  switch (i.code) {
    case CodeOp::kTable:
      return true;
    case CodeOp::kIntegerPower:
      return i.number < 0;
    case CodeOp::kUnary:
      return i.op != Op::kNot && i.op != Op::kSign && i.op != Op::kFloor && i.op != Op::kCeil;
    case CodeOp::kBinary:
      return i.op == Op::kDivide || i.op == Op::kPower || i.op == Op::kAtan2 || i.op == Op::kMin ||
             i.op == Op::kMax;
    default:
      return false;
  }
}

/* How code is looked through: which of its registers move, and whether one of them bends. */
struct Bending {
  bool moves = false, bends = false;
};

// Three samples, as a parabola with as much again on either side.
Enclosure FromSamples(double a, double m, double b, double length) {
  const double curve = 0.5 * std::fabs(a - 2 * m + b);
  const double first = (4 * m - 3 * a - b) / length, last = (a - 4 * m + 3 * b) / length;
  const double more = 2 * curve / length;
  return {{std::min({a, m, b}) - curve, std::max({a, m, b}) + curve},
          {std::min(first, last) - more, std::max(first, last) + more},
          0};
}

}  // namespace

ConditionBounds::ConditionBounds(const Program& program) : program_(program) {
  if (!program.relations.empty()) FindSteps();
}

uint32_t ConditionBounds::Place(uint32_t slot) {
  uint32_t& place = place_of_slot_[slot];
  if (place == UINT32_MAX) {
    place = static_cast<uint32_t>(places_.size());
    places_.emplace_back();
  }
  return place;
}

std::vector<uint32_t> ConditionBounds::ReadBy(const ImplicitBlock& block) const {
  const SortedSystem& sorted = *program_.sorted;
  const EquationSystem& system = *sorted.system;
  std::vector<uint32_t> out;
  for (const BlockRow& row : block.rows) {
    if (row.foreign != UINT32_MAX) {
      const Program::ForeignGroup& group = program_.foreign[row.foreign];
      for (size_t k = 0; k < group.arguments(); ++k) out.push_back(group.argument(k));
    } else if (row.code == UINT32_MAX) {
      for (uint32_t k = system.row_first[row.row]; k < system.row_first[row.row + 1]; ++k) {
        const RowEntry& e = system.row_entries[k];
        out.push_back(sorted.Slot({e.variable, e.order + row.times}));
      }
    } else {
      const auto first = program_.locals.begin() + row.first_local;
      out.insert(out.end(), first, first + program_.codes[row.code].locals);
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  std::erase_if(out, [&](uint32_t slot) {
    return std::find(block.unknowns.begin(), block.unknowns.end(), slot) != block.unknowns.end();
  });
  return out;
}

// Forwards through the program: what moves and what bends, by slot. Then backwards from the conditions that
// bend: what they need.
void ConditionBounds::FindSteps() {
  const Program& p = program_;
  enum class Source : uint8_t { kHeld, kState, kSampled, kComputed };
  std::vector<Source> source(p.slots, Source::kHeld);
  std::vector<Bending> motion(p.slots);
  for (const uint32_t slot : p.state_slots) {
    source[slot] = Source::kState;
    motion[slot].moves = true;
  }
  for (const Program::Delay& d : p.delays) {
    source[d.slot] = Source::kSampled;
    motion[d.slot].moves = true;
  }
  std::vector<Bending> registers;
  const auto look = [&](const Code& code, const uint32_t* locals) {
    registers.assign(code.instructions.size(), {});
    for (size_t k = 0; k < code.instructions.size(); ++k) {
      const Instruction& i = code.instructions[k];
      Bending m;
      if (i.code == CodeOp::kLoad) m = motion[locals[i.a]];
      m.moves = m.moves || i.code == CodeOp::kTime;
      OverOperands(i, [&](uint32_t a) {
        m.moves = m.moves || registers[a].moves;
        m.bends = m.bends || registers[a].bends;
      });
      const bool argument = i.code == CodeOp::kBinary && i.op == Op::kDivide ? registers[i.b].moves : m.moves;
      m.bends = m.bends || (argument && Bends(i));
      registers[k] = m;
    }
  };
  const auto sampled = [&](const std::vector<uint32_t>& results, const std::vector<uint32_t>& arguments) {
    Bending m{true, false};
    for (const uint32_t slot : arguments) m.bends = m.bends || motion[slot].bends;
    for (const uint32_t slot : results) {
      source[slot] = Source::kSampled;
      motion[slot] = m;
    }
  };
  // A step of the program, or an instance of one.
  struct Maker {
    enum class Kind : uint8_t { kKernel, kSum, kBlock, kForeign } kind;
    uint32_t index, instance;
  };
  std::vector<Maker> makers;
  for (const cotree::Step& step : p.steps) {
    switch (step.kind) {
      case cotree::Step::Kind::kKernel: {
        const KernelRun& run = p.runs[step.index];
        const Code& code = p.codes[run.code];
        for (uint32_t i = 0; i < run.count; ++i) {
          look(code, p.locals.data() + run.first_local + size_t{i} * code.locals);
          for (size_t r = 0; r < code.results.size(); ++r) {
            const uint32_t slot = p.targets[run.first_target + i * code.results.size() + r];
            source[slot] = Source::kComputed;
            motion[slot] = registers[code.results[r]];
          }
          makers.push_back({Maker::Kind::kKernel, step.index, i});
        }
        break;
      }
      case cotree::Step::Kind::kSums:
        for (uint32_t k = step.index; k < step.index + step.count; ++k) {
          Bending m;
          for (uint32_t e = p.sums[k].first; e < p.sums[k].first + p.sums[k].count; ++e) {
            m.moves = m.moves || motion[p.sum_entries[e].slot].moves;
            m.bends = m.bends || motion[p.sum_entries[e].slot].bends;
          }
          source[p.sums[k].target] = Source::kComputed;
          motion[p.sums[k].target] = m;
          makers.push_back({Maker::Kind::kSum, k, 0});
        }
        break;
      case cotree::Step::Kind::kBlock:
        sampled(p.blocks[step.index].unknowns, ReadBy(p.blocks[step.index]));
        makers.push_back({Maker::Kind::kBlock, step.index, 0});
        break;
      case cotree::Step::Kind::kForeign: {
        const Program::ForeignGroup& group = p.foreign[step.index];
        std::vector<uint32_t> arguments;
        for (size_t k = 0; k < group.arguments(); ++k) arguments.push_back(group.argument(k));
        sampled(group.results, arguments);
        makers.push_back({Maker::Kind::kForeign, step.index, 0});
        break;
      }
    }
  }

  place_of_slot_.assign(p.slots, UINT32_MAX);
  std::vector<uint8_t> needed(p.slots, 0);
  const auto need = [&](const uint32_t* locals, uint32_t count) {
    for (uint32_t k = 0; k < count; ++k) needed[locals[k]] = 1;
  };
  std::vector<uint32_t> watched;
  for (uint32_t k = 0; k < p.relations.size(); ++k) {
    const Program::Relation& r = p.relations[k];
    const Code& code = p.codes[r.code];
    look(code, p.locals.data() + r.first_local);
    if (!registers[code.results[0]].bends) continue;
    watched.push_back(k);
    need(p.locals.data() + r.first_local, code.locals);
  }
  if (watched.empty()) return;
  const auto item = [&](uint32_t code, const uint32_t* locals, uint32_t parameters) {
    Item out{code, static_cast<uint32_t>(locals_.size()), parameters, static_cast<uint32_t>(targets_.size())};
    for (uint32_t k = 0; k < p.codes[code].locals; ++k) locals_.push_back(Place(locals[k]));
    return out;
  };
  for (auto maker = makers.rbegin(); maker != makers.rend(); ++maker) {
    switch (maker->kind) {
      case Maker::Kind::kKernel: {
        const KernelRun& run = p.runs[maker->index];
        const Code& code = p.codes[run.code];
        const uint32_t* first = p.targets.data() + run.first_target + maker->instance * code.results.size();
        const uint32_t* locals = p.locals.data() + run.first_local + size_t{maker->instance} * code.locals;
        if (std::none_of(first, first + code.results.size(), [&](uint32_t s) { return needed[s] != 0; }))
          break;
        need(locals, code.locals);
        items_.push_back(item(run.code, locals, p.bases[run.first_base + maker->instance]));
        for (size_t r = 0; r < code.results.size(); ++r) targets_.push_back(Place(first[r]));
        steps_.push_back({Step::Kind::kItem, static_cast<uint32_t>(items_.size() - 1)});
        break;
      }
      case Maker::Kind::kSum: {
        const SumRow& sum = p.sums[maker->index];
        if (needed[sum.target] == 0) break;
        sums_.push_back({Place(sum.target), static_cast<uint32_t>(sum_entries_.size()), sum.count});
        for (uint32_t e = sum.first; e < sum.first + sum.count; ++e) {
          needed[p.sum_entries[e].slot] = 1;
          sum_entries_.emplace_back(Place(p.sum_entries[e].slot), p.sum_entries[e].sign);
        }
        steps_.push_back({Step::Kind::kSum, static_cast<uint32_t>(sums_.size() - 1)});
        break;
      }
      default: {
        const bool block = maker->kind == Maker::Kind::kBlock;
        std::vector<uint32_t> arguments = block ? ReadBy(p.blocks[maker->index]) : std::vector<uint32_t>{};
        const std::vector<uint32_t>& results =
            block ? p.blocks[maker->index].unknowns : p.foreign[maker->index].results;
        if (!block) {
          const Program::ForeignGroup& group = p.foreign[maker->index];
          for (size_t k = 0; k < group.arguments(); ++k) arguments.push_back(group.argument(k));
        }
        Join join;
        for (const uint32_t slot : results) {
          if (needed[slot] != 0) join.results.push_back(Place(slot));
        }
        if (join.results.empty()) break;
        need(arguments.data(), static_cast<uint32_t>(arguments.size()));
        for (const uint32_t slot : arguments) join.arguments.push_back(Place(slot));
        joins_.push_back(std::move(join));
        steps_.push_back({Step::Kind::kJoin, static_cast<uint32_t>(joins_.size() - 1)});
      }
    }
  }
  std::reverse(steps_.begin(), steps_.end());
  for (const uint32_t k : watched) {
    const Program::Relation& r = p.relations[k];
    relations_.push_back({k, item(r.code, p.locals.data() + r.first_local, r.parameters)});
  }
  for (uint32_t k = 0; k < p.state_slots.size(); ++k) {
    if (place_of_slot_[p.state_slots[k]] == UINT32_MAX) continue;
    states_.push_back(k);
    state_places_.push_back(place_of_slot_[p.state_slots[k]]);
  }
  for (uint32_t slot = 0; slot < p.slots; ++slot) {
    if (place_of_slot_[slot] == UINT32_MAX) continue;
    if (source[slot] == Source::kHeld) held_.emplace_back(slot, place_of_slot_[slot]);
    if (source[slot] != Source::kSampled) continue;
    sampled_.push_back(slot);
    sampled_places_.push_back(place_of_slot_[slot]);
  }
}

bool ConditionBounds::MayHide(const Samples& s, const ProgramRun& run) {
  constexpr double kMostPhase = 0.5;  // between three looks
  const double length = s.end - s.begin;
  for (const auto& [slot, place] : held_) places_[place] = {Interval::Point(run.values[slot]), {}, 0};
  for (size_t k = 0; k < states_.size(); ++k)
    places_[state_places_[k]] = FromSamples(s.states[0][k], s.states[1][k], s.states[2][k], length);
  for (size_t k = 0; k < sampled_.size(); ++k)
    places_[sampled_places_[k]] = FromSamples(s.sampled[0][k], s.sampled[1][k], s.sampled[2][k], length);
  const double* parameters = program_.sorted->system->parameters.values.data();
  EnclosureContext context;
  context.values = places_.data();
  context.time = {s.begin, s.end};
  context.switch_time = run.switch_time;
  context.tables = &program_.tables;
  const auto enclose = [&](const Item& item) {
    context.locals = locals_.data() + item.first_local;
    context.parameters = parameters + item.parameters;
    EncloseCode(program_.codes[item.code], context, registers_);
  };
  for (const Step& step : steps_) {
    switch (step.kind) {
      case Step::Kind::kItem: {
        const Item& item = items_[step.index];
        enclose(item);
        const std::vector<uint32_t>& results = program_.codes[item.code].results;
        for (size_t r = 0; r < results.size(); ++r)
          places_[targets_[item.first_target + r]] = registers_[results[r]];
        break;
      }
      case Step::Kind::kSum: {
        const Sum& sum = sums_[step.index];
        Enclosure out;
        for (uint32_t e = sum.first; e < sum.first + sum.count; ++e) {
          const auto& [place, sign] = sum_entries_[e];
          const Interval factor = Interval::Point(sign);
          out.value = out.value + factor * places_[place].value;
          out.slope = out.slope + factor * places_[place].slope;
          out.phase = std::max(out.phase, places_[place].phase);
        }
        places_[sum.target] = out;
        break;
      }
      case Step::Kind::kJoin: {
        // Where the arguments turn, samples tell nothing.
        double phase = 0;
        for (const uint32_t place : joins_[step.index].arguments)
          phase = std::max(phase, places_[place].phase);
        for (const uint32_t place : joins_[step.index].results) {
          if (phase > kMostPhase) places_[place] = {Interval::All(), Interval::All(), phase};
          places_[place].phase = phase;
        }
        break;
      }
    }
  }
  bool hides = false;
  most_phase_ = 0;
  for (const Watched& w : relations_) {
    const Program::Relation& r = program_.relations[w.relation];
    enclose(w.item);
    const Enclosure& x = registers_[program_.codes[w.item.code].results[0]];
    if (std::isfinite(x.phase)) most_phase_ = std::max(most_phase_, x.phase);
    if (!(x.phase > kMostPhase)) continue;
    const double held = run.values[r.slot];
    bool same = false;
    switch (r.kind) {
      case Program::Relation::Kind::kLess:
        same = held != 0 ? x.value.high < 0 : x.value.low >= 0;
        break;
      case Program::Relation::Kind::kLessEqual:
        same = held != 0 ? x.value.high <= 0 : x.value.low > 0;
        break;
      case Program::Relation::Kind::kLevel:
        same = x.value.low >= held && x.value.high < held + 1;
        break;
    }
    hides = hides || !same;
  }
  return hides;
}

double FixedLooks(const Program& program, const ProgramRun& run, const SimulationOptions& options) {
  constexpr double kLeast = 500, kMost = 1e7, kPieces = 100;
  ConditionBounds bounds(program);
  if (bounds.none()) return kLeast;
  ConditionBounds::Samples samples;
  for (size_t k = 0; k < 3; ++k) {
    for (const uint32_t state : bounds.states())
      samples.states[k].push_back(run.values[program.state_slots[state]]);
    for (const uint32_t slot : bounds.sampled()) samples.sampled[k].push_back(run.values[slot]);
  }
  double most = 0;
  for (double k = 0; k < kPieces; ++k) {
    const double length = (options.stop - options.start) / kPieces;
    samples.begin = options.start + k * length;
    samples.end = samples.begin + length;
    bounds.MayHide(samples, run);
    most = std::max(most, bounds.MostPhase());
  }
  return std::clamp(std::ceil(4 * kPieces * most), kLeast, kMost);
}

}  // namespace cotree
