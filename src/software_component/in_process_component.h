// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "software_component/software_component.h"

namespace cotree {

/** Loads a component into this process. Found and reported: errors, exceptions, values that are not finite or
not set, writing beyond a vector, changed locale and floating-point settings. Not survived: crash, exit,
endless loops; for those there is LoadInOwnProcess, which runs this function in the other process.
`library` is the descriptor of a LibraryCopy, which is what runs; the path in the request is for messages.

Theory: docs/theory/software_components.md, SC.2. */
std::unique_ptr<SoftwareComponent> LoadInProcess(const ComponentRequest& request, int library,
                                                 ComponentFailure* failure);

}  // namespace cotree
