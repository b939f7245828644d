// SPDX-License-Identifier: Apache-2.0
// The only way from the oracle to the program under test.
#pragma once

#include <complex>
#include <cstddef>
#include <string>
#include <vector>

namespace cotree::oracle {

struct Answer {
  bool refused = false;            // errors: see codes
  std::vector<std::string> codes;  // "COT4001", ... of errors and warnings
  std::string messages;            // full text of the findings
  int order = -1;                  // number of states
  std::vector<std::complex<double>> poles;
  std::vector<std::string> states;            // names
  std::vector<size_t> block_sizes;            // sizes of the blocks of the sorted system, any order
  std::vector<std::string> edges;             // all; those of a component in the order of its class
  std::vector<std::string> branches;          // edges of the tree by whose circuits across variables follow,
  std::vector<std::string> through_branches;  // and of that by whose cut-sets through variables do
  std::string bits;  // a text that must be equal bit by bit when declarations are reordered
};

Answer AskCotree(const std::string& model_text);

}  // namespace cotree::oracle
