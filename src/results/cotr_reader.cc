// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "results/bytes.h"
#include "results/cotr_format.h"
#include "results/crc32c.h"
#include "results/header_json.h"

namespace cotree {
namespace {

/* Reads record after record; what has been read is known to be whole. */
class RecordReader {
 public:
  explicit RecordReader(std::FILE* file) : file_(file) {
    std::fseek(file_, 0, SEEK_END);
    size_ = static_cast<uint64_t>(std::ftell(file_));
    std::fseek(file_, 0, SEEK_SET);
  }

  bool Signature() {
    std::string got(kCotrSignature.size(), '\0');
    place_ = got.size();
    return std::fread(got.data(), 1, got.size(), file_) == got.size() && got == kCotrSignature;
  }

  bool Next() {
    if (place_ == size_) return false;
    record_.resize(8);
    if (!Read(0, 8)) return Cut();
    const uint64_t length = NumberAt<uint32_t>(record_, 0);
    if (place_ + 12 + length > size_) return Cut();
    record_.resize(length + 12);
    if (!Read(8, length + 4)) return Cut();
    const std::string_view covered(record_.data(), length + 8);
    if (NumberAt<uint32_t>(record_, length + 8) != Crc32c(covered)) {
      damage_ = fmt::format(
          "the record at byte {} of {} is damaged (its checksum does not fit); what stands before it is used",
          place_, size_);
      return false;
    }
    place_ += length + 12;
    return true;
  }

  std::string_view type() const { return std::string_view(record_).substr(4, 4); }
  std::string_view payload() const { return std::string_view(record_).substr(8, record_.size() - 12); }
  const std::string& damage() const { return damage_; }
  bool at_end() const { return place_ == size_; }

  bool Damaged(const char* what) {
    damage_ = fmt::format("{} before byte {}", what, place_);
    return false;
  }

 private:
  bool Read(size_t at, size_t count) { return std::fread(record_.data() + at, 1, count, file_) == count; }
  bool Cut() {
    damage_ = fmt::format("the file was cut: its last {} bytes are no whole record and are left out",
                          size_ - place_);
    return false;
  }

  std::FILE* file_;
  uint64_t size_ = 0, place_ = 0;
  std::string record_, damage_;
};

}  // namespace

CotrEnd WalkCotr(const std::string& path, const CotrVisitor& visitor) {
  CotrEnd end;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (file == nullptr) {
    end.problem = fmt::format("cannot read `{}`: {}", path, std::strerror(errno));
    return end;
  }
  RecordReader reader(file.get());
  if (!reader.Signature()) {
    end.problem = fmt::format("`{}` does not begin as a .cotr file does", path);
    return end;
  }
  size_t row = 0;  // bytes
  size_t columns = 0;
  std::vector<bool> stored;
  std::vector<double> block;
  bool done = false;
  while (!done && reader.Next()) {
    const std::string_view type = reader.type(), payload = reader.payload();
    if (!end.readable) {
      std::optional<ResultHeader> header;
      if (type == "HEAD") header = ParseHeaderJson(payload);
      if (!header) break;
      end.readable = true;
      row = 8 * (1 + header->StoredColumns());
      columns = header->columns.size();
      for (const ResultColumn& column : header->columns) stored.push_back(column.stored());
      if (visitor.header) visitor.header(std::move(*header));
    } else if (type == "ROWS") {
      if (payload.size() % row != 0) {
        reader.Damaged("a record of rows has part of a row");
        break;
      }
      block.resize(payload.size() / 8);
      std::memcpy(block.data(), payload.data(), payload.size());
      if (visitor.rows) visitor.rows(payload.size() / row, block);
    } else if (type == "EVNT" && payload.size() >= 8) {
      if (visitor.event) visitor.event(NumberAt<double>(payload, 0), payload.substr(8));
    } else if (type == "EXTR") {
      for (size_t at = 0; visitor.extreme && at + 20 <= payload.size(); at += 20) {
        const auto column = NumberAt<uint32_t>(payload, at);
        if (column < columns && stored[column])
          visitor.extreme({column, NumberAt<double>(payload, at + 4), NumberAt<double>(payload, at + 12)});
      }
    } else if (type == "DONE") {
      end.status = payload;
      done = true;
    }
  }
  end.damage = reader.damage();
  if (done && !reader.at_end()) end.damage = "something stands behind the end of the result";
  if (!end.readable)
    end.problem = fmt::format(
        "`{}` is a .cotr file without a whole header: its run was ended before it began, "
        "or it comes from a later version",
        path);
  return end;
}

}  // namespace cotree
