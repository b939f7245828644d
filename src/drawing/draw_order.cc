// SPDX-License-Identifier: Apache-2.0
#include "drawing/draw_order.h"

#include <algorithm>
#include <cmath>

#include "base/plural.h"
#include "base/text_metric.h"
#include "drawing/picture.h"
#include "drawing/svg_legend.h"
#include "drawing/svg_text.h"

namespace cotree {
namespace {

constexpr size_t kMostRows = 1500;      // more cannot be seen
constexpr size_t kMostLabels = 60;      // rows and columns with names
constexpr double kLabelledCell = 14;    // pixels
constexpr double kWidestPattern = 840;  // of a pattern without names
constexpr double kAxisSize = 9;         // of the names
constexpr size_t kAxisLength = 34;      // their characters
constexpr double kMargin = 16, kGap = 44;
constexpr const char* kOther = "#a9b4bf";  // a variable that an equation only uses
constexpr const char* kTear = "#ffd02e";

const char* ColourOf(BlockKind kind) {
  switch (kind) {
    case BlockKind::kExplicit:
      return "#1f6fd6";
    case BlockKind::kSum:
      return "#5a6b7b";
    case BlockKind::kSoftware:
      return kSignalColour;
    case BlockKind::kLinearConstant:
      return "#0a8f8f";
    case BlockKind::kLinear:
      return "#3c8c2a";
    case BlockKind::kNonlinear:
      return "#d23b2f";
  }
  return kOther;
}

std::string Rect(const char* attributes, const Box& box, const std::string& title = {}) {
  return std::string("<rect ") + attributes + " x=\"" + Number(box.left) + "\" y=\"" + Number(box.top) +
         "\" width=\"" + Number(box.right - box.left) + "\" height=\"" + Number(box.bottom - box.top) + "\"" +
         (title.empty() ? "/>" : "><title>" + Escaped(title) + "</title></rect>");
}

/** One entry: an equation and an unknown in it, as places in an order of rows and of columns. */
class OrderDrawer {
 public:
  explicit OrderDrawer(const Program& program)
      : program_(program),
        sorted_(*program.sorted),
        system_(*sorted_.system),
        count_(sorted_.equations.size()) {
    cell_ = count_ <= kMostLabels ? kLabelledCell : kWidestPattern / static_cast<double>(count_);
    block_of_.resize(count_);
    sorted_place_.resize(count_);
    for (uint32_t b = 0; b < sorted_.blocks(); ++b) {
      for (const uint32_t k : sorted_.Block(b)) block_of_[k] = b;
    }
    for (uint32_t i = 0; i < count_; ++i) sorted_place_[sorted_.block_equations[i]] = i;
    // Unknowns as they were declared: slots in order, those with an equation.
    declared_.assign(sorted_.slots(), UINT32_MAX);
    uint32_t place = 0;
    for (uint32_t slot = 0; slot < sorted_.slots(); ++slot) {
      if (sorted_.equation_of_slot[slot] != UINT32_MAX) declared_[slot] = place++;
    }
    texts_.reserve(count_);
    for (uint32_t k = 0; k < count_; ++k) texts_.push_back(sorted_.EquationText(k));
  }

  std::string Draw() {
    const double size = cell_ * static_cast<double>(count_);
    double rows = 0, columns = 0;  // room for the names
    if (Labelled()) {
      for (uint32_t k = 0; k < count_; ++k) {
        rows = std::max(rows, TextWidth(RowName(k), kAxisSize) + 6);
        columns = std::max(columns, TextWidth(ColumnName(k), kAxisSize) + 6);
      }
    }
    const double top = kMargin + 24 + 22 + columns;
    const double left = kMargin + rows, right = left + size + kGap + rows;
    std::string body =
        SvgText({kMargin, kMargin + 12}, Shortened(TitleOf(*system_.model, *system_.graph), kTitleLength),
                kTitleSize, "start", "#222222", true) +
        "\n";
    const std::string counts = Plural(count_, "equation");
    const std::string blocks = Plural(sorted_.blocks(), "block");
    body += Heading({kMargin, kMargin + 36}, "as written: " + counts);
    body += Heading({right - rows, kMargin + 36}, "in the order of computation: " + blocks);
    body += Pattern("before", {left, top}, false);
    body += Pattern("after", {right, top}, true);
    const double width = std::max(right + size - kMargin, 480.0);
    const Legend legend = WriteKinds({kMargin, top + size + 16}, width);
    body += legend.svg;
    return SvgPage({0, 0, kMargin + std::max(width, legend.width) + kMargin, legend.bottom + kMargin},
                   TitleOf(*system_.model, *system_.graph), body);
  }

 private:
  bool Labelled() const { return count_ <= kMostLabels; }
  uint32_t SlotOf(uint32_t k) const { return sorted_.slot_of_equation[k]; }
  std::string RowName(uint32_t k) const {
    return Shortened(system_.EquationOrigin(sorted_.equations[k].equation), kAxisLength);
  }
  std::string ColumnName(uint32_t k) const { return Shortened(sorted_.SlotName(SlotOf(k)), kAxisLength); }
  BlockKind KindOf(uint32_t k) const { return program_.kind_of_block[block_of_[k]]; }
  uint32_t RowPlace(uint32_t k, bool after) const { return after ? sorted_place_[k] : k; }
  uint32_t ColumnPlace(uint32_t slot, bool after) const {
    return after ? sorted_place_[sorted_.equation_of_slot[slot]] : declared_[slot];
  }
  Box Cells(Point at, uint32_t row, uint32_t column, uint32_t count = 1) const {
    return {at.x + column * cell_, at.y + row * cell_, at.x + (column + count) * cell_,
            at.y + (row + count) * cell_};
  }
  static std::string Heading(Point at, const std::string& text) {
    return SvgText(at, text, kLabelSize, "start", "#555555") + "\n";
  }

  std::string Pattern(const char* name, Point at, bool after) const {
    const double size = cell_ * static_cast<double>(count_);
    std::string out = std::string("<g class=\"") + name + "\">\n";
    out += Rect("fill=\"#fbfcfd\" stroke=\"#c4ccd4\"", {at.x, at.y, at.x + size, at.y + size}) + "\n";
    if (Labelled()) out += Grid(at, size) + Names(at, after);
    if (after) out += Blocks(at);
    out += Entries(at, after);
    return out + "</g>\n";
  }

  std::string Grid(Point at, double size) const {
    std::string path;
    for (uint32_t k = 1; k < count_; ++k) {
      path += "M" + Pair({at.x, at.y + k * cell_}) + "h" + Number(size);
      path += "M" + Pair({at.x + k * cell_, at.y}) + "v" + Number(size);
    }
    return path.empty() ? "" : "<path d=\"" + path + "\" stroke=\"#e9edf1\" stroke-width=\"0.7\"/>\n";
  }

  std::string Names(Point at, bool after) const {
    std::string out;
    for (uint32_t k = 0; k < count_; ++k) {
      const double row = at.y + (RowPlace(k, after) + 0.5) * cell_ + kAxisSize * 0.36;
      out += "<g class=\"equation\"><title>" + Escaped(texts_[k]) + "</title>" +
             SvgText({at.x - 5, row}, RowName(k), kAxisSize, "end", "#444444") + "</g>";
      const Point top{at.x + (ColumnPlace(SlotOf(k), after) + 0.5) * cell_ + kAxisSize * 0.36, at.y - 5};
      out += "<g class=\"unknown\" transform=\"translate(" + Pair(top) + ") rotate(-90)\">" +
             SvgText({0, 0}, ColumnName(k), kAxisSize, "start", "#444444") + "</g>\n";
    }
    return out;
  }

  // A shade, the columns of torn unknowns, an outline.
  std::string Blocks(Point at) const {
    std::string out;
    for (uint32_t b = 0; b < sorted_.blocks(); ++b) {
      const auto equations = sorted_.Block(b);
      const BlockKind kind = program_.kind_of_block[b];
      const Box box =
          Cells(at, sorted_.block_first[b], sorted_.block_first[b], static_cast<uint32_t>(equations.size()));
      const std::string colour = ColourOf(kind);
      const std::string attributes = "class=\"block\" data-block=\"" + std::to_string(b + 1) +
                                     "\" data-kind=\"" + std::string(BlockKindName(kind)) + "\" fill=\"" +
                                     colour + "\" fill-opacity=\"0.16\" stroke=\"" + colour +
                                     "\" stroke-width=\"" + (cell_ < 3 ? "0.5" : "1.2") + "\"";
      std::string title = "block " + std::to_string(b + 1) + ", " + std::string(BlockKindName(kind));
      if (equations.size() > 1) title += ", " + std::to_string(equations.size()) + " unknowns";
      out += Rect(attributes.c_str(), box, title) + "\n";
    }
    program_.OverImplicit([&](const ImplicitBlock& block) {
      if (block.tearing.tears.size() == block.unknowns.size()) return;
      const uint32_t first = sorted_.block_first[block.block];
      const double bottom = at.y + (first + static_cast<double>(block.unknowns.size())) * cell_;
      for (const uint32_t tear : block.tearing.tears) {
        const uint32_t column = ColumnPlace(block.unknowns[tear], true);
        out += Rect(("class=\"tear\" fill=\"" + std::string(kTear) + "\" fill-opacity=\"0.55\"").c_str(),
                    {at.x + column * cell_, at.y + first * cell_, at.x + (column + 1) * cell_, bottom},
                    "torn: " + sorted_.SlotName(block.unknowns[tear])) +
               "\n";
      }
    });
    return out;
  }

  std::string Entries(Point at, bool after) const {
    std::string out;
    const double inset = cell_ >= 8 ? 2 : cell_ >= 4 ? 0.5 : 0;
    std::vector<uint32_t> slots;
    for (uint32_t row = 0; row < count_; ++row) {
      const uint32_t k = after ? sorted_.block_equations[row] : row;
      slots.clear();
      sorted_.OverUses(k, [&](uint32_t v, uint32_t order) {
        const uint32_t slot = sorted_.Slot({v, order});
        if (sorted_.equation_of_slot[slot] != UINT32_MAX) slots.push_back(slot);
      });
      std::sort(slots.begin(), slots.end());
      slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
      for (const uint32_t slot : slots) {
        const uint32_t other = sorted_.equation_of_slot[slot];
        const bool own = slot == SlotOf(k), together = block_of_[other] == block_of_[k];
        Box box = Cells(at, row, ColumnPlace(slot, after));
        box = {box.left + inset, box.top + inset, box.right - inset, box.bottom - inset};
        const std::string attributes = std::string("class=\"cell") + (own ? " own" : "") + "\" fill=\"" +
                                       (own || together ? ColourOf(KindOf(k)) : kOther) + "\"" +
                                       (together && !own ? " fill-opacity=\"0.55\"" : "") +
                                       (cell_ >= 8 ? " rx=\"2\"" : "");
        out += Rect(attributes.c_str(), box,
                    sorted_.SlotName(slot) + (own ? " is computed from" : " occurs in") + "\n" + texts_[k]) +
               "\n";
      }
    }
    return out;
  }

  Legend WriteKinds(Point at, double width) const {
    LegendWriter legend(at, width);
    const auto square = [](const std::string& attributes) {
      return [attributes](Point p) { return Rect(attributes.c_str(), {p.x, p.y - 5, p.x + 10, p.y + 5}); };
    };
    for (const BlockKind kind : {BlockKind::kExplicit, BlockKind::kSum, BlockKind::kSoftware,
                                 BlockKind::kLinearConstant, BlockKind::kLinear, BlockKind::kNonlinear}) {
      const auto blocks = std::count(program_.kind_of_block.begin(), program_.kind_of_block.end(), kind);
      if (blocks == 0) continue;
      legend.Add(std::string(BlockKindName(kind)) + ": " + std::to_string(blocks), 10,
                 square("rx=\"2\" fill=\"" + std::string(ColourOf(kind)) + "\""));
    }
    legend.NewRow();
    legend.Add("coloured: what the equation is solved for", 10, [&](Point p) {
      return Rect("rx=\"2\" fill=\"none\" stroke=\"#555555\"", {p.x, p.y - 5, p.x + 10, p.y + 5});
    });
    legend.Add("also occurs", 10, square("rx=\"2\" fill=\"" + std::string(kOther) + "\""));
    bool torn = false;
    program_.OverImplicit(
        [&](const ImplicitBlock& b) { torn = torn || b.tearing.tears.size() < b.unknowns.size(); });
    if (torn)
      legend.Add("torn: guessed first", 10,
                 square("fill=\"" + std::string(kTear) + "\" fill-opacity=\"0.7\""));
    return legend.Finish();
  }

  const Program& program_;
  const SortedSystem& sorted_;
  const EquationSystem& system_;
  size_t count_;
  double cell_;
  std::vector<uint32_t> block_of_, sorted_place_;  // by sorted equation
  std::vector<uint32_t> declared_;                 // by slot: its column before sorting
  std::vector<std::string> texts_;                 // by sorted equation
};

}  // namespace

Drawing DrawOrder(const Program& program) {
  const size_t count = program.sorted->equations.size();
  Drawing drawing;
  if (count > kMostRows)
    drawing.problem = "the system has " + std::to_string(count) +
                      " equations, too many for a drawing (at most " + std::to_string(kMostRows) +
                      "): use --format json";
  else
    drawing.svg = OrderDrawer(program).Draw();
  return drawing;
}

}  // namespace cotree
