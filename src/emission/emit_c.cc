// SPDX-License-Identifier: Apache-2.0
#include "emission/emit_c.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "block_triangular/diagnose_order.h"
#include "emission/c_code.h"
#include "emission/c_text.h"
#include "emission/gap_order.h"
#include "emission/runtime.h"
#include "simulation/events.h"
#include "system_equations/loop_give.h"
#include "system_equations/variable_unit.h"

namespace cotree {
namespace {

constexpr std::string_view kInts = "MAYBE_UNUSED static const int",
                           kNumbers = "MAYBE_UNUSED static const double";

std::string Listed(const std::vector<std::string>& names) {
  constexpr size_t kMost = 8;
  std::string out;
  for (size_t k = 0; k < names.size() && k < kMost; ++k) out += (k > 0 ? ", `" : "`") + names[k] + "`";
  return names.size() > kMost ? out + fmt::format(" and {} more", names.size() - kMost) : out;
}

// Of a block that is solved by tears: where these lead nowhere, the whole of it is eliminated.
constexpr size_t kLargestTorn = 256;

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

  std::string Run(std::string* problem) {
    *problem = FindRefusal();
    if (problem->empty()) *problem = Begin();
    if (!problem->empty()) return {};
    FindFeatures();
    FindUses();
    FindPlaces();
    std::string out = Head() + Text("1_functions") + Sizes() + Text("2_interface") + PublicTables();
    out += Text("2_types");
    if (features_.count("tables") > 0) out += Text("3_tables");
    out += Data() + Codes();
    if (features_.count("blocks") > 0) out += Blocks() + Text("4_blocks");
    out += Steps() + Text("5_run");
    if (features_.count("events") > 0) out += Text("6_events");
    if (features_.count("projection") > 0) out += Text("6_projection");
    return out + RunOptions() + Text("7_main");
  }

 private:
  std::string Text(std::string_view name) const { return "\n" + RuntimeText(name, features_); }
  std::string Name(uint32_t component) const {
    return ComponentName(*system_.model, *system_.graph, ComponentId(component));
  }

  // ---- What cannot be emitted -----------------------------------------------------------------------------

  std::string FindRefusal() const {
    if (!program_.unsupported.empty()) return program_.unsupported.front() + " cannot be computed";
    std::vector<std::string> names;
    for (const Program::External& e : program_.externals) names.push_back(Name(e.component));
    if (!names.empty())
      return fmt::format(
          "{} {} code of {} own in a shared library, which an emitted program cannot call; give {} "
          "equations, "
          "or run the model with `cotree simulate`",
          Listed(names), names.size() == 1 ? "has" : "have", names.size() == 1 ? "its" : "their",
          names.size() == 1 ? "it" : "them");
    for (const ImplicitBlock& block : program_.blocks) {
      const size_t n = block.unknowns.size();
      if (n <= LinearSolver::kDense || (n <= kLargestTorn && UsesTears(block))) continue;
      return fmt::format(
          "a block of {} unknowns, {}, is too large for an emitted program ({} at most, or {} that {} of "
          "them "
          "determine): it joins {}; storage between them (a small capacity, inertia or elasticity) makes "
          "several blocks of it, or run the model with `cotree simulate`",
          n, run_.BlockText(block.block), LinearSolver::kDense, kLargestTorn, LinearSolver::kDense,
          Listed(ComponentsOfBlock(block)));
    }
    return {};
  }
  std::vector<std::string> ComponentsOfBlock(const ImplicitBlock& block) const {
    std::set<uint32_t> components;
    for (const uint32_t k : sorted_.Block(block.block)) {
      for (const ComponentId id : ComponentsOf(system_, sorted_.equations[k].equation))
        components.insert(id.value);
    }
    std::vector<std::string> names;
    for (const uint32_t c : components) {
      if (!Name(c).empty()) names.push_back(Name(c));
    }
    return names;
  }

  // The values with which a run begins, as Simulate finds them.
  std::string Begin() {
    const SimulationOptions& o = options_.run;
    const std::vector<double> knots = KnownSwitchTimes(program_, o.start, o.stop);
    run_.switch_time = (o.start + (knots.empty() ? o.stop : knots.front())) / 2;
    const Initialization begin = events_.Begin(starts_, {o.start, o.steady});
    return begin.ok ? "" : "at the start: " + begin.problem;
  }

  // ---- What is needed -------------------------------------------------------------------------------------

  void FindFeatures() {
    const auto add = [&](const char* name, bool needed) {
      if (needed) features_.insert(name);
    };
    add("blocks", !program_.blocks.empty());
    add("tables", !program_.tables.empty());
    add("switches", !program_.switches.empty());
    add("events", program_.HasEvents() || !program_.terminal_slots.empty());
    add("relations", !program_.relations.empty());
    add("whens", !program_.whens.empty());
    add("reinits", std::any_of(program_.actions.begin(), program_.actions.end(),
                               [](const Program::Action& a) { return a.reinit; }));
    add("delays", !program_.delays.empty());
    add("assertions", !program_.assertions.empty());
    add("past", !program_.delays.empty() || !program_.assertions.empty());
    add("decisions", !program_.decisions.empty());
    for (uint32_t b = 0; b < program_.blocks.size(); ++b) {
      const ImplicitBlock& block = program_.blocks[b];
      add("linear", block.kind != BlockKind::kNonlinear);
      add("nonlinear", block.kind == BlockKind::kNonlinear);
      add("tears", UsesTears(block));
      if (block.kind == BlockKind::kLinearConstant) continue;
      const auto equations = sorted_.Block(block.block);
      if (std::any_of(equations.begin(), equations.end(), [&](uint32_t k) {
            return sorted_.offsets.equation[sorted_.equations[k].equation] != 0;
          }))
        dead_blocks_.push_back(b);
    }
    add("dead_centres", !dead_blocks_.empty());
    FindGaps();
    add("projection", !gap_slots_.empty());
    add("give", give_ != UINT32_MAX && !watched_blocks_.empty());
    add("determinants", !dead_blocks_.empty() || features_.count("give") > 0);
  }

  // What a Projection holds at zero, and the blocks whose determinants it watches.
  void FindGaps() {
    std::set<uint32_t> watched;
    for (const EquationSystem::Invariant& invariant : system_.invariants) {
      if (!invariant.projected) continue;
      gap_slots_.push_back(sorted_.Slot({invariant.variable, 0}));
      if (invariant.multiplier == UINT32_MAX) continue;
      const uint32_t slot = sorted_.Slot({invariant.multiplier, 0});
      for (uint32_t b = 0; b < program_.blocks.size(); ++b) {
        const auto& unknowns = program_.blocks[b].unknowns;
        if (std::find(unknowns.begin(), unknowns.end(), slot) != unknowns.end()) watched.insert(b);
      }
    }
    if (gap_slots_.empty()) return;
    watched_blocks_.assign(watched.begin(), watched.end());
    const uint32_t give = GiveVariable(system_);
    if (give != UINT32_MAX) give_ = sorted_.Slot({give, 0});
    gaps_ = FindPatternOf(program_, gap_slots_);
    gap_order_ = FindGapOrder(gaps_, gap_slots_.size());
  }

  // Which codes are called, and which parameters they read.
  void FindUses() {
    called_.assign(program_.codes.size(), false);
    in_kernel_.assign(program_.codes.size(), false);
    in_block_.assign(program_.codes.size(), false);
    read_.assign(system_.parameters.values.size(), false);
    for (const Step& step : program_.steps) {
      if (step.kind != Step::Kind::kKernel) continue;
      const KernelRun& run = program_.runs[step.index];
      in_kernel_[run.code] = true;
      for (uint32_t i = 0; i < run.count; ++i) Use(run.code, program_.bases[run.first_base + i]);
    }
    for (const ImplicitBlock& block : program_.blocks) {
      for (const BlockRow& row : block.rows) {
        if (row.code == UINT32_MAX) continue;
        in_block_[row.code] = true;
        Use(row.code, row.parameters);
      }
    }
    const auto use = [&](const auto& list) {
      for (const auto& b : list) Use(b.code, b.parameters);
    };
    use(program_.switches);
    use(program_.relations);
    use(program_.delays);
    use(program_.whens);
    use(program_.actions);
    use(program_.assertions);
    use(program_.decisions);
    for (uint32_t c = 0; c < system_.graph->components.size(); ++c) {
      const Part& part = system_.parts[c];
      const ScalarElement& scalar = system_.scalars[part.scalar];
      for (uint32_t k = 0; k < scalar.parameters.size(); ++k) {
        const uint32_t at = system_.parameters.first[part.component] + k;
        if (read_[at]) settable_.push_back({part.component, k, at});
      }
    }
  }
  // The pattern of the Jacobian, where the matrices of blocks lie, what the motion between events depends on.
  void FindPlaces() {
    pattern_ = FindJacobianPattern(program_);
    work_.push_back(0);
    order_.push_back(0);
    for (const ImplicitBlock& block : program_.blocks) {
      const size_t n = block.unknowns.size(), tears = UsesTears(block) ? block.tearing.tears.size() : 0;
      size_t entries = 0;
      for (const BlockRow& row : block.rows) entries += row.columns.size();
      work_.push_back(work_.back() + entries + 3 * n + n * n + tears * tears + n * tears + tears);
      order_.push_back(order_.back() + n + tears);
    }
    for (const Program::Relation& r : program_.relations) {
      if (r.continuous) held_.push_back(r.slot);
    }
    for (const Program::Pre& p : program_.pres) {
      if (p.continuous) held_.push_back(p.slot);
    }
    held_.insert(held_.end(), program_.discrete_slots.begin(), program_.discrete_slots.end());
  }
  void Use(uint32_t code, uint32_t parameters) {
    called_[code] = true;
    for (const Instruction& i : program_.codes[code].instructions) {
      if (i.code == CodeOp::kParameter) read_[parameters + i.a] = true;
    }
  }

  // ---- The file -------------------------------------------------------------------------------------------

  std::string Head() const {
    std::string out = "/* Emitted by cotree " COTREE_VERSION "; do not edit.\n";
    for (const std::string& line : options_.head) out += "   " + CComment(line) + "\n";
    for (const ImplicitBlock& block : program_.blocks) {
      if (block.unknowns.size() > LinearSolver::kDense)
        out += fmt::format(
            "   The block of {} unknowns, {}, is\n   solved by its tears; where these lead nowhere, and in "
            "model_jacobian, the last digits differ from cotree's.\n",
            block.unknowns.size(), CComment(run_.BlockText(block.block)));
    }
    out += "   What is the same for all models is licensed under Apache-2.0.\n";
    out +=
        "\n   cc -std=c99 -O2 -ffp-contract=off -fno-builtin -DCOTREE_SLEEF model.c -lsleef -lm   the bits "
        "of cotree\n"
        "   cc -std=c99 -O2 -ffp-contract=off -fno-builtin model.c -lm                          with the "
        "platform's sin, exp, ...\n"
        "   -DMODEL_NO_MAIN leaves the program out: functions for a program of your own.\n\n"
        "   The values with which a run begins were found by cotree and stand here as constants. Other "
        "parameters change\n"
        "   what follows, not the states at the beginning; parameters that cotree computed from others do "
        "not follow them. */\n\n";
    return out;
  }

  std::string Sizes() const {
    size_t results = 2;
    for (size_t c = 0; c < program_.codes.size(); ++c) {
      if (called_[c]) results = std::max(results, program_.codes[c].results.size());
    }
    std::string out = "\nenum {\n";
    const auto add = [&](const char* name, size_t count, const char* what) {
      out += fmt::format(
          "  MODEL_{} = {},{:>{}}/* {} */\n", name, count, "",
          std::max<int>(1, 24 - static_cast<int>(std::string(name).size() + std::to_string(count).size())),
          what);
    };
    add("STATES", program_.state_slots.size(), "of derivatives, too");
    add("OUTPUTS", options_.columns.size(), "columns of the CSV");
    add("SETTABLE", settable_.size(), "parameters by name");
    add("INPUTS", program_.input_slots.size(),
        "free inputs and their derivatives: set m.v[model_input_slots[k]]");
    add("RELATIONS", program_.relations.size(), "conditions on the motion");
    add("JACOBIAN", pattern_.entries, "entries of the Jacobian");
    add("COLOURS", pattern_.colours, "of its columns");
    add("SLOTS", program_.slots, "all values");
    add("PARAMETERS", system_.parameters.values.size(), "their numbers");
    add("RESULTS", results, "of a piece of code, at most");
    if (features_.count("blocks") > 0) {
      add("BLOCKS", program_.blocks.size(), "of equations that are solved together");
      size_t largest = LinearSolver::kDense;
      for (const ImplicitBlock& block : program_.blocks) largest = std::max(largest, block.unknowns.size());
      add("UNKNOWNS", largest, "room for those of a block");
      add("WORK", work_.back(), "numbers for their matrices");
      add("ORDER", order_.back(), "and pivots");
    }
    if (features_.count("projection") > 0) {
      add("GAPS", gap_slots_.size(), "that must stay zero");
      add("GAP_ENTRIES", gaps_.entries, "of their Jacobian");
      add("GAP_COLOURS", gaps_.colours, "of its columns");
      add("GAP_FACTORS", gap_order_.factor_first.back(), "entries of factors");
      add("WATCHED", watched_blocks_.size(), "blocks of multipliers");
    }
    if (features_.count("switches") > 0) add("SWITCHES", program_.switches.size(), "at times known before");
    if (features_.count("delays") > 0) add("DELAYS", program_.delays.size(), "");
    if (features_.count("assertions") > 0) add("ASSERTIONS", program_.assertions.size(), "");
    if (features_.count("decisions") > 0) add("DECISIONS", Decisions().size(), "how equations were solved");
    if (features_.count("dead_centres") > 0)
      add("DEAD", dead_blocks_.size(), "blocks that may have dead centres");
    if (features_.count("events") > 0) {
      add("CLOCKS", program_.clocks.size(), "of samples");
      add("WHENS", program_.whens.size(), "");
      add("ACTIONS", program_.actions.size(), "of whens");
      add("PRES", program_.pres.size(), "values before an event");
      add("HELD", held_.size(), "what the motion between events depends on");
      add("INITIALS", program_.initial_slots.size(), "initial()");
      add("TERMINALS", program_.terminal_slots.size(), "terminal()");
    }
    out += "  MODEL_END = 0\n};\n";
    return out;
  }

  std::string ParameterName(uint32_t component, uint32_t k) const {
    const ScalarElement& scalar = system_.scalars[system_.parts[component].scalar];
    const std::string own(system_.model->expressions.SymbolName(scalar.parameters[k].symbol)),
        of = Name(component);
    return of.empty() ? own : of + "." + own;
  }
  std::string ParameterUnit(uint32_t component, uint32_t k) const {
    const ScalarElement& scalar = system_.scalars[system_.parts[component].scalar];
    const ComponentClass& cls = (*system_.model)[system_.graph->ElementOf(ComponentId(component)).class_id];
    const uint32_t number = scalar.parameters[k].parameter;
    if (number >= cls.parameters.size()) return {};
    const Type& type = cls.parameters[number].type;
    const std::string unit =
        type.quantity.IsNone() ? type.unit : system_.model->quantities[type.quantity.index()].unit;
    return unit == "1" || unit.find('$') != std::string::npos ? "" : unit;
  }

  // Names, units and places for who uses the interface.
  std::string PublicTables() const {
    std::string out =
        "\n/* ---- Names, units and places -------------------------------------------------- */\n";
    const auto add = [&](std::string_view name, const std::vector<std::string>& texts) {
      std::vector<std::string> quoted;
      for (const std::string& text : texts) quoted.push_back(CString(text));
      out += fmt::format("extern const char* const {}[];\n", name);
      out += CArray("const char* const", name, quoted);
    };
    const auto integers = [&](std::string_view name, const auto& values) {
      out += fmt::format("extern const int {}[];\n", name) + CIntegers("const int", name, values);
    };
    std::vector<std::string> names, units;
    std::vector<double> begin;
    for (const uint32_t slot : program_.state_slots) {
      names.push_back(sorted_.SlotName(slot));
      units.push_back(UnitOf(system_, sorted_.OfSlot(slot)));
      begin.push_back(run_.values[slot]);
    }
    add("model_state_names", names);
    add("model_state_units", units);
    out += "extern const double model_state_starts[];\n";
    out += CNumbers("const double", "model_state_starts", begin);
    integers("model_state_slots", program_.state_slots);
    names.clear(), units.clear();
    for (const EmitColumn& column : options_.columns) {
      names.push_back(column.name);
      units.push_back(column.unit);
    }
    add("model_output_names", names);
    add("model_output_units", units);
    names.clear(), units.clear();
    for (const Settable& s : settable_) {
      names.push_back(ParameterName(s.component, s.number));
      units.push_back(ParameterUnit(s.component, s.number));
    }
    add("model_parameter_names", names);
    add("model_parameter_units", units);
    names.clear();
    for (const uint32_t slot : program_.input_slots) names.push_back(sorted_.SlotName(slot));
    add("model_input_names", names);
    integers("model_input_slots", program_.input_slots);
    std::vector<size_t> first{0}, rows;
    for (const auto& column : pattern_.rows_of_column) {
      rows.insert(rows.end(), column.begin(), column.end());
      first.push_back(rows.size());
    }
    integers("model_jacobian_first", first);
    integers("model_jacobian_rows", rows);
    return out;
  }

  static std::string Bound(const Program::Bound& b) {
    return fmt::format("{{{}, {}, {}}}", b.code, b.first_local, b.parameters);
  }
  static std::string Structs(std::string_view type, std::string_view name,
                             const std::vector<std::string>& elements) {
    return CArray(fmt::format("MAYBE_UNUSED static const {}", type), name, elements, "{0}");
  }
  // Decisions that look at the same numbers are one.
  std::vector<Program::Decision> Decisions() const {
    std::set<std::pair<uint32_t, uint32_t>> seen;
    std::vector<Program::Decision> out;
    for (const Program::Decision& d : program_.decisions) {
      if (seen.insert({d.code, d.parameters}).second) out.push_back(d);
    }
    return out;
  }

  std::string Data() const {
    std::string out =
        "\n/* ---- Numbers ---------------------------------------------------------------------- */\n";
    std::vector<std::string> list;
    const auto structs = [&](std::string_view type, std::string_view name) {
      out += Structs(type, name, list);
      list.clear();
    };
    out += CNumbers(kNumbers, "parameter_numbers", system_.parameters.values);
    std::vector<uint32_t> slots;
    for (const Settable& s : settable_) slots.push_back(s.at);
    out += CIntegers(kInts, "parameter_slots", slots);
    out += CNumbers(kNumbers, "start_values", run_.values);
    out += CIntegers(kInts, "derivative_slots", program_.derivative_slots);
    for (const EmitColumn& column : options_.columns)
      list.push_back(fmt::format("{{{}, {}}}", column.slot, column.sign < 0 ? -1 : 1));
    structs("entry", "outputs");
    out += CIntegers(kInts, "jacobian_colours", pattern_.colour_of_column);
    out += CIntegers(kInts, "locals", program_.locals);
    out += CIntegers(kInts, "targets", program_.targets);
    out += CIntegers(kInts, "bases", program_.bases);
    for (const SumRow& row : program_.sums)
      list.push_back(fmt::format("{{{}, {}, {}}}", row.target, row.first, row.count));
    structs("sum", "sums");
    for (const SumEntry& e : program_.sum_entries) list.push_back(fmt::format("{{{}, {}}}", e.slot, e.sign));
    if (list.empty()) list.assign(2, "{0, 0}");  // compilers look ahead
    structs("entry", "sum_entries");
    if (features_.count("tables") > 0) out += Tables();
    if (features_.count("switches") > 0) {
      for (const Program::KnownSwitch& s : program_.switches)
        list.push_back(fmt::format("{{{}, {}, {}, {}}}", static_cast<int>(s.kind), s.code, s.parameters,
                                   s.kind == TimeSwitch::Kind::kKnots ? s.table : 0));
      structs("known_switch", "switches");
    }
    if (features_.count("decisions") > 0) {
      for (const Program::Decision& d : Decisions())
        list.push_back(fmt::format("{{{}, {}, {}}}", d.code, d.parameters, d.nonzero ? 1 : 0));
      out += CArray("MAYBE_UNUSED static const struct {\n  int code, parameters, nonzero;\n}", "decisions",
                    list, "{0}");
      list.clear();
    }
    if (features_.count("delays") > 0) {
      for (size_t k = 0; k < program_.delays.size(); ++k) {
        const Program::Delay& d = program_.delays[k];
        list.push_back(fmt::format("{{{}, {}, {}, {}}}", Bound(d), d.slot, CNumber(run_.delay_lines[k].delay),
                                   CNumber(run_.delay_lines[k].last_value())));
      }
      structs("delay", "delays");
    }
    if (features_.count("assertions") > 0) {
      for (const Program::Assertion& a : program_.assertions) {
        const std::string name = Name(a.component);
        list.push_back(fmt::format("{{{}, {}}}", Bound(a),
                                   CString(name.empty() ? a.message : "`" + name + "`: " + a.message)));
      }
      structs("assertion", "assertions");
    }
    if (features_.count("projection") > 0) out += GapData();
    return features_.count("events") > 0 ? out + EventData() : out;
  }

  std::string GapData() const {
    std::vector<size_t> first{0}, rows;
    for (const auto& column : gaps_.rows_of_column) {
      rows.insert(rows.end(), column.begin(), column.end());
      first.push_back(rows.size());
    }
    std::vector<std::string> entries;
    for (const auto& [row, from] : gap_order_.entries)
      entries.push_back(fmt::format("{{{}, {}}}", row, from));
    std::string out = CIntegers(kInts, "gap_slots", gap_slots_) + CIntegers(kInts, "gap_first", first) +
                      CIntegers(kInts, "gap_rows", rows) +
                      CIntegers(kInts, "gap_colours", gaps_.colour_of_column) +
                      CIntegers(kInts, "gap_order", gap_order_.place) +
                      CIntegers(kInts, "gap_square_first", gap_order_.first) +
                      CIntegers(kInts, "gap_parents", gap_order_.parents) +
                      CIntegers(kInts, "gap_factor_first", gap_order_.factor_first) +
                      CIntegers(kInts, "watched_blocks", watched_blocks_);
    out += CArray("MAYBE_UNUSED static const struct {\n  int row, from;\n}", "gap_square", entries, "{0}");
    if (features_.count("give") > 0) out += fmt::format("static const int give_slot = {};\n", give_);
    return out;
  }

  std::string EventData() const {
    std::string out;
    std::vector<std::string> list;
    const auto structs = [&](std::string_view type, std::string_view name) {
      out += Structs(type, name, list);
      list.clear();
    };
    for (const Program::Relation& r : program_.relations)
      list.push_back(fmt::format("{{{}, {}, {}}}", Bound(r), static_cast<int>(r.kind), r.slot));
    if (!list.empty()) structs("relation", "relations");
    out += CNumbers(kNumbers, "relation_largest", events_.largest());
    out += CNumbers(kNumbers, "relation_noise", events_.noise());
    out += CIntegers(kInts, "relation_blocked", events_.blocked());
    for (const Program::Pre& p : program_.pres) list.push_back(fmt::format("{{{}, {}}}", p.slot, p.of));
    structs("pre", "pres");
    for (size_t k = 0; k < program_.clocks.size(); ++k) {
      const Events::ClockState& c = events_.clocks()[k];
      list.push_back(fmt::format("{{{}, {}, {}, {}}}", CNumber(c.start), CNumber(c.period), CNumber(c.next),
                                 program_.clocks[k].slot));
    }
    structs("clock_", "clocks");
    for (const Program::Action& a : program_.actions)
      list.push_back(fmt::format("{{{}, {}, {}}}", Bound(a), a.target, a.reinit ? 1 : 0));
    if (!list.empty()) structs("action", "actions");
    for (const Program::When& w : program_.whens)
      list.push_back(fmt::format("{{{}, {}, {}, {}, {}}}", Bound(w), w.is_elsewhen ? 1 : 0, w.first_action,
                                 w.actions, w.stops ? CString(w.reason) : "NULL"));
    if (!list.empty()) structs("when", "whens");
    out += CIntegers(kInts, "when_conditions", events_.conditions());
    out += CIntegers(kInts, "held_slots", held_);
    out += CIntegers(kInts, "initial_slots", program_.initial_slots);
    out += CIntegers(kInts, "terminal_slots", program_.terminal_slots);
    return out;
  }

  std::string Tables() const {
    std::string out;
    std::vector<std::string> list;
    for (size_t k = 0; k < program_.tables.size(); ++k) {
      const TableFunction& f = program_.tables[k];
      const auto numbers = [&](const char* what, const std::vector<double>& values) {
        const std::string name = fmt::format("table_{}_{}", k, what);
        if (values.empty()) return std::string("NULL");
        out += CNumbers(kNumbers, name, values);
        return name;
      };
      const std::string x = numbers("x", f.knots()), y = numbers("y", f.columns()),
                        z = numbers("z", f.values()), slopes = numbers("slopes", f.slopes());
      list.push_back(fmt::format("{{{}, {}, {}, {}, {}, {}, {}, {}}}", f.knots().size(), f.columns().size(),
                                 x, y, z, slopes, f.interpolation() == Table::Interpolation::kHold ? 1 : 0,
                                 static_cast<int>(f.extrapolation())));
    }
    return out + Structs("table", "tables", list);
  }

  std::string Codes() const {
    std::string out =
        "\n/* ---- The code of the model's classes: each function serves all components of a class "
        "--------------------- */\n";
    std::vector<std::string> codes, tangents;
    for (uint32_t c = 0; c < program_.codes.size(); ++c) {
      codes.push_back(called_[c] ? fmt::format("code_{}", c) : "NULL");
      tangents.push_back(in_block_[c] ? fmt::format("tangent_{}", c) : "NULL");
      if (called_[c]) out += CFunction(program_.codes[c], c);
      if (in_kernel_[c] || in_block_[c]) out += CTangent(program_.codes[c], c, !in_kernel_[c]);
    }
    out += CArray("MAYBE_UNUSED static code* const", "codes", codes, "NULL");
    return out + CArray("MAYBE_UNUSED static code* const", "tangents", tangents, "NULL");
  }

  std::string Blocks() const {
    std::vector<uint32_t> unknowns, columns, tears, rests, refused;
    std::vector<int> signs;
    std::vector<std::string> rows, entries, inners, blocks;
    size_t entry_count = 0;
    for (uint32_t b = 0; b < program_.blocks.size(); ++b) {
      const ImplicitBlock& block = program_.blocks[b];
      const bool torn = UsesTears(block);
      const size_t first_row = rows.size(), first_unknown = unknowns.size();
      size_t partials = 0;
      for (const BlockRow& row : block.rows) {
        uint32_t slot = 0;
        const size_t first_entry = entry_count;
        if (row.code == UINT32_MAX) {
          slot = sorted_.Slot({system_.row_defined[row.row], row.times});
          for (uint32_t k = system_.row_first[row.row]; k < system_.row_first[row.row + 1]; ++k) {
            const RowEntry& e = system_.row_entries[k];
            entries.push_back(fmt::format("{{{}, {}}}", sorted_.Slot({e.variable, e.order + row.times}),
                                          static_cast<int>(e.sign)));
            ++entry_count;
          }
        }
        rows.push_back(fmt::format("{{{}, {}, {}, {}, {}, {}, {}, {}, {}}}",
                                   row.code == UINT32_MAX ? -1 : static_cast<int64_t>(row.code),
                                   row.first_local, row.parameters, slot, first_entry,
                                   entry_count - first_entry, columns.size(), row.columns.size(), partials));
        for (size_t k = 0; k < row.columns.size(); ++k) {
          columns.push_back(row.columns[k]);
          signs.push_back(k < row.signs.size() ? row.signs[k] : 0);
        }
        partials += row.columns.size();
      }
      unknowns.insert(unknowns.end(), block.unknowns.begin(), block.unknowns.end());
      const char* kind = block.kind == BlockKind::kLinearConstant ? "BLOCK_CONSTANT"
                         : block.kind == BlockKind::kLinear       ? "BLOCK_LINEAR"
                                                                  : "BLOCK_NONLINEAR";
      blocks.push_back(fmt::format("{{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}}", kind,
                                   block.unknowns.size(), first_unknown, first_row, partials, work_[b],
                                   order_[b], torn ? block.tearing.tears.size() : 0, tears.size(),
                                   inners.size(), torn ? block.tearing.inner.size() : 0, rests.size(),
                                   CString(run_.BlockText(block.block))));
      refused.push_back(run_.RefusedTears(b));
      if (!torn) continue;
      tears.insert(tears.end(), block.tearing.tears.begin(), block.tearing.tears.end());
      rests.insert(rests.end(), block.tearing.rows.begin(), block.tearing.rows.end());
      for (const Tearing::Inner& i : block.tearing.inner)
        inners.push_back(fmt::format("{{{}, {}, {}}}", i.row, i.column, i.entry));
    }
    std::string out = "\n";
    out += CIntegers(kInts, "block_unknowns", unknowns) + CIntegers(kInts, "block_columns", columns) +
           CIntegers(kInts, "block_signs", signs) + CIntegers(kInts, "block_tears", tears) +
           CIntegers(kInts, "block_rests", rests) + CIntegers(kInts, "block_refused", refused);
    out += Structs("entry", "block_entries", entries) + Structs("block_row", "block_rows", rows) +
           Structs("block_inner", "block_inners", inners) + Structs("block", "blocks", blocks);
    if (!dead_blocks_.empty()) {
      out += CIntegers(kInts, "dead_blocks", dead_blocks_);
      out += fmt::format("{} dead_zero = {};\n", kNumbers,
                         CNumber(std::log(std::max(1e-5, std::sqrt(20 * options_.run.rtol)))));
    }
    return out;
  }

  // The steps in functions of some length, so that compilers take linear time.
  std::string StepFunctions(std::string_view name, bool tangents) const {
    constexpr size_t kMost = 200;
    const char array = tangents ? 'd' : 'v';
    std::string out, all;
    size_t part = 0;
    for (size_t first = 0; first < program_.steps.size(); first += kMost, ++part) {
      out += fmt::format("static int {}_{}(model* m) {{\n  double r[MODEL_RESULTS + 1];\n  (void)r;\n", name,
                         part);
      for (size_t k = first; k < std::min(first + kMost, program_.steps.size()); ++k)
        out += StepText(program_.steps[k], array, tangents ? "tangent" : "code");
      out += "  return 1;\n}\n";
      all += fmt::format("{}{}_{}(m)", part > 0 ? " && " : "", name, part);
    }
    return out + fmt::format("static int {}(model* m) {{\n{}  return {};\n}}\n", name,
                             part > 0 ? "" : "  (void)m;\n", part > 0 ? all : "1");
  }
  std::string StepText(const Step& step, char array, std::string_view function) const {
    if (step.kind == Step::Kind::kBlock)
      return fmt::format("  if (!{}_block(m, {})) return 0;\n", array == 'd' ? "tangent" : "solve",
                         step.index);
    if (step.kind == Step::Kind::kSums)
      return fmt::format(
          "  for (int i = {}; i < {}; ++i) {{\n"
          "    const entry* e = sum_entries + sums[i].first;\n"
          "    double total = sums[i].count > 0 ? e[0].sign * m->{}[e[0].slot] : 0;\n"
          "    for (int k = 1; k < sums[i].count; ++k) total += e[k].sign * m->{}[e[k].slot];\n"
          "    m->{}[sums[i].target] = total;\n"
          "  }}\n",
          step.index, step.index + step.count, array, array, array);
    const KernelRun& run = program_.runs[step.index];
    const Code& code = program_.codes[run.code];
    const size_t results = code.results.size();
    std::string out;
    if (run.count == 1) {
      out = fmt::format("  {}_{}(m, m->p + {}, locals + {}, r);\n", function, run.code,
                        program_.bases[run.first_base], run.first_local);
      for (size_t k = 0; k < results; ++k)
        out += fmt::format("  m->{}[{}] = r[{}];\n", array, program_.targets[run.first_target + k], k);
      return out;
    }
    out = fmt::format(
        "  for (int i = 0; i < {}; ++i) {{\n    {}_{}(m, m->p + bases[{} + i], locals + {} + i * {}, r);\n",
        run.count, function, run.code, run.first_base, run.first_local, code.locals);
    for (size_t k = 0; k < results; ++k)
      out +=
          fmt::format("    m->{}[targets[{} + i * {}]] = r[{}];\n", array, run.first_target + k, results, k);
    return out + "  }\n";
  }
  std::string Steps() const {
    return "\n/* ---- The order of computation "
           "-------------------------------------------------------------------- */\n" +
           StepFunctions("run_steps", false) + StepFunctions("run_tangents", true);
  }

  std::string RunOptions() const {
    const SimulationOptions& o = options_.run;
    const char* method = o.method == Method::kEuler ? "0" : o.method == Method::kHeun ? "1" : "2";
    return fmt::format(
        "\n#ifndef MODEL_NO_MAIN\nstatic const int run_method = {}; /* 0 euler, 1 heun, 2 rk4 */\n"
        "static const double run_start = {}, run_stop = {}, run_step = {}, run_interval = {}, run_max_step = "
        "{};\n"
        "#endif\n",
        method, CNumber(o.start), CNumber(o.stop), CNumber(o.step), CNumber(o.interval), CNumber(o.max_step));
  }

  struct Settable {
    uint32_t component, number, at;
  };
  const Program& program_;
  const SortedSystem& sorted_;
  const EquationSystem& system_;
  const std::vector<StartEntry>& starts_;
  const EmitOptions& options_;
  ProgramRun run_;
  Events events_;
  std::set<std::string> features_;
  std::vector<bool> called_, in_kernel_, in_block_, read_;
  std::vector<Settable> settable_;
  std::vector<uint32_t> dead_blocks_, held_;
  std::vector<size_t> work_, order_;  // by block, + 1: where its numbers begin
  JacobianPattern pattern_, gaps_;
  std::vector<uint32_t> gap_slots_, watched_blocks_;
  GapOrder gap_order_;
  uint32_t give_ = UINT32_MAX;
};

}  // namespace

std::string EmitC(const Program& program, const std::vector<StartEntry>& starts, const EmitOptions& options,
                  std::string* problem) {
  return Emitter(program, starts, options).Run(problem);
}

}  // namespace cotree
