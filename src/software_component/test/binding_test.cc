// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "software_component/component_binding.h"

namespace cotree {
namespace {

ComponentDescription Library() {
  ComponentDescription d;
  d.inputs = {{"a", 0.0}, {"b", 0.0}};
  d.outputs = {{"p", 0.0}, {"q", 0.0}, {"r", 0.0}};
  d.groups = {{{0, 2}, {}}, {{1}, {1}}};  // p, r: none; q: b
  return d;
}

TEST(ComponentBinding, NumbersOfBothSidesFit) {
  ComponentBinding binding;
  const ComponentInterface model = {{"b", "a"}, {"r", "q", "p"}, {}, {{{0}, {}}, {{1, 2}, {0, 1}}}, 0.0};
  EXPECT_EQ(BindComponent(model, Library(), &binding), "");
  EXPECT_EQ(binding.inputs, (std::vector<uint32_t>{1, 0}));
  EXPECT_EQ(binding.outputs, (std::vector<uint32_t>{2, 1, 0}));
  EXPECT_EQ(binding.library_groups, (std::vector<std::vector<uint32_t>>{{0}, {0, 1}}));
}

TEST(ComponentBinding, ContradictionsAreNamed) {
  ComponentBinding binding;
  ComponentInterface model = {{"a", "b"}, {"p", "q", "r"}, {}, {{{0, 2}, {}}, {{1}, {0}}}, 0.0};
  EXPECT_EQ(BindComponent(model, Library(), &binding),
            "output `q` depends directly on input `b` in the library, but not by `feedthrough` in the class");
  model.sample_period = 0.5;
  EXPECT_EQ(BindComponent(model, Library(), &binding),
            "the class is sampled every 0.5 s, the library continuous");
  model.outputs = {"p", "q"};
  EXPECT_EQ(BindComponent(model, Library(), &binding),
            "the library has output `r`, which the class does not declare");
  model.inputs = {"a", "b", "c"};
  EXPECT_EQ(BindComponent(model, Library(), &binding),
            "the class declares input `c`, which the library does not have (it has `a`, `b`)");
}

}  // namespace
}  // namespace cotree
