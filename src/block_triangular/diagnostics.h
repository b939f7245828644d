// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/diagnostics.h"

namespace cotree::block_triangular_messages {

#define DIAGNOSTIC(code, name, severity, message, help) \
  inline constexpr DiagnosticInfo name{code, Severity::severity, #name, message, help};
#include "block_triangular/diagnostics.def"
#undef DIAGNOSTIC

}  // namespace cotree::block_triangular_messages
