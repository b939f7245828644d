// SPDX-License-Identifier: Apache-2.0
#include "results/csv_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <set>
#include <utility>

#include "base/output_file.h"
#include "base/plural.h"
#include "base/text_encoding.h"

namespace cotree {
namespace {

/* Where the value of each column stands in a row of stored ones, and its sign. */
struct Source {
  size_t stored;
  double sign;
};

std::vector<Source> SourcesOf(const ResultHeader& header) {
  std::vector<size_t> place(header.columns.size());
  size_t stored = 0;
  for (size_t k = 0; k < header.columns.size(); ++k) {
    if (header.columns[k].stored()) place[k] = stored++;
  }
  const auto by_name = header.ByName();
  std::vector<Source> sources;
  for (size_t k = 0; k < header.columns.size(); ++k) {
    const ResultColumn& column = header.columns[k];
    const size_t from = column.stored() ? k : by_name.at(column.alias_of);
    sources.push_back({place[from], column.stored() ? 1.0 : column.alias_sign});
  }
  return sources;
}

class CsvWriter : public ResultWriter {
 public:
  /// An empty path: standard output.
  explicit CsvWriter(std::string path) : path_(std::move(path)) {}

  bool Begin(const ResultHeader& header) override {
    sources_ = SourcesOf(header);
    row_.resize(sources_.size());
    if (path_.empty() ? !file_.OpenStandardOutput() : !file_.Open(path_)) return Fail(file_.Problem());
    text_ = CsvNames(header);
    return Put();
  }

  bool Row(double time, std::span<const double> values) override {
    if (!file_.is_open()) return false;
    // Added to 0 or subtracted from it, so that zeros have no sign.
    for (size_t k = 0; k < row_.size(); ++k) {
      const double value = values[sources_[k].stored];
      row_[k] = sources_[k].sign < 0 ? 0.0 - value : 0.0 + value;
    }
    AppendCsvRow(time, row_, &text_);
    const auto now = std::chrono::steady_clock::now();
    if (text_.size() < (1 << 16) && now - flushed_ < std::chrono::milliseconds(500)) return true;
    flushed_ = now;
    return Flush();
  }

  bool Event(double, std::string_view) override { return file_.is_open(); }

  bool Finish(std::string_view status) override {
    if (!file_.is_open()) return false;
    const bool ok = file_.WriteMarked(text_, MarkOf("interrupted")) && file_.ClearMark() &&
                    (status == kComplete || file_.Write(MarkOf(status)));
    return ok ? file_.Close() || Fail(file_.Problem()) : Stop();
  }

  bool Flush() override { return Put(); }

 private:
  static std::string MarkOf(std::string_view why) {
    std::string mark(kCsvIncomplete);
    for (const char c : why) mark += c == '\n' || c == '\r' ? ' ' : c;
    return mark + "\n";
  }
  bool Put() {
    const bool ok = file_.WriteMarked(text_, MarkOf("interrupted"));
    text_.clear();
    return ok || Stop();
  }
  bool Stop() {
    Fail(file_.Problem());
    file_.Close();
    return false;
  }

  std::string path_;
  OutputFile file_;
  std::vector<Source> sources_;  // by column
  std::vector<double> row_;
  std::string text_;
  std::chrono::steady_clock::time_point flushed_ = std::chrono::steady_clock::now();
};

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

bool ParseNumber(std::string_view field, double* value) {
  field = Trimmed(field);
  if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
    field = field.substr(1, field.size() - 2);
  *value = NAN;
  if (field.empty()) return true;
  if (field.front() == '+') field.remove_prefix(1);
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), *value);
  return error == std::errc() && end == field.data() + field.size();
}

/* "u [V]" is u in V; "x[2]" and "x[i,j]" are elements of arrays. */
std::string TakeUnit(std::string* name) {
  const size_t open = name->rfind('[');
  if (open == std::string::npos || open == 0 || name->back() != ']') return {};
  const std::string unit(Trimmed(std::string_view(*name).substr(open + 1, name->size() - open - 2)));
  const bool index = unit.find_first_not_of("0123456789, ") == std::string::npos;
  if (index || ((*name)[open - 1] != ' ' && unit.find(',') != std::string::npos)) return {};
  *name = std::string(Trimmed(std::string_view(*name).substr(0, open)));
  return unit;
}

// Whether a line has all its fields, the last of them with a number.
bool IsWhole(std::string_view row, size_t fields) {
  const auto commas = static_cast<size_t>(std::count(row.begin(), row.end(), ','));
  if (commas + 1 < fields) return false;
  const std::string_view last = Trimmed(row.substr(row.rfind(',') + 1));
  double number = 0;
  return commas + 1 > fields || (!last.empty() && ParseNumber(last, &number));
}

// Whether Cotree wrote it: `time` first, and numbers with all their digits, as no instrument gives them.
bool LooksOurs(std::string_view text) {
  if (!text.starts_with("time,")) return false;
  text.remove_prefix(std::min(text.find('\n'), text.size()));
  int digits = 0;
  for (const char c : text) {
    if (c == ',' || c == '\n' || c == 'e') digits = 0;
    if ((c >= '1' && c <= '9') || (c == '0' && digits > 0)) ++digits;
    if (digits >= 15) return true;
  }
  return false;
}

std::optional<double> SecondsOf(std::string_view unit) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"min", 60}, {"h", 3600}};
  for (const auto& [name, seconds] : kUnits) {
    if (unit == name) return seconds;
  }
  return std::nullopt;
}

}  // namespace

std::string CsvField(std::string_view name) {
  if (name.find_first_of(",\"\r\n") == std::string::npos) return std::string(name);
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::vector<std::string> TakeCsvFields(std::string_view* text) {
  std::vector<std::string> names(1);
  bool quoted = false, was_quoted = false;
  size_t at = 0;
  const auto end_field = [&] {
    if (!was_quoted) names.back() = std::string(Trimmed(names.back()));
    was_quoted = false;
  };
  for (; at < text->size(); ++at) {
    const char c = (*text)[at];
    if (quoted && c == '"' && at + 1 < text->size() && (*text)[at + 1] == '"') {
      names.back() += c;
      ++at;
    } else if (c == '"' && (quoted || Trimmed(names.back()).empty())) {
      if (!quoted) names.back().clear();
      quoted = !quoted;
      was_quoted = true;
    } else if (!quoted && c == ',') {
      end_field();
      names.emplace_back();
    } else if (!quoted && c == '\n') {
      break;
    } else if (quoted || !was_quoted) {
      names.back() += c;
    }
  }
  end_field();
  text->remove_prefix(std::min(at + 1, text->size()));
  return names;
}

std::string CsvNames(const ResultHeader& header) {
  std::string text = "time";
  for (const ResultColumn& column : header.columns) text += "," + CsvField(column.name);
  return text + "\n";
}

void AppendCsvRow(double time, std::span<const double> values, std::string* out) {
  fmt::format_to(std::back_inserter(*out), "{}", time);
  for (const double value : values) fmt::format_to(std::back_inserter(*out), ",{}", value);
  *out += '\n';
}

std::unique_ptr<ResultWriter> MakeCsvWriter(const std::string& path) {
  return std::make_unique<CsvWriter>(path);
}

std::unique_ptr<ResultWriter> MakeCsvPrinter() {
  return std::make_unique<CsvWriter>("");
}

std::optional<Result> ParseCsv(std::string_view text, std::string* problem) {
  const auto fail = [&](std::string what) {
    *problem = std::move(what);
    return std::nullopt;
  };
  text.remove_prefix(ByteOrderMark(text));
  if (std::string foreign = ForeignEncoding(text); !foreign.empty()) return fail(std::move(foreign));
  Result result;
  result.status = kComplete;
  const std::string_view last_line = text.substr(text.find_last_of('\n', text.size() - 2) + 1);
  if (last_line.starts_with(kCsvIncomplete)) {
    const std::string_view why = last_line.substr(kCsvIncomplete.size());
    result.status = Trimmed(why.substr(0, why.find('\n')));
  }
  const bool open_end = !text.empty() && text.back() != '\n', ours = open_end && LooksOurs(text);
  const auto cut = [&] {
    result.damage = "the last line is cut: it is left out";
    result.status = "interrupted";
  };
  size_t line = 1;
  while (text.starts_with('#')) {
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    ++line;
  }
  std::vector<std::string> names = TakeCsvFields(&text);
  std::vector<std::string> units;
  for (std::string& name : names) units.push_back(TakeUnit(&name));
  const auto time = static_cast<size_t>(std::find(names.begin(), names.end(), "time") - names.begin()) %
                    names.size();  // the first if there is none
  const auto second = SecondsOf(units[time]);
  double number = 0;
  if (names.size() < 2 || (ParseNumber(names[0], &number) && std::isfinite(number)))
    return fail("it is no table with a line of names, separated by commas, the time first");
  if (!second) return fail(fmt::format("`{}` is no unit of time; write s, ms, us, min or h", units[time]));
  std::set<std::string> seen;
  std::vector<size_t> column(names.size(), SIZE_MAX);  // by field
  for (size_t k = 0; k < names.size(); ++k) {
    if (k == time) continue;
    column[k] = result.header.columns.size();
    if (names[k].empty()) return fail(fmt::format("column {} has no name", k + 1));
    if (!seen.insert(names[k]).second) return fail(fmt::format("two columns have the name `{}`", names[k]));
    result.header.columns.push_back({.name = names[k], .unit = units[k]});
  }
  result.columns.resize(names.size() - 1);
  while (!text.empty()) {
    ++line;
    const size_t end = text.find('\n');
    std::string_view row = text.substr(0, end);
    text.remove_prefix(std::min(end, text.size() - 1) + 1);
    if (Trimmed(row).empty() || row.front() == '#') continue;
    // A last line without its end counts if nothing of it is missing; in a file of ours the end is.
    if (open_end && text.empty() && (ours || !IsWhole(row, names.size()))) {
      cut();
      break;
    }
    for (size_t k = 0; k < names.size(); ++k) {
      const size_t comma = row.find(',');
      if ((comma == std::string_view::npos) != (k + 1 == names.size()))
        return fail(fmt::format("line {} has {} fields than the {} of the first line", line,
                                comma == std::string_view::npos ? "fewer" : "more",
                                Plural(names.size(), "name")));
      const std::string_view field = row.substr(0, comma);
      if (!ParseNumber(field, &number))
        return fail(fmt::format("line {}: `{}` is not a number", line, Trimmed(field)));
      if (k == time)
        result.times.push_back(number * *second);
      else
        result.columns[column[k]].push_back(number);
      row.remove_prefix(comma == std::string_view::npos ? row.size() : comma + 1);
    }
    const size_t n = result.times.size();
    if (!std::isfinite(result.times.back()) || (n > 1 && result.times[n - 1] < result.times[n - 2]))
      return fail(fmt::format("line {}: the time goes back or is no number", line));
  }
  return result;
}

}  // namespace cotree
