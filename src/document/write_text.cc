// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/plural.h"
#include "document/write_document.h"
#include "expr/print_text.h"

namespace cotree {
namespace {

// Characters, not bytes.
size_t Width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(),
                                           [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
}

class TextWriter {
 public:
  TextWriter(const Document& document, const TextStyle& style) : document_(document), style_(style) {
    print_.unicode = true;
    print_.digits = document.digits;
    print_.main_letter = document.main_letter;
  }
  std::string Run() {
    for (const DocumentSection& section : document_.sections) {
      if (!section.title.empty()) {
        if (!out_.empty()) out_ += "\n";
        out_ += Bold(section.title) + "\n";
      }
      for (const DocumentItem& item : section.items) Write(item, "  ");
    }
    return std::move(out_);
  }

 private:
  std::string Bold(const std::string& text) const {
    return style_.colours ? "\x1b[1m" + text + "\x1b[0m" : text;
  }
  std::string Dim(const std::string& text) const {
    return style_.colours ? "\x1b[2m" + text + "\x1b[0m" : text;
  }
  std::string Formula(ExprId expr) const { return PrintText(*document_.pool, expr, print_); }

  void Write(const DocumentItem& item, const std::string& indent) {
    out_ += "\n";
    std::visit([&](const auto& kind) { WriteItem(kind, indent); }, item.any());
  }

  // Words up to the width.
  void Wrap(const std::string& text, const std::string& indent, const std::string& first) {
    std::string line = first;
    bool empty = true;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find(' ', at), text.size());
      const std::string word = text.substr(at, end - at);
      if (!empty && Width(line) + 1 + Width(word) > style_.width) {
        out_ += line + "\n";
        line = indent;
        empty = true;
      }
      line += (empty ? "" : " ") + word;
      empty = false;
      at = end + 1;
    }
    out_ += line + "\n";
  }
  void WriteItem(const TextItem& item, const std::string& indent) { Wrap(item.text, indent, indent); }
  void WriteItem(const ListItem& item, const std::string& indent) {
    for (const std::string& text : item.items) Wrap(text, indent + "  ", indent + "- ");
  }

  void WriteRows(const std::vector<std::vector<std::string>>& rows, const std::string& alignment,
                 const std::string& indent, bool heading) {
    std::vector<size_t> widths(alignment.size(), 0);
    for (const auto& row : rows) {
      for (size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], Width(row[k]));
    }
    for (size_t r = 0; r < rows.size(); ++r) {
      std::string line = indent;
      for (size_t k = 0; k < rows[r].size(); ++k) {
        const std::string room(widths[k] - Width(rows[r][k]), ' ');
        line += (k == 0 ? "" : "  ") + (alignment[k] == 'r' ? room + rows[r][k] : rows[r][k] + room);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      PutRow(line, LastColumn(widths, indent), r == 0 && heading);
    }
  }
  // Where the last column begins.
  static size_t LastColumn(const std::vector<size_t>& widths, const std::string& indent) {
    size_t at = indent.size();
    for (size_t k = 0; k + 1 < widths.size(); ++k) at += widths[k] + 2;
    return at;
  }
  // A line of a table; a last cell that is too wide goes on below itself.
  void PutRow(std::string line, size_t last, bool heading) {
    constexpr size_t kNarrowest = 24;
    while (style_.width > kNarrowest && Width(line) > style_.width && last + kNarrowest <= style_.width) {
      size_t width = 0, best = std::string::npos;
      for (size_t k = 0; k < line.size() && width < style_.width; ++k) {
        if ((static_cast<uint8_t>(line[k]) & 0xC0) != 0x80) ++width;
        if (line[k] == ' ' && width > last + 1) best = k;
      }
      if (best == std::string::npos) break;
      const std::string head = line.substr(0, best);
      out_ += (heading ? Dim(head) : head) + "\n";
      line = std::string(last, ' ') + line.substr(best + 1);
    }
    out_ += (heading ? Dim(line) : line) + "\n";
  }
  void WriteItem(const TableItem& item, const std::string& indent) {
    std::vector<std::vector<std::string>> rows;
    const bool heading = std::any_of(item.columns.begin(), item.columns.end(),
                                     [](const std::string& column) { return !column.empty(); });
    if (heading) rows.push_back(item.columns);
    for (const TableItem::Row& row : item.rows) {
      rows.emplace_back();
      for (const TableCell& cell : row.cells)
        rows.back().push_back(cell.is_formula() ? Formula(cell.formula) : cell.text);
    }
    // Two wide columns are read as sentences.
    if (item.columns.size() == 2) {
      size_t widest = 0;
      for (const auto& row : rows) widest = std::max(widest, Width(row[0]));
      if (style_.width > 1 && indent.size() + widest + 24 > style_.width) {
        for (size_t r = heading ? 1 : 0; r < rows.size(); ++r)
          Wrap((heading ? item.columns[0] + " " : "") + rows[r][0] + ": " + rows[r][1], indent + "    ",
               indent + "- ");
        return;
      }
    }
    WriteRows(rows, item.alignment, indent, heading);
  }

  // A formula that is too wide goes on behind `hang`, broken before + and -, outside brackets if possible.
  void WriteFormula(const std::string& first, const std::string& text, size_t hang) {
    std::string line = first;
    std::string rest = text;
    for (;;) {
      if (Width(line) + Width(rest) <= style_.width) break;
      size_t best = std::string::npos, best_depth = SIZE_MAX, depth = 0, width = Width(line);
      for (size_t k = 0; k < rest.size() && width < style_.width; ++k) {
        if ((static_cast<uint8_t>(rest[k]) & 0xC0) != 0x80) ++width;
        if (rest[k] == '(') ++depth;
        if (rest[k] == ')' && depth > 0) --depth;
        const bool here = k > 12 && rest[k] == ' ' && k + 2 < rest.size() && rest[k + 2] == ' ' &&
                          (rest[k + 1] == '+' || rest[k + 1] == '-');
        if (here && depth <= best_depth) best = k, best_depth = depth;
      }
      if (best == std::string::npos) break;
      out_ += line + rest.substr(0, best) + "\n";
      line = std::string(hang, ' ');
      rest = rest.substr(best + 1);
    }
    out_ += line + rest + "\n";
  }
  void WriteItem(const EquationsItem& item, const std::string& indent) {
    constexpr size_t kWidest = 24;
    size_t width = 0;
    std::vector<std::string> lefts;
    for (const EquationsItem::Row& row : item.rows) {
      lefts.push_back(row.left.IsNone() ? "0" : Formula(row.left));
      if (Width(lefts.back()) <= kWidest) width = std::max(width, Width(lefts.back()));
    }
    for (size_t k = 0; k < item.rows.size(); ++k) {
      const std::string room(width - std::min(width, Width(lefts[k])), ' ');
      const std::string note = item.rows[k].note.empty() ? "" : "    (" + item.rows[k].note + ")";
      WriteFormula(indent + lefts[k] + room + " = ", Formula(item.rows[k].right) + note,
                   indent.size() + width + 3 + 4);
    }
  }

  std::string LabelText(const MatrixItem::Label& label) const {
    return label.formula.IsNone() ? label.text : Formula(label.formula);
  }
  void WriteItem(const MatrixItem& item, const std::string& indent) {
    const std::string name = UnicodeName(item.name);
    std::vector<std::vector<std::string>> rows{{name}};
    std::string alignment = "l";
    for (const MatrixItem::Label& column : item.columns) {
      rows[0].push_back(LabelText(column));
      alignment += item.columns.size() == 1 ? "l" : "r";
    }
    size_t widest = 0;
    for (size_t i = 0; i < item.entries.size(); ++i) {
      rows.push_back({i < item.rows.size() ? LabelText(item.rows[i]) : ""});
      for (const ExprId entry : item.entries[i]) rows.back().push_back(Formula(entry));
    }
    std::vector<size_t> widths(alignment.size(), 0);
    for (const auto& row : rows) {
      for (size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], Width(row[k]));
    }
    for (const size_t w : widths) widest += w + 2;
    if (indent.size() + widest <= style_.width) return WriteRows(rows, alignment, indent, true);
    // Too wide for a picture of it: entry by entry.
    const auto list = [](const std::vector<std::string>& all) {
      std::string out;
      for (size_t k = 0; k < all.size(); ++k) out += (k > 0 ? ", " : "") + all[k];
      return out;
    };
    std::vector<std::string> names;  // of the rows; numbers say nothing
    for (size_t i = 1; i < rows.size(); ++i) {
      if (rows[i][0] != std::to_string(i)) names.push_back(rows[i][0]);
    }
    const std::string of = names.size() + 1 == rows.size() ? list(names) : "";
    if (item.columns.size() > 1)
      Wrap(name + " by (" + list({rows[0].begin() + 1, rows[0].end()}) + ")" +
               (item.symmetric ? ", symmetric" : "") + (of.empty() ? "" : "; rows " + of),
           indent + "  ", indent);
    else if (!of.empty() && rows.size() > 2)
      Wrap(name + ", rows " + of, indent + "  ", indent);
    for (size_t i = 0; i < item.entries.size(); ++i) {
      for (size_t j = 0; j < item.entries[i].size(); ++j) {
        if (document_.pool->IsZero(item.entries[i][j]) || (item.symmetric && j < i)) continue;
        const std::string second = item.columns.size() > 1 ? "," + std::to_string(j + 1) : "";
        const std::string at = name + "[" + std::to_string(i + 1) + second + "] = ";
        WriteFormula(indent + at, rows[i + 1][j + 1], indent.size() + Width(at) + 4);
      }
    }
  }
  void WriteItem(const PictureItem& item, const std::string& indent) {
    for (size_t at = 0; at < item.text.size();) {
      const size_t end = std::min(item.text.find('\n', at), item.text.size());
      out_ += indent + item.text.substr(at, end - at) + "\n";
      at = end + 1;
    }
  }
  void WriteItem(const PatternItem& item, const std::string& indent) {
    constexpr size_t kMost = 60;
    const bool shown = item.rows.size() <= kMost;
    out_ += indent + item.title +
            (shown ? "" : ": " + Plural(item.rows.size(), "equation") + ", a picture in --format html") +
            "\n";
    if (!shown) return;
    std::vector<std::string> grid(item.rows.size(), std::string(item.columns.size(), '.'));
    for (const auto& [r, c] : item.cells) grid[r][c] = 'x';
    for (size_t r = 0; r < grid.size(); ++r) {
      std::string line = indent;
      for (const char c : grid[r]) line += std::string(1, c) + " ";
      out_ += line + " " + item.rows[r].text + "\n";
    }
  }
  void WriteItem(const CodeItem& item, const std::string& indent) {
    WriteItem(PictureItem{"", "", item.text}, indent);
  }
  void WriteItem(const PlotItem& item, const std::string& indent) {
    out_ += indent + item.title + " (a picture in --format html)\n";
  }
  void WriteItem(const EnergyItem&, const std::string& indent) {
    out_ += indent + "power and energy over time (a picture in --format html)\n";
  }
  void WriteItem(const DetailsItem& item, const std::string& indent) {
    out_ += indent + item.title + "\n";
    for (const DocumentItem& inner : item.items) Write(inner, indent + "  ");
  }

  const Document& document_;
  const TextStyle& style_;
  PrintOptions print_;
  std::string out_;
};

}  // namespace

std::string WriteText(const Document& document, const TextStyle& style) {
  return TextWriter(document, style).Run();
}

}  // namespace cotree
