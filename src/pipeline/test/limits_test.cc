// SPDX-License-Identifier: Apache-2.0
// Systems that are larger than memory: refused with a message, before the memory is taken.

#include <gtest/gtest.h>

#include "base/available_memory.h"
#include "pipeline/build_graphs.h"

namespace cotree {
namespace {

TEST(Limits, ASystemBeyondTheLimitIsRefusedWithTheReason) {
  for (const auto& [most, refused] : {std::pair{1000u, true}, {2002u, false}}) {
    NoReader reader;
    const auto loaded = LoadModelText("test.cot",
                                      "system S { v : VoltageSource(V = 1 V)  r : Resistor[1000](R = 1 ohm)\n"
                                      "  connect v.p -- r.p  connect v.n -- r.n -- electrical.ground }",
                                      reader);
    const std::vector<SystemGraph> graphs = BuildGraphs(*loaded, {most, ": for want of room"});
    ASSERT_EQ(graphs.size(), 1u);
    EXPECT_EQ(graphs[0].refused, refused);
    std::string all;
    for (const Diagnostic& d : loaded->diagnostics.list()) all += RenderText(d, loaded->model.files, false);
    EXPECT_EQ(all.find("signals: for want of room") != std::string::npos, refused) << all;
  }
}

TEST(Limits, MemoryIsCounted) {
  EXPECT_GT(AvailableMemory(), uint64_t{1} << 20);
  EXPECT_LE(LimitsOfMemory().most, GraphLimits().most);
}

}  // namespace
}  // namespace cotree
