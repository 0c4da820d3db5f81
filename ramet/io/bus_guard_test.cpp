#include "ramet/io/bus_guard.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "ramet/io/bytes.h"
#include "ramet/io/file.h"
#include "tests/support/temporary_folder.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

const std::size_t kPage = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

std::size_t ones_in(Bytes bytes) {
  std::size_t count = 0;
  for (const std::byte b : bytes) count += b == std::byte{1};
  return count;
}

struct sigaction bus_action() {
  struct sigaction now {};
  sigaction(SIGBUS, nullptr, &now);
  return now;
}

sigjmp_buf way_out;
int caught = 0;
void leave(int) {
  ++caught;
  siglongjmp(way_out, 1);
}

}  // namespace

TEST_CASE("MappedFile: what a file loses while it is mapped reads as zeros, and is then refused") {
  const TemporaryFolder folder;
  const std::string path = folder / "f";
  put(path, std::string(8 * kPage, '\1'));
  const auto file = MappedFile::open(path);
  CHECK(file->read(ones_in) == 8 * kPage);
  REQUIRE(::truncate(path.c_str(), static_cast<off_t>(3 * kPage + 1)) == 0);
  CHECK(ones_in(file->bytes().first(3 * kPage)) == 3 * kPage);
  CHECK_NOTHROW(file->check());  // what was read was there
  CHECK(ones_in(file->bytes()) == 3 * kPage + 1);
  const std::string said = "became shorter, or the disk failed, while it was read";
  CHECK_THROWS_WITH_AS(file->check(), doctest::Contains(said.c_str()), DataError);
  CHECK_THROWS_WITH_AS(file->read(ones_in), doctest::Contains(said.c_str()), DataError);
  // The reason is the file, whatever its reader thought of the zeros.
  const auto refuse = [](Bytes) { throw DataError("not a file of mine"); };
  CHECK_THROWS_WITH_AS(file->read(refuse), doctest::Contains(said.c_str()), DataError);
  CHECK(MappedFile::open(path)->read(ones_in) == 3 * kPage + 1);
}

TEST_CASE("MappedFile: a file that shrinks to nothing is survived by threads that read it, blocked signals or not") {
  const TemporaryFolder folder;
  const std::string path = folder / "f";
  put(path, std::string(64 * kPage, '\1'));
  const auto file = MappedFile::open(path), other = MappedFile::open(path);
  REQUIRE(::truncate(path.c_str(), 0) == 0);
  std::vector<std::thread> threads;
  std::atomic<int> refused = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_BLOCK, &all, nullptr);
      for (const auto& each : {file, other}) try {
          refused += each->read(ones_in) > 0 ? 100 : 1000;  // neither must be
        } catch (const DataError&) { ++refused; }
      sigset_t now;
      pthread_sigmask(SIG_BLOCK, nullptr, &now);
      if (!sigismember(&now, SIGBUS)) refused = -100;
    });
  for (auto& thread : threads) thread.join();
  CHECK(refused.load() == 8);
}

TEST_CASE("BusGuard: the program's own handler gets what is not ours, and has its place back afterwards") {
  const TemporaryFolder folder;
  put(folder / "ours", std::string(kPage, '\1')), put(folder / "theirs", std::string(kPage, '\1'));
  const int theirs = ::open((folder / "theirs").c_str(), O_RDWR);
  void* const memory = ::mmap(nullptr, kPage, PROT_READ, MAP_SHARED, theirs, 0);
  REQUIRE(memory != MAP_FAILED);
  REQUIRE(::ftruncate(theirs, 0) == 0);
  const struct sigaction before = bus_action();
  struct sigaction own {};
  own.sa_handler = leave;
  sigaction(SIGBUS, &own, nullptr);
  {
    const auto file = MappedFile::open(folder / "ours");
    REQUIRE(::truncate((folder / "ours").c_str(), 0) == 0);
    CHECK(ones_in(file->bytes()) == 0);
    CHECK(caught == 0);
    if (sigsetjmp(way_out, 1) == 0) (void)*static_cast<volatile const char*>(memory);
    CHECK(caught == 1);
    if (sigsetjmp(way_out, 1) == 0) raise(SIGBUS);  // sent by somebody
    CHECK(caught == 2);
  }
  CHECK((bus_action().sa_handler == leave));
  sigaction(SIGBUS, &before, nullptr);
  ::munmap(memory, kPage);
  ::close(theirs);
}

TEST_CASE("BusGuard: two handlers that call one another end the process as no handler would") {
  const TemporaryFolder folder;
  put(folder / "f", std::string(kPage, '\1'));
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    static struct sigaction ours {};
    struct sigaction chaining {};
    chaining.sa_flags = SA_SIGINFO;
    chaining.sa_sigaction = [](int signal, siginfo_t* info, void* context) {
      ours.sa_sigaction(signal, info, context);
    };
    {
      const auto file = MappedFile::open(folder / "f");
      sigaction(SIGBUS, &chaining, &ours);
    }
    const auto again = MappedFile::open(folder / "f");  // now each is the one before the other
    const int theirs = ::open((folder / "f").c_str(), O_RDWR);
    void* const memory = ::mmap(nullptr, kPage, PROT_READ, MAP_SHARED, theirs, 0);
    if (::ftruncate(theirs, 0) != 0 || ones_in(again->bytes()) != 0) _exit(1);
    (void)*static_cast<volatile const char*>(memory);
    _exit(2);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGBUS);
}
