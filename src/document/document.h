// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "expr/expr_pool.h"

namespace cotree {

/** What is said about a system, apart from how it is written: text, LaTeX, HTML, MathML, Markdown, JSON
(write_*.h). Formulas are expressions in the short names of `pool`. A component by its path, wherever
something belongs to one: pages mark it everywhere at once. */

struct TextItem {
  std::string text;  // `code` between backquotes
  std::string component{};
};
struct ListItem {
  std::vector<std::string> items;
};

/** Text, or a formula. */
struct TableCell {
  std::string text{};
  ExprId formula{};
  bool is_formula() const { return !formula.IsNone(); }
};
struct TableItem {
  struct Row {
    std::vector<TableCell> cells;
    std::string component{};
  };
  std::vector<std::string> columns;
  std::string alignment;  // one letter a column: l or r
  std::vector<Row> rows;
};

struct EquationsItem {
  struct Row {
    ExprId left;  // none: `right` is the whole relation, or 0 = right
    ExprId right;
    std::string component{}, note{};
  };
  std::vector<Row> rows;
};

struct MatrixItem {
  struct Label {
    std::string text;  // if there is no formula
    ExprId formula{};
    std::string component{};
  };
  std::string name;  // "A"
  std::vector<Label> rows, columns;
  std::vector<std::vector<ExprId>> entries;
  bool symmetric = false;  // one of two equal entries is enough
};

/** An SVG picture; `text` for forms that have no pictures. */
struct PictureItem {
  std::string title, svg, text;
};

/** Which unknown occurs in which equation. */
struct PatternItem {
  struct Label {
    std::string text, component;
  };
  struct Block {
    uint32_t first, size;
    std::string kind;
  };
  std::string title;
  std::vector<Label> rows, columns;
  std::vector<std::pair<uint32_t, uint32_t>> cells;
  std::vector<Block> blocks;
};

struct CodeItem {
  std::string text;
};

struct PlotItem {
  struct Point {
    double time, value;
  };
  struct Curve {
    std::string name, unit, component;
    std::vector<double> values;     // not finite: a gap
    std::vector<Point> extremes{};  // between the times, in their order
  };
  struct Event {
    double time;
    std::string text;
  };
  std::string title;
  std::vector<double> times;
  std::vector<Curve> curves;
  std::vector<Event> events;
};

/** Power into the components of each connected part of the graph, and what they store. */
struct EnergyItem {
  struct Series {
    std::string component;
    std::vector<double> values;
  };
  struct Island {
    std::string name;
    std::vector<Series> powers;
  };
  std::vector<double> times;
  std::vector<Island> islands;
  std::vector<Series> stored;
};

struct DocumentItem;
/** Folded away where the form can do that. */
struct DetailsItem {
  std::string title;
  std::vector<DocumentItem> items;
};

using AnyItem = std::variant<TextItem, ListItem, TableItem, EquationsItem, MatrixItem, PictureItem,
                             PatternItem, CodeItem, PlotItem, EnergyItem, DetailsItem>;
struct DocumentItem : AnyItem {
  using AnyItem::AnyItem;
  const AnyItem& any() const { return *this; }
};

struct DocumentSection {
  std::string id, title;
  std::vector<DocumentItem> items;
};

struct DocumentComponent {
  std::string id, class_name, description;
  std::vector<std::string> domains;
  uint32_t line = 0;  // of the file; 0: it stands elsewhere
};

struct Document {
  const ExprPool* pool = nullptr;
  std::unordered_map<uint32_t, std::string> component_of;  // by symbol of order 0
  int digits = 6;                                          // of numbers in formulas; 0: all
  ExprId main_letter;  // sums are written by falling powers of it; none: by name
  std::string title, description, file;
  std::vector<DocumentComponent> components;
  std::vector<DocumentSection> sections;
};

}  // namespace cotree
