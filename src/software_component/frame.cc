// SPDX-License-Identifier: Apache-2.0
#include "software_component/frame.h"

#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>

namespace cotree {
namespace {

constexpr size_t kFirstBuffer = 1 << 14;
constexpr double kSlice = 0.1;  // seconds between two looks at the clock and at who may interrupt

}  // namespace

void FrameStream::SetTimeout(double seconds, const std::function<bool()>& interrupted) {
  timeout_ = seconds;
  interrupted_ = interrupted;
  const double slice = seconds > 0 ? std::min(seconds, kSlice) : kSlice;
  if (slice == slice_) return;
  slice_ = slice;
  timeval time{};
  time.tv_usec = std::max<suseconds_t>(1, static_cast<suseconds_t>(slice * 1e6));  // 0 would mean for ever
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

// A signal that ends a wait (EINTR) says nothing about the time: the clock does.
std::optional<FrameStream::Status> FrameStream::Over(Clock::time_point began) const {
  if (interrupted_ && interrupted_()) return Status::kInterrupted;
  if (timeout_ > 0 && std::chrono::duration<double>(Clock::now() - began).count() >= timeout_)
    return Status::kTimeout;
  return std::nullopt;
}

FrameStream::Status FrameStream::Send(std::span<const std::byte> frame) {
  const Clock::time_point began = Clock::now();
  while (true) {
    const ssize_t sent = send(socket_, frame.data(), frame.size(), MSG_NOSIGNAL);
    if (sent == static_cast<ssize_t>(frame.size())) return Status::kFrame;
    if (sent < 0 && errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) return Status::kClosed;
    if (sent > 0) frame = frame.subspan(static_cast<size_t>(sent));
    if (const auto over = Over(began)) return *over;
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
  const Clock::time_point began = Clock::now();
  for (bool waited = false;; waited = true) {
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
    if (waited) {
      if (const auto over = Over(began)) return *over;
    }
    const ssize_t got = recv(socket_, buffer_.data() + filled_, buffer_.size() - filled_, 0);
    if (got == 0) return Status::kClosed;
    if (got < 0 && errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) return Status::kClosed;
    if (got > 0) filled_ += static_cast<size_t>(got);
  }
}

}  // namespace cotree
