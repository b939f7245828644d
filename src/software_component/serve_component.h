// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cotree {

/** The component's side of the protocol (SC.4): answers requests on the connected socket until it is closed
or a close request comes, with a component loaded into this process. Returns the exit status of the process:
0, or 1 for a peer that does not speak our language. */
int ServeComponent(int socket);

}  // namespace cotree
