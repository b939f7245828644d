// SPDX-License-Identifier: Apache-2.0
#include "software_component/call_environment.h"

#include <locale.h>  // NOLINT: uselocale is POSIX

#include <cfenv>
#include <clocale>
#include <cstring>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace cotree {
namespace {

bool FloatingPointIsDefault() {
#if defined(__SSE__)
  constexpr unsigned kControl = 0xFFC0u, kDefault = 0x1F80u;  // all but the sticky flags
  if ((_mm_getcsr() & kControl) != kDefault) return false;
#endif
  return std::fegetround() == FE_TONEAREST;
}

const char* LocaleName() {
  const char* name = std::setlocale(LC_ALL, nullptr);  // NOLINT(concurrency-mt-unsafe): asks only
  return name == nullptr ? "C" : name;
}

}  // namespace

CallEnvironment::CallEnvironment() : locale_(LocaleName()), thread_locale_(uselocale(nullptr)) {}

uint32_t CallEnvironment::Restore() const {
  uint32_t changed = kNothing;
  if (!FloatingPointIsDefault()) {
    std::fesetenv(FE_DFL_ENV);
    changed |= kFloatingPoint;
  }
  if (std::strcmp(LocaleName(), locale_.c_str()) != 0) {
    std::setlocale(LC_ALL, locale_.c_str());  // NOLINT(concurrency-mt-unsafe): the harm is done already
    changed |= kLocale;
  }
  if (uselocale(nullptr) != thread_locale_) {
    uselocale(static_cast<locale_t>(thread_locale_));
    changed |= kLocale;
  }
  return changed;
}

std::string CallEnvironment::Describe(Changed what) {
  return what == kLocale
             ? "changed the locale; it was set back"
             : "changed the rounding mode or another setting of floating-point arithmetic; it was set back";
}

}  // namespace cotree
