// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace cotree {

/** Runs a command so that nothing it prints is lost in silence; its exit code, or 5 where standard output
could not be written (a full disk, a closed descriptor, a reader that went away; the latter without a message)
or there is not enough memory. Descriptors 0 to 2 are there meanwhile, so that no file of the command gets
their numbers. */
int WithStandardStreams(const std::function<int()>& command);

}  // namespace cotree
