// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "units/dimension.h"

namespace cotree {

/** What a unit's text says about the quantity beyond its dimension (design §7). Only these ever clash: what
counts cycles (kFrequency) with what counts radians (kAngularVelocity, kAngle), and kTorque with kEnergy;
kNone goes with everything. Besides, a kExtent is refused where a kPerAngle is wanted, and a plain number
where a kAngle is.

 - kFrequency: Hz and its multiples, alone or with a power of time: Hz/s, Hz*s;
 - kAngularVelocity: one angle per power of time, however written: rad/s, deg/s^2, rpm, rev/min;
 - kTorque: a force unit times a length unit: N*m, mN*m, lbf*in, m*N;
 - kEnergy: an energy unit alone (J, kJ, eV, kWh, cal), or a power unit times a time unit (W*s, kW*h);
 - kAngle: rad, deg, rev, alone;
 - kExtent: a power of length without an angle: mm, m^2, L;
 - kPerAngle: a power of length for an angle: mm/rev, m/rad, cm^3/rev. */
enum class KindHint : uint8_t {
  kNone,
  kFrequency,
  kAngularVelocity,
  kTorque,
  kEnergy,
  kAngle,
  kExtent,
  kPerAngle
};

/// A kind that a kind clashes with; kNone: it clashes with nothing.
KindHint OppositeOf(KindHint kind);
/// Whether one must not stand for the other, though their dimensions are equal.
inline bool KindsClash(KindHint a, KindHint b) {
  return a != KindHint::kNone && b != KindHint::kNone && (OppositeOf(a) == b || OppositeOf(b) == a);
}
/// Whether a dimension is a power of time alone, which leaves it to the kind what is counted: s, 1, 1/s^2.
bool IsPowerOfTime(const Dimension& dimension);

/** A parsed unit: value in SI = value * factor + offset.
Theory: docs/theory/dimensions.md, DM.6 (DM.6a). */
struct Unit {
  Dimension dimension;
  double factor = 1;   // finite, > 0
  double divisor = 1;  // n where factor is the double nearest to 1/n, n whole and at most 2^53; otherwise 1
  double offset = 0;   // other than 0 only for absolute temperatures (degC, degF), which stand alone
  KindHint kind = KindHint::kNone;
  bool mentions_angle = false;  // rad, deg, arcmin, arcsec, gon, rev, rpm or rps occurs in it
  std::string text;             // as written

  /// Where the factor is 1/n with a whole n, as for all small prefixes, dividing by n rounds once: 200 uH is
  /// the double nearest to 2e-4.
  double ToSi(double value) const { return (divisor > 1 ? value / divisor : value * factor) + offset; }
  double FromSi(double value) const {
    return divisor > 1 ? (value - offset) * divisor : (value - offset) / factor;
  }
};

/** Why a text is no unit: bytes [begin, end) of the text are to blame. `reason` is a clause for the user that
 * begins in lower case and has no full stop. */
struct UnitError {
  enum class Code : uint8_t {
    kEmpty,             // no text
    kUnknownSymbol,     // `symbol` is not a unit
    kUnexpected,        // a character that cannot stand there, or a missing one at the end
    kBadExponent,       // behind ^ stands no number
    kExponentTooLarge,  // the exponent, or that of a base unit in the result, does not fit
    kOutOfRange,        // the factor to SI is no finite positive number
    kOffsetCombined,    // degC or degF with anything else
    kTooDeep,           // too many nested parentheses
  };
  Code code = Code::kEmpty;
  uint32_t begin = 0;
  uint32_t end = 0;
  std::string reason;
  std::string symbol;      // kUnknownSymbol, kOffsetCombined: which
  std::string suggestion;  // a text to write in place of [begin, end); may be empty
};

/** A Unit, or the reason why there is none. */
class UnitResult {
 public:
  UnitResult(Unit unit) : value_(std::move(unit)) {}         // NOLINT
  UnitResult(UnitError error) : value_(std::move(error)) {}  // NOLINT

  bool ok() const { return value_.index() == 0; }
  explicit operator bool() const { return ok(); }
  const Unit& unit() const { return std::get<0>(value_); }  // only if ok()
  const Unit& operator*() const { return unit(); }
  const Unit* operator->() const { return &unit(); }
  const UnitError& error() const { return std::get<1>(value_); }  // only if not ok()

 private:
  std::variant<Unit, UnitError> value_;
};

class UdunitsReader;

/** Reads a unit. Grammar, without blanks:

    unit     = factor { ("*" | "/") factor }      from left to right: a/b*c = (a/b)*c
    factor   = primary [ "^" exponent ]
    primary  = symbol | "(" unit ")" | "1"        the 1 only at the beginning of the text or of a parenthesis
    exponent = number | [sign] "(" number [ "/" digits [ "." digits ] ] ")"
    number   = [sign] digits [ "." digits ]
    symbol   = [prefix] a unit of unit_symbols.h

A symbol that is a unit as it stands is that unit (`min`, `cd`, `ft`), before it is taken apart into prefix
and unit. Symbols not in our table are asked of `fallback`, where given. ohm may be written Ω, micro u, µ or
μ. `text` is kept as written. Factors are computed as one quotient of exact numbers, so that L/min is the
double nearest to 1/60000. */
UnitResult ParseUnit(std::string_view text, UdunitsReader* fallback = nullptr);

}  // namespace cotree
