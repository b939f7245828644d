// SPDX-License-Identifier: Apache-2.0
// What foreign code can do in a process of its own, call by call; that nothing of it runs without consent;
// that what runs is what was hashed; that its texts are harmless and waiting for it can be ended.

#include "software_component/confine.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/sha256.h"
#include "base/visible_text.h"
#include "software_component/foreign_consent.h"
#include "software_component/in_process_component.h"
#include "software_component/library_copy.h"
#include "software_component/test/hostile/tries.h"
#include "software_component/test/support.h"

namespace cotree {
namespace {

namespace fs = std::filesystem;
using Kind = ComponentFailure::Kind;

/** A folder of this test alone. */
class Folder {
 public:
  explicit Folder(const std::string& name) : path_(test::TemporaryPath(name)) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void WriteFile(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};

// ---- What it can do ----

constexpr int kDenied = EPERM, kEither = -1;  // kEither: EPERM or EACCES, whoever sees it first

struct Attempt {
  const char* name;
  int number;
  int usually, with_network, with_folder;  // error numbers; 0: it works
};

constexpr Attempt kAttempts[] = {
    {"read", TRY_READ, 0, 0, 0},
    {"thread", TRY_THREAD, 0, 0, 0},
    {"kill itself", TRY_KILL_SELF, 0, 0, 0},
    {"socket", TRY_SOCKET, kDenied, 0, kDenied},
    {"local socket", TRY_LOCAL_SOCKET, kDenied, kDenied, kDenied},
    {"pair of sockets", TRY_PAIR, kDenied, kDenied, kDenied},
    {"fork", TRY_FORK, kDenied, kDenied, kDenied},
    {"system", TRY_SYSTEM, kDenied, kDenied, kDenied},
    {"execve", TRY_EXECUTE, kDenied, kDenied, kDenied},
    {"make a file", TRY_CREATE, kEither, kEither, 0},
    {"overwrite a file", TRY_OVERWRITE, kEither, kEither, 0},
    {"truncate by opening", TRY_TRUNCATE, kEither, kEither, kEither},
    {"truncate by path", TRY_TRUNCATE_PATH, kEither, kEither, kEither},
    {"make a folder", TRY_FOLDER, kEither, kEither, 0},
    {"make a link", TRY_LINK, kEither, kEither, kEither},
    {"change rights", TRY_RIGHTS, kDenied, kDenied, kDenied},
    {"write its memory as a file", TRY_OWN_MEMORY, kEither, kEither, kEither},
    {"signal its parent", TRY_KILL_PARENT, kDenied, kDenied, kDenied},
    {"signal all", TRY_KILL_ALL, kDenied, kDenied, kDenied},
    {"trace its parent", TRY_TRACE, kDenied, kDenied, kDenied},
    {"write into its parent", TRY_WRITE_PARENT, kDenied, kDenied, kDenied},
    {"outlive its parent", TRY_OUTLIVE, kDenied, kDenied, kDenied},
    {"a session of its own", TRY_SESSION, kDenied, kDenied, kDenied},
    {"raise its limits", TRY_LIMITS, kDenied, kDenied, kDenied},
    {"namespaces", TRY_SPACES, kDenied, kDenied, kDenied},
    {"mount", TRY_MOUNT, kDenied, kDenied, kDenied},
    {"io_uring", TRY_RING, kDenied, kDenied, kDenied},
    {"files in memory", TRY_MEMORY_FILE, kDenied, kDenied, kDenied},
    {"type into a terminal", TRY_TYPE, kDenied, kDenied, kDenied},
    {"clone3", TRY_CLONE3, ENOSYS, ENOSYS, ENOSYS},
    {"a call of the future", TRY_UNKNOWN, ENOSYS, ENOSYS, ENOSYS},
    {"rename a file", TRY_RENAME, kEither, kEither, 0},
    {"remove a file", TRY_REMOVE, kEither, kEither, ENOENT},
};

TEST(Confined, WhatItCanDo) {
  const Folder folder("tries");
  const Variable variable("COTREE_TRIES", folder.path());
  for (int mode = 0; mode < 3; ++mode) {
    fs::remove_all(folder / "other");
    WriteFile(folder / "there", "text");
    ComponentOptions options = test::OwnProcess();
    options.network = mode == 1;
    if (mode == 2) options.write = {folder.path()};
    auto component = test::Load("tries", "hostile", {}, options);
    ASSERT_TRUE(component);
    if (!component->Unconfined().empty()) std::printf("%s\n", component->Unconfined().c_str());
    for (const Attempt& attempt : kAttempts) {
      const int expected = mode == 0   ? attempt.usually
                           : mode == 1 ? attempt.with_network
                                       : attempt.with_folder;
      const double u[] = {static_cast<double>(attempt.number)};
      double y[] = {-1.0};
      if (attempt.number == TRY_RENAME) fs::remove_all(folder / "other");
      ASSERT_TRUE(component->Outputs(0, 1.0, {}, u, y)) << attempt.name << component->failure().Text();
      if (expected == kEither) {
        EXPECT_TRUE(y[0] == EPERM || y[0] == EACCES) << attempt.name << ": " << y[0] << ", mode " << mode;
      } else {
        EXPECT_EQ(y[0], expected) << attempt.name << ", mode " << mode;
      }
    }
    if (mode < 2) {
      EXPECT_EQ(ReadFile(folder / "there"), "text");
      EXPECT_FALSE(fs::exists(folder / "fresh"));
    }
  }
}

// Folders that are given are the only ones.
TEST(Confined, WritesOnlyWhereItMay) {
  const Folder allowed("allowed"), other("others");
  WriteFile(other / "there", "text");
  const Variable variable("COTREE_TRIES", other.path());
  ComponentOptions options = test::OwnProcess();
  options.write = {allowed.path()};
  auto component = test::Load("tries", "hostile", {}, options);
  ASSERT_TRUE(component);
  for (const int number : {TRY_CREATE, TRY_OVERWRITE, TRY_TRUNCATE, TRY_FOLDER, TRY_RENAME, TRY_REMOVE}) {
    const double u[] = {static_cast<double>(number)};
    double y[] = {-1.0};
    ASSERT_TRUE(component->Outputs(0, 1.0, {}, u, y)) << component->failure().Text();
    EXPECT_NE(y[0], 0) << number;
  }
  EXPECT_EQ(ReadFile(other / "there"), "text");
  options.write = {other / "nowhere"};
  ComponentFailure failure;
  EXPECT_FALSE(LoadSoftwareComponent({test::Library("tries"), "hostile", "x", {}}, options, &failure));
  EXPECT_NE(failure.reason.find("it is no folder"), std::string::npos) << failure.Text();
}

// ---- Consent ----

TEST(Consent, NothingRunsWithoutIt) {
  const Folder folder("consent");
  const Variable variable("XDG_CONFIG_HOME", folder.path());
  const std::string library = folder / "librecord.so";
  fs::copy_file(test::Library("filter"), library);
  const std::string hash = HashLibrary(library);
  EXPECT_EQ(hash.size(), 64u);
  for (ComponentOptions options : {test::OwnProcess(), test::InProcess()}) {
    options.allow = false;
    const auto load = [&](ComponentFailure* failure) {
      return LoadSoftwareComponent({library, "filter", "plant.f", {{"Tf", 0.5}}}, options, failure) !=
             nullptr;
    };
    ComponentFailure failure;
    fs::remove_all(folder / "cotree");
    EXPECT_FALSE(load(&failure));
    for (const std::string& part :
         {std::string("`plant.f`"), library, hash, std::string("--allow-foreign"), folder / "cotree/foreign"})
      EXPECT_NE(failure.Text().find(part), std::string::npos) << part << "\n" << failure.Text();
    fs::create_directories(folder / "cotree");
    const std::string file = folder / "cotree/foreign";
    struct Row {
      std::string text;
      bool runs;
    };
    const Row rows[] = {{"# " + hash + "\n", false},
                        {hash.substr(0, 63) + "\n", false},
                        {"x" + hash + "\n", false},
                        {"# ours\n\n" + hash + "  librecord.so\n", true},
                        {hash, true},
                        {hash + "\t*librecord.so\r\n", true}};
    for (const Row& row : rows) {
      WriteFile(file, row.text);
      EXPECT_EQ(load(&failure), row.runs) << row.text << failure.Text();
    }
    chmod(file.c_str(), 0666);
    EXPECT_FALSE(load(&failure)) << "anyone could have written that";
    chmod(file.c_str(), 0600);
    EXPECT_TRUE(load(&failure)) << failure.Text();
    options.allow = true;
    fs::remove(file);
    EXPECT_TRUE(load(&failure)) << failure.Text();
  }
}

// One byte more is another library.
TEST(Consent, IsToTheBytes) {
  const Folder folder("bytes");
  const Variable variable("XDG_CONFIG_HOME", folder.path());
  const std::string library = folder / "librecord.so";
  fs::copy_file(test::Library("filter"), library);
  fs::create_directories(folder / "cotree");
  WriteFile(folder / "cotree/foreign", HashLibrary(library) + "\n");
  ComponentOptions options = test::OwnProcess();
  options.allow = false;
  ComponentFailure failure;
  EXPECT_TRUE(LoadSoftwareComponent({library, "filter", "f", {{"Tf", 0.5}}}, options, &failure));
  std::ofstream(library, std::ios::app) << "x";
  EXPECT_FALSE(LoadSoftwareComponent({library, "filter", "f", {{"Tf", 0.5}}}, options, &failure));
  EXPECT_NE(failure.reason.find("consent"), std::string::npos);
}

// Between looking and loading the file may change: what was hashed is what runs.
TEST(Consent, WhatWasHashedIsWhatRuns) {
  const Folder folder("swap");
  const std::string library = folder / "libswapped.so";
  fs::copy_file(test::Library("filter"), library);
  LibraryCopy copy;
  ASSERT_EQ(CopyLibrary(library, &copy), "");
  EXPECT_EQ(copy.sha256, HashLibrary(test::Library("filter")));
  fs::copy_file(test::Library("pid"), library, fs::copy_options::overwrite_existing);
  ComponentFailure failure;
  const auto component = LoadInProcess({library, "filter", "f", {{"Tf", 0.5}}}, copy.descriptor, &failure);
  ASSERT_TRUE(component) << failure.Text();
  EXPECT_EQ(component->description().name, "filter");
  // Nobody can change the copy.
  const int again = open(LibraryCopy::PathOf(copy.descriptor).c_str(), O_WRONLY);
  EXPECT_TRUE(again < 0 || write(again, "x", 1) < 0);
  if (again >= 0) close(again);
}

TEST(Consent, OnlyRegularFilesAreLibraries) {
  const Folder folder("kinds");
  const std::string pipe = folder / "pipe.so";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink("pipe.so", folder / "link.so");
  const test::Stopwatch watch;
  for (const std::string& path :
       {pipe, folder / "link.so", std::string("/dev/zero"), std::string("/dev/null"), folder.path()}) {
    for (const ComponentOptions& options : {test::OwnProcess(), test::InProcess()}) {
      ComponentFailure failure;
      EXPECT_FALSE(LoadSoftwareComponent({path, "f", "x", {}}, options, &failure)) << path;
      EXPECT_NE(failure.reason.find("is not a regular file"), std::string::npos) << failure.Text();
    }
  }
  EXPECT_LT(watch.Seconds(), 1.0);
}

TEST(Consent, StatesAreRemembered) {
  const Folder folder("states");
  const Variable variable("XDG_CACHE_HOME", folder.path());
  const KnownStates one{std::string(64, 'a'), "f", {{"T", 0.5}}};
  std::vector<std::string> states;
  EXPECT_FALSE(one.Read(&states));
  one.Write({"x", "y[1]"});
  EXPECT_TRUE(one.Read(&states));
  EXPECT_EQ(states, (std::vector<std::string>{"x", "y[1]"}));
  for (const KnownStates& other :
       {KnownStates{std::string(64, 'b'), "f", {{"T", 0.5}}},
        KnownStates{std::string(64, 'a'), "g", {{"T", 0.5}}},
        KnownStates{std::string(64, 'a'), "f", {{"T", 0.25}}}, KnownStates{std::string(64, 'a'), "f", {}}})
    EXPECT_FALSE(other.Read(&states));
  WriteFile(one.Path(), "cotree states 1\nx\n");
  EXPECT_FALSE(one.Read(&states)) << "cut off";
  WriteFile(one.Path(), "cotree states 1\n\x1b[31m\nend\n");
  EXPECT_FALSE(one.Read(&states)) << "no name";
}

TEST(Hash, IsThatOfTheStandard) {
  const auto hash = [](const std::string& text) { return Sha256(std::as_bytes(std::span(text))); };
  EXPECT_EQ(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hash(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// ---- Texts ----

TEST(Texts, AreSafeForATerminal) {
  const std::pair<std::string, std::string> rows[] = {
      {"plain é ω\n\tnext", "plain é ω\n\tnext"},
      {"\x1b[31mred", "\\x1b[31mred"},
      {"bell\x07 back\x08 return\r nul" + std::string(1, '\0'), "bell\\x07 back\\x08 return\\x0d nul\\x00"},
      {"\x9b"
       "2J",
       "\\x9b2J"},
      {"\xc2\x9b"
       "2J",
       "\\u009b2J"},
      {"\x7f", "\\x7f"},
      {"\xe2\x80\xae"
       "abc",
       "\\u202eabc"},
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
      {"\xc0\xaf", "\\xc0\\xaf"},
      {"\xe2\x28\xa1", "\\xe2(\\xa1"},
      {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
      {"\xf0\x9f", "\\xf0\\x9f"}};
  for (const auto& [text, shown] : rows) EXPECT_EQ(VisibleText(text, LineEnds::kKept, 1000), shown);
  EXPECT_EQ(VisibleText("abcdef", LineEnds::kKept, 6), "abcdef");
  EXPECT_EQ(VisibleText("abcdef", LineEnds::kKept, 5), "abcde ...");
  EXPECT_EQ(VisibleText("abé", LineEnds::kKept, 3), "ab ...");
}

TEST(Texts, OfForeignCodeAreCutAndStripped) {
  for (const ComponentOptions& options : {test::OwnProcess(), test::InProcess()}) {
    if (options.in_process) ::testing::internal::CaptureStderr();
    auto component = test::Load("floods", "hostile", {}, options);
    ASSERT_TRUE(component);
    const double u[] = {0.5};
    double y[] = {0.0};
    EXPECT_FALSE(component->Outputs(0, 1.0, {}, u, y));
    if (options.in_process) ::testing::internal::GetCapturedStderr();
    const std::string text = component->failure().Text();
    EXPECT_LT(text.size(), 4000u);
    EXPECT_NE(text.find("returned an error: \\x1b[31mred \\x9b2J \\u009b2J é"), std::string::npos) << text;
    for (const char c : text) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
  }
}

// ---- Waiting ----

TEST(Waiting, IsOverAtTheLimitOfLoading) {
  ComponentOptions options = test::OwnProcess();
  options.load_limit = 0.3;
  ComponentFailure failure;
  const test::Stopwatch watch;
  EXPECT_FALSE(
      LoadSoftwareComponent({test::Library("hangs_at_load"), "hostile", "x", {}}, options, &failure));
  EXPECT_EQ(failure.kind, Kind::kTime) << failure.Text();
  EXPECT_LT(watch.Seconds(), 1.3);
}

TEST(Waiting, CanBeInterrupted) {
  std::atomic<bool> stop{false};
  ComponentOptions options = test::OwnProcess();
  options.interrupted = [&] { return stop.load(); };
  auto component = test::Load("hang", "hostile", {}, options);
  ASSERT_TRUE(component);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    stop = true;
  });
  const double u[] = {0.5};
  double y[] = {0.0};
  const test::Stopwatch watch;
  EXPECT_FALSE(component->Outputs(0, 1.0, {}, u, y));
  later.join();
  EXPECT_EQ(component->failure().kind, Kind::kInterrupted) << component->failure().Text();
  EXPECT_LT(watch.Seconds(), 1.5);
  EXPECT_FALSE(component->failure().Alive());
}

// A signal that we catch says nothing about the time that has passed.
TEST(Waiting, GoesOnAfterASignal) {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  struct sigaction before {};
  sigaction(SIGALRM, &action, &before);
  const itimerval often{{0, 20000}, {0, 20000}}, never{};
  ComponentOptions options = test::OwnProcess();
  options.call_limit = 1.0;
  auto component = test::Load("hang", "hostile", {}, options);
  ASSERT_TRUE(component);
  setitimer(ITIMER_REAL, &often, nullptr);
  const double u[] = {0.5};
  double y[] = {0.0};
  const test::Stopwatch watch;
  EXPECT_FALSE(component->Outputs(0, 1.0, {}, u, y));
  const double seconds = watch.Seconds();
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
  EXPECT_EQ(component->failure().kind, Kind::kTime);
  EXPECT_GE(seconds, 0.99);
  EXPECT_LT(seconds, 2.0);
}

}  // namespace
}  // namespace cotree
