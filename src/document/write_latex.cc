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
        "longtable,geometry,graphicx}\n\\geometry{margin=20mm}\n\\allowdisplaybreaks\n"
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
    out_ += "\\begin{longtable}{" + item.alignment + "}\n";
    for (size_t k = 0; k < item.columns.size(); ++k)
      out_ += (k > 0 ? " & " : "") + LatexText(item.columns[k]);
    out_ += " \\\\ \\hline\n";
    for (const TableItem::Row& row : item.rows) {
      for (size_t k = 0; k < row.cells.size(); ++k) {
        const TableCell& cell = row.cells[k];
        out_ += (k > 0 ? " & " : "") +
                (cell.is_formula() ? "$" + Formula(cell.formula) + "$" : LatexText(cell.text));
      }
      out_ += " \\\\\n";
    }
    out_ += "\\end{longtable}\n";
  }
  void WriteItem(const EquationsItem& item) {
    if (item.rows.empty()) return;
    out_ += "\\begin{align*}\n";
    for (size_t k = 0; k < item.rows.size(); ++k) {
      const EquationsItem::Row& row = item.rows[k];
      out_ += (row.left.IsNone() ? "0" : Formula(row.left)) + " &= ";
      const std::vector<std::string> lines = LatexLines(*document_.pool, row.right, print_);
      for (size_t i = 0; i < lines.size(); ++i) out_ += (i > 0 ? " \\\\\n & \\quad " : "") + lines[i];
      if (!row.note.empty()) out_ += " && \\text{" + LatexText(row.note) + "}";
      out_ += k + 1 < item.rows.size() ? " \\\\\n" : "\n";
    }
    out_ += "\\end{align*}\n";
  }
  void WriteItem(const MatrixItem& item) {
    constexpr size_t kLongestEntry = 160;
    size_t longest = 0;
    for (const auto& row : item.entries) {
      for (const ExprId entry : row) longest = std::max(longest, Formula(entry).size());
    }
    if (longest > kLongestEntry) {
      // Entry by entry.
      std::string lines;
      for (size_t i = 0; i < item.entries.size(); ++i) {
        for (size_t j = 0; j < item.entries[i].size(); ++j) {
          if (document_.pool->IsZero(item.entries[i][j]) || (item.symmetric && j < i)) continue;
          lines += (lines.empty() ? "" : " \\\\\n") +
                   ("\\mathrm{" + LatexText(item.name) + "}_{" + std::to_string(i + 1)) +
                   (item.columns.size() > 1 ? "," + std::to_string(j + 1) : "") + "} &= ";
          const std::vector<std::string> parts = LatexLines(*document_.pool, item.entries[i][j], print_);
          for (size_t k = 0; k < parts.size(); ++k) lines += (k > 0 ? " \\\\\n & \\quad " : "") + parts[k];
        }
      }
      if (!lines.empty()) out_ += "\\begin{align*}\n" + lines + "\n\\end{align*}\n";
      return;
    }
    out_ +=
        "\\begin{equation*}\n\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{$"
        "\\displaystyle " +
        LatexMatrix(*document_.pool, item, print_) + "$}\n\\end{equation*}\n";
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

  const Document& document_;
  PrintOptions print_;
  std::string out_;
};

}  // namespace

std::vector<std::string> LatexLines(const ExprPool& pool, ExprId expr, const PrintOptions& print,
                                    size_t most) {
  constexpr size_t kLongest = 260;  // characters of LaTeX that fit into a line, about
  PrintOptions limited = print;
  limited.limit = 8 * most;  // marks of components count there
  const std::string whole = PrintLatex(pool, expr, limited);
  // Marks of components are no text.
  PrintOptions plain = print;
  plain.components = nullptr;
  plain.limit = 2 * most;
  const auto length = [&](ExprId e) { return PrintLatex(pool, e, plain).size(); };
  const size_t size = length(expr);
  if (size > most)
    return {"\\text{(longer than " + std::to_string(most) + " characters: too long to be shown)}"};
  if (size <= kLongest) return {whole};
  const auto joined = [&](ExprId part) {
    std::string text;
    for (const std::string& line : LatexLines(pool, part, print, most))
      text += (text.empty() ? "&" : "\\\\ &\\quad ") + line;
    return "\\begin{aligned} " + text + " \\end{aligned}";
  };
  if (pool.op(expr) == Op::kDivide)
    return {"\\frac{" + joined(pool.operand(expr, 0)) + "}{" + joined(pool.operand(expr, 1)) + "}"};
  if (pool.op(expr) != Op::kAdd) return {whole};
  std::vector<std::string> lines{""};
  size_t used = 0;
  for (const ExprId term : ReadableOrder(pool, expr, print.main_letter).Terms(expr)) {
    std::string text = PrintLatex(pool, term, print);
    const size_t own = length(term);
    if (!lines.back().empty() || lines.size() > 1)
      text = text.starts_with('-') ? " - " + text.substr(1) : " + " + text;
    if (!lines.back().empty() && used + own > kLongest) {
      lines.emplace_back();
      used = 0;
    }
    lines.back() += text;
    used += own;
  }
  return lines;
}

std::string LatexMatrix(const ExprPool& pool, const MatrixItem& item, const PrintOptions& print) {
  const auto label = [&](const MatrixItem::Label& l) {
    return l.formula.IsNone() ? "\\mathrm{" + LatexText(l.text) + "}" : PrintLatex(pool, l.formula, print);
  };
  std::string out = item.name.empty() ? "" : "\\mathrm{" + LatexText(item.name) + "} = ";
  out += "\\begin{array}{c|" + std::string(item.columns.size(), 'c') + "}";
  for (const MatrixItem::Label& column : item.columns) out += " & " + label(column);
  out += " \\\\ \\hline ";
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
