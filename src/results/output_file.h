// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cotree {

/** A file that is being written, without a buffer of its own: what Write has taken survives a kill of the
process. */
class OutputFile {
 public:
  OutputFile() = default;
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Makes the file, or empties it.
  bool Open(const std::string& path);
  bool OpenStandardOutput();
  /// Goes on behind the first `size` bytes of a file that is there; what follows them is dropped.
  bool Continue(const std::string& path, uint64_t size);
  bool Write(std::string_view bytes);
  /// Replaces bytes that were written before.
  bool WriteAt(uint64_t place, std::string_view bytes);
  bool Close();
  bool is_open() const { return descriptor_ >= 0; }
  uint64_t size() const { return size_; }
  /// "cannot write `F`: No space left on device", of the call that failed.
  std::string Problem() const;

 private:
  std::string path_;
  int descriptor_ = -1, error_ = 0;
  uint64_t size_ = 0;
};

/// The first bytes of a file, all if it has no more than `most`; false and "cannot read `F`: ..." otherwise.
bool ReadBeginning(const std::string& path, size_t most, std::string* text, std::string* problem);

}  // namespace cotree
