// SPDX-License-Identifier: Apache-2.0
// The networks with known answers (tests/models/expected/networks.json): order, states, poles, frequency
// responses, step responses.
#include <gtest/gtest.h>

#include <complex>
#include <nlohmann/json.hpp>

#include "oracle/poles.h"
#include "pipeline/choose_system.h"
#include "product_support.h"
#include "run_support.h"

namespace cotree::test {
namespace {

using Json = nlohmann::json;
using Complex = std::complex<double>;
using Matrix = std::vector<std::vector<double>>;

Matrix MatrixOf(const Json& json, size_t rows, size_t columns) {
  Matrix out(rows, std::vector<double>(columns, 0));
  if (!json.is_array()) return out;
  for (size_t i = 0; i < json.size(); ++i) {
    for (size_t j = 0; j < json[i].size(); ++j) out[i][j] = json[i][j];
  }
  return out;
}
Matrix MatrixOf(const std::vector<double>& flat, size_t rows, size_t columns) {
  Matrix out(rows, std::vector<double>(columns, 0));
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) out[i][j] = flat[i * columns + j];
  }
  return out;
}

/** x' = A x + (B + s B1) u, y = C x + (D + s D1) u. */
struct StateSpace {
  Matrix a, b, b1, c, d, d1;

  // C (s - A)^-1 (B + s B1) + D + s D1, by Gaussian elimination.
  std::vector<std::vector<Complex>> Response(Complex s) const {
    const size_t n = a.size(), p = c.size(), m = d.empty() ? 0 : d[0].size();
    std::vector<std::vector<Complex>> w(n, std::vector<Complex>(n + m));
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j) w[i][j] = (i == j ? s : 0.0) - a[i][j];
      for (size_t j = 0; j < m; ++j) w[i][n + j] = b[i][j] + s * b1[i][j];
    }
    for (size_t k = 0; k < n; ++k) {
      size_t pivot = k;
      for (size_t i = k; i < n; ++i) {
        if (std::abs(w[i][k]) > std::abs(w[pivot][k])) pivot = i;
      }
      std::swap(w[k], w[pivot]);
      for (size_t i = 0; i < n; ++i) {
        if (i == k) continue;
        const Complex f = w[i][k] / w[k][k];
        for (size_t j = k; j < n + m; ++j) w[i][j] -= f * w[k][j];
      }
    }
    std::vector<std::vector<Complex>> out(p, std::vector<Complex>(m));
    for (size_t i = 0; i < p; ++i) {
      for (size_t j = 0; j < m; ++j) {
        out[i][j] = d[i][j] + s * d1[i][j];
        for (size_t k = 0; k < n; ++k) out[i][j] += c[i][k] * w[k][n + j] / w[k][k];
      }
    }
    return out;
  }
};

struct Case {
  Json expected;
  std::vector<std::string> inputs;
  std::string file;
  bool displacements = false;  // mechanical, with the standard library
  int more = 0;                // order beyond the file's
};

std::vector<Case> Cases() {
  const Json all = Json::parse(ReadText(kRoot / "tests/models/expected/networks.json"));
  const std::map<std::string, int> more{
      {"motor_gear_flexible", 1}, {"two_mass_free", 1}, {"lever_masses", 0}, {"hydraulic_cylinder_rigid", 0}};
  std::vector<Case> out;
  for (const Json& c : all["cases"]) {
    if (c["expected"].contains("error")) continue;
    Case one{c["expected"], c["netlist"]["inputs"].get<std::vector<std::string>>(), c["id"], false, 0};
    const auto mechanical = more.find(one.file);
    if (mechanical != more.end()) {
      Case velocity = one;
      velocity.file += "_velocity";
      out.push_back(velocity);
      one.displacements = true;
      one.more = mechanical->second;
    }
    out.push_back(one);
  }
  return out;
}

struct Loaded {
  std::unique_ptr<LoadedModel> loaded;
  std::unique_ptr<Translation> translation;
};

Loaded Load(const std::string& file, const std::vector<std::string>& free_inputs,
            const std::vector<std::string>& settings = {}) {
  DiskReader reader;
  SystemRequest request;
  request.runs = false;
  request.options.settings = settings;
  Loaded out;
  out.loaded = LoadModel((kRoot / "tests/models" / (file + ".cot")).string(), reader);
  ChooseSystem(*out.loaded, request, file);
  TranslateOptions translate;
  translate.free_inputs = free_inputs;
  out.translation = Translate(*out.loaded, translate);
  const BlockCertificates& proof = out.translation->certificates;
  EXPECT_EQ(proof.regular, proof.blocks) << file;
  EXPECT_TRUE(out.translation->ok) << file << "\n"
                                   << Render(out.loaded->diagnostics, out.loaded->model.files);
  return out;
}

std::vector<VariableRef> Outputs(const Loaded& l) {
  const NameFinder names(l.loaded->model, *l.translation->graph);
  std::vector<VariableRef> out;
  for (const std::string& text : l.loaded->model.experiments[0].plot_texts) {
    out.push_back(FindVariable(*l.translation->equations, names, text));
    EXPECT_TRUE(l.translation->sorted->HasSlot(out.back())) << text;
  }
  return out;
}

TEST(Networks, OrderStatesPolesAndResponses) {
  double worst = 0;
  size_t cases = 0, points = 0;
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.file);
    std::vector<std::string> inputs;
    for (const std::string& id : c.inputs) inputs.push_back(id + ".u");
    const Loaded l = Load(c.file, inputs);
    if (!l.translation->ok) continue;
    ++cases;
    ProgramRun run(*l.translation->program);
    ASSERT_TRUE(run.Run(0)) << run.FailureText();
    const LinearModel linear = Linearize(run, *l.translation->program, Outputs(l), 0);
    const auto order = c.expected["order"].get<size_t>() + static_cast<size_t>(c.more);
    EXPECT_EQ(linear.n(), order);

    // The states are an admissible set of storage elements.
    if (!c.displacements) {
      std::set<std::string> chosen;
      for (const std::string& state : linear.states) chosen.insert(state.substr(0, state.find('.')));
      bool admissible = false;
      for (const Json& set : c.expected["valid_state_sets"])
        admissible = admissible || std::set<std::string>(set.begin(), set.end()) == chosen;
      EXPECT_TRUE(admissible) << ::testing::PrintToString(chosen);
    }

    std::vector<Complex> poles;
    for (const Json& e : c.expected["eigenvalues"])
      poles.emplace_back(e["re"].get<double>(), e["im"].get<double>());
    for (int k = 0; k < c.more; ++k) poles.emplace_back(0, 0);
    EXPECT_EQ(oracle::ComparePoles(poles, linear.poles), "");

    const size_t n = c.expected["order"], m = c.inputs.size(), p = linear.p();
    StateSpace reference{MatrixOf(c.expected["A"], n, n),
                         MatrixOf(c.expected["B"], n, m),
                         MatrixOf(c.expected.value("B_du1", Json()), n, m),
                         MatrixOf(c.expected["C"], p, n),
                         MatrixOf(c.expected["D"], p, m),
                         MatrixOf(c.expected.value("D_du1", Json()), p, m)};
    const size_t N = linear.n();
    const auto of_order = [&](const std::vector<std::vector<double>>& list, size_t k, size_t rows) {
      return k < list.size() ? MatrixOf(list[k], rows, m) : Matrix(rows, std::vector<double>(m, 0));
    };
    StateSpace own{MatrixOf(linear.A, N, N), of_order(linear.B, 0, N), of_order(linear.B, 1, N),
                   MatrixOf(linear.C, p, N), of_order(linear.D, 0, p), of_order(linear.D, 1, p)};
    EXPECT_LE(linear.B.size(), 2u);
    const auto compare = [&](const std::vector<std::vector<Complex>>& expected, double omega) {
      const auto got = own.Response({0, omega});
      for (size_t i = 0; i < p; ++i) {
        for (size_t j = 0; j < m; ++j) {
          const double error = std::abs(got[i][j] - expected[i][j]) / std::max(1.0, std::abs(expected[i][j]));
          worst = std::max(worst, error);
          EXPECT_LE(error, 1e-8) << "omega " << omega << " output " << i << " input " << j;
          ++points;
        }
      }
    };
    for (const Json& f : c.expected["frequency_response"]) {
      std::vector<std::vector<Complex>> expected(p, std::vector<Complex>(m));
      for (size_t i = 0; i < p; ++i) {
        for (size_t j = 0; j < m; ++j)
          expected[i][j] = {f["H_re"][i][j].get<double>(), f["H_im"][i][j].get<double>()};
      }
      compare(expected, f["omega"]);
    }
    for (int k = 0; k < 20; ++k) {
      const double omega = std::pow(10.0, -2 + 0.25 * k);
      compare(reference.Response({0, omega}), omega);
    }
  }
  EXPECT_EQ(cases, 19u);
  std::printf("networks %zu, response points %zu, worst %.2e\n", cases, points, worst);
}

TEST(Networks, StepResponses) {
  double worst = 0;
  size_t curves = 0;
  for (const Case& c : Cases()) {
    if (!c.expected.contains("step") || !c.expected["step"].is_object()) continue;
    SCOPED_TRACE(c.file);
    const Json& step = c.expected["step"];
    const std::vector<double> times = step["t"];
    for (size_t input = 0; input < c.inputs.size(); ++input) {
      std::vector<std::string> settings;
      for (size_t k = 0; k < c.inputs.size(); ++k) {
        if (k != input) settings.push_back(c.inputs[k] + "_u.height = 0");
      }
      const Loaded l = Load(c.file, {}, settings);
      if (!l.translation->ok) continue;
      const std::vector<VariableRef> outputs = Outputs(l);
      SimulationOptions options;
      options.stop = times.back();
      options.rtol = 1e-9;
      options.interval = times[1] - times[0];
      const Trajectory run = Simulate(*l.translation->program, l.translation->starts, options);
      ASSERT_TRUE(run.ok) << run.problem;
      for (size_t o = 0; o < outputs.size(); ++o) {
        const uint32_t slot = l.translation->sorted->Slot(outputs[o]);
        const auto at = std::find(run.slots.begin(), run.slots.end(), slot);
        const auto& column = run.columns[static_cast<size_t>(at - run.slots.begin())];
        double scale = 0;
        for (size_t k = 0; k < times.size(); ++k)
          scale = std::max(scale, std::fabs(step["y_by_input"][input][k][o].get<double>()));
        ++curves;
        for (size_t k = 0; k < times.size(); ++k) {
          // The last row at or before the time.
          size_t row = 0;
          for (size_t r = 0; r < run.times.size(); ++r) {
            if (run.times[r] <= times[k] + 1e-9) row = r;
          }
          ASSERT_NEAR(run.times[row], times[k], 1e-9);
          const double error = std::fabs(column[row] - step["y_by_input"][input][k][o].get<double>()) /
                               (scale > 0 ? scale : 1);
          worst = std::max(worst, error);
          EXPECT_LE(error, 1e-6) << "t " << times[k] << " output " << o << " input " << input;
        }
      }
    }
  }
  EXPECT_GT(curves, 20u);
  std::printf("step responses %zu, worst %.2e of full scale\n", curves, worst);
}

}  // namespace
}  // namespace cotree::test
