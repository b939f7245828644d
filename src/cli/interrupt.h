// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cotree {

/** While it lives, Ctrl-C is noted instead of ending the program: what runs ends in order, with all that it
has. A second one ends the program at once. One at a time; `interrupted` may be asked by any thread. */
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  bool interrupted() const;

 private:
  void (*before_)(int);
};

}  // namespace cotree
