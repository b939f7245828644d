// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/console.h"
#include "document/document.h"

namespace cotree {

/// A document as text, latex, html, mathml, markdown or json. False, with a message, where the page was not
/// built in.
bool WriteForm(const Document& document, const std::string& format, const Console& console, std::string* out);

/// What the page needs was built in; otherwise a message.
bool HasReportScript();

}  // namespace cotree
