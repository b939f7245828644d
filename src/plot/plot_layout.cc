// SPDX-License-Identifier: Apache-2.0
#include "plot/plot_layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/text_metric.h"
#include "plot/unit_text.h"

namespace cotree {
namespace {

constexpr double kMargin = 10, kTickLength = 4, kEntryGap = 20, kLegendLine = 18;
constexpr double kXSpacing = 64, kYSpacing = 26;

// Okabe and Ito (2008), without their yellow, which is too light on white.
constexpr const char* kPalette[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                    "#E69F00", "#56B4E9", "#000000"};

std::vector<double> DashOf(Dash dash) {
  switch (dash) {
    case Dash::kDashed:
      return {7, 3};
    case Dash::kDashDot:
      return {9, 3, 2, 3};
    case Dash::kDotted:
      return {2, 2.5};
    default:
      return {};
  }
}

std::string Pale(const std::string& colour) {
  const unsigned long rgb = std::strtoul(colour.c_str() + 1, nullptr, 16);
  const auto part = [&](int shift) { return (((rgb >> shift) & 0xFF) * 40 + 255 * 60) / 100; };
  return fmt::format("#{:02X}{:02X}{:02X}", part(16), part(8), part(0));
}

std::vector<SeriesStyle> StylesOf(const Pane& pane) {
  static constexpr Dash kDashes[] = {Dash::kSolid, Dash::kDashed, Dash::kDashDot, Dash::kDotted};
  std::vector<SeriesStyle> styles;
  for (size_t k = 0; k < pane.series.size(); ++k) {
    const Series& series = pane.series[k];
    const Dash dash = series.dash == Dash::kAuto ? kDashes[k % std::size(kDashes)] : series.dash;
    std::string colour = kPalette[series.colour.value_or(k) % std::size(kPalette)];
    if (series.backdrop) colour = Pale(colour);
    styles.push_back({std::move(colour), DashOf(dash), series.backdrop ? 4.0 : 1.6});
  }
  return styles;
}

std::string LabelText(const std::string& label, const std::string& unit) {
  if (unit.empty()) return label;
  return label.empty() ? "[" + unit + "]" : label + " [" + unit + "]";
}

/// The text, or its beginning and end with dots between them where it is wider than the room.
std::string Fitted(const std::string& text, double size, double room) {
  std::vector<size_t> starts;  // of characters
  for (size_t k = 0; k < text.size(); ++k) {
    if ((static_cast<unsigned char>(text[k]) & 0xC0) != 0x80) starts.push_back(k);
  }
  if (TextWidth(text, size) <= room) return text;
  for (size_t left_out = 2; left_out + 4 < starts.size(); ++left_out) {
    const size_t head = (starts.size() - left_out) / 2;
    std::string shorter = text.substr(0, starts[head]) + "…" + text.substr(starts[head + left_out]);
    if (TextWidth(shorter, size) <= room) return shorter;
  }
  return text.substr(0, starts[std::min<size_t>(4, starts.size() - 1)]);
}

/// In lines that fit the room, torn at blanks.
std::vector<std::string> Wrapped(const std::string& text, double size, double room) {
  std::vector<std::string> lines;
  size_t at = 0;
  while (at < text.size()) {
    const size_t blank = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, blank - at);
    at = blank + 1;
    if (!lines.empty() && TextWidth(lines.back() + " " + word, size, true) <= room)
      lines.back() += " " + word;
    else
      lines.push_back(Fitted(word, size, 0.8 * room));  // bold letters are wider
  }
  return lines;
}

DataRange RangeOf(const Pane& pane, bool of_x) {
  DataRange range;
  for (const Series& series : pane.series) {
    for (const double value : of_x ? series.x : series.y) range.Add(value, of_x ? pane.x.log : pane.y.log);
  }
  return range;
}

/* The steps of the search; each fills in what the next ones need. */
class LayoutFinder {
 public:
  explicit LayoutFinder(const Figure& figure) : figure_(figure) {
    layout_.width = figure.width;
    layout_.panes.resize(figure.panes.size());
  }

  PlotLayout Find() {
    ChooseHeights();
    ChooseNames();
    ChooseLegendSide();
    ScaleY();
    PlaceColumns();
    ScaleX();
    KeepLastNumber();
    PlaceTitle();
    PlaceRows();
    for (size_t k = 0; k < layout_.panes.size(); ++k) {
      if (figure_.panes[k].equal) MakeEqual(k);
      PlaceLegend(k);
    }
    return std::move(layout_);
  }

 private:
  bool SharedX(size_t k) const { return figure_.common_x && k + 1 < figure_.panes.size(); }

  void ChooseHeights() {
    const size_t n = figure_.panes.size();
    double shares = 0;
    for (const Pane& pane : figure_.panes) shares += pane.share;
    const double each = n <= 1 ? 300 : n == 2 ? 190 : n == 3 ? 150 : 120;
    const double all = figure_.height > 0 ? std::max(60.0 * static_cast<double>(n), figure_.height - 90)
                                          : each * static_cast<double>(n);
    for (const Pane& pane : figure_.panes) heights_.push_back(all * pane.share / std::max(shares, 1e-9));
  }

  // Who is named in the legend, and who by the label of the axis.
  void ChooseNames() {
    bool by_label = true;
    for (size_t k = 0; k < figure_.panes.size(); ++k) {
      const Pane& pane = figure_.panes[k];
      by_label = by_label && pane.series.size() == 1 && pane.y.label.empty() &&
                 TextWidth(pane.series[0].name, kLabelSize) + 60 < heights_[k];
    }
    for (size_t k = 0; k < figure_.panes.size(); ++k) {
      const Pane& pane = figure_.panes[k];
      PaneLayout& out = layout_.panes[k];
      out.styles = StylesOf(pane);
      out.title = pane.title;
      labels_.push_back(by_label ? pane.series[0].name : pane.y.label);
      for (size_t s = 0; s < pane.series.size(); ++s) {
        if (!by_label && !pane.series[s].name.empty()) out.legend.push_back({s, pane.series[s].name, {}});
      }
    }
  }

  void ChooseLegendSide() {
    const double room = figure_.width - 100;
    for (const PaneLayout& pane : layout_.panes) {
      double x = 0, lines = pane.legend.empty() ? 0 : 1;
      for (const LegendEntry& entry : pane.legend) {
        const double width = EntryWidth(entry);
        if (x > 0 && x + width > room) {
          x = 0;
          ++lines;
        }
        x += width + kEntryGap;
        if (width > room) right_ = true;
      }
      if (lines > 2) right_ = true;
      lines_.push_back(lines);
    }
    if (!right_) return;
    for (PaneLayout& pane : layout_.panes) {
      for (LegendEntry& entry : pane.legend) {
        entry.text = Fitted(entry.text, kNumberSize, figure_.width * 0.33);
        legend_width_ = std::max(legend_width_, EntryWidth(entry));
      }
    }
    for (size_t k = 0; k < heights_.size(); ++k)
      heights_[k] =
          std::max(heights_[k], kLegendLine * static_cast<double>(layout_.panes[k].legend.size()) + 8);
  }

  static double EntryWidth(const LegendEntry& entry) {
    return kSampleLength + kSampleGap + TextWidth(entry.text, kNumberSize);
  }

  void ScaleY() {
    for (size_t k = 0; k < figure_.panes.size(); ++k) {
      const Pane& pane = figure_.panes[k];
      PaneLayout& out = layout_.panes[k];
      DataRange range = RangeOf(pane, false);
      for (const double level : pane.levels) range.Add(level, pane.y.log);
      out.y = FindScale(pane.y, range, heights_[k], kYSpacing, 0.05);
      out.y_label = LabelText(labels_[k], out.y.unit);
      for (const Tick& tick : out.y.ticks) numbers_ = std::max(numbers_, TextWidth(tick.label, kNumberSize));
      labelled_ = labelled_ || !out.y_label.empty();
    }
  }

  void PlaceColumns() {
    left_ = kMargin + (labelled_ ? kLabelSize + 8 : 0) + numbers_ + kTickLength + 4;
    right_edge_ = figure_.width - kMargin - 12 - (legend_width_ > 0 ? legend_width_ + 14 : 0);
    right_edge_ = std::max(right_edge_, left_ + 60);
  }

  void ScaleX() {
    DataRange all;
    for (const Pane& pane : figure_.panes) {
      const DataRange own = RangeOf(pane, true);
      if (own.empty) continue;
      all.Add(own.low, false);
      all.Add(own.high, false);
    }
    for (size_t k = 0; k < figure_.panes.size(); ++k) {
      const Pane& pane = figure_.panes[k];
      PaneLayout& out = layout_.panes[k];
      const bool common = figure_.common_x && figure_.panes.size() > 1;
      out.x = FindScale(pane.x, common ? all : RangeOf(pane, true), right_edge_ - left_, kXSpacing,
                        pane.equal ? 0.06 : 0);
      out.x_numbers = !SharedX(k);
      if (out.x_numbers) out.x_label = LabelText(pane.x.label, out.x.unit);
    }
  }

  // The number under the last tick may reach beyond the axis, but not beyond the figure.
  void KeepLastNumber() {
    double beyond = 0;
    for (const PaneLayout& pane : layout_.panes) {
      if (!pane.x_numbers || pane.x.ticks.empty()) continue;
      const Tick& last = pane.x.ticks.back();
      const double end =
          left_ + pane.x.Place(last.value) * (right_edge_ - left_) + TextWidth(last.label, kNumberSize) / 2;
      beyond = std::max(beyond, end - (figure_.width - 2));
    }
    if (beyond <= 0) return;
    right_edge_ = std::max(right_edge_ - beyond, left_ + 60);
    ScaleX();
  }

  void PlaceTitle() {
    if (figure_.title.empty()) return;
    const double room = figure_.width - 2 * kMargin;
    layout_.title = Wrapped(figure_.title, kTitleSize, room);
    double widest = 0;
    for (const std::string& line : layout_.title)
      widest = std::max(widest, TextWidth(line, kTitleSize, true));
    const double reach = std::min(widest, room) / 2;
    layout_.title_middle =
        std::clamp((left_ + right_edge_) / 2, kMargin + reach, figure_.width - kMargin - reach);
  }

  void PlaceRows() {
    double y = kMargin;
    if (!layout_.title.empty())
      y += kTitleSize + 10 + kTitleLine * static_cast<double>(layout_.title.size() - 1);
    for (size_t k = 0; k < layout_.panes.size(); ++k) {
      PaneLayout& pane = layout_.panes[k];
      if (!pane.title.empty()) y += kLabelSize + 6;
      if (!right_) y += kLegendLine * lines_[k] + (lines_[k] > 0 ? 2 : 0);
      y += k == 0 ? 4 : 0;
      pane.box = {left_, y, right_edge_, y + heights_[k]};
      y = pane.box.bottom;
      if (pane.x_numbers) y += kTickLength + kNumberSize + 8;
      if (!pane.x_label.empty()) y += kLabelSize + 6;
      if (k + 1 < layout_.panes.size()) y += pane.x_numbers ? 12 : 14;
    }
    layout_.height = std::ceil(y + kMargin);
  }

  // The axis on which a unit is longer gets a longer range.
  void MakeEqual(size_t k) {
    PaneLayout& out = layout_.panes[k];
    if (out.x.log || out.y.log) return;
    const double per_x = (out.x.high - out.x.low) / out.box.width(),
                 per_y = (out.y.high - out.y.low) / out.box.height();
    const auto widen = [&](AxisScale* scale, const Axis& axis, double pixels, double per, double spacing) {
      const double middle = (scale->low + scale->high) / 2, half = per * pixels / 2;
      *scale = ScaleOver(axis, middle - half, middle + half, pixels, spacing);
    };
    const Pane& pane = figure_.panes[k];
    if (per_x < per_y)
      widen(&out.x, pane.x, out.box.width(), per_y, kXSpacing);
    else
      widen(&out.y, pane.y, out.box.height(), per_x, kYSpacing);
    out.y_label = LabelText(labels_[k], out.y.unit);
    if (out.x_numbers) out.x_label = LabelText(pane.x.label, out.x.unit);
  }

  void PlaceLegend(size_t k) {
    PaneLayout& pane = layout_.panes[k];
    double x = pane.box.left, y = pane.box.top - kLegendLine * lines_[k] + kLegendLine / 2 - 3;
    if (right_) {
      x = pane.box.right + 14;
      y = pane.box.top + kLegendLine / 2;
    }
    for (LegendEntry& entry : pane.legend) {
      const double width = EntryWidth(entry);
      if (!right_ && x > pane.box.left && x + width > pane.box.left + figure_.width - 100) {
        x = pane.box.left;
        y += kLegendLine;
      }
      entry.at = {x, y};
      if (right_)
        y += kLegendLine;
      else
        x += width + kEntryGap;
    }
  }

  const Figure& figure_;
  PlotLayout layout_;
  std::vector<double> heights_, lines_;  // by pane: of the box; lines of the legend above it
  std::vector<std::string> labels_;      // by pane, without the unit
  bool right_ = false;                   // legends stand right of the panes
  bool labelled_ = false;
  double legend_width_ = 0, numbers_ = 0, left_ = 0, right_edge_ = 0;
};

}  // namespace

PlotLayout FindPlotLayout(const Figure& figure) {
  return LayoutFinder(figure).Find();
}

}  // namespace cotree
