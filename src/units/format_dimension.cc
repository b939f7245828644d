// SPDX-License-Identifier: Apache-2.0
#include "units/format_dimension.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <vector>

namespace cotree {
namespace {

struct Named {
  const char* symbol;
  Dimension dimension;
};

// In order of preference. No Hz, Bq, Gy, Sv, kat, lm, lx: 1/s, m^2/s^2, mol/s, cd, cd/m^2 say the same
// without claiming a kind.
constexpr Named kDerived[] = {
    {"V", Dimension::Of(2, 1, -3, -1)}, {"W", Dimension::Of(2, 1, -3)},
    {"J", Dimension::Of(2, 1, -2)},     {"N", Dimension::Of(1, 1, -2)},
    {"Pa", Dimension::Of(-1, 1, -2)},   {"C", Dimension::Of(0, 0, 1, 1)},
    {"F", Dimension::Of(-2, -1, 4, 2)}, {"ohm", Dimension::Of(2, 1, -3, -2)},
    {"S", Dimension::Of(-2, -1, 3, 2)}, {"Wb", Dimension::Of(2, 1, -2, -1)},
    {"T", Dimension::Of(0, 1, -2, -1)}, {"H", Dimension::Of(2, 1, -2, -2)},
};
constexpr BaseUnit kWrittenOrder[] = {BaseUnit::kKilogram, BaseUnit::kMetre, BaseUnit::kSecond,
                                      BaseUnit::kAmpere,   BaseUnit::kMole,  BaseUnit::kKelvin,
                                      BaseUnit::kCandela};
constexpr const char* kBaseSymbols[kBaseUnits] = {"m", "kg", "s", "A", "K", "mol", "cd"};

struct Factor {
  std::string symbol;
  Rational exponent;
};

std::string WritePower(const Factor& factor) {
  const int num = std::abs(factor.exponent.num), den = factor.exponent.den;
  if (den != 1) return factor.symbol + "^(" + std::to_string(num) + "/" + std::to_string(den) + ")";
  return num == 1 ? factor.symbol : factor.symbol + "^" + std::to_string(num);
}

std::string Write(const std::vector<Factor>& factors) {
  std::string above, below;
  int count_below = 0;
  for (const Factor& factor : factors) {
    std::string& side = factor.exponent.num > 0 ? above : below;
    if (!side.empty()) side += '*';
    side += WritePower(factor);
    count_below += factor.exponent.num < 0;
  }
  if (above.empty()) above = '1';
  if (below.empty()) return above;
  return above + (count_below > 1 ? "/(" + below + ")" : "/" + below);
}

// What a factor costs the reader (DM.5).
int CostOf(Rational exponent, int first) {
  if (exponent.IsZero()) return 0;
  return first + 6 * (std::abs(exponent.num) - 1) + 12 * (exponent.den - 1);
}

constexpr int kBase = 8;

int DerivedCost(Rational exponent) {
  return CostOf(exponent, exponent.num > 0 ? 12 : 13);
}

int BaseCost(const Dimension& dimension) {
  int cost = 0;
  for (const Rational exponent : dimension.exponents) cost += CostOf(exponent, kBase);
  return cost;
}

// dimension = derived[0]^.. * derived[1]^.. * rest
struct Choice {
  std::vector<std::pair<const Named*, Rational>> derived;
  Dimension rest;
  int cost = INT_MAX;
};

std::vector<Factor> FactorsOf(const Choice& choice) {
  std::vector<Factor> factors;
  for (const auto& [named, exponent] : choice.derived) factors.push_back({named->symbol, exponent});
  for (const BaseUnit unit : kWrittenOrder) {
    if (!choice.rest[unit].IsZero())
      factors.push_back({kBaseSymbols[static_cast<size_t>(unit)], choice.rest[unit]});
  }
  return factors;
}

bool IsKinematic(const Dimension& dimension) {
  for (size_t i = 0; i < kBaseUnits; ++i) {
    const auto unit = static_cast<BaseUnit>(i);
    if (unit != BaseUnit::kMetre && unit != BaseUnit::kSecond && !dimension.exponents[i].IsZero())
      return false;
  }
  return true;
}

// Exponents so small that any product of a few units can be read back from left to right without overflow.
// For others base units must do.
bool IsOrdinary(const Dimension& dimension) {
  return std::all_of(dimension.exponents.begin(), dimension.exponents.end(),
                     [](Rational e) { return std::abs(e.num) <= 100 && e.den <= 12; });
}

Choice Choose(const Dimension& dimension) {
  for (const Named& named : kDerived) {
    if (named.dimension == dimension) return {{{&named, 1}}, {}, 0};
  }
  Choice best{{}, dimension, BaseCost(dimension)};
  if (best.cost <= kBase || IsKinematic(dimension) || !IsOrdinary(dimension)) return best;
  constexpr Rational kExponents[] = {1, -1, 2, -2};
  std::vector<Choice> singles;
  for (const Named& named : kDerived) {
    for (const Rational exponent : kExponents) {
      const auto power = Power(named.dimension, exponent);
      const auto rest = power ? Divide(dimension, *power) : std::nullopt;
      if (!rest) continue;
      singles.push_back({{{&named, exponent}}, *rest, DerivedCost(exponent) + BaseCost(*rest)});
      if (singles.back().cost < best.cost) best = singles.back();
    }
  }
  for (const Choice& single : singles) {
    const auto [first, first_exponent] = single.derived[0];
    if (std::abs(first_exponent.num) != 1) continue;
    for (const Named* second = first + 1; second != std::end(kDerived); ++second) {
      for (const Rational exponent : {Rational(1), Rational(-1)}) {
        const auto power = Power(second->dimension, exponent);
        const auto rest = power ? Divide(single.rest, *power) : std::nullopt;
        if (!rest) continue;
        const int cost = DerivedCost(first_exponent) + DerivedCost(exponent) + BaseCost(*rest);
        if (cost < best.cost) best = {{{first, first_exponent}, {second, exponent}}, *rest, cost};
      }
    }
  }
  return best;
}

}  // namespace

std::string FormatDimension(const Dimension& dimension, KindHint kind) {
  if (kind == KindHint::kTorque && dimension == Dimension::Of(2, 1, -2)) return "N*m";
  if (kind == KindHint::kAngularVelocity && dimension == Dimension::Of(0, 0, -1)) return "rad/s";
  if (kind == KindHint::kFrequency && dimension == Dimension::Of(0, 0, -1)) return "Hz";
  return Write(FactorsOf(Choose(dimension)));
}

std::string FormatDimension(const DimensionVector& dimension,
                            const std::function<std::string(GenericId)>& name) {
  std::vector<Factor> factors = FactorsOf(Choose(dimension.si));
  for (const auto& generic : dimension.generics) factors.push_back({name(generic.id), generic.exponent});
  return Write(factors);
}

}  // namespace cotree
