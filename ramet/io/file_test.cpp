#include "ramet/io/file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "ramet/io/bytes.h"
#include "ramet/io/file_system.h"
#include "tests/support/temporary_folder.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

const std::string kOld = "the old content", kNew = "the new " + std::string(3 << 20, 'x') + " content";

// In parts, so that the buffer, direct writes and patches on disk and in memory all take place.
void save_new(const std::string& path) {
  AtomicFile file(path);
  file.write(as_bytes_of("THE NEW "));
  file.write(as_bytes_of(kNew).subspan(8, 10));
  file.write(as_bytes_of(kNew).subspan(18, 2 << 20));
  file.write(as_bytes_of(kNew).subspan(18 + (2 << 20)));
  file.patch(0, as_bytes_of("the"));
  file.patch(4, as_bytes_of("new"));
  REQUIRE(file.position() == kNew.size());
  file.commit();
}

// Fails the N-th call, or all from the N-th on.
struct FaultySystem : FileSystem {
  enum class Kind { error, short_write, interrupt, exit };
  int fail_at, error, calls = 0;
  Kind kind;
  bool persistent;
  bool unnamed;  // whether there are files without a name

  FaultySystem(int n, Kind what, int number, bool all, bool has_unnamed)
      : fail_at(n), error(number), kind(what), persistent(all), unnamed(has_unnamed) {}

  bool fails() {
    const int call = ++calls;
    if (call < fail_at || (call > fail_at && !persistent)) return false;
    if (kind == Kind::exit) _exit(9);
    errno = kind == Kind::interrupt ? EINTR : error;
    return kind == Kind::error || kind == Kind::interrupt;
  }
  // Half of what was asked for, if this call is the one.
  std::size_t shortened(std::size_t count) const {
    const bool now = calls == fail_at || (persistent && calls > fail_at);
    return kind == Kind::short_write && now && count > 1 ? count / 2 : count;
  }

  int open(const char* path, int flags, mode_t mode) override {
    if (!unnamed && (flags & O_TMPFILE) == O_TMPFILE) {
      errno = EOPNOTSUPP;
      return -1;
    }
    return fails() ? -1 : FileSystem::open(path, flags, mode);
  }
  int chmod(int file, mode_t mode) override { return fails() ? -1 : FileSystem::chmod(file, mode); }
  ssize_t write(int file, const void* bytes, std::size_t n) override {
    return fails() ? -1 : FileSystem::write(file, bytes, shortened(n));
  }
  ssize_t write_at(int file, const void* bytes, std::size_t n, off_t offset) override {
    return fails() ? -1 : FileSystem::write_at(file, bytes, shortened(n), offset);
  }
  int sync(int) override { return fails() ? -1 : 0; }  // the disk of a test need not be waited for
  int sync_directory(int) override { return fails() ? -1 : 0; }
  int link(int file, const char* path) override { return fails() ? -1 : FileSystem::link(file, path); }
  int rename(const char* from, const char* to) override { return fails() ? -1 : FileSystem::rename(from, to); }
  int close(int file) override {  // a failing close closes all the same
    const bool failed = fails();
    const int reason = errno;
    const int result = FileSystem::close(file);
    errno = reason;
    return failed ? -1 : result;
  }
};

int permissions(const std::string& path) {
  struct stat info {};
  ::stat(path.c_str(), &info);
  return info.st_mode & 0777;
}

bool has_unnamed_files(const std::string& folder) {
  const int file = ::open(folder.c_str(), O_RDWR | O_TMPFILE, 0600);
  if (file >= 0) ::close(file);
  return file >= 0;
}

// Kills a process at every call of a save in turn. How many left a second file behind.
int strays_of_killed(const TemporaryFolder& folder, const std::string& path, bool unnamed) {
  int strays = 0;
  for (int n = 1;; ++n) {
    put(path, kOld);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      FaultySystem system(n, FaultySystem::Kind::exit, 0, false, unnamed);
      const FileSystemOverride in_use(system);
      save_new(path);
      _exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    const std::string content = content_of(path);
    REQUIRE((content == kOld || content == kNew));
    strays += folder.names().size() == 2;
    put(folder / ".m.tmp.1.0", "of a process that lives");
    put(folder / ".m.tmp.notes", "no temporary");
    save_new(path);
    REQUIRE(folder.names().size() == 3);
    std::filesystem::remove(folder / ".m.tmp.1.0");
    std::filesystem::remove(folder / ".m.tmp.notes");
    if (WEXITSTATUS(status) == 0) return strays;
    REQUIRE(n < 100);
  }
}

}  // namespace

TEST_CASE("MappedFile: the bytes of a file, also of an empty one") {
  const TemporaryFolder folder;
  put(folder / "a", "hello");
  put(folder / "empty", "");
  const auto file = MappedFile::open(folder / "a");
  put(folder / "b", "other");
  std::filesystem::rename(folder / "b", folder / "a");
  CHECK(as_text(file->bytes()) == "hello");  // as it was when opened
  CHECK(file->path() == folder / "a");
  CHECK(MappedFile::open(folder / "empty")->bytes().empty());
}

TEST_CASE("MappedFile: what is no regular file is refused at once") {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THROWS_WITH_AS(MappedFile::open(pipe), doctest::Contains("pipe': is not a regular file"), DataError);
  CHECK_THROWS_WITH_AS(MappedFile::open(folder / "none"), doctest::Contains("cannot be opened: No such file"),
                       DataError);
  CHECK_THROWS_WITH_AS(MappedFile::open(folder.path.string()), doctest::Contains("is a folder, not a file"), DataError);
  CHECK_THROWS_WITH_AS(MappedFile::open("/dev/zero"), doctest::Contains("is not a regular file"), DataError);
  CHECK_THROWS_WITH_AS(MappedFile::open(std::string("a\0b", 3)), "file 'a\\x00b': is not a file name", DataError);
}

TEST_CASE("AtomicFile: nothing changes before commit, all of it after") {
  const TemporaryFolder folder;
  put(folder / "m", kOld);
  {
    AtomicFile file(folder / "m");
    file.write(as_bytes_of("half of"));
    CHECK(content_of(folder / "m") == kOld);
  }
  CHECK(content_of(folder / "m") == kOld);
  CHECK(folder.names().size() == 1);
  save_new(folder / "m");
  CHECK(content_of(folder / "m") == kNew);
  CHECK(folder.names().size() == 1);
}

TEST_CASE("AtomicFile: keeps the permissions of the old file, else those of any new file") {
  const TemporaryFolder folder;
  put(folder / "m", kOld);
  ::chmod((folder / "m").c_str(), 0640);
  save_new(folder / "m");
  CHECK(permissions(folder / "m") == 0640);
  const mode_t mask = ::umask(027);
  save_new(folder / "n");
  ::umask(mask);
  CHECK(permissions(folder / "n") == 0640);
}

TEST_CASE("AtomicFile: a link stays a link and what it points to is replaced") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "sub");
  put(folder / "sub/target", kOld);
  std::filesystem::create_symlink("sub/target", folder / "link");
  std::filesystem::create_symlink("link", folder / "link to link");
  std::filesystem::create_symlink("sub/new", folder / "dangling");
  std::filesystem::create_symlink("circle", folder / "circle");
  save_new(folder / "link to link");
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(content_of(folder / "sub/target") == kNew);
  save_new(folder / "dangling");
  CHECK(content_of(folder / "sub/new") == kNew);
  CHECK_THROWS_WITH_AS(save_new(folder / "circle"), doctest::Contains("symbolic links without end"), SaveError);
}

TEST_CASE("AtomicFile: targets that cannot be replaced are refused") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH_AS(AtomicFile(folder.path.string()), doctest::Contains("not saved: it is a folder"), SaveError);
  CHECK_THROWS_WITH_AS(AtomicFile(folder / "no/m"),
                       doctest::Contains("no file can be created in its folder: No such file"), SaveError);
  CHECK_THROWS_WITH_AS(AtomicFile("/dev/null"), doctest::Contains("is not a regular file"), SaveError);
  CHECK_THROWS_WITH_AS(AtomicFile(""), doctest::Contains("is not a file name"), SaveError);
  const std::string longest(255, 'n');
  save_new(folder / longest);
  CHECK(content_of(folder / longest) == kNew);
}

TEST_CASE("AtomicFile: whichever call fails, the disk holds the old file or the new one and nothing else") {
  using Kind = FaultySystem::Kind;
  const TemporaryFolder folder;
  const std::string path = folder / "m";
  struct Fault {
    Kind kind;
    int error;
    bool persistent;
    bool unnamed = true;
  };
  std::vector<Fault> faults;
  for (const bool unnamed : {true, false})
    for (const Fault fault :
         {Fault{Kind::error, ENOSPC, false}, Fault{Kind::error, EIO, false}, Fault{Kind::error, ENOSPC, true},
          Fault{Kind::interrupt, EINTR, false}, Fault{Kind::short_write, 0, false}, Fault{Kind::short_write, 0, true}})
      faults.push_back({fault.kind, fault.error, fault.persistent, unnamed});
  for (const Fault& fault : faults) {
    int failures = 0;
    for (int n = 1;; ++n) {
      put(path, kOld);
      FaultySystem system(n, fault.kind, fault.error, fault.persistent, fault.unnamed);
      std::string message;
      auto outcome = SaveError::Outcome::not_committed;
      {
        const FileSystemOverride in_use(system);
        try {
          save_new(path);
        } catch (const SaveError& error) {
          message = error.what();
          outcome = error.outcome();
        }
      }
      const bool is_new = message.empty() || outcome == SaveError::Outcome::durability_uncertain;
      REQUIRE(content_of(path) == (is_new ? kNew : kOld));
      REQUIRE(folder.names().size() == 1);
      failures += !message.empty();
      if (system.calls < n) break;  // the fault was never met
      REQUIRE(n < 100);
    }
    CHECK((fault.kind == Kind::error ? failures >= 8 : failures == 0));
  }
}

TEST_CASE("AtomicFile: killed at any call, the old or the new file is whole, and the next save cleans up") {
  const TemporaryFolder folder;
  const std::string path = folder / "m";
  const bool unnamed = has_unnamed_files(folder.path.string());
  for (const bool used : {true, false}) {
    const int strays = strays_of_killed(folder, path, used);
    CHECK((used && unnamed ? strays <= 2 : strays >= 6));  // killed between its name and its place
  }
}

TEST_CASE("AtomicFile: threads that save under one name leave one of their files, whole") {
  const TemporaryFolder folder;
  const std::string path = folder / "m";
  std::vector<std::thread> threads;
  for (char c = 'a'; c < 'e'; ++c)
    threads.emplace_back([&path, c] {
      for (int i = 0; i < 5; ++i) {
        AtomicFile file(path);
        file.write(as_bytes_of(std::string(50'000, c)));
        file.commit();
      }
    });
  for (std::thread& thread : threads) thread.join();
  const std::string content = content_of(path);
  CHECK(content == std::string(50'000, content.at(0)));
  CHECK(folder.names().size() == 1);
}
