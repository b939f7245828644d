// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "software_component/software_component.h"

namespace cotree {

/** Starts cotree-component-host and loads the component there. Whatever the component does there (crash,
exit, hang, fork, use up memory, write to stdout) becomes a failure with its reason, in the time of the
limits; nothing of it is left running. There it is confined (confine.h). `library` is the descriptor of a
LibraryCopy, which is what runs; the path in the request is for messages. */
std::unique_ptr<SoftwareComponent> LoadInOwnProcess(const ComponentRequest& request, int library,
                                                    const ComponentOptions& options,
                                                    ComponentFailure* failure);

}  // namespace cotree
