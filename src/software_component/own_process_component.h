// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "software_component/software_component.h"

namespace cotree {

/** Starts cotree-component-host and loads the component there. Whatever the component does there (crash,
exit, hang, fork, use up memory, write to stdout) becomes a failure with its reason, in the time of the
limits; nothing of it is left running. The library's path is absolute. */
std::unique_ptr<SoftwareComponent> LoadInOwnProcess(const ComponentRequest& request,
                                                    const ComponentOptions& options,
                                                    ComponentFailure* failure);

}  // namespace cotree
