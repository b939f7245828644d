// SPDX-License-Identifier: Apache-2.0
// Every class of the standard library is documented, tested on the bench, and has an icon.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "library/repository_library.h"
#include "product_support.h"

namespace cotree::test {
namespace {

/** A component or software class, over all its models. */
struct LibraryClass {
  std::string package, name;
  bool documented = true;
  std::set<std::string> terminals, inputs, outputs;
};

const std::vector<LibraryClass>& LibraryClasses() {
  static const std::vector<LibraryClass> classes = [] {
    std::vector<LibraryClass> all;
    const auto loaded = LoadRepositoryLibrary();
    Model& model = loaded->model;
    for (size_t i = 0; i < loaded->declarations->size(); ++i) {
      const DeclarationId id(i);
      const Declaration declaration = (*loaded->declarations)[id];
      if (declaration.kind != NodeKind::kComponent && declaration.kind != NodeKind::kSoftware) continue;
      LibraryClass cls;
      cls.package = model.Text(declaration.package);
      cls.name = model.Text(declaration.name);
      const SyntaxTree& tree = loaded->declarations->TreeOf(id);
      std::vector<std::string> models;
      for (const NodeId child : tree.Children((*loaded->declarations)[id].node)) {
        if (tree.kind(child) == NodeKind::kModel) models.emplace_back(tree.Name(child));
      }
      if (models.empty()) models.emplace_back();
      for (const std::string& name : models) {
        const auto built = BuildLibraryClass(model, *loaded->declarations, loaded->diagnostics, id, name);
        EXPECT_TRUE(built.has_value()) << cls.package << "." << cls.name << " as " << name;
        if (!built) continue;
        const ComponentClass& c = model[*built];
        cls.documented = cls.documented && !c.documentation.empty();
        for (const Terminal& t : c.terminals) cls.terminals.insert(model.Text(t.name));
        for (const Variable& v : c.variables) {
          if (v.role == VariableRole::kInput) cls.inputs.insert(model.Text(v.name));
          if (v.role == VariableRole::kOutput) cls.outputs.insert(model.Text(v.name));
        }
      }
      all.push_back(cls);
    }
    EXPECT_TRUE(loaded->diagnostics.ok()) << Render(loaded->diagnostics, model.files);
    return all;
  }();
  return classes;
}

std::string Listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += "  " + name + "\n";
  return text;
}

TEST(LibraryCoverage, EveryClassIsDocumented) {
  EXPECT_GE(LibraryClasses().size(), 80u);
  std::vector<std::string> missing;
  for (const LibraryClass& c : LibraryClasses()) {
    if (!c.documented) missing.push_back(c.package + "." + c.name);
  }
  EXPECT_TRUE(missing.empty()) << missing.size() << " classes without a documentation string:\n"
                               << Listed(missing);
}

// --- Tested ----------------------------------------------------------------------------------------------

/// The text without comments, so that a class is not tested by being spoken of.
std::string WithoutComments(const std::string& text) {
  return std::regex_replace(text, std::regex("(^|\n)[ \t]*//[^\n]*|[ \t]+//[ ][^\n]*"), "$1");
}

/// The classes a test uses: at the beginning of a string, as in Probe r("Resistor(R = 1 ohm)"), or behind the
/// colon of an instance in a text. With the package where that is written.
std::set<std::string> UsedClasses(const std::string& text) {
  std::set<std::string> used;
  const std::regex use(R"re(["]([a-z_]+\.)?([A-Z][A-Za-z0-9_]*)(?=["(]| as ))re"
                       R"re(|: *([a-z_]+\.)?([A-Z][A-Za-z0-9_]*)(?=[\[( \n\\]))re");
  for (std::sregex_iterator it(text.begin(), text.end(), use), end; it != end; ++it) {
    const size_t group = (*it)[2].matched ? 1 : 3;
    used.insert((*it)[group + 1].str());
    if ((*it)[group].matched) used.insert((*it)[group].str() + (*it)[group + 1].str());
  }
  return used;
}

TEST(LibraryCoverage, UsesAreFoundInTests) {
  EXPECT_EQ(
      UsedClasses(WithoutComments("  Probe p(\"Resistor(R = 1 ohm)\");  // not Inductor(\"\n"
                                  "  // Probe q(\"Capacitor\");\n  Probe(\"thermal.Wall\"), r : Diode(x)")),
      (std::set<std::string>{"Resistor", "Wall", "thermal.Wall", "Diode"}));
}

TEST(LibraryCoverage, EveryClassIsTestedOnTheBench) {
  std::set<std::string> used;
  for (const fs::path& path : FilesBelow("tests/library", ".cc")) {
    const std::string name = path.filename().string();
    if (!name.ends_with("_test.cc") || name == "coverage_test.cc" || name == "probe_test.cc") continue;
    used.merge(UsedClasses(WithoutComments(ReadText(path))));
  }
  // Bodies and joints stand on benches of their own.
  for (const char* folder : {"tests/mechanics", "tests/peers"}) {
    for (const fs::path& path : FilesBelow(folder, ".cc"))
      used.merge(UsedClasses(WithoutComments(ReadText(path))));
  }
  std::map<std::string, int> homonyms;
  for (const LibraryClass& c : LibraryClasses()) ++homonyms[c.name];
  std::vector<std::string> missing;
  for (const LibraryClass& c : LibraryClasses()) {
    const std::string qualified = c.package + "." + c.name;
    if (!used.contains(homonyms[c.name] > 1 ? qualified : c.name)) missing.push_back(qualified);
  }
  EXPECT_TRUE(missing.empty()) << missing.size() << " of " << LibraryClasses().size()
                               << " classes are in no test of tests/library:\n"
                               << Listed(missing);
}

// --- Icons -----------------------------------------------------------------------------------------------

/** The elements of an XML text with their attributes, in order; throws std::runtime_error where the text is
not well-formed. Of the document type and CDATA, which icons do not need, it knows nothing. */
class XmlReader {
 public:
  using Attributes = std::map<std::string, std::string>;
  struct Element {
    std::string name;
    Attributes attributes;
  };

  explicit XmlReader(const std::string& text) : text_(text) {
    if (Taken("<?xml")) SkipBehind("?>");
    bool root = false;
    std::vector<std::string> open;
    while (at_ < text_.size()) {
      if (Taken("<!--")) {
        const size_t end = text_.find("--", at_);
        Want(end != std::string::npos && text_.compare(end, 3, "-->") == 0, "a comment is not closed");
        at_ = end + 3;
      } else if (Taken("</")) {
        const std::string name = Name();
        Want(!open.empty() && open.back() == name, "</" + name + "> closes nothing");
        open.pop_back();
        SkipBlanks();
        Want(Taken(">"), "> is missing");
      } else if (Taken("<")) {
        Want(!open.empty() || !root, "a second root");
        root = true;
        elements.push_back({Name(), {}});
        if (!ReadAttributes(elements.back().attributes)) open.push_back(elements.back().name);
      } else {
        const bool blank = std::isspace(static_cast<unsigned char>(text_[at_])) != 0;
        Want(blank || !open.empty(), "text outside of the root");
        Character();
      }
    }
    Want(root && open.empty(), open.empty() ? "no root" : "<" + open.back() + "> is not closed");
  }

  std::vector<Element> elements;

 private:
  void Want(bool holds, const std::string& what) const {
    if (!holds) throw std::runtime_error(what + " (at character " + std::to_string(at_) + ")");
  }
  bool Taken(std::string_view word) {
    if (text_.compare(at_, word.size(), word) != 0) return false;
    at_ += word.size();
    return true;
  }
  void SkipBehind(std::string_view word) {
    const size_t end = text_.find(word, at_);
    Want(end != std::string::npos, std::string(word) + " is missing");
    at_ = end + word.size();
  }
  bool SkipBlanks() {
    const size_t begin = at_;
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_ > begin;
  }
  std::string Name() {
    const size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  std::strchr("_:-.", text_[at_]) != nullptr))
      ++at_;
    Want(at_ > begin && std::isdigit(static_cast<unsigned char>(text_[begin])) == 0, "a name is missing");
    return text_.substr(begin, at_ - begin);
  }
  // One character or one reference such as &lt; of a text or an attribute's value.
  void Character() {
    Want(text_[at_] != '<', "< in a text");
    if (text_[at_] == '&') {
      const size_t end = text_.find(';', at_);
      Want(end != std::string::npos, "& without ;");
      const std::string reference = text_.substr(at_ + 1, end - at_ - 1);
      static const std::set<std::string> kKnown{"lt", "gt", "amp", "quot", "apos"};
      Want(kKnown.contains(reference) || (reference.size() > 1 && reference[0] == '#'),
           "&" + reference + ";");
      at_ = end;
    }
    ++at_;
  }
  // True if the element is closed at once.
  bool ReadAttributes(Attributes& attributes) {
    while (true) {
      const bool blanks = SkipBlanks();
      if (Taken("/>")) return true;
      if (Taken(">")) return false;
      Want(blanks && at_ < text_.size(), "a tag is not closed");
      const std::string name = Name();
      SkipBlanks();
      Want(Taken("="), "= is missing");
      SkipBlanks();
      Want(at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\''), "quotes are missing");
      const char quote = text_[at_++];
      const size_t begin = at_;
      while (at_ < text_.size() && text_[at_] != quote) Character();
      Want(at_ < text_.size(), "a value is not closed");
      Want(attributes.emplace(name, text_.substr(begin, at_ - begin)).second, name + " twice");
      ++at_;
    }
  }

  const std::string& text_;
  size_t at_ = 0;
};

std::string XmlError(const std::string& text) {
  try {
    const XmlReader reader(text);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "";
}

TEST(LibraryCoverage, TheXmlReaderSeesWhatIsWrong) {
  EXPECT_EQ(XmlError("<?xml version=\"1.0\"?>\n<!-- a -->\n<svg a='1' b=\"2\"><g/>x &lt; y &#931;</svg>\n"),
            "");
  for (const std::string wrong : {"", "text", "<a>", "<a></b>", "<a/><b/>", "<a x=1/>", "<a x='1/>",
                                  "<a x='1' x='2'/>", "<a>&nbsp;</a>", "<a>&</a>", "<a", "<a x='<'/>",
                                  "<!-- a -- b --><a/>", "<a/>text", "<a x='1'y='2'/>", "<1/>"})
    EXPECT_NE(XmlError(wrong), "") << wrong;
}

/// What is wrong with the icon of a class; empty if nothing is.
std::vector<std::string> IconFaults(const LibraryClass& c) {
  const fs::path path = kRoot / "library/icons" / c.package / (c.name + ".svg");
  if (!fs::exists(path)) return {"no icon"};
  const std::string text = ReadText(path);
  std::vector<std::string> faults;
  try {
    const XmlReader reader(text);
    const XmlReader::Element& root = reader.elements.front();
    if (root.name != "svg") faults.push_back("its root is <" + root.name + ">");
    if (!root.attributes.contains("viewBox")) faults.push_back("no viewBox");
    const std::pair<std::string, const std::set<std::string>*> kinds[] = {
        {"data-terminal", &c.terminals}, {"data-input", &c.inputs}, {"data-output", &c.outputs}};
    for (const auto& [attribute, names] : kinds) {
      std::map<std::string, int> found;
      for (const auto& element : reader.elements) {
        const auto value = element.attributes.find(attribute);
        if (value != element.attributes.end()) ++found[value->second];
      }
      for (const std::string& name : *names) {
        if (found[name] != 1)
          faults.push_back(std::to_string(found[name]) + " elements with " + attribute + "=\"" + name + "\"");
      }
      for (const auto& [name, count] : found) {
        if (!names->contains(name))
          faults.push_back(attribute + "=\"" + name + "\", which the class has not");
      }
    }
  } catch (const std::runtime_error& e) {
    faults.push_back(std::string("not well-formed: ") + e.what());
  }
  return faults;
}

TEST(LibraryCoverage, EveryClassHasAnIcon) {
  std::vector<std::string> faults;
  std::set<fs::path> wanted;
  for (const LibraryClass& c : LibraryClasses()) {
    wanted.insert(kRoot / "library/icons" / c.package / (c.name + ".svg"));
    for (const std::string& fault : IconFaults(c)) faults.push_back(c.package + "." + c.name + ": " + fault);
  }
  for (const fs::path& path : FilesBelow("library/icons", ".svg")) {
    if (!wanted.contains(path))
      faults.push_back(path.lexically_relative(kRoot).string() + ": an icon of no class");
  }
  EXPECT_TRUE(faults.empty()) << faults.size() << " faults of icons:\n" << Listed(faults);
}

}  // namespace
}  // namespace cotree::test
