// SPDX-License-Identifier: Apache-2.0
// Frames: what is written is read; what is cut off, malformed or late is noticed.

#include "software_component/frame.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>

#include "software_component/description_frame.h"

namespace cotree {
namespace {

struct Pair {
  Pair() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0); }
  ~Pair() {
    close(ends[0]);
    close(ends[1]);
  }
  int ends[2];
};

ComponentDescription Example() {
  ComponentDescription d;
  d.name = "example";
  d.parameters = {{"k", 2.5}};
  d.inputs = {{"u", 0.0}, {"w", 0.0}};
  d.outputs = {{"y", 0.0}, {"z", 0.0}};
  d.states = {{"x", -1.5}};
  d.groups = {{{1}, {}}, {{0}, {0, 1}}};
  d.discrete_bytes = 24;
  d.has_jacobian = true;
  return d;
}

std::span<const std::byte> Payload(std::span<const std::byte> frame) {
  return frame.subspan(sizeof(FrameHeader));
}

TEST(Frame, DescriptionIsReadAsWritten) {
  FrameWriter writer;
  writer.Begin(1, 7);
  WriteDescription(Example(), &writer);
  const auto frame = writer.Finish();
  FrameReader reader(Payload(frame));
  ComponentDescription read;
  ASSERT_TRUE(ReadDescription(&reader, &read));
  EXPECT_EQ(read.name, "example");
  EXPECT_EQ(read.states[0].start, -1.5);
  EXPECT_EQ(read.groups[1].inputs, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(read.discrete_bytes, 24u);
  EXPECT_TRUE(read.has_jacobian);
  EXPECT_FALSE(read.has_update);
  for (size_t size = 0; size < Payload(frame).size(); ++size) {
    FrameReader cut(Payload(frame).first(size));
    EXPECT_FALSE(ReadDescription(&cut, &read)) << size;
  }
}

TEST(Frame, RandomChangesNeverHarm) {
  FrameWriter writer;
  writer.Begin(1, 7);
  WriteDescription(Example(), &writer);
  const auto frame = writer.Finish();
  const std::vector<std::byte> original(Payload(frame).begin(), Payload(frame).end());
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::byte> changed = original;
    for (uint32_t n = random() % 4 + 1; n > 0; --n)
      changed[random() % changed.size()] = static_cast<std::byte>(random());
    FrameReader reader(changed);
    ComponentDescription read;
    if (ReadDescription(&reader, &read)) {
      EXPECT_EQ(CheckDescription(read), "");
    }
    FrameReader again(changed);
    ComponentRequest request;
    ReadRequest(&again, &request);
  }
}

TEST(Frame, ArrivesInPiecesAndTogether) {
  Pair pair;
  FrameStream stream(pair.ends[0]);
  FrameWriter writer;
  std::vector<std::byte> bytes;
  for (uint32_t k = 0; k < 3; ++k) {
    writer.Begin(2, k);
    writer.Put(0.5 * k);
    const auto frame = writer.Finish();
    bytes.insert(bytes.end(), frame.begin(), frame.end());
  }
  stream.SetTimeout(0.05);
  FrameHeader header;
  std::span<const std::byte> payload;
  ASSERT_EQ(write(pair.ends[1], bytes.data(), 20), 20);
  EXPECT_EQ(stream.Receive(&header, &payload), FrameStream::Status::kTimeout);
  ASSERT_EQ(write(pair.ends[1], bytes.data() + 20, bytes.size() - 20),
            static_cast<ssize_t>(bytes.size() - 20));
  for (uint32_t k = 0; k < 3; ++k) {
    ASSERT_EQ(stream.Receive(&header, &payload), FrameStream::Status::kFrame);
    EXPECT_EQ(header.sequence, k);
    FrameReader reader(payload);
    EXPECT_EQ(reader.Get<double>(), 0.5 * k);
    EXPECT_TRUE(reader.Done());
  }
  shutdown(pair.ends[1], SHUT_RDWR);
  EXPECT_EQ(stream.Receive(&header, &payload), FrameStream::Status::kClosed);
  EXPECT_EQ(stream.Send(writer.Finish()), FrameStream::Status::kClosed);
}

TEST(Frame, ForeignBytesAreRefused) {
  Pair pair;
  FrameStream stream(pair.ends[0]);
  const std::string text = "HTTP/1.1 400 Bad Request\r\n";
  ASSERT_EQ(write(pair.ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  FrameHeader header;
  std::span<const std::byte> payload;
  EXPECT_EQ(stream.Receive(&header, &payload), FrameStream::Status::kMalformed);
}

TEST(Frame, TooLongIsRefused) {
  Pair pair;
  FrameStream stream(pair.ends[0]);
  FrameHeader header;
  header.length = FrameHeader::kMostBytes + 1;
  ASSERT_EQ(write(pair.ends[1], &header, sizeof header), static_cast<ssize_t>(sizeof header));
  std::span<const std::byte> payload;
  EXPECT_EQ(stream.Receive(&header, &payload), FrameStream::Status::kMalformed);
}

}  // namespace
}  // namespace cotree
