// SPDX-License-Identifier: Apache-2.0
// .cotr after a kill and after damage: what was whole is returned, and nothing else.
#include <algorithm>
#include <random>

#include "results/crc32c.h"
#include "results/test/results_support.h"

namespace cotree {
namespace {

using test::Bytes;
using test::Example;
using test::ExpectSameRows;
using test::PutBytes;
using test::Scratch;

std::string Written(const Result& result, const std::string& path) {
  std::string problem;
  EXPECT_TRUE(WriteResult(result, path, ResultFormat::kCotr, &problem)) << problem;
  return Bytes(path);
}

// Every row that is returned is one that was written, in order from the first.
void ExpectPrefix(const Result& got, const Result& all) {
  ASSERT_LE(got.times.size(), all.times.size());
  ExpectSameRows(got, all, got.times.size());
}

TEST(Crc32c, KnownValues) {
  EXPECT_EQ(Crc32c(""), 0u);
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(Crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
}

TEST(Cotr, CutAtEveryByte) {
  const Scratch scratch;
  const Result all = Example(9);
  const std::string bytes = Written(all, scratch / "whole.cotr");
  size_t most = 0, unreadable = 0;
  for (size_t length = 0; length < bytes.size(); ++length) {
    PutBytes(scratch / "cut.cotr", bytes.substr(0, length));
    std::string problem;
    const auto got = ReadResult(scratch / "cut.cotr", &problem);
    if (!got) {
      EXPECT_FALSE(problem.empty());
      EXPECT_EQ(most, 0u) << "rows were lost by one byte more";
      ++unreadable;
      continue;
    }
    ExpectPrefix(*got, all);
    EXPECT_GE(got->times.size(), most);
    most = got->times.size();
    EXPECT_FALSE(got->complete()) << length;
    EXPECT_EQ(got->status, "interrupted");
  }
  EXPECT_EQ(most, all.times.size());
  EXPECT_LT(unreadable, bytes.size() - 200) << "the header is a small part";
  std::string problem;
  const auto whole = ReadResult(scratch / "whole.cotr", &problem);
  ASSERT_TRUE(whole.has_value());
  EXPECT_TRUE(whole->complete());
}

TEST(Cotr, BigFileCutAnywhere) {
  const Scratch scratch;
  const Result all = Example(20000);
  const std::string bytes = Written(all, scratch / "whole.cotr");
  EXPECT_GT(bytes.size(), 5u * 65536);
  std::mt19937 random(7);
  for (int k = 0; k < 60; ++k) {
    const size_t length = std::uniform_int_distribution<size_t>(1000, bytes.size() - 1)(random);
    PutBytes(scratch / "cut.cotr", bytes.substr(0, length));
    std::string problem;
    const auto got = ReadResult(scratch / "cut.cotr", &problem);
    ASSERT_TRUE(got.has_value()) << problem;
    ExpectPrefix(*got, all);
    // At most one block is lost.
    EXPECT_GE((got->times.size() + 1) * 32 + 2 * 65536, length);
    EXPECT_FALSE(got->complete());
  }
}

TEST(Cotr, EveryChangedByteIsFound) {
  const Scratch scratch;
  const Result all = Example(9);
  const std::string bytes = Written(all, scratch / "whole.cotr");
  for (size_t place = 0; place < bytes.size(); ++place) {
    std::string changed = bytes;
    changed[place] = static_cast<char>(changed[place] ^ (1 << (place % 8)));
    PutBytes(scratch / "changed.cotr", changed);
    std::string problem;
    const auto got = ReadResult(scratch / "changed.cotr", &problem);
    if (!got) continue;  // the signature or the header
    EXPECT_FALSE(got->complete()) << "byte " << place;
    EXPECT_FALSE(got->damage.empty());
    ExpectPrefix(*got, all);
  }
}

TEST(Cotr, AWriterThatDiesLeavesItsRows) {
  const Scratch scratch;
  const Result all = Example(20000);
  {
    const auto writer = MakeResultWriter(scratch / "died.cotr", ResultFormat::kCotr);
    ASSERT_TRUE(writer->Begin(all.header));
    for (size_t r = 0; r < all.times.size(); ++r) {
      const double row[] = {all.columns[0][r], all.columns[1][r], all.columns[3][r]};
      ASSERT_TRUE(writer->Row(all.times[r], row));
    }
  }
  std::string problem;
  const auto got = ReadResult(scratch / "died.cotr", &problem);
  ASSERT_TRUE(got.has_value());
  EXPECT_GE(got->times.size() + 65536 / 32, all.times.size());
  EXPECT_EQ(got->status, "interrupted");
  EXPECT_TRUE(got->damage.empty()) << got->damage;
  ExpectPrefix(*got, all);
}

TEST(Cotr, AFullDiskIsSaid) {
  std::string problem;
  EXPECT_FALSE(WriteResult(Example(20000), "/dev/full", ResultFormat::kCotr, &problem));
  EXPECT_NE(problem.find("No space left"), std::string::npos) << problem;
  EXPECT_FALSE(WriteResult(Example(3), "/nowhere/at/all.cotr", ResultFormat::kCotr, &problem));
  EXPECT_NE(problem.find("/nowhere/at/all.cotr"), std::string::npos) << problem;
}

}  // namespace
}  // namespace cotree
