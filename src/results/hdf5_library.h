// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

#include <string>

// Its constants would call the library, which is not linked.
#undef H5CHECK
#undef H5OPEN
#define H5CHECK
#define H5OPEN

namespace cotree {

// Every function of HDF5 that is used.
#define COTREE_HDF5_FUNCTIONS(X)  \
  X(H5open)                       \
  X(H5free_memory)                \
  X(H5Aclose)                     \
  X(H5Acreate2)                   \
  X(H5Aexists)                    \
  X(H5Aget_space)                 \
  X(H5Aget_type)                  \
  X(H5Aopen)                      \
  X(H5Aread)                      \
  X(H5Awrite)                     \
  X(H5Dclose)                     \
  X(H5Dcreate2)                   \
  X(H5Dget_space)                 \
  X(H5Dget_type)                  \
  X(H5Dopen2)                     \
  X(H5Dread)                      \
  X(H5Dset_extent)                \
  X(H5Dvlen_reclaim)              \
  X(H5Dwrite)                     \
  X(H5Eset_auto2)                 \
  X(H5Fclose)                     \
  X(H5Fcreate)                    \
  X(H5Fopen)                      \
  X(H5Gclose)                     \
  X(H5Gcreate2)                   \
  X(H5Gopen2)                     \
  X(H5Lexists)                    \
  X(H5Literate)                   \
  X(H5Pclose)                     \
  X(H5Pcreate)                    \
  X(H5Pset_chunk)                 \
  X(H5Pset_chunk_cache)           \
  X(H5Pset_deflate)               \
  X(H5Pset_link_creation_order)   \
  X(H5Pset_shuffle)               \
  X(H5Sclose)                     \
  X(H5Screate)                    \
  X(H5Screate_simple)             \
  X(H5Sget_simple_extent_ndims)   \
  X(H5Sget_simple_extent_npoints) \
  X(H5Sselect_hyperslab)          \
  X(H5Tclose)                     \
  X(H5Tcopy)                      \
  X(H5Tget_class)                 \
  X(H5Tget_size)                  \
  X(H5Tis_variable_str)           \
  X(H5Tset_cset)                  \
  X(H5Tset_size)                  \
  X(H5Tset_strpad)

/** HDF5, loaded when it is first needed: it brings 25 libraries along (curl, OpenSSL, Kerberos, ...), which
would make every start of the program four times as long. */
struct Hdf5Library {
#define COTREE_MEMBER(name) decltype(&::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses)
  COTREE_HDF5_FUNCTIONS(COTREE_MEMBER)
#undef COTREE_MEMBER
  // Its numbers for types and classes of properties.
  hid_t native_double = -1, native_int32 = -1, ieee_f64le = -1, c_s1 = -1;
  hid_t group_create = -1, dataset_create = -1, dataset_access = -1;

  std::string problem;  // with the remedy; empty: it is there
};

/// Only if `problem` is empty may anything of it be called.
const Hdf5Library& Hdf5();

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
