// SPDX-License-Identifier: Apache-2.0
#include "software_component/software_component.h"

#include <cmath>
#include <cstring>
#include <filesystem>

#include "base/check.h"
#include "base/visible_text.h"
#include "software_component/foreign_consent.h"
#include "software_component/in_process_component.h"
#include "software_component/library_copy.h"
#include "software_component/own_process_component.h"

namespace cotree {
namespace {

constexpr size_t kMostNotes = 16;  // of one component

}  // namespace

SoftwareComponent::SoftwareComponent(const ComponentRequest& request) : sha256_(request.sha256) {
  failure_.instance = request.instance;
  failure_.library = request.library;
  failure_.function = request.function;
}

bool SoftwareComponent::Begin(ComponentCall call, std::optional<double> t) {
  if (!failure_.Alive()) return false;
  failure_.kind = ComponentFailure::Kind::kNone;
  failure_.call = call;
  failure_.time = t;
  return true;
}

bool SoftwareComponent::BeginEvaluation(ComponentCall call, double t, size_t x, size_t u) {
  COTREE_CHECK(x == description_.states.size());
  COTREE_CHECK(u == description_.inputs.size());
  return Begin(call, t);
}

bool SoftwareComponent::Fail(ComponentFailure::Kind kind, const std::string& reason) {
  failure_.kind = kind;
  failure_.reason = VisibleText(reason, LineEnds::kKept, 2 * ComponentFailure::kMostText);
  return false;
}

void SoftwareComponent::Note(const std::string& text) {
  const std::string plain = VisibleText(text, LineEnds::kKept, ComponentFailure::kMostText);
  for (const std::string& note : notes_) {
    if (note == plain) return;
  }
  if (notes_.size() < kMostNotes) notes_.push_back(plain);
}

bool SoftwareComponent::CheckFinite(double value, const std::string& what) {
  if (std::isfinite(value)) return true;
  return Fail(ComponentFailure::Kind::kNotFinite,
              std::string("returned ") + (std::isnan(value) ? "NaN" : "an infinite value") + " in " + what);
}

template <typename Call>
bool SoftwareComponent::Evaluate(std::span<double> results, Call&& call) {
  if (!check_purity_) return call();
  std::vector<std::byte> before(description_.discrete_bytes), after(description_.discrete_bytes);
  if (!before.empty() && !DoSave(before)) return false;
  if (!call()) return false;
  const std::vector<double> first(results.begin(), results.end());
  if (!after.empty() && !DoSave(after)) return false;
  if (before != after)
    return Fail(ComponentFailure::Kind::kImpure, "is not pure: it changed the discrete state");
  if (!call()) return false;
  if (std::memcmp(first.data(), results.data(), results.size_bytes()) == 0) return true;
  return Fail(ComponentFailure::Kind::kImpure,
              "is not pure: called twice at one point, it gave different values");
}

bool SoftwareComponent::Outputs(uint32_t group, double t, std::span<const double> x,
                                std::span<const double> u, std::span<double> y) {
  COTREE_CHECK(group < description_.groups.size());
  COTREE_CHECK(y.size() == description_.outputs.size());
  if (!BeginEvaluation(ComponentCall::kOutputs, t, x.size(), u.size())) return false;
  const ComponentDescription::Group& g = description_.groups[group];
  values_.resize(g.outputs.size());
  if (!Evaluate(values_, [&] { return DoOutputs(group, t, x, u, values_); })) return false;
  for (size_t i = 0; i < values_.size(); ++i) {
    if (std::isfinite(values_[i])) continue;
    std::string what = "output `" + description_.outputs[g.outputs[i]].name + "`";
    if (std::isnan(values_[i]) && g.inputs.size() < description_.inputs.size()) {
      what += " (inputs that its output group does not list as direct are passed as NaN)";
    }
    return CheckFinite(values_[i], what);
  }
  for (size_t i = 0; i < values_.size(); ++i) y[g.outputs[i]] = values_[i];
  return true;
}

bool SoftwareComponent::Derivatives(double t, std::span<const double> x, std::span<const double> u,
                                    std::span<double> dx) {
  COTREE_CHECK(dx.size() == description_.states.size());
  if (!BeginEvaluation(ComponentCall::kDerivatives, t, x.size(), u.size())) return false;
  if (dx.empty()) return true;
  if (!Evaluate(dx, [&] { return DoDerivatives(t, x, u, dx); })) return false;
  for (size_t i = 0; i < dx.size(); ++i) {
    if (std::isfinite(dx[i])) continue;
    return CheckFinite(dx[i], "the derivative of state `" + description_.states[i].name + "`");
  }
  return true;
}

bool SoftwareComponent::Update(double t, std::span<const double> x, std::span<const double> u) {
  if (!BeginEvaluation(ComponentCall::kUpdate, t, x.size(), u.size())) return false;
  return !description_.has_update || DoUpdate(t, x, u);
}

bool SoftwareComponent::Jacobian(double t, std::span<const double> x, std::span<const double> u,
                                 std::span<double> matrix) {
  const ComponentDescription& d = description_;
  COTREE_CHECK(d.has_jacobian);
  COTREE_CHECK(matrix.size() == (d.states.size() + d.outputs.size()) * (d.states.size() + d.inputs.size()));
  if (!BeginEvaluation(ComponentCall::kJacobian, t, x.size(), u.size())) return false;
  if (!DoJacobian(t, x, u, matrix)) return false;
  const size_t columns = d.states.size() + d.inputs.size();
  for (size_t i = 0; i < matrix.size(); ++i) {
    if (std::isfinite(matrix[i])) continue;
    return CheckFinite(matrix[i], "row " + std::to_string(i / columns) + ", column " +
                                      std::to_string(i % columns) + " of the Jacobian (from 0)");
  }
  return true;
}

bool SoftwareComponent::Save(std::span<std::byte> bytes) {
  COTREE_CHECK(bytes.size() == description_.discrete_bytes);
  return Begin(ComponentCall::kSave, {}) && (bytes.empty() || DoSave(bytes));
}

bool SoftwareComponent::Restore(std::span<const std::byte> bytes) {
  COTREE_CHECK(bytes.size() == description_.discrete_bytes);
  return Begin(ComponentCall::kRestore, {}) && (bytes.empty() || DoRestore(bytes));
}

std::unique_ptr<SoftwareComponent> LoadSoftwareComponent(const ComponentRequest& request,
                                                         const ComponentOptions& options,
                                                         ComponentFailure* failure) {
  *failure = {};
  failure->instance = request.instance;
  failure->library = request.library;
  failure->function = request.function;
  const auto refuse = [&](const std::string& why) {
    failure->kind = ComponentFailure::Kind::kLoad;
    failure->reason = VisibleText(why, LineEnds::kKept, 2 * ComponentFailure::kMostText);
    return nullptr;
  };
  std::error_code error;
  ComponentRequest absolute = request;
  absolute.library = std::filesystem::absolute(request.library, error).string();
  LibraryCopy copy;
  if (const std::string wrong = CopyLibrary(absolute.library, &copy); !wrong.empty())
    return refuse("cannot be loaded: " + wrong);
  absolute.sha256 = copy.sha256;
  if (!options.allow && !HasConsent(copy.sha256))
    return refuse("may not run without your consent (its SHA-256 is " + copy.sha256 +
                  "): " + HowToConsent(absolute.library, copy.sha256));
  return options.in_process ? LoadInProcess(absolute, copy.descriptor, failure)
                            : LoadInOwnProcess(absolute, copy.descriptor, options, failure);
}

}  // namespace cotree
