// SPDX-License-Identifier: Apache-2.0
// What the program prints as JSON keeps to the schemas in docs/schema, and the schemas are narrow enough to
// mean something.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "cli/check_json.h"
#include "cli/commands.h"
#include "cli/graph_json.h"
#include "pipeline/build_graphs.h"
#include "pipeline/load_model.h"
#include "product_support.h"

namespace cotree {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/** A validator for the part of JSON Schema 2020-12 that our schemas use. A keyword it does not know is an
error, so that none is thought to be checked and is not. */
class Schema {
 public:
  explicit Schema(Json root) : root_(std::move(root)) {}

  /// What is wrong with a document, one line each.
  std::vector<std::string> Validate(const Json& document) {
    errors_.clear();
    Check(root_, document, "$");
    return errors_;
  }

 private:
  void Fail(const std::string& at, const std::string& what) { errors_.push_back(at + ": " + what); }

  static bool IsType(const Json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "null") return value.is_null();
    if (type == "number") return value.is_number();
    if (type == "integer")
      return value.is_number_integer() ||
             (value.is_number() && std::floor(value.get<double>()) == value.get<double>());
    return false;
  }

  void Check(const Json& schema, const Json& value, const std::string& at) {
    static const std::set<std::string> kNotes{"$schema", "$id",         "$defs",
                                              "title",   "description", "properties"};
    for (const auto& [keyword, rule] : schema.items()) {
      if (kNotes.contains(keyword)) continue;
      if (keyword == "$ref") {
        const std::string target = rule;
        if (target.rfind("#/", 0) != 0)
          Fail(at, "cannot follow " + target);
        else
          Check(root_.at(Json::json_pointer(target.substr(1))), value, at);
      } else if (keyword == "type") {
        if (!IsType(value, rule)) Fail(at, "is not of type " + rule.get<std::string>() + ": " + value.dump());
      } else if (keyword == "const") {
        if (value != rule) Fail(at, "is not " + rule.dump());
      } else if (keyword == "enum") {
        if (std::find(rule.begin(), rule.end(), value) == rule.end())
          Fail(at, "is none of " + rule.dump() + ": " + value.dump());
      } else if (keyword == "required") {
        for (const Json& name : rule) {
          if (value.is_object() && !value.contains(name.get<std::string>()))
            Fail(at, "lacks " + name.get<std::string>());
        }
      } else if (keyword == "additionalProperties") {
        if (rule != false) Fail(at, "additionalProperties is only understood as false");
        if (!value.is_object()) continue;
        for (const auto& [name, inner] : value.items()) {
          if (!schema.contains("properties") || !schema["properties"].contains(name))
            Fail(at, "has " + name + ", which is not in the schema");
        }
      } else if (keyword == "items") {
        for (size_t i = 0; value.is_array() && i < value.size(); ++i)
          Check(rule, value[i], at + "[" + std::to_string(i) + "]");
      } else if (keyword == "pattern") {
        if (value.is_string() &&
            !std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>())))
          Fail(at, "does not match " + rule.get<std::string>() + ": " + value.dump());
      } else if (keyword == "minimum") {
        if (value.is_number() && value.get<double>() < rule.get<double>())
          Fail(at, "is less than " + rule.dump());
      } else if (keyword == "anyOf") {
        const std::vector<std::string> before = errors_;
        bool fits = false;
        for (const Json& choice : rule) {
          errors_.clear();
          Check(choice, value, at);
          fits = fits || errors_.empty();
        }
        errors_ = before;
        if (!fits) Fail(at, "fits none of the choices: " + value.dump());
      } else {
        Fail(at, "the schema uses `" + keyword + "`, which this test does not know");
      }
    }
    if (!schema.contains("properties") || !value.is_object()) return;
    for (const auto& [name, rule] : schema["properties"].items()) {
      if (value.contains(name)) Check(rule, value[name], at + "." + name);
    }
  }

  Json root_;
  std::vector<std::string> errors_;
};

Json ReadJson(const fs::path& path) {
  return Json::parse(test::ReadText(test::kRoot / path));
}
Schema CheckSchema() {
  return Schema(ReadJson("docs/schema/cotree.check-1.json"));
}
Schema LibrarySchema() {
  return Schema(ReadJson("docs/schema/cotree.library-1.json"));
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

Json CheckOutput(const fs::path& path, bool everything) {
  DiskReader reader;
  CheckOptions options;
  options.file = path.string();
  options.units = options.parameters = options.statistics = everything;
  const auto loaded = LoadModel(options.file, reader);
  return Json::parse(CheckJson(*loaded, options));
}

TEST(Schema, CheckOfEveryFile) {
  Schema schema = CheckSchema();
  size_t files = 0, findings = 0;
  for (const char* folder : {"examples", "tests/models", "tests/demo", "tests/diagnostics", "library"}) {
    for (const fs::path& path : test::FilesBelow(folder, ".cot")) {
      for (const bool everything : {false, true}) {
        const Json output = CheckOutput(path, everything);
        EXPECT_EQ(Joined(schema.Validate(output)), "") << path;
        EXPECT_EQ(output.at("ok").get<bool>(), output.at("errors") == 0);
        EXPECT_EQ(output.contains("statistics"), everything);
        findings += output.at("diagnostics").size();
      }
      ++files;
    }
  }
  EXPECT_GE(files, 30u);
  std::printf("schema: %zu files, %zu findings keep to cotree.check/1\n", files, findings);
}

TEST(Schema, GraphOfEveryFile) {
  Schema schema(ReadJson("docs/schema/cotree.graph-1.json"));
  size_t edges = 0, systems = 0;
  for (const char* folder : {"examples", "tests/models", "tests/demo", "tests/diagnostics"}) {
    for (const fs::path& path : test::FilesBelow(folder, ".cot")) {
      DiskReader reader;
      GraphOptions options;
      options.file = path.string();
      const auto loaded = LoadModel(options.file, reader);
      const std::vector<SystemGraph> graphs = BuildGraphs(*loaded);
      std::vector<const SystemGraph*> all;
      for (const SystemGraph& graph : graphs) all.push_back(&graph);
      const Json output = Json::parse(GraphJson(*loaded, all, options));
      EXPECT_EQ(Joined(schema.Validate(output)), "") << path;
      systems += output.at("systems").size();
      for (const Json& system : output.at("systems")) edges += system.at("edges").size();
    }
  }
  EXPECT_GE(systems, 60u);
  EXPECT_GE(edges, 300u);
  std::printf("schema: %zu systems with %zu edges keep to cotree.graph/1\n", systems, edges);
}

TEST(Schema, GraphAsTheCommandPrintsIt) {
  const auto run = test::RunCotree({"graph", "examples/positioner/positioner.cot", "--format", "json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json output = Json::parse(run.out);
  EXPECT_EQ(Joined(Schema(ReadJson("docs/schema/cotree.graph-1.json")).Validate(output)), "");
  EXPECT_EQ(output.at("systems").at(0).at("edges").size(), 5u);
  Json bad = output;
  bad["systems"][0]["edges"][0]["kinds"] = {"burns"};
  EXPECT_FALSE(Schema(ReadJson("docs/schema/cotree.graph-1.json")).Validate(bad).empty());
  // What stands in space.
  for (const std::string command : {"graph", "tree"}) {
    Json told =
        Json::parse(test::RunCotree({command, "examples/seeker/nine_bodies.cot", "--format", "json"}).out);
    Schema schema(ReadJson("docs/schema/cotree." + command + "-1.json"));
    EXPECT_EQ(Joined(schema.Validate(told)), "");
    Json& mechanism = (command == "graph" ? told["systems"][0] : told["system"])["mechanism"];
    EXPECT_EQ(mechanism["joints"].size(), 4u);
    mechanism["joints"][0]["role"] = "glued";
    EXPECT_FALSE(schema.Validate(told).empty());
  }
}

std::string SchemaOf(const std::string& command) {
  return command == "derive"
             ? "docs/schema/cotree.derivation-1.json"
             : "docs/schema/cotree." + command + (command == "equations" ? "-2.json" : "-1.json");
}

// What the commands about a translated system print: for each system, good or not.
TEST(Schema, TreeOrderEquationsAndLinearModelOfEverySystem) {
  const std::vector<std::vector<std::string>> commands{{"tree", "--statistics"},
                                                       {"order", "--statistics"},
                                                       {"equations", "--form", "causal"},
                                                       {"equations", "--form", "system"},
                                                       {"equations", "--form", "state-space"},
                                                       {"derive"},
                                                       {"linearize"}};
  std::map<std::string, Schema> schemas;
  std::map<std::string, size_t> translated;
  for (const auto& command : commands) schemas.try_emplace(command[0], ReadJson(SchemaOf(command[0])));
  for (const char* folder : {"examples", "tests/models"}) {
    for (const fs::path& path : test::FilesBelow(folder, ".cot")) {
      DiskReader reader;
      const auto loaded = LoadModel(path.string(), reader);
      for (const ClassId id : loaded->model.systems) {
        for (std::vector<std::string> words : commands) {
          words.insert(words.end(), {path.string(), "--format", "json", "--system",
                                     loaded->model.Text(loaded->model[id].name)});
          const auto run = test::RunCotree(words);
          if (run.exit_code > 1 || run.out.empty()) continue;  // nothing to show: said on stderr
          const Json output = Json::parse(run.out);
          EXPECT_EQ(Joined(schemas.at(words[0]).Validate(output)), "") << words[0] << " " << path;
          EXPECT_EQ(output.at("ok").get<bool>(), run.exit_code == 0);
          EXPECT_EQ(output.at("system").is_null(), run.exit_code != 0);
          if (run.exit_code == 0) ++translated[words[0]];
        }
      }
    }
  }
  for (const auto& [command, count] : translated) {
    std::printf("schema: %zu systems keep to the schema of cotree %s\n", count, command.c_str());
    EXPECT_GE(count, 35u) << command;
  }
  EXPECT_EQ(translated.size(), 5u);
}

// Each of these schemas sees a broken document.
TEST(Schema, ABrokenTranslationFails) {
  const auto broken = [](const std::vector<std::string>& command, const char* pointer, const Json& value) {
    std::vector<std::string> words = command;
    words.insert(words.end(), {"tests/models/rlc_series.cot", "--format", "json"});
    Json output = Json::parse(test::RunCotree(words).out);
    Schema schema(ReadJson(SchemaOf(command[0])));
    EXPECT_EQ(Joined(schema.Validate(output)), "");
    output[Json::json_pointer(pointer)] = value;
    return !schema.Validate(output).empty();
  };
  EXPECT_TRUE(broken({"tree"}, "/system/edges/0/across_primary", 1));
  EXPECT_TRUE(broken({"tree"}, "/system/circuits/entries/0/2", -2));
  EXPECT_TRUE(broken({"order"}, "/system/blocks/0/kind", "magic"));
  EXPECT_TRUE(broken({"order"}, "/system/blocks/0/number", 0));
  EXPECT_TRUE(broken({"equations"}, "/system/form", "system"));
  EXPECT_TRUE(broken({"equations"}, "/system/surprise", 1));
  EXPECT_TRUE(broken({"equations", "--form", "system"}, "/system/groups/0/equations", "v = R*i"));
  EXPECT_TRUE(broken({"equations", "--form", "state-space"}, "/system/state_space/derivatives/0/right", 1));
  EXPECT_TRUE(broken({"equations", "--form", "linear"}, "/system/state_space/symbols/0/role", "king"));
  EXPECT_TRUE(broken({"linearize"}, "/system/poles/0/natural_frequency", -1));
  EXPECT_TRUE(broken({"linearize"}, "/system/A", nullptr));
  EXPECT_TRUE(broken({"trim"}, "/system/states", nullptr));
}

TEST(Schema, CheckOfAFileThatIsNotThere) {
  EXPECT_EQ(Joined(CheckSchema().Validate(CheckOutput("/nonexistent/nothing.cot", true))), "");
}

TEST(Schema, CheckAsTheCommandPrintsIt) {
  const auto run = test::RunCotree({"check", "examples/positioner/positioner.cot", "--format", "json",
                                    "--units", "--parameters", "--statistics"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json output = Json::parse(run.out);
  EXPECT_EQ(Joined(CheckSchema().Validate(output)), "");
  EXPECT_EQ(output.at("file"), "examples/positioner/positioner.cot");
  EXPECT_FALSE(output.at("systems").at(0).at("units").empty());
  EXPECT_FALSE(output.at("systems").at(0).at("parameters").empty());
}

TEST(Schema, ProfileOfARun) {
  Schema schema(ReadJson("docs/schema/cotree.profile-1.json"));
  for (const char* file : {"examples/positioner/positioner.cot", "tests/models/rlc_series.cot",
                           "examples/gyroscope/gyroscope.cot"}) {
    const auto run = test::RunCotree({"profile", file, "--format", "json"});
    ASSERT_EQ(run.exit_code, 0) << file << run.err;
    Json output = Json::parse(run.out);
    EXPECT_EQ(Joined(schema.Validate(output)), "") << file;
    output["system"]["stages"][0]["name"] = "lunch";
    EXPECT_FALSE(schema.Validate(output).empty());
  }
}

TEST(Schema, TheWholeLibrary) {
  const auto run = test::RunCotree({"library", "--format", "json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json output = Json::parse(run.out);
  EXPECT_EQ(Joined(LibrarySchema().Validate(output)), "");
  EXPECT_GE(output.at("classes").size(), 90u);
}

TEST(Schema, OneClassOfTheLibrary) {
  const auto run = test::RunCotree({"library", "DCMotor", "--format", "json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json output = Json::parse(run.out);
  EXPECT_EQ(Joined(LibrarySchema().Validate(output)), "");
  EXPECT_EQ(output.at("classes").size(), 3u) << "one for each model";
}

// A test that cannot fail says nothing: each way of breaking a document is seen.
TEST(Schema, ABrokenDocumentFails) {
  Schema check = CheckSchema();
  const Json good = CheckOutput(test::kRoot / "tests/demo/positioner_broken.cot", true);
  ASSERT_FALSE(good.at("diagnostics").empty());
  ASSERT_EQ(Joined(check.Validate(good)), "");
  const auto broken = [&](const char* pointer, const Json& value) {
    Json bad = good;
    bad[Json::json_pointer(pointer)] = value;
    return !check.Validate(bad).empty();
  };
  EXPECT_TRUE(broken("/schema", "cotree.check/2"));               // const
  EXPECT_TRUE(broken("/errors", -1));                             // minimum
  EXPECT_TRUE(broken("/errors", 0.5));                            // type
  EXPECT_TRUE(broken("/surprise", 1));                            // additionalProperties
  EXPECT_TRUE(broken("/diagnostics/0/code", "COT12"));            // pattern
  EXPECT_TRUE(broken("/diagnostics/0/severity", "fatal"));        // enum
  EXPECT_TRUE(broken("/diagnostics/0/place", "line 3"));          // anyOf
  EXPECT_TRUE(broken("/diagnostics/0/place/line", 0));            // anyOf, $ref, minimum
  EXPECT_TRUE(broken("/diagnostics/0/notes", Json::array({1})));  // items
  EXPECT_FALSE(broken("/diagnostics/0/place", nullptr));
  Json short_one = good;
  short_one["diagnostics"][0].erase("message");
  EXPECT_FALSE(check.Validate(short_one).empty());  // required

  Schema library = LibrarySchema();
  EXPECT_FALSE(library.Validate(good).empty());
  EXPECT_FALSE(Schema(Json{{"maxLength", 3}}).Validate("abcd").empty()) << "an unknown keyword must not pass";
}

// Every object of a schema says which members it has and allows no others.
TEST(Schema, SchemasAreClosed) {
  const auto visit = [](const auto& self, const Json& schema, const std::string& at) -> void {
    if (schema.is_object()) {
      if (schema.contains("type") && schema["type"] == "object") {
        EXPECT_TRUE(schema.contains("properties") && schema.value("additionalProperties", true) == false)
            << at;
      }
      for (const auto& [name, inner] : schema.items()) self(self, inner, at + "/" + name);
    }
  };
  for (const fs::path& path : test::FilesBelow("docs/schema", ".json")) {
    const Json schema = Json::parse(test::ReadText(path));
    EXPECT_EQ(schema.at("$schema"), "https://json-schema.org/draft/2020-12/schema");
    visit(visit, schema, path.filename().string());
  }
}

}  // namespace
}  // namespace cotree
