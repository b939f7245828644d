// SPDX-License-Identifier: Apache-2.0
#include "units/udunits_reader.h"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <mutex>

namespace cotree {
namespace {

// The part of udunits2.h that is used, declared here so that building needs no header of the library. Its ABI
// has not changed since 2.0.
struct ut_system;
union ut_unit;
union cv_converter;
using ut_status = int;
constexpr ut_status kSuccess = 0;
constexpr ut_status kVisitError = 8;
constexpr int kAscii = 0;

using ErrorHandler = int (*)(const char*, va_list);

struct ut_visitor {
  ut_status (*visit_basic)(const ut_unit*, void*);
  ut_status (*visit_product)(const ut_unit*, int count, const ut_unit* const* basic, const int* powers,
                             void*);
  ut_status (*visit_galilean)(const ut_unit*, double scale, const ut_unit* underlying, double offset, void*);
  ut_status (*visit_timestamp)(const ut_unit*, const ut_unit*, double, void*);
  ut_status (*visit_logarithmic)(const ut_unit*, double, const ut_unit*, void*);
};

struct Functions {
  ErrorHandler (*set_error_message_handler)(ErrorHandler) = nullptr;
  ut_system* (*read_xml)(const char*) = nullptr;
  void (*free_system)(ut_system*) = nullptr;
  ut_unit* (*get_unit_by_name)(const ut_system*, const char*) = nullptr;
  ut_unit* (*get_unit_by_symbol)(const ut_system*, const char*) = nullptr;
  void (*free_unit)(ut_unit*) = nullptr;
  const char* (*get_symbol)(const ut_unit*, int) = nullptr;
  ut_status (*accept_visitor)(const ut_unit*, const ut_visitor*, void*) = nullptr;
  cv_converter* (*get_converter)(ut_unit*, ut_unit*) = nullptr;
  double (*convert_double)(const cv_converter*, double) = nullptr;
  void (*free_converter)(cv_converter*) = nullptr;
};

int PrintNothing(const char*, va_list) {
  return 0;
}

// Guards the state that UDUNITS itself keeps in globals; ours is in the objects.
std::mutex& LibraryLock() {
  static std::mutex lock;
  return lock;
}

// The handler belongs to the whole process; it is ours only while we are inside.
class Silence {
 public:
  explicit Silence(const Functions& f) : f_(f), before_(f.set_error_message_handler(PrintNothing)) {}
  ~Silence() { f_.set_error_message_handler(before_); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  const Functions& f_;
  ErrorHandler before_;
};

// What the visitor collects.
struct Visit {
  const Functions* functions;
  UnitSymbol unit;
};

bool AddBasic(Visit& visit, const ut_unit* basic, int power) {
  const char* symbol = visit.functions->get_symbol(basic, kAscii);
  if (symbol == nullptr || power > 100 || power < -100) return false;
  const std::string_view text(symbol);
  if (text == "rad") {
    visit.unit.angle += power;
    return true;
  }
  constexpr std::string_view kSymbols[kBaseUnits] = {"m", "kg", "s", "A", "K", "mol", "cd"};
  const auto at = std::find(std::begin(kSymbols), std::end(kSymbols), text);
  if (at == std::end(kSymbols)) return false;
  Rational& exponent = visit.unit.dimension.exponents[static_cast<size_t>(at - kSymbols)];
  exponent = Rational(static_cast<int16_t>(exponent.num + power));
  return true;
}

ut_status VisitBasic(const ut_unit* unit, void* visit) {
  return AddBasic(*static_cast<Visit*>(visit), unit, 1) ? kSuccess : kVisitError;
}

ut_status VisitProduct(const ut_unit*, int count, const ut_unit* const* basic, const int* powers,
                       void* visit) {
  for (int i = 0; i < count; ++i) {
    if (!AddBasic(*static_cast<Visit*>(visit), basic[i], powers[i])) return kVisitError;
  }
  return kSuccess;
}

ut_status VisitTimestamp(const ut_unit*, const ut_unit*, double, void*) {
  return kVisitError;
}
ut_status VisitLogarithmic(const ut_unit*, double, const ut_unit*, void*) {
  return kVisitError;
}

ut_status VisitGalilean(const ut_unit* unit, double scale, const ut_unit* underlying, double, void* data);

constexpr ut_visitor kVisitor{VisitBasic, VisitProduct, VisitGalilean, VisitTimestamp, VisitLogarithmic};

// A Galilean unit is scale * underlying, counted from an origin. Where the origin is not 0 the converter says
// where it lies, so that we need not know in which of the two units UDUNITS keeps it.
ut_status VisitGalilean(const ut_unit* unit, double scale, const ut_unit* underlying, double origin,
                        void* data) {
  auto& visit = *static_cast<Visit*>(data);
  const Functions& f = *visit.functions;
  if (origin != 0) {
    if (visit.unit.offset != 0) return kVisitError;
    cv_converter* converter = f.get_converter(const_cast<ut_unit*>(unit), const_cast<ut_unit*>(underlying));
    if (converter == nullptr) return kVisitError;
    visit.unit.offset = f.convert_double(converter, 0.0) * visit.unit.numerator;
    f.free_converter(converter);
  }
  visit.unit.numerator *= scale;
  return f.accept_visitor(underlying, &kVisitor, data);
}

// The written-out prefix at the beginning of a name, with its power of ten.
std::pair<std::string_view, int> PrefixOf(std::string_view name) {
  constexpr std::pair<std::string_view, int> kPrefixes[] = {
      {"yocto", -24}, {"zepto", -21}, {"atto", -18}, {"femto", -15}, {"pico", -12}, {"nano", -9},
      {"micro", -6},  {"milli", -3},  {"centi", -2}, {"deci", -1},   {"deca", 1},   {"hecto", 2},
      {"kilo", 3},    {"mega", 6},    {"giga", 9},   {"tera", 12},   {"peta", 15},
  };
  for (const auto& prefix : kPrefixes) {
    if (name.starts_with(prefix.first)) return prefix;
  }
  return {"", 0};
}

bool EndsInHertz(std::string_view name) {
  constexpr std::string_view kHertz = "hertz";
  if (name.size() < kHertz.size()) return false;
  name.remove_prefix(name.size() - kHertz.size());
  return std::equal(name.begin(), name.end(), kHertz.begin(), [](char a, char b) { return (a | 0x20) == b; });
}

}  // namespace

struct UdunitsReader::Library {
  void* handle = nullptr;
  ut_system* system = nullptr;
  Functions f;

  ~Library() {
    if (system != nullptr) f.free_system(system);
    if (handle != nullptr) dlclose(handle);
  }
};

UdunitsReader::UdunitsReader() = default;

UdunitsReader::~UdunitsReader() {
  if (library_ == nullptr) return;
  const std::lock_guard lock(LibraryLock());
  library_.reset();
}

// With the lock held.
void UdunitsReader::Load() {
  if (tried_) return;
  tried_ = true;
  auto library = std::make_unique<Library>();
  // It stays mapped: UDUNITS keeps tables of its own, which would be lost, not freed, with its code.
  library->handle = dlopen("libudunits2.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library->handle == nullptr) return;
  bool complete = true;
  const auto bind = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library->handle, name));
    complete = complete && function != nullptr;
  };
  Functions& f = library->f;
  bind(f.set_error_message_handler, "ut_set_error_message_handler");
  bind(f.read_xml, "ut_read_xml");
  bind(f.free_system, "ut_free_system");
  bind(f.get_unit_by_name, "ut_get_unit_by_name");
  bind(f.get_unit_by_symbol, "ut_get_unit_by_symbol");
  bind(f.free_unit, "ut_free");
  bind(f.get_symbol, "ut_get_symbol");
  bind(f.accept_visitor, "ut_accept_visitor");
  bind(f.get_converter, "ut_get_converter");
  bind(f.convert_double, "cv_convert_double");
  bind(f.free_converter, "cv_free");
  if (!complete) return;
  const Silence silence(f);
  library->system = f.read_xml(nullptr);
  if (library->system != nullptr) library_ = std::move(library);
}

bool UdunitsReader::IsAvailable() {
  const std::lock_guard lock(LibraryLock());
  Load();
  return library_ != nullptr;
}

std::optional<UnitSymbol> UdunitsReader::Find(std::string_view symbol) {
  if (symbol.empty() || symbol.size() > 64 || symbol.find('\0') != symbol.npos) return std::nullopt;
  const std::lock_guard lock(LibraryLock());
  Load();
  if (library_ == nullptr) return std::nullopt;
  const Functions& f = library_->f;
  const Silence silence(f);
  const std::string text(symbol);
  const auto [prefix, power_of_ten] = PrefixOf(symbol);
  bool prefixed = false;
  ut_unit* unit = f.get_unit_by_name(library_->system, text.c_str());
  if (unit == nullptr) unit = f.get_unit_by_symbol(library_->system, text.c_str());
  if (unit == nullptr && !prefix.empty()) {
    unit = f.get_unit_by_name(library_->system, text.c_str() + prefix.size());
    prefixed = true;
  }
  if (unit == nullptr) return std::nullopt;
  Visit visit{&f, {}};
  const bool understood = f.accept_visitor(unit, &kVisitor, &visit) == kSuccess;
  f.free_unit(unit);
  UnitSymbol& result = visit.unit;
  if (prefixed && result.offset != 0) return std::nullopt;
  if (prefixed) result.power_of_ten = power_of_ten;
  if (!understood || !std::isnormal(result.numerator) || result.numerator < 0 ||
      !std::isfinite(result.offset))
    return std::nullopt;
  if (EndsInHertz(symbol) && result.dimension == Dimension::Of(0, 0, -1)) result.symbol = "Hz";
  return result;
}

}  // namespace cotree
