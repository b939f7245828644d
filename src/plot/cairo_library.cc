// SPDX-License-Identifier: Apache-2.0
#include "plot/cairo_library.h"

#include <dlfcn.h>

#include <type_traits>

#ifdef __SANITIZE_ADDRESS__
// Fontconfig, which Cairo asks for fonts, loses some hundred bytes of its configuration.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libfontconfig.so";
}
#endif

namespace cotree {
namespace {

CairoLibrary Load() {
  CairoLibrary library;
  // It stays mapped: it keeps tables of fonts.
  void* handle = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  library.loaded = handle != nullptr;
  const auto bind = [&](auto& function, const char* name) {
    if (handle == nullptr) return;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    library.loaded = library.loaded && function != nullptr;
  };
#define COTREE_BIND(name) bind(library.name, #name);
  COTREE_CAIRO_FUNCTIONS(COTREE_BIND)
#undef COTREE_BIND
  return library;
}

}  // namespace

const CairoLibrary& Cairo() {
  static const CairoLibrary library = Load();
  return library;
}

}  // namespace cotree
