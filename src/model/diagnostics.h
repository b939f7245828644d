// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/diagnostics.h"

namespace cotree::model_messages {

#define DIAGNOSTIC(code, name, severity, message, help) \
  inline constexpr DiagnosticInfo name{code, Severity::severity, #name, message, help};
#include "model/diagnostics.def"
#undef DIAGNOSTIC

}  // namespace cotree::model_messages
