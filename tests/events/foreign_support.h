// SPDX-License-Identifier: Apache-2.0
// Foreign code for tests of runs: compiled here, run by the host beside the binary.
#pragma once

#include <cstdlib>

#include "product_support.h"
#include "software_component/software_component.h"

namespace cotree::test {

inline bool Compile(const fs::path& source, const fs::path& library, const std::string& options = "") {
  const std::string compiler = source.extension() == ".cc" ? "c++ -std=c++17" : "cc -std=c99";
  const std::string command = compiler + " -O1 -fPIC -shared " + options + " -I " +
                              Quoted((kRoot / "include").string()) + " -I " +
                              Quoted((kRoot / "src").string()) + " " + Quoted(source.string()) + " -o " +
                              Quoted(library.string()) + " 2> /dev/null";
  return std::system(command.c_str()) == 0;
}

inline ComponentOptions WithHost() {
  ComponentOptions options;
  options.host_program = (fs::path(COTREE_BINARY).parent_path() / "cotree-component-host").string();
  return options;
}

}  // namespace cotree::test
