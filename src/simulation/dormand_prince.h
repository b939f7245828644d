// SPDX-License-Identifier: Apache-2.0
#pragma once

/* Dormand, Prince, A family of embedded Runge-Kutta formulae, J. Comp. Appl. Math. 6 (1980); the
interpolation of order 4 after Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.6. */
namespace cotree::dormand_prince {

constexpr int kStages = 7;
constexpr double kTime[kStages] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
constexpr double kStage[kStages][6] = {
    {},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};  // of the stages 1, 3, 4, 5, 6
constexpr double kError[6] = {71.0 / 57600,      -71.0 / 16695, 71.0 / 1920,
                              -17253.0 / 339200, 22.0 / 525,    -1.0 / 40};  // of 1, 3, 4, 5, 6, 7
constexpr double kDense[6] = {-12715105075.0 / 11282082432, 87487479700.0 / 32700410799,
                              -10690763975.0 / 1880347072,  701980252875.0 / 199316789632,
                              -1453857185.0 / 822651844,    69997945.0 / 29380423};

}  // namespace cotree::dormand_prince
