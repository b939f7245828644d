// SPDX-License-Identifier: Apache-2.0
#include "software_component/frame.h"

#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>

namespace cotree {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kFirstBuffer = 1 << 14;

bool IsOver(Clock::time_point began, double seconds) {
  return seconds > 0 && std::chrono::duration<double>(Clock::now() - began).count() > seconds;
}

}  // namespace

void FrameStream::SetTimeout(double seconds) {
  if (seconds == timeout_) return;
  timeout_ = seconds;
  timeval time{};
  const double whole = std::floor(seconds);
  time.tv_sec = static_cast<time_t>(whole);
  time.tv_usec = static_cast<suseconds_t>((seconds - whole) * 1e6);
  if (seconds > 0 && time.tv_sec == 0 && time.tv_usec == 0) time.tv_usec = 1;  // 0 would mean none
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

FrameStream::Status FrameStream::Send(std::span<const std::byte> frame) {
  Clock::time_point began{};
  while (true) {
    const ssize_t sent = send(socket_, frame.data(), frame.size(), MSG_NOSIGNAL);
    if (sent == static_cast<ssize_t>(frame.size())) return Status::kFrame;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Status::kTimeout;
    if (sent < 0 && errno != EINTR) return Status::kClosed;
    if (sent > 0) frame = frame.subspan(static_cast<size_t>(sent));
    // Only now, off the usual path, the clock is asked: pieces must not stretch the time.
    if (began == Clock::time_point{}) began = Clock::now();
    if (IsOver(began, timeout_)) return Status::kTimeout;
  }
}

FrameStream::Status FrameStream::Receive(FrameHeader* header, std::span<const std::byte>* payload) {
  if (used_ > 0) {  // what has come behind the last frame moves to the front
    std::copy(buffer_.begin() + static_cast<ptrdiff_t>(used_),
              buffer_.begin() + static_cast<ptrdiff_t>(filled_), buffer_.begin());
    filled_ -= used_;
    used_ = 0;
  }
  if (buffer_.empty()) buffer_.resize(kFirstBuffer);
  Clock::time_point began{};
  while (true) {
    if (filled_ >= sizeof *header) {
      std::memcpy(header, buffer_.data(), sizeof *header);
      if (header->magic != FrameHeader::kMagic || header->version != FrameHeader::kVersion ||
          header->length > FrameHeader::kMostBytes) {
        return Status::kMalformed;
      }
      const size_t size = sizeof *header + header->length;
      if (filled_ >= size) {
        *payload = std::span<const std::byte>(buffer_).subspan(sizeof *header, header->length);
        used_ = size;
        return Status::kFrame;
      }
      if (buffer_.size() < size) buffer_.resize(size);
    }
    const ssize_t got = recv(socket_, buffer_.data() + filled_, buffer_.size() - filled_, 0);
    if (got == 0) return Status::kClosed;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Status::kTimeout;
    if (got < 0 && errno != EINTR) return Status::kClosed;
    if (got > 0) filled_ += static_cast<size_t>(got);
    if (got > 0 && began == Clock::time_point{}) began = Clock::now();
    if (IsOver(began, timeout_)) return Status::kTimeout;
  }
}

}  // namespace cotree
