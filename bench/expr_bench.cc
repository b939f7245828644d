// SPDX-License-Identifier: Apache-2.0
// Speed of src/expr: constructions a second at several sizes, and how the passes grow with the expression. A
// plain program; prints a table.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "expr/differentiate.h"
#include "expr/evaluate.h"
#include "expr/expr_pool.h"
#include "expr/jacobian.h"
#include "expr/print_text.h"
#include "expr/substitute.h"

namespace cotree {
namespace {

/// Processor time, so that a busy machine does not change the figures (much).
double Now() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

uint64_t Next(uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

/// Terms R*i + L*der(i) - v*sin(phi)/c with operands drawn from `symbols` variables: a mixture of new nodes
/// and of hits.
void ConstructionMix(size_t symbols, size_t equations) {
  ExprPool pool;
  std::vector<ExprId> x;
  for (size_t k = 0; k < symbols; ++k) x.push_back(pool.Symbol("x" + std::to_string(k)));
  uint64_t state = 88172645463325252u;
  const auto pick = [&] { return x[Next(state) % symbols]; };
  const ExprStatistics before = pool.statistics();
  const double start = Now();
  for (size_t k = 0; k < equations; ++k) {
    const ExprId a = pool.Multiply(pick(), pick());
    const ExprId b = pool.Multiply(pick(), pick());
    const ExprId c = pool.Divide(pool.Multiply(pick(), pool.Sin(pick())), pick());
    pool.Subtract(pool.Add(a, b), c);
  }
  const double seconds = Now() - start;
  const double made = static_cast<double>(pool.statistics().constructed - before.constructed);
  const double hits = static_cast<double>(pool.statistics().hits - before.hits);
  std::printf(
      "construct  symbols %6zu  nodes %9zu  hits %4.1f %%  %6.1f M constructions/s  %5.1f bytes/node\n",
      symbols, pool.size(), 100 * hits / (made + hits), (made + hits) / seconds * 1e-6,
      static_cast<double>(pool.bytes()) / static_cast<double>(pool.size()));
}

/// Component classes one after the other, as a translator meets them: symbols of its own, eight equations,
/// each built twice.
double ModelMix(size_t classes) {
  ExprPool pool;
  std::vector<ExprId> x;
  for (size_t k = 0; k < 8 * classes; ++k) x.push_back(pool.Symbol("x" + std::to_string(k)));
  const ExprStatistics before = pool.statistics();
  const double start = Now();
  for (size_t c = 0; c < classes; ++c) {
    const ExprId* v = x.data() + 8 * c;
    for (size_t k = 0; k < 16; ++k) {
      const ExprId a = pool.Multiply(v[k % 8], v[(k + 1) % 8]);
      const ExprId b = pool.Multiply(v[(k + 2) % 8], v[(k + 3) % 8]);
      const ExprId d = pool.Divide(pool.Multiply(v[(k + 4) % 8], pool.Sin(v[(k + 5) % 8])), v[(k + 6) % 8]);
      pool.Subtract(pool.Add(a, b), d);
    }
  }
  const double seconds = Now() - start;
  const double made = static_cast<double>(pool.statistics().constructed - before.constructed);
  const double hits = static_cast<double>(pool.statistics().hits - before.hits);
  std::printf(
      "model      classes %6zu  nodes %9zu  hits %4.1f %%  %6.1f M constructions/s  %5.1f bytes/node\n",
      classes, pool.size(), 100 * hits / (made + hits), (made + hits) / seconds * 1e-6,
      static_cast<double>(pool.bytes()) / static_cast<double>(pool.size()));
  return (made + hits) / seconds * 1e-6;
}

/// f = sin(f)*f nested `depth` times: 2 nodes a level, 2^depth terms if it were not shared.
double SharedDerivative(int depth) {
  ExprPool pool;
  const SymbolId x = pool.DeclareSymbol("x");
  ExprId f = pool.Symbol(x);
  for (int k = 0; k < depth; ++k) f = pool.Multiply(pool.Sin(f), f);
  const size_t before = pool.size();
  const double start = Now();
  Differentiate(pool, f, x);
  std::printf("derivative of f = sin(f)*f  depth %6d  nodes %7zu  new nodes %8zu (%.2f a node)  %8.3f ms\n",
              depth, before, pool.size() - before,
              static_cast<double>(pool.size() - before) / static_cast<double>(before), (Now() - start) * 1e3);
  return static_cast<double>(pool.size() - before) / static_cast<double>(before);
}

void LongSum(size_t n) {
  ExprPool pool;
  std::vector<ExprId> terms;
  std::vector<ExprId> symbols;
  for (size_t k = 0; k < n; ++k) {
    symbols.push_back(pool.Symbol("x" + std::to_string(k)));
    terms.push_back(pool.Power(symbols.back(), 2));
  }
  double start = Now();
  ExprId chain = pool.Zero();
  for (ExprId term : terms) chain = pool.Add(chain, term);
  const double by_two = Now() - start;
  start = Now();
  const ExprId sum = pool.Sum(terms);
  const double at_once = Now() - start;
  start = Now();
  const size_t entries = Jacobian(pool, std::span(&sum, 1), symbols).size();
  const double gradient = Now() - start;
  start = Now();
  Tape tape(pool, std::span(&sum, 1));
  const double made = Now() - start;
  Environment<double> environment;
  environment.scalars.assign(pool.symbol_count(), 0.5);
  Workspace<double> workspace;
  double value = 0;
  EvaluateDouble(tape, environment, workspace, std::span(&value, 1));
  start = Now();
  for (int k = 0; k < 10; ++k) EvaluateDouble(tape, environment, workspace, std::span(&value, 1));
  const double run = (Now() - start) / 10;
  start = Now();
  const size_t characters = PrintText(pool, chain).size();
  const double print = Now() - start;
  std::printf(
      "sum of %7zu squares: two at a time %7.2f ms, at once %7.2f ms, gradient (%zu) %7.2f ms, tape %6.2f "
      "ms, run %6.2f ms "
      "(%.1f ns/node), print %zu chars %6.2f ms\n",
      n, by_two * 1e3, at_once * 1e3, entries, gradient * 1e3, made * 1e3, run * 1e3,
      run * 1e9 / static_cast<double>(tape.instructions().size()), characters, print * 1e3);
}

/// n equations of a chain of masses, each with 9 variables.
void ChainJacobian(size_t n) {
  ExprPool pool;
  std::vector<ExprId> x, rows;
  for (size_t k = 0; k < n + 2; ++k) x.push_back(pool.Symbol("s" + std::to_string(k)));
  const ExprId c = pool.Symbol(pool.DeclareSymbol("c", SymbolKind::kParameter));
  for (size_t k = 1; k <= n; ++k) {
    const ExprId left = pool.Power(pool.Subtract(x[k], x[k - 1]), 3),
                 right = pool.Power(pool.Subtract(x[k + 1], x[k]), 3);
    rows.push_back(pool.Add(pool.Multiply(c, pool.Subtract(left, right)), TimeDerivative(pool, x[k], 2)));
  }
  const double start = Now();
  const size_t entries = Jacobian(pool, rows, x).size();
  std::printf("jacobian of a chain of %7zu: %8zu entries  %8.2f ms  (%.0f ns an entry)\n", n, entries,
              (Now() - start) * 1e3, (Now() - start) * 1e9 / static_cast<double>(entries));
}

}  // namespace
}  // namespace cotree

int main() {
  using namespace cotree;
  ConstructionMix(4, 1'000'000);  // a component class: everything in the caches
  ConstructionMix(6, 1'000'000);
  ConstructionMix(8, 1'000'000);
  ConstructionMix(12, 1'000'000);
  ConstructionMix(50, 500'000);  // all operands drawn at random from far apart: bound by memory
  ConstructionMix(1000, 500'000);
  for (size_t classes : {10u, 100u, 1000u, 10'000u, 100'000u}) ModelMix(classes);
  // The library as it is has some 100 classes; the median of several runs is what evidence/ asks for.
  std::vector<double> rates;
  for (int k = 0; k < 11; ++k) rates.push_back(ModelMix(100));
  std::nth_element(rates.begin(), rates.begin() + 5, rates.end());
  std::printf("result construct %.1f\n", rates[5]);
  SharedDerivative(100);
  const double shallow = SharedDerivative(1000);
  SharedDerivative(10'000);
  std::printf("result derivative_nodes %.3f\n", SharedDerivative(100'000) / shallow);
  for (size_t n : {1000u, 10'000u, 100'000u}) LongSum(n);
  for (size_t n : {1000u, 10'000u, 100'000u}) ChainJacobian(n);
  return 0;
}
