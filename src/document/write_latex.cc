// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/plural.h"
#include "document/formula_lines.h"
#include "document/write_document.h"
#include "expr/print_latex.h"

namespace cotree {

std::string LatexText(std::string_view text) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"→", "$\\to$"},    {"≤", "$\\le$"}, {"≥", "$\\ge$"},  {"·", "$\\cdot$"},  {"²", "$^2$"},
      {"−", "$-$"},       {"′", "$'$"},    {"φ", "$\\phi$"}, {"ω", "$\\omega$"}, {"τ", "$\\tau$"},
      {"…", "\\ldots{}"}, {"—", "---"},    {"–", "--"},      {"°", "$^\\circ$"}};
  std::string out;
  bool code = false;
  for (size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (c == '`') {
      out += code ? "}" : "\\texttt{";
      code = !code;
    } else if (c == '_' || c == '#' || c == '%' || c == '&' || c == '$' || c == '{' || c == '}') {
      out += '\\';
      out += c;
    } else if (c == '\\') {
      out += "\\textbackslash{}";
    } else if (c == '~') {
      out += "\\textasciitilde{}";
    } else if (c == '^') {
      out += "\\textasciicircum{}";
    } else if (static_cast<uint8_t>(c) < 0x80) {
      out += c;
    } else {
      bool found = false;
      for (const auto& [from, to] : kWords) {
        if (!text.substr(k).starts_with(from)) continue;
        out += to;
        k += from.size() - 1;
        found = true;
        break;
      }
      if (!found) {
        out += "?";
        while (k + 1 < text.size() && (static_cast<uint8_t>(text[k + 1]) & 0xC0) == 0x80) ++k;
      }
    }
  }
  return out + (code ? "}" : "");
}

namespace {

class LatexWriter {
 public:
  explicit LatexWriter(const Document& document) : document_(document) {
    print_.digits = document.digits;
    print_.main_letter = document.main_letter;
  }

  std::string Run() {
    out_ =
        "\\documentclass[10pt,a4paper]{article}\n\\usepackage[T1]{fontenc}\n\\usepackage{amsmath,amssymb,"
        "longtable,array,geometry,graphicx}\n\\geometry{margin=20mm}\n\\allowdisplaybreaks\n\\sloppy\n"
        "\\setcounter{MaxMatrixCols}{50}\n\\begin{document}\n";
    out_ += "\\section*{" + LatexText(document_.title) + "}\n";
    if (!document_.description.empty()) out_ += LatexText(document_.description) + "\n";
    for (const DocumentSection& section : document_.sections) {
      if (!section.title.empty()) out_ += "\n\\subsection*{" + LatexText(section.title) + "}\n";
      for (const DocumentItem& item : section.items) Write(item);
    }
    return out_ + "\\end{document}\n";
  }

 private:
  void Write(const DocumentItem& item) {
    out_ += "\n";
    std::visit([&](const auto& kind) { WriteItem(kind); }, item.any());
  }
  std::string Formula(ExprId expr) const { return PrintLatex(*document_.pool, expr, print_); }

  void WriteItem(const TextItem& item) { out_ += LatexText(item.text) + "\n"; }
  void WriteItem(const ListItem& item) {
    out_ += "\\begin{itemize}\n";
    for (const std::string& text : item.items) out_ += "\\item " + LatexText(text) + "\n";
    out_ += "\\end{itemize}\n";
  }
  void WriteItem(const TableItem& item) {
    out_ += "\\begin{longtable}{" + ColumnsOf(item) + "}\n";
    for (size_t k = 0; k < item.columns.size(); ++k)
      out_ += (k > 0 ? " & " : "") + LatexText(item.columns[k]);
    out_ += " \\\\ \\hline\n";
    for (const TableItem::Row& row : item.rows) {
      for (size_t k = 0; k < row.cells.size(); ++k) {
        const TableCell& cell = row.cells[k];
        out_ += (k > 0 ? " & " : "") +
                (cell.is_formula() ? "$" + Formula(cell.formula) + "$" : Breakable(LatexText(cell.text)));
      }
      out_ += " \\\\\n";
    }
    out_ += "\\end{longtable}\n";
  }
  // Paths may go on in the next line behind a point or an underline.
  static std::string Breakable(const std::string& text) {
    std::string out;
    for (size_t k = 0; k < text.size(); ++k) {
      out += text[k];
      const bool inside = k + 1 < text.size() && text[k + 1] != ' ';
      if (inside && (text[k] == '.' || (text[k] == '_' && k > 0 && text[k - 1] == '\\')))
        out += "\\allowbreak{}";
    }
    return out;
  }
  // Columns of a table that is too wide for the page are paragraphs, each of a width by what it holds.
  std::string ColumnsOf(const TableItem& item) const {
    constexpr double kRoom = 88;  // letters of text, room between columns taken off
    std::vector<double> widths;
    double sum = 0;
    for (size_t k = 0; k < item.alignment.size(); ++k) {
      double width = k < item.columns.size() ? static_cast<double>(item.columns[k].size()) : 0;
      for (const TableItem::Row& row : item.rows) {
        if (k >= row.cells.size()) continue;
        const TableCell& cell = row.cells[k];
        width = std::max(width, cell.is_formula() ? WidthOfLatex(Formula(cell.formula))
                                                  : static_cast<double>(cell.text.size()));
      }
      widths.push_back(width);
      sum += width + 2;
    }
    if (sum <= kRoom) return item.alignment;
    // Narrow ones as they are; the others share what is left.
    const double fair = kRoom / static_cast<double>(widths.size());
    double narrow = 0, wide = 0;
    for (const double width : widths) (width <= fair ? narrow : wide) += width + 2;
    std::string out;
    for (size_t k = 0; k < widths.size(); ++k) {
      if (widths[k] <= fair) {
        out += item.alignment[k];
        continue;
      }
      const double share = std::max(0.08, (widths[k] + 2) / wide * (kRoom - narrow) / kRoom * 0.97);
      out += ">{\\raggedright\\arraybackslash}p{" + std::to_string(share).substr(0, 5) + "\\linewidth}";
    }
    return out;
  }
  void WriteItem(const EquationsItem& item) {
    if (item.rows.empty()) return;
    out_ += "\\begin{align*}\n";
    double lefts = 0;  // all right sides begin behind the widest left side
    for (const EquationsItem::Row& row : item.rows)
      lefts = std::max(lefts, row.left.IsNone() ? 1 : WidthOfLatex(Formula(row.left)));
    for (size_t k = 0; k < item.rows.size(); ++k) {
      const EquationsItem::Row& row = item.rows[k];
      const std::string left = row.left.IsNone() ? "0" : Formula(row.left);
      out_ += left + " &= ";
      const std::vector<std::string> lines =
          LatexLines(*document_.pool, row.right, print_, kMostCharacters, kPage - lefts);
      for (size_t i = 0; i < lines.size(); ++i) out_ += (i > 0 ? " \\\\\n & \\quad " : "") + lines[i];
      if (!row.note.empty()) out_ += " \\\\\n & \\quad \\text{(" + LatexText(row.note) + ")}";
      out_ += k + 1 < item.rows.size() ? " \\\\\n" : "\n";
    }
    out_ += "\\end{align*}\n";
  }
  void WriteItem(const MatrixItem& item) {
    // Shrunk a little a matrix is still read; otherwise entry by entry, under the names of its rows and
    // columns.
    constexpr double kWidest = 1.6 * kPage;
    const std::string whole = LatexMatrix(*document_.pool, item, print_);
    const bool numbers = std::all_of(item.entries.begin(), item.entries.end(), [&](const auto& row) {
      return std::all_of(row.begin(), row.end(), [&](ExprId e) { return document_.pool->IsNumber(e); });
    });
    if (!numbers && WidthOfMatrix(item) > kWidest) {
      out_ += "$" + LatexOfName(item.name) + "$" + HeadingOf(item) + "\n";
      std::string lines;
      for (size_t i = 0; i < item.entries.size(); ++i) {
        for (size_t j = 0; j < item.entries[i].size(); ++j) {
          if (document_.pool->IsZero(item.entries[i][j]) || (item.symmetric && j < i)) continue;
          lines += (lines.empty() ? "" : " \\\\\n") +
                   ("{" + LatexOfName(item.name) + "}_{" + std::to_string(i + 1)) +
                   (item.columns.size() > 1 ? "," + std::to_string(j + 1) : "") + "} &= ";
          const std::vector<std::string> parts =
              LatexLines(*document_.pool, item.entries[i][j], print_, kMostCharacters, kPage - 6);
          for (size_t k = 0; k < parts.size(); ++k) lines += (k > 0 ? " \\\\\n & \\quad " : "") + parts[k];
        }
      }
      if (!lines.empty()) out_ += "\\begin{align*}\n" + lines + "\n\\end{align*}\n";
      return;
    }
    out_ +=
        "\\begin{equation*}\n\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{$"
        "\\displaystyle " +
        whole + "$}\n\\end{equation*}\n";
  }
  std::string LabelOf(const MatrixItem::Label& l) const {
    return l.formula.IsNone() ? LatexText(l.text) : "$" + Formula(l.formula) + "$";
  }
  double WidthOfMatrix(const MatrixItem& item) const {
    std::vector<double> widths(item.columns.size(), 0);
    double sum = 8;
    for (const auto& row : item.entries) {
      for (size_t j = 0; j < row.size() && j < widths.size(); ++j)
        widths[j] = std::max(widths[j], WidthOfLatex(Formula(row[j])) + 2);
    }
    for (const double width : widths) sum += width;
    return sum;
  }
  // " by (w_1', w_2'), symmetric; rows yaw, elbow:"
  std::string HeadingOf(const MatrixItem& item) const {
    std::string columns, rows;
    for (const MatrixItem::Label& l : item.columns) columns += (columns.empty() ? "" : ", ") + LabelOf(l);
    for (const MatrixItem::Label& l : item.rows) rows += (rows.empty() ? "" : ", ") + LabelOf(l);
    return (HasColumnLabels(item) ? " by (" + columns + ")" : "") + (item.symmetric ? ", symmetric" : "") +
           "; rows " + rows + ":";
  }
  void WriteItem(const PictureItem& item) { WriteItem(CodeItem{item.text}); }
  void WriteItem(const PatternItem& item) {
    out_ += LatexText(item.title) + ": " + Plural(item.rows.size(), "equation") + ", " +
            Plural(item.cells.size(), "entry", "entries") + ".\n";
  }
  void WriteItem(const CodeItem& item) {
    std::string plain;
    for (const char c : item.text) plain += static_cast<uint8_t>(c) < 0x80 ? std::string(1, c) : "";
    if (!plain.empty()) out_ += "{\\scriptsize\\begin{verbatim}\n" + plain + "\n\\end{verbatim}}\n";
  }
  void WriteItem(const PlotItem& item) { out_ += LatexText(item.title) + " (a picture in the HTML form).\n"; }
  void WriteItem(const EnergyItem&) { out_ += "Power and energy over time: a picture in the HTML form.\n"; }
  void WriteItem(const DetailsItem& item) {
    out_ += "\\subsubsection*{" + LatexText(item.title) + "}\n";
    for (const DocumentItem& inner : item.items) Write(inner);
  }

  static constexpr double kPage = 80;  // letters on a line
  static constexpr size_t kMostCharacters = 20000;

  const Document& document_;
  PrintOptions print_;
  std::string out_;
};

}  // namespace

std::string LatexMatrix(const ExprPool& pool, const MatrixItem& item, const PrintOptions& print) {
  const auto label = [&](const MatrixItem::Label& l) {
    return l.formula.IsNone() ? "\\mathrm{" + LatexText(l.text) + "}" : PrintLatex(pool, l.formula, print);
  };
  std::string out = item.name.empty() ? "" : LatexOfName(item.name) + " = ";
  out += "\\begin{array}{c|" + std::string(item.columns.size(), 'c') + "}";
  if (HasColumnLabels(item)) {
    for (const MatrixItem::Label& column : item.columns) out += " & " + label(column);
    out += " \\\\ \\hline ";
  }
  for (size_t i = 0; i < item.entries.size(); ++i) {
    if (i < item.rows.size()) out += label(item.rows[i]);
    for (const ExprId entry : item.entries[i]) out += " & " + PrintLatex(pool, entry, print);
    out += " \\\\ ";
  }
  return out + "\\end{array}";
}

std::string WriteLatex(const Document& document) {
  return LatexWriter(document).Run();
}

}  // namespace cotree
