// SPDX-License-Identifier: Apache-2.0
#include "cli/write_form.h"

#include <fmt/core.h>

#include "base/json.h"
#include "document/report_script.h"
#include "document/write_document.h"

namespace cotree {

bool HasReportScript() {
  if (ReportScript()[0] != '\0') return true;
  fmt::print(stderr,
             "cotree: this cotree was built without the page of reports, since npm was missing or could "
             "not get its packages; see to it and build again, or take --format mathml\n");
  return false;
}

bool WriteForm(const Document& document, const std::string& format, const Console& console,
               std::string* out) {
  if (format == "latex") {
    *out = WriteLatex(document);
  } else if (format == "markdown") {
    *out = WriteMarkdown(document);
  } else if (format == "mathml") {
    *out = WriteMathml(document);
  } else if (format == "json") {
    *out = WriteJson(document).dump(1) + "\n";
  } else if (format == "html") {
    if (!HasReportScript()) return false;
    *out = WritePage(document, ReportScript());
  } else {
    *out += WriteText(document, {console.colours_out(), 100});
  }
  return true;
}

}  // namespace cotree
