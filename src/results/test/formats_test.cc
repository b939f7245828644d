// SPDX-License-Identifier: Apache-2.0
// Every format: written and read back; the layout of .mat and .h5 by SciPy and h5py, which share nothing with
// us.
#include <algorithm>
#include <cstdio>

#include "results/csv_format.h"
#include "results/extremes.h"
#include "results/select_columns.h"
#include "results/test/results_support.h"

namespace cotree {
namespace {

using test::Bytes;
using test::Example;
using test::ExpectSameRows;
using test::PutBytes;
using test::Scratch;

struct Case {
  const char* name;
  ResultFormat format;
  bool units, everything;
};
constexpr Case kCases[] = {{"r.cotr", ResultFormat::kCotr, true, true},
                           {"r.csv", ResultFormat::kCsv, false, false},
                           {"r.mat", ResultFormat::kMat4, true, false},
                           {"r.h5", ResultFormat::kHdf5, true, true}};

TEST(ResultFormats, RoundTrip) {
  const Scratch scratch;
  for (const size_t rows : {0u, 1u, 7u, 5000u}) {
    const Result all = Example(rows);
    for (const Case& one : kCases) {
      SCOPED_TRACE(std::string(one.name) + " " + std::to_string(rows));
      std::string problem;
      ASSERT_TRUE(WriteResult(all, scratch / one.name, one.format, &problem)) << problem;
      const auto got = ReadResult(scratch / one.name, &problem);
      ASSERT_TRUE(got.has_value()) << problem;
      ExpectSameRows(*got, all, rows);
      EXPECT_TRUE(got->complete()) << got->damage;
      const size_t first = *got->header.Find("load.w");
      if (one.units) {
        EXPECT_EQ(got->header.columns[first].unit, "rad/s");
        EXPECT_EQ(got->header.columns[first].description, "speed of the load");
        const ResultColumn& alias = got->header.columns[*got->header.Find("motor.w")];
        EXPECT_EQ(alias.alias_of, "load.w");
        EXPECT_EQ(alias.alias_sign, -1);
      }
      if (!one.everything) continue;
      EXPECT_EQ(got->header.model, "Drive");
      EXPECT_EQ(got->header.model_hash, "0123456789abcdef");
      EXPECT_EQ(got->header.experiment, "Step");
      EXPECT_EQ(got->header.plots, all.header.plots);
      EXPECT_TRUE(got->header.columns[*got->header.Find("switch.on")].stepwise);
      ASSERT_EQ(got->events.size(), all.events.size());
      for (size_t k = 0; k < all.events.size(); ++k) EXPECT_EQ(got->events[k].text, all.events[k].text);
    }
  }
}

TEST(ResultFormats, TheFormatIsKnownByContent) {
  const Scratch scratch;
  std::string problem;
  for (const Case& one : kCases) {
    ASSERT_TRUE(WriteResult(Example(4), scratch / "x", one.format, &problem));
    ASSERT_TRUE(ReadResult(scratch / "x", &problem).has_value()) << one.name << problem;
  }
  EXPECT_EQ(FormatOfPath("a/b.cotr"), ResultFormat::kCotr);
  EXPECT_EQ(FormatOfPath("b.hdf5"), ResultFormat::kHdf5);
  EXPECT_EQ(FormatOfPath("b.txt"), std::nullopt);
  EXPECT_EQ(FormatOfPath(".csv"), std::nullopt);
}

TEST(ResultFormats, WrongFilesAreRefusedWithReason) {
  const Scratch scratch;
  const std::pair<std::string, const char*> cases[] = {
      {"", "is empty"},
      {"hello world\n", "no table"},
      {"1,2\n3,4\n", "no table"},
      {"time,a\n0,1\n1\n", "line 3 has fewer fields"},
      {"time,a\n0,1,2\n", "line 2 has more fields"},
      {"time,a\n0,x\n", "`x` is not a number"},
      {"time,a,a\n0,1,2\n", "two columns have the name `a`"},
      {"time,a\n1,0\n0,0\n", "the time goes back"},
      {std::string("\0\1\2\3", 4), "none of the formats"},
      {"MATLAB 5.0 MAT-file", "level 5"},
      {"\x89HDF\r\n\x1A\nrubbish", "cut or damaged"},
      {"\x8A"
       "CO",
       "within the first bytes"},
  };
  for (const auto& [bytes, reason] : cases) {
    PutBytes(scratch / "wrong", bytes);
    std::string problem;
    EXPECT_FALSE(ReadResult(scratch / "wrong", &problem).has_value()) << bytes;
    EXPECT_NE(problem.find(reason), std::string::npos) << problem;
  }
  std::string problem;
  EXPECT_FALSE(ReadResult(scratch / "missing", &problem).has_value());
  EXPECT_NE(problem.find("No such file"), std::string::npos) << problem;
  EXPECT_FALSE(ReadResult("/tmp", &problem).has_value());
  EXPECT_NE(problem.find("folder"), std::string::npos) << problem;
}

// A last line without its end counts if it is whole; a mark of ours says that a run was broken off.
TEST(Csv, HowAFileEnds) {
  const struct {
    const char* text;
    size_t rows;
    const char* status;
  } cases[] = {
      {"time,a\n0,1\n1,2.1234", 2, "complete"},
      {"time,a\n0,1\n1,2\r", 2, "complete"},
      {"time,a,b\n0,1,2\n1,2,3", 2, "complete"},
      {"time,a\n1,2", 1, "complete"},
      {"time,c.v\n0,0.12345678901234567\n1,0.223", 1, "interrupted"},  // ours ends with a line end
      {"time,c.v\n0,0.12345678901234567\n1,0.223\n", 2, "complete"},
      {"t,c.v\n0,0.12345678901234567\n1,0.223", 2, "complete"},
      {"time,a\n0,1\n1,", 1, "interrupted"},
      {"time,a\n0,1\n1", 1, "interrupted"},
      {"time,a,b\n0,1,2\n1,2", 1, "interrupted"},
      {"time,a\n0,1\n1,-", 1, "interrupted"},
      {"time,a\n0,1\n# cotree: incomplete: interrupted\n", 1, "interrupted"},
      {"time,a\n0,1\n# cotree: incomplete: failed at 2 s: why\r\n", 1, "failed at 2 s: why"},
      {"time,a\n# cotree: incomplete: interrupted\n0,1\n", 1, "complete"},
      {"time,a\n0,1\n# made elsewhere", 1, "complete"},
      {"time,a\n", 0, "complete"},
      {"time,a", 0, "complete"},
  };
  for (const auto& one : cases) {
    std::string problem;
    const auto got = ParseCsv(one.text, &problem);
    ASSERT_TRUE(got.has_value()) << one.text << problem;
    EXPECT_EQ(got->times.size(), one.rows) << one.text;
    EXPECT_EQ(got->status, one.status) << one.text;
  }
}

// A writer that is destroyed, as by a kill, leaves a file that says so; Finish takes the mark away again.
TEST(ResultFormats, ARunThatWasBrokenOffIsSaidToBe) {
  const Scratch scratch;
  const Result all = Example(300);
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.name);
    for (const std::string_view status : {"", "interrupted", "complete"}) {
      {
        const auto writer = MakeResultWriter(scratch / one.name, one.format);
        ASSERT_TRUE(writer->Begin(all.header)) << writer->problem();
        std::vector<double> row(all.header.StoredColumns());
        for (int k = 0; k < 300; ++k) {
          ASSERT_TRUE(writer->Row(k, row));
          ASSERT_TRUE(k % 100 != 99 || writer->Flush());
        }
        ASSERT_TRUE(status.empty() || writer->Finish(status)) << writer->problem();
      }
      std::string problem;
      const auto got = ReadResult(scratch / one.name, &problem);
      ASSERT_TRUE(got.has_value()) << problem;
      EXPECT_EQ(got->complete(), status == "complete") << status << got->damage;
      EXPECT_EQ(got->times.size(), 300u);
    }
  }
}

// Of a column by every name, and of what is chosen.
TEST(ResultFormats, ExtremesAreKept) {
  const Scratch scratch;
  Result all = Example(7);
  const auto speed = static_cast<uint32_t>(*all.header.Find("load.w"));
  const double between = (all.times[0] + all.times[1]) / 2;
  ASSERT_LT(all.times[0], all.times[1]);
  all.extremes = {{speed, between, 1e6}};
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.name);
    std::string problem;
    ASSERT_TRUE(WriteResult(all, scratch / one.name, one.format, &problem)) << problem;
    const auto got = ReadResult(scratch / one.name, &problem);
    ASSERT_TRUE(got.has_value()) << problem;
    ASSERT_EQ(got->extremes.size(), one.everything ? 1u : 0u);
    if (!one.everything) continue;
    const size_t alias = *got->header.Find("motor.w");
    for (const Result& r : {*got, SelectColumns(*got, {alias})}) {
      const ResultCurve curve = CurveOf(r, *r.header.Find("motor.w"));
      ASSERT_EQ(curve.times.size(), 8u);
      EXPECT_EQ(curve.times[1], between);
      EXPECT_EQ(curve.values[1], -1e6);
    }
    EXPECT_EQ(SelectColumns(*got, {*got->header.Find("switch.on")}).extremes.size(), 0u);
  }
}

TEST(Extremes, RowsAreAddedAndRowsAreChosen) {
  std::vector<double> times{0, 1, 1, 2};
  std::vector<std::vector<double>> columns{{0, 1, 5, 6}, {}, {0, 0, 1, 1}};
  AddRowsAtExtremes({false, false, true}, {{0, 1.5, 9}, {0, 0.5, -3}, {2, 1.5, 7}}, &times, &columns);
  EXPECT_EQ(times, (std::vector<double>{0, 0.5, 1, 1, 1.5, 2}));
  EXPECT_EQ(columns[0], (std::vector<double>{0, -3, 1, 5, 9, 6}));
  EXPECT_TRUE(columns[1].empty());
  EXPECT_EQ(columns[2], (std::vector<double>{0, 0, 0, 1, 7, 1}));
  times.clear();
  std::vector<std::vector<double>> many(2);
  for (int k = 0; k <= 10000; ++k) {
    times.push_back(k);
    many[0].push_back(k == 5003 ? 1 : 0);
    many[1].push_back(k == 777 ? -1 : k);
  }
  const std::vector<size_t> rows = RowsToShow(times, many, 50);
  EXPECT_LT(rows.size(), 51u * 6);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  for (const size_t wanted : {0u, 777u, 5003u, 10000u})
    EXPECT_TRUE(std::binary_search(rows.begin(), rows.end(), wanted)) << wanted;
}

// As a measuring instrument may write it: units behind the names, the time not first.
TEST(Csv, UnitsAndTheColumnTime) {
  std::string problem;
  const auto result = ParseCsv("n,time [ms],u [V],x[2],w[rad/s]\n1,0,5,6,7\n2,20,8,9,10\n", &problem);
  ASSERT_TRUE(result.has_value()) << problem;
  EXPECT_EQ(result->times, (std::vector<double>{0, 0.02}));
  ASSERT_EQ(result->header.columns.size(), 4u);
  const std::pair<const char*, const char*> expected[] = {
      {"n", ""}, {"u", "V"}, {"x[2]", ""}, {"w", "rad/s"}};
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(result->header.columns[k].name, expected[k].first);
    EXPECT_EQ(result->header.columns[k].unit, expected[k].second);
  }
  EXPECT_EQ(result->columns[0], (std::vector<double>{1, 2}));
  EXPECT_EQ(result->columns[3], (std::vector<double>{7, 10}));
  EXPECT_FALSE(ParseCsv("t [kg],u\n0,1\n", &problem).has_value());
  EXPECT_NE(problem.find("`kg` is no unit of time"), std::string::npos) << problem;
}

TEST(Csv, ForeignTables) {
  std::string problem;
  const auto got =
      ParseCsv("# made elsewhere\r\n\"t\" , \"a,\"\"b\" , c\r\n0, +1.5 ,\r\n1,inf,-2e-3\r\n", &problem);
  ASSERT_TRUE(got.has_value()) << problem;
  EXPECT_EQ(got->header.columns[0].name, "a,\"b");
  EXPECT_EQ(got->header.columns[1].name, "c");
  EXPECT_EQ(got->columns[0][0], 1.5);
  EXPECT_TRUE(std::isnan(got->columns[1][0]));
  EXPECT_TRUE(std::isinf(got->columns[0][1]));
  EXPECT_EQ(got->columns[1][1], -2e-3);
}

TEST(Mat4, CutAnywhereNeverCrashes) {
  const Scratch scratch;
  const Result all = Example(6);
  std::string problem;
  ASSERT_TRUE(WriteResult(all, scratch / "r.mat", ResultFormat::kMat4, &problem));
  const std::string bytes = Bytes(scratch / "r.mat");
  size_t most = 0;
  for (size_t length = 0; length < bytes.size(); ++length) {
    PutBytes(scratch / "cut.mat", bytes.substr(0, length));
    const auto got = ReadResult(scratch / "cut.mat", &problem);
    if (!got) continue;
    EXPECT_FALSE(got->complete());
    most = std::max(most, got->times.size());
  }
  EXPECT_EQ(most, 5u);
}

// Runs a Python program over the file; skips where the module is missing.
void CheckWithPython(const std::string& module, const std::string& program, const std::string& path) {
  const std::string python = "/usr/bin/python3 -c ";
  if (std::system((python + "'import " + module + "' 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "python3-" << module << " is not installed: the layout is not checked by it";
  const std::string script = path + ".py";
  PutBytes(script, program);
  EXPECT_EQ(std::system(("/usr/bin/python3 " + script + " " + path).c_str()), 0);
}

TEST(Mat4, SciPyReadsTheLayoutOfDymola) {
  const Scratch scratch;
  std::string problem;
  ASSERT_TRUE(WriteResult(Example(8), scratch / "r.mat", ResultFormat::kMat4, &problem));
  CheckWithPython("scipy", R"py(
import sys, math, scipy.io
m = scipy.io.loadmat(sys.argv[1], chars_as_strings=False)
text = lambda a: ["".join(s).rstrip() for s in a]
assert [k for k in m if not k.startswith("__")] == ["Aclass", "name", "description", "dataInfo", "data_1", "data_2"]
assert text(m["Aclass"]) == ["Atrajectory", "1.1", "", "binTrans"], text(m["Aclass"])
names = text(zip(*m["name"]))
assert names[:4] == ["time", "load.w", "switch.on", "motor.w"], names
assert text(zip(*m["description"]))[:2] == ["time [s]", "speed of the load [rad/s]"]
info, data = m["dataInfo"], m["data_2"]
assert str(info.dtype) == "int32" and info.shape == (4, 5) and data.shape == (4, 8)
assert list(info[:, 0]) == [0, 1, 0, -1]
assert list(info[1]) == [1, 2, 3, -2, 4] and list(info[0, 1:]) == [2, 2, 2, 2]
for r in range(8):
    assert data[1][r] == math.sin(data[0][r]) / 3
assert m["data_1"].shape == (1, 2) and m["data_1"][0][1] == data[0][7]
)py",
                  scratch / "r.mat");
}

TEST(Hdf5, H5pyReadsTheLayout) {
  const Scratch scratch;
  std::string problem;
  ASSERT_TRUE(WriteResult(Example(8), scratch / "r.h5", ResultFormat::kHdf5, &problem));
  EXPECT_EQ(Bytes(scratch / "r.h5.partial.cotr"), "") << "the stream beside it is removed";
  CheckWithPython("h5py", R"py(
import sys, math, h5py
f = h5py.File(sys.argv[1], "r")
text = lambda x: x.decode() if isinstance(x, bytes) else x
assert text(f.attrs["schema"]) == "cotree.result/1" and text(f.attrs["status"]) == "complete"
w = f["variables/load.w"]
assert text(w.attrs["unit"]) == "rad/s" and text(w.attrs["description"]) == "speed of the load"
assert all(w[r] == math.sin(f["time"][r]) / 3 for r in range(8))
a = f["aliases/motor.w"].attrs
assert text(a["alias_of"]) == "load.w" and a["alias_sign"] == -1
assert [text(t) for t in f["events/text"][:]] == ["switch closes"]
)py",
                  scratch / "r.h5");
}

}  // namespace
}  // namespace cotree
