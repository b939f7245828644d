// SPDX-License-Identifier: Apache-2.0
// Any text as a unit, and any bytes as a system of dimensions: what is accepted can be written and read
// again; solved systems hold.
#include <string>
#include <string_view>
#include <vector>

#include "allocation_limit.h"
#include "units/dimension_system.h"
#include "units/format_dimension.h"
#include "units/unit_symbols.h"
#include "units/unit_table.h"

namespace cotree {
namespace {

void CheckUnit(std::string_view text, UnitTable& table) {
  const UnitResult parsed = ParseUnit(text);
  const UnitResult& looked_up = table.Lookup(text);
  FUZZ_ASSERT(&looked_up == &table.Lookup(text));
  FUZZ_ASSERT(parsed.ok() == looked_up.ok());
  if (!parsed) {
    FUZZ_ASSERT(parsed.error().begin <= parsed.error().end && parsed.error().end <= text.size());
    FUZZ_ASSERT(!parsed.error().reason.empty());
    return;
  }
  FUZZ_ASSERT(parsed->factor > 0 && parsed->factor <= 1e308);
  FUZZ_ASSERT(parsed->divisor >= 1);
  const std::string written = FormatDimension(parsed->dimension);
  const UnitResult again = ParseUnit(written);
  FUZZ_ASSERT(again.ok() && again->dimension == parsed->dimension && again->factor == 1 &&
              again->offset == 0);
  FUZZ_ASSERT(!FormatDimension(parsed->dimension, parsed->kind).empty());
  const double one = parsed->FromSi(parsed->ToSi(1));
  FUZZ_ASSERT(parsed->offset != 0 || (one > 0.999999 && one < 1.000001));
}

// Bytes as equations in a few variables. What was accepted must hold at the end for every variable that is
// determined.
void CheckSystem(const uint8_t* data, size_t size) {
  DimensionSystem system;
  std::vector<DimVarId> variables;
  const size_t count = 1 + size % 7;
  for (size_t i = 0; i < count; ++i) variables.push_back(system.AddVariable());
  struct Equation {
    std::vector<DimensionSystem::Term> terms;
    DimensionVector constant;
  };
  std::vector<Equation> accepted;
  uint32_t tag = 0;
  for (size_t at = 0; at + 4 <= size && tag < 60; at += 4, ++tag) {
    Equation equation;
    for (size_t k = 0; k < 2 + data[at] % 2u; ++k) {
      const int exponent = (data[at + 1] >> (2 * k) & 3) - 1;
      if (exponent != 0)
        equation.terms.push_back({variables[(data[at] / 4u + k * data[at + 2]) % count],
                                  Rational(static_cast<int16_t>(exponent))});
    }
    equation.constant = Dimension::Of(data[at + 3] % 3 - 1, data[at + 3] / 3 % 3 - 1, 0);
    if (data[at + 3] > 200) {
      const auto generic =
          Multiply(equation.constant, DimensionVector::Generic(GenericId(data[at + 2] % 2u)));
      if (generic) equation.constant = *generic;
    }
    const auto outcome = system.AddEquation(equation.terms, equation.constant, tag);
    using Status = DimensionSystem::Status;
    if (outcome.status == Status::kContradiction)
      FUZZ_ASSERT(equation.terms.empty() || !outcome.causes.empty() || outcome.implied != outcome.stated);
    if (outcome.status == Status::kNew || outcome.status == Status::kImplied) accepted.push_back(equation);
  }
  for (const Equation& equation : accepted) {
    DimensionVector left;
    bool known = true;
    for (const auto& term : equation.terms) {
      const auto value = system.FindValue(term.variable);
      const auto power = value ? Power(*value, term.exponent) : std::nullopt;
      const auto product = power ? Multiply(left, *power) : std::nullopt;
      known = known && product.has_value();
      if (product) left = *product;
    }
    FUZZ_ASSERT(!known || left == equation.constant);
  }
  for (const DimVarId variable : variables) system.Find(variable);
}

}  // namespace
}  // namespace cotree

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const cotree::fuzz::InputLimits limits;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  cotree::UnitTable table({.udunits = false});
  // Each line is a unit.
  size_t begin = 0, lines = 0;
  while (begin <= text.size() && ++lines <= 40) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    cotree::CheckUnit(text.substr(begin, end - begin), table);
    begin = end + 1;
  }
  cotree::CheckSystem(data, size);
  return 0;
}
