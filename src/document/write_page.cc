// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "base/json.h"
#include "base/xml_text.h"
#include "document/formula_lines.h"
#include "document/write_document.h"
#include "expr/print_latex.h"
#include "expr/print_text.h"

namespace cotree {
namespace {

constexpr size_t kMostLatex = 4000;  // characters of a formula on a page: nobody reads longer ones

class JsonWriter {
 public:
  explicit JsonWriter(const Document& document) : document_(document) {
    print_.digits = document.digits;
    print_.main_letter = document.main_letter;
    print_.components = &document.component_of;
    text_.unicode = true;
    text_.digits = document.digits;
    text_.main_letter = document.main_letter;
    text_.limit = 2 * kMostLatex;
  }
  Json Run() const {
    Json components = Json::array();
    for (const DocumentComponent& c : document_.components) {
      Json entry{
          {"id", c.id}, {"class", c.class_name}, {"description", c.description}, {"domains", c.domains}};
      if (c.line > 0) entry["line"] = c.line;
      components.push_back(std::move(entry));
    }
    Json sections = Json::array();
    for (const DocumentSection& section : document_.sections)
      sections.push_back({{"id", section.id}, {"title", section.title}, {"items", Items(section.items)}});
    return {
        {"schema", "cotree.report/1"},    {"title", document_.title},  {"description", document_.description},
        {"file", document_.file},         {"version", COTREE_VERSION}, {"components", std::move(components)},
        {"sections", std::move(sections)}};
  }

 private:
  Json Items(const std::vector<DocumentItem>& items) const {
    Json out = Json::array();
    for (const DocumentItem& item : items)
      out.push_back(std::visit([&](const auto& kind) { return ItemJson(kind); }, item.any()));
    return out;
  }
  std::string Latex(ExprId expr) const { return PrintLatex(*document_.pool, expr, print_); }
  std::string Text(ExprId expr) const { return PrintText(*document_.pool, expr, text_); }
  std::string EntryLatex(ExprId expr) const {
    const std::vector<std::string> lines = LatexLines(*document_.pool, expr, print_, kMostLatex);
    return lines.size() == 1 ? lines[0] : Latex(expr);
  }
  static void SetComponent(Json& json, const std::string& component) {
    if (!component.empty()) json["component"] = component;
  }
  // Long series in as many digits as a screen shows.
  static Json Numbers(const std::vector<double>& values) {
    Json out = Json::array();
    for (const double v : values) {
      if (!std::isfinite(v)) {
        out.push_back(nullptr);
        continue;
      }
      const double size = v == 0 ? 1 : std::pow(10, 6 - std::ceil(std::log10(std::fabs(v))));
      const double rounded = std::round(v * size) / size;
      out.push_back(std::isfinite(rounded) ? rounded : v);
    }
    return out;
  }

  Json ItemJson(const TextItem& item) const {
    Json out{{"kind", "text"}, {"text", item.text}};
    SetComponent(out, item.component);
    return out;
  }
  Json ItemJson(const ListItem& item) const { return {{"kind", "list"}, {"items", item.items}}; }
  Json ItemJson(const TableItem& item) const {
    Json columns = Json::array(), rows = Json::array();
    for (size_t k = 0; k < item.columns.size(); ++k)
      columns.push_back({{"title", item.columns[k]}, {"align", item.alignment[k] == 'r' ? "right" : "left"}});
    for (const TableItem::Row& row : item.rows) {
      Json cells = Json::array();
      for (const TableCell& cell : row.cells) {
        if (cell.is_formula())
          cells.push_back({{"latex", Latex(cell.formula)}, {"text", Text(cell.formula)}});
        else
          cells.push_back(cell.text);
      }
      Json entry{{"cells", std::move(cells)}};
      SetComponent(entry, row.component);
      rows.push_back(std::move(entry));
    }
    return {{"kind", "table"}, {"columns", std::move(columns)}, {"rows", std::move(rows)}};
  }
  Json ItemJson(const EquationsItem& item) const {
    Json rows = Json::array();
    for (const EquationsItem::Row& row : item.rows) {
      const std::vector<std::string> lines = LatexLines(*document_.pool, row.right, print_, kMostLatex);
      std::string right = lines[0];
      if (lines.size() > 1) {
        right = "\\begin{aligned}&" + lines[0];
        for (size_t k = 1; k < lines.size(); ++k) right += "\\\\&\\quad " + lines[k];
        right += "\\end{aligned}";
      }
      Json entry{{"left", row.left.IsNone() ? "0" : Latex(row.left)}, {"right", std::move(right)}};
      entry["text"] = (row.left.IsNone() ? "0" : Text(row.left)) + " = " + Text(row.right);
      SetComponent(entry, row.component);
      if (!row.note.empty()) entry["note"] = row.note;
      rows.push_back(std::move(entry));
    }
    return {{"kind", "equations"}, {"rows", std::move(rows)}};
  }
  Json LabelJson(const MatrixItem::Label& label) const {
    Json out{
        {"latex", label.formula.IsNone() ? "\\text{" + LatexText(label.text) + "}" : Latex(label.formula)}};
    SetComponent(out, label.component);
    return out;
  }
  Json ItemJson(const MatrixItem& item) const {
    Json rows = Json::array(), columns = Json::array(), entries = Json::array(), texts = Json::array();
    for (const MatrixItem::Label& label : item.rows) rows.push_back(LabelJson(label));
    for (const MatrixItem::Label& label : item.columns) columns.push_back(LabelJson(label));
    for (const auto& row : item.entries) {
      Json line = Json::array(), text = Json::array();
      for (const ExprId entry : row) {
        line.push_back(document_.pool->IsZero(entry) ? "" : EntryLatex(entry));
        text.push_back(Text(entry));
      }
      entries.push_back(std::move(line));
      texts.push_back(std::move(text));
    }
    return {{"kind", "matrix"},
            {"name", LatexOfName(item.name)},
            {"rows", std::move(rows)},
            {"columns", std::move(columns)},
            {"entries", std::move(entries)},
            {"texts", std::move(texts)}};
  }
  Json ItemJson(const PictureItem& item) const {
    if (item.svg.empty()) return {{"kind", "code"}, {"text", item.text}};
    return {{"kind", "graph"}, {"title", item.title}, {"svg", item.svg}};
  }
  Json ItemJson(const PatternItem& item) const {
    const auto labels = [](const std::vector<PatternItem::Label>& all) {
      Json out = Json::array();
      for (const PatternItem::Label& label : all) {
        Json entry{{"text", label.text}};
        SetComponent(entry, label.component);
        out.push_back(std::move(entry));
      }
      return out;
    };
    Json cells = Json::array(), blocks = Json::array();
    for (const auto& [row, column] : item.cells) cells.push_back({row, column});
    for (const PatternItem::Block& b : item.blocks)
      blocks.push_back({{"first", b.first}, {"size", b.size}, {"kind", b.kind}});
    return {{"kind", "pattern"},         {"title", item.title},
            {"rows", labels(item.rows)}, {"columns", labels(item.columns)},
            {"cells", std::move(cells)}, {"blocks", std::move(blocks)}};
  }
  Json ItemJson(const CodeItem& item) const { return {{"kind", "code"}, {"text", item.text}}; }
  Json ItemJson(const PlotItem& item) const {
    Json curves = Json::array(), events = Json::array();
    for (const PlotItem::Curve& c : item.curves) {
      Json entry{{"name", c.name}, {"unit", c.unit}, {"values", Numbers(c.values)}};
      SetComponent(entry, c.component);
      for (const PlotItem::Point& p : c.extremes) entry["extremes"].push_back({p.time, p.value});
      curves.push_back(std::move(entry));
    }
    for (const PlotItem::Event& e : item.events) events.push_back({{"time", e.time}, {"text", e.text}});
    return {{"kind", "plot"},
            {"title", item.title},
            {"x", {{"title", "time"}, {"unit", "s"}, {"values", Numbers(item.times)}}},
            {"curves", std::move(curves)},
            {"events", std::move(events)}};
  }
  Json ItemJson(const EnergyItem& item) const {
    Json islands = Json::array(), stored = Json::array();
    for (const EnergyItem::Island& island : item.islands) {
      Json components = Json::array();
      for (const EnergyItem::Series& s : island.powers)
        components.push_back({{"component", s.component}, {"power", Numbers(s.values)}});
      islands.push_back({{"name", island.name}, {"components", std::move(components)}});
    }
    for (const EnergyItem::Series& s : item.stored) {
      Json entry = {{"component", s.component}, {"values", Numbers(s.values)}};
      if (!s.name.empty()) entry["name"] = s.name;
      stored.push_back(std::move(entry));
    }
    return {{"kind", "energy"},
            {"times", Numbers(item.times)},
            {"islands", std::move(islands)},
            {"stored", std::move(stored)}};
  }
  Json ItemJson(const DetailsItem& item) const {
    return {{"kind", "details"}, {"title", item.title}, {"items", Items(item.items)}};
  }

  const Document& document_;
  PrintOptions print_, text_;
};

void ReplaceAll(std::string* text, std::string_view from, std::string_view to) {
  for (size_t at = text->find(from); at != std::string::npos; at = text->find(from, at + to.size()))
    text->replace(at, from.size(), to);
}

}  // namespace

Json WriteJson(const Document& document) {
  return JsonWriter(document).Run();
}

std::string WritePage(const Document& document, std::string_view script) {
  std::string data = WriteJson(document).dump();
  ReplaceAll(&data, "<", "\\u003c");
  std::string code(script);
  ReplaceAll(&code, "</script", "<\\/script");
  ReplaceAll(&code, "<!--", "\\x3c!--");
  std::string page = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Cotree">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:">
<title>)";
  page += Escaped(document.title) +
          "</title>\n</head>\n<body>\n<noscript>This report needs JavaScript.</noscript>\n";
  page += "<script type=\"application/json\" id=\"report\">" + data + "</script>\n<script>\n" + code +
          "</script>\n</body>\n</html>\n";
  return page;
}

}  // namespace cotree
