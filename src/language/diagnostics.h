// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/diagnostics.h"

namespace cotree::language_messages {

#define DIAGNOSTIC(code, name, severity, message, help) \
  inline constexpr DiagnosticInfo name{code, Severity::severity, #name, message, help};
#include "language/diagnostics.def"
#undef DIAGNOSTIC

}  // namespace cotree::language_messages
