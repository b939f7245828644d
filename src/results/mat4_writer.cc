// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <limits>

#include "base/output_file.h"
#include "results/bytes.h"
#include "results/mat4_format.h"

namespace cotree {
namespace {

enum : int32_t { kDouble = 0, kInteger = 20, kText = 51 };

void AppendHead(const char* name, int32_t type, size_t rows, size_t columns, std::string* out) {
  const std::string_view text(name);
  AppendBytes(type, out);
  AppendBytes(static_cast<int32_t>(rows), out);
  AppendBytes(static_cast<int32_t>(columns), out);
  AppendBytes(int32_t{0}, out);  // no imaginary part
  AppendBytes(static_cast<int32_t>(text.size() + 1), out);
  out->append(text).push_back('\0');
}

/* A text a column. */
void AppendTexts(const char* name, const std::vector<std::string>& texts, std::string* out) {
  size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, text.size() + 1);
  AppendHead(name, kText, longest, texts.size(), out);
  for (const std::string& text : texts) out->append(text).append(longest - text.size(), '\0');
}

std::string Described(const ResultColumn& column) {
  if (column.unit.empty()) return column.description;
  return column.description + (column.description.empty() ? "[" : " [") + column.unit + "]";
}

class Mat4Writer : public ResultWriter {
 public:
  explicit Mat4Writer(std::string path) : path_(std::move(path)) {}

  bool Begin(const ResultHeader& header) override {
    if (!file_.Open(path_)) return Fail(file_.Problem());
    std::vector<std::string> names{"time"}, descriptions{"time [s]"};
    std::vector<int32_t> stored(header.columns.size());
    int32_t rows = 1;
    for (size_t k = 0; k < header.columns.size(); ++k) {
      names.push_back(header.columns[k].name);
      descriptions.push_back(Described(header.columns[k]));
      if (header.columns[k].stored()) stored[k] = ++rows;
    }
    std::string text;
    AppendHead("Aclass", kText, 4, 11, &text);
    kind_place_ = text.size();
    text += KindText(kMat4Incomplete);
    AppendTexts("name", names, &text);
    AppendTexts("description", descriptions, &text);
    AppendHead("dataInfo", kInteger, 4, names.size(), &text);
    const auto info = [&](int32_t matrix, int32_t row) {
      for (const int32_t number : {matrix, row, 0, -1}) AppendBytes(number, &text);
    };
    info(0, 1);
    const auto by_name = header.ByName();
    for (size_t k = 0; k < header.columns.size(); ++k) {
      const ResultColumn& column = header.columns[k];
      const size_t source = column.stored() ? k : by_name.at(column.alias_of);
      info(2, column.stored() || column.alias_sign > 0 ? stored[source] : -stored[source]);
    }
    AppendHead("data_1", kDouble, 1, 2, &text);
    begin_place_ = text.size();
    text.append(16, '\0');
    count_place_ = text.size() + 8;
    AppendHead("data_2", kDouble, static_cast<size_t>(rows), 0, &text);
    return file_.Write(text) || Stop(file_.Problem());
  }

  bool Row(double time, std::span<const double> values) override {
    if (!file_.is_open()) return false;
    if (count_ == std::numeric_limits<int32_t>::max()) return Stop("a .mat file has 2147483647 rows at most");
    if (count_++ == 0) begin_ = time;
    end_ = time;
    AppendBytes(time, &rows_);
    rows_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    const auto now = std::chrono::steady_clock::now();
    if (rows_.size() < (1 << 16) && now - flushed_ < std::chrono::milliseconds(500)) return true;
    flushed_ = now;
    return Flush();
  }

  bool Event(double, std::string_view) override { return file_.is_open(); }

  bool Finish(std::string_view status) override {
    if (!file_.is_open() || !Flush()) return false;
    if (status == kComplete && !file_.WriteAt(kind_place_, KindText(""))) return Stop(file_.Problem());
    return file_.Close() || Fail(file_.Problem());
  }

  bool Flush() override {
    std::string range, count;
    AppendBytes(begin_, &range);
    AppendBytes(end_, &range);
    AppendBytes(count_, &count);
    const bool ok =
        file_.Write(rows_) && file_.WriteAt(count_place_, count) && file_.WriteAt(begin_place_, range);
    rows_.clear();
    return ok || Stop(file_.Problem());
  }

 private:
  // The matrix Aclass; its third text is free.
  static std::string KindText(std::string_view note) {
    std::string third(note), text;
    third.resize(11, ' ');
    for (size_t k = 0; k < 11; ++k) {
      text += "Atrajectory"[k];
      text += "1.1        "[k];
      text += third[k];
      text += "binTrans   "[k];
    }
    return text;
  }
  bool Stop(std::string problem) {
    file_.Close();
    return Fail(std::move(problem));
  }

  std::string path_;
  OutputFile file_;
  std::string rows_;
  uint64_t kind_place_ = 0, begin_place_ = 0, count_place_ = 0;  // of what is put right later
  int32_t count_ = 0;
  double begin_ = 0, end_ = 0;
  std::chrono::steady_clock::time_point flushed_ = std::chrono::steady_clock::now();
};

}  // namespace

std::unique_ptr<ResultWriter> MakeMat4Writer(const std::string& path) {
  return std::make_unique<Mat4Writer>(path);
}

}  // namespace cotree
