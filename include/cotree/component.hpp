// SPDX-License-Identifier: Apache-2.0
// Software components in C++17: derive, export, done. The rules are those of <cotree/cotree_component.h>.
//
//   #include <cotree/component.hpp>
//
//   class Gain : public cotree::Component {
//    public:
//     static constexpr cotree::Parameter kParameters[] = {{"k", 1.0}};  // names and defaults
//     explicit Gain(const double* p) : k_(p[0]) {                       // values in that order
//       AddInput("u");
//       AddOutput("y");
//     }
//     void Outputs(uint32_t group, double t, const double* x, const double* u, double* y) override {
//       y[0] = k_ * u[0];
//     }
//
//    private:
//     double k_;
//   };
//   COTREE_COMPONENT(gain, Gain)
//
// Build it with `c++ -std=c++17 -O2 -fPIC -shared gain.cc -o libgain.so`; a model names it with
// `external "libgain.so" "gain"`. A component without parameters leaves kParameters out.
//
// An exception becomes an error return with its text; cotree::Reject a rejected trial point.
#ifndef COTREE_COMPONENT_HPP_
#define COTREE_COMPONENT_HPP_

#include <cotree/cotree_component.h>

#include <cstring>
#include <deque>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace cotree {

/** A parameter with its default; kRequired: it must be given. */
struct Parameter {
  const char* name;
  double start;
};
inline constexpr double kRequired = std::numeric_limits<double>::quiet_NaN();

/** Thrown where there is no value at a trial point: the integrator may try a shorter step. */
struct Reject : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/** The base of a component. The constructor takes the parameters (const double*) and says what it is made of,
by the functions below; then the description is fixed. */
class Component {
 public:
  Component() = default;
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;
  virtual ~Component() = default;

  /// Outputs of one group: y[index]. Pure.
  virtual void Outputs(uint32_t group, double t, const double* x, const double* u, double* y) = 0;
  /// Derivatives of the continuous states. Pure.
  virtual void Derivatives(double /*t*/, const double* /*x*/, const double* /*u*/, double* /*dx*/) {}
  /// The step of the discrete state, the only function that may change it.
  virtual void Update(double /*t*/, const double* /*x*/, const double* /*u*/) {}

  const cotree_description* Describe() {
    groups_.clear();
    for (const auto& [outputs, inputs] : group_lists_) {
      groups_.push_back(
          {COTREE_HEAD(cotree_group), Count(outputs), outputs.data(), Count(inputs), inputs.data()});
    }
    description_ = {COTREE_HEAD(cotree_description),
                    Count(inputs_),
                    inputs_.data(),
                    Count(outputs_),
                    outputs_.data(),
                    Count(states_),
                    states_.data(),
                    Count(groups_),
                    groups_.data(),
                    discrete_bytes_,
                    sample_period_};
    return &description_;
  }
  void Save(void* bytes) const {
    if (discrete_bytes_ > 0) std::memcpy(bytes, discrete_, discrete_bytes_);
  }
  void Restore(const void* bytes) {
    if (discrete_bytes_ > 0) std::memcpy(discrete_, bytes, discrete_bytes_);
  }

 protected:
  /// Each returns the index.
  uint32_t AddInput(const std::string& name) { return Add(&inputs_, name, 0.0); }
  uint32_t AddOutput(const std::string& name) { return Add(&outputs_, name, 0.0); }
  uint32_t AddState(const std::string& name, double start) { return Add(&states_, name, start); }

  /// A group of outputs with its direct inputs. Without any there is one, with everything direct.
  uint32_t AddGroup(std::vector<uint32_t> outputs, std::vector<uint32_t> direct_inputs) {
    group_lists_.emplace_back(std::move(outputs), std::move(direct_inputs));
    return Count(group_lists_) - 1;
  }

  /// Makes the component sampled; if it has states, they are integrated between samples.
  void SetSamplePeriod(double seconds) { sample_period_ = seconds; }

  /// All that Update changes: one member, a plain struct without pointers.
  template <typename State>
  void SetDiscreteState(State* state) {
    static_assert(std::is_trivially_copyable_v<State>, "the discrete state is copied as bytes");
    discrete_ = state;
    discrete_bytes_ = sizeof(State);
  }

 private:
  template <typename List>
  static uint32_t Count(const List& list) {
    return static_cast<uint32_t>(list.size());
  }
  uint32_t Add(std::vector<cotree_variable>* list, const std::string& name, double start) {
    names_.push_back(name);  // a deque: the texts stay where they are
    list->push_back({COTREE_HEAD(cotree_variable), names_.back().c_str(), start});
    return Count(*list) - 1;
  }

  std::deque<std::string> names_;
  std::vector<cotree_variable> inputs_, outputs_, states_;
  std::vector<std::pair<std::vector<uint32_t>, std::vector<uint32_t>>> group_lists_;
  std::vector<cotree_group> groups_;
  void* discrete_ = nullptr;
  uint64_t discrete_bytes_ = 0;
  double sample_period_ = 0.0;
  cotree_description description_{};
};

namespace component_detail {

// The instance behind the C interface: it outlives a constructor that throws, to tell why.
struct Instance {
  std::unique_ptr<Component> component;
  std::string error;
};

inline Instance* Of(cotree_instance* self) {
  return reinterpret_cast<Instance*>(self);
}

template <typename Body>
cotree_status Guard(Instance* self, Body&& body) noexcept {
  try {
    body();
    return COTREE_OK;
  } catch (const Reject& reject) {
    self->error = reject.what();
    return COTREE_REJECT;
  } catch (const std::bad_alloc&) {
    self->error = "out of memory";
  } catch (const std::exception& exception) {
    self->error = exception.what();
  } catch (...) {
    self->error = "threw something that is no std::exception";
  }
  return COTREE_ERROR;
}

template <typename T, typename = void>
struct ParametersOf {
  static std::vector<cotree_variable> List() { return {}; }
};
template <typename T>
struct ParametersOf<T, std::void_t<decltype(T::kParameters)>> {
  static std::vector<cotree_variable> List() {
    std::vector<cotree_variable> list;
    for (const Parameter& p : T::kParameters) list.push_back({COTREE_HEAD(cotree_variable), p.name, p.start});
    return list;
  }
};

template <typename T>
cotree_status Create(const char*, const double* parameters, cotree_instance** out) {
  auto* self = new (std::nothrow) Instance;
  if (self == nullptr) return COTREE_ERROR;
  *out = reinterpret_cast<cotree_instance*>(self);
  return Guard(self, [&] { self->component = std::make_unique<T>(parameters); });
}

inline void Destroy(cotree_instance* self) {
  delete Of(self);
}

inline cotree_status Describe(cotree_instance* self, const cotree_description** description) {
  return Guard(Of(self), [&] { *description = Of(self)->component->Describe(); });
}
inline const char* Error(cotree_instance* self) {
  return Of(self)->error.c_str();
}
inline cotree_status Outputs(cotree_instance* self, uint32_t group, double t, const double* x,
                             const double* u, double* y) {
  return Guard(Of(self), [&] { Of(self)->component->Outputs(group, t, x, u, y); });
}
inline cotree_status Derivatives(cotree_instance* self, double t, const double* x, const double* u,
                                 double* dx) {
  return Guard(Of(self), [&] { Of(self)->component->Derivatives(t, x, u, dx); });
}
inline cotree_status Update(cotree_instance* self, double t, const double* x, const double* u) {
  return Guard(Of(self), [&] { Of(self)->component->Update(t, x, u); });
}
inline cotree_status Save(cotree_instance* self, void* bytes) {
  return Guard(Of(self), [&] { Of(self)->component->Save(bytes); });
}
inline cotree_status Restore(cotree_instance* self, const void* bytes) {
  return Guard(Of(self), [&] { Of(self)->component->Restore(bytes); });
}

// Built once, constant afterwards.
template <typename T>
const cotree_component* Table(const char* name) {
  static const std::vector<cotree_variable> parameters = ParametersOf<T>::List();
  static const cotree_component table = {COTREE_HEAD(cotree_component),
                                         name,
                                         static_cast<uint32_t>(parameters.size()),
                                         parameters.data(),
                                         Create<T>,
                                         Destroy,
                                         Describe,
                                         Error,
                                         Outputs,
                                         Derivatives,
                                         Update,
                                         Save,
                                         Restore,
                                         nullptr};
  return &table;
}

}  // namespace component_detail
}  // namespace cotree

/// Exports class `type` as the component `function`.
#define COTREE_COMPONENT(function, type)                                      \
  COTREE_EXPORT const cotree_component* function(uint32_t /*host_version*/) { \
    return cotree::component_detail::Table<type>(#function);                  \
  }

#endif  // COTREE_COMPONENT_HPP_
