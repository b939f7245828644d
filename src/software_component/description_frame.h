// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "software_component/component_description.h"
#include "software_component/frame.h"
#include "software_component/software_component.h"

namespace cotree {

/** Requests to load and descriptions as payloads (SC.4). The Read functions return false for what is cut off
or malformed. */
void WriteRequest(const ComponentRequest& request, FrameWriter* frame);
bool ReadRequest(FrameReader* frame, ComponentRequest* request);
void WriteDescription(const ComponentDescription& description, FrameWriter* frame);
bool ReadDescription(FrameReader* frame, ComponentDescription* description);

}  // namespace cotree
