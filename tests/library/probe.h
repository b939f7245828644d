// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace cotree::test {

/** One component on the test bench: values are set on some of its variables, its equations give the others.

    Probe r("Resistor(R = 10 ohm)");
    r.Set("e.i", 2.0);
    EXPECT_NEAR(r["e.v"], 20.0, 1e-12);

The component is taken from the folder library/ of the repository and is loaded by the product's front end;
everything behind it is the bench's own: the expansion of loops and arrays, the evaluation of expressions, the
solution by Newton's method. Nothing is shared with the compiler's stages that the tests are to be compared
with.

Names. All values are in SI units. Edge variables are "e.v", "e.phi", their rates "e.w", "e.alpha";
derivatives "der(e.i)", "der(x[2])"; elements "u[1]", "K[1,2]"; what stands inside a composite "inner.e.v",
"r[3].e.i"; "time" (0 if not set); "pre(mode)". Booleans are 0 and 1, values of an enumeration 1, 2, ... in
the order of their declaration. sample(...), initial(), terminal(), edge(...) are 0 unless set under the text
that the language prints for them, such as "sample(0, T)"; what a delay holds is set as "delay(u)".

Unknowns are all scalars that occur in the equations and were not set. Equations are those of the class, with
loops expanded and the branches left out that the parameters and the values set rule out. There must be as
many unknowns as equations. Newton's method begins at 0, or at the Guess; where it fails there and nothing was
guessed, it begins at some other values.

A composite is taken apart: its inner components with the equations of its connections, and the time
derivatives of equations where derivatives are spoken of. Its own terminals then have the variables "p.v" (the
potential) and "p.i" (what flows in at p), named as in their domain; power is that into its terminals. Here
the unknowns are not counted: what is not determined has no value.

Errors (std::runtime_error, with a text that lists what is missing or too much): the text does not check; a
name is unknown; the numbers of unknowns and equations differ; Newton's method does not converge; the
equations do not determine an unknown. */
class Probe {
 public:
  /// `use` is what stands behind the colon in a system; `declarations` is put before the system.
  explicit Probe(const std::string& use, const std::string& declarations = "");
  ~Probe();
  Probe(Probe&&) noexcept;
  Probe& operator=(Probe&&) noexcept;

  void Set(const std::string& name, double value);
  void Guess(const std::string& name, double value);
  /// Forgets all values and guesses.
  void Reset();

  /// A value set, a parameter, or what the equations give.
  double operator[](const std::string& name);

  /// Power into all edges, by the `power` of their domains.
  double Power();
  /// `energy` and `loss`; 0 where only the other one is declared, an error where neither is.
  double Energy();
  double Loss();
  /// d(energy)/dt along the derivatives that are set or solved for; the others follow, where they can, from
  /// the time derivatives of the equations.
  double EnergyRate();
  /// |power - d(energy)/dt - loss| <= tolerance * (sum of |power| of the edges + |d(energy)/dt| + |loss|).
  void ExpectBalance(double tolerance = 1e-9);

  /// Number of when clauses, each elsewhen counted, each turn of a loop counted.
  size_t WhenCount() const;
  /// The condition of the k-th clause, at the present values. pre(x) that was not set is x here.
  bool WhenHolds(size_t k);
  /// What the k-th clause assigns to the variable, by `=` or by reinit.
  double WhenValue(size_t k, const std::string& name);
  /// Whether the k-th assert holds.
  bool AssertHolds(size_t k);

  /// The unknowns as they stand now, for messages and for tests of the bench.
  std::vector<std::string> Unknowns();

 private:
  class Bench;
  std::unique_ptr<Bench> bench_;
};

}  // namespace cotree::test
