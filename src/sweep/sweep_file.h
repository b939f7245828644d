// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/output_file.h"
#include "sweep/kept_figure.h"
#include "sweep/sweep_grid.h"

namespace cotree {

/** What a run of a sweep gave. */
struct SweepRow {
  std::vector<double> figures;  // empty if it failed
  std::string status = "ok";    // or why it failed
  bool ok() const { return status == "ok"; }
};

/** The table of a sweep as CSV: a line `# ...` that says of what model and with what settings it is, a line
of names, a line a run in the order of the grid: values as they were written, figures with as many digits as
they need, `status`. It is only ever appended to, a whole line at once, so a sweep that was broken off leaves
a valid table; the same sweep goes on behind its last row. */
class SweepFile {
 public:
  SweepFile(const SweepGrid& grid, const std::vector<std::string>& figures, std::string about);

  /// The first two lines.
  std::string Head() const;
  std::string Line(size_t point, const SweepRow& row) const;

  /** Makes the file (`anew`: whatever stands there), or finds this sweep in it; `rows` are those that are
  there already. A file with anything else in it is left alone: false, with `other`; false alone if it cannot
  be read or written. */
  bool Open(const std::string& path, bool anew, std::vector<SweepRow>* rows, bool* other,
            std::string* problem);
  bool Append(size_t point, const SweepRow& row);
  std::string Problem() const { return file_.Problem(); }

 private:
  bool Parse(std::string_view text, std::vector<SweepRow>* rows, std::string* problem) const;

  const SweepGrid& grid_;
  std::vector<std::string> figures_;
  std::string about_;
  OutputFile file_;
};

}  // namespace cotree
