// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/diagnostics.h"

namespace cotree::mechanics_messages {

#define DIAGNOSTIC(code, name, severity, message, help) \
  inline constexpr DiagnosticInfo name{code, Severity::severity, #name, message, help};
#include "mechanics/diagnostics.def"
#undef DIAGNOSTIC

}  // namespace cotree::mechanics_messages
