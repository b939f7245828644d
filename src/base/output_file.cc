// SPDX-License-Identifier: Apache-2.0
#include "base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

namespace cotree {
namespace {

FileIdentity IdentityOf(const struct stat& info) {
  return {static_cast<uint64_t>(info.st_dev), static_cast<uint64_t>(info.st_ino)};
}

std::optional<struct stat> StatOf(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? std::optional(info) : std::nullopt;
}

// Whether it is what standard output goes to, under another name.
bool IsStandardOutput(const struct stat& info) {
  struct stat out {};
  return fstat(STDOUT_FILENO, &out) == 0 && IdentityOf(out) == IdentityOf(info);
}

// The permissions of a file that is there, or of a new one.
mode_t ModeOf(const std::string& target) {
  const auto info = StatOf(target);
  const mode_t mask = umask(0);
  umask(mask);
  return info ? info->st_mode & 07777u : 0666u & ~mask;
}

std::string RealPath(const std::string& path) {
  char* real = realpath(path.c_str(), nullptr);
  std::string out = real != nullptr ? real : "";
  std::free(real);
  return out;
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

// A new file in the folder of `target`, or for what goes elsewhere later; its name in `path`.
int MakeBeside(const std::string& target, std::string* path) {
  *path = target + ".XXXXXX";
  return mkstemp(path->data());
}

}  // namespace

std::string LinkTarget(const std::string& path) {
  std::string at = path;
  for (int turn = 0; turn < 40; ++turn) {
    const std::string real = RealPath(at);
    if (!real.empty()) return real;
    char link[4096];
    const ssize_t size = readlink(at.c_str(), link, sizeof link);
    if (size <= 0) break;
    const std::string next(link, static_cast<size_t>(size));
    at = next[0] == '/' ? next : FolderOf(at) + "/" + next;
  }
  const std::string folder = RealPath(FolderOf(at));
  if (folder.empty()) return at;
  return (folder == "/" ? "" : folder) + "/" + at.substr(at.rfind('/') + 1);  // npos + 1 is 0
}

bool IsStream(const std::string& path) {
  const auto info = StatOf(path);
  return info && (S_ISFIFO(info->st_mode) || S_ISCHR(info->st_mode) || IsStandardOutput(*info));
}

OutputFile::~OutputFile() {
  Close();
}

bool OutputFile::Use(int descriptor) {
  if (descriptor < 0) {
    error_ = errno;
    return false;
  }
  descriptor_ = descriptor;
  struct stat info {};
  replaceable_ =
      fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && (fcntl(descriptor, F_GETFL) & O_APPEND) == 0;
  return true;
}

bool OutputFile::Open(const std::string& path) {
  path_ = path;
  if (const auto info = StatOf(path); info && IsStandardOutput(*info)) return Use(dup(STDOUT_FILENO));
  return Use(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666));
}

bool OutputFile::OpenStandardOutput() {
  path_ = "standard output";
  return Use(dup(STDOUT_FILENO));
}

bool OutputFile::OpenBeside(const std::string& path) {
  if (IsStream(path)) return Open(path);
  path_ = path;
  target_ = LinkTarget(path);
  const int descriptor = MakeBeside(target_, &beside_);
  if (descriptor < 0) beside_.clear();
  if (!Use(descriptor)) return false;
  if (fchmod(descriptor, ModeOf(target_)) == 0) return true;
  error_ = errno;
  Close();
  return false;
}

bool OutputFile::Commit() {
  const std::string beside = std::exchange(beside_, {});
  bool ok = Close() && error_ == 0;
  if (beside.empty()) return ok;
  if (ok && std::rename(beside.c_str(), target_.c_str()) != 0) {
    error_ = errno;
    ok = false;
  }
  if (!ok) unlink(beside.c_str());
  return ok;
}

bool OutputFile::Continue(const std::string& path, uint64_t size) {
  path_ = path;
  size_ = size;
  if (!Use(open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC))) return false;
  if (ftruncate(descriptor_, static_cast<off_t>(size)) == 0) return true;
  error_ = errno;
  return false;
}

bool OutputFile::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(descriptor_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      error_ = n < 0 ? errno : ENOSPC;
      return false;
    }
    size_ += static_cast<uint64_t>(n);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

bool OutputFile::WriteMarked(std::string_view bytes, std::string_view mark) {
  if (!replaceable_) return Write(bytes);
  const uint64_t before = size_;
  const off_t place = lseek(descriptor_, 0, SEEK_CUR);
  std::string both(bytes);
  both += mark;
  if (Write(both)) {
    size_ -= mark.size();
    lseek(descriptor_, -static_cast<off_t>(mark.size()), SEEK_CUR);
    return true;
  }
  // What was whole before is so again, with its mark.
  const int error = error_;
  if (ftruncate(descriptor_, place) == 0 && lseek(descriptor_, place, SEEK_SET) == place) Write(mark);
  size_ = before;
  error_ = error;
  return false;
}

bool OutputFile::ClearMark() {
  if (!replaceable_ || ftruncate(descriptor_, lseek(descriptor_, 0, SEEK_CUR)) == 0) return true;
  error_ = errno;
  return false;
}

bool OutputFile::WriteAt(uint64_t place, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      error_ = n < 0 ? errno : ENOSPC;
      return false;
    }
    place += static_cast<uint64_t>(n);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

bool OutputFile::Close() {
  if (descriptor_ < 0) return true;
  if (replaceable_) lseek(descriptor_, 0, SEEK_END);  // what is printed next stands behind a mark
  const bool ok = close(descriptor_) == 0;
  if (!ok) error_ = errno;
  descriptor_ = -1;
  if (!beside_.empty()) unlink(std::exchange(beside_, {}).c_str());
  return ok;
}

std::string OutputFile::Problem() const {
  return "cannot write `" + path_ + "`: " + std::strerror(error_);
}

bool WriteWholeFile(const std::string& path, std::string_view text, std::string* problem) {
  OutputFile file;
  if (file.OpenBeside(path) && file.Write(text) && file.Commit()) return true;
  *problem = file.Problem();
  return false;
}

bool PourFile(const std::string& from, const std::string& path, std::string* problem) {
  OutputFile to;
  const int source = open(from.c_str(), O_RDONLY | O_CLOEXEC);
  bool ok = source >= 0 && to.Open(path);
  std::string buffer(1 << 16, '\0');
  while (ok) {
    const ssize_t n = read(source, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    ok = n >= 0 && to.Write(std::string_view(buffer).substr(0, static_cast<size_t>(n)));
    if (n <= 0) break;
  }
  if (source >= 0) close(source);
  ok = to.Close() && ok;
  if (!ok) *problem = to.error() != 0 ? to.Problem() : "cannot write `" + path + "`: " + std::strerror(EIO);
  return ok;
}

bool ReplaceFile(const std::string& path,
                 const std::function<bool(const std::string& beside, std::string* problem)>& write,
                 std::string* problem) {
  const bool stream = IsStream(path);
  const char* folder = std::getenv("TMPDIR");
  const std::string target =
      !stream ? LinkTarget(path)
              : std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/cotree";
  std::string beside;
  const int descriptor = MakeBeside(target, &beside);
  const auto fail = [&](int error) {
    if (descriptor >= 0) unlink(beside.c_str());
    if (problem->empty())
      *problem = "cannot write `" + path + "`: " + std::strerror(error == 0 ? EIO : error);
    if (const size_t at = problem->find(beside); at != std::string::npos)
      problem->replace(at, beside.size(), path);
    return false;
  };
  problem->clear();
  if (descriptor < 0) return fail(errno);
  close(descriptor);
  errno = 0;
  if (!write(beside, problem)) return fail(errno);
  if (stream) {
    const bool ok = PourFile(beside, path, problem);
    unlink(beside.c_str());
    return ok;
  }
  if (chmod(beside.c_str(), ModeOf(target)) == 0 && std::rename(beside.c_str(), target.c_str()) == 0)
    return true;
  return fail(errno);
}

void AddInput(const std::string& path, std::vector<InputFile>* inputs) {
  if (const auto info = StatOf(path)) inputs->push_back({path, IdentityOf(*info), S_ISREG(info->st_mode)});
}

std::string OutputProblem(std::span<const NamedOutput> outputs, std::span<const InputFile> inputs) {
  struct Known {
    const NamedOutput* output;
    std::optional<FileIdentity> identity;
    std::string target;
  };
  std::vector<Known> known;
  for (const NamedOutput& output : outputs) {
    if (output.path.empty()) continue;
    const std::string begin = output.option + ": `" + output.path + "` ";
    const auto info = StatOf(output.path);
    if (info && S_ISDIR(info->st_mode)) return begin + "is a folder; name a file";
    if (info && !S_ISREG(info->st_mode) && !S_ISFIFO(info->st_mode) && !S_ISCHR(info->st_mode))
      return begin + "is neither a file nor a pipe; name a file";
    if (info && !S_ISREG(info->st_mode)) continue;
    Known own{&output, info ? std::optional(IdentityOf(*info)) : std::nullopt, LinkTarget(output.path)};
    for (const InputFile& input : inputs) {
      if (!info || !input.regular || !(input.identity == *own.identity)) continue;
      return begin +
             (input.path == output.path ? "is read by this command"
                                        : "is the file `" + input.path + "`, which this command reads") +
             " and would be lost; give the output another name";
    }
    for (const Known& other : known) {
      if (other.target != own.target && !(own.identity && own.identity == other.identity)) continue;
      return begin + "would be written twice, as " + other.output->option + ", too; give one another name";
    }
    known.push_back(std::move(own));
  }
  return {};
}

}  // namespace cotree
