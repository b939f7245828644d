// SPDX-License-Identifier: Apache-2.0
// Must-show 2 of issue 2: single faults in the examples, the same ones in every run, are found where they
// are.
//
// Each kind of fault is a list of places in a text, made from the syntax tree and the checked model of the
// correct file, each with the wrong texts that may stand there. A place enters a list only if every one of
// its wrong texts breaks a rule of the language: a unit of another dimension, a name that does not exist, a
// bracket without its partner. So a mutant that gives no error is a fault of the front end.

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "language/lex.h"
#include "pipeline/load_model.h"
#include "product_support.h"

namespace cotree {
namespace {

namespace fs = std::filesystem;

/** SplitMix64: small, and the same on every machine. */
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  size_t Below(size_t n) { return static_cast<size_t>(Next() % n); }

 private:
  uint64_t state_;
};

enum FaultKind : size_t {
  kWrongUnit,
  kMissingUnit,
  kMisspeltClass,
  kMisspeltInstance,
  kMisspeltParameter,
  kMisspeltTerminal,
  kOtherDomain,
  kSignalAndTerminal,
  kDuplicatedName,
  kDroppedBracket,
  kDroppedKeyword,
  kFaultKinds
};
constexpr const char* kKindNames[kFaultKinds] = {
    "wrong unit",         "missing unit",      "misspelt class",         "misspelt instance",
    "misspelt parameter", "misspelt terminal", "wire to another domain", "wire between signal and terminal",
    "duplicated name",    "bracket dropped",   "keyword dropped"};

/** Bytes [begin, end) of a text, and what may stand there instead; the line of `begin` is then the broken
 * one. */
struct Place {
  uint32_t begin, end;
  std::vector<std::string> wrong;
};

using Names = std::set<std::string>;

/// All words with one character dropped, swapped with its neighbour or replaced that are names and mean
/// nothing.
std::vector<std::string> Misspellings(const std::string& name, const Names& taken) {
  Names words;
  const auto add = [&](const std::string& word) {
    const bool is_name =
        !word.empty() && (std::isalpha(static_cast<unsigned char>(word[0])) != 0 || word[0] == '_');
    if (is_name && word != name && !taken.contains(word) && ReservedWord(word) == TokenKind::kName)
      words.insert(word);
  };
  for (size_t i = 0; i < name.size(); ++i) {
    add(name.substr(0, i) + name.substr(i + 1));
    if (i + 1 < name.size()) {
      std::string swapped = name;
      std::swap(swapped[i], swapped[i + 1]);
      add(swapped);
    }
    for (const char c : {'x', 'e', 'k', 'Z'}) {
      std::string replaced = name;
      replaced[i] = c;
      add(replaced);
    }
  }
  return {words.begin(), words.end()};
}

/** Finds the places for all kinds of fault in one correct file. */
class FaultFinder {
 public:
  FaultFinder(const std::string& path, const std::string& text) : text_(text) {
    NoReader reader;
    loaded_ = LoadModelText(path, text, reader);
    EXPECT_EQ(loaded_->diagnostics.list().size(), 0u)
        << test::Render(loaded_->diagnostics, loaded_->model.files);
    const FileId file = loaded_->declarations->own_files().at(0);
    for (const auto& tree : loaded_->model.trees) {
      if (tree->file == file) tree_ = tree.get();
    }
    for (const std::string_view name : loaded_->declarations->Names([](NodeKind) { return true; }))
      declared_.emplace(name);
    for (const NodeId declaration : tree_->Children(tree_->root)) FindInDeclaration(declaration);
    FindInTokens();
  }

  std::vector<Place> places[kFaultKinds];

 private:
  std::string Text(NodeId node) const { return std::string(tree_->Text(node)); }
  std::string Name(NodeId node) const { return std::string(tree_->Name(node)); }
  const Model& model() const { return loaded_->model; }

  void Add(FaultKind kind, Span span, std::vector<std::string> wrong) {
    if (!wrong.empty()) places[kind].push_back({span.begin, span.end, std::move(wrong)});
  }

  const ComponentClass* ClassNamed(const std::string& name) const {
    for (const auto* list : {&model().systems, &model().own_classes}) {
      for (const ClassId id : *list) {
        if (model().Text(model()[id].name) == name) return &model()[id];
      }
    }
    return nullptr;
  }

  std::optional<Member> Find(const ComponentClass& cls, const std::string& name) const {
    const NameId id = model().names.Find(name);
    return id.IsNone() ? std::nullopt : cls.members.Find(id);
  }

  const ComponentClass* ClassOfInstance(const ComponentClass& cls, const std::string& name) const {
    const auto member = Find(cls, name);
    if (!member || member->kind != MemberKind::kInstance) return nullptr;
    return &model()[cls.instances[member->index].class_id];
  }

  // Everything a name in this class could mean.
  Names MembersOf(const ComponentClass& cls) const {
    Names names;
    for (const auto& x : cls.terminals) names.insert(model().Text(x.name));
    for (const auto& x : cls.parameters) names.insert(model().Text(x.name));
    for (const auto& x : cls.variables) names.insert(model().Text(x.name));
    for (const auto& x : cls.edges) {
      names.insert(model().Text(x.name));
      const Domain& d = model().domains[x.domain.index()];
      for (const NameId id : {d.across, d.rate, d.acceleration, d.through}) names.insert(model().Text(id));
    }
    for (const auto& x : cls.instances) names.insert(model().Text(x.name));
    return names;
  }

  std::vector<NodeId> Segments(NodeId path) const {
    std::vector<NodeId> segments;
    for (const NodeId segment : tree_->Children(path)) segments.push_back(segment);
    return segments;
  }

  void FindInDeclaration(NodeId declaration) {
    const NodeKind kind = tree_->kind(declaration);
    if (kind == NodeKind::kExperiment) {
      const NodeId path = tree_->Child(declaration, NodeKind::kPath);
      Add(kMisspeltClass, tree_->SpanOf(path), Misspellings(Text(path), declared_));
      FindInMembers(declaration, *ClassNamed(Text(path)));
    } else if (kind == NodeKind::kComponent || kind == NodeKind::kSystem) {
      const ComponentClass& cls = *ClassNamed(Name(declaration));
      FindInMembers(declaration, cls);
      FindDuplicates(declaration);
    }
  }

  // Units, names and wires, in all nodes below.
  void FindInMembers(NodeId node, const ComponentClass& cls) {
    for (const NodeId child : tree_->Children(node)) {
      switch (tree_->kind(child)) {
        case NodeKind::kQuantityLiteral:
          FindWrongUnit(child);
          break;
        case NodeKind::kParameter: {
          const auto member = Find(cls, Name(child));
          FindMissingUnit(child, cls.parameters[member->index].type);
          break;
        }
        case NodeKind::kSetting:
          FindMissingUnit(child, std::nullopt);
          break;
        case NodeKind::kStart:
          FindMissingUnit(child, std::nullopt);
          break;
        case NodeKind::kInstance:
          FindInInstance(child);
          break;
        case NodeKind::kSet:
          FindInSet(child, cls);
          break;
        case NodeKind::kConnect:
          FindInConnect(child, cls);
          break;
        case NodeKind::kPath:
          FindInUse(child, cls);
          break;
        default:
          break;
      }
      if (tree_->kind(child) == NodeKind::kInstance) {
        // What stands among arguments belongs to two classes: values to this one, names to the instance's.
        for (const NodeId inner : tree_->Children(child)) {
          const NodeId arguments = tree_->kind(inner) == NodeKind::kClass
                                       ? tree_->Child(inner, NodeKind::kArguments)
                                       : NodeId::None();
          if (arguments.IsNone()) continue;
          for (const NodeId argument : tree_->Children(arguments)) {
            if (tree_->kind(argument) == NodeKind::kStart) FindMissingUnit(argument, std::nullopt);
            bool first = true;
            for (const NodeId part : tree_->Children(argument)) {
              if (!first) FindInExpression(part, cls);
              first = false;
            }
          }
        }
      } else if (tree_->kind(child) != NodeKind::kPath) {
        FindInMembers(child, cls);
      }
    }
  }

  void FindInExpression(NodeId node, const ComponentClass& cls) {
    if (tree_->kind(node) == NodeKind::kQuantityLiteral) FindWrongUnit(node);
    if (tree_->kind(node) == NodeKind::kPath)
      FindInUse(node, cls);
    else
      FindInMembers(node, cls);
  }

  void FindWrongUnit(NodeId literal) {
    const NodeId unit = tree_->Child(literal, NodeKind::kUnit);
    UnitTable& table = loaded_->model.units;
    const Dimension right = table.Lookup(tree_->Text(unit))->dimension;
    std::vector<std::string> wrong;
    for (const char* other : {"V", "A", "ohm", "F", "mH", "N", "mm", "kg", "ms", "bar", "K", "W", "m^3/s",
                              "N*m/A", "1/s", "rad"}) {
      if (table.Lookup(other)->dimension != right) wrong.emplace_back(other);
    }
    Add(kWrongUnit, tree_->SpanOf(unit), wrong);
  }

  // The value of a declaration or argument. A bare number is allowed for 0, for an angle and for a dimension
  // that is inferred.
  void FindMissingUnit(NodeId holder, const std::optional<Type>& type) {
    if (type && (!type->declared || !type->dimension.generics.empty() || type->dimension.IsOne())) return;
    for (NodeId value : tree_->Children(holder)) {
      if (tree_->kind(value) == NodeKind::kNegate) value = tree_->Child(value, NodeKind::kQuantityLiteral);
      if (value.IsNone() || tree_->kind(value) != NodeKind::kQuantityLiteral) continue;
      const NodeId unit = tree_->Child(value, NodeKind::kUnit);
      if (NumberValue(tree_->Name(value)) == 0 ||
          loaded_->model.units.Lookup(tree_->Text(unit))->dimension.IsOne())
        continue;
      Add(kMissingUnit, tree_->SpanOf(unit), {""});
    }
  }

  void FindInInstance(NodeId instance) {
    const NodeId use = tree_->Child(instance, NodeKind::kClass);
    const NodeId path = tree_->Child(use, NodeKind::kPath);
    Add(kMisspeltClass, tree_->SpanOf(path), Misspellings(Text(path), declared_));
    const ComponentClass* cls = nullptr;
    for (const ComponentClass& c : model().classes) {
      if (model().Text(c.name) == Text(path)) cls = &c;
    }
    const NodeId arguments = tree_->Child(use, NodeKind::kArguments);
    if (arguments.IsNone()) return;
    for (const NodeId argument : tree_->Children(arguments)) {
      if (tree_->kind(argument) != NodeKind::kArgument) continue;
      const NodeId name = tree_->Child(argument, NodeKind::kPath);
      Add(kMisspeltParameter, tree_->SpanOf(name), Misspellings(Text(name), MembersOf(*cls)));
      FindMissingUnit(argument, cls->parameters[Find(*cls, Text(name))->index].type);
    }
  }

  // set load.J = 1e-4 kg*m^2
  void FindInSet(NodeId set, const ComponentClass& cls) {
    const auto segments = Segments(tree_->Child(set, NodeKind::kPath));
    const ComponentClass& inner = *ClassOfInstance(cls, Name(segments.at(0)));
    Add(kMisspeltParameter, tree_->SpanOf(segments.at(1)), Misspellings(Name(segments[1]), MembersOf(inner)));
    FindMissingUnit(set, inner.parameters[Find(inner, Name(segments[1]))->index].type);
  }

  // The first name of a path, wherever it is used: an instance or a parameter.
  void FindInUse(NodeId path, const ComponentClass& cls) {
    const NodeId first = Segments(path).at(0);
    const auto member = Find(cls, Name(first));
    if (!member) return;
    Names taken = MembersOf(cls);
    taken.insert({"pi", "time"});
    const auto words = Misspellings(Name(first), taken);
    if (member->kind == MemberKind::kInstance) Add(kMisspeltInstance, tree_->SpanOf(first), words);
    if (member->kind == MemberKind::kParameter) Add(kMisspeltParameter, tree_->SpanOf(first), words);
  }

  struct Joint {
    std::string path;
    DomainId domain;
  };
  // All terminals that a connection in this class may name.
  std::vector<Joint> Terminals(const ComponentClass& cls) const {
    std::vector<Joint> joints;
    for (const Terminal& t : cls.terminals) joints.push_back({model().Text(t.name), t.domain});
    for (const Instance& i : cls.instances) {
      for (const Terminal& t : model()[i.class_id].terminals)
        joints.push_back({model().Text(i.name) + "." + model().Text(t.name), t.domain});
    }
    for (size_t d = 0; d < model().domains.size(); ++d)
      joints.push_back({model().Text(model().domains[d].name) + ".ground", DomainId(d)});
    return joints;
  }
  std::vector<std::string> Outputs(const ComponentClass& cls) const {
    std::vector<std::string> outputs;
    for (const Instance& i : cls.instances) {
      for (const Variable& v : model()[i.class_id].variables) {
        if (v.role == VariableRole::kOutput)
          outputs.push_back(model().Text(i.name) + "." + model().Text(v.name));
      }
    }
    return outputs;
  }

  void FindInConnect(NodeId connect, const ComponentClass& cls) {
    const bool signal = tree_->Has(connect, kFlagSignal);
    const auto terminals = Terminals(cls);
    std::vector<std::string> plain;
    for (const Joint& t : terminals) plain.push_back(t.path);
    for (uint32_t t = (*tree_)[connect].first_token; t <= (*tree_)[connect].last_token; ++t) {
      if (tree_->tokens[t].kind() == TokenKind::kJoin) Add(kSignalAndTerminal, tree_->SpanOfToken(t), {"->"});
      if (tree_->tokens[t].kind() == TokenKind::kArrow)
        Add(kSignalAndTerminal, tree_->SpanOfToken(t), {"--"});
    }
    for (const NodeId path : tree_->Children(connect)) {
      if (tree_->kind(path) != NodeKind::kPath) continue;
      if (signal) {
        Add(kSignalAndTerminal, tree_->SpanOf(path), plain);
        continue;
      }
      Add(kSignalAndTerminal, tree_->SpanOf(path), Outputs(cls));
      const auto joint = std::find_if(terminals.begin(), terminals.end(),
                                      [&](const Joint& t) { return t.path == Text(path); });
      ASSERT_NE(joint, terminals.end()) << Text(path);
      std::vector<std::string> others;
      for (const Joint& t : terminals) {
        if (t.domain != joint->domain) others.push_back(t.path);
      }
      for (const char* domain : {"electrical", "translational", "rotational", "hydraulic", "thermal"}) {
        if (model().Text(model().domains[joint->domain.index()].name) != domain)
          others.push_back(std::string(domain) + ".ground");
      }
      Add(kOtherDomain, tree_->SpanOf(path), others);
      // The terminal's own name: the last of the path.
      const NodeId last = Segments(path).back();
      const ComponentClass* owner =
          Segments(path).size() == 1 ? &cls : ClassOfInstance(cls, Name(Segments(path).at(0)));
      Add(kMisspeltTerminal, tree_->SpanOf(last),
          Misspellings(Name(last), owner != nullptr ? MembersOf(*owner) : Names{}));
    }
  }

  // An instance declared again on a line of its own, somewhere below its declaration, perhaps of another
  // class.
  void FindDuplicates(NodeId declaration) {
    std::vector<NodeId> instances;
    std::vector<std::string> uses;
    for (const NodeId member : tree_->Children(declaration)) {
      if (tree_->kind(member) != NodeKind::kInstance) continue;
      instances.push_back(member);
      uses.push_back(Text(tree_->Child(member, NodeKind::kClass)));
    }
    for (const NodeId instance : instances) {
      for (const NodeId later : tree_->Children(declaration)) {
        const Token& token = tree_->tokens[(*tree_)[later].first_token];
        if ((*tree_)[later].first_token <= (*tree_)[instance].first_token || token.starts_line == 0) continue;
        const auto line = static_cast<uint32_t>(text_.rfind('\n', token.offset) + 1);
        std::vector<std::string> again;
        for (const std::string& use : uses) again.push_back("  " + Name(instance) + " : " + use + "\n");
        Add(kDuplicatedName, {tree_->file, line, line}, again);
      }
    }
  }

  void FindInTokens() {
    for (uint32_t t = 0; t < tree_->tokens.size(); ++t) {
      switch (tree_->tokens[t].kind()) {
        case TokenKind::kLeftBrace:
        case TokenKind::kRightBrace:
        case TokenKind::kLeftParen:
        case TokenKind::kRightParen:
        case TokenKind::kLeftBracket:
        case TokenKind::kRightBracket:
          Add(kDroppedBracket, tree_->SpanOfToken(t), {""});
          break;
        // Without these the text still says something.
        case TokenKind::kPublic:
        case TokenKind::kFinal:
        case TokenKind::kOptional:
        case TokenKind::kDiscrete:
        case TokenKind::kNot:
        case TokenKind::kTrue:
        case TokenKind::kFalse:
          break;
        default:
          if (IsReservedWord(tree_->tokens[t].kind())) Add(kDroppedKeyword, tree_->SpanOfToken(t), {""});
          break;
      }
    }
    // Words that are keywords only where they stand.
    for (const Node& node : tree_->nodes) {
      const bool clause =
          node.kind == NodeKind::kPlot || node.kind == NodeKind::kSet || node.kind == NodeKind::kStart;
      if (clause) Add(kDroppedKeyword, tree_->SpanOfToken(node.first_token), {""});
    }
  }

  std::string text_;
  std::unique_ptr<LoadedModel> loaded_;
  const SyntaxTree* tree_ = nullptr;
  Names declared_;
};

struct Fault {
  FaultKind kind;
  size_t file;
  Place place;
  std::string wrong;
};

/// `count` different faults, spread evenly over the kinds, and those of a kind over the files.
std::vector<Fault> ChooseFaults(std::vector<FaultFinder>& files, size_t count, Random& random) {
  size_t next_file[kFaultKinds] = {};
  std::map<std::pair<size_t, size_t>, size_t> next_place;
  std::set<std::tuple<size_t, uint32_t, uint32_t, std::string>> used;
  for (FaultFinder& file : files) {
    for (auto& places : file.places) {
      for (size_t i = places.size(); i > 1; --i) std::swap(places[i - 1], places[random.Below(i)]);
    }
  }
  std::vector<Fault> faults;
  for (size_t tries = 0; faults.size() < count && tries < 100 * count; ++tries) {
    const auto kind = static_cast<FaultKind>(faults.size() % kFaultKinds);
    const size_t file = next_file[kind]++ % files.size();
    const auto& places = files[file].places[kind];
    if (places.empty()) continue;
    const Place& place = places[next_place[{kind, file}]++ % places.size()];
    const std::string& wrong = place.wrong[random.Below(place.wrong.size())];
    if (used.emplace(file, place.begin, place.end, wrong).second)
      faults.push_back({kind, file, place, wrong});
  }
  return faults;
}

/// One fault at every place of every kind.
std::vector<Fault> FaultsEverywhere(const std::vector<FaultFinder>& files, Random& random) {
  std::vector<Fault> faults;
  for (size_t file = 0; file < files.size(); ++file) {
    for (size_t kind = 0; kind < kFaultKinds; ++kind) {
      for (const Place& place : files[file].places[kind]) {
        faults.push_back(
            {static_cast<FaultKind>(kind), file, place, place.wrong[random.Below(place.wrong.size())]});
      }
    }
  }
  return faults;
}

struct Tally {
  size_t made[kFaultKinds] = {}, placed[kFaultKinds] = {}, silent = 0, all_placed = 0;
  std::string misses;
};

class FaultInjection : public testing::Test {
 protected:
  void SetUp() override {
    // The finder of places knows the syntax of these; the others use more of the language.
    for (const char* name : {"dc_motor_drive", "hydraulic_servo", "opamp_filters", "positioner",
                             "quarter_car", "seeker_electrics"})
      paths_.push_back(test::kRoot / "examples" / name / (std::string(name) + ".cot"));
    ASSERT_GE(paths_.size(), 6u);
    for (const fs::path& path : paths_) {
      texts_.push_back(test::ReadText(path));
      files_.emplace_back(path.filename().string(), texts_.back());
    }
  }

  // Whether each fault gives an error, the first of them on the broken line or the next one. A crash ends the
  // test.
  Tally Inject(const std::vector<Fault>& faults) const {
    Tally tally;
    for (const Fault& fault : faults) {
      const std::string& text = texts_[fault.file];
      const std::string mutant =
          text.substr(0, fault.place.begin) + fault.wrong + text.substr(fault.place.end);
      const auto line =
          1 + static_cast<uint32_t>(std::count(text.begin(), text.begin() + fault.place.begin, '\n'));
      const std::string name = paths_[fault.file].filename().string();
      NoReader reader;
      const auto loaded = LoadModelText(name, mutant, reader);
      const Diagnostic* first = nullptr;
      for (const Diagnostic& d : loaded->diagnostics.list()) {
        if (first == nullptr && d.info->severity == Severity::kError) first = &d;
      }
      ++tally.made[fault.kind];
      const std::string what = name + ":" + std::to_string(line) + ": " + kKindNames[fault.kind] + ": `" +
                               text.substr(fault.place.begin, fault.place.end - fault.place.begin) +
                               "` -> `" + fault.wrong + "`\n";
      if (first == nullptr) {
        ++tally.silent;
        tally.misses += "SILENT " + what;
        continue;
      }
      const SourceFile& file = loaded->model.files[first->where.file];
      const uint32_t found = file.PositionOf(first->where.begin).line;
      if (file.path() == name && (found == line || found == line + 1)) {
        ++tally.placed[fault.kind];
        ++tally.all_placed;
      } else {
        tally.misses += "missed " + what + "  " + file.path() + ":" + std::to_string(found) + ": " +
                        CodeText(*first->info) + " " + first->message + "\n";
      }
    }
    return tally;
  }

  static void Print(const Tally& tally) {
    std::printf("%s%-34s %6s %7s\n", tally.misses.c_str(), "fault", "faults", "placed");
    for (size_t k = 0; k < kFaultKinds; ++k)
      std::printf("%-34s %6zu %7zu\n", kKindNames[k], tally.made[k], tally.placed[k]);
  }

  std::vector<fs::path> paths_;
  std::vector<std::string> texts_;
  std::vector<FaultFinder> files_;
};

TEST_F(FaultInjection, FiveHundredFaultsAreFoundWhereTheyAre) {
  constexpr size_t kFaults = 500;
  Random random(20240229);
  const auto faults = ChooseFaults(files_, kFaults, random);
  ASSERT_EQ(faults.size(), kFaults);
  const Tally tally = Inject(faults);
  Print(tally);
  for (size_t k = 0; k < kFaultKinds; ++k) EXPECT_GE(tally.made[k], kFaults / kFaultKinds) << kKindNames[k];
  std::printf("fault injection: %zu faults, %.1f %% placed, %zu silent\n", faults.size(),
              100.0 * static_cast<double>(tally.all_placed) / kFaults, tally.silent);
  EXPECT_EQ(tally.silent, 0u);
  EXPECT_GE(tally.all_placed, kFaults * 95 / 100);
}

// The choice above is no lucky one: every place there is.
TEST_F(FaultInjection, AFaultAtEveryPlaceIsFound) {
  Random random(7);
  const auto faults = FaultsEverywhere(files_, random);
  const Tally tally = Inject(faults);
  Print(tally);
  std::printf("faults everywhere: %zu faults, %.2f %% placed, %zu silent\n", faults.size(),
              100.0 * static_cast<double>(tally.all_placed) / static_cast<double>(faults.size()),
              tally.silent);
  EXPECT_GE(faults.size(), 2000u);
  EXPECT_EQ(tally.silent, 0u);
  for (size_t k = 0; k < kFaultKinds; ++k)
    EXPECT_GE(tally.placed[k], tally.made[k] * 95 / 100) << kKindNames[k];
}

}  // namespace
}  // namespace cotree
