// SPDX-License-Identifier: Apache-2.0
#include "library/probe.h"

#include <cmath>

#include "library/probe_bench.h"
#include "library/repository_library.h"

namespace cotree::test {

namespace {

constexpr const char* kInstance = "x";

/// The library of the repository and a text.
std::unique_ptr<LoadedModel> Load(const std::string& text) {
  auto loaded = LoadRepositoryLibrary();
  loaded->declarations->AddText("bench.cot", text);
  BuildModel(loaded->model, *loaded->declarations, loaded->diagnostics);
  if (!loaded->diagnostics.ok()) {
    std::string errors = "the bench's text does not check:\n" + text + "\n";
    for (const Diagnostic& d : loaded->diagnostics.list()) {
      if (d.info->severity == Severity::kError) errors += RenderText(d, loaded->model.files, false) + "\n";
    }
    throw std::runtime_error(errors);
  }
  return loaded;
}

}  // namespace

Probe::Bench::Bench(const std::string& use, const std::string& declarations)
    : use_(use),
      loaded_(Load(declarations + "\nsystem Bench { " + kInstance + " : " + use + " }\n")),
      model_(loaded_->model),
      pool_(model_.expressions),
      evaluator_(model_, Root()),
      network_(evaluator_) {
  const Instance* instance = evaluator_.FindInstance(*Root().cls, kInstance);
  if (instance == nullptr || instance->class_id.IsNone()) throw std::runtime_error("no instance in " + use);
  if (instance->shape != UINT32_MAX) throw std::runtime_error("the bench takes one component: " + use);
  part_ = {&model_[instance->class_id], std::string(kInstance) + ".", {}};
  evaluator_.read = [this](const Scalar& s) { return Read(s); };
  wired_ = IsWired(*part_.cls);
  TakeApart(part_);
  if (wired_) AddNetworkEquations();
}

void Probe::Bench::Set(const std::string& name, double value) {
  set_[Resolve(name)] = value;
  Forget();
}

void Probe::Bench::Guess(const std::string& name, double value) {
  guesses_[Resolve(name)] = value;
  Forget();
}

void Probe::Bench::Reset() {
  set_.clear();
  guesses_.clear();
  Forget();
}

void Probe::Bench::Forget() {
  seeds_.clear();
  solved_.clear();
  is_solved_ = false;
}

double Probe::Bench::Get(const std::string& name) {
  if (const auto parameter = ParameterNamed(name)) return *parameter;
  const Scalar scalar = Resolve(name);
  return WithValues([&] { return Read(scalar).value; });
}

double Probe::Bench::Power() {
  double sum = 0;
  for (const double p : EdgePowers()) sum += p;
  return sum;
}

double Probe::Bench::EnergyRate() {
  double sum = 0;
  for (const auto& [expression, scope] : Declarations(true))
    sum += WithValues([&, e = expression, at = scope] { return RateOf(e, at); });
  return sum;
}

void Probe::Bench::ExpectBalance(double tolerance) {
  if (!DeclaresEither()) {
    ADD_FAILURE() << use_ << " declares neither energy nor loss";
    return;
  }
  double power = 0, scale = 0;
  for (const double p : EdgePowers()) {
    power += p;
    scale += std::abs(p);
  }
  const double rate = EnergyRate(), loss = Loss();
  scale += std::abs(rate) + std::abs(loss);
  EXPECT_TRUE(std::abs(power - rate - loss) <= tolerance * scale)
      << use_ << ": power into the edges " << NumberText(power) << " W, d(energy)/dt " << NumberText(rate)
      << " W, loss " << NumberText(loss) << " W; the difference is " << NumberText(power - rate - loss)
      << " W at\n"
      << ValuesText();
}

bool Probe::Bench::WhenHolds(size_t k) {
  const auto& [clause, scope] = Clause(k);
  return AtEvent([&, condition = clause->condition, at = scope] {
           return evaluator_.Evaluate(condition, at).value;
         }) != 0;
}

double Probe::Bench::WhenValue(size_t k, const std::string& name) {
  const auto& [clause, scope] = Clause(k);
  const Scalar wanted = Resolve(name);
  std::optional<double> found;
  for (const WhenAction& action : clause->actions) {
    evaluator_.ForEach(*scope.part.cls, action.loops, scope, [&](const Scope& at) {
      if (evaluator_.ScalarOfPath(action.target, at) != wanted) return;
      found = AtEvent([&] { return evaluator_.Evaluate(action.value, at).value; });
    });
  }
  if (!found)
    throw std::runtime_error("when clause " + std::to_string(k) + " of " + use_ + " does not set " + name);
  return *found;
}

bool Probe::Bench::AssertHolds(size_t k) {
  if (k >= part_.cls->assertions.size())
    throw std::runtime_error(use_ + " has " + std::to_string(part_.cls->assertions.size()) + " asserts");
  const Assertion& assertion = part_.cls->assertions[k];
  bool holds = true;
  evaluator_.ForEach(*part_.cls, assertion.loops, {part_, {}}, [&](const Scope& at) {
    holds = holds && AtEvent([&] { return evaluator_.Evaluate(assertion.condition, at).value; }) != 0;
  });
  return holds;
}

std::vector<std::string> Probe::Bench::Unknowns() {
  std::vector<std::string> names;
  for (const Scalar& s : FindUnknowns()) names.push_back(Text(s));
  return names;
}

Probe::Probe(const std::string& use, const std::string& declarations)
    : bench_(std::make_unique<Bench>(use, declarations)) {}
Probe::~Probe() = default;
Probe::Probe(Probe&&) noexcept = default;
Probe& Probe::operator=(Probe&&) noexcept = default;

void Probe::Set(const std::string& name, double value) {
  bench_->Set(name, value);
}
void Probe::Guess(const std::string& name, double value) {
  bench_->Guess(name, value);
}
void Probe::Reset() {
  bench_->Reset();
}
double Probe::operator[](const std::string& name) {
  return bench_->Get(name);
}
double Probe::Power() {
  return bench_->Power();
}
double Probe::Energy() {
  return bench_->Energy();
}
double Probe::Loss() {
  return bench_->Loss();
}
double Probe::EnergyRate() {
  return bench_->EnergyRate();
}
void Probe::ExpectBalance(double tolerance) {
  bench_->ExpectBalance(tolerance);
}
size_t Probe::WhenCount() const {
  return bench_->WhenCount();
}
bool Probe::WhenHolds(size_t k) {
  return bench_->WhenHolds(k);
}
double Probe::WhenValue(size_t k, const std::string& name) {
  return bench_->WhenValue(k, name);
}
bool Probe::AssertHolds(size_t k) {
  return bench_->AssertHolds(k);
}
std::vector<std::string> Probe::Unknowns() {
  return bench_->Unknowns();
}

}  // namespace cotree::test
