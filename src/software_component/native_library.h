// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cotree/cotree_component.h>

#include <string>
#include <utility>
#include <vector>

#include "software_component/component_description.h"
#include "software_component/component_failure.h"

namespace cotree {

/** A loaded shared library and the function table in it; unloaded by the destructor. */
class NativeLibrary {
 public:
  NativeLibrary() = default;
  ~NativeLibrary();
  NativeLibrary(const NativeLibrary&) = delete;
  NativeLibrary& operator=(const NativeLibrary&) = delete;

  /// Loads, finds the function, asks it for the table and checks the table; else says why not. What the
  /// foreign code throws goes through.
  std::string Load(const std::string& path, const std::string& function);
  const cotree_component& table() const { return *table_; }

 private:
  void* handle_ = nullptr;
  const cotree_component* table_ = nullptr;
};

/// The values of the table's parameters in its order; what is wrong with the given ones, else empty.
std::string MatchParameters(const cotree_component& table,
                            const std::vector<std::pair<std::string, double>>& given,
                            std::vector<ComponentDescription::Variable>* parameters);

/// Copies and checks a description, with the functions that it needs; what is wrong, else empty.
std::string ReadDescription(const cotree_component& table, const cotree_description* source,
                            ComponentDescription* description);

}  // namespace cotree
