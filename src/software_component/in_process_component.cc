// SPDX-License-Identifier: Apache-2.0
#include "software_component/in_process_component.h"

#include <string.h>  // NOLINT: strnlen is POSIX

#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>

#include "base/visible_text.h"
#include "software_component/call_environment.h"
#include "software_component/library_copy.h"
#include "software_component/native_library.h"

namespace cotree {
namespace {

using Kind = ComponentFailure::Kind;

constexpr size_t kGuard = 8;
// NaNs that no arithmetic makes: what they still stand in was not written.
constexpr uint64_t kUnset = 0x7FF8C07EE0000001u, kGuardValue = 0x7FF8C07EE0000002u;

/** A vector that foreign code fills: unset before, followed by a guard. */
class GuardedVector {
 public:
  double* Prepare(size_t count, double value = std::bit_cast<double>(kUnset)) {
    count_ = count;
    values_.assign(count, value);
    values_.resize(count + kGuard, std::bit_cast<double>(kGuardValue));
    return values_.data();
  }
  bool IsIntact() const {
    for (size_t i = count_; i < count_ + kGuard; ++i) {
      if (std::bit_cast<uint64_t>(values_[i]) != kGuardValue) return false;
    }
    return true;
  }
  bool IsSet(size_t i) const { return std::bit_cast<uint64_t>(values_[i]) != kUnset; }
  double operator[](size_t i) const { return values_[i]; }
  const double* data() const { return values_.data(); }

 private:
  size_t count_ = 0;
  std::vector<double> values_;
};

const double* OrNull(std::span<const double> values) {
  return values.empty() ? nullptr : values.data();
}

class InProcessComponent final : public SoftwareComponent {
 public:
  explicit InProcessComponent(const ComponentRequest& request) : SoftwareComponent(request) {}
  ~InProcessComponent() override {
    if (instance_ == nullptr) return;
    try {
      library_.table().destroy(instance_);
    } catch (...) {  // it is gone either way
    }
    environment_.Restore();
  }

  bool Load(const ComponentRequest& request, int library);

 protected:
  bool DoOutputs(uint32_t group, double t, std::span<const double> x, std::span<const double> u,
                 std::span<double> values) override {
    const ComponentDescription::Group& g = description_.groups[group];
    inputs_.assign(description_.inputs.size(), std::numeric_limits<double>::quiet_NaN());
    for (const uint32_t input : g.inputs) inputs_[input] = u[input];
    double* y = results_.Prepare(description_.outputs.size());
    if (!Call([&](const auto& table) {
          return table.outputs(instance_, group, t, OrNull(x), OrNull(inputs_), y);
        })) {
      return false;
    }
    if (!results_.IsIntact()) return FailSize("outputs", description_.outputs.size());
    for (size_t i = 0; i < values.size(); ++i) {
      if (!results_.IsSet(g.outputs[i])) {
        return Fail(Kind::kNotFinite, "did not set output `" + description_.outputs[g.outputs[i]].name + "`");
      }
      values[i] = results_[g.outputs[i]];
    }
    return true;
  }

  bool DoDerivatives(double t, std::span<const double> x, std::span<const double> u,
                     std::span<double> dx) override {
    double* results = results_.Prepare(dx.size());
    if (!Call([&](const auto& table) {
          return table.derivatives(instance_, t, OrNull(x), OrNull(u), results);
        })) {
      return false;
    }
    if (!results_.IsIntact()) return FailSize("derivatives", dx.size());
    for (size_t i = 0; i < dx.size(); ++i) {
      if (!results_.IsSet(i)) {
        return Fail(Kind::kNotFinite,
                    "did not set the derivative of state `" + description_.states[i].name + "`");
      }
      dx[i] = results_[i];
    }
    return true;
  }

  bool DoUpdate(double t, std::span<const double> x, std::span<const double> u) override {
    return Call([&](const auto& table) { return table.update(instance_, t, OrNull(x), OrNull(u)); });
  }

  bool DoJacobian(double t, std::span<const double> x, std::span<const double> u,
                  std::span<double> matrix) override {
    double* results = results_.Prepare(matrix.size(), 0.0);
    if (!Call(
            [&](const auto& table) { return table.jacobian(instance_, t, OrNull(x), OrNull(u), results); })) {
      return false;
    }
    if (!results_.IsIntact()) return FailSize("entries of the Jacobian", matrix.size());
    for (size_t i = 0; i < matrix.size(); ++i) matrix[i] = results_[i];
    return true;
  }

  bool DoSave(std::span<std::byte> bytes) override {
    const size_t doubles = (bytes.size() + sizeof(double) - 1) / sizeof(double);
    void* room = results_.Prepare(doubles);
    if (!Call([&](const auto& table) { return table.save(instance_, room); })) return false;
    if (!results_.IsIntact()) return FailSize("bytes of discrete state", bytes.size());
    std::memcpy(bytes.data(), results_.data(), bytes.size());
    return true;
  }

  bool DoRestore(std::span<const std::byte> bytes) override {
    return Call([&](const auto& table) { return table.restore(instance_, bytes.data()); });
  }

 private:
  // Runs foreign code: exceptions end here, status and environment are looked at.
  template <typename Body>
  bool Call(Body&& body) {
    cotree_status status = COTREE_ERROR;
    const bool returned = Guard([&] { status = body(library_.table()); });
    return returned && (status == COTREE_OK || FailStatus(status));
  }
  template <typename Body>
  bool Guard(Body&& body) {
    errno = 0;
    bool returned = false;
    try {
      body();
      returned = true;
    } catch (const std::bad_alloc&) {
      Fail(Kind::kMemory, "ran out of memory (threw std::bad_alloc)");
    } catch (const std::exception& exception) {
      Fail(Kind::kException, "threw an exception: " +
                                 VisibleText(exception.what(), LineEnds::kKept, ComponentFailure::kMostText));
    } catch (...) {
      Fail(Kind::kException, "threw an exception that is no std::exception");
    }
    const int error = errno;
    const uint32_t changed = environment_.Restore();
    if ((changed & CallEnvironment::kFloatingPoint) != 0) {
      Note(CallEnvironment::Describe(CallEnvironment::kFloatingPoint));
    }
    if ((changed & CallEnvironment::kLocale) != 0) Note(CallEnvironment::Describe(CallEnvironment::kLocale));
    errno = error;
    return returned;
  }

  bool FailStatus(cotree_status status) {
    const bool no_memory = errno == ENOMEM;
    std::string text;
    if (instance_ != nullptr && library_.table().error != nullptr) {
      Guard([&] {
        const char* said = library_.table().error(instance_);
        if (said != nullptr) text.assign(said, strnlen(said, ComponentFailure::kMostText + 1));
      });
    }
    text = VisibleText(text, LineEnds::kKept, ComponentFailure::kMostText);
    const std::string detail = text.empty() ? " without a text" : ": " + text;
    if (status == COTREE_REJECT) return Fail(Kind::kReject, "rejected this point" + detail);
    if (no_memory) return Fail(Kind::kMemory, "ran out of memory and returned an error" + detail);
    if (status == COTREE_ERROR) return Fail(Kind::kError, "returned an error" + detail);
    return Fail(Kind::kError, "returned the unknown status " + std::to_string(status) + detail);
  }
  bool FailSize(const char* what, size_t count) {
    return Fail(Kind::kSize,
                "wrong number of values: wrote beyond its " + std::to_string(count) + " " + what);
  }

  CallEnvironment environment_;
  NativeLibrary library_;  // unloaded after the instance is destroyed
  cotree_instance* instance_ = nullptr;
  std::vector<double> inputs_;
  GuardedVector results_;
};

bool InProcessComponent::Load(const ComponentRequest& request, int library) {
  std::string wrong;
  const std::string path = LibraryCopy::PathOf(library);
  if (!Guard([&] { wrong = library_.Load(path, request.function); })) return false;
  for (size_t at = 0; (at = wrong.find(path, at)) != std::string::npos; at += request.library.size())
    wrong.replace(at, path.size(), request.library);
  if (!wrong.empty()) return Fail(Kind::kLoad, wrong);
  if (!Guard(
          [&] { wrong = MatchParameters(library_.table(), request.parameters, &description_.parameters); })) {
    return false;
  }
  if (!wrong.empty()) return Fail(Kind::kLoad, wrong);
  std::vector<double> values;
  for (const auto& parameter : description_.parameters) values.push_back(parameter.start);
  const auto in = [this](const char* where) {  // `load` is several calls: say which
    failure_.reason = std::string("`") + where + "` " + failure_.reason;
    return false;
  };
  if (!Call([&](const auto& table) {
        return table.create(request.instance.c_str(), OrNull(values), &instance_);
      })) {
    return in("create");
  }
  if (instance_ == nullptr) return Fail(Kind::kError, "`create` made no instance");
  const cotree_description* description = nullptr;
  if (!Call([&](const auto& table) { return table.describe(instance_, &description); }))
    return in("describe");
  wrong = ReadDescription(library_.table(), description, &description_);
  return wrong.empty() || Fail(Kind::kDescription, "describes itself wrongly: " + wrong);
}

}  // namespace

std::unique_ptr<SoftwareComponent> LoadInProcess(const ComponentRequest& request, int library,
                                                 ComponentFailure* failure) {
  auto component = std::make_unique<InProcessComponent>(request);
  if (component->Load(request, library)) return component;
  *failure = component->failure();
  return nullptr;
}

}  // namespace cotree
