// SPDX-License-Identifier: Apache-2.0
#include "control/matrix_files.h"

#include <algorithm>
#include <functional>

#include "results/bytes.h"

namespace cotree {
namespace {

/** A matrix by rows, with its name in the file. */
struct Named {
  std::string name;
  const std::vector<double>* values;
  size_t rows, columns;
};

std::vector<Named> MatricesOf(const LinearModel& m, const std::vector<double>& none) {
  const auto zero = [](const std::vector<double>& x) {
    return std::all_of(x.begin(), x.end(), [](double v) { return v == 0; });
  };
  std::vector<Named> out;
  out.push_back({"A", &m.A, m.n(), m.n()});
  out.push_back({"B", m.B.empty() ? &none : &m.B[0], m.n(), m.m()});
  out.push_back({"C", &m.C, m.p(), m.n()});
  out.push_back({"D", m.D.empty() ? &none : &m.D[0], m.p(), m.m()});
  for (size_t k = 1; k < m.B.size(); ++k) {
    if (zero(m.B[k]) && zero(m.D[k])) continue;
    out.push_back({"B_du" + std::to_string(k), &m.B[k], m.n(), m.m()});
    out.push_back({"D_du" + std::to_string(k), &m.D[k], m.p(), m.m()});
  }
  return out;
}

// NumPy's format 1.0: magic, version, length, a Python dictionary that ends at a multiple of 64.
std::string NpyBytes(const std::string& type, const std::string& shape, const std::string& data) {
  std::string head = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  head.append(63 - (10 + head.size()) % 64, ' ').push_back('\n');
  std::string out("\x93NUMPY\x01\x00", 8);
  AppendBytes(static_cast<uint16_t>(head.size()), &out);
  return out + head + data;
}

// Fixed-length texts of UCS-4, as NumPy has them.
std::string NpyTexts(const std::vector<std::string>& texts) {
  std::vector<std::u32string> wide;
  size_t longest = 1;
  for (const std::string& text : texts) {
    std::u32string word;
    for (const char ch : text) {
      const auto byte = static_cast<unsigned char>(ch);
      if ((byte & 0xC0) == 0x80 && !word.empty())
        word.back() = (word.back() << 6) | (byte & 0x3Fu);
      else
        word.push_back(byte < 0x80    ? byte
                       : byte >= 0xF0 ? byte & 7u
                       : byte >= 0xE0 ? byte & 15u
                                      : byte & 31u);
    }
    longest = std::max(longest, word.size());
    wide.push_back(word);
  }
  std::string data;
  for (std::u32string& word : wide) {
    word.resize(longest, U'\0');
    for (const char32_t c : word) AppendBytes(static_cast<uint32_t>(c), &data);
  }
  return NpyBytes("<U" + std::to_string(longest), std::to_string(texts.size()) + ",", data);
}

std::string DoubleBytes(const std::vector<double>& values) {
  std::string out;
  for (const double x : values) AppendBytes(x, &out);
  return out;
}

// A zip archive whose members are stored as they are.
class ZipWriter {
 public:
  void Add(const std::string& name, const std::string& data) {
    const auto place = static_cast<uint32_t>(bytes_.size());
    const uint32_t crc = Crc32(data);
    AppendBytes(uint32_t{0x04034b50}, &bytes_);
    const std::string common = Common(name, data, crc);
    bytes_ += common + name + data;
    AppendBytes(uint32_t{0x02014b50}, &directory_);
    AppendBytes(uint16_t{20}, &directory_);
    directory_ += common;
    directory_.append(10, '\0');  // no comment, disk 0, no attributes
    AppendBytes(place, &directory_);
    directory_ += name;
    ++count_;
  }
  std::string Finish() {
    const auto place = static_cast<uint32_t>(bytes_.size()), size = static_cast<uint32_t>(directory_.size());
    bytes_ += directory_;
    AppendBytes(uint32_t{0x06054b50}, &bytes_);
    AppendBytes(uint32_t{0}, &bytes_);
    AppendBytes(count_, &bytes_);
    AppendBytes(count_, &bytes_);
    AppendBytes(size, &bytes_);
    AppendBytes(place, &bytes_);
    AppendBytes(uint16_t{0}, &bytes_);
    return std::move(bytes_);
  }

 private:
  static std::string Common(const std::string& name, const std::string& data, uint32_t crc) {
    std::string out;
    AppendBytes(uint16_t{20}, &out);    // version
    AppendBytes(uint16_t{0}, &out);     // flags
    AppendBytes(uint16_t{0}, &out);     // stored
    AppendBytes(uint16_t{0}, &out);     // time
    AppendBytes(uint16_t{0x21}, &out);  // 1 January 1980: the same bytes each time
    AppendBytes(crc, &out);
    AppendBytes(static_cast<uint32_t>(data.size()), &out);
    AppendBytes(static_cast<uint32_t>(data.size()), &out);
    AppendBytes(static_cast<uint16_t>(name.size()), &out);
    AppendBytes(uint16_t{0}, &out);  // no extra field
    return out;
  }
  std::string bytes_, directory_;
  uint16_t count_ = 0;
};

void AppendMat4Head(const std::string& name, int32_t type, size_t rows, size_t columns, std::string* out) {
  AppendBytes(type, out);
  AppendBytes(static_cast<int32_t>(rows), out);
  AppendBytes(static_cast<int32_t>(columns), out);
  AppendBytes(int32_t{0}, out);
  AppendBytes(static_cast<int32_t>(name.size() + 1), out);
  out->append(name).push_back('\0');
}

}  // namespace

uint32_t Crc32(std::string_view bytes) {
  uint32_t crc = 0xFFFFFFFFu;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1u)));
  }
  return ~crc;
}

std::string NpzBytes(const LinearModel& m) {
  const std::vector<double> none(std::max(m.n(), m.p()) * m.m(), 0.0);
  ZipWriter zip;
  for (const Named& matrix : MatricesOf(m, none)) {
    const std::string shape = std::to_string(matrix.rows) + ", " + std::to_string(matrix.columns);
    zip.Add(matrix.name + ".npy", NpyBytes("<f8", shape, DoubleBytes(*matrix.values)));
  }
  if (m.period > 0) zip.Add("dt.npy", NpyBytes("<f8", "", DoubleBytes({m.period})));
  zip.Add("states.npy", NpyTexts(m.states));
  zip.Add("inputs.npy", NpyTexts(m.inputs));
  zip.Add("outputs.npy", NpyTexts(m.outputs));
  return zip.Finish();
}

std::string Mat4Bytes(const LinearModel& m) {
  const std::vector<double> none(std::max(m.n(), m.p()) * m.m(), 0.0);
  std::string out;
  for (const Named& matrix : MatricesOf(m, none)) {
    AppendMat4Head(matrix.name, 0, matrix.rows, matrix.columns, &out);
    for (size_t j = 0; j < matrix.columns; ++j) {
      for (size_t i = 0; i < matrix.rows; ++i) AppendBytes((*matrix.values)[i * matrix.columns + j], &out);
    }
  }
  if (m.period > 0) {
    AppendMat4Head("dt", 0, 1, 1, &out);
    AppendBytes(m.period, &out);
  }
  for (const auto& [name, texts] :
       {std::pair("states", &m.states), std::pair("inputs", &m.inputs), std::pair("outputs", &m.outputs)}) {
    size_t longest = 0;
    for (const std::string& text : *texts) longest = std::max(longest, text.size());
    AppendMat4Head(name, 51, texts->size(), longest, &out);  // bytes that are texts, column by column
    for (size_t j = 0; j < longest; ++j) {
      for (const std::string& text : *texts) out.push_back(j < text.size() ? text[j] : ' ');
    }
  }
  return out;
}

}  // namespace cotree
