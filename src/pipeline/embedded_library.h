// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cotree {

/** A file of library/, put into the program by cmake/EmbedLibrary.cmake. */
struct EmbeddedFile {
  const char* name;
  const char* text;
};

/// All of them; the last has a null name.
const EmbeddedFile* EmbeddedLibrary();

}  // namespace cotree
