// SPDX-License-Identifier: Apache-2.0
// Axes, figures, the table on disk, and the order of rows, without any model.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "sweep/run_sweep.h"

namespace cotree {
namespace {

SweepAxis Axis(const std::string& text, bool log = false) {
  std::string problem;
  auto axis = ReadAxis(text, log, &problem);
  EXPECT_TRUE(axis.has_value()) << problem;
  return axis.value_or(SweepAxis{});
}

std::string Refused(const std::string& text, bool log = false) {
  std::string problem;
  EXPECT_FALSE(ReadAxis(text, log, &problem).has_value()) << text;
  return problem;
}

TEST(SweepAxis, RangesAndLists) {
  const SweepAxis r = Axis("motor.R = 0.1 ohm : 0.5 ohm : 5");
  EXPECT_EQ(r.name, "motor.R");
  EXPECT_EQ(r.unit, "ohm");
  EXPECT_EQ(r.values, (std::vector<std::string>{"0.1", "0.2", "0.3", "0.4", "0.5"}));
  EXPECT_EQ(r.Setting(1), "motor.R = 0.2 ohm");
  EXPECT_EQ(r.Label(), "motor.R [ohm]");
  EXPECT_EQ(Axis("k=1:10 V/rad:4").values, (std::vector<std::string>{"1", "4", "7", "10"}));
  EXPECT_EQ(Axis("k=1:10 V/rad:4").unit, "V/rad");
  EXPECT_EQ(Axis("k=10:1:2").values, (std::vector<std::string>{"10", "1"}));
}

TEST(SweepAxis, LogarithmicRanges) {
  const SweepAxis k = Axis("k=1:1000:4:log");
  EXPECT_TRUE(k.log);
  ASSERT_EQ(k.numbers.size(), 4u);
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(std::log10(k.numbers[i]), static_cast<double>(i), 1e-14);
  EXPECT_EQ(Axis("k=-1:-100:3", true).values[2], "-100");
  EXPECT_NE(Refused("k=0:10:3:log").find("one sign"), std::string::npos);
  EXPECT_NE(Refused("k=-1:10:3", true).find("one sign"), std::string::npos);
}

TEST(SweepAxis, Lists) {
  const SweepAxis j = Axis("load.J=1e-3 kg*m^2, 2e-3 kg*m^2");
  EXPECT_EQ(j.unit, "kg*m^2");
  EXPECT_EQ(j.numbers, (std::vector<double>{1e-3, 2e-3}));
  const SweepAxis mixed = Axis("r=1 kohm,500 ohm");
  EXPECT_EQ(mixed.unit, "");
  EXPECT_TRUE(mixed.numbers.empty());
  EXPECT_EQ(mixed.Setting(0), "r = 1 kohm");
  EXPECT_EQ(Axis("b=true,false").Setting(1), "b = false");
  EXPECT_EQ(Axis("f=0.5 1/s").unit, "1/s");
  EXPECT_TRUE(Axis("x=2*pi").numbers.empty());
  EXPECT_EQ(Axis("x=[1, 2],[3, 4]").values.size(), 2u) << "commas in brackets belong to a value";
}

TEST(SweepAxis, RefusesWithARemedy) {
  EXPECT_NE(Refused("motor.R").find("--vary \"motor.R=0.1 ohm:0.5 ohm:5\""), std::string::npos);
  EXPECT_NE(Refused("k=1:2").find("from:to:count"), std::string::npos);
  EXPECT_NE(Refused("k=1:2:1").find("at least 2"), std::string::npos);
  EXPECT_NE(Refused("k=1:2:3.5").find("`3.5` is no number of values"), std::string::npos);
  EXPECT_NE(Refused("k=a:2:3").find("`a` is no number"), std::string::npos);
  EXPECT_NE(Refused("k=1 V:2 A:3").find("the same unit"), std::string::npos);
  EXPECT_NE(Refused("k=1,,2").find("missing between commas"), std::string::npos);
  EXPECT_NE(Refused("k=1,2,1").find("twice"), std::string::npos);
}

TEST(SweepGrid, TheLastAxisRunsFastest) {
  const SweepGrid grid({Axis("a=1,2"), Axis("b=1 V,2 V,3 V")});
  ASSERT_EQ(grid.size(), 6u);
  EXPECT_EQ(grid.At(0), (std::vector<size_t>{0, 0}));
  EXPECT_EQ(grid.At(4), (std::vector<size_t>{1, 1}));
  EXPECT_EQ(grid.Text(4), "a = 2, b = 2 V");
  const SweepGrid large({Axis("a=1:2:10000"), Axis("b=1:2:10000"), Axis("c=1:2:10000")});
  EXPECT_EQ(large.size(), SweepGrid::kMost + 1);
}

// --- Figures ---------------------------------------------------------------------------------------------

// A figure of x(t) = t^2 on [0, 3], rows every 0.01.
double Of(const std::string& text, bool stepwise = false) {
  std::string problem;
  const auto figure = ReadFigure(text, &problem);
  EXPECT_TRUE(figure.has_value()) << problem;
  if (!figure) return NAN;
  std::vector<MeasureRecorder> recorders;
  for (const Measure& m : figure->measures) recorders.emplace_back(m, stepwise);
  for (int k = 0; k <= 300; ++k) {
    const double t = k / 100.0;
    for (MeasureRecorder& r : recorders) r.Row(t, t * t);
  }
  std::vector<double> values;
  for (const MeasureRecorder& r : recorders) values.push_back(r.Value().value_or(NAN));
  return figure->Value(values);
}

TEST(KeptFigure, MeasuresOfAParabola) {
  EXPECT_EQ(Of("x"), 9);
  EXPECT_EQ(Of("final(x)"), 9);
  EXPECT_EQ(Of("max(x)"), 9);
  EXPECT_EQ(Of("min(x)"), 0);
  EXPECT_NEAR(Of("mean(x)"), 3, 1e-4);                   // 1/3 * 3^3/3
  EXPECT_NEAR(Of("rms(x)"), std::sqrt(81.0 / 5), 1e-4);  // 1/3 * 3^5/5
  EXPECT_EQ(Of("x@2"), 4);
  EXPECT_EQ(Of("x@2000ms"), 4);
  EXPECT_NEAR(Of("x@0.995"), (0.99 * 0.99 + 1) / 2, 1e-12) << "straight between rows";
  EXPECT_NEAR(Of("x@0.995", true), 0.99 * 0.99, 1e-12) << "held between rows";
  EXPECT_TRUE(std::isnan(Of("x@3.5")));
  EXPECT_EQ(Of("x@0"), 0);
  EXPECT_EQ(Of("x@3"), 9);
}

TEST(KeptFigure, Arithmetic) {
  EXPECT_EQ(Of("max(x) - x@2s"), 5);
  EXPECT_EQ(Of("1 - 2 - 3 + 0*x"), -4);
  EXPECT_EQ(Of("2*(x - 1)/4"), 4);
  EXPECT_EQ(Of("-x*-2"), 18);
  EXPECT_EQ(Of("x/3/3"), 1);
  EXPECT_EQ(Of("(max(x) - x)/x"), 0);
}

TEST(KeptFigure, NamesOfVariables) {
  std::string problem;
  const auto figure = ReadFigure("max(der(rack.drive[3].w)) / m[1, 2].x@1.5 ms", &problem);
  ASSERT_TRUE(figure.has_value()) << problem;
  EXPECT_EQ(figure->measures[0].variable, "der(rack.drive[3].w)");
  EXPECT_EQ(figure->measures[1].variable, "m[1, 2].x");
  EXPECT_EQ(figure->measures[1].time, 1.5e-3);
}

TEST(KeptFigure, RefusesWithTheReason) {
  const auto refused = [](const char* text) {
    std::string problem;
    EXPECT_FALSE(ReadFigure(text, &problem).has_value()) << text;
    return problem;
  };
  EXPECT_NE(refused("maximum(x)").find("there are final, max, min, mean, rms"), std::string::npos);
  EXPECT_NE(refused("max(x").find("missing at its end"), std::string::npos);
  EXPECT_NE(refused("x y").find("`y` is not understood"), std::string::npos);
  EXPECT_NE(refused("x@").find("stands a time"), std::string::npos);
  EXPECT_NE(refused("x@2 kg").find("no unit of time"), std::string::npos);
  EXPECT_NE(refused("").find("missing"), std::string::npos);
}

// At an event two rows have one time: x@T is what is behind it, integrals see no width.
TEST(KeptFigure, AtAnEvent) {
  MeasureRecorder at({Measure::Kind::kAt, "x", 1}, false), mean({Measure::Kind::kMean, "x", 0}, false);
  for (const auto& [t, x] : {std::pair(0.0, 2.0), {1.0, 2.0}, {1.0, 6.0}, {2.0, 6.0}}) {
    at.Row(t, x);
    mean.Row(t, x);
  }
  EXPECT_EQ(at.Value(), 6);
  EXPECT_EQ(mean.Value(), 4);
}

// --- The table ---------------------------------------------------------------------------------------------

class SweepTable : public testing::Test {
 protected:
  SweepTable() : path_(testing::TempDir() + "sweep_table_" + std::to_string(getpid()) + ".csv") {
    std::filesystem::remove(path_);
  }
  ~SweepTable() override { std::filesystem::remove(path_); }
  std::string Text() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  // Opens it and appends rows from where it stands up to `end`; how many were there.
  size_t Fill(size_t end, const std::string& about = "cotree sweep 1: m") {
    SweepFile file(grid_, {"max(x)"}, about);
    std::vector<SweepRow> rows;
    bool other = false;
    problem_.clear();
    if (!file.Open(path_, false, &rows, &other, &problem_)) return other ? SIZE_MAX : SIZE_MAX - 1;
    for (size_t k = rows.size(); k < end; ++k) EXPECT_TRUE(file.Append(k, RowOf(k)));
    return rows.size();
  }
  static SweepRow RowOf(size_t k) {
    if (k == 2) return {{}, "failed, \"badly\""};
    return {{1.0 / static_cast<double>(k + 3)}, "ok"};
  }

  SweepGrid grid_{{Axis("r=1 ohm,2 ohm"), Axis("n=1,2")}};
  std::string path_, problem_;
};

TEST_F(SweepTable, GoesOnWhereItStopped) {
  EXPECT_EQ(Fill(2), 0u);
  EXPECT_EQ(Fill(4), 2u);
  const std::string whole = Text();
  EXPECT_EQ(whole,
            "# cotree sweep 1: m\nr [ohm],n,max(x),status\n1,1,0.3333333333333333,ok\n1,2,0.25,ok\n"
            "2,1,,\"failed, \"\"badly\"\"\"\n2,2,0.16666666666666666,ok\n");
  EXPECT_EQ(Fill(4), 4u) << "failed runs are not run again";
  EXPECT_EQ(Text(), whole);
  // Cut anywhere by a kill, it becomes the same again.
  for (size_t cut = 0; cut < whole.size(); ++cut) {
    std::ofstream(path_, std::ios::binary) << whole.substr(0, cut);
    EXPECT_LT(Fill(4), 5u) << problem_;
    EXPECT_EQ(Text(), whole) << cut;
  }
}

TEST_F(SweepTable, LeavesOtherFilesAlone) {
  Fill(4);
  const std::string whole = Text();
  EXPECT_EQ(Fill(4, "cotree sweep 1: other"), SIZE_MAX);
  EXPECT_NE(problem_.find("another model"), std::string::npos) << problem_;
  grid_ = SweepGrid({Axis("r=1 ohm,3 ohm"), Axis("n=1,2")});
  EXPECT_EQ(Fill(4), SIZE_MAX);
  EXPECT_EQ(problem_, "row 3 is not of this sweep");
  grid_ = SweepGrid({Axis("r=1 ohm,2 ohm")});
  EXPECT_EQ(Fill(4), SIZE_MAX);
  EXPECT_NE(problem_.find("other parameters were varied"), std::string::npos) << problem_;
  EXPECT_EQ(Text(), whole);
  std::ofstream(path_, std::ios::binary) << "time,x\n0,1\n";
  EXPECT_EQ(Fill(4), SIZE_MAX);
  EXPECT_EQ(Text(), "time,x\n0,1\n");
  path_ = "/nowhere/sweep.csv";
  EXPECT_EQ(Fill(4), SIZE_MAX - 1);
}

// --- Threads ---------------------------------------------------------------------------------------------

class SlowWorker : public SweepWorker {
 public:
  std::optional<SweepRow> Run(size_t point) override {
    // The first of each eight takes longest, so rows are ready out of order.
    std::this_thread::sleep_for(std::chrono::microseconds(point % 8 == 0 ? 4000 : 100));
    if (point == stop_at) return std::nullopt;
    return SweepRow{{static_cast<double>(point)}, "ok"};
  }
  size_t stop_at = SIZE_MAX;
};

TEST(RunPoints, RowsComeInOrderWhateverTheThreads) {
  for (const unsigned threads : {1u, 2u, 7u}) {
    SweepPlan plan;
    plan.first = 3;
    plan.count = 97;
    plan.threads = threads;
    plan.make_worker = [] { return std::make_unique<SlowWorker>(); };
    std::vector<size_t> taken;
    plan.take = [&](size_t point, const SweepRow& row) {
      EXPECT_EQ(row.figures[0], static_cast<double>(point));
      taken.push_back(point);
      return true;
    };
    size_t last = 0;
    plan.progress = [&](size_t finished) {
      EXPECT_EQ(finished, last + 1);
      last = finished;
      return true;
    };
    EXPECT_TRUE(RunPoints(plan));
    ASSERT_EQ(taken.size(), 97u);
    for (size_t k = 0; k < taken.size(); ++k) EXPECT_EQ(taken[k], k + 3);
  }
}

TEST(RunPoints, WhatIsTakenHasNoGap) {
  for (const int way : {0, 1, 2}) {
    SweepPlan plan;
    plan.count = 64;
    plan.threads = 4;
    plan.make_worker = [&] {
      auto worker = std::make_unique<SlowWorker>();
      if (way == 0) worker->stop_at = 20;
      return worker;
    };
    std::vector<size_t> taken;
    plan.take = [&](size_t point, const SweepRow&) {
      taken.push_back(point);
      return way != 1 || point < 20;
    };
    plan.progress = [&](size_t finished) { return way != 2 || finished < 20; };
    EXPECT_FALSE(RunPoints(plan));
    EXPECT_LT(taken.size(), 64u);
    for (size_t k = 0; k < taken.size(); ++k) EXPECT_EQ(taken[k], k);
  }
}

}  // namespace
}  // namespace cotree
