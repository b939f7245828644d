// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

namespace cotree {

/** An identifier of HDF5, closed with the scope. */
class Hdf5Handle {
 public:
  using Closer = herr_t (*)(hid_t);
  Hdf5Handle(hid_t id, Closer closer) : id_(id), closer_(closer) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(other.id_), closer_(other.closer_) { other.id_ = -1; }
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;
  ~Hdf5Handle() { Close(); }

  hid_t id() const { return id_; }
  bool ok() const { return id_ >= 0; }
  bool Close() {
    const bool closed = id_ < 0 || closer_(id_) >= 0;
    id_ = -1;
    return closed;
  }

 private:
  hid_t id_;
  Closer closer_;
};

}  // namespace cotree
