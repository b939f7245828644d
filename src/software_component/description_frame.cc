// SPDX-License-Identifier: Apache-2.0
#include "software_component/description_frame.h"

namespace cotree {
namespace {

using Variables = std::vector<ComponentDescription::Variable>;

void WriteVariables(const Variables& variables, FrameWriter* frame) {
  frame->Put(static_cast<uint32_t>(variables.size()));
  for (const auto& variable : variables) {
    frame->PutText(variable.name);
    frame->Put(variable.start);
  }
}

void ReadVariables(FrameReader* frame, Variables* variables) {
  variables->resize(frame->Count(sizeof(uint32_t) + sizeof(double)));
  for (auto& variable : *variables) {
    variable.name = frame->GetText();
    variable.start = frame->Get<double>();
  }
}

}  // namespace

void WriteRequest(const ComponentRequest& request, FrameWriter* frame) {
  frame->PutText(request.library);
  frame->PutText(request.function);
  frame->PutText(request.instance);
  frame->Put(static_cast<uint32_t>(request.parameters.size()));
  for (const auto& [name, value] : request.parameters) {
    frame->PutText(name);
    frame->Put(value);
  }
}

bool ReadRequest(FrameReader* frame, ComponentRequest* request) {
  request->library = frame->GetText();
  request->function = frame->GetText();
  request->instance = frame->GetText();
  request->parameters.resize(frame->Count(sizeof(uint32_t) + sizeof(double)));
  for (auto& [name, value] : request->parameters) {
    name = frame->GetText();
    value = frame->Get<double>();
  }
  return frame->Done();
}

void WriteDescription(const ComponentDescription& d, FrameWriter* frame) {
  frame->PutText(d.name);
  WriteVariables(d.parameters, frame);
  WriteVariables(d.inputs, frame);
  WriteVariables(d.outputs, frame);
  WriteVariables(d.states, frame);
  frame->Put(static_cast<uint32_t>(d.groups.size()));
  for (const auto& group : d.groups) {
    frame->PutList(std::span<const uint32_t>(group.outputs));
    frame->PutList(std::span<const uint32_t>(group.inputs));
  }
  frame->Put(d.discrete_bytes);
  frame->Put(d.sample_period);
  frame->Put(static_cast<uint32_t>(d.has_jacobian ? 1 : 0) | static_cast<uint32_t>(d.has_update ? 2 : 0));
}

bool ReadDescription(FrameReader* frame, ComponentDescription* d) {
  d->name = frame->GetText();
  ReadVariables(frame, &d->parameters);
  ReadVariables(frame, &d->inputs);
  ReadVariables(frame, &d->outputs);
  ReadVariables(frame, &d->states);
  d->groups.resize(frame->Count(2 * sizeof(uint32_t)));
  for (auto& group : d->groups) {
    group.outputs = frame->GetVector<uint32_t>();
    group.inputs = frame->GetVector<uint32_t>();
  }
  d->discrete_bytes = frame->Get<uint64_t>();
  d->sample_period = frame->Get<double>();
  const auto flags = frame->Get<uint32_t>();
  d->has_jacobian = (flags & 1) != 0;
  d->has_update = (flags & 2) != 0;
  return frame->Done() && CheckDescription(*d).empty();
}

}  // namespace cotree
