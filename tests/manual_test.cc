// SPDX-License-Identifier: Apache-2.0
// The manual is true: every block ```cot checks clean, every block ```cot COT#### gives that message and no
// other.

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <vector>

#include "pipeline/build_graphs.h"
#include "pipeline/load_model.h"
#include "product_support.h"

namespace cotree {
namespace {

namespace fs = std::filesystem;

struct Block {
  fs::path file;
  size_t line;       // of the opening fence
  std::string mark;  // what stands behind ```
  std::string code;
};

std::vector<Block> BlocksOf(const fs::path& path) {
  std::vector<Block> blocks;
  const std::string text = test::ReadText(path);
  bool inside = false;
  size_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    const size_t fence = line.find_first_not_of(' ');
    if (fence != std::string::npos && line.compare(fence, 3, "```") == 0) {
      if (!inside) blocks.push_back({path, number, line.substr(fence + 3), ""});
      inside = !inside;
    } else if (inside) {
      blocks.back().code += line + "\n";
    }
  }
  EXPECT_FALSE(inside) << path << ": a block is not closed";
  return blocks;
}

std::vector<Block> CotreeBlocks() {
  std::vector<fs::path> pages = test::FilesBelow("docs/manual", ".md");
  if (fs::exists(test::kRoot / "README.md")) pages.push_back(test::kRoot / "README.md");
  std::vector<Block> found;
  for (const fs::path& page : pages) {
    for (Block& block : BlocksOf(page)) {
      if (block.mark == "cot" || block.mark.rfind("cot ", 0) == 0) found.push_back(std::move(block));
    }
  }
  return found;
}

TEST(Manual, EveryBlockDoesWhatItsMarkSays) {
  size_t clean = 0, wrong = 0;
  for (const Block& block : CotreeBlocks()) {
    const std::string where = block.file.filename().string() + ":" + std::to_string(block.line);
    SCOPED_TRACE(where + "\n" + block.code);
    NoReader reader;
    const auto loaded = LoadModelText(where, block.code, reader);
    BuildGraphs(*loaded);
    const auto& list = loaded->diagnostics.list();
    if (block.mark == "cot") {
      ++clean;
      EXPECT_TRUE(list.empty()) << test::Render(loaded->diagnostics, loaded->model.files);
      continue;
    }
    ++wrong;
    const std::string code = block.mark.substr(4);
    ASSERT_EQ(code.size(), 7u) << "a mark is `cot` or `cot COT####`";
    EXPECT_FALSE(list.empty()) << "no message, but the manual promises " << code;
    for (const Diagnostic& d : list) {
      EXPECT_EQ(CodeText(*d.info), code) << test::Render(loaded->diagnostics, loaded->model.files);
    }
  }
  std::printf("manual: %zu blocks check clean, %zu give the message they promise\n", clean, wrong);
  EXPECT_GE(clean, 12u);
  EXPECT_GE(wrong, 3u);
}

// Nothing that looks like a model escapes the test above.
TEST(Manual, EveryBlockIsMarked) {
  for (const fs::path& page : test::FilesBelow("docs/manual", ".md")) {
    for (const Block& block : BlocksOf(page)) {
      const bool looks_like_a_model = block.code.find("connect ") != std::string::npos &&
                                      block.code.find("\"connect\"") == std::string::npos;
      EXPECT_TRUE(!looks_like_a_model || !block.mark.empty())
          << page << ":" << block.line << ": a block of the language without a mark is not tested";
    }
  }
}

}  // namespace
}  // namespace cotree
