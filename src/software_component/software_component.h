// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "software_component/component_description.h"
#include "software_component/component_failure.h"

namespace cotree {

struct ComponentRequest;

/** A running instance of a native software component (design §5; interface:
include/cotree/cotree_component.h; theory: docs/theory/software_components.md, SC.1, SC.1a,
SC.1b).

Outputs and Derivatives are pure in (t, x, u) and the discrete state, which only Update and Restore change.
Every call checks sizes and that all results are finite. A call that fails returns false and sets failure();
if failure().Alive(), the component can be called again (a trial point may be rejected), else every further
call fails with the same reason. Vectors: x by state, u by input, y by output of the description.

Instances are independent: different ones may be called by different threads at the same time, one by one
thread at a time. The destructor ends the component, and its process with everything that it started. */
class SoftwareComponent {
 public:
  virtual ~SoftwareComponent() = default;
  SoftwareComponent(const SoftwareComponent&) = delete;
  SoftwareComponent& operator=(const SoftwareComponent&) = delete;

  const ComponentDescription& description() const { return description_; }
  const ComponentFailure& failure() const { return failure_; }

  /// The outputs of one group, into y[output]; the other elements of y stay as they are. Of u only the direct
  /// inputs of the group are read.
  bool Outputs(uint32_t group, double t, std::span<const double> x, std::span<const double> u,
               std::span<double> y);
  bool Derivatives(double t, std::span<const double> x, std::span<const double> u, std::span<double> dx);
  /// At a sample time, after the outputs; or at an accepted event. Nothing for a component without `update`.
  bool Update(double t, std::span<const double> x, std::span<const double> u);
  /// Rows x' then y, columns x then u, row by row; only if description().has_jacobian.
  bool Jacobian(double t, std::span<const double> x, std::span<const double> u, std::span<double> matrix);
  /// The discrete state as description().discrete_bytes bytes.
  bool Save(std::span<std::byte> bytes);
  bool Restore(std::span<const std::byte> bytes);

  /// From now on every Outputs and Derivatives is computed twice, and both times must give the same bits and
  /// leave the discrete state alone: for finding mistakes, at four times the cost.
  void CheckPurity(bool on) { check_purity_ = on; }

  /// What was put right without harm, once each: "changed the locale; it was set back".
  const std::vector<std::string>& notes() const { return notes_; }
  /// The last lines that the component has written to stdout and stderr (own process only).
  virtual std::string Said() { return {}; }
  /// Of the library that was loaded.
  const std::string& sha256() const { return sha256_; }
  /// What this machine cannot confine, in words; empty: nothing, or in process.
  virtual std::string Unconfined() const { return {}; }
  /// Of the process that serves it; 0 in process.
  virtual int ProcessId() const { return 0; }

 protected:
  explicit SoftwareComponent(const ComponentRequest& request);

  // The calls themselves; sizes are right. `values` of DoOutputs are those of the group, in its order.
  virtual bool DoOutputs(uint32_t group, double t, std::span<const double> x, std::span<const double> u,
                         std::span<double> values) = 0;
  virtual bool DoDerivatives(double t, std::span<const double> x, std::span<const double> u,
                             std::span<double> dx) = 0;
  virtual bool DoUpdate(double t, std::span<const double> x, std::span<const double> u) = 0;
  virtual bool DoJacobian(double t, std::span<const double> x, std::span<const double> u,
                          std::span<double> matrix) = 0;
  virtual bool DoSave(std::span<std::byte> bytes) = 0;
  virtual bool DoRestore(std::span<const std::byte> bytes) = 0;

  /// Sets failure() (call and time are those of the running call; the reason made safe for terminals) and
  /// returns false.
  bool Fail(ComponentFailure::Kind kind, const std::string& reason);
  void Note(const std::string& text);

  ComponentDescription description_;
  ComponentFailure failure_;
  std::string sha256_;

 private:
  bool Begin(ComponentCall call, std::optional<double> t);
  bool BeginEvaluation(ComponentCall call, double t, size_t x, size_t u);
  bool CheckFinite(double value, const std::string& what);
  // Runs the call, which fills `results`; twice if purity is checked.
  template <typename Call>
  bool Evaluate(std::span<double> results, Call&& call);

  bool check_purity_ = false;
  std::vector<double> values_;  // of the group at work
  std::vector<std::string> notes_;
};

/** Which component, and with what. */
struct ComponentRequest {
  std::string library;   // path of the shared library; a relative one counts from the working directory
  std::string function;  // its exported function
  std::string instance;  // path in the model, for messages
  std::vector<std::pair<std::string, double>> parameters;  // by name, SI; others take their defaults
  std::string sha256 = {};                                 // of the library; LoadSoftwareComponent finds it
};

/** How to run it. Without consent nothing of a library runs (docs/decisions/0009-foreign-code.md). */
struct ComponentOptions {
  /// Any library may run. Otherwise only those whose SHA-256 the user's configuration has
  /// (foreign_consent.h).
  bool allow = false;
  /// What a process of its own may do besides computing and reading: speak TCP and UDP, write below these
  /// folders. In process nothing is confined.
  bool network = false;
  std::vector<std::string> write;
  /// Asked ten times a second while a call takes its time; true ends the call and the component.
  std::function<bool()> interrupted;
  /// In a process of its own (default): its mistakes cannot harm ours. In process: faster, for what is built
  /// together with Cotree; no limits then, and a crash is a crash of ours.
  bool in_process = false;
  std::string host_program;  // empty: cotree-component-host beside the running program
  /// The component runs on the processor of its caller, which waits meanwhile: a call takes 14 instead of 70
  /// us. Threads that it starts before its first call are free; turn this off if it starts some in calls.
  bool follow_caller = true;
  double call_limit = 10.0;            // seconds per call; 0: no limit, as below
  double load_limit = 30.0;            // seconds to load, create and describe
  double total_limit = 3600.0;         // seconds in all calls together
  uint64_t memory_limit = 2ull << 30;  // bytes of address space; 0: none
};

/** Loads and creates, if there is consent. Returns null and sets *failure if that does not work. */
std::unique_ptr<SoftwareComponent> LoadSoftwareComponent(const ComponentRequest& request,
                                                         const ComponentOptions& options,
                                                         ComponentFailure* failure);

}  // namespace cotree
