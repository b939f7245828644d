// SPDX-License-Identifier: Apache-2.0
// The command line as a user meets it: the binary is run, in a folder of its own, and only what it prints,
// writes and returns counts.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "product_support.h"

namespace cotree {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using test::Contains;
using test::Ran;
using test::ReadText;
using test::TemporaryFolder;
using test::WriteText;

Ran Cotree(const std::vector<std::string>& words, const fs::path& folder = test::kRoot) {
  return test::RunCotree(words, folder);
}

constexpr const char* kCircuit =
    "// a comment above\n"
    "system Circuit {\n"
    "  source : VoltageSource(V = 5 V)\n"
    "  r      : Resistor(R = 100 ohm)   // series\n"
    "  c      : Capacitor(C = 1 uF)\n"
    "\n"
    "  connect source.p -- r.p\n"
    "  connect r.n -- c.p\n"
    "  connect source.n -- c.n -- electrical.ground\n"
    "}\n"
    "\n"
    "experiment Charge of Circuit { stop = 1 ms   plot c.v, r.i }\n";

constexpr const char* kBroken = "system Broken {\n  r : Resistor(R = 10 uF\n  connect r.p -- \n}\n";

const std::vector<std::string> kCommands{"check",     "graph",     "tree",   "order", "equations",
                                         "linearize", "trim",      "emit",   "fmt",   "new",
                                         "library",   "edit-text", "profile"};

// --- Exit codes --------------------------------------------------------------------------------------

TEST(CommandLine, ExitCodes) {
  const TemporaryFolder folder;
  WriteText(folder / "good.cot", kCircuit);
  WriteText(folder / "wrong.cot", "system S { r : Resitor }\n");
  WriteText(folder / "broken.cot", kBroken);
  fs::create_directory(folder / "folder.cot");
  const auto code = [&](const std::vector<std::string>& words) {
    return Cotree(words, folder.path()).exit_code;
  };
  // 0: fine
  EXPECT_EQ(code({"check", "good.cot"}), 0);
  EXPECT_EQ(code({"check", "good.cot", "--units", "--parameters", "--statistics"}), 0);
  EXPECT_EQ(code({"check", "good.cot", "--format", "json"}), 0);
  EXPECT_EQ(code({"--help"}), 0);
  EXPECT_EQ(code({"--version"}), 0);
  EXPECT_EQ(code({"library"}), 0);
  // 1: the model has errors
  EXPECT_EQ(code({"check", "wrong.cot"}), 1);
  EXPECT_EQ(code({"check", "wrong.cot", "--format", "json"}), 1);
  EXPECT_EQ(code({"check", "broken.cot"}), 1);
  EXPECT_EQ(code({"fmt", "broken.cot"}), 1);
  // 2: wrong usage
  EXPECT_EQ(code({}), 2);
  EXPECT_EQ(code({"chek", "good.cot"}), 2);
  EXPECT_EQ(code({"check"}), 2);
  EXPECT_EQ(code({"check", "good.cot", "--nonsense"}), 2);
  EXPECT_EQ(code({"check", "good.cot", "--format", "xml"}), 2);
  EXPECT_EQ(code({"library", "Nonsense"}), 2);
  EXPECT_EQ(code({"edit-text", "good.cot", "paint", "r"}), 2);
  EXPECT_EQ(code({"edit-text", "good.cot", "set", "r"}), 2);
  // 5: files
  EXPECT_EQ(code({"check", "nowhere.cot"}), 5);
  EXPECT_EQ(code({"check", "folder.cot"}), 5);
  EXPECT_EQ(code({"check", "nowhere.cot", "--format", "json"}), 5);
  EXPECT_EQ(code({"fmt", "nowhere.cot"}), 5);
  EXPECT_EQ(code({"edit-text", "nowhere.cot", "remove", "r"}), 5);
  EXPECT_EQ(code({"new", "no/such/folder/lamp"}), 5);
}

TEST(CommandLine, AFileThatMayNotBeReadIsSaidSo) {
  if (geteuid() == 0) GTEST_SKIP() << "root reads everything";
  const TemporaryFolder folder;
  WriteText(folder / "secret.cot", kCircuit);
  chmod((folder / "secret.cot").c_str(), 0);
  EXPECT_EQ(Cotree({"check", "secret.cot"}, folder.path()).exit_code, 5);
}

// --- What it looks like ------------------------------------------------------------------------------

TEST(CommandLine, NoColoursInAPipe) {
  const TemporaryFolder folder;
  WriteText(folder / "good.cot", kCircuit);
  WriteText(folder / "broken.cot", kBroken);
  const std::vector<std::vector<std::string>> runs{{"check", "good.cot", "--units", "--parameters"},
                                                   {"check", "broken.cot"},
                                                   {"library"},
                                                   {"library", "DCMotor"},
                                                   {"graph", "good.cot"},
                                                   {"tree", "good.cot"},
                                                   {"order", "good.cot"},
                                                   {"equations", "good.cot", "--form", "state-space"},
                                                   {"linearize", "good.cot"},
                                                   {"new", "lamp"},
                                                   {"fmt", "broken.cot"},
                                                   {"--help"},
                                                   {"edit-text", "good.cot", "remove", "q"}};
  for (const auto& words : runs) {
    const Ran run = Cotree(words, folder.path());
    EXPECT_FALSE(Contains(run.out + run.err, "\033")) << words[0];
    EXPECT_FALSE((run.out + run.err).empty()) << words[0];
  }
}

TEST(CommandLine, HelpTeachesByExample) {
  const Ran all = Cotree({"--help"});
  EXPECT_TRUE(Contains(all.out, "cotree new lamp"));
  EXPECT_FALSE(Contains(all.out, COTREE_BINARY)) << "the program's name is cotree, wherever it lies";
  for (const std::string& command : kCommands) {
    EXPECT_TRUE(Contains(all.out, command));
    const Ran help = Cotree({command, "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_EQ(help.err, "");
    EXPECT_TRUE(Contains(help.out, "\n  cotree " + command) || Contains(help.out, " cotree " + command + " "))
        << help.out;
  }
}

TEST(CommandLine, FindingsGoToStandardError) {
  const TemporaryFolder folder;
  WriteText(folder / "wrong.cot", "system S { r : Resitor }\n");
  const Ran run = Cotree({"check", "wrong.cot"}, folder.path());
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(Contains(run.err, "error[COT2001]"));
  EXPECT_TRUE(Contains(run.err, "wrong.cot:1:16"));
  EXPECT_TRUE(Contains(run.err, "did you mean `Resistor`?"));
  EXPECT_TRUE(Contains(run.err, "wrong.cot: 1 error\n"));
}

TEST(CommandLine, JsonIsAllThatIsPrinted) {
  const TemporaryFolder folder;
  WriteText(folder / "broken.cot", kBroken);
  const Ran run = Cotree({"check", "broken.cot", "--format", "json"}, folder.path());
  EXPECT_EQ(run.err, "");
  const Json output = Json::parse(run.out);
  EXPECT_FALSE(output.at("ok").get<bool>());
  EXPECT_EQ(output.at("errors").get<size_t>(), output.at("diagnostics").size());
}

TEST(CommandLine, UnknownWordsGetASuggestion) {
  EXPECT_TRUE(Contains(Cotree({"chek", "x.cot"}).err, "did you mean `check`?"));
  EXPECT_TRUE(Contains(Cotree({"linearise", "x.cot"}).err, "did you mean `linearize`?"));
  EXPECT_TRUE(Contains(Cotree({"libary"}).err, "did you mean `library`?"));
  EXPECT_TRUE(Contains(Cotree({"library", "Resitor"}).err, "did you mean `Resistor`?"));
  EXPECT_TRUE(Contains(Cotree({"library", "electrcal"}).err, "did you mean `electrical`?"));
  const TemporaryFolder folder;
  WriteText(folder / "good.cot", kCircuit);
  EXPECT_TRUE(Contains(Cotree({"edit-text", "good.cot", "renam", "r", "q"}, folder.path()).err,
                       "did you mean `rename`?"));
  EXPECT_TRUE(Contains(Cotree({"edit-text", "good.cot", "set", "sorce", "V", "1 V"}, folder.path()).err,
                       "did you mean `source`?"));
}

TEST(CommandLine, SameInputSameOutput) {
  const std::vector<std::vector<std::string>> runs{
      {"check", "examples/opamp_filters/opamp_filters.cot", "--units", "--parameters", "--statistics"},
      {"check", "examples/seeker_electrics/seeker_electrics.cot", "--format", "json", "--units",
       "--parameters", "--statistics"},
      {"check", "tests/demo/positioner_broken.cot"},
      {"library"},
      {"library", "--format", "json"}};
  for (const auto& words : runs) {
    const Ran first = Cotree(words), second = Cotree(words);
    EXPECT_EQ(first.out, second.out) << words[0];
    EXPECT_EQ(first.err, second.err) << words[0];
    EXPECT_EQ(first.exit_code, second.exit_code);
  }
}

// Lines in another order give the same messages, each at its own line.
TEST(CommandLine, OrderOfDeclarationDoesNotChangeMessages) {
  const std::vector<std::string> members{
      "  a : Resistor(R = 1 uF)\n",  // wrong dimension
      "  b : Capacitr(C = 1 uF)\n",  // unknown class
      "  d : Inductor\n",            // a value is missing
      "  m : Inertia(J = 1 kg*m^2)\n",
      "  g : VoltageSource(V = 1)\n",                 // a unit is missing
      "  connect a.p -- m.a\n",                       // two domains
      "  connect a.n -- d.q -- electrical.ground\n",  // unknown terminal
      "  connect g.p -- d.p\n",
      "  connect e.p -- g.n -- d.n -- electrical.ground\n"  // unknown instance
  };
  const TemporaryFolder folder;
  // Code, message and the text of the line; in the order of their texts.
  const auto messages = [&](const std::vector<std::string>& lines) {
    std::string text = "system S {\n";
    for (const std::string& line : lines) text += line;
    WriteText(folder / "s.cot", text + "}\n");
    std::multiset<std::string> all;
    const Json output = Json::parse(Cotree({"check", "s.cot", "--format", "json"}, folder.path()).out);
    for (const Json& d : output.at("diagnostics")) {
      const auto line = d.at("place").at("line").get<size_t>();
      EXPECT_GE(line, 2u);
      all.insert(d.at("code").get<std::string>() + " " + d.at("message").get<std::string>() + " | " +
                 lines.at(line - 2));
    }
    return all;
  };
  const auto expected = messages(members);
  EXPECT_EQ(expected.size(), 7u);
  std::vector<std::string> lines = members;
  std::reverse(lines.begin(), lines.end());
  EXPECT_EQ(messages(lines), expected);
  for (size_t turn = 1; turn < lines.size(); ++turn) {
    std::rotate(lines.begin(), lines.begin() + 1, lines.end());
    EXPECT_EQ(messages(lines), expected) << "turned by " << turn;
  }
}

// --- new ---------------------------------------------------------------------------------------------

TEST(CommandLine, NewWritesAFileThatChecksClean) {
  const TemporaryFolder folder;
  for (const std::string name : {"lamp", "my-lamp", "2nd", "system", "lamp2.cot"}) {
    const Ran made = Cotree({"new", name}, folder.path());
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const std::string file = name.ends_with(".cot") ? name : name + ".cot";
    EXPECT_TRUE(Contains(made.out, "cotree check " + file));
    const Ran check = Cotree({"check", file}, folder.path());
    EXPECT_EQ(check.exit_code, 0) << check.err;
    EXPECT_EQ(check.err, "") << "not even a warning";
    EXPECT_TRUE(Contains(check.out, "ok system")) << check.out;
    EXPECT_TRUE(Contains(check.out, "ok experiment")) << check.out;
    EXPECT_EQ(Cotree({"fmt", "--check", file}, folder.path()).exit_code, 0) << "it is laid out as fmt would";
  }
}

TEST(CommandLine, NewDoesNotOverwrite) {
  const TemporaryFolder folder;
  WriteText(folder / "lamp.cot", "// precious\n");
  const Ran run = Cotree({"new", "lamp"}, folder.path());
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(Contains(run.err, "exists already"));
  EXPECT_EQ(ReadText(folder / "lamp.cot"), "// precious\n");
  EXPECT_EQ(Cotree({"new", "lamp", "--force"}, folder.path()).exit_code, 0);
  EXPECT_TRUE(Contains(ReadText(folder / "lamp.cot"), "system Lamp {"));
}

// --- fmt ---------------------------------------------------------------------------------------------

TEST(CommandLine, FormatLeavesABrokenFileAlone) {
  const TemporaryFolder folder;
  WriteText(folder / "broken.cot", kBroken);
  const Ran run = Cotree({"fmt", "broken.cot"}, folder.path());
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(Contains(run.err, "was left as it is"));
  EXPECT_EQ(ReadText(folder / "broken.cot"), kBroken);
  // The good ones beside it are laid out all the same.
  WriteText(folder / "good.cot", "system   S{r:Resistor(R=1 ohm)}\n");
  EXPECT_EQ(Cotree({"fmt", "broken.cot", "good.cot"}, folder.path()).exit_code, 1);
  EXPECT_TRUE(Contains(ReadText(folder / "good.cot"), "r : Resistor(R = 1 ohm)"));
}

TEST(CommandLine, FormatCheckWritesNothing) {
  const TemporaryFolder folder;
  const std::string untidy = "system   S{r:Resistor(R=1 ohm) /* a */ connect r.p--r.n} // end\n";
  WriteText(folder / "untidy.cot", untidy);
  const Ran check = Cotree({"fmt", "--check", "untidy.cot"}, folder.path());
  EXPECT_EQ(check.exit_code, 1);
  EXPECT_EQ(check.out, "untidy.cot would change\n");
  EXPECT_EQ(ReadText(folder / "untidy.cot"), untidy);
  const Ran shown = Cotree({"fmt", "--stdout", "untidy.cot"}, folder.path());
  EXPECT_EQ(ReadText(folder / "untidy.cot"), untidy);
  EXPECT_EQ(Cotree({"fmt", "untidy.cot"}, folder.path()).out, "untidy.cot\n");
  EXPECT_EQ(ReadText(folder / "untidy.cot"), shown.out);
  EXPECT_TRUE(Contains(shown.out, "/* a */") && Contains(shown.out, "// end"));
  EXPECT_EQ(Cotree({"fmt", "--check", "untidy.cot"}, folder.path()).exit_code, 0);
}

size_t Count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(CommandLine, FormatIsIdempotentOnEveryFileOfTheRepository) {
  const TemporaryFolder folder;
  size_t formatted = 0, broken = 0;
  std::vector<std::string> names, again{"fmt", "--check"};
  for (const char* below : {"examples", "library", "tests"}) {
    for (const fs::path& path : test::FilesBelow(below, ".cot")) {
      const std::string name = std::to_string(names.size()) + ".cot", text = ReadText(path);
      names.push_back(name);
      WriteText(folder / name, text);
      const Ran run = Cotree({"fmt", name}, folder.path());
      const std::string result = ReadText(folder / name);
      if (run.exit_code == 1) {
        EXPECT_EQ(result, text) << path;
        ++broken;
        continue;
      }
      EXPECT_EQ(run.exit_code, 0) << path << run.err;
      EXPECT_EQ(Count(result, "//"), Count(text, "//")) << path;
      EXPECT_EQ(Count(result, "/*"), Count(text, "/*")) << path;
      again.push_back(name);
      ++formatted;
    }
  }
  const Ran second = Cotree(again, folder.path());
  EXPECT_EQ(second.exit_code, 0) << second.out << second.err;
  std::printf("fmt: %zu files laid out, twice the same; %zu with syntax errors left alone\n", formatted,
              broken);
  EXPECT_GE(formatted, 30u);
}

// What we ship is laid out as fmt would.
TEST(CommandLine, ExamplesAndLibraryAreLaidOut) {
  std::vector<std::string> words{"fmt", "--check"};
  for (const char* below : {"examples", "library"}) {
    for (const fs::path& path : test::FilesBelow(below, ".cot")) words.push_back(path.string());
  }
  const Ran run = Cotree(words);
  EXPECT_EQ(run.exit_code, 0) << run.out;
}

// --- graph --------------------------------------------------------------------------------------------

TEST(GraphCommand, TextNamesEdgesVerticesKindsAndSignals) {
  const Ran run = Cotree({"graph", "examples/positioner/positioner.cot"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const char* part : {"system Positioner: 6 components, 4 vertices, 5 edges", "motor.armature",
                           "stores, dissipates, couples", "electrical.ground", "angle.y   ->  pid.measured",
                           "(left out of the reduced matrix)"})
    EXPECT_TRUE(Contains(run.out, part)) << part << "\n" << run.out;
}

TEST(GraphCommand, ChoosesASystemAndSaysWhichThereAre) {
  const char* several = "examples/opamp_filters/opamp_filters.cot";
  const Ran all = Cotree({"graph", several, "--format", "svg"});
  EXPECT_EQ(all.exit_code, 2);
  EXPECT_TRUE(Contains(all.err, "--system")) << all.err;
  EXPECT_TRUE(Contains(all.err, "SallenKey")) << all.err;
  const Ran wrong = Cotree({"graph", several, "--system", "SallenKex"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_TRUE(Contains(wrong.err, "did you mean `SallenKey`?")) << wrong.err;
  const Ran one = Cotree({"graph", several, "--system", "SallenKey"});
  EXPECT_EQ(one.exit_code, 0);
  EXPECT_TRUE(Contains(one.out, "SallenKey"));
  EXPECT_FALSE(Contains(one.out, "InvertingIntegrator"));
}

TEST(GraphCommand, AnIllPosedSystemIsShownAndRefused) {
  const Ran run = Cotree({"graph", "tests/diagnostics/3001_rc_loop_without_ground.cot"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(Contains(run.err, "COT3001")) << run.err;
  EXPECT_TRUE(Contains(run.out, "3 edges")) << run.out;
}

// The remedy for a missing reference is an edit that works as it stands.
TEST(GraphCommand, TheEditForAMissingReferenceMendsIt) {
  for (const char* model : {"3001_rc_loop_without_ground", "3001_floating_secondary",
                            "3001_two_floating_masses", "3001_inside_a_composite"}) {
    const TemporaryFolder folder;
    WriteText(folder / "c.cot", ReadText(test::kRoot / "tests/diagnostics" / (std::string(model) + ".cot")));
    const Ran before = Cotree({"check", "c.cot"}, folder.path());
    EXPECT_EQ(before.exit_code, 1) << model;
    const size_t begin = before.err.find("`cotree ");
    ASSERT_NE(begin, std::string::npos) << before.err;
    std::istringstream command(before.err.substr(begin + 8, before.err.find('`', begin + 1) - begin - 8));
    std::vector<std::string> words;
    for (std::string word; command >> word;) words.push_back(word);
    const Ran edit = Cotree(words, folder.path());
    EXPECT_EQ(edit.exit_code, 0) << edit.err;
    const Ran after = Cotree({"check", "c.cot"}, folder.path());
    EXPECT_EQ(after.exit_code, 0) << model << "\n" << after.err << ReadText(folder / "c.cot");
  }
}

TEST(GraphCommand, WritesAFileAndFailsCleanly) {
  const TemporaryFolder folder;
  WriteText(folder / "c.cot", kCircuit);
  EXPECT_EQ(Cotree({"graph", "c.cot", "--format", "dot", "-o", "c.dot"}, folder.path()).exit_code, 0);
  EXPECT_TRUE(Contains(ReadText(folder / "c.dot"), "graph")) << ReadText(folder / "c.dot");
  EXPECT_EQ(Cotree({"graph", "c.cot", "-o", "nowhere/c.txt"}, folder.path()).exit_code, 5);
  EXPECT_EQ(Cotree({"graph", "missing.cot"}, folder.path()).exit_code, 5);
  EXPECT_EQ(Cotree({"graph", "c.cot", "--format", "png"}, folder.path()).exit_code, 2);
}

// --- edit-text ---------------------------------------------------------------------------------------

class EditText : public testing::Test {
 protected:
  void SetUp() override { WriteText(folder_ / "c.cot", kCircuit); }
  Ran Edit(std::vector<std::string> words) {
    words.insert(words.begin(), {"edit-text", "c.cot"});
    return Cotree(words, folder_.path());
  }
  // The text after an edit that must succeed and leave a file in which all names and units are right; a
  // circuit in the making may have ends that are not connected yet.
  std::string After(const std::vector<std::string>& words) {
    const Ran run = Edit(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const Ran check = Cotree({"check", "c.cot"}, folder_.path());
    EXPECT_EQ(check.err.find("[COT1"), std::string::npos) << check.err << Text();
    EXPECT_EQ(check.err.find("[COT2"), std::string::npos) << check.err << Text();
    return Text();
  }
  std::string Text() { return ReadText(folder_ / "c.cot"); }
  static std::string Replaced(std::string text, const std::string& from, const std::string& to) {
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
  }
  TemporaryFolder folder_;
};

TEST_F(EditText, SetChangesOneValueAndNoOtherByte) {
  EXPECT_EQ(After({"set", "r", "R", "220 ohm"}), Replaced(kCircuit, "100 ohm", "220 ohm"));
  EXPECT_EQ(After({"set", "source", "V", "-5 V"}),
            Replaced(Replaced(kCircuit, "100 ohm", "220 ohm"), "5 V", "-5 V"));
}

TEST_F(EditText, SetAddsAndRemovesAnArgument) {
  WriteText(folder_ / "c.cot",
            "system S {\n  a : PulseVoltageSource(high = 1 V, period = 1 s)\n  connect a.p -- a.n -- "
            "electrical.ground\n}\n");
  const std::string before = Text();
  EXPECT_TRUE(Contains(After({"set", "a", "low", "-1 V"}), "low = -1 V"));
  EXPECT_EQ(After({"set", "a", "low", ""}), before);
}

TEST_F(EditText, AddConnectDisconnectRemove) {
  std::string text = After({"add", "r2", "Resistor(R = 1 kohm)"});
  EXPECT_TRUE(Contains(text, "r2"));
  text = After({"connect", "r2.p", "c.p"});
  EXPECT_TRUE(Contains(text, "connect r2.p -- c.p"));
  After({"connect", "r2.n", "electrical.ground"});
  After({"disconnect", "r2.p", "c.p"});
  EXPECT_FALSE(Contains(Text(), "r2.p"));
  EXPECT_EQ(After({"remove", "r2"}), kCircuit) << "everything undone, the file is as it was";
}

TEST_F(EditText, WireCarriesASignal) {
  After({"add", "meter", "VoltageSensor"});
  After({"add", "twice", "Gain(k = 2)"});
  EXPECT_TRUE(Contains(After({"wire", "meter.y", "twice.u"}), "connect meter.y -> twice.u"));
}

TEST_F(EditText, RenameReachesConnectionsAndExperiments) {
  std::string expected = kCircuit;
  for (const char* use : {"r      : Resistor", "r.p\n", "r.n --", "r.i }"}) {
    expected = Replaced(expected, use, "series" + std::string(use).substr(1));
  }
  const std::string text = After({"rename", "r", "series"});
  EXPECT_EQ(Count(text, "series."), 3u);
  EXPECT_FALSE(Contains(text, " r.")) << text;
  EXPECT_TRUE(Contains(text, "plot c.v, series.i"));
  EXPECT_EQ(Edit({"rename", "series", "c"}).exit_code, 1) << "the name is taken";
  EXPECT_EQ(Text(), text);
}

TEST_F(EditText, LayoutIsKeptInAnAnnotation) {
  EXPECT_TRUE(Contains(After({"layout", "r", "-10", "20"}), "@layout(x = -10, y = 20)"));
  EXPECT_TRUE(Contains(After({"layout", "r", "30", "40", "90"}), "@layout(x = 30, y = 40, rotate = 90)"));
  EXPECT_EQ(Count(Text(), "@layout"), 1u);
  EXPECT_EQ(Edit({"layout", "r", "left", "20"}).exit_code, 2);
}

TEST_F(EditText, StdoutWritesNothing) {
  const Ran run = Edit({"--stdout", "set", "r", "R", "1 ohm"});
  EXPECT_EQ(run.out, Replaced(kCircuit, "100 ohm", "1 ohm"));
  EXPECT_EQ(Text(), kCircuit);
}

TEST_F(EditText, RefusesWhatItCannotDoAndWritesNothing) {
  EXPECT_EQ(Edit({"set", "q", "R", "1 ohm"}).exit_code, 1);
  EXPECT_EQ(Edit({"set", "r", "R", "1 ohm)"}).exit_code, 1);
  EXPECT_EQ(Edit({"add", "r", "Resistor(R = 1 ohm)"}).exit_code, 1);
  EXPECT_EQ(Edit({"remove", "q"}).exit_code, 1);
  EXPECT_EQ(Edit({"connect", "r.n", "c.p"}).exit_code, 1) << "they are connected already";
  EXPECT_EQ(Edit({"disconnect", "source.p", "c.p"}).exit_code, 1);
  EXPECT_EQ(Edit({"set", "r", "R", "1 ohm", "--in", "Nowhere"}).exit_code, 1);
  EXPECT_EQ(Text(), kCircuit);
  WriteText(folder_ / "c.cot", kBroken);
  const Ran run = Edit({"set", "r", "R", "1 ohm"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(Text(), kBroken);
}

TEST_F(EditText, ScopeMustBeSaidWhereThereAreTwoSystems) {
  WriteText(folder_ / "c.cot",
            "system A { r : Resistor(R = 1 ohm) }\nsystem B { r : Resistor(R = 1 ohm) }\n");
  const Ran run = Edit({"set", "r", "R", "2 ohm"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(Contains(run.err, "--in NAME"));
  EXPECT_EQ(Edit({"--in", "B", "set", "r", "R", "2 ohm"}).exit_code, 0);
  EXPECT_EQ(Text(), "system A { r : Resistor(R = 1 ohm) }\nsystem B { r : Resistor(R = 2 ohm) }\n");
}

TEST_F(EditText, ALinkStaysALinkAndModesStay) {
  chmod((folder_ / "c.cot").c_str(), 0640);
  fs::create_symlink("c.cot", folder_ / "link.cot");
  EXPECT_EQ(Cotree({"edit-text", "link.cot", "set", "r", "R", "1 ohm"}, folder_.path()).exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.cot"));
  EXPECT_TRUE(Contains(Text(), "1 ohm"));
  struct stat info {};
  ASSERT_EQ(stat((folder_ / "c.cot").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

// --- library -----------------------------------------------------------------------------------------

TEST(CommandLine, LibraryShowsAClass) {
  const Ran run = Cotree({"library", "Resistor"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  for (const char* part : {"electrical.Resistor", "p : electrical", "R : ohm", "e : p -> n", "e.v = R*e.i"}) {
    EXPECT_TRUE(Contains(run.out, part)) << part << "\n" << run.out;
  }
  EXPECT_EQ(Cotree({"library", "electrical.Resistor"}).out, run.out);
  const Ran motor = Cotree({"library", "DCMotor"});
  EXPECT_GE(Count(motor.out, "DCMotor as "), 3u) << "all its models";
}

TEST(CommandLine, LibraryListsPackages) {
  const Ran all = Cotree({"library"});
  for (const char* package :
       {"electrical", "translational", "rotational", "hydraulic", "thermal", "electromechanical", "signal"}) {
    EXPECT_TRUE(Contains("\n" + all.out, std::string("\n") + package + "\n")) << package;
    const Ran one = Cotree({"library", package});
    EXPECT_EQ(one.exit_code, 0);
    EXPECT_LT(one.out.size(), all.out.size());
    const Json json = Json::parse(Cotree({"library", package, "--format", "json"}).out);
    ASSERT_FALSE(json.at("classes").empty()) << package;
    for (const Json& cls : json.at("classes")) EXPECT_EQ(cls.at("package"), package);
  }
}

}  // namespace
}  // namespace cotree
