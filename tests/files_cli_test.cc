// SPDX-License-Identifier: Apache-2.0
// Nothing is lost: what is read is never written over, what is no file is written into, every failure to
// write is said, and what was cut off says so.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "product_support.h"
#include "results/result.h"

namespace cotree {
namespace {

using test::Contains;
using test::LimitMemory;
using test::Quoted;
using test::Ran;
using test::ReadText;
using test::TemporaryFolder;
using test::WriteText;

constexpr const char* kParts = R"(
component Swing {
  parameter T : Time = 1 s
  parameter w : Real = 1
  input u : Real
  variable x : Real (start = 1, fixed)
  variable y : Real (start = 0, fixed)
  equation
    T*der(x) = w*y
    T*der(y) = -w*x + u
}
)";
constexpr const char* kModel = R"(
import "parts.cot"
component Force0 { output y : Real   equation y = push(time) }
table push(t : Time) : Real { file = "push.csv" }
system S "a swing" {
  u : Force0
  s : Swing
  connect u.y -> s.u
}
experiment E of S { stop = 20 s   interval = 0.1 s   plot s.x }
)";
constexpr const char* kLog = "time,u\n0,0\n20,1\n";

class Files : public testing::Test {
 protected:
  Files() {
    WriteText(folder / "parts.cot", kParts);
    WriteText(folder / "push.csv", "t [s],y\n0,0\n1,0\n");
    WriteText(folder / "m.cot", kModel);
    WriteText(folder / "log.csv", kLog);
  }

  /// By bash, `cotree` being ours.
  Ran Shell(const std::string& line) const {
    const TemporaryFolder scratch;
    // On the path, no function of the shell: what is started in the background is the program itself.
    const std::string whole = "PATH=" + Quoted(std::filesystem::path(COTREE_BINARY).parent_path().string()) +
                              ":$PATH; cd " + Quoted(folder.path().string()) + "; " + line;
    const std::string command = "timeout 60 bash -c " + Quoted(whole) + " </dev/null >" +
                                Quoted((scratch / "out").string()) + " 2>" +
                                Quoted((scratch / "err").string());
    const int status = std::system(command.c_str());
    Ran run;
    run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    run.out = ReadText(scratch / "out");
    run.err = ReadText(scratch / "err");
    return run;
  }
  void ExpectNothingChanged() const {
    EXPECT_EQ(ReadText(folder / "parts.cot"), kParts);
    EXPECT_EQ(ReadText(folder / "m.cot"), kModel);
    EXPECT_EQ(ReadText(folder / "log.csv"), kLog);
  }

  const TemporaryFolder folder;
};

TEST_F(Files, WhatIsReadIsNeverWrittenOver) {
  Shell(
      "ln -s m.cot link.cot; ln parts.cot hard.cot; mkdir sub; ln -s ../log.csv sub/data.h5.partial.cotr; "
      "cotree simulate m.cot --out r.cotr; ln -s r.cotr again.cotr");
  const std::string result = ReadText(folder / "r.cotr");
  for (const char* line : {
           "cotree simulate m.cot --out m.cot",
           "cotree simulate m.cot --out ./sub/../m.cot",
           "cotree simulate m.cot --out link.cot",
           "cotree simulate link.cot --out m.cot",
           "cotree simulate m.cot --out hard.cot",
           "cotree simulate m.cot --out push.csv",
           "cotree simulate m.cot --checkpoint parts.cot",
           "cotree simulate m.cot --input s.u=log.csv:u --out log.csv",
           "cotree simulate m.cot --input s.u=log.csv:u --out sub/data.h5",
           "cotree simulate m.cot --out a.svg --plot --plot-out a.svg",
           "cotree simulate m.cot --out new.csv --checkpoint ./new.csv",
           "cotree simulate /dev/stdin --out m.cot < m.cot",
           "cp m.cot m.svg; cotree simulate m.svg --plot-out m.svg; r=$?; cmp -s m.cot m.svg && exit $r",
           "cotree emit m.cot -o m.cot",
           "cotree report m.cot -o link.cot",
           "cotree profile m.cot --out parts.cot",
           "cotree sweep m.cot --vary s.w=1,2 --keep s.x --force --out parts.cot",
           "cotree graph m.cot -o m.cot",
           "cotree graph m.cot --format json -o hard.cot",
           "cotree tree m.cot --format json -o m.cot",
           "cotree order m.cot -o m.cot",
           "cotree trim m.cot -o m.cot",
           "cotree derive m.cot -o m.cot",
           "cotree equations m.cot -o parts.cot",
           "cotree linearize m.cot --input s.u --output s.x --out m.cot",
           "cotree convert r.cotr again.cotr",
           "cotree convert log.csv sub/data.h5",
           "cp r.cotr r.svg; cotree plot r.svg s.x",
       }) {
    const Ran run = Shell(line);
    EXPECT_TRUE(run.exit_code == 2 || run.exit_code == 5) << line << ": " << run.exit_code << run.err;
    EXPECT_TRUE(Contains(run.err, "would be")) << line << run.err;
    ExpectNothingChanged();
  }
  EXPECT_EQ(ReadText(folder / "r.cotr"), result);
}

TEST_F(Files, ALinkIsFollowed) {
  Shell(
      "mkdir there; ln -s there/new.csv dangling.csv; cotree simulate m.cot --out old.csv; ln -s old.csv "
      "link.csv");
  for (const char* line :
       {"cotree simulate m.cot --stop 1 --out dangling.csv", "cotree simulate m.cot --stop 1 --out link.csv",
        "cotree convert log.csv link.csv", "cotree equations m.cot -o link.csv"}) {
    const Ran run = Shell(line);
    EXPECT_EQ(run.exit_code, 0) << line << run.err;
    EXPECT_TRUE(test::fs::is_symlink(folder / "link.csv") && test::fs::is_symlink(folder / "dangling.csv"));
  }
  EXPECT_TRUE(test::fs::exists(folder / "there/new.csv"));
  EXPECT_TRUE(Contains(ReadText(folder / "old.csv"), "der(s.x)")) << "the last one";
}

TEST_F(Files, WhatIsNoFileIsWrittenInto) {
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const char* name : {"pipe.mat", "pipe.h5", "pipe.cotr", "pipe.svg", "pipe.png"})
    test::fs::create_symlink("pipe", folder / name);
  const struct {
    const char* line;
    const char* got;  // what the reader gets begins with this
  } cases[] = {
      {"cotree equations m.cot -o pipe", "system S"},
      {"cotree emit m.cot -o pipe", "/*"},
      {"cotree order m.cot -o pipe", ""},
      {"cotree graph m.cot --format dot -o pipe", "graph"},
      {"cotree report m.cot -o pipe", "<!DOCTYPE html>"},
      {"cotree derive m.cot -o pipe", "S"},
      {"cotree simulate m.cot --out pipe", "time,"},
      {"cotree simulate m.cot --out pipe.mat", ""},
      {"cotree simulate m.cot --out pipe.cotr",
       "\x8A"
       "COTR"},
      {"cotree simulate m.cot --plot-out pipe.svg", "<svg"},
      {"cotree convert log.csv pipe.cotr",
       "\x8A"
       "COTR"},
      {"cotree sweep m.cot --vary s.w=1,2 --keep s.x --out pipe", "# cotree sweep"},
      {"cotree sweep m.cot --vary s.w=1,2 --keep s.x --force --out pipe", "# cotree sweep"},
      {"cotree linearize m.cot --input s.u --output s.x --format json --out pipe", "{"},
      {"cotree linearize m.cot --input s.u --output s.x --bode pipe.svg", "<svg"},
  };
  for (const auto& one : cases) {
    const Ran run = Shell(std::string("timeout 20 cat pipe > got & ") + one.line + "; r=$?; wait; exit $r");
    EXPECT_EQ(run.exit_code, 0) << one.line << run.err;
    const std::string got = ReadText(folder / "got");
    EXPECT_FALSE(got.empty()) << one.line;
    EXPECT_TRUE(Contains(got.substr(0, 200), one.got)) << one.line << got.substr(0, 80);
    EXPECT_TRUE(test::fs::is_fifo(folder / "pipe")) << one.line;
  }
  // Standard output by another name, a pipe or a file, once and in the order of what is printed.
  Ran run =
      Shell("cotree emit m.cot -o /dev/stdout | tail -1; cotree emit m.cot -o /dev/stdout > f && tail -1 f");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(Contains(run.out, "2 states")) << run.out;
  EXPECT_EQ(run.out.find("2 states"), run.out.find(": 2 states, ") + 2) << run.out;
  run = Shell("cotree simulate m.cot --out /dev/stdout > f; head -c 5 f; tail -1 f");
  EXPECT_TRUE(Contains(run.out, "time,")) << run.out;
  EXPECT_TRUE(Contains(run.out, "rows of")) << run.out;
  EXPECT_EQ(Shell("cotree simulate m.cot --out /dev/null --plot-out /dev/null").exit_code, 2) << "no picture";
  EXPECT_EQ(
      Shell("cotree simulate m.cot --out /dev/null --checkpoint /dev/null && test -c /dev/null").exit_code,
      0);
}

TEST_F(Files, TheModelMayBeAPipeAndNothingElse) {
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const char* line :
       {"cotree check <(cat m.cot)", "cat m.cot | cotree check /dev/stdin", "cotree check /dev/stdin < m.cot",
        "cotree simulate <(cat m.cot) --set s.w=2 --out r.csv", "(cat m.cot > pipe) & cotree equations pipe",
        "cotree sweep <(cat m.cot) --vary s.w=1,2 --keep s.x --threads 2"}) {
    const Ran run = Shell(line);
    EXPECT_EQ(run.exit_code, 0) << line << run.err;
  }
  WriteText(folder / "no_import.cot", "import \"pipe\"\nsystem S { }\n");
  WriteText(folder / "no_table.cot",
            "table T(t : Time) : Real { file = \"pipe\" }\nsystem S { a : Constant(k = T(0 s)) }\n");
  WriteText(folder / "no_end.cot", "import \"/dev/zero\"\nsystem S { }\n");
  WriteText(folder / "too_large.cot", "import \"large.cot\"\nsystem S { }\n");
  WriteText(folder / "no_library.cot",
            "software F { input u : Real  output y : Real  sample = 1 s  feedthrough y : none  external "
            "\"pipe\" \"f\" }\n"
            "system S { a : Constant(k = 1)  f : F  connect a.y -> f.u }\n");
  Shell("truncate -s 5G large.cot; cp large.cot large.csv; mkdir folder");
  const struct {
    const char* line;
    const char* said;
  } cases[] = {
      {"cotree check no_import.cot", "it is a pipe, not a file"},
      {"cotree check no_table.cot", "it is a pipe, not a file"},
      {"cotree check no_end.cot", "it is a device, not a file"},
      {"cotree check too_large.cot", "it is too large: 5.4 GB, where at most 256 MB are read"},
      {"cotree check large.cot", "it is too large: 5.4 GB"},
      {"cotree check folder", "it is a folder"},
      {"cotree check /dev/zero", "it is too large"},
      {"cotree simulate m.cot --input s.u=pipe:u", "it is a pipe, not a file"},
      {"cotree simulate m.cot --input s.u=large.csv:u", "it is too large"},
      {"cotree simulate no_library.cot", ""},
      {"cotree plot pipe", "it is a pipe, not a file"},
      {"cotree compare log.csv /dev/zero", "it is a device, not a file"},
      {"cotree simulate m.cot --checkpoint pipe --resume", "it is a pipe, not a file"},
  };
  for (const auto& one : cases) {
    const Ran run = Shell(LimitMemory(4000000) + "timeout 20 " + Quoted(COTREE_BINARY) +
                          std::string(one.line).substr(6));
    EXPECT_TRUE(run.exit_code == 1 || run.exit_code == 5) << one.line << run.exit_code << run.err;
    EXPECT_TRUE(Contains(run.err, one.said)) << one.line << run.err;
  }
}

TEST_F(Files, WhatCannotBeWrittenIsSaid) {
  Shell("cotree simulate m.cot --out r.cotr");
  for (const char* command : {"check m.cot",
                              "check --format json m.cot",
                              "equations m.cot",
                              "emit m.cot",
                              "graph m.cot",
                              "tree m.cot",
                              "order m.cot",
                              "derive m.cot",
                              "library",
                              "library Resistor",
                              "values m.cot",
                              "linearize m.cot",
                              "trim m.cot",
                              "simulate m.cot",
                              "simulate m.cot --csv",
                              "compare r.cotr r.cotr",
                              "--version",
                              "--help",
                              "simulate --help",
                              "fmt --stdout m.cot",
                              "convert r.cotr x.csv",
                              "profile m.cot",
                              "sweep m.cot --vary s.w=1,2 --keep s.x",
                              "edit-text --stdout m.cot rename s t"}) {
    for (const char* where : {">/dev/full", ">&-"}) {
      const Ran run = Shell(std::string("cotree ") + command + " " + where);
      EXPECT_EQ(run.exit_code, 5) << command << where << run.err;
      EXPECT_TRUE(Contains(run.err, "cannot write")) << command << where << run.err;
    }
    const Ran run = Shell(std::string("cotree ") + command + " | true; exit ${PIPESTATUS[0]}");
    EXPECT_TRUE(run.exit_code == 0 || run.exit_code == 5) << command << run.exit_code;
    EXPECT_EQ(run.err, "") << command << " into a pipe that nobody reads";
  }
  for (const char* command :
       {"simulate m.cot --out /dev/full", "equations m.cot -o /dev/full", "emit m.cot -o /dev/full",
        "simulate m.cot --checkpoint /dev/full", "report m.cot -o /dev/full",
        "simulate m.cot --out nowhere/r.csv", "equations m.cot -o nowhere/e",
        "sweep m.cot --vary s.w=1,2 --keep s.x --out /dev/full"}) {
    const Ran run = Shell(std::string("cotree ") + command);
    EXPECT_EQ(run.exit_code, 5) << command << run.err;
  }
  // A limit of the file system: what stood there stays.
  WriteText(folder / "old.c", "old");
  EXPECT_EQ(Shell("trap '' XFSZ; ulimit -f 1; cotree emit m.cot -o old.c").exit_code, 5);
  EXPECT_EQ(ReadText(folder / "old.c"), "old");
  EXPECT_EQ(Shell("ls | grep -c 'old.c.'").out, "0\n") << "nothing is left beside";
}

TEST_F(Files, ARunThatWasKilledSaysSo) {
  for (const char* name : {"k.csv", "k.mat", "k.cotr", "k.h5"}) {
    const std::string file = name;
    Ran run = Shell("cotree simulate m.cot --stop 1e8 --interval 10 --out " + file +
                    " & p=$!; sleep 1.5; kill -9 $p; wait $p; cotree convert " + file + " x.csv");
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_TRUE(Contains(run.err, file) && Contains(run.err, "incomplete")) << run.err;
    EXPECT_TRUE(Contains(ReadText(folder / "x.csv"), "# cotree: incomplete")) << "and what is made of it";
    for (const std::string& command : {"plot " + file + " s.x --out p.svg", "compare x.csv " + file,
                                       "simulate m.cot --stop 1 --input s.u=" + file + ":s.x"}) {
      run = Shell("cotree " + command);
      EXPECT_TRUE(Contains(run.err, "incomplete")) << command << run.err;
    }
    // The next run is whole again.
    run = Shell("cotree simulate m.cot --out " + file + " && cotree convert " + file + " x.csv");
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_FALSE(Contains(run.err, "incomplete")) << run.err;
  }
}

TEST_F(Files, OnlyWhatFitsIsTakenOver) {
  const struct {
    const char* change;  // before the run goes on
    const char* words;   // of the command that goes on
    const char* said;    // empty: it goes on
  } cases[] = {
      {"true", "", ""},
      {"sed -i 's/a swing/another/' m.cot", "", "the model"},
      {"echo >> parts.cot", "", "the model"},
      {"echo 2,2 >> push.csv", "", "the model"},
      {"true", "--set s.w=2", "--set"},
      {"true", "--rtol 1e-8", "--rtol (was 1e-06, is 1e-08)"},
      {"true", "--solver bdf", "--solver (was auto, is bdf)"},
      {"true", "--stop 30", "--stop (was 20, is 30)"},
      {"true", "--only s.x", "--only"},
      {"cotree simulate m.cot --set s.w=2 --out k.F", "", "another run"},
      {"cp log.csv k.F", "", "other variables"},
      {"cotree convert whole.cotr k.F --filter s.x", "", "variables"},
      {"cotree simulate m.cot --stop 1 --out k.F", "", "rows"},
      {"rm k.F", "", "k.F"},
      {"cp k.F k.F.before; rm k.F", "", ""},
      {"cp whole.cotr k.F", "", ""},
  };
  for (const std::string format : {"cotr", "csv", "mat", "h5"}) {
    for (const auto& one : cases) {
      if (format != "cotr" && *one.said != '\0' && !Contains(one.said, "another run")) continue;
      WriteText(folder / "m.cot", kModel);
      WriteText(folder / "parts.cot", kParts);
      WriteText(folder / "push.csv", "t [s],y\n0,0\n1,0\n");
      const auto named = [&](std::string text) {
        for (size_t at = text.find("k.F"); at != std::string::npos; at = text.find("k.F"))
          text.replace(at, 3, "k." + format);
        return text;
      };
      SCOPED_TRACE(format + ": " + one.change + " " + one.words);
      Ran run = Shell(
          named("rm -f k.*; cotree simulate m.cot --out whole.cotr && cotree simulate m.cot --checkpoint "
                "ck --out k.F && ") +
          named(one.change));
      ASSERT_EQ(run.exit_code, 0) << run.err;
      const bool other = Contains(one.said, "another run");
      run =
          Shell(named(std::string("cotree simulate m.cot --checkpoint ck --resume --out k.F ") + one.words));
      const std::string said = named(one.said);
      if (*one.said == '\0') {
        EXPECT_EQ(run.exit_code, 0) << run.err;
        const Ran compared = Shell(named("cotree compare whole.cotr k.F --rtol 0 --atol 0"));
        EXPECT_EQ(compared.exit_code, 0) << compared.out;
      } else {
        EXPECT_TRUE(run.exit_code == 2 || run.exit_code == 5) << run.exit_code;
        // CSV and .mat hold no settings: their numbers tell.
        const bool bare = other && (format == "csv" || format == "mat");
        EXPECT_TRUE(Contains(run.err, bare ? "other numbers" : said)) << run.err;
      }
    }
  }
}

TEST_F(Files, ControlCharactersAreShown) {
  WriteText(
      folder / "e.cot",
      "component B \"\x1b]0;title\x07\" {\n  parameter T : Time = 1 s\n  variable x : Real (start = 1, "
      "fixed)\n"
      "  equation\n    T*der(x) = -x\n    assert(x > 0.5, \"\x1b[31mred\\nline \xc2\x9b \xe2\x80\xae\")\n}\n"
      "system S \"\x1b[2J\" { b : B }\n");
  WriteText(
      folder / "f.cot",
      "component B { parameter T : Time = 1 s  variable x : Real (start = 1, fixed)\n  equation\n    "
      "T*der(x) = "
      "-x\n    when x < 0.5 { stop(\"\x1b[31mend\") }\n}\nsystem S { b : B }\nimport \"\x1b[31m.cot\"\n");
  for (const char* line :
       {"cotree simulate e.cot --stop 2", "cotree simulate f.cot --stop 2", "cotree check e.cot",
        "cotree derive e.cot", "cotree check f.cot", "cotree graph e.cot", "cotree values e.cot",
        "sed -i 's/import.*//' f.cot; cotree simulate f.cot --stop 2",
        "cotree sweep e.cot --vary b.T='1 s,2 s' --keep b.x --stop 2"}) {
    const Ran run = Shell(line);
    for (const char c : run.out + run.err) EXPECT_TRUE(c == '\n' || static_cast<uint8_t>(c) >= 0x20) << line;
  }
  const Ran run = Shell("cotree simulate e.cot --stop 2");
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_TRUE(Contains(run.err, "\\x1b[31mred\\nline \\u009b \\u202e")) << run.err;
}

TEST_F(Files, ForeignTextIsNotShown) {
  WriteText(folder / "secret.txt", "root:x:0:0:root\nhidden:y:1\n");
  WriteText(folder / "secret2.txt", "time,u\n0,hidden\n");
  WriteText(folder / "t.cot",
            "table T(t : Time) : Real { file = \"secret.txt\" }\nsystem S { a : Constant(k = T(0 s)) }\n");
  WriteText(folder / "t2.cot",
            "table T(t : Real) : Real { file = \"secret2.txt\" }\nsystem S { a : Constant(k = T(0)) }\n");
  for (const char* line :
       {"cotree check t.cot", "cotree check t2.cot", "cotree check --format json t2.cot"}) {
    const Ran run = Shell(line);
    EXPECT_EQ(run.exit_code, 1) << line;
    EXPECT_FALSE(Contains(run.out + run.err, "root") || Contains(run.out + run.err, "hidden")) << run.err;
  }
  EXPECT_TRUE(Contains(Shell("cotree check t2.cot").err, "line 2, column 2 is not a number"));
  WriteText(folder / "s.cot", "system S \"<script>x</script> & `a < b`\" { a : Constant(k = 1) }\n");
  const Ran run = Shell("cotree derive s.cot --format markdown");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(Contains(run.out, "&lt;script&gt;x&lt;/script&gt; &amp; `a < b`")) << run.out;
}

constexpr const char* kSpike = R"(
system Spikes {
  clock : Pulse(high = 1, period = 10 ms, width = 5 ms)
  spike : Trapezoid(high = 100, rising = 1 ms, width = 1 ms, period = 100 s, delay = 3.0041 s)
  slow  : FirstOrder(k = 1, T = 1 s)
  quick : FirstOrder(k = -1, T = 1 ms)
  connect clock.y -> slow.u
  connect spike.y -> quick.u
}
experiment E of Spikes { stop = 10 s   plot quick.y }
)";

TEST_F(Files, WhatIsBetweenRowsIsShown) {
  WriteText(folder / "spike.cot", kSpike);
  // In closed form: T y' = -u - y up the ramp, along the top, down the ramp until y = -u.
  const double peak = -79.0918;
  Ran run = Shell("cotree simulate spike.cot --out s.cotr --plot --plot-out s.svg");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(Contains(run.out, "-79.09")) << run.out;
  std::string problem;
  const auto least = [&](const char* file, bool rows) {
    const auto result = ReadResult((folder / file).string(), &problem);
    EXPECT_TRUE(result.has_value()) << problem;
    if (!result) return 0.0;
    const size_t column = *result->header.Find("quick.y");
    const auto values = rows ? result->Values(column) : CurveOf(*result, column).values;
    return *std::min_element(values.begin(), values.end());
  };
  EXPECT_NEAR(least("s.cotr", false), peak, 0.01);
  ASSERT_EQ(Shell("cotree convert s.cotr s.h5 && cotree convert s.h5 t.cotr --filter quick.y").exit_code, 0);
  EXPECT_NEAR(least("s.h5", false), peak, 0.01);
  EXPECT_NEAR(least("t.cotr", false), peak, 0.01);
  ASSERT_EQ(Shell("cotree simulate spike.cot --steps --out s.csv").exit_code, 0);
  EXPECT_NEAR(least("s.csv", true), peak, 0.01);
  run = Shell("cotree sweep spike.cot --vary slow.k=1,2 --keep 'min(quick.y)'");
  EXPECT_TRUE(Contains(run.out, "-79.09")) << run.out;
  // Whether rows are read or not, and where the run was interrupted, the same table.
  ASSERT_EQ(Shell("cotree simulate spike.cot --checkpoint ck --out k.cotr").exit_code, 0);
  ASSERT_EQ(Shell("cotree simulate spike.cot --checkpoint ck --resume --out k.cotr").exit_code, 0);
  const auto whole = ReadResult((folder / "s.cotr").string(), &problem);
  const auto resumed = ReadResult((folder / "k.cotr").string(), &problem);
  ASSERT_TRUE(whole && resumed) << problem;
  ASSERT_GT(whole->extremes.size(), 0u);
  ASSERT_EQ(resumed->extremes.size(), whole->extremes.size());
  for (size_t k = 0; k < whole->extremes.size(); ++k) {
    EXPECT_EQ(resumed->extremes[k].column, whole->extremes[k].column);
    EXPECT_EQ(resumed->extremes[k].time, whole->extremes[k].time);
    EXPECT_EQ(resumed->extremes[k].value, whole->extremes[k].value);
  }
  // Few rows are written, and the smallest value stays the same.
  ASSERT_EQ(Shell("cotree simulate spike.cot --interval 1 --out few.cotr").exit_code, 0);
  EXPECT_NEAR(least("few.cotr", false), peak, 0.01);
}

TEST_F(Files, AnIntervalOfTooManyRowsIsRefused) {
  for (const char* interval : {"1e-300", "1e-12", "1.9e-8"}) {
    const Ran run = Shell(std::string("cotree simulate m.cot --interval ") + interval);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_TRUE(Contains(run.err, "rows; at most 1e+09")) << run.err;
  }
  // What is kept for the summary is thinned, and what it says stays.
  const Ran run =
      Shell(LimitMemory(2000000) + "cotree simulate m.cot --interval 1e-5 --plot s.x,s.y --plot-out p.svg");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(Contains(run.out, "  s.x            -1             1")) << run.out;
}

// --- Imported systems and experiments ---

TEST_F(Files, OwnSystemsComeBeforeImportedOnes) {
  const auto system = [](const std::string& name, const std::string& volts) {
    return "system " + name + " { c : Capacitor(C = 1 mF, start v = " + volts +
           " V fixed)  r : Resistor(R = 1 ohm)\n  connect c.p -- r.p  connect c.n -- r.n -- "
           "electrical.ground }\n";
  };
  WriteText(folder / "theirs.cot", system("A", "1") + "experiment E1 of A { stop = 1 ms  plot c.v }\n");
  WriteText(folder / "too.cot", system("A", "3") + "experiment E1 of A { stop = 1 ms  plot c.v }\n");
  WriteText(folder / "own.cot",
            "import \"theirs.cot\"\n" + system("B", "2") + "experiment E2 of B { stop = 1 ms  plot c.v }\n");
  WriteText(folder / "bare.cot", "import \"theirs.cot\"\n" + system("B", "2"));
  WriteText(folder / "same.cot", "import \"theirs.cot\"\n" + system("A", "2"));
  WriteText(folder / "none.cot", "import \"theirs.cot\"\n");
  WriteText(folder / "twice.cot", "import \"theirs.cot\"\nimport \"too.cot\"\n");
  const struct {
    const char* line;
    int exit;
    const char* says;
  } kRows[] = {
      {"cotree values own.cot", 0, "2 V"},
      {"cotree simulate own.cot", 0, "B: 1 state"},
      {"cotree values own.cot --experiment E1", 0, "1 V"},
      {"cotree values own.cot --system A", 0, "1 V"},
      {"cotree values bare.cot", 0, "2 V"},
      {"cotree values same.cot", 0, "2 V"},
      {"cotree values same.cot --system A", 0, "there is another one in theirs.cot"},
      {"cotree simulate none.cot", 0, "A: 1 state"},
      {"cotree values twice.cot", 2, "imports several; choose one with --experiment: E1, E1"},
      {"cotree values twice.cot --system A", 2, "has the name of one of too.cot"},
      {"cotree values twice.cot --experiment E1", 2, "has the name of one of too.cot"},
  };
  for (const auto& row : kRows) {
    const Ran ran = Shell(row.line);
    EXPECT_EQ(ran.exit_code, row.exit) << row.line << "\n" << ran.out << ran.err;
    EXPECT_TRUE(Contains(ran.out + ran.err, row.says)) << row.line << "\n" << ran.out << ran.err;
  }
}

}  // namespace
}  // namespace cotree
