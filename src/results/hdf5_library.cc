// SPDX-License-Identifier: Apache-2.0
#include "results/hdf5_library.h"

#include <dlfcn.h>

namespace cotree {
namespace {

Hdf5Library Load() {
  Hdf5Library library;
  // It stays mapped: it has an exit handler of its own.
  void* handle = dlopen(COTREE_HDF5_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    library.problem = "the library HDF5 (" COTREE_HDF5_LIBRARY
                      ") is not installed: apt-get install libhdf5-103-1, or use .cotr, .csv, .mat";
    return library;
  }
  bool complete = true;
  const auto bind = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    complete = complete && function != nullptr;
  };
#define COTREE_BIND(name) bind(library.name, #name);
  COTREE_HDF5_FUNCTIONS(COTREE_BIND)
#undef COTREE_BIND
  complete = complete && library.H5open() >= 0;
  const auto number = [&](const char* name) {
    const auto* place = static_cast<const hid_t*>(dlsym(handle, name));
    complete = complete && place != nullptr;
    return place == nullptr ? -1 : *place;
  };
  library.native_double = number("H5T_NATIVE_DOUBLE_g");
  library.native_int32 = number("H5T_NATIVE_INT32_g");
  library.ieee_f64le = number("H5T_IEEE_F64LE_g");
  library.c_s1 = number("H5T_C_S1_g");
  library.group_create = number("H5P_CLS_GROUP_CREATE_ID_g");
  library.dataset_create = number("H5P_CLS_DATASET_CREATE_ID_g");
  library.dataset_access = number("H5P_CLS_DATASET_ACCESS_ID_g");
  if (!complete) {
    library.problem = "the library HDF5 (" COTREE_HDF5_LIBRARY ") is not the one that was built for";
    return library;
  }
  library.H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  return library;
}

}  // namespace

const Hdf5Library& Hdf5() {
  static const Hdf5Library library = Load();
  return library;
}

}  // namespace cotree
