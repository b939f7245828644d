// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "units/unit_symbols.h"

namespace cotree {

/** Asks UDUNITS-2 for units that our table lacks (`furlong`, `becquerel`, `US_therm`).

The library is opened with dlopen and its database read (10 to 20 ms) at the first question, never before.
Where it is not installed every answer is nullopt. Its radian, a base unit there, counts as 1 here.
Logarithmic and calendar units are refused. It prints nothing. Only what its database lists is taken: names
(in any case, `Furlong`), symbols, and names behind a written-out prefix (`kilohertz`). Its own reading of
prefixed symbols is not used, for it would turn our users' typing errors into units: `mph` into milliphot,
`nmi` into nanomile. UDUNITS has state of its own (parser, status, error handler), so a lock lets one thread
in at a time. */
class UdunitsReader {
 public:
  UdunitsReader();
  ~UdunitsReader();
  UdunitsReader(const UdunitsReader&) = delete;
  UdunitsReader& operator=(const UdunitsReader&) = delete;

  /// The unit of one symbol or name.
  std::optional<UnitSymbol> Find(std::string_view symbol);
  /// Whether the library and its database are there. Loads them.
  bool IsAvailable();

 private:
  struct Library;
  std::unique_ptr<Library> library_;  // by Load, on first use
  bool tried_ = false;

  void Load();
};

}  // namespace cotree
