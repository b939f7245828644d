// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace cotree {

/** Compiled objects on disk, found by the text they were made of. A cache may fail: every error is silent,
and the object is then made again.

One file per object, named by a hash of its text. It holds the whole text, which is compared, and a checksum:
neither a collision nor a damaged file gives a wrong object. Only files that belong to the user and that
nobody else may write are read: they become code. Files appear by renaming: several processes may share the
folder. Above `limit` bytes in all the objects that were not used for longest go. Safe in several threads. */
class KernelCache {
 public:
  static constexpr uint64_t kLimit = uint64_t{256} << 20;

  /// An empty folder: no cache. It is made when something is first stored.
  explicit KernelCache(std::string folder = DefaultFolder(), uint64_t limit = kLimit);

  /// $COTREE_CACHE ("off" or empty: none), else $XDG_CACHE_HOME/cotree/kernels, else
  /// $HOME/.cache/cotree/kernels.
  static std::string DefaultFolder();

  /// Empty: not there. `key_text` is all that the object depends on: text, options, version of the generator.
  std::vector<char> Find(const std::string& key_text) const;
  void Store(const std::string& key_text, std::span<const char> object);

 private:
  std::string PathOf(const std::string& key_text) const;
  void MakeRoom(uint64_t wanted);

  std::string folder_;
  uint64_t limit_;
  std::mutex mutex_;
  uint64_t used_ = UINT64_MAX;  // bytes in the folder, as far as this object knows; at first unknown
};

}  // namespace cotree
