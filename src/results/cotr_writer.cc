// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include "base/output_file.h"
#include "results/bytes.h"
#include "results/cotr_format.h"
#include "results/crc32c.h"
#include "results/header_json.h"

namespace cotree {
namespace {

class CotrWriter : public ResultWriter {
 public:
  explicit CotrWriter(std::string path) : path_(std::move(path)) {}

  bool Begin(const ResultHeader& header) override {
    if (!file_.Open(path_)) return Fail(file_.Problem());
    row_size_ = 8 * (1 + header.StoredColumns());
    return Put(std::string(kCotrSignature)) && Put(Record("HEAD", HeaderJson(header)));
  }

  bool Row(double time, std::span<const double> values) override {
    if (!file_.is_open()) return false;
    const auto now = std::chrono::steady_clock::now();
    if (rows_.empty()) oldest_ = now;
    AppendBytes(time, &rows_);
    rows_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    const bool full = rows_.size() + row_size_ > kCotrBlock;
    return full || now - oldest_ >= std::chrono::milliseconds(500) ? Flush() : true;
  }

  bool Event(double time, std::string_view text) override {
    if (!file_.is_open() || !Flush()) return false;
    std::string payload;
    AppendBytes(time, &payload);
    payload += text;
    return Put(Record("EVNT", payload));
  }

  bool Extreme(const ResultExtreme& extreme) override {
    if (!file_.is_open()) return false;
    AppendBytes(extreme.column, &extremes_);
    AppendBytes(extreme.time, &extremes_);
    AppendBytes(extreme.value, &extremes_);
    return extremes_.size() + 20 > kCotrBlock ? Flush() : true;
  }

  bool Finish(std::string_view status) override {
    if (!file_.is_open() || !Flush() || !Put(Record("DONE", status))) return false;
    return file_.Close() || Fail(file_.Problem());
  }

  bool Flush() override {
    std::string records;
    if (!extremes_.empty()) records += Record("EXTR", extremes_);
    if (!rows_.empty()) records += Record("ROWS", rows_);
    extremes_.clear();
    rows_.clear();
    return records.empty() || Put(records);
  }

 private:
  static std::string Record(std::string_view type, std::string_view payload) {
    std::string record;
    record.reserve(payload.size() + 12);
    AppendBytes(static_cast<uint32_t>(payload.size()), &record);
    record += type;
    record += payload;
    AppendBytes(Crc32c(record), &record);
    return record;
  }

  bool Put(const std::string& bytes) {
    if (file_.Write(bytes)) return true;
    Fail(file_.Problem());
    file_.Close();
    return false;
  }

  std::string path_;
  OutputFile file_;
  std::string rows_, extremes_;  // not written yet
  size_t row_size_ = 0;
  std::chrono::steady_clock::time_point oldest_;
};

}  // namespace

std::unique_ptr<ResultWriter> MakeCotrWriter(const std::string& path) {
  return std::make_unique<CotrWriter>(path);
}

}  // namespace cotree
