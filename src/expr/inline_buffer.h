// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>

namespace cotree {

/** A growing array whose first N elements need no allocation; for the operand lists of constructors, which
are nearly always short. Elements are plain data. */
template <class T, size_t N>
class InlineBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  InlineBuffer() : data_(reinterpret_cast<T*>(near_)) {}
  InlineBuffer(const InlineBuffer&) = delete;
  InlineBuffer& operator=(const InlineBuffer&) = delete;

  void push_back(const T& value) {
    if (size_ == capacity_) Grow();
    data_[size_++] = value;
  }
  void clear() { size_ = 0; }
  void resize_down(size_t size) { size_ = size; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }

 private:
  void Grow() {
    std::unique_ptr<T[]> larger(new T[2 * capacity_]);
    std::copy(data_, data_ + size_, larger.get());
    far_ = std::move(larger);
    data_ = far_.get();
    capacity_ *= 2;
  }

  T* data_;
  size_t size_ = 0;
  size_t capacity_ = N;
  std::unique_ptr<T[]> far_;
  alignas(T) std::byte near_[N * sizeof(T)];
};

}  // namespace cotree
