// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "results/hdf5_format.h"
#include "results/hdf5_library.h"
#include "results/header_json.h"

namespace cotree {
namespace {

std::string GetText(hid_t object, const char* name) {
  if (Hdf5().H5Aexists(object, name) <= 0) return {};
  const Hdf5Handle attribute(Hdf5().H5Aopen(object, name, H5P_DEFAULT), Hdf5().H5Aclose);
  const Hdf5Handle type(Hdf5().H5Aget_type(attribute.id()), Hdf5().H5Tclose);
  const Hdf5Handle space(Hdf5().H5Aget_space(attribute.id()), Hdf5().H5Sclose);
  if (Hdf5().H5Tget_class(type.id()) != H5T_STRING || Hdf5().H5Sget_simple_extent_npoints(space.id()) != 1)
    return {};
  if (Hdf5().H5Tis_variable_str(type.id()) > 0) {
    char* text = nullptr;
    if (Hdf5().H5Aread(attribute.id(), type.id(), &text) < 0 || text == nullptr) return {};
    std::string copy(text);
    Hdf5().H5free_memory(text);
    return copy;
  }
  std::string text(Hdf5().H5Tget_size(type.id()), '\0');
  if (Hdf5().H5Aread(attribute.id(), type.id(), text.data()) < 0) return {};
  text.resize(std::min(text.size(), text.find('\0')));
  return text;
}

double GetNumber(hid_t object, const char* name, double otherwise) {
  if (Hdf5().H5Aexists(object, name) <= 0) return otherwise;
  const Hdf5Handle attribute(Hdf5().H5Aopen(object, name, H5P_DEFAULT), Hdf5().H5Aclose);
  const Hdf5Handle space(Hdf5().H5Aget_space(attribute.id()), Hdf5().H5Sclose);
  double value = otherwise;
  if (Hdf5().H5Sget_simple_extent_npoints(space.id()) != 1) return otherwise;
  return Hdf5().H5Aread(attribute.id(), Hdf5().native_double, &value) < 0 ? otherwise : value;
}

bool GetSeries(hid_t series, std::vector<double>* values) {
  const Hdf5Handle space(Hdf5().H5Dget_space(series), Hdf5().H5Sclose);
  if (!space.ok() || Hdf5().H5Sget_simple_extent_ndims(space.id()) != 1) return false;
  values->resize(static_cast<size_t>(Hdf5().H5Sget_simple_extent_npoints(space.id())));
  return values->empty() ||
         Hdf5().H5Dread(series, Hdf5().native_double, H5S_ALL, H5S_ALL, H5P_DEFAULT, values->data()) >= 0;
}

ResultColumn GetColumn(hid_t object, std::string name) {
  return {std::move(name),
          GetText(object, "unit"),
          GetText(object, "description"),
          GetNumber(object, "stepwise", 0) != 0,
          GetText(object, "alias_of"),
          GetNumber(object, "alias_sign", 1) < 0 ? -1.0 : 1.0};
}

/* The names in a group, in the order in which they were made, or else by name. */
std::vector<std::string> NamesIn(hid_t group) {
  std::vector<std::string> names;
  const auto take = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  if (Hdf5().H5Literate(group, H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr, take, &names) < 0) {
    names.clear();
    Hdf5().H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, take, &names);
  }
  return names;
}

bool ReadColumns(hid_t file, const char* group_name, Result* result) {
  if (Hdf5().H5Lexists(file, group_name, H5P_DEFAULT) <= 0) return true;
  const Hdf5Handle group(Hdf5().H5Gopen2(file, group_name, H5P_DEFAULT), Hdf5().H5Gclose);
  for (const std::string& name : NamesIn(group.id())) {
    const Hdf5Handle series(Hdf5().H5Dopen2(group.id(), name.c_str(), H5P_DEFAULT), Hdf5().H5Dclose);
    if (!series.ok()) return false;
    result->header.columns.push_back(GetColumn(series.id(), name));
    result->columns.emplace_back();
    if (!result->header.columns.back().stored()) continue;
    if (!GetSeries(series.id(), &result->columns.back())) return false;
    if (result->columns.back().size() != result->times.size()) return false;
  }
  return true;
}

// A dataset of texts; nothing if it is not there or has another length.
std::optional<std::vector<std::string>> GetTexts(hid_t file, const char* name, size_t count) {
  const Hdf5Handle texts(Hdf5().H5Dopen2(file, name, H5P_DEFAULT), Hdf5().H5Dclose);
  if (!texts.ok()) return std::nullopt;
  const Hdf5Handle type(Hdf5().H5Dget_type(texts.id()), Hdf5().H5Tclose);
  const Hdf5Handle space(Hdf5().H5Dget_space(texts.id()), Hdf5().H5Sclose);
  if (Hdf5().H5Tis_variable_str(type.id()) <= 0 ||
      Hdf5().H5Sget_simple_extent_npoints(space.id()) != static_cast<hssize_t>(count))
    return std::nullopt;
  std::vector<char*> pointers(count, nullptr);
  if (Hdf5().H5Dread(texts.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()) < 0)
    return std::nullopt;
  std::vector<std::string> out;
  for (const char* text : pointers) out.emplace_back(text == nullptr ? "" : text);
  Hdf5().H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, pointers.data());
  return out;
}

bool GetNumbers(hid_t file, const char* name, std::vector<double>* numbers) {
  const Hdf5Handle series(Hdf5().H5Dopen2(file, name, H5P_DEFAULT), Hdf5().H5Dclose);
  return series.ok() && GetSeries(series.id(), numbers);
}

void ReadEvents(hid_t file, Result* result) {
  if (Hdf5().H5Lexists(file, "events", H5P_DEFAULT) <= 0) return;
  std::vector<double> when;
  if (!GetNumbers(file, "events/time", &when)) return;
  const auto texts = GetTexts(file, "events/text", when.size());
  for (size_t k = 0; texts && k < when.size(); ++k) result->events.push_back({when[k], (*texts)[k]});
}

void ReadExtremes(hid_t file, Result* result) {
  if (Hdf5().H5Lexists(file, "extremes", H5P_DEFAULT) <= 0) return;
  std::vector<double> times, values;
  if (!GetNumbers(file, "extremes/time", &times) || !GetNumbers(file, "extremes/value", &values) ||
      times.size() != values.size())
    return;
  const auto names = GetTexts(file, "extremes/variable", times.size());
  const auto by_name = result->header.ByName();
  for (size_t k = 0; names && k < times.size(); ++k) {
    const auto column = by_name.find((*names)[k]);
    if (column == by_name.end() || !result->header.columns[column->second].stored()) continue;
    result->extremes.push_back({static_cast<uint32_t>(column->second), times[k], values[k]});
  }
}

}  // namespace

std::optional<Result> ReadHdf5(const std::string& path, std::string* problem) {
  const auto fail = [&](const std::string& what) {
    *problem = what;
    return std::nullopt;
  };
  if (!Hdf5().problem.empty()) return fail(Hdf5().problem);
  const Hdf5Handle file(Hdf5().H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), Hdf5().H5Fclose);
  if (!file.ok()) return fail("HDF5 cannot open it: it is cut or damaged");
  Result result;
  ResultHeader& header = result.header;
  header.schema = GetText(file.id(), "schema");
  if (header.schema != "cotree.result/1") return fail("it is an HDF5 file, but no result of Cotree");
  header.model = GetText(file.id(), "model");
  header.model_hash = GetText(file.id(), "model_hash");
  header.version = GetText(file.id(), "version");
  header.experiment = GetText(file.id(), "experiment");
  header.tolerance = GetText(file.id(), "tolerance");
  std::istringstream plots(GetText(file.id(), "plots"));
  for (std::string plot; std::getline(plots, plot);) header.plots.push_back(plot);
  if (const std::string status = GetText(file.id(), "status"); !status.empty()) result.status = status;
  const Hdf5Handle times(Hdf5().H5Dopen2(file.id(), "time", H5P_DEFAULT), Hdf5().H5Dclose);
  if (!times.ok() || !GetSeries(times.id(), &result.times) || !ReadColumns(file.id(), "variables", &result) ||
      !ReadColumns(file.id(), "aliases", &result) || !CheckHeader(header))
    return fail("its datasets are not those of a result (docs/manual/results.md)");
  ReadEvents(file.id(), &result);
  ReadExtremes(file.id(), &result);
  return result;
}

}  // namespace cotree
