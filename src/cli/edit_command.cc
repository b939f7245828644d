// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cstdio>

#include "cli/commands.h"
#include "cli/files.h"
#include "language/edit.h"
#include "pipeline/load_model.h"

namespace cotree {
namespace {

std::optional<double> Number(const std::string& text) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || result.ec != std::errc() || result.ptr != text.data() + text.size())
    return std::nullopt;
  return value;
}

struct Usage {
  const char* operation;
  size_t least, most;
  const char* form;
};
constexpr Usage kUsages[] = {
    {"set", 3, 3, "set INSTANCE PARAMETER VALUE"},
    {"add", 2, 2, "add NAME \"CLASS(ARGUMENTS)\""},
    {"remove", 1, 1, "remove NAME"},
    {"rename", 2, 2, "rename OLD NEW"},
    {"connect", 2, 2, "connect TERMINAL TERMINAL"},
    {"wire", 2, 2, "wire OUTPUT INPUT"},
    {"disconnect", 2, 2, "disconnect A B"},
    {"layout", 3, 4, "layout NAME X Y [ROTATION]"},
};

}  // namespace

int RunEdit(const EditOptions& options, const Console& console) {
  const Usage* usage = nullptr;
  std::vector<std::string_view> names;
  for (const Usage& u : kUsages) {
    names.emplace_back(u.operation);
    if (options.operation == u.operation) usage = &u;
  }
  if (usage == nullptr) {
    const std::string_view near = Nearest(options.operation, names);
    std::fprintf(stderr, "cotree: `%s` is not an edit%s\nTry `cotree edit-text --help`.\n",
                 options.operation.c_str(),
                 near.empty() ? "" : ("; did you mean `" + std::string(near) + "`?").c_str());
    return kExitUsage;
  }
  const auto& words = options.words;
  if (words.size() < usage->least || words.size() > usage->most) {
    std::fprintf(stderr, "cotree: usage: cotree edit-text FILE %s\n", usage->form);
    return kExitUsage;
  }
  DiskReader reader;
  auto text = reader.ReadNamed(options.file);
  if (!text) {
    std::fprintf(stderr, "cotree: the file `%s` cannot be read\n", options.file.c_str());
    return kExitForeign;
  }
  SourceFiles files;
  Diagnostics diagnostics;
  const FileId file = files.Add(options.file, std::move(*text));
  const std::string& source = files[file].text();
  const SourceEditor editor(source, file, diagnostics);
  std::string scope = options.scope;
  if (scope.empty()) {
    std::vector<std::string> systems;
    for (const NodeId node : editor.tree().Children(editor.tree().root)) {
      if (editor.tree().kind(node) == NodeKind::kSystem) systems.emplace_back(editor.tree().Name(node));
    }
    if (systems.size() != 1) {
      std::fprintf(stderr, "cotree: `%s` has %zu systems; say which with --in NAME\n", options.file.c_str(),
                   systems.size());
      return kExitUsage;
    }
    scope = systems[0];
  }
  std::optional<TextEdits> edits;
  const std::string_view operation = options.operation;
  if (operation == "set") {
    edits = editor.SetParameter(scope, words[0], words[1], words[2]);
  } else if (operation == "add") {
    edits = editor.AddInstance(scope, words[0], words[1]);
  } else if (operation == "remove") {
    edits = editor.RemoveInstance(scope, words[0]);
  } else if (operation == "rename") {
    edits = editor.RenameInstance(scope, words[0], words[1]);
  } else if (operation == "connect" || operation == "wire") {
    edits = editor.AddConnection(scope, words[0], words[1],
                                 operation == "wire" ? ConnectionKind::kSignal : ConnectionKind::kPhysical);
  } else if (operation == "disconnect") {
    edits = editor.RemoveConnection(scope, words[0], words[1]);
  } else {
    const auto x = Number(words[1]), y = Number(words[2]);
    const auto rotation = words.size() > 3 ? Number(words[3]) : std::optional(0.0);
    if (!x || !y || !rotation) {
      std::fprintf(stderr, "cotree: X, Y and ROTATION are numbers\n");
      return kExitUsage;
    }
    Layout layout{*x, *y, std::nullopt};
    if (words.size() > 3) layout.rotate = *rotation;
    edits = editor.SetLayout(scope, words[0], layout);
  }
  PrintDiagnostics(diagnostics, files, console);
  if (!edits) return kExitModel;
  const std::string result = ApplyEdits(source, *edits);
  if (options.stdout_) {
    std::fwrite(result.data(), 1, result.size(), stdout);
    return kExitOk;
  }
  if (const std::string no_file = NoOrdinaryFile(options.file); !no_file.empty()) {
    std::fprintf(stderr, "cotree: `%s` cannot be changed in place: %s; use --stdout\n", options.file.c_str(),
                 no_file.c_str());
    return kExitForeign;
  }
  if (result != source && !WriteFileSafely(options.file, result)) return kExitForeign;
  return kExitOk;
}

}  // namespace cotree
