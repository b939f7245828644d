// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "software_component/child_report.h"
#include "software_component/component_failure.h"

namespace cotree {

/** Why the process of a component has ended, from the last report of its supervisor. */
struct EndReason {
  ComponentFailure::Kind kind;
  std::string text;
};
EndReason FindEndReason(const std::optional<ChildReport>& report, uint64_t memory_limit);

/// What the component wrote last: at most `lines` lines and about `most` bytes, safe for a terminal.
std::string LastLines(const std::optional<ChildReport>& report, int lines, size_t most);

/// 0.5, 10, 3600: as short as it can be written.
std::string PlainNumber(double value);

}  // namespace cotree
