// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cotree {

/** The component's side of the protocol (SC.4): answers requests on the connected socket until it is closed
or a close request comes, with a component of the library of that descriptor, loaded into this process.
`unconfined` is passed on (confine.h). Returns the exit status of the process:
0, or 1 for a peer that does not speak our language. */
int ServeComponent(int socket, int library, uint32_t unconfined);

}  // namespace cotree
