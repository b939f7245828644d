// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cotree {

/** The frames of the component protocol (docs/theory/software_components.md, SC.4): a header of 16 bytes and
a payload; numbers little-endian, doubles as IEEE 754 bits, texts and lists behind their length as uint32. */
static_assert(std::endian::native == std::endian::little, "frames are copied as they lie in memory");

struct FrameHeader {
  static constexpr uint32_t kMagic = 0x4D435443u;  // "CTCM"
  static constexpr uint16_t kVersion = 1;
  static constexpr uint16_t kReply = 0x8000;        // bit of `kind`: the answer to that request
  static constexpr uint32_t kMostBytes = 1u << 28;  // of a payload

  uint32_t magic = kMagic;
  uint16_t version = kVersion;
  uint16_t kind = 0;      // a ComponentCall
  uint32_t length = 0;    // bytes of the payload
  uint32_t sequence = 0;  // of the request; the reply has the same
};
static_assert(sizeof(FrameHeader) == 16);

/** Builds one frame after the other in the same memory. */
class FrameWriter {
 public:
  void Begin(uint16_t kind, uint32_t sequence) {
    bytes_.clear();
    header_.kind = kind;
    header_.sequence = sequence;
    Append(&header_, sizeof header_);
  }
  template <typename Number>
  void Put(Number number) {
    static_assert(std::is_arithmetic_v<Number>);
    Append(&number, sizeof number);
  }
  void PutText(std::string_view text) {
    Put(static_cast<uint32_t>(text.size()));
    Append(text.data(), text.size());
  }
  template <typename Value>
  void PutList(std::span<const Value> list) {
    Put(static_cast<uint32_t>(list.size()));
    Append(list.data(), list.size_bytes());
  }
  /// The finished frame, until the next Begin.
  std::span<const std::byte> Finish() {
    const auto length = static_cast<uint32_t>(bytes_.size() - sizeof header_);
    std::memcpy(bytes_.data() + offsetof(FrameHeader, length), &length, sizeof length);
    return bytes_;
  }

 private:
  void Append(const void* data, size_t size) {
    if (size == 0) return;
    const size_t old = bytes_.size();
    bytes_.resize(old + size);
    std::memcpy(bytes_.data() + old, data, size);
  }

  FrameHeader header_;
  std::vector<std::byte> bytes_;
};

/** Takes a payload apart. After a wrong step everything is zero and Ok() false. */
class FrameReader {
 public:
  explicit FrameReader(std::span<const std::byte> payload) : rest_(payload) {}

  template <typename Number>
  Number Get() {
    Number number{};
    Take(&number, sizeof number);
    return number;
  }
  std::string GetText() {
    std::string text(Count(1), '\0');
    Take(text.data(), text.size());
    return text;
  }
  /// A list of exactly as many values.
  template <typename Value>
  void GetList(std::span<Value> list) {
    if (Get<uint32_t>() != list.size()) ok_ = false;
    Take(list.data(), list.size_bytes());
  }
  /// A list of any length.
  template <typename Value>
  std::vector<Value> GetVector() {
    std::vector<Value> list(Count(sizeof(Value)));
    Take(list.data(), list.size() * sizeof(Value));
    return list;
  }
  /// The number of a list whose elements take at least so many bytes each; 0 if they are not there.
  uint32_t Count(size_t least_bytes) {
    const auto count = Get<uint32_t>();
    if (count > rest_.size() / least_bytes) ok_ = false;
    return ok_ ? count : 0;
  }
  bool Ok() const { return ok_; }
  /// Ok and everything read.
  bool Done() const { return ok_ && rest_.empty(); }

 private:
  void Take(void* to, size_t size) {
    if (!ok_ || size > rest_.size()) ok_ = false;
    if (!ok_ || size == 0) return;
    std::memcpy(to, rest_.data(), size);
    rest_ = rest_.subspan(size);
  }

  std::span<const std::byte> rest_;
  bool ok_ = true;
};

/** Frames over a connected stream socket. Waits without spinning; does not own the socket. */
class FrameStream {
 public:
  enum class Status { kFrame, kClosed, kTimeout, kMalformed, kInterrupted };

  explicit FrameStream(int socket = -1) : socket_(socket) {}

  /// Seconds that Send and Receive may take each (0: as long as it takes), and who is asked every now and
  /// then whether to go on waiting. Without this call they wait for ever.
  void SetTimeout(double seconds, const std::function<bool()>& interrupted = {});
  Status Send(std::span<const std::byte> frame);
  /// The next frame; its payload stays until the next Receive.
  Status Receive(FrameHeader* header, std::span<const std::byte>* payload);

 private:
  using Clock = std::chrono::steady_clock;

  // Why to wait no longer after a wait that gave nothing; nothing: go on.
  std::optional<Status> Over(Clock::time_point began) const;

  int socket_;
  double timeout_ = 0.0;  // 0: none
  double slice_ = 0.0;    // seconds that the socket itself waits; 0: for ever
  std::function<bool()> interrupted_;
  std::vector<std::byte> buffer_;
  size_t used_ = 0;  // bytes at the front that belong to the last frame
  size_t filled_ = 0;
};

}  // namespace cotree
