// SPDX-License-Identifier: Apache-2.0
// One network, asked of the oracle and of the program; what does not agree is collected.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "oracle/ask.h"
#include "oracle/exact_order.h"
#include "oracle/network.h"
#include "oracle/poles.h"

namespace cotree::oracle {

inline bool LongTests() {
  return std::getenv("COTREE_LONG") != nullptr;
}

/** What the oracle knows of a network. */
struct Expected {
  ExactOrder exact;
  Poles poles;
  bool poles_known = false;  // false: the coefficients of the polynomial are too large
};

inline Expected ExpectedOf(const Network& network) {
  Expected expected{ExactOrderOf(network), {}, false};
  if (expected.exact.singular) return expected;
  if (const auto poles = PolynomialPoles(expected.exact)) {
    expected.poles = *poles;
    expected.poles_known = true;
  }
  return expected;
}

/** Counts, and the first few disagreements of each kind with their models. */
struct Tally {
  size_t networks = 0, singular = 0, order_mismatches = 0, poles_compared = 0;
  std::map<std::string, size_t> kinds;
  std::string report;

  void Disagree(const std::string& kind, const std::string& title, const std::string& what,
                const std::string& text) {
    if (++kinds[kind] <= 3) report += "--- " + kind + ": " + title + "\n" + what + "\n" + text;
  }
  size_t disagreements() const {
    size_t sum = 0;
    for (const auto& [kind, count] : kinds) sum += count;
    return sum;
  }
  std::string Summary() const {
    std::ostringstream out;
    out << "networks " << networks << ", singular " << singular << ", order mismatches " << order_mismatches;
    for (const auto& [kind, count] : kinds) out << ", " << kind << " " << count;
    return out.str();
  }
};

struct CheckOptions {
  bool reordered = true, renamed = true;
  std::mt19937* random = nullptr;  // for both
};

inline void CheckNetwork(const Network& network, const std::string& title, const CheckOptions& options,
                         Tally& tally) {
  ++tally.networks;
  const std::string text = NetworkText(network);
  try {
    const Expected expected = ExpectedOf(network);
    const ExactOrder& exact = expected.exact;
    if (exact.singular) ++tally.singular;
    const Answer answer = AskCotree(text);
    // Couplings that say the same leave open what each carries: accepted, with a note that says which is left
    // out.
    const bool noted = std::count(answer.codes.begin(), answer.codes.end(), "COT4040") > 0;
    if (exact.singular && !answer.refused && !noted)
      tally.Disagree("singular but accepted", title, answer.messages, text);
    if (!exact.singular && answer.refused) {
      const std::set<std::string> codes(answer.codes.begin(), answer.codes.end());
      std::string kind = "regular but refused:";
      for (const std::string& code : codes) kind += " " + code;
      tally.Disagree(kind, title, "order " + std::to_string(exact.order) + "\n" + answer.messages, text);
    }
    const auto compare = [&](const Answer& got, const std::string& how) {
      if (got.order != exact.order) {
        if (how.empty()) ++tally.order_mismatches;
        std::string states;
        for (const std::string& s : got.states) states += s + " ";
        tally.Disagree("order" + how, title,
                       "order " + std::to_string(got.order) + " (" + states + ") instead of " +
                           std::to_string(exact.order) + " " + PolesText(expected.poles),
                       text);
        return;
      }
      if (!expected.poles_known) return;
      if (how.empty()) ++tally.poles_compared;
      const std::string reason = ComparePoles(expected.poles, got.poles);
      if (!reason.empty()) tally.Disagree("poles" + how, title, reason, text);
    };
    if (!exact.singular && !answer.refused) compare(answer, "");
    if (options.reordered && options.random != nullptr) {
      const std::string other_text = NetworkText(network, {.shuffle = options.random});
      const Answer other = AskCotree(other_text);
      if (other.refused != answer.refused || other.bits != answer.bits) {
        tally.Disagree("not the same when reordered", title,
                       "refused " + std::to_string(answer.refused) + " and " + std::to_string(other.refused),
                       text + other_text);
      }
    }
    if (options.renamed && options.random != nullptr) {
      const Answer other = AskCotree(
          NetworkText(network, {.shuffle = options.random, .split_connections = true, .rename = true}));
      if (other.refused != answer.refused)
        tally.Disagree("not refused equally when renamed", title, other.messages, text);
      if (!exact.singular && !other.refused) compare(other, " when renamed");
    }
  } catch (const std::exception& error) {
    tally.Disagree("exceptions", title, error.what(), text);
  }
}

}  // namespace cotree::oracle
