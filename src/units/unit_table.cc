// SPDX-License-Identifier: Apache-2.0
#include "units/unit_table.h"

namespace cotree {

const UnitResult& UnitTable::Lookup(std::string_view text) {
  const NameId id = texts_.Intern(text);
  if (id.index() == results_.size())
    results_.push_back(ParseUnit(text, options_.udunits ? &udunits_ : nullptr));
  return results_[id.index()];
}

}  // namespace cotree
