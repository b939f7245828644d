// SPDX-License-Identifier: Apache-2.0
#include "emission/runtime.h"

#include <vector>

#include "base/check.h"

namespace cotree {

std::string RuntimeText(std::string_view name, const std::set<std::string>& features) {
  const RuntimeFile* file = RuntimeFiles();
  while (file->name != nullptr && file->name != name) ++file;
  COTREE_CHECK(file->name != nullptr);
  constexpr std::string_view kIf = "/*@if ", kElse = "/*@else*/", kEnd = "/*@end*/";
  std::string out;
  std::vector<bool> kept;  // of each nested condition
  std::string_view rest = file->text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.starts_with("/* SPDX")) continue;  // said once, in the head
    if (line.starts_with(kIf)) {
      kept.push_back(features.count(std::string(line.substr(kIf.size(), line.size() - kIf.size() - 2))) > 0);
    } else if (line == kElse) {
      kept.back() = !kept.back();
    } else if (line == kEnd) {
      kept.pop_back();
    } else {
      bool keep = true;
      for (const bool k : kept) keep = keep && k;
      if (keep) out.append(line).append("\n");
    }
  }
  return out;
}

}  // namespace cotree
