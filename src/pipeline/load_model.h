// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/input_file.h"
#include "model/build_model.h"

namespace cotree {

/** Reads from the disk, and knows afterwards what it read. Only ordinary files are read, of 256 MB at most;
the file that the user named may be a pipe, whose text is kept, since it can be read once. */
class DiskReader : public TextReader {
 public:
  static constexpr size_t kMostBytes = 256'000'000;

  std::optional<std::string> Read(const std::string& path) override;
  std::optional<std::string> ReadNamed(const std::string& path) override;
  const std::vector<InputFile>& files() const { return files_; }

 private:
  std::optional<std::string> ReadLimited(const std::string& path, bool pipe);

  std::vector<InputFile> files_;
};

/** Reads nothing: for texts that stand alone (tests, fuzzing, the editor's unsaved buffer). */
class NoReader : public TextReader {
 public:
  std::optional<std::string> Read(const std::string&) override { return std::nullopt; }
};

/** Which system of a file is meant, and what options say of it. */
struct SystemRequest {
  std::string system = {}, experiment = {};  // by name; empty: not said
  bool runs = true;         // where no experiment is named, the first one counts; false: none does
  bool any_system = false;  // of several the first, where none is named
  OptionTexts options = {};
};

/** What is asked for, in terms of the model (ChooseSystem). */
struct SystemChoice {
  ClassId system;  // none: it cannot be said, `problem` has the reason, or the diagnostics have errors
  const Experiment* experiment = nullptr;
  std::vector<Setting> settings, alternatives;
  std::vector<Motion> motions;
  bool by_names = false;  // of TranslateOptions: the next translation may choose another one
  bool usage = false;     // what is wrong is wrong with the request, not with the model
  std::string problem;    // one sentence
  std::string note;
};

/** A model with everything it was made from. Without errors in `diagnostics` the model may be used. */
struct LoadedModel {
  Model model;
  Diagnostics diagnostics;
  std::unique_ptr<Declarations> declarations;
  std::shared_ptr<ModelBuilder> builder;
  bool readable = true;  // false: the file itself could not be read
  SystemChoice choice;   // by ChooseSystem
};

struct LoadOptions {
  std::string library = {};  // a folder to take the standard library from; empty: the one inside the program
  bool udunits = true;       // ask UDUNITS-2 for units that are not built in
};

/// A file with its imports and the standard library, checked: the whole front end in one call.
std::unique_ptr<LoadedModel> LoadModel(const std::string& path, TextReader& reader,
                                       const LoadOptions& options = {});
/// The same for a text.
std::unique_ptr<LoadedModel> LoadModelText(const std::string& name, std::string text, TextReader& reader,
                                           const LoadOptions& options = {});
/// The standard library alone, nothing parsed yet.
std::unique_ptr<LoadedModel> LoadLibrary(TextReader& reader, const LoadOptions& options = {});

}  // namespace cotree
