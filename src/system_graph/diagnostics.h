// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/diagnostics.h"

namespace cotree::system_graph_messages {

#define DIAGNOSTIC(code, name, severity, message, help) \
  inline constexpr DiagnosticInfo name{code, Severity::severity, #name, message, help};
#include "system_graph/diagnostics.def"
#undef DIAGNOSTIC

}  // namespace cotree::system_graph_messages
