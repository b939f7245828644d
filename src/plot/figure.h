// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cotree {

enum class Dash : uint8_t { kAuto, kSolid, kDashed, kDashDot, kDotted };
enum class Marker : uint8_t { kNone, kCircle, kCross };

/** A curve: x and y have one length. What is not finite, or not positive on a logarithmic axis, is a gap. */
struct Series {
  std::string name{};  // in the legend; empty: not there
  std::vector<double> x{}, y{};
  bool steps = false;  // holds its value up to the next x
  bool line = true;    // joins its points
  Marker marker = Marker::kNone;
  std::optional<size_t> colour{};  // number in the palette; otherwise by its place in the pane
  Dash dash = Dash::kAuto;         // otherwise by its place in the pane
  bool backdrop = false;           // wide and pale: what the others are held against
};

struct Axis {
  std::string label{};  // without the unit
  std::string unit{};   // as Cotree writes units, "N*m"; shown as N·m, with a prefix where that helps
  bool log = false;
  bool whole = false;                   // no ticks between whole numbers: switches, counters
  std::optional<double> low{}, high{};  // otherwise by the data
};

/** Something that happens at an x: a thin vertical tick. */
struct Mark {
  double x = 0;
  std::string text{};  // tooltip
};

/** A distance that is told: from `low` to `high` at an x, with words beside it (the margins of a loop). */
struct UprightSpan {
  double x = 0, low = 0, high = 0;
  std::string text{};
};

struct Pane {
  std::string title{};
  Axis x{}, y{};
  std::vector<Series> series{};
  std::vector<Mark> marks{};
  std::vector<UprightSpan> spans{};
  std::vector<double> levels{};  // y of thin horizontal lines: 0 dB, -180 degrees
  bool equal = false;            // one unit of x is as long as one of y (Nyquist, root locus)
  double share = 1;              // of the height, relative to the other panes
};

/** A drawing: panes under each other, their axes aligned. Nothing in it depends on fonts or files: the same
figure gives the same bytes. Where each pane has a single series and no label on
its y axis, the axes are labelled with their names; otherwise names stand in a legend above each pane, or
right of all panes if there are many, never on data. */
struct Figure {
  std::string title{};
  double width = 720;    // pixels, 96 to the inch
  double height = 0;     // 0: by the number of panes
  bool common_x = true;  // all panes show the range of x that covers all; numbers below the last one only
  std::vector<Pane> panes{};
};

}  // namespace cotree
