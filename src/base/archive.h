// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace cotree {

/** Puts numbers into bytes, or takes them out again: one function of a class says what belongs to its state
and serves both ways. Exact, for the machine that wrote it. Reading beyond the end makes it not ok, and
everything zero. */
class Archive {
 public:
  Archive() = default;  // writes
  explicit Archive(std::string bytes) : bytes_(std::move(bytes)), reading_(true) {}

  template <class T>
  void Number(T& x) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    if (!reading_) {
      bytes_.append(reinterpret_cast<const char*>(&x), sizeof x);
      return;
    }
    if (bytes_.size() - at_ < sizeof x) {
      ok_ = false;
      at_ = bytes_.size();
      x = T{};
      return;
    }
    std::memcpy(&x, bytes_.data() + at_, sizeof x);
    at_ += sizeof x;
  }
  /// The number of elements of something; bounded by what is left of the bytes.
  uint64_t Size(uint64_t size) {
    Number(size);
    if (reading_ && size > bytes_.size() - at_) {
      ok_ = false;
      size = 0;
    }
    return size;
  }
  template <class T>
  void Numbers(std::vector<T>& xs) {
    xs.resize(Size(xs.size()));
    for (T& x : xs) Number(x);
  }
  void Text(std::string& text) {
    text.resize(Size(text.size()));
    for (char& c : text) Number(c);
  }

  bool reading() const { return reading_; }
  bool ok() const { return ok_; }
  bool AtEnd() const { return at_ == bytes_.size(); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  size_t at_ = 0;
  bool reading_ = false, ok_ = true;
};

}  // namespace cotree
