// SPDX-License-Identifier: Apache-2.0
#include "compile/machine_code.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace cotree {
namespace {

// More than any kernel; a damaged size must not ask for all memory.
constexpr uint64_t kLargest = uint64_t{1} << 30;
constexpr uint64_t kLargestAlignment = 4096;
// jmp *0(%rip), the address behind it, two bytes of int3.
constexpr size_t kStubSize = 16;

uint64_t RoundUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// A function's own address, as a plain pointer.
template <typename Function>
void* Address(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

// Reads an object once, from its header to the symbols. Each step returns false with a problem.
class ObjectLoader {
 public:
  ObjectLoader(std::span<const char> file, const std::map<std::string, void*>& externals,
               std::string* problem)
      : file_(file), externals_(externals), problem_(*problem) {}

  std::unique_ptr<MachineCode> Load() {
    if (!ReadSections() || !ReadSymbols() || !PlaceSections() || !Map() || !Relocate() || !Protect() ||
        !NameSymbols())
      return nullptr;
    return std::move(code_);
  }

 private:
  enum Kind { kText, kConstant, kData, kKinds, kNotLoaded = kKinds };
  struct Section {
    Elf64_Shdr header;
    Kind kind = kNotLoaded;
    uint64_t offset = 0;  // in the memory
  };

  bool Fail(std::string what) {
    problem_ = std::move(what);
    return false;
  }
  bool Damaged(const char* what) { return Fail(std::string("the object is damaged: ") + what); }

  bool Inside(uint64_t offset, uint64_t size) const {
    return offset <= file_.size() && size <= file_.size() - offset;
  }
  // The caller has checked that it is inside.
  template <typename T>
  T Read(uint64_t offset) const {
    T value;
    std::memcpy(&value, file_.data() + offset, sizeof value);
    return value;
  }

  bool ReadSections() {
    if (!Inside(0, sizeof(Elf64_Ehdr))) return Damaged("no header");
    const auto header = Read<Elf64_Ehdr>(0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return Damaged("not ELF");
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_type != ET_REL || header.e_machine != EM_X86_64)
      return Fail("not a relocatable object for x86-64");
    if (header.e_shnum == 0 || header.e_shentsize != sizeof(Elf64_Shdr) ||
        !Inside(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr)))
      return Damaged("table of sections");
    for (uint64_t k = 0; k < header.e_shnum; ++k) {
      Section section;
      section.header = Read<Elf64_Shdr>(header.e_shoff + k * sizeof(Elf64_Shdr));
      const Elf64_Shdr& h = section.header;
      if (h.sh_type != SHT_NOBITS && h.sh_type != SHT_NULL && !Inside(h.sh_offset, h.sh_size))
        return Damaged("place of a section");
      sections_.push_back(section);
    }
    return true;
  }

  bool ReadSymbols() {
    for (const Section& section : sections_) {
      const Elf64_Shdr& h = section.header;
      if (h.sh_type != SHT_SYMTAB) continue;
      if (!symbols_.empty()) return Damaged("two tables of symbols");
      if (h.sh_entsize != sizeof(Elf64_Sym) || h.sh_size % sizeof(Elf64_Sym) != 0 ||
          h.sh_link >= sections_.size())
        return Damaged("table of symbols");
      names_ = sections_[h.sh_link].header;
      if (names_.sh_type != SHT_STRTAB || names_.sh_size == 0 ||
          file_[names_.sh_offset + names_.sh_size - 1] != '\0')
        return Damaged("names of symbols");
      for (uint64_t at = 0; at < h.sh_size; at += sizeof(Elf64_Sym)) {
        const auto symbol = Read<Elf64_Sym>(h.sh_offset + at);
        if (symbol.st_name >= names_.sh_size) return Damaged("name of a symbol");
        symbols_.push_back(symbol);
      }
    }
    return true;
  }
  std::string NameOf(const Elf64_Sym& symbol) const {
    return file_.data() + names_.sh_offset + symbol.st_name;  // the table ends with a zero
  }
  std::string Quoted(const Elf64_Sym& symbol) const {
    return std::string("'").append(NameOf(symbol)).append("'");
  }

  // Instructions, constants, data: each kind on pages of its own.
  bool PlaceSections() {
    const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    uint64_t end = 0;
    for (int kind = kText; kind < kKinds; ++kind) {
      start_[kind] = end = RoundUp(end, page);
      for (Section& section : sections_) {
        const Elf64_Shdr& h = section.header;
        if ((h.sh_flags & SHF_ALLOC) == 0 || h.sh_type == SHT_NULL) continue;
        const bool writable = (h.sh_flags & SHF_WRITE) != 0, executable = (h.sh_flags & SHF_EXECINSTR) != 0;
        if (writable && executable) return Fail("a section is writable and executable");
        if ((h.sh_flags & (SHF_TLS | SHF_COMPRESSED)) != 0)
          return Fail("a section is thread-local or compressed");
        if ((executable ? kText : writable ? kData : kConstant) != kind) continue;
        const uint64_t alignment = h.sh_addralign == 0 ? 1 : h.sh_addralign;
        if (alignment > kLargestAlignment || (alignment & (alignment - 1)) != 0)
          return Damaged("alignment of a section");
        end = RoundUp(end, alignment);
        if (h.sh_size > kLargest || end + h.sh_size > kLargest) return Fail("the object is too large");
        section.kind = static_cast<Kind>(kind);
        section.offset = end;
        end += h.sh_size;
      }
      if (kind == kText) {
        stubs_ = RoundUp(end, kStubSize);
        if (!FindStubs()) return false;
        end = stubs_ + stub_of_.size() * kStubSize;
        text_end_ = end;
      }
    }
    start_[kKinds] = RoundUp(end, page);
    return true;
  }

  // Which symbols are not of the object. One that no relocation uses does no harm.
  bool FindStubs() {
    const std::map<std::string, void*> common = {{"memcpy", Address(std::memcpy)},
                                                 {"memmove", Address(std::memmove)},
                                                 {"memset", Address(std::memset)}};
    for (uint32_t k = 1; k < symbols_.size(); ++k) {
      if (symbols_[k].st_shndx != SHN_UNDEF) continue;
      const std::string name = NameOf(symbols_[k]);
      auto found = externals_.find(name);
      if (found == externals_.end()) {
        found = common.find(name);
        if (found == common.end()) continue;
      }
      stub_of_.emplace(k, Stub{stubs_ + stub_of_.size() * kStubSize, found->second});
    }
    return stub_of_.size() * kStubSize <= kLargest || Fail("the object is too large");
  }

  bool Map() {
    const size_t size = start_[kKinds];
    if (size == 0) return Fail("the object holds no code");
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return Fail("no memory for the code");
    code_.reset(new MachineCode);
    code_->memory_ = static_cast<char*>(memory);
    code_->memory_size_ = size;
    code_->code_size_ = text_end_;
    for (const Section& section : sections_) {
      const Elf64_Shdr& h = section.header;
      if (section.kind == kNotLoaded || h.sh_type == SHT_NOBITS) continue;
      std::memcpy(code_->memory_ + section.offset, file_.data() + h.sh_offset, h.sh_size);
    }
    for (const auto& [symbol, stub] : stub_of_) {
      // jmp *(rip): the address stands behind the instruction.
      constexpr unsigned char kJump[kStubSize] = {0xFF, 0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xCC, 0xCC};
      constexpr size_t kJumpTarget = 6;
      std::memcpy(code_->memory_ + stub.place, kJump, kStubSize);
      std::memcpy(code_->memory_ + stub.place + kJumpTarget, &stub.target, sizeof(void*));
    }
    return true;
  }

  uint64_t AddressAt(uint64_t offset) const { return reinterpret_cast<uint64_t>(code_->memory_) + offset; }

  // Of a symbol of the object; none: it is not in what is loaded.
  std::optional<uint64_t> Defined(const Elf64_Sym& symbol) const {
    if (symbol.st_shndx == SHN_ABS) return symbol.st_value;
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= sections_.size()) return std::nullopt;
    const Section& section = sections_[symbol.st_shndx];
    if (section.kind == kNotLoaded || symbol.st_value > section.header.sh_size) return std::nullopt;
    return AddressAt(section.offset + symbol.st_value);
  }

  bool Relocate() {
    for (const Section& table : sections_) {
      const Elf64_Shdr& h = table.header;
      if (h.sh_type != SHT_RELA && h.sh_type != SHT_REL) continue;
      if (h.sh_info >= sections_.size()) return Damaged("table of relocations");
      const Section& section = sections_[h.sh_info];
      if (section.kind == kNotLoaded) continue;
      if (h.sh_type == SHT_REL || h.sh_entsize != sizeof(Elf64_Rela) || h.sh_size % sizeof(Elf64_Rela) != 0 ||
          section.header.sh_type == SHT_NOBITS)
        return Damaged("table of relocations");
      for (uint64_t at = 0; at < h.sh_size; at += sizeof(Elf64_Rela)) {
        if (!Relocate(section, Read<Elf64_Rela>(h.sh_offset + at))) return false;
      }
    }
    return true;
  }
  bool Relocate(const Section& section, const Elf64_Rela& relocation) {
    const uint64_t index = ELF64_R_SYM(relocation.r_info), type = ELF64_R_TYPE(relocation.r_info);
    if (type == R_X86_64_NONE) return true;
    if (index == 0 || index >= symbols_.size()) return Damaged("symbol of a relocation");
    const Elf64_Sym& symbol = symbols_[index];
    if (type != R_X86_64_64 && type != R_X86_64_PC32 && type != R_X86_64_PLT32 && type != R_X86_64_32S)
      return Fail("relocation " + std::to_string(type) + " of " + Quoted(symbol) + " is not supported");
    const uint64_t width = type == R_X86_64_64 ? 8 : 4;
    if (section.header.sh_size < width || relocation.r_offset > section.header.sh_size - width)
      return Damaged("place of a relocation");

    std::optional<uint64_t> target = Defined(symbol);
    if (const auto stub = stub_of_.find(static_cast<uint32_t>(index)); stub != stub_of_.end())
      target = type == R_X86_64_64 ? reinterpret_cast<uint64_t>(stub->second.target)
                                   : AddressAt(stub->second.place);
    if (!target) return Fail(Quoted(symbol) + " is not defined");
    const uint64_t place = section.offset + relocation.r_offset;
    uint64_t value = *target + static_cast<uint64_t>(relocation.r_addend);  // modulo 2^64, as it is meant
    if (type == R_X86_64_PC32 || type == R_X86_64_PLT32) value -= AddressAt(place);
    if (width == 4 && static_cast<int64_t>(value) != static_cast<int32_t>(value))
      return Fail(Quoted(symbol) + " is out of reach");
    std::memcpy(code_->memory_ + place, &value, width);  // little-endian: the low bytes come first
    return true;
  }

  bool Protect() {
    const auto protect = [&](Kind kind, int how) {
      const size_t size = start_[kind + 1] - start_[kind];
      return size == 0 || mprotect(code_->memory_ + start_[kind], size, how) == 0;
    };
    return (protect(kText, PROT_READ | PROT_EXEC) && protect(kConstant, PROT_READ)) ||
           Fail("this system allows no new code in memory");
  }

  bool NameSymbols() {
    for (size_t k = 1; k < symbols_.size(); ++k) {
      if (ELF64_ST_BIND(symbols_[k].st_info) == STB_LOCAL || symbols_[k].st_shndx == SHN_ABS) continue;
      if (const auto address = Defined(symbols_[k]))
        code_->symbols_.emplace(NameOf(symbols_[k]), reinterpret_cast<void*>(*address));
    }
    return true;
  }

  std::span<const char> file_;
  const std::map<std::string, void*>& externals_;
  std::string& problem_;
  std::vector<Section> sections_;
  std::vector<Elf64_Sym> symbols_;
  Elf64_Shdr names_{};
  uint64_t start_[kKinds + 1] = {};
  uint64_t stubs_ = 0, text_end_ = 0;
  /** A jump to a function anywhere in memory. */
  struct Stub {
    uint64_t place;  // in the memory of the code
    void* target;
  };
  std::map<uint32_t, Stub> stub_of_;  // by symbol
  std::unique_ptr<MachineCode> code_;
};

std::unique_ptr<MachineCode> MachineCode::Load(std::span<const char> object,
                                               const std::map<std::string, void*>& externals,
                                               std::string* problem) {
  problem->clear();
  return ObjectLoader(object, externals, problem).Load();
}

MachineCode::~MachineCode() {
  if (memory_ != nullptr) munmap(memory_, memory_size_);
}

void* MachineCode::Find(std::string_view symbol) const {
  const auto found = symbols_.find(symbol);
  return found == symbols_.end() ? nullptr : found->second;
}

}  // namespace cotree
