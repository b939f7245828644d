// SPDX-License-Identifier: Apache-2.0
#include "plot/plot_result.h"

#include <algorithm>
#include <cmath>

namespace cotree {
namespace {

double Largest(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  }
  return largest;
}

// Whether it only takes a few whole values, as a switch or a gear does.
bool IsSwitch(const Series& series) {
  return series.steps && std::all_of(series.y.begin(), series.y.end(), [](double value) {
           return value == std::floor(value) && std::fabs(value) < 10;
         });
}

/* What decides whether two variables may share a pane. */
struct Kind {
  std::string unit;
  bool stepwise = false;
  double size = 0;

  bool Shares(const Kind& other) const {
    if (unit != other.unit) return false;
    if (!unit.empty()) return true;
    const double small = std::min(size, other.size), large = std::max(size, other.size);
    return stepwise == other.stepwise && (large <= 10 * small || small == 0);
  }
};

}  // namespace

Figure FigureOfResult(const std::vector<PlottedRun>& runs, const std::vector<std::string>& names,
                      std::string title) {
  Figure figure;
  figure.title = std::move(title);
  std::vector<Kind> kinds;  // by pane
  for (const std::string& name : names) {
    size_t pane = kinds.size(), colour = 0;
    for (size_t r = 0; r < runs.size(); ++r) {
      const Result& result = *runs[r].result;
      const auto column = result.header.Find(name);
      if (!column) continue;
      const ResultColumn& about = result.header.columns[*column];
      ResultCurve curve = CurveOf(result, *column);
      Series series{name, std::move(curve.times), std::move(curve.values), about.stepwise};
      if (pane == kinds.size()) {
        const Kind kind{about.unit, about.stepwise, Largest(series.y)};
        const auto shared =
            std::find_if(kinds.begin(), kinds.end(), [&](const Kind& k) { return k.Shares(kind); });
        pane = static_cast<size_t>(shared - kinds.begin());
        if (shared == kinds.end()) {
          kinds.push_back(kind);
          figure.panes.emplace_back();
          figure.panes.back().y.unit = about.unit;
        }
        for (const Series& other : figure.panes[pane].series) colour = std::max(colour, *other.colour + 1);
      }
      series.colour = colour;
      if (runs.size() > 1) {
        series.name += " (" + runs[r].label + ")";
        series.dash = r == 0 ? Dash::kSolid : Dash::kDashed;
        series.backdrop = r == 0;
      }
      figure.panes[pane].series.push_back(std::move(series));
    }
  }
  for (Pane& pane : figure.panes) {
    pane.x = {.label = "time", .unit = "s"};
    if (std::all_of(pane.series.begin(), pane.series.end(), IsSwitch)) {
      pane.y.whole = true;
      pane.share = 0.5;
    }
    if (runs.empty()) continue;
    // More than that is a grey bar that says nothing.
    constexpr size_t kMostMarks = 150;
    if (runs[0].result->events.size() <= kMostMarks) {
      for (const ResultEvent& event : runs[0].result->events) pane.marks.push_back({event.time, event.text});
    }
  }
  return figure;
}

}  // namespace cotree
