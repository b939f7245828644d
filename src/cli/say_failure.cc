// SPDX-License-Identifier: Apache-2.0
#include "cli/say_failure.h"

#include <fmt/core.h>

#include <cstdio>

namespace cotree {
namespace {

// The first component that a message names: `motor.armature.i` is of `motor.armature`; none: none.
ComponentId NamedComponent(const PreparedRun& prepared, const std::string& message) {
  const NameFinder finder(prepared.loaded->model, *prepared.translation->graph);
  for (size_t at = message.find('`'); at != std::string::npos; at = message.find('`', at + 1)) {
    const size_t end = message.find('`', at + 1);
    if (end == std::string::npos) break;
    std::string_view name(message.data() + at + 1, end - at - 1);
    if (name.starts_with("der(") && name.ends_with(")")) name = name.substr(4, name.size() - 5);
    const ComponentId id = finder.FindLongest(name).first;
    if (!id.IsNone() && id.value != 0) return id;
    at = end;
  }
  return {};
}

}  // namespace

void SayFailure(const PreparedRun& prepared, const std::string& message) {
  fmt::print(stderr, "cotree: {}\n", message);
  if (prepared.translation == nullptr || prepared.translation->graph == nullptr) return;
  ComponentId id = NamedComponent(prepared, message);
  if (id.IsNone()) return;
  const Model& model = prepared.loaded->model;
  const SystemGraph& graph = *prepared.translation->graph;
  // Of a part of a library class: what the user declared.
  const FileId own = model.SpanOf(model[graph.system].origin).file;
  Span place = ComponentPlace(model, graph, id);
  while (place.file != own && graph.components[id.index()].scope != UINT32_MAX) {
    id = graph.scopes[graph.components[id.index()].scope].parent;
    place = ComponentPlace(model, graph, id);
  }
  if (place.file != own || id.value == 0) return;
  const SourceFile& file = model.files[place.file];
  const Position position = file.PositionOf(place.begin);
  fmt::print(stderr, "  {}:{}:{}: `{}` is declared here\n", file.path(), position.line, position.column,
             ComponentName(model, graph, id));
}

}  // namespace cotree
