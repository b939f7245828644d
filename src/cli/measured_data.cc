// SPDX-License-Identifier: Apache-2.0
#include "cli/measured_data.h"

#include <fmt/core.h>

#include <cmath>

#include "model/describe_model.h"
#include "results/select_columns.h"
#include "units/unit.h"

namespace cotree {
namespace {

std::string Listed(const ResultHeader& header) {
  std::string out;
  for (size_t k = 0; k < header.columns.size() && k < 8; ++k)
    out += (k == 0 ? "`" : ", `") + header.columns[k].name + "`";
  return out + (header.columns.size() > 8 ? ", ..." : "");
}

Table TableOver(std::vector<double> times, std::vector<double> values, Table::Interpolation interpolation) {
  Table table;
  table.arguments.resize(1);
  table.interpolation = interpolation;
  table.rows = std::move(times);
  table.values = std::move(values);
  return table;
}

/* Straight lines with jumps where a time comes twice: a continuous table and, if there are any, one of the
jumps so far. So both sides of a jump are met exactly. */
std::vector<Table> LinearTables(const std::vector<double>& times, const std::vector<double>& values) {
  std::vector<double> t, v, jump_times{times.front()}, jumps{0};
  for (size_t k = 0; k < times.size(); ++k) {
    if (k > 0 && times[k] == times[k - 1]) {
      const double jump = values[k] - values[k - 1];
      if (jump == 0) continue;
      if (jump_times.back() != times[k]) {
        jump_times.push_back(times[k]);
        jumps.push_back(jumps.back());
      }
      jumps.back() += jump;
      continue;
    }
    t.push_back(times[k]);
    v.push_back(values[k] - jumps.back());
  }
  std::vector<Table> out{TableOver(std::move(t), std::move(v), Table::Interpolation::kLinear)};
  if (jumps.size() > 1 || jumps.front() != 0)
    out.push_back(TableOver(std::move(jump_times), std::move(jumps), Table::Interpolation::kHold));
  return out;
}

// Steps: of two rows at one time the later one counts.
std::vector<Table> HeldTables(const std::vector<double>& times, const std::vector<double>& values) {
  std::vector<double> t, v;
  for (size_t k = 0; k < times.size(); ++k) {
    if (k + 1 < times.size() && times[k + 1] == times[k]) continue;
    t.push_back(times[k]);
    v.push_back(values[k]);
  }
  return {TableOver(std::move(t), std::move(v), Table::Interpolation::kHold)};
}

// The unit of an input as its class declares it, or as it was inferred; empty: none, or not known.
// `difference`: it is in K, but no absolute temperature.
std::string UnitOfInput(const Model& model, const SystemGraph& graph, const std::string& input,
                        bool* difference) {
  for (uint32_t i = 0; i < graph.components.size(); ++i) {
    const ElementClass& element = graph.ElementOf(ComponentId(i));
    for (uint32_t slot = 0; slot < element.slot_variable.size(); ++slot) {
      if (InputName(model, graph, ComponentId(i), slot) != input) continue;
      const Type& type = model[element.class_id].variables[element.slot_variable[slot]].type;
      *difference = type.declared && type.dimension.generics.empty() && !IsAbsoluteTemperature(model, type);
      if (!type.quantity.IsNone()) return model.quantities[type.quantity.index()].unit;
      if (type.declared && type.unit.find('$') == std::string::npos) return type.unit;
    }
  }
  for (const InferredUnit& inferred : ListInferredUnits(model, graph.system)) {
    if (inferred.path == input) return inferred.unit;
  }
  return {};
}

}  // namespace

std::string MeasuredFile(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos) return {};
  const std::vector<std::string> words = SplitNames(text.substr(equals + 1));
  return words.empty() ? std::string() : words[0].substr(0, words[0].rfind(':'));
}

MeasuredData ReadMeasuredData(const std::string& text, std::string* problem) {
  MeasuredData out;
  const auto refuse = [&](std::string why) {
    *problem = "--input " + text + ": " + std::move(why);
    return out;
  };
  out.usage = true;
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return refuse("write `input = file:column`, as in --input drive.u=log.csv:voltage");
  out.input = text.substr(0, equals);
  while (out.input.ends_with(' ')) out.input.pop_back();
  const std::vector<std::string> words = SplitNames(text.substr(equals + 1));
  out.file = MeasuredFile(text);
  if (out.file.empty()) return refuse("there is no file; write drive.u=log.csv:voltage");
  const size_t colon = words[0].rfind(':');
  if (colon != std::string::npos) out.column = words[0].substr(colon + 1);
  bool hold = false;
  for (size_t k = 1; k < words.size(); ++k) {
    hold = hold || words[k] == "hold";
    if (words[k] == "hold" || words[k] == "linear") continue;
    if (!out.unit.empty())
      return refuse(
          fmt::format("`{}` is one word too many; behind the column stand a unit, and `hold` or "
                      "`linear`",
                      words[k]));
    out.unit = words[k];
  }
  out.usage = false;
  std::string why;
  const auto result = ReadResult(out.file, &why);
  if (!result) return refuse(why);
  if (!result->complete())
    out.note = out.file + (result->damage.empty()
                               ? " is incomplete: its run did not come to its end (" + result->status + ")"
                               : ": " + result->damage);
  out.usage = true;
  if (out.column.empty() && result->header.columns.size() == 1) out.column = result->header.columns[0].name;
  if (out.column.empty()) out.column = out.input;
  const auto column = result->header.Find(out.column);
  if (!column)
    return refuse(fmt::format("there is no column `{}` in {}; there are {}", out.column, out.file,
                              Listed(result->header)));
  if (out.unit.empty()) out.unit = result->header.columns[*column].unit;
  const UnitResult unit = ParseUnit(out.unit.empty() ? "1" : out.unit);
  if (!unit.ok()) return refuse(fmt::format("`{}` is not a unit: {}", out.unit, unit.error().reason));
  out.usage = false;
  std::vector<double> values = result->Values(*column);
  if (values.empty()) return refuse(fmt::format("{} has no rows", out.file));
  for (size_t k = 0; k < values.size(); ++k) {
    if (!std::isfinite(values[k]))
      return refuse(fmt::format("{} has no number for `{}` at {} s, row {}", out.file, out.column,
                                result->times[k], k + 1));
    values[k] = unit.unit().ToSi(values[k]);
  }
  out.first = result->times.front();
  out.last = result->times.back();
  hold = hold || result->header.columns[*column].stepwise;
  out.tables = hold ? HeldTables(result->times, values) : LinearTables(result->times, values);
  out.read = true;
  return out;
}

std::string CheckMeasuredUnit(const MeasuredData& data, const Model& model, const Translation& translation) {
  if (data.unit.empty()) return {};
  bool difference = false;
  const std::string own = UnitOfInput(model, *translation.graph, data.input, &difference);
  const UnitResult wanted = ParseUnit(own.empty() ? "1" : own), given = ParseUnit(data.unit);
  if (own.empty() || !wanted.ok()) return {};
  const bool clash = KindsClash(wanted.unit().kind, given.unit().kind);
  const bool fits = wanted.unit().dimension == given.unit().dimension && !clash;
  if (fits && difference && given.unit().offset != 0)
    return fmt::format(
        "--input {}: `{}` of {} is in {}, which is for absolute temperatures only; the input is a "
        "difference, "
        "in K",
        data.input, data.column, data.file, data.unit);
  if (fits) return {};
  return fmt::format("--input {}: `{}` of {} is in {}, but the input is measured in {}", data.input,
                     data.column, data.file, data.unit, own);
}

std::string MeasuredEnds(const MeasuredData& data, double start, double stop) {
  if (data.first <= start && data.last >= stop) return {};
  return fmt::format(
      "`{}` of {} goes from {:g} s to {:g} s, the run from {:g} s to {:g} s: beyond its ends "
      "the nearest value is kept",
      data.column, data.file, data.first, data.last, start, stop);
}

}  // namespace cotree
