// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep_file.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <filesystem>

#include "results/csv_format.h"

namespace cotree {

SweepFile::SweepFile(const SweepGrid& grid, const std::vector<std::string>& figures, std::string about)
    : grid_(grid), figures_(figures), about_(std::move(about)) {}

std::string SweepFile::Head() const {
  std::string names;
  for (const SweepAxis& axis : grid_.axes()) names += CsvField(axis.Label()) + ",";
  for (const std::string& figure : figures_) names += CsvField(figure) + ",";
  return "# " + about_ + "\n" + names + "status\n";
}

std::string SweepFile::Line(size_t point, const SweepRow& row) const {
  const std::vector<size_t> at = grid_.At(point);
  std::string line;
  for (size_t k = 0; k < at.size(); ++k) line += CsvField(grid_.axes()[k].values[at[k]]) + ",";
  for (size_t k = 0; k < figures_.size(); ++k) line += row.ok() ? fmt::format("{},", row.figures[k]) : ",";
  return line + CsvField(row.status) + "\n";
}

bool SweepFile::Parse(std::string_view text, std::vector<SweepRow>* rows, std::string* problem) const {
  while (!text.empty()) {
    const std::string_view rest = text;
    const std::vector<std::string> fields = TakeCsvFields(&text);
    SweepRow row;
    const size_t point = rows->size(), axes = grid_.axes().size();
    if (point < grid_.size() && fields.size() == axes + figures_.size() + 1) {
      row.status = fields.back();
      for (size_t k = 0; k < figures_.size() && row.ok(); ++k) {
        const std::string& field = fields[axes + k];
        double value = NAN;
        std::from_chars(field.data(), field.data() + field.size(), value);
        row.figures.push_back(value);
      }
    }
    // What is written again is what stands there, or it is another grid.
    if (row.status.empty() || row.figures.size() != (row.ok() ? figures_.size() : 0) ||
        Line(point, row) != rest.substr(0, rest.size() - text.size())) {
      *problem = fmt::format("row {} is not of this sweep", point + 1);
      return false;
    }
    rows->push_back(std::move(row));
  }
  return true;
}

bool SweepFile::Open(const std::string& path, bool anew, std::vector<SweepRow>* rows, bool* other,
                     std::string* problem) {
  *other = false;
  std::error_code failed;
  std::string text;
  if (!anew && !IsStream(path) && std::filesystem::exists(path, failed)) {
    auto read = ReadInputFile(path, {}, problem);
    if (!read) {
      *problem = "cannot read `" + path + "`: " + *problem;
      return false;
    }
    text = std::move(*read);
  }
  const std::string head = Head();
  if (head.starts_with(text)) text.clear();
  if (!text.empty()) {
    *other = true;
    if (!text.starts_with("# cotree sweep")) {
      *problem = "it is no table of a sweep";
      return false;
    }
    if (!text.starts_with(head.substr(0, head.find('\n') + 1))) {
      *problem = "it is of another model, or was made with other settings";
      return false;
    }
    if (!text.starts_with(head)) {
      *problem = "other parameters were varied, or other figures kept";
      return false;
    }
    text.resize(text.rfind('\n') + 1);  // a line that was cut by a kill is computed again
    if (!Parse(std::string_view(text).substr(head.size()), rows, problem)) return false;
    *other = false;
  }
  if (text.empty() ? file_.Open(path) && file_.Write(head) : file_.Continue(path, text.size())) return true;
  *problem = file_.Problem();
  return false;
}

bool SweepFile::Append(size_t point, const SweepRow& row) {
  return file_.Write(Line(point, row));
}

}  // namespace cotree
