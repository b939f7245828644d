// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cotree {

/** Which file it is, by whatever name: links, other spellings and hard links lead to the same one. */
struct FileIdentity {
  uint64_t device = 0, number = 0;
  bool operator==(const FileIdentity&) const = default;
};

/** A file that was read. */
struct InputFile {
  std::string path;
  FileIdentity identity{};
  bool regular = true;
};

/** What may be read: a pipe only where the user named it. */
struct ReadLimits {
  size_t most = SIZE_MAX;  // bytes; a longer file is refused before it is read, a pipe when it has given more
  size_t beginning = SIZE_MAX;  // no more than so many bytes are read
  bool pipe = false;            // else ordinary files only
};

/** The bytes of a file. Folders, sockets, devices, and pipes where they are not allowed, are refused at once,
without waiting for anyone. Nothing, and the reason as the end of a sentence ("it is a pipe, not a file"),
otherwise. `read`: which file it was. */
std::optional<std::string> ReadInputFile(const std::string& path, const ReadLimits& limits,
                                         std::string* problem, InputFile* read = nullptr);

/// Why a path leads to no ordinary file ("it is a pipe, not a file"); empty: it does, or to nothing.
std::string NoOrdinaryFile(const std::string& path);

/// "5.2 GB": as sizes are told.
std::string SizeText(uint64_t bytes);

}  // namespace cotree
