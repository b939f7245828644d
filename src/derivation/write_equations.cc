// SPDX-License-Identifier: Apache-2.0
// The final equations in the languages of others.
#include <algorithm>
#include <set>

#include "derivation/describe_state_space.h"
#include "expr/print_sympy.h"
#include "expr/print_text.h"
#include "expr/substitute.h"

namespace cotree {
namespace {

using Role = ReadableSymbol::Role;

/* The short names, with an underline behind those that the other language has taken. */
class Renamer {
 public:
  Renamer(ExprPool& pool, const StateSpace& space, const std::set<std::string>& taken) : pool_(pool) {
    for (const ReadableSymbol& s : space.symbols) {
      const std::string name = taken.contains(s.name) ? s.name + "_" : s.name;
      names_.push_back(name);
      const SymbolId symbol = pool.SymbolOf(s.symbol);
      replacements_.emplace_back(symbol, pool.Symbol(pool.DeclareSymbol(name, pool.kind(symbol))));
    }
  }
  ExprId operator()(ExprId expr) const { return Substitute(pool_, expr, replacements_); }
  const std::string& Name(size_t k) const { return names_[k]; }

 private:
  ExprPool& pool_;
  std::vector<std::string> names_;
  std::vector<Replacement> replacements_;
};

// "kg*m^2" as Modelica writes it: "kg.m2".
std::string ModelicaUnit(const std::string& unit) {
  std::string out;
  for (const char c : unit) {
    if (c == '*')
      out += '.';
    else if (c != '^')
      out += c;
  }
  const size_t ohm = out.find("ohm");
  return ohm == std::string::npos ? out : out.replace(ohm, 3, "Ohm");
}

// Q - V - G.
ExprId WholeRight(ExprPool& pool, const ReadableGroup& group, size_t i) {
  ExprId out = group.right[i];
  if (!group.coriolis.empty()) out = pool.Subtract(out, group.coriolis[i]);
  if (!group.gravity.empty()) out = pool.Subtract(out, group.gravity[i]);
  return out;
}

}  // namespace

std::string WriteSympy(ExprPool& pool, const StateSpace& space, const std::string& system) {
  const Renamer renamed(
      pool, space,
      {"lambda",      "is",          "as",      "from",   "import",   "global",   "def",     "del",
       "class",       "with",        "yield",   "try",    "pass",     "raise",    "return",  "while",
       "break",       "True",        "False",   "None",   "names",    "values",   "states",  "inputs",
       "definitions", "derivatives", "outputs", "groups", "discrete", "Symbol",   "Float",   "Rational",
       "Piecewise",   "Min",         "Max",     "Abs",    "Matrix",   "Function", "Lt",      "Le",
       "Eq",          "Ne",          "And",     "Or",     "Not",      "Mod",      "ceiling", "oo",
       "pi",          "symbols"});
  const auto text = [&](ExprId e) { return PrintSympy(pool, renamed(e)); };
  std::string out = "# system " + system + ", by Cotree " COTREE_VERSION +
                    ": x' = f(x, u) in SymPy\nfrom sympy import *\n\nt = Symbol('t', real=True)\n";
  for (size_t k = 0; k < space.symbols.size(); ++k)
    out += renamed.Name(k) + " = Symbol('" + renamed.Name(k) + "', real=True)\n";
  out += "\nnames = {\n";
  for (size_t k = 0; k < space.symbols.size(); ++k)
    out += "    '" + renamed.Name(k) + "': \"" + space.symbols[k].path + "\",\n";
  out += "}\nvalues = {\n";
  for (size_t k = 0; k < space.symbols.size(); ++k) {
    if (space.symbols[k].role == Role::kParameter)
      out += "    " + renamed.Name(k) + ": Float('" + FormatNumber(space.symbols[k].value) + "'),\n";
  }
  out += "}\n";
  for (const auto& [role, name] : {std::pair(Role::kState, "states"), std::pair(Role::kInput, "inputs")}) {
    std::string list;
    for (size_t k = 0; k < space.symbols.size(); ++k) {
      if (space.symbols[k].role == role) list += (list.empty() ? "" : ", ") + renamed.Name(k);
    }
    out += std::string(name) + " = [" + list + "]\n";
  }
  std::string held;
  for (size_t k = 0; k < space.symbols.size(); ++k) {
    if (space.symbols[k].role == Role::kDiscrete) held += (held.empty() ? "" : ", ") + renamed.Name(k);
  }
  out += "discrete = [" + held + "]  # change at events only; their `when` clauses are not in this text\n";
  // Definitions and groups in the order of computation; linear groups solved by SymPy itself on demand.
  out += "definitions = [\n";
  for (const ReadableStep& step : space.steps) {
    if (step.is_group) continue;
    const ReadableEquation& e = space.definitions[step.index];
    out += "    (" + text(e.symbol) + ", " + text(e.right) + "),\n";
  }
  out += "]\ngroups = [  # unknowns, matrix (None: not linear), right side or residuals\n";
  for (const ReadableStep& step : space.steps) {
    if (!step.is_group) continue;
    const ReadableGroup& group = space.groups[step.index];
    std::string unknowns, matrix, right;
    for (const ExprId u : group.unknowns) unknowns += (unknowns.empty() ? "" : ", ") + text(u);
    for (const auto& row : group.matrix) {
      std::string line;
      for (const ExprId entry : row) line += (line.empty() ? "" : ", ") + text(entry);
      matrix += (matrix.empty() ? "[" : ", [") + line + "]";
    }
    for (size_t i = 0; i < group.unknowns.size(); ++i)
      right +=
          (right.empty() ? "" : ", ") + text(group.linear ? WholeRight(pool, group, i) : group.residuals[i]);
    out += "    ([" + unknowns + "], " + (group.linear ? "Matrix([" + matrix + "])" : std::string("None")) +
           ", [" + right + "]),\n";
  }
  out += "]\nderivatives = {\n";
  for (const ReadableEquation& e : space.derivatives)
    out += "    " + text(e.symbol) + ": " + text(e.right) + ",\n";
  out += "}\noutputs = {\n";
  for (const ReadableEquation& e : space.outputs)
    out += "    " + text(e.symbol) + ": " + text(e.right) + ",\n";
  return out + "}\n";
}

std::string WriteModelica(ExprPool& pool, const StateSpace& space, const std::string& system,
                          const std::vector<double>& start) {
  const Renamer renamed(
      pool, space, {"algorithm", "annotation", "block",     "break",    "class",  "connect",   "connector",
                    "constant",  "each",       "else",      "elseif",   "end",    "equation",  "extends",
                    "external",  "final",      "flow",      "function", "import", "initial",   "inner",
                    "input",     "loop",       "model",     "operator", "outer",  "output",    "package",
                    "parameter", "partial",    "protected", "public",   "record", "redeclare", "replaceable",
                    "return",    "stream",     "type",      "when",     "while",  "within"});
  const auto text = [&](ExprId e) { return PrintText(pool, renamed(e)); };
  std::string out = "// x' = f(x, u), by Cotree " COTREE_VERSION "\n";
  const bool discrete = std::any_of(space.symbols.begin(), space.symbols.end(),
                                    [](const ReadableSymbol& s) { return s.role == Role::kDiscrete; });
  if (discrete)
    out += "// What changes at events is declared, but not its `when` clauses: complete them before a run.\n";
  out += "model " + system + "\n";
  size_t state = 0;
  for (size_t k = 0; k < space.symbols.size(); ++k) {
    const ReadableSymbol& s = space.symbols[k];
    const auto definition = std::find_if(space.definitions.begin(), space.definitions.end(),
                                         [&](const ReadableEquation& e) { return e.symbol == s.symbol; });
    const bool logical = definition != space.definitions.end() && IsLogical(pool.op(definition->right));
    std::string attributes;
    const auto add = [&](const std::string& one) { attributes += (attributes.empty() ? "" : ", ") + one; };
    if (s.role == Role::kState && state < start.size())
      add("start = " + FormatNumber(start[state]) + ", fixed = true");
    state += s.role == Role::kState;
    if (!s.unit.empty() && !logical) add("unit = \"" + ModelicaUnit(s.unit) + "\"");
    if (!attributes.empty()) attributes = "(" + attributes + ")";
    const std::string type = logical                      ? "Boolean "
                             : s.role == Role::kParameter ? "parameter Real "
                             : s.role == Role::kInput     ? "input Real "
                             : s.role == Role::kDiscrete  ? "discrete Real "
                                                          : "Real ";
    out += "  " + type + renamed.Name(k) + attributes +
           (s.role == Role::kParameter ? " = " + FormatNumber(s.value) : "") + " \"" + s.path + "\";\n";
  }
  out += "equation\n";
  for (const ReadableStep& step : space.steps) {
    if (!step.is_group) {
      const ReadableEquation& e = space.definitions[step.index];
      out += "  " + text(e.symbol) + " = " + text(e.right) + ";\n";
      continue;
    }
    const ReadableGroup& group = space.groups[step.index];
    for (size_t i = 0; i < group.unknowns.size(); ++i) {
      if (!group.linear) {
        out += "  " + text(group.residuals[i]) + " = 0;\n";
        continue;
      }
      std::vector<ExprId> terms;
      for (size_t j = 0; j < group.unknowns.size(); ++j)
        terms.push_back(pool.Multiply(group.matrix[i][j], group.unknowns[j]));
      out += "  " + text(pool.Sum(terms)) + " = " + text(WholeRight(pool, group, i)) + ";\n";
    }
  }
  for (const ReadableEquation& e : space.derivatives)
    out += "  der(" + text(e.symbol) + ") = " + text(e.right) + ";\n";
  for (const ReadableEquation& e : space.outputs) {
    if (e.symbol != e.right) out += "  " + text(e.symbol) + " = " + text(e.right) + ";\n";
  }
  return out + "end " + system + ";\n";
}

}  // namespace cotree
