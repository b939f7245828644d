// SPDX-License-Identifier: Apache-2.0
// A system from text with the standard library, up to its normal tree.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/build_model.h"
#include "normal_tree/check_normal_tree.h"
#include "normal_tree/normal_tree.h"
#include "system_graph/build_system_graph.h"

namespace cotree::testing_networks {

class FileReader : public TextReader {
 public:
  std::optional<std::string> Read(const std::string& path) override {
    std::ifstream file(path);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
};

struct TextNetwork {
  Model model;
  Diagnostics diagnostics;
  FileReader reader;
  std::unique_ptr<Declarations> declarations;
  SystemGraph graph;
  std::vector<ScalarElement> scalars;
  NormalTree tree;

  /// The text of a system, or the path of a file.
  explicit TextNetwork(const std::string& body) {
    declarations = std::make_unique<Declarations>(model, diagnostics, reader);
    const std::string folder = std::string(COTREE_SOURCE_DIR) + "/library";
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".cot") names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      std::ifstream file(folder + "/" + name);
      declarations->AddLibraryFile("library/" + name, {std::istreambuf_iterator<char>(file), {}});
    }
    if (body.ends_with(".cot"))
      declarations->AddFile(body);
    else
      declarations->AddText("test.cot", body);
    BuildModel(model, *declarations, diagnostics);
    for (const Diagnostic& d : diagnostics.list()) {
      if (!diagnostics.ok()) ADD_FAILURE() << d.message << "\n" << body;
    }
    if (!diagnostics.ok() || model.systems.empty()) return;
    graph = BuildSystemGraph(model, model.systems.front(), diagnostics);
    scalars = MakeScalars(model, graph);
    tree = FindNormalTree(model, graph, scalars);
    EXPECT_EQ(CheckNormalTree(model, graph, scalars, tree), "") << body;
  }

  std::string Names(const std::vector<EdgeId>& edges) const {
    std::string out;
    for (const EdgeId e : edges) out += (out.empty() ? "" : " ") + EdgeName(model, graph, e);
    return out;
  }
  EdgeId Edge(const std::string& name) const {
    for (uint32_t e = 0; e < graph.edges.size(); ++e) {
      if (EdgeName(model, graph, EdgeId(e)) == name) return EdgeId(e);
    }
    ADD_FAILURE() << "no edge " << name;
    return EdgeId(0);
  }
  /// "C1:x R:y": what is primary, by edge.
  std::string Primary() const {
    static const char* const kText[] = {"-", "x", "y", "xy"};
    std::string out;
    for (uint32_t e = 0; e < graph.edges.size(); ++e)
      out += (out.empty() ? "" : " ") + EdgeName(model, graph, EdgeId(e)) + ":" + kText[tree.primary[e]];
    return out;
  }
};

}  // namespace cotree::testing_networks
