// SPDX-License-Identifier: Apache-2.0
#include "software_component/native_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace cotree {
namespace {

constexpr uint32_t kMostVariables = 1u << 20;  // more is a mistake, not a component

// Every struct of a version that we know is at least as large as that version's; later ones only append.
template <typename Struct>
std::string CheckHead(const Struct& head, const char* what) {
  if (head.version > COTREE_COMPONENT_VERSION) {
    return std::string("needs version ") + std::to_string(head.version) +
           " of the component interface; this Cotree knows versions up to " +
           std::to_string(COTREE_COMPONENT_VERSION) +
           ": use a later Cotree, or build it with an older header";
  }
  if (head.version == 0 || head.size < sizeof(Struct)) {
    return std::string("its ") + what + " is malformed (size " + std::to_string(head.size) + ", version " +
           std::to_string(head.version) + "): begin it with COTREE_HEAD";
  }
  return {};
}

// Element i of a list whose elements may be longer than ours.
template <typename Struct>
const Struct& Element(const Struct* list, uint32_t i) {
  const char* bytes = reinterpret_cast<const char*>(list);
  return *reinterpret_cast<const Struct*>(bytes + static_cast<size_t>(i) * list->size);
}

std::string ReadVariables(const char* what, const cotree_variable* list, uint32_t count,
                          std::vector<ComponentDescription::Variable>* variables) {
  variables->clear();
  if (count == 0) return {};
  if (list == nullptr || count > kMostVariables) {
    return std::string("its list of ") + what + "s " +
           (list == nullptr ? "is missing" : "has " + std::to_string(count) + " entries");
  }
  if (std::string wrong = CheckHead(*list, what); !wrong.empty()) return wrong;
  for (uint32_t i = 0; i < count; ++i) {
    const cotree_variable& variable = Element(list, i);
    variables->push_back({variable.name == nullptr ? "" : variable.name, variable.start});
  }
  return {};
}

std::string ReadGroups(const cotree_description& source, ComponentDescription* description) {
  description->groups.clear();
  if (source.group_count == 0) {
    if (source.output_count == 0) return {};
    ComponentDescription::Group all;
    for (uint32_t i = 0; i < source.output_count; ++i) all.outputs.push_back(i);
    for (uint32_t i = 0; i < source.input_count; ++i) all.inputs.push_back(i);
    description->groups.push_back(std::move(all));
    return {};
  }
  if (source.groups == nullptr || source.group_count > kMostVariables)
    return "its list of groups is malformed";
  if (std::string wrong = CheckHead(*source.groups, "output group"); !wrong.empty()) return wrong;
  for (uint32_t i = 0; i < source.group_count; ++i) {
    const cotree_group& group = Element(source.groups, i);
    if ((group.output_count > 0 && group.outputs == nullptr) || group.output_count > kMostVariables ||
        (group.input_count > 0 && group.inputs == nullptr) || group.input_count > kMostVariables) {
      return "output group " + std::to_string(i) + " is malformed";
    }
    ComponentDescription::Group read;
    if (group.output_count > 0) read.outputs.assign(group.outputs, group.outputs + group.output_count);
    if (group.input_count > 0) read.inputs.assign(group.inputs, group.inputs + group.input_count);
    std::sort(read.inputs.begin(), read.inputs.end());
    read.inputs.erase(std::unique(read.inputs.begin(), read.inputs.end()), read.inputs.end());
    description->groups.push_back(std::move(read));
  }
  return {};
}

std::string CheckFunctions(const cotree_component& table, const ComponentDescription& description) {
  const auto missing = [](const char* why, const char* function) {
    return std::string("it has ") + why + " but no function `" + function + "`";
  };
  if (!description.outputs.empty() && table.outputs == nullptr) return missing("outputs", "outputs");
  if (!description.states.empty() && table.derivatives == nullptr) return missing("states", "derivatives");
  if (description.discrete_bytes > 0 && table.save == nullptr) return missing("discrete state", "save");
  if (description.discrete_bytes > 0 && table.restore == nullptr) return missing("discrete state", "restore");
  return {};
}

}  // namespace

NativeLibrary::~NativeLibrary() {
  if (handle_ != nullptr) dlclose(handle_);
}

std::string NativeLibrary::Load(const std::string& path, const std::string& function) {
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) {
    const char* why = dlerror();
    return std::string("cannot be loaded: ") + (why == nullptr ? "no reason given" : why);
  }
  void* symbol = dlsym(handle_, function.c_str());
  if (symbol == nullptr) {
    return "function `" + function + "` is not in the library (is it exported with COTREE_EXPORT?)";
  }
  cotree_entry entry = nullptr;
  static_assert(sizeof entry == sizeof symbol);
  std::memcpy(&entry, &symbol, sizeof entry);
  table_ = entry(COTREE_COMPONENT_VERSION);
  if (table_ == nullptr) {
    return "function `" + function + "` returned no table: it refuses version " +
           std::to_string(COTREE_COMPONENT_VERSION) + " of the component interface";
  }
  if (std::string wrong = CheckHead(*table_, "function table"); !wrong.empty()) return wrong;
  if (table_->create == nullptr || table_->destroy == nullptr || table_->describe == nullptr) {
    return "its table lacks `create`, `destroy` or `describe`";
  }
  return {};
}

std::string MatchParameters(const cotree_component& table,
                            const std::vector<std::pair<std::string, double>>& given,
                            std::vector<ComponentDescription::Variable>* parameters) {
  std::string wrong = ReadVariables("parameter", table.parameters, table.parameter_count, parameters);
  if (!wrong.empty()) return wrong;
  for (const auto& [name, value] : given) {
    const auto found = std::find_if(parameters->begin(), parameters->end(),
                                    [&name = name](const auto& parameter) { return parameter.name == name; });
    if (found == parameters->end()) {
      wrong = "has no parameter `" + name + "`; it has";
      for (const auto& parameter : *parameters) wrong += " `" + parameter.name + "`";
      return parameters->empty() ? "has no parameter `" + name + "`; it has none" : wrong;
    }
    if (!std::isfinite(value)) return "parameter `" + name + "` is not finite";
    found->start = value;
  }
  for (const auto& parameter : *parameters) {
    if (!std::isfinite(parameter.start)) return "parameter `" + parameter.name + "` must be given";
  }
  return {};
}

std::string ReadDescription(const cotree_component& table, const cotree_description* source,
                            ComponentDescription* description) {
  if (source == nullptr) return "`describe` gave no description";
  std::string wrong = CheckHead(*source, "description");
  if (wrong.empty())
    wrong = ReadVariables("input", source->inputs, source->input_count, &description->inputs);
  if (wrong.empty()) {
    wrong = ReadVariables("output", source->outputs, source->output_count, &description->outputs);
  }
  if (wrong.empty())
    wrong = ReadVariables("state", source->states, source->state_count, &description->states);
  if (wrong.empty()) wrong = ReadGroups(*source, description);
  if (!wrong.empty()) return wrong;
  description->name = table.name == nullptr ? "" : table.name;
  description->discrete_bytes = source->discrete_bytes;
  description->sample_period = source->sample_period;
  description->has_jacobian = table.jacobian != nullptr;
  description->has_update = table.update != nullptr;
  wrong = CheckFunctions(table, *description);
  return wrong.empty() ? CheckDescription(*description) : wrong;
}

}  // namespace cotree
