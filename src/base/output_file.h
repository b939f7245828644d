// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/input_file.h"

namespace cotree {

/** A file that is being written, without a buffer of its own: what Write has taken survives a kill of the
process. A link is followed. What is no ordinary file (a pipe, a device, standard output by any name) is
written into, never replaced. */
class OutputFile {
 public:
  OutputFile() = default;
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Makes the file, or empties it.
  bool Open(const std::string& path);
  bool OpenStandardOutput();
  /// As Open, but what stands there stays until Commit puts the new file in its place; without Commit nothing
  /// has changed.
  bool OpenBeside(const std::string& path);
  bool Commit();
  /// Goes on behind the first `size` bytes of a file that is there; what follows them is dropped.
  bool Continue(const std::string& path, uint64_t size);
  bool Write(std::string_view bytes);
  /** The same, with bytes behind them that the next Write replaces, and Close without Write leaves: a mark
  that what comes next is missing. Where nothing can be replaced (a pipe) the mark is left out. */
  bool WriteMarked(std::string_view bytes, std::string_view mark);
  /// Takes the mark away.
  bool ClearMark();
  /// Replaces bytes that were written before.
  bool WriteAt(uint64_t place, std::string_view bytes);
  bool Close();
  bool is_open() const { return descriptor_ >= 0; }
  uint64_t size() const { return size_; }
  /// "cannot write `F`: No space left on device", of the call that failed.
  std::string Problem() const;
  int error() const { return error_; }

 private:
  bool Use(int descriptor);

  std::string path_, target_, beside_;  // `beside_` is renamed to `target_`
  int descriptor_ = -1, error_ = 0;
  bool replaceable_ = false;  // an ordinary file that is written by places
  uint64_t size_ = 0;         // without the mark
};

/// Whether writing there means writing into something that has no places: a pipe, a device, standard output.
bool IsStream(const std::string& path);

/// Replaces a file, or writes into a stream, so that a crash or a full disk loses nothing; false and the
/// reason.
bool WriteWholeFile(const std::string& path, std::string_view text, std::string* problem);

/** The same for what is written by someone else: `write` gets the name of a file beside, or of a temporary
one where it goes into a stream, and says in `problem` why it failed, if it knows. */
bool ReplaceFile(const std::string& path,
                 const std::function<bool(const std::string& beside, std::string* problem)>& write,
                 std::string* problem);

/// From a file into a stream that is there; false and the reason.
bool PourFile(const std::string& from, const std::string& path, std::string* problem);

/** A file that a command is going to write, and what asked for it: "--out". */
struct NamedOutput {
  std::string option, path;
};

/** Why these cannot be written: one is a file that was read, whatever its name, or two are the same file, or
one is a folder or a socket. Empty: they can, as far as is known before. */
std::string OutputProblem(std::span<const NamedOutput> outputs, std::span<const InputFile> inputs);

/// Adds a file that is read by others; nothing if it is not there.
void AddInput(const std::string& path, std::vector<InputFile>* inputs);

/// The file a link leads to, also where that is not there yet.
std::string LinkTarget(const std::string& path);

}  // namespace cotree
