// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string_view>

#include "base/names.h"
#include "units/udunits_reader.h"
#include "units/unit.h"

namespace cotree {

/** ParseUnit with a memory: a million lines use the same few units.

Each distinct text, right or wrong, is parsed once; finding it again costs some 20 ns. The answers depend on
the text alone, not on what was asked before; references stay valid as long as the table. One table per
thread. */
class UnitTable {
 public:
  struct Options {
    bool udunits = true;  // ask UDUNITS-2 for symbols that are not built in, if it is installed
  };

  UnitTable() = default;
  explicit UnitTable(Options options) : options_(options) {}

  const UnitResult& Lookup(std::string_view text);
  /// Before the first Lookup: whether to ask UDUNITS-2.
  void UseUdunits(bool use) { options_.udunits = use; }

 private:
  Options options_;
  NamePool texts_;
  std::deque<UnitResult> results_;  // by NameId of the text
  UdunitsReader udunits_;
};

}  // namespace cotree
