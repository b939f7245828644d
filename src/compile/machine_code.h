// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace cotree {

/** An x86-64 object (ELF, relocatable) in memory, ready to be called; needs no LLVM. No page is ever writable
and executable at once.

Externals are functions, by name, anywhere in memory: calls go through jump stubs. memcpy, memmove and memset,
which compilers put in by themselves, are there without being given. Relocations are those of
position-independent code without a table of addresses (64, PC32, PLT32, 32S where it reaches).

No exception may pass through the code: nothing is registered for unwinding. */
class MachineCode {
 public:
  /// Null: damaged, or something in it is not supported or not defined: `problem` says what. What is loaded
  /// is as trustworthy as the object: every place in the file is checked, the instructions are not.
  static std::unique_ptr<MachineCode> Load(std::span<const char> object,
                                           const std::map<std::string, void*>& externals,
                                           std::string* problem);
  ~MachineCode();
  MachineCode(const MachineCode&) = delete;
  MachineCode& operator=(const MachineCode&) = delete;

  /// A global symbol of the object; null: there is none of that name.
  void* Find(std::string_view symbol) const;
  /// Bytes of instructions, stubs among them.
  size_t code_size() const { return code_size_; }

 private:
  friend class ObjectLoader;
  MachineCode() = default;

  char* memory_ = nullptr;
  size_t memory_size_ = 0, code_size_ = 0;
  std::map<std::string, void*, std::less<>> symbols_;
};

}  // namespace cotree
