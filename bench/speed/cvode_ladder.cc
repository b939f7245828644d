// SPDX-License-Identifier: Apache-2.0
// The stiff RC ladder of models.py by stock CVODE (BDF, KLU, analytic Jacobian, Debian's vectors), written by
// hand: cvode_ladder N RTOL [F.csv]. One line of JSON: what a run costs without any translation, and per
// Newton iteration.
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr double kR = 1e3, kStop = 10e-3, kBegin = 1e-3, kEdge = 10e-6;
std::vector<double> rate;  // 1/(R*C)

double Input(double t) {
  return std::clamp((t - kBegin) / kEdge, 0.0, 1.0);
}

int Derivatives(double t, N_Vector y, N_Vector dy, void*) {
  const double* v = N_VGetArrayPointer(y);
  double* d = N_VGetArrayPointer(dy);
  const size_t n = rate.size();
  double left = Input(t);
  for (size_t k = 0; k + 1 < n; ++k) {
    d[k] = rate[k] * (left - 2 * v[k] + v[k + 1]);
    left = v[k];
  }
  d[n - 1] = rate[n - 1] * (left - v[n - 1]);
  return 0;
}

int Jacobian(double, N_Vector, N_Vector, SUNMatrix J, void*, N_Vector, N_Vector, N_Vector) {
  auto* columns = SUNSparseMatrix_IndexPointers(J);
  auto* rows = SUNSparseMatrix_IndexValues(J);
  double* values = SUNSparseMatrix_Data(J);
  const size_t n = rate.size();
  size_t at = 0;
  for (size_t j = 0; j < n; ++j) {
    columns[j] = static_cast<sunindextype>(at);
    if (j > 0) rows[at] = static_cast<sunindextype>(j - 1), values[at++] = rate[j - 1];
    rows[at] = static_cast<sunindextype>(j), values[at++] = (j + 1 < n ? -2 : -1) * rate[j];
    if (j + 1 < n) rows[at] = static_cast<sunindextype>(j + 1), values[at++] = rate[j + 1];
  }
  columns[n] = static_cast<sunindextype>(at);
  return 0;
}

double CpuSeconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const auto n = static_cast<size_t>(std::atoi(arguments[1]));
  const double rtol = std::atof(arguments[2]);
  SUNContext context;
  SUNContext_Create(nullptr, &context);
  N_Vector y = N_VNew_Serial(static_cast<sunindextype>(n), context);
  for (size_t k = 1; k <= n; ++k) {
    rate.push_back(1 / (kR * 1e-9 * std::pow(10, 1.5 * std::sin(0.7 * k))));
    N_VGetArrayPointer(y)[k - 1] = std::sin(0.37 * k) + std::sin(0.01 * k);
  }
  const double began = CpuSeconds();
  void* cvode = CVodeCreate(CV_BDF, context);
  CVodeInit(cvode, Derivatives, 0, y);
  CVodeSStolerances(cvode, rtol, rtol);
  const auto size = static_cast<sunindextype>(n);
  SUNMatrix matrix = SUNSparseMatrix(size, size, 3 * size - 2, CSC_MAT, context);
  SUNLinearSolver solver = SUNLinSol_KLU(y, matrix, context);
  CVodeSetLinearSolver(cvode, solver, matrix);
  CVodeSetJacFn(cvode, Jacobian);
  CVodeSetMaxStep(cvode, kStop / 100);
  CVodeSetMaxNumSteps(cvode, 1000000);
  std::vector<size_t> kept = {1, n / 4, n / 2, n};
  FILE* out = count > 3 ? std::fopen(arguments[3], "w") : nullptr;
  long steps = 0, iterations = 0, evaluations = 0, factorizations = 0;
  const auto gather = [&] {
    long a = 0, b = 0, c = 0, d = 0;
    CVodeGetNumSteps(cvode, &a), CVodeGetNumNonlinSolvIters(cvode, &b), CVodeGetNumRhsEvals(cvode, &c),
        CVodeGetNumLinSolvSetups(cvode, &d);
    steps += a, iterations += b, evaluations += c, factorizations += d;
  };
  double t = 0;
  const double corners[] = {kBegin, kBegin + kEdge, kStop};
  size_t corner = 0;
  CVodeSetStopTime(cvode, corners[0]);
  for (int row = 0; row <= 1000; ++row) {
    const double at = row * 10e-6;
    while (row > 0 && t < at * (1 - 1e-12)) {
      const int code = CVode(cvode, at, y, &t, CV_NORMAL);
      if (code < 0) return 1;
      if (code == CV_TSTOP_RETURN && corner + 1 < 3) {
        gather();
        CVodeReInit(cvode, t, y);
        CVodeSetStopTime(cvode, corners[++corner]);
      }
    }
    if (!out) continue;
    std::fprintf(out, "%.17g", at);
    for (const size_t k : kept) std::fprintf(out, ",%.17g", N_VGetArrayPointer(y)[k - 1]);
    std::fputc('\n', out);
  }
  gather();
  const double cpu = CpuSeconds() - began;
  std::printf(
      "{\"peer\": \"CVODE\", \"states\": %zu, \"rtol\": %g, \"cpu\": %.4f, \"steps\": %ld, \"iterations\": "
      "%ld, "
      "\"evaluations\": %ld, \"factorizations\": %ld, \"ns_per_iteration_and_state\": %.1f}\n",
      n, rtol, cpu, steps, iterations, evaluations, factorizations,
      cpu / static_cast<double>(iterations) / n * 1e9);
  if (out) std::fclose(out);
}
