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

/** A model with everything it was made from. Without errors in `diagnostics` the model may be used. */
struct LoadedModel {
  Model model;
  Diagnostics diagnostics;
  std::unique_ptr<Declarations> declarations;
  bool readable = true;  // false: the file itself could not be read
};

struct LoadOptions {
  std::string library = {};  // a folder to take the standard library from; empty: the one inside the program
  bool udunits = true;       // ask UDUNITS-2 for units that are not built in
  std::vector<std::string> settings = {};  // "motor.R = 0.3 ohm": read as an experiment of that system
  /// Values to choose from later (TranslateOptions::chosen), read and checked like settings: a sweep's.
  std::vector<std::string> alternatives = {};
  /// Right sides of motions to be prescribed ("0.3 rad*sin(2 rad/s * time)"): the plots of kMotionExperiment.
  std::vector<std::string> motions = {};
  /// The system settings are for; empty: that of the experiment, or the first of the file.
  std::string system = {};
  std::string experiment = {};  // empty: the first of the file
};

/// The name of the experiment that holds LoadOptions::settings; those of the alternatives begin with it.
inline constexpr std::string_view kSettingsExperiment = "settings_from_outside";
std::string AlternativeExperiment(size_t alternative);
inline constexpr std::string_view kMotionExperiment = "settings_from_outside_motion";

/// A file with its imports and the standard library, checked: the whole front end in one call.
std::unique_ptr<LoadedModel> LoadModel(const std::string& path, TextReader& reader,
                                       const LoadOptions& options = {});
/// The same for a text.
std::unique_ptr<LoadedModel> LoadModelText(const std::string& name, std::string text, TextReader& reader,
                                           const LoadOptions& options = {});
/// The standard library alone, nothing parsed yet.
std::unique_ptr<LoadedModel> LoadLibrary(TextReader& reader, const LoadOptions& options = {});

}  // namespace cotree
