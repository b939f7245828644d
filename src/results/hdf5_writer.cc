// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/output_file.h"
#include "results/cotr_format.h"
#include "results/hdf5_format.h"
#include "results/hdf5_library.h"

namespace cotree {
namespace {

constexpr size_t kBatchBytes = size_t{16} << 20;

bool PutText(hid_t object, const char* name, std::string_view text) {
  const Hdf5Handle type(Hdf5().H5Tcopy(Hdf5().c_s1), Hdf5().H5Tclose);
  Hdf5().H5Tset_size(type.id(), std::max<size_t>(1, text.size()));
  Hdf5().H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  Hdf5().H5Tset_cset(type.id(), H5T_CSET_UTF8);
  const Hdf5Handle space(Hdf5().H5Screate(H5S_SCALAR), Hdf5().H5Sclose);
  const Hdf5Handle attribute(Hdf5().H5Acreate2(object, name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT),
                             Hdf5().H5Aclose);
  const std::string padded = text.empty() ? std::string(1, '\0') : std::string(text);
  return attribute.ok() && Hdf5().H5Awrite(attribute.id(), type.id(), padded.data()) >= 0;
}

bool PutNumber(hid_t object, const char* name, hid_t type, const void* value) {
  const Hdf5Handle space(Hdf5().H5Screate(H5S_SCALAR), Hdf5().H5Sclose);
  const Hdf5Handle attribute(Hdf5().H5Acreate2(object, name, type, space.id(), H5P_DEFAULT, H5P_DEFAULT),
                             Hdf5().H5Aclose);
  return attribute.ok() && Hdf5().H5Awrite(attribute.id(), type, value) >= 0;
}

bool PutColumn(hid_t object, const ResultColumn& column) {
  const int32_t stepwise = column.stepwise ? 1 : 0;
  return PutText(object, "unit", column.unit) && PutText(object, "description", column.description) &&
         PutNumber(object, "stepwise", Hdf5().native_int32, &stepwise);
}

Hdf5Handle MakeGroup(hid_t file, const char* name) {
  const Hdf5Handle ordered(Hdf5().H5Pcreate(Hdf5().group_create), Hdf5().H5Pclose);
  Hdf5().H5Pset_link_creation_order(ordered.id(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  return {Hdf5().H5Gcreate2(file, name, H5P_DEFAULT, ordered.id(), H5P_DEFAULT), Hdf5().H5Gclose};
}

/* A dataset that grows. */
Hdf5Handle MakeSeries(hid_t group, const char* name, hsize_t chunk) {
  const hsize_t none = 0, unlimited = H5S_UNLIMITED;
  const Hdf5Handle space(Hdf5().H5Screate_simple(1, &none, &unlimited), Hdf5().H5Sclose);
  const Hdf5Handle properties(Hdf5().H5Pcreate(Hdf5().dataset_create), Hdf5().H5Pclose);
  Hdf5().H5Pset_chunk(properties.id(), 1, &chunk);
  Hdf5().H5Pset_shuffle(properties.id());
  Hdf5().H5Pset_deflate(properties.id(), 4);
  // The cache of each dataset holds nothing: whole chunks are written once.
  const Hdf5Handle access(Hdf5().H5Pcreate(Hdf5().dataset_access), Hdf5().H5Pclose);
  Hdf5().H5Pset_chunk_cache(access.id(), 1, 0, 1);
  return {Hdf5().H5Dcreate2(group, name, Hdf5().ieee_f64le, space.id(), H5P_DEFAULT, properties.id(),
                            access.id()),
          Hdf5().H5Dclose};
}

bool Append(hid_t series, hsize_t before, const std::vector<double>& values) {
  const hsize_t count = values.size(), total = before + count;
  if (count == 0) return true;
  if (Hdf5().H5Dset_extent(series, &total) < 0) return false;
  const Hdf5Handle target(Hdf5().H5Dget_space(series), Hdf5().H5Sclose);
  const Hdf5Handle memory(Hdf5().H5Screate_simple(1, &count, nullptr), Hdf5().H5Sclose);
  return Hdf5().H5Sselect_hyperslab(target.id(), H5S_SELECT_SET, &before, nullptr, &count, nullptr) >= 0 &&
         Hdf5().H5Dwrite(series, Hdf5().native_double, memory.id(), target.id(), H5P_DEFAULT,
                         values.data()) >= 0;
}

/* The second half of the work: a file of HDF5 from the rows that a .cotr file brings. */
class Hdf5Builder {
 public:
  explicit Hdf5Builder(const std::string& path)
      : file_(Hdf5().H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), Hdf5().H5Fclose),
        ok_(file_.ok()) {}

  void Begin(const ResultHeader& header) {
    if (!ok_) return;
    const hid_t root = file_.id();
    std::string plots;
    for (const std::string& plot : header.plots) plots += (plots.empty() ? "" : "\n") + plot;
    ok_ = PutText(root, "schema", header.schema) && PutText(root, "model", header.model) &&
          PutText(root, "model_hash", header.model_hash) && PutText(root, "version", header.version) &&
          PutText(root, "experiment", header.experiment) && PutText(root, "tolerance", header.tolerance) &&
          PutText(root, "plots", plots);
    batch_ = std::clamp<size_t>(kBatchBytes / 8 / (1 + header.StoredColumns()), 64, 4096);
    series_.push_back(MakeSeries(root, "time", batch_));
    ok_ = ok_ && series_[0].ok() && PutText(series_[0].id(), "unit", "s");
    const Hdf5Handle variables = MakeGroup(root, "variables"), aliases = MakeGroup(root, "aliases");
    const Hdf5Handle nothing(Hdf5().H5Screate(H5S_NULL), Hdf5().H5Sclose);
    for (size_t k = 0; ok_ && k < header.columns.size(); ++k) {
      const ResultColumn& column = header.columns[k];
      if (column.stored()) {
        series_.push_back(MakeSeries(variables.id(), column.name.c_str(), batch_));
        ok_ = series_.back().ok() && PutColumn(series_.back().id(), column);
        continue;
      }
      const Hdf5Handle alias(Hdf5().H5Dcreate2(aliases.id(), column.name.c_str(), Hdf5().ieee_f64le,
                                               nothing.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                             Hdf5().H5Dclose);
      ok_ = alias.ok() && PutColumn(alias.id(), column) && PutText(alias.id(), "alias_of", column.alias_of) &&
            PutNumber(alias.id(), "alias_sign", Hdf5().native_double, &column.alias_sign);
    }
    columns_.resize(series_.size());
    for (const ResultColumn& column : header.columns) names_.push_back(column.name);
  }

  void Rows(size_t rows, std::span<const double> block) {
    const size_t width = columns_.size();
    for (size_t r = 0; ok_ && r < rows; ++r) {
      for (size_t k = 0; k < width; ++k) columns_[k].push_back(block[r * width + k]);
      if (columns_[0].size() == batch_) Flush();
    }
  }

  void Event(double time, std::string_view text) {
    event_times_.push_back(time);
    event_texts_.emplace_back(text);
  }

  void Extreme(const ResultExtreme& extreme) { extremes_.push_back(extreme); }

  bool Finish(std::string_view status) {
    Flush();
    ok_ = ok_ && PutText(file_.id(), "status", status);
    if (ok_ && !event_times_.empty()) PutEvents();
    if (ok_ && !extremes_.empty()) PutExtremes();
    series_.clear();
    return file_.Close() && ok_;
  }

 private:
  void Flush() {
    for (size_t k = 0; ok_ && k < columns_.size(); ++k) {
      ok_ = Append(series_[k].id(), written_, columns_[k]);
      if (k > 0) columns_[k].clear();
    }
    if (columns_.empty()) return;
    written_ += columns_[0].size();
    columns_[0].clear();
  }

  void PutEvents() {
    const Hdf5Handle group = MakeGroup(file_.id(), "events");
    std::vector<const char*> texts;
    for (const std::string& text : event_texts_) texts.push_back(text.c_str());
    PutNumbers(group.id(), "time", event_times_);
    PutTexts(group.id(), "text", texts);
  }

  void PutExtremes() {
    const Hdf5Handle group = MakeGroup(file_.id(), "extremes");
    std::vector<const char*> names;
    std::vector<double> times, values;
    for (const ResultExtreme& e : extremes_) {
      names.push_back(names_[e.column].c_str());
      times.push_back(e.time);
      values.push_back(e.value);
    }
    PutTexts(group.id(), "variable", names);
    PutNumbers(group.id(), "time", times);
    PutNumbers(group.id(), "value", values);
  }

  void PutNumbers(hid_t group, const char* name, const std::vector<double>& numbers) {
    const Hdf5Handle series = MakeSeries(group, name, 256);
    ok_ = ok_ && series.ok() && Append(series.id(), 0, numbers);
  }

  void PutTexts(hid_t group, const char* name, const std::vector<const char*>& pointers) {
    const Hdf5Handle type(Hdf5().H5Tcopy(Hdf5().c_s1), Hdf5().H5Tclose);
    Hdf5().H5Tset_size(type.id(), H5T_VARIABLE);
    Hdf5().H5Tset_cset(type.id(), H5T_CSET_UTF8);
    const hsize_t count = pointers.size();
    const Hdf5Handle space(Hdf5().H5Screate_simple(1, &count, nullptr), Hdf5().H5Sclose);
    const Hdf5Handle texts(
        Hdf5().H5Dcreate2(group, name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        Hdf5().H5Dclose);
    ok_ = ok_ && texts.ok() &&
          Hdf5().H5Dwrite(texts.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()) >= 0;
  }

  Hdf5Handle file_;
  std::vector<Hdf5Handle> series_;            // the time, the stored columns
  std::vector<std::vector<double>> columns_;  // the batch, by series
  size_t batch_ = 0;
  hsize_t written_ = 0;
  std::vector<double> event_times_;
  std::vector<std::string> event_texts_, names_;  // names: of the columns
  std::vector<ResultExtreme> extremes_;
  bool ok_;
};

class Hdf5Writer : public ResultWriter {
 public:
  explicit Hdf5Writer(const std::string& path)
      : path_(LinkTarget(path)),
        stream_path_(path_ + std::string(kHdf5Stream)),
        stream_(MakeCotrWriter(stream_path_)) {}

  bool Begin(const ResultHeader& header) override {
    if (!Hdf5().problem.empty()) return Fail(Hdf5().problem);
    // What an earlier run left there is ours to replace, nothing else.
    struct stat info {};
    if (lstat(stream_path_.c_str(), &info) == 0 &&
        (!S_ISREG(info.st_mode) || !WalkCotr(stream_path_, CotrVisitor{}).readable))
      return Fail("`" + stream_path_ +
                  "` is needed while the run goes on, but there is another file of that name; move it away");
    return stream_->Begin(header) || Fail(stream_->problem());
  }
  bool Row(double time, std::span<const double> values) override {
    return stream_->Row(time, values) || Fail(stream_->problem());
  }
  bool Event(double time, std::string_view text) override {
    return stream_->Event(time, text) || Fail(stream_->problem());
  }
  bool Extreme(const ResultExtreme& extreme) override {
    return stream_->Extreme(extreme) || Fail(stream_->problem());
  }
  bool Flush() override { return stream_->Flush() || Fail(stream_->problem()); }

  bool Finish(std::string_view status) override {
    if (!stream_->Finish(status)) return Fail(stream_->problem());
    std::string temporary = path_ + ".XXXXXX";
    const int made = mkstemp(temporary.data());  // a name that nobody has
    if (made < 0) return Fail("cannot write beside `" + path_ + "`; the result is in `" + stream_path_ + "`");
    fchmod(made, 0644);
    close(made);
    Hdf5Builder builder(temporary);
    CotrVisitor visitor;
    visitor.header = [&](const ResultHeader& header) { builder.Begin(header); };
    visitor.rows = [&](size_t rows, std::span<const double> block) { builder.Rows(rows, block); };
    visitor.event = [&](double time, std::string_view text) { builder.Event(time, text); };
    visitor.extreme = [&](const ResultExtreme& extreme) { builder.Extreme(extreme); };
    const CotrEnd end = WalkCotr(stream_path_, visitor);
    const bool ok = end.readable && end.damage.empty() && builder.Finish(status) &&
                    std::rename(temporary.c_str(), path_.c_str()) == 0;
    if (!ok) {
      std::remove(temporary.c_str());
      return Fail("cannot write `" + path_ + "`; the result is in `" + stream_path_ + "`");
    }
    std::remove(stream_path_.c_str());
    return true;
  }

 private:
  std::string path_, stream_path_;
  std::unique_ptr<ResultWriter> stream_;
};

}  // namespace

std::unique_ptr<ResultWriter> MakeHdf5Writer(const std::string& path) {
  return std::make_unique<Hdf5Writer>(path);
}

}  // namespace cotree
