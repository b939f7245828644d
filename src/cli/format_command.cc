// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "cli/commands.h"
#include "cli/files.h"
#include "language/format.h"
#include "language/parse.h"
#include "pipeline/load_model.h"

namespace cotree {

int RunFormat(const FormatOptions& options, const Console& console) {
  int result = kExitOk;
  DiskReader reader;
  for (const std::string& path : options.files) {
    auto text = reader.ReadNamed(path);
    if (!text) {
      std::fprintf(stderr, "cotree: the file `%s` cannot be read\n", path.c_str());
      result = kExitForeign;
      continue;
    }
    SourceFiles files;
    Diagnostics diagnostics;
    const FileId file = files.Add(path, std::move(*text));
    const SyntaxTree tree = Parse(files[file].text(), file, diagnostics);
    if (!diagnostics.ok()) {
      diagnostics.Sort();
      PrintDiagnostics(diagnostics, files, console);
      std::fprintf(stderr, "cotree: `%s` has syntax errors and was left as it is\n", path.c_str());
      if (result == kExitOk) result = kExitModel;
      continue;
    }
    const std::string formatted = Format(tree);
    const bool changed = formatted != files[file].text();
    if (options.stdout_) {
      std::fwrite(formatted.data(), 1, formatted.size(), stdout);
    } else if (options.check) {
      if (!changed) continue;
      std::printf("%s would change\n", path.c_str());
      if (result == kExitOk) result = kExitModel;
    } else if (changed) {
      const std::string no_file = NoOrdinaryFile(path);
      if (!no_file.empty())
        std::fprintf(stderr, "cotree: `%s` cannot be laid out anew in place: %s; use --stdout\n",
                     path.c_str(), no_file.c_str());
      if (!no_file.empty() || !WriteFileSafely(path, formatted))
        result = kExitForeign;
      else
        std::printf("%s\n", path.c_str());
    }
  }
  return result;
}

}  // namespace cotree
