// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/diagnostics.h"
#include "model/model.h"

namespace cotree {

using DeclarationId = Id<struct DeclarationTag>;

/** Where texts come from: the disk for the command line, memory for tests and the editor. */
class TextReader {
 public:
  virtual ~TextReader() = default;
  /// The text of a file, or nothing.
  virtual std::optional<std::string> Read(const std::string& path) = 0;
  /// The same for the file that the user named, which may be a pipe.
  virtual std::optional<std::string> ReadNamed(const std::string& path) { return Read(path); }
  /// Why the last one gave nothing though something is there ("it is a pipe, not a file"); may be empty.
  const std::string& refusal() const { return refusal_; }

 protected:
  std::string refusal_;
};

/// Where a file named in a text is: beside that text; from the working folder if the text came from a pipe
/// without a folder (/dev/stdin).
std::string PathBeside(const std::string& text_path, const std::string& name);

/** A top-level declaration, found by looking at the text only; its syntax is parsed when it is first needed.
 */
struct Declaration {
  NameId name;
  NodeKind kind;
  FileId file;
  NameId package;  // None: in no package
  uint32_t begin = 0, end = 0;
  Span name_span;
  TreeId tree;  // None until parsed
  NodeId node;
  uint32_t next = UINT32_MAX;  // another declaration of the same name
};

/** All declarations within reach: those of the files given and imported (parsed whole, so that all their
errors are found), and those of the standard library, of which only the used ones are ever parsed.

Search for a bare name (design §7): the file itself, its imports, then all packages; two at the same distance
are ambiguous.

Theory: docs/theory/model.md, MO.2. */
class Declarations {
 public:
  Declarations(Model& model, Diagnostics& diagnostics, TextReader& reader)
      : model_(model), diagnostics_(diagnostics), reader_(reader) {}

  /// Skims a library text. Nothing is parsed.
  void AddLibraryFile(const std::string& name, std::string text);
  /// Parses a file and everything it imports. False if it cannot be read.
  bool AddFile(const std::string& path);
  FileId AddText(const std::string& path, std::string text);

  /// What a name or qualified path means where kinds are wanted; reports unknown and ambiguous names.
  struct Lookup {
    std::vector<DeclarationId> found;  // one, or several that are ambiguous; none: unknown
  };
  using KindTest = bool (*)(NodeKind);
  Lookup Find(NameId package, NameId name, FileId from, KindTest wanted) const;
  /// All names of a kind within reach, for suggestions, sorted.
  std::vector<std::string_view> Names(KindTest wanted) const;

  const Declaration& operator[](DeclarationId id) const { return declarations_[id.index()]; }
  /// Parses it if need be.
  const SyntaxTree& TreeOf(DeclarationId id);
  size_t size() const { return declarations_.size(); }
  bool IsLibrary(FileId file) const;
  bool IsPackage(NameId name) const;
  const std::vector<FileId>& own_files() const { return own_files_; }
  TextReader& reader() { return reader_; }

 private:
  struct FileInfo {
    NameId package;
    bool library = false;
    bool main = false;
    std::vector<NameId> imported_packages;
    std::vector<std::pair<NameId, NameId>> imported_names;  // package, name
    std::vector<FileId> imported_files;
  };
  FileInfo& Info(FileId file);
  void Register(const Declaration& declaration);
  void IndexTree(FileId file, TreeId tree);
  void Import(FileId file, const SyntaxTree& tree, NodeId node);

  Model& model_;
  Diagnostics& diagnostics_;
  TextReader& reader_;
  std::vector<Declaration> declarations_;
  std::unordered_map<NameId, uint32_t> first_;
  std::unordered_map<NameId, uint32_t> last_;
  std::vector<FileInfo> files_;
  std::vector<FileId> own_files_;
  std::unordered_map<std::string, FileId> by_path_;
};

}  // namespace cotree
