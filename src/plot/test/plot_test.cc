// SPDX-License-Identifier: Apache-2.0
// Laws of figures: ticks, units, thinning, places; SVG and PNG that other programs read.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <random>

#include "base/text_metric.h"
#include "plot/axis_scale.h"
#include "plot/canvas.h"
#include "plot/draw_figure.h"
#include "plot/plot_layout.h"
#include "plot/plot_result.h"
#include "plot/trace.h"
#include "plot/unit_text.h"

namespace cotree {
namespace {

AxisScale Scale(double low, double high, const Axis& axis = {}) {
  DataRange range;
  range.Add(low, axis.log);
  range.Add(high, axis.log);
  return FindScale(axis, range, 300, 40, 0.05);
}

Figure OnePane(std::vector<Series> series) {
  Figure figure;
  figure.panes.resize(1);
  figure.panes[0].series = std::move(series);
  return figure;
}

// --- axes -------------------------------------------------------------------------------------------------

TEST(AxisScale, TicksAreRoundInsideAndNeitherFewNorMany) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> size(-12, 12), offset(-3, 3);
  for (int k = 0; k < 3000; ++k) {
    const double width = std::pow(10, size(random)), low = offset(random) * width;
    const AxisScale scale = Scale(low, low + width);
    ASSERT_GE(scale.ticks.size(), 2u) << low << " " << width;
    ASSERT_LE(scale.ticks.size(), 12u);
    const double step = scale.ticks[1].value - scale.ticks[0].value;
    const double mantissa = step / std::pow(10, std::floor(std::log10(step) + 1e-9));
    ASSERT_LT(std::min({std::fabs(mantissa - 1), std::fabs(mantissa - 2), std::fabs(mantissa - 5)}), 1e-6);
    for (size_t t = 0; t < scale.ticks.size(); ++t) {
      ASSERT_GE(scale.Place(scale.ticks[t].value), -1e-9);
      ASSERT_LE(scale.Place(scale.ticks[t].value), 1 + 1e-9);
      ASSERT_LE(scale.ticks[t].label.size(), 12u) << scale.ticks[t].label;
      if (t == 0) continue;
      ASSERT_NE(scale.ticks[t].label, scale.ticks[t - 1].label);
    }
  }
}

TEST(AxisScale, ConstantsAndRoundingErrorsStayCalm) {
  for (const double value : {0.0, 5.0, -1e-9, 1e20}) {
    const AxisScale scale = Scale(value, value * (1 + 1e-14));
    EXPECT_LT(scale.low, value);
    EXPECT_GT(scale.high, value);
    EXPECT_GE(scale.high - scale.low, std::fabs(value) * 0.1);
  }
}

TEST(AxisScale, Logarithmic) {
  const AxisScale scale = Scale(0.01, 1000, {.log = true});
  ASSERT_EQ(scale.ticks.size(), 6u);
  EXPECT_EQ(scale.ticks[0].label, "10⁻²");
  EXPECT_EQ(scale.ticks[5].label, "10³");
  EXPECT_FALSE(std::isfinite(scale.Place(0)));
  EXPECT_FALSE(std::isfinite(scale.Place(-1)));
  EXPECT_GE(Scale(3, 40, {.log = true}).ticks.size(), 3u);
}

TEST(UnitText, PrefixesWherePeopleUseThem) {
  const auto shown = [](const char* unit, double largest) { return ChooseUnit(unit, largest).unit; };
  EXPECT_EQ(shown("A", 0.02), "mA");
  EXPECT_EQ(shown("A", 0.5), "A");
  EXPECT_EQ(shown("Pa", 3e5), "bar");
  EXPECT_EQ(shown("Pa", 1.8e7), "bar");
  EXPECT_EQ(shown("Pa", 2e3), "kPa");
  EXPECT_EQ(shown("N*m", 2500), "kN·m");
  EXPECT_EQ(shown("s", 4e-6), "µs");
  EXPECT_EQ(shown("s", 86400), "s");
  EXPECT_EQ(shown("rad/s", 3000), "rad/s");
  EXPECT_EQ(shown("m^3/s", 2e-6), "10⁻⁶ m³/s");
  EXPECT_EQ(shown("kg", 2e-6), "10⁻⁶ kg");
  EXPECT_EQ(shown("ohm", 4700), "kΩ");
  EXPECT_EQ(shown("", 5e-9), "10⁻⁹");
  EXPECT_EQ(PrettyUnit("N*m/A^-2"), "N·m/A⁻²");
  EXPECT_EQ(PrettyUnit("degC"), "°C");
}

// --- curves -----------------------------------------------------------------------------------------------

TEST(Trace, ThinningKeepsExtremesOfEveryColumn) {
  Series series;
  std::mt19937 random(5);
  std::normal_distribution<double> noise;
  for (int k = 0; k < 200000; ++k) {
    series.x.push_back(k);
    series.y.push_back(noise(random) + (k == 77777 ? 50 : 0));
  }
  const PlotBox box{0, 0, 500, 200};
  const AxisScale x = ScaleOver({}, 0, 200000, 500, 50), y = ScaleOver({}, -10, 60, 200, 30);
  const auto lines = TraceSeries(series, x, y, box);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_LE(lines[0].size(), 4u * 501);
  std::vector<double> low(501, 1e9), high(501, -1e9), low_kept = low, high_kept = high;
  for (size_t k = 0; k < series.x.size(); ++k) {
    const PlotPoint p = PlaceOf(series.x[k], series.y[k], x, y, box);
    const auto column = static_cast<size_t>(p.x);
    low[column] = std::min(low[column], p.y);
    high[column] = std::max(high[column], p.y);
  }
  for (const PlotPoint& p : lines[0]) {
    const auto column = static_cast<size_t>(p.x);
    low_kept[column] = std::min(low_kept[column], p.y);
    high_kept[column] = std::max(high_kept[column], p.y);
  }
  EXPECT_EQ(low, low_kept);
  EXPECT_EQ(high, high_kept);
}

TEST(Trace, GapsAndSteps) {
  const PlotBox box{0, 0, 100, 100};
  const AxisScale unit = ScaleOver({}, 0, 4, 100, 20);
  const auto gaps = TraceSeries({"", {0, 1, 2, 3, 4}, {1, 1, NAN, 1, 1}}, unit, unit, box);
  EXPECT_EQ(gaps.size(), 2u);
  const auto steps = TraceSeries({"", {0, 2, 4}, {0, 4, 4}, true}, unit, unit, box);
  ASSERT_EQ(steps[0].size(), 4u);
  EXPECT_EQ(steps[0][1].x, steps[0][2].x);  // up at once
  EXPECT_EQ(steps[0][1].y, steps[0][0].y);
}

// --- figures ----------------------------------------------------------------------------------------------

TEST(PlotLayout, LegendsNeverLieOnPanes) {
  for (const size_t count : {1u, 2u, 5u, 9u, 30u}) {
    for (const size_t length : {1u, 12u, 60u, 400u}) {
      Figure figure;
      for (size_t p = 0; p < 2; ++p) {
        Pane pane;
        for (size_t k = 0; k < count; ++k) pane.series.push_back({std::string(length, 'w'), {0, 1}, {0, 1}});
        figure.panes.push_back(pane);
      }
      const PlotLayout layout = FindPlotLayout(figure);
      for (const PaneLayout& own : layout.panes) {
        EXPECT_GT(own.box.width(), 200);
        EXPECT_GT(own.box.left, 0);
        for (const LegendEntry& entry : own.legend) {
          const double right = entry.at.x + kSampleLength + kSampleGap + TextWidth(entry.text, kNumberSize);
          EXPECT_LE(right, layout.width);
          for (const PaneLayout& pane : layout.panes) {
            const bool beside = entry.at.x >= pane.box.right;
            const bool above = entry.at.y + kNumberSize / 2 <= pane.box.top,
                       below = entry.at.y - 6 >= pane.box.bottom;
            EXPECT_TRUE(beside || above || below) << count << " " << length;
          }
        }
      }
    }
  }
}

// Titles are wrapped, and the number under the last tick stays inside, whatever the range is.
TEST(PlotLayout, TitleAndLastNumberStayInside) {
  const char* const titles[] = {
      "short",
      "Positioner: closed loop L/(1 + L), L = -(a.rather.long.name.of.a.driver / another.name.that.is.long)",
      "one_word_that_is_much_longer_than_the_figure_is_wide_and_cannot_be_torn_at_a_blank_anywhere_at_all"};
  for (const char* title : titles) {
    for (const double end : {0.03, 1.0, 12345.0, 99999.0, 1e6}) {
      for (const double width : {320.0, 720.0}) {
        Figure figure = OnePane({{"a", {0, end}, {0, 1}}});
        figure.title = title;
        figure.width = width;
        const PlotLayout layout = FindPlotLayout(figure);
        ASSERT_FALSE(layout.title.empty());
        for (const std::string& line : layout.title) {
          const double half = TextWidth(line, kTitleSize, true) / 2;
          EXPECT_GE(layout.title_middle - half, 0) << line;
          EXPECT_LE(layout.title_middle + half, width) << line;
        }
        const PaneLayout& pane = layout.panes[0];
        const Tick& last = pane.x.ticks.back();
        EXPECT_LE(pane.box.left + pane.x.Place(last.value) * pane.box.width() +
                      TextWidth(last.label, kNumberSize) / 2,
                  width)
            << last.label;
      }
    }
  }
}

TEST(DrawSvg, SmallFileForAMillionPointsTheSameEveryTime) {
  Series series{"noise"};
  std::mt19937 random(1);
  for (int k = 0; k < 1000000; ++k) {
    series.x.push_back(k * 1e-6);
    series.y.push_back(static_cast<double>(random()));
  }
  const Figure figure = OnePane({series});
  const std::string svg = DrawSvg(figure);
  EXPECT_LT(svg.size(), 60000u);
  EXPECT_EQ(svg, DrawSvg(figure));
}

TEST(DrawSvg, TextsStayTextsAndAreEscaped) {
  Figure figure = OnePane({{"a<b & \"c\"", {0, 1}, {0, 1}}, {"bad \xFF utf", {0, 1}, {1, 0}}});
  figure.panes[0].marks = {{0.5, "event <1>"}};
  const std::string svg = DrawSvg(figure);
  EXPECT_NE(svg.find(">a&lt;b &amp; &quot;c&quot;</text>"), std::string::npos);
  EXPECT_NE(svg.find("<title>event &lt;1&gt;</title>"), std::string::npos);
  EXPECT_NE(svg.find("bad ? utf"), std::string::npos);
  EXPECT_NE(svg.find("sans-serif"), std::string::npos);
}

TEST(DrawSvg, NothingToDrawIsDrawnAllTheSame) {
  EXPECT_NE(DrawSvg({}).find("</svg>"), std::string::npos);
  EXPECT_NE(DrawSvg(OnePane({})).find("</svg>"), std::string::npos);
  for (const double value : std::initializer_list<double>{NAN, INFINITY, 0, 1e308}) {
    Figure figure = OnePane({{"a", {0, 1, 2}, {value, -value, value}}});
    for (const bool log : {false, true}) {
      figure.panes[0].y.log = log;
      const std::string svg = DrawSvg(figure);
      EXPECT_EQ(svg.find("nan"), std::string::npos);
      EXPECT_EQ(svg.find("inf"), std::string::npos);
    }
  }
}

TEST(WritePng, SizeAndFailure) {
  std::string pattern = (std::filesystem::temp_directory_path() / "cotree_plot_XXXXXX").string();
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  const std::string path = pattern + "/f.png";
  const Figure figure = OnePane({{"a", {0, 1}, {0, 1}}, {"bad \xFF utf", {0, 1}, {1, 0}}});
  ASSERT_TRUE(WritePng(figure, path, 3));
  std::ifstream file(path, std::ios::binary);
  std::string head(24, '\0');
  file.read(head.data(), 24);
  EXPECT_EQ(head.substr(1, 3), "PNG");
  EXPECT_EQ(static_cast<uint8_t>(head[18]) * 256 + static_cast<uint8_t>(head[19]), 2160);
  std::filesystem::remove_all(pattern);
  EXPECT_FALSE(WritePng(figure, "/nowhere/f.png"));
}

TEST(FigureOfResult, UnitsSharePanes) {
  Result result;
  result.header.columns = {{"a.v", "V"}, {"b.i", "A"}, {"c.v", "V"},
                           {"d", ""},    {"e", ""},    {"on", "", "", true}};
  result.times = {0, 1};
  result.columns = {{1, 2}, {1, 2}, {100, 200}, {1, 2}, {1000, 2000}, {0, 1}};
  result.events = {{0.5, "bang"}};
  const Figure figure = FigureOfResult({{&result, ""}}, {"a.v", "b.i", "c.v", "d", "e", "on", "missing"}, "");
  ASSERT_EQ(figure.panes.size(), 5u);
  EXPECT_EQ(figure.panes[0].series.size(), 2u);
  EXPECT_EQ(figure.panes[0].y.unit, "V");
  EXPECT_TRUE(figure.panes[4].y.whole);
  EXPECT_EQ(figure.panes[0].marks.size(), 1u);
  const Figure both = FigureOfResult({{&result, "x"}, {&result, "y"}}, {"a.v", "c.v"}, "");
  ASSERT_EQ(both.panes[0].series.size(), 4u);
  EXPECT_EQ(both.panes[0].series[0].colour, both.panes[0].series[1].colour);
  EXPECT_NE(both.panes[0].series[0].colour, both.panes[0].series[2].colour);
  EXPECT_EQ(both.panes[0].series[1].dash, Dash::kDashed);
}

}  // namespace
}  // namespace cotree
