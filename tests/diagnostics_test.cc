// SPDX-License-Identifier: Apache-2.0
// Every message is exercised: the wrong models of tests/diagnostics give exactly the messages that they
// announce, also under other names, in another order and one level further in; what no model can provoke is
// provoked here; docs/manual/messages.md lists them all.

#include "language/diagnostics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>

#include "block_triangular/diagnostics.h"
#include "diagnostics_mutations.h"
#include "language/edit.h"
#include "language/parse.h"
#include "mechanics/diagnostics.h"
#include "model/diagnostics.h"
#include "pipeline/translate.h"
#include "product_support.h"
#include "system_graph/diagnostics.h"

namespace cotree {
namespace {

namespace fs = std::filesystem;
using test::Contains;
using test::Expectation;
using test::WrongModel;

const std::vector<const DiagnosticInfo*>& AllMessages() {
  static const std::vector<const DiagnosticInfo*> all = {
#define DIAGNOSTIC(code, name, severity, message, help) &language_messages::name,
#include "language/diagnostics.def"
#undef DIAGNOSTIC
#define DIAGNOSTIC(code, name, severity, message, help) &model_messages::name,
#include "model/diagnostics.def"
#undef DIAGNOSTIC
#define DIAGNOSTIC(code, name, severity, message, help) &system_graph_messages::name,
#include "system_graph/diagnostics.def"
#undef DIAGNOSTIC
#define DIAGNOSTIC(code, name, severity, message, help) &mechanics_messages::name,
#include "mechanics/diagnostics.def"
#undef DIAGNOSTIC
#define DIAGNOSTIC(code, name, severity, message, help) &block_triangular_messages::name,
#include "block_triangular/diagnostics.def"
#undef DIAGNOSTIC
  };
  return all;
}

// --- The wrong models ---

const fs::path kFolder = test::kRoot / "tests/diagnostics";

std::vector<WrongModel> WrongModels() {
  std::vector<WrongModel> models;
  for (const fs::path& path : test::FilesBelow("tests/diagnostics", ".cot")) {
    if (path.parent_path() != kFolder) continue;  // parts/ holds what they import
    models.push_back(test::ReadWrongModel(path.stem().string(), test::ReadText(path)));
  }
  return models;
}

struct Finding {
  int code = 0;
  Position at{0, 0};
  std::string message, marked;
  std::vector<std::string> lines;  // notes and helps
};

struct Outcome {
  std::vector<Finding> findings;
  std::string rendered;
};

Outcome Check(const std::string& text, bool notes = false) {
  DiskReader reader;
  const auto loaded = LoadModelText((kFolder / "model.cot").string(), text, reader);
  TranslateOptions translate;
  translate.notes = notes;
  for (const SystemGraph& graph : BuildGraphs(*loaded, GraphLimits())) {
    if (!graph.refused) TranslateGraph(*loaded, graph, translate);
  }
  if (loaded->diagnostics.ok()) {
    for (const Experiment& e : loaded->model.experiments) {
      if (e.sets.empty()) continue;
      translate.experiment = loaded->model.Text(e.name);
      Translate(*loaded, translate);
    }
  }
  Outcome outcome;
  for (const Diagnostic& d : loaded->diagnostics.list()) {
    Finding f;
    f.code = d.info->code;
    f.message = d.message;
    if (!d.where.file.IsNone()) {
      const SourceFile& file = loaded->model.files[d.where.file];
      f.at = file.PositionOf(d.where.begin);
      f.marked = file.text().substr(d.where.begin, d.where.end - d.where.begin);
    }
    f.lines = d.notes;
    f.lines.insert(f.lines.end(), d.helps.begin(), d.helps.end());
    outcome.findings.push_back(std::move(f));
  }
  outcome.rendered = test::Render(loaded->diagnostics, loaded->model.files);
  return outcome;
}

// Notes are given only where they are asked for.
bool ExpectsNotes(const WrongModel& model) {
  return std::any_of(model.expectations.begin(), model.expectations.end(),
                     [](const Expectation& e) { return e.code / 100 == 41; });
}

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// An empty string if every expectation is met by one finding and no finding is left; `matches` knows what a
// mutation changes.
std::string Compare(const WrongModel& model, const Outcome& outcome,
                    const std::function<bool(const Expectation&, const Finding&)>& matches) {
  std::vector<bool> used(outcome.findings.size(), false);
  std::string trouble;
  for (const Expectation& e : model.expectations) {
    bool met = false;
    for (size_t i = 0; i < used.size() && !met; ++i) {
      if (used[i] || outcome.findings[i].code != e.code || !matches(e, outcome.findings[i])) continue;
      used[i] = met = true;
    }
    if (!met) trouble += "expected, but not given: COT" + std::to_string(e.code) + " " + e.text + "\n";
  }
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i])
      trouble += "given, but not so expected: COT" + std::to_string(outcome.findings[i].code) + " " +
                 outcome.findings[i].message + "\n";
  }
  return trouble.empty() ? trouble : trouble + "--- all that was given:\n" + outcome.rendered;
}

bool HelpsAreThere(const Expectation& e, const Finding& f) {
  return std::all_of(e.helps.begin(), e.helps.end(), [&](const std::string& help) {
    return std::any_of(f.lines.begin(), f.lines.end(),
                       [&](const std::string& line) { return Contains(line, help); });
  });
}

TEST(Diagnostics, WrongModelsGiveTheirMessages) {
  for (const WrongModel& model : WrongModels()) {
    EXPECT_EQ(model.trouble, "") << model.name;
    const std::string trouble =
        Compare(model, Check(model.text, ExpectsNotes(model)), [](const Expectation& e, const Finding& f) {
          return f.at.line == e.line && f.at.column == e.column && Contains(f.message, e.text) &&
                 HelpsAreThere(e, f);
        });
    EXPECT_EQ(trouble, "") << "in tests/diagnostics/" << model.name << ".cot";
  }
}

TEST(Diagnostics, MutationsGiveTheSameMessages) {
  size_t files = 0, mutations = 0, failures = 0;
  const auto check = [&](const WrongModel& model, const char* mutation, const std::string& text,
                         const auto& matches) {
    const bool wanted = model.mutations.count(mutation) > 0;
    if (!wanted) return;
    ++mutations;
    const std::string trouble = text.empty() ? "nothing in it can be " + std::string(mutation) + "\n"
                                             : Compare(model, Check(text, ExpectsNotes(model)), matches);
    if (!trouble.empty()) ++failures;
    EXPECT_EQ(trouble, "") << "in tests/diagnostics/" << model.name << ".cot, " << mutation << ":\n" << text;
  };
  for (const WrongModel& model : WrongModels()) {
    ++files;
    const auto names = test::NewNames(model.text);
    check(model, "renamed", test::Renamed(model.text, names), [&](const Expectation& e, const Finding& f) {
      return f.at.line == e.line && Contains(f.message, test::RenameWords(e.text, names));
    });
    check(model, "reordered", test::Reordered(model.text),
          [&](const Expectation& e, const Finding& f) { return Contains(f.message, e.reordered_text); });
    check(model, "nested", test::Nested(model.text), [&](const Expectation& e, const Finding& f) {
      const auto plain = [](const std::string& text) {
        return Replaced(Replaced(text, "a system", "a component"), test::kNestedPrefix, "");
      };
      return f.at.line == e.line && Contains(plain(f.message), plain(e.text));
    });
  }
  EXPECT_GE(files, 100u);
  EXPECT_GE(mutations, 3 * files - 20) << "too many files leave mutations out";
  std::printf("diagnostics: %zu files, %zu mutations, %s\n", files, mutations,
              failures == 0 ? "all as expected" : (std::to_string(failures) + " not as expected").c_str());
}

// The mutations themselves: a mutation that changes nothing would prove nothing.
TEST(DiagnosticsMutations, DoWhatTheySay) {
  const std::string text =
      "// a remark\n"
      "component Part { terminal p, n : electrical   r : Resistor(R = 1 ohm)   connect p -- r.p   connect n "
      "-- r.n }\n"
      "system Whole { part : Part   connect part.p -- part.n -- electrical.ground }\n"
      "experiment Run of Whole { stop = 1 s   plot part.r.v + 1 V }\n";
  const auto names = test::NewNames(text);
  EXPECT_EQ(names.size(), 5u);  // Part, r, Whole, part, Run; not the terminals p, n
  const std::string renamed = test::Renamed(text, names);
  EXPECT_TRUE(Contains(renamed, "zzr9 : Resistor(R = 1 ohm)")) << renamed;
  EXPECT_TRUE(Contains(renamed, "plot zzpart9.zzr9.v + 1 V")) << renamed;
  const std::string reordered = test::Reordered(text);
  EXPECT_LT(reordered.find("experiment"), reordered.find("system"));
  EXPECT_LT(reordered.find("connect n --"), reordered.find("connect p --"));
  const std::string nested = test::Nested(text);
  EXPECT_TRUE(Contains(nested, "component Whole {")) << nested;
  EXPECT_TRUE(Contains(nested, "experiment Run of OuterSystem { stop = 1 s   plot nested1.part.r.v + 1 V }"))
      << nested;
  for (const std::string& correct : {text, renamed, reordered, nested}) {
    // The resistor is short-circuited, which is said as a warning of the graph.
    for (const Finding& f : Check(correct).findings) EXPECT_EQ(f.code, 3005) << f.message << "\n" << correct;
  }
}

// --- What no model can provoke ---

std::vector<int> CodesOf(const Diagnostics& diagnostics) {
  std::vector<int> codes;
  for (const Diagnostic& d : diagnostics.list()) codes.push_back(d.info->code);
  return codes;
}

constexpr std::string_view kEditable =
    "system Lamp {\n"
    "  battery : VoltageSource(V = 9 V)\n"
    "  bulb    : Resistor(R = 330 ohm)\n"
    "  connect battery.p -- bulb.p\n"
    "  connect battery.n -- electrical.ground -- bulb.n\n"
    "}\n";

/** What one edit of a text reports. */
struct Refusal {
  int code;
  std::string_view text;    // occurs in the message
  std::string_view edited;  // the file
  std::function<void(const SourceEditor&)> edit;
};

std::vector<Refusal> Refusals() {
  return {
      {1030, "there is no instance `lamp` in `Lamp`", kEditable,
       [](const SourceEditor& e) { e.SetParameter("Lamp", "lamp", "R", "1 ohm"); }},
      {1031, "the name `battery` is already taken", kEditable,
       [](const SourceEditor& e) { e.RenameInstance("Lamp", "bulb", "battery"); }},
      {1032, "`2 bulbs` is not", kEditable,
       [](const SourceEditor& e) { e.RenameInstance("Lamp", "bulb", "2 bulbs"); }},
      {1033, "syntax errors", "system Lamp { bulb : Resistor(R = ) }",
       [](const SourceEditor& e) { e.RemoveInstance("Lamp", "bulb"); }},
      {1034, "`bulb.p` and `battery.p` are already connected", kEditable,
       [](const SourceEditor& e) {
         e.AddConnection("Lamp", "bulb.p", "battery.p", ConnectionKind::kPhysical);
       }},
      {1035, "joined through `electrical.ground`", kEditable,
       [](const SourceEditor& e) { e.RemoveConnection("Lamp", "battery.n", "bulb.n"); }},
  };
}

TEST(DiagnosticsElsewhere, Edits) {
  for (const Refusal& refusal : Refusals()) {
    Diagnostics diagnostics;
    SourceFiles files;
    const FileId file = files.Add("lamp.cot", std::string(refusal.edited));
    refusal.edit(SourceEditor(files[file].text(), file, diagnostics));
    EXPECT_EQ(CodesOf(diagnostics), std::vector<int>{refusal.code});
    EXPECT_TRUE(Contains(test::Render(diagnostics, files), refusal.text)) << test::Render(diagnostics, files);
  }
}

TEST(DiagnosticsElsewhere, FileThatCannotBeRead) {  // COT2010
  DiskReader reader;
  const auto loaded = LoadModel((kFolder / "nowhere.cot").string(), reader);
  EXPECT_FALSE(loaded->readable);
  EXPECT_EQ(CodesOf(loaded->diagnostics), std::vector<int>{2010});
  EXPECT_TRUE(Contains(loaded->diagnostics.list()[0].message, "nowhere.cot"));
}

TEST(DiagnosticsElsewhere, WordThatIsTooLarge) {  // COT1005
  const std::string text = "system Lamp { }\n// expect\n\"" + std::string((1u << 23) + 100, 'x') + "\"\n";
  Diagnostics diagnostics;
  Parse(text, FileId(0), diagnostics);
  const std::vector<int> codes = CodesOf(diagnostics);
  EXPECT_EQ(std::count(codes.begin(), codes.end(), 1005), 1);
}

// Not the model alone decides, but what a command does with foreign code, and whether there is consent.
TEST(DiagnosticsElsewhere, ForeignCode) {  // COT4270, COT4271
  const std::pair<ForeignAccess, std::vector<int>> rows[] = {
      {ForeignAccess::kNone, {}}, {ForeignAccess::kKnown, {4270}}, {ForeignAccess::kRun, {4271}}};
  for (const auto& [access, codes] : rows) {
    DiskReader reader;
    // A regular file that is there: without consent nobody looks whether it is a library.
    const auto loaded = LoadModelText((kFolder / "model.cot").string(),
                                      "software G { input u : Real  output y : Real  feedthrough y : u\n"
                                      "  external \"2303_set_beyond_the_array.cot\" \"gain\" }\n"
                                      "system S { c : Constant(k = 1)  g : G  t : Terminator\n"
                                      "  connect c.y -> g.u  connect g.y -> t.u }\n",
                                      reader);
    TranslateOptions translate;
    translate.foreign = access;
    EXPECT_EQ(Translate(*loaded, translate)->ok, codes.empty());
    EXPECT_EQ(CodesOf(loaded->diagnostics), codes);
    if (!codes.empty()) {
      EXPECT_TRUE(Contains(loaded->diagnostics.list()[0].message, "`g`"));
    }
  }
}

// --- The tables ---

TEST(Diagnostics, EveryCodeIsExercised) {
  std::set<int> exercised{2010, 1005, 2140, 4270, 4271};  // DiagnosticsElsewhere
  for (const Refusal& refusal : Refusals()) exercised.insert(refusal.code);
  for (const WrongModel& model : WrongModels()) {
    for (const Expectation& e : model.expectations) exercised.insert(e.code);
  }
  std::set<int> declared;
  for (const DiagnosticInfo* info : AllMessages()) {
    EXPECT_TRUE(declared.insert(info->code).second) << info->code << " is used twice";
    EXPECT_TRUE(exercised.count(info->code) > 0)
        << CodeText(*info) << " (" << info->name
        << ") is exercised by no test: add a model to tests/diagnostics";
  }
  for (const int code : exercised) EXPECT_TRUE(declared.count(code) > 0) << code << " is in no table";
}

// The message with ... for what depends on the model.
std::string Generally(const char* pattern) {
  return FormatMessage(pattern, {"…", "…", "…", "…", "…", "…", "…", "…"});
}

TEST(Diagnostics, ManualListsEveryMessage) {
  const std::string manual = test::ReadText(test::kRoot / "docs/manual/messages.md");
  std::set<std::string> rows;
  for (size_t begin = 0; begin < manual.size();) {
    const size_t end = std::min(manual.find('\n', begin), manual.size());
    const std::string row = manual.substr(begin, end - begin);
    if (row.starts_with("| COT")) rows.insert(row);
    begin = end + 1;
  }
  EXPECT_EQ(rows.size(), AllMessages().size()) << "rows for messages that do not exist, or missing ones";
  for (const DiagnosticInfo* info : AllMessages()) {
    const std::string severity = info->severity == Severity::kWarning ? " (warning)" : "";
    const std::string wanted =
        "| " + CodeText(*info) + " | " + Generally(info->message) + severity + " | " + Generally(info->help);
    const auto row = rows.lower_bound(wanted);
    const bool listed = row != rows.end() && row->starts_with(wanted);
    EXPECT_TRUE(listed) << "docs/manual/messages.md lacks the row\n" << wanted << " |";
    if (!listed) continue;
    EXPECT_GT(row->size(), wanted.size() + (info->help[0] == '\0' ? 8 : 1)) << "no remedy in: " << *row;
  }
}

TEST(Diagnostics, ManualShowsARealMessage) {
  const std::string manual = test::ReadText(test::kRoot / "docs/manual/messages.md");
  const size_t fence = manual.find("```cot COT");
  ASSERT_NE(fence, std::string::npos);
  const size_t begin = manual.find('\n', fence) + 1;
  NoReader reader;
  const auto loaded =
      LoadModelText("drive.cot", manual.substr(begin, manual.find("```", begin) - begin), reader);
  const std::string rendered = test::Render(loaded->diagnostics, loaded->model.files);
  EXPECT_TRUE(Contains(manual, rendered.substr(0, rendered.find_last_not_of('\n') + 1)))
      << "docs/manual/messages.md should show\n"
      << rendered;
}

}  // namespace
}  // namespace cotree
