// SPDX-License-Identifier: Apache-2.0
#include "base/large_vector.h"
#include "cli/commands.h"
#include "cli/standard_streams.h"

int main(int argc, char** argv) {
  cotree::KeepFreedMemory();
  return cotree::WithStandardStreams([&] { return cotree::RunCotree(argc, argv); });
}
