// SPDX-License-Identifier: Apache-2.0
// Markdown, and XHTML with MathML.
#include "base/xml_text.h"
#include "document/formula_lines.h"
#include "document/write_document.h"
#include "expr/print_latex.h"
#include "expr/print_mathml.h"

namespace cotree {
namespace {

class MarkdownWriter {
 public:
  explicit MarkdownWriter(const Document& document) : document_(document) {
    print_.digits = document.digits;
    print_.main_letter = document.main_letter;
  }
  std::string Run() {
    out_ = "# " + Plain(document_.title) + "\n";
    if (!document_.description.empty()) out_ += "\n" + Plain(document_.description) + "\n";
    for (const DocumentSection& section : document_.sections) {
      if (!section.title.empty()) out_ += "\n## " + Plain(section.title) + "\n";
      for (const DocumentItem& item : section.items) Write(item);
    }
    return std::move(out_);
  }

 private:
  void Write(const DocumentItem& item) {
    out_ += "\n";
    std::visit([&](const auto& kind) { WriteItem(kind); }, item.any());
  }
  std::string Formula(ExprId expr) const { return PrintLatex(*document_.pool, expr, print_); }
  // Markdown passes HTML on: outside of `code` it is escaped, within it stands for itself.
  static std::string Plain(std::string_view text) {
    std::string out;
    bool code = false;
    for (size_t k = 0; k < text.size(); ++k) {
      const char c = text[k];
      if (c == '`') code = code ? false : text.find('`', k + 1) != std::string_view::npos;
      const bool markup = !code && (c == '<' || c == '>' || c == '&');
      out += markup ? Escaped(std::string_view(&c, 1)) : std::string(1, c);
    }
    return out;
  }
  static std::string Cell(const std::string& plain) {
    std::string text = Plain(plain);
    for (size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
      text.insert(at, "\\");
    return text;
  }

  void WriteItem(const TextItem& item) { out_ += Plain(item.text) + "\n"; }
  void WriteItem(const ListItem& item) {
    for (const std::string& text : item.items) out_ += "- " + Plain(text) + "\n";
  }
  void WriteItem(const TableItem& item) {
    out_ += "|";
    for (const std::string& column : item.columns) out_ += " " + Cell(column) + " |";
    out_ += "\n|";
    for (const char c : item.alignment) out_ += c == 'r' ? "---:|" : "---|";
    out_ += "\n";
    for (const TableItem::Row& row : item.rows) {
      out_ += "|";
      for (const TableCell& cell : row.cells)
        out_ += " " + (cell.is_formula() ? "$" + Formula(cell.formula) + "$" : Cell(cell.text)) + " |";
      out_ += "\n";
    }
  }
  void WriteItem(const EquationsItem& item) {
    if (item.rows.empty()) return;
    out_ += "$$\n\\begin{aligned}\n";
    for (const EquationsItem::Row& row : item.rows) {
      out_ += (row.left.IsNone() ? "0" : Formula(row.left)) + " &= ";
      const std::vector<std::string> lines = LatexLines(*document_.pool, row.right, print_);
      for (size_t i = 0; i < lines.size(); ++i) out_ += (i > 0 ? " \\\\\n & \\quad " : "") + lines[i];
      out_ += " \\\\\n";
    }
    out_ += "\\end{aligned}\n$$\n";
  }
  void WriteItem(const MatrixItem& item) {
    out_ += "$$\n" + LatexMatrix(*document_.pool, item, print_) + "\n$$\n";
  }
  void WriteItem(const PictureItem& item) { WriteItem(CodeItem{item.text}); }
  void WriteItem(const PatternItem& item) {
    out_ += Plain(item.title) + ": " + std::to_string(item.rows.size()) + " equations, " +
            std::to_string(item.cells.size()) + " entries.\n";
  }
  void WriteItem(const CodeItem& item) {
    // A fence longer than any within.
    std::string fence = "```";
    while (item.text.find(fence) != std::string::npos) fence += "`";
    if (!item.text.empty()) out_ += fence + "\n" + item.text + "\n" + fence + "\n";
  }
  void WriteItem(const PlotItem& item) { out_ += Plain(item.title) + " (a picture in the HTML form).\n"; }
  void WriteItem(const EnergyItem&) { out_ += "Power and energy over time: a picture in the HTML form.\n"; }
  void WriteItem(const DetailsItem& item) {
    out_ += "### " + Plain(item.title) + "\n";
    for (const DocumentItem& inner : item.items) Write(inner);
  }

  const Document& document_;
  PrintOptions print_;
  std::string out_;
};

class MathmlWriter {
 public:
  explicit MathmlWriter(const Document& document) : document_(document) {
    print_.digits = document.digits;
    print_.main_letter = document.main_letter;
  }
  std::string Run() {
    out_ =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE html>\n<html "
        "xmlns=\"http://www.w3.org/1999/xhtml\" "
        "lang=\"en\">\n<head><meta charset=\"utf-8\"/><title>" +
        Escaped(document_.title) +
        "</title>\n<style>body{font-family:sans-serif;max-width:70em;margin:2em auto}td,th{padding:.1em "
        ".8em;text-align:left}td.r{text-align:right}math{font-size:1.15em}pre{overflow:auto}</style></"
        "head>\n<body>\n<h1>" +
        Escaped(document_.title) + "</h1>\n";
    if (!document_.description.empty()) out_ += "<p>" + Text(document_.description) + "</p>\n";
    for (const DocumentSection& section : document_.sections) {
      if (!section.title.empty()) out_ += "<h2>" + Escaped(section.title) + "</h2>\n";
      for (const DocumentItem& item : section.items) Write(item);
    }
    return out_ + "</body>\n</html>\n";
  }

 private:
  void Write(const DocumentItem& item) {
    std::visit([&](const auto& kind) { WriteItem(kind); }, item.any());
  }
  // The inside of a <math> element.
  std::string Inside(ExprId expr) const {
    const std::string whole = PrintMathml(*document_.pool, expr, print_);
    const size_t begin = whole.find('>') + 1, end = whole.rfind("</math>");
    return end == std::string::npos ? whole : whole.substr(begin, end - begin);
  }
  static std::string Math(const std::string& inside) {
    return "<math xmlns=\"http://www.w3.org/1998/Math/MathML\">" + inside + "</math>";
  }
  static std::string Text(std::string_view text) {
    std::string out;
    bool code = false;
    for (const char c : text) {
      if (c == '`') {
        out += code ? "</code>" : "<code>";
        code = !code;
      } else {
        out += static_cast<uint8_t>(c) < 0x80 ? Escaped(std::string_view(&c, 1)) : std::string(1, c);
      }
    }
    return out + (code ? "</code>" : "");
  }

  void WriteItem(const TextItem& item) { out_ += "<p>" + Text(item.text) + "</p>\n"; }
  void WriteItem(const ListItem& item) {
    out_ += "<ul>\n";
    for (const std::string& text : item.items) out_ += "<li>" + Text(text) + "</li>\n";
    out_ += "</ul>\n";
  }
  void WriteItem(const TableItem& item) {
    out_ += "<table>\n<tr>";
    for (const std::string& column : item.columns) out_ += "<th>" + Text(column) + "</th>";
    out_ += "</tr>\n";
    for (const TableItem::Row& row : item.rows) {
      out_ += "<tr>";
      for (size_t k = 0; k < row.cells.size(); ++k) {
        const TableCell& cell = row.cells[k];
        out_ += (item.alignment[k] == 'r' ? "<td class=\"r\">" : "<td>") +
                (cell.is_formula() ? Math(Inside(cell.formula)) : Text(cell.text)) + "</td>";
      }
      out_ += "</tr>\n";
    }
    out_ += "</table>\n";
  }
  void WriteItem(const EquationsItem& item) {
    for (const EquationsItem::Row& row : item.rows) {
      out_ += "<p>" +
              Math("<mrow>" + (row.left.IsNone() ? std::string("<mn>0</mn>") : Inside(row.left)) +
                   "<mo>=</mo>" + Inside(row.right) + "</mrow>") +
              "</p>\n";
    }
  }
  void WriteItem(const MatrixItem& item) {
    std::string inside = "<mrow><mi>" + Escaped(item.name) + "</mi><mo>=</mo><mo>[</mo><mtable>";
    for (const auto& row : item.entries) {
      inside += "<mtr>";
      for (const ExprId entry : row) inside += "<mtd>" + Inside(entry) + "</mtd>";
      inside += "</mtr>";
    }
    out_ += "<p>" + Math(inside + "</mtable><mo>]</mo></mrow>") + "</p>\n";
  }
  void WriteItem(const PictureItem& item) {
    if (!item.svg.empty())
      out_ += "<figure>" + item.svg + "</figure>\n";
    else
      WriteItem(CodeItem{item.text});
  }
  void WriteItem(const PatternItem& item) { out_ += "<p>" + Text(item.title) + "</p>\n"; }
  void WriteItem(const CodeItem& item) { out_ += "<pre>" + Escaped(item.text) + "</pre>\n"; }
  void WriteItem(const PlotItem& item) { out_ += "<p>" + Text(item.title) + "</p>\n"; }
  void WriteItem(const EnergyItem&) { out_ += "<p>Power and energy over time: in the HTML form.</p>\n"; }
  void WriteItem(const DetailsItem& item) {
    out_ += "<details><summary>" + Text(item.title) + "</summary>\n";
    for (const DocumentItem& inner : item.items) Write(inner);
    out_ += "</details>\n";
  }

  const Document& document_;
  PrintOptions print_;
  std::string out_;
};

}  // namespace

std::string WriteMarkdown(const Document& document) {
  return MarkdownWriter(document).Run();
}
std::string WriteMathml(const Document& document) {
  return MathmlWriter(document).Run();
}

}  // namespace cotree
