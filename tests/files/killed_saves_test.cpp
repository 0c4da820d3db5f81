// A process killed while it saves leaves the old file or the new one, whole; one that is asked to end leaves nothing
// else.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <random>
#include <thread>

#include "ramet/io/file_system.h"
#include "ramet/ramet.h"
#include "tests/support/temporary_folder.h"

extern char** environ;

namespace ramet::testing {
namespace {

constexpr const char *kFile = "RAMET_SAVED_FILE", *kNamed = "RAMET_SAVED_BY_NAME";

// A file system without files that have no name.
struct OlderSystem : FileSystem {
  int open(const char* path, int flags, mode_t mode) override {
    if ((flags & O_TMPFILE) != O_TMPFILE) return FileSystem::open(path, flags, mode);
    errno = EOPNOTSUPP;
    return -1;
  }
};

// 1 MB, all weights the same number, so that half an old and half a new file would be seen.
Model model_of(float number) {
  const auto in = Input({500}, {.name = "in"});
  Model model(in, Dense(500, {}, {.name = "d"})(in));
  Arrays weights = model.get_weights();
  for (Array& w : weights)
    for (float& x : w.data<float>()) x = number;
  model.set_weights(weights);
  return model;
}

// The number of a file; 0 when it is not whole.
float number_in(const std::string& path) {
  const Model model = load_model(path);
  const float first = model.get_weights()[0].data<float>()[0];
  for (Array& w : model.get_weights())
    for (const float x : w.data<float>())
      if (x != first) return 0;
  return first;
}

// This program again, running only the test below, which saves until it is killed. It writes a byte when it begins.
struct Saver {
  pid_t process = 0;
  int begun = -1;

  Saver(const std::string& file, bool named) {
    int ends[2];
    require(::pipe(ends) == 0, "no pipe");
    ::setenv(kFile, file.c_str(), 1);
    if (named) ::setenv(kNamed, "1", 1);
    // Signals as a shell in front of a person gives them, however this program was started.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t signals;
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    std::string program = "/proc/self/exe", test = "-tc=killed saves: saving without end", all = "--no-skip";
    char* arguments[] = {program.data(), test.data(), all.data(), nullptr};
    require(::posix_spawn(&process, program.c_str(), &actions, &attributes, arguments, environ) == 0, "no process");
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    ::unsetenv(kFile), ::unsetenv(kNamed);
    ::close(ends[1]);
    begun = ends[0];
  }
  void wait_until_it_saves() const {
    char c = 0;
    while (::read(begun, &c, 1) == 1 && c != '!') {}
  }
  int end_by(int signal) {
    int status = 0;
    ::kill(process, signal);
    ::waitpid(process, &status, 0);
    ::close(begun);
    return status;
  }
};

}  // namespace

TEST_CASE("killed saves: saving without end" * doctest::skip()) {
  const char* file = std::getenv(kFile);
  REQUIRE(file != nullptr);
  for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_DFL);  // doctest has handlers of its own
  OlderSystem older;
  std::optional<FileSystemOverride> in_use;
  if (std::getenv(kNamed)) in_use.emplace(older);
  const Model one = model_of(1), two = model_of(2);
  REQUIRE(::write(STDOUT_FILENO, "!", 1) == 1);
  for (;;) one.save(file), two.save(file);
}

namespace {

// Ends `count` processes by `signal` while they save. What is left each time is whole; counts what else there was.
struct Ended {
  std::size_t old_ones = 0, left_behind = 0;
};
Ended end_savers(const char* name, int count, int signal, bool named) {
  const TemporaryFolder folder;
  const std::string file = folder / name;
  std::mt19937_64 random(7);
  Ended out;
  for (int i = 0; i < count; ++i) {
    model_of(3).save(file);
    REQUIRE(folder.names().size() == 1);
    Saver saver(file, named);
    saver.wait_until_it_saves();
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 12'000));
    const int status = saver.end_by(signal);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == signal);
    const float number = number_in(file);
    CHECK((number == 1 || number == 2 || number == 3));
    out.old_ones += number == 3;
    out.left_behind += folder.names().size() > 1;
  }
  return out;
}

}  // namespace

TEST_CASE("killed saves: 200 processes killed while they save leave a whole file, and the next save no other") {
  for (const char* name : {"m.keras", "m.h5"}) {
    const Ended named = end_savers(name, 50, SIGKILL, true), unnamed = end_savers(name, 50, SIGKILL, false);
    CHECK(named.left_behind > 5);  // so the moments were the right ones
    CHECK(named.old_ones + unnamed.old_ones < 95);
  }
}

TEST_CASE("killed saves: 120 processes that are asked to end while they save leave a whole file and nothing else") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    for (const bool named : {true, false}) CHECK(end_savers("m.keras", 20, signal, named).left_behind == 0);
}

}  // namespace ramet::testing
