// SPDX-License-Identifier: Apache-2.0
// Names and numbers of a model as tables.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "emission/c_text.h"
#include "emission/emitter.h"
#include "expr/print_c.h"
#include "simulation/error_scale.h"
#include "system_equations/variable_unit.h"

namespace cotree {
namespace {

constexpr std::string_view kInts = "MAYBE_UNUSED static const int",
                           kNumbers = "MAYBE_UNUSED static const double";

std::string Bound(const Program::Bound& b) {
  return fmt::format("{{{}, {}, {}}}", b.code, b.first_local, b.parameters);
}

std::string Structs(std::string_view type, std::string_view name, const std::vector<std::string>& elements) {
  return CArray(fmt::format("MAYBE_UNUSED static const {}", type), name, elements, "{0}");
}

}  // namespace

std::string Emitter::ParameterName(uint32_t component, uint32_t k) const {
  const ScalarElement& scalar = system_.scalars[system_.parts[component].scalar];
  const std::string own(system_.model->expressions.SymbolName(scalar.parameters[k].symbol)),
      of = Name(component);
  return of.empty() ? own : of + "." + own;
}

// Parameters of the system that the program cannot be given other numbers of; not all of very large ones.
std::vector<std::string> Emitter::FixedNames() const {
  constexpr size_t kMost = 10000;
  std::set<std::string> settable;
  for (const Settable& s : settable_) settable.insert(ParameterName(s.component, s.number));
  std::vector<std::string> out;
  for (uint32_t c = 0; c < system_.graph->components.size() && out.size() < kMost; ++c) {
    const ComponentClass& cls = system_.graph->ClassOf(*system_.model, ComponentId(c));
    const std::string of = Name(c);
    for (const Parameter& p : cls.parameters) {
      const std::string own(system_.model->expressions.SymbolName(p.symbol)),
          name = of.empty() ? own : of + "." + own;
      if (settable.count(name) == 0) out.push_back(name);
    }
  }
  return out;
}

std::string Emitter::ParameterUnit(uint32_t component, uint32_t k) const {
  const ScalarElement& scalar = system_.scalars[system_.parts[component].scalar];
  const ComponentClass& cls = (*system_.model)[system_.graph->ElementOf(ComponentId(component)).class_id];
  const uint32_t number = scalar.parameters[k].parameter;
  if (number >= cls.parameters.size()) return {};
  const Type& type = cls.parameters[number].type;
  const std::string unit =
      type.quantity.IsNone() ? type.unit : system_.model->quantities[type.quantity.index()].unit;
  return unit == "1" || unit.find('$') != std::string::npos ? "" : unit;
}

// What `--set` may make of it, whatever the others are.
std::string Emitter::ParameterBounds(uint32_t component, uint32_t k) const {
  const ScalarElement& scalar = system_.scalars[system_.parts[component].scalar];
  const ComponentClass& cls = (*system_.model)[system_.graph->ElementOf(ComponentId(component)).class_id];
  const uint32_t number = scalar.parameters[k].parameter;
  NumberBounds bounds;
  if (number < cls.parameters.size())
    bounds = FindBounds(*system_.model, cls.parameters[number].type, cls.parameters[number].bounds, {});
  const BaseType base = number < cls.parameters.size() ? cls.parameters[number].type.base : BaseType::kReal;
  const bool whole = base == BaseType::kInteger || base == BaseType::kBoolean;
  if (base == BaseType::kBoolean) bounds.min = 0, bounds.max = 1;
  return fmt::format("{{{}, {}, {}, {}, {:d}, {:d}}}", CNumber(bounds.min), CNumber(bounds.max),
                     CNumber(bounds.above), CNumber(bounds.below), bounds.nonzero, whole);
}

// Bounds that hang on other parameters, which `--set` may change: c (above = a).
std::string Emitter::HangingBounds() const {
  const ExprPool& pool = system_.model->expressions;
  std::string out =
      "\n/* Bounds that hang on other parameters. */\n"
      "MAYBE_UNUSED static int bound_broken(model* m, const char* name, double number, const char* wrong, "
      "double bound) {\n"
      "  snprintf(m->problem, sizeof m->problem, \"%.200s: %.6g %s (%.6g)\", name, number, wrong, bound);\n"
      "  return 0;\n}\nstatic int bounds_hold(model* m) {\n"
      "  const double* p = m->p;\n  (void)p;\n";
  for (uint32_t c = 0; c < system_.graph->components.size(); ++c) {
    const Part& part = system_.parts[c];
    const ScalarElement& scalar = system_.scalars[part.scalar];
    const ComponentClass& cls = system_.graph->ClassOf(*system_.model, ComponentId(part.component));
    const uint32_t first = system_.parameters.first[part.component];
    for (uint32_t k = 0; k < scalar.parameters.size(); ++k) {
      const Bounds& bounds = cls.parameters[scalar.parameters[k].parameter].bounds;
      const auto check = [&](std::string_view relation, const std::string& bound, std::string_view wrong) {
        out +=
            fmt::format("  if (p[{}] {} {}) return bound_broken(m, {}, p[{}], \"{}\", {});\n", first + k,
                        relation, bound, CString(ParameterName(part.component, k)), first + k, wrong, bound);
      };
      const auto hanging = [&](ExprId expr, std::string_view relation, std::string_view wrong) {
        if (expr.IsNone() || pool.IsNumber(expr)) return;
        bool known = true, read = read_[first + k];
        PrintCOptions names;
        names.name = [&](SymbolId symbol) -> std::string {
          for (uint32_t j = 0; j < scalar.parameters.size(); ++j) {
            const Parameter& p = cls.parameters[scalar.parameters[j].parameter];
            if (p.symbol != symbol || !p.shape.empty()) continue;
            read = read || read_[first + j];
            return fmt::format("p[{}]", first + j);
          }
          known = false;
          return "p";
        };
        const auto text = PrintC(pool, expr, names);
        if (text && known && read && text->find("cotree_") == std::string::npos)
          check(relation, "(" + *text + ")", wrong);
      };
      hanging(bounds.min, "<", "is below its least value");
      hanging(bounds.max, ">", "is above its largest value");
      hanging(bounds.above, "<=", "is not above what it must be above");
      hanging(bounds.below, ">=", "is not below what it must be below");
      if (bounds.rising && k > 0 && scalar.parameters[k - 1].parameter == scalar.parameters[k].parameter &&
          (read_[first + k] || read_[first + k - 1]))
        check("<=", fmt::format("p[{}]", first + k - 1), "is not above the element before it");
    }
  }
  return out + "  return 1;\n}\n";
}

// Names, units and places for who uses the interface.
std::string Emitter::PublicTables() const {
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

// Decisions that look at the same numbers are one.
std::vector<Program::Decision> Emitter::Decisions() const {
  std::set<std::pair<uint32_t, uint32_t>> seen;
  std::vector<Program::Decision> out;
  for (const Program::Decision& d : program_.decisions) {
    if (seen.insert({d.code, d.parameters}).second) out.push_back(d);
  }
  return out;
}

std::string Emitter::Data() const {
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
  for (const Settable& s : settable_) list.push_back(ParameterBounds(s.component, s.number));
  structs("parameter_bound", "parameter_bounds");
  for (const std::string& name : FixedNames()) list.push_back(CString(name));
  list.push_back("NULL");
  out += CArray("MAYBE_UNUSED static const char* const", "fixed_parameters", list);
  list.clear();
  out += CIntegers(kInts, "state_kinds", StateKinds(program_));
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
      const DelayLine& line = run_.delay_lines[k];
      list.push_back(fmt::format("{{{}, {}, {}, {}, {}}}", Bound(d), d.slot, CNumber(line.delay),
                                 CNumber(line.last_value()), CNumber(line.before())));
    }
    structs("delay", "delays");
    out += CNumbers("MAYBE_UNUSED static const double", "corner_times", corners_);
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

std::string Emitter::GapData() const {
  std::vector<size_t> first{0}, rows;
  for (const auto& column : gaps_.rows_of_column) {
    rows.insert(rows.end(), column.begin(), column.end());
    first.push_back(rows.size());
  }
  std::vector<std::string> entries;
  for (const auto& [row, from] : gap_order_.entries) entries.push_back(fmt::format("{{{}, {}}}", row, from));
  std::string out = CIntegers(kInts, "gap_slots", gap_slots_) + CIntegers(kInts, "gap_first", first) +
                    CIntegers(kInts, "gap_rows", rows) +
                    CIntegers(kInts, "gap_colours", gaps_.colour_of_column) +
                    CIntegers(kInts, "gap_order", gap_order_.place) +
                    CIntegers(kInts, "gap_square_first", gap_order_.first) +
                    CIntegers(kInts, "gap_parents", gap_order_.parents) +
                    CIntegers(kInts, "gap_factor_first", gap_order_.factor_first) +
                    CIntegers(kInts, "watched_blocks", watched_blocks_);
  out += CArray("MAYBE_UNUSED static const struct {\n  int row, from;\n}", "gap_square", entries, "{0}");
  if (features_.count("kept") > 0) out += CIntegers(kInts, "gap_kept", gap_kept_);
  if (features_.count("reinits") > 0) out += CIntegers(kInts, "gap_below", gap_below_);
  if (features_.count("give") > 0) out += fmt::format("static const int give_slot = {};\n", give_);
  return out;
}

std::string Emitter::EventData() const {
  std::string out;
  std::vector<std::string> list;
  const auto structs = [&](std::string_view type, std::string_view name) {
    out += Structs(type, name, list);
    list.clear();
  };
  for (const Program::Relation& r : program_.relations)
    list.push_back(fmt::format("{{{}, {}, {}}}", Bound(r), static_cast<int>(r.kind), r.slot));
  if (!list.empty()) structs("relation", "relations");
  for (const Program::Relation& r : program_.relations) list.push_back(CString(Name(r.component)));
  if (!list.empty()) out += CArray("MAYBE_UNUSED static const char* const", "relation_owners", list);
  list.clear();
  out += fmt::format("MAYBE_UNUSED static const char* const stopped_at_start = {};\n",
                     events_.stopped() ? CString(*events_.stopped()) : "NULL");
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
  const std::vector<uint32_t> integers = FindIntegers(program_);
  out += CIntegers(kInts, "integer_slots", integers);
  for (const uint32_t slot : integers) list.push_back(CString(sorted_.SlotName(slot)));
  out += CArray("MAYBE_UNUSED static const char* const", "integer_names", list, "NULL");
  out += CIntegers(kInts, "initial_slots", program_.initial_slots);
  out += CIntegers(kInts, "terminal_slots", program_.terminal_slots);
  return out;
}

std::string Emitter::Tables() const {
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
    list.push_back(fmt::format("{{{}, {}, {}, {}, {}, {}, {}, {}}}", f.knots().size(), f.columns().size(), x,
                               y, z, slopes, f.interpolation() == Table::Interpolation::kHold ? 1 : 0,
                               static_cast<int>(f.extrapolation())));
  }
  return out + Structs("table", "tables", list);
}

std::string Emitter::Blocks() const {
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

}  // namespace cotree
