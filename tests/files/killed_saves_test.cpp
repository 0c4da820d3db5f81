// A process killed while it saves leaves the old file or the new one, whole.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "ramet/ramet.h"
#include "tests/support/temporary_folder.h"

extern char** environ;

namespace ramet::testing {
namespace {

constexpr const char* kFile = "RAMET_SAVED_FILE";

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

  explicit Saver(const std::string& file) {
    int ends[2];
    require(::pipe(ends) == 0, "no pipe");
    ::setenv(kFile, file.c_str(), 1);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    std::string program = "/proc/self/exe", test = "-tc=killed saves: saving without end", all = "--no-skip";
    char* arguments[] = {program.data(), test.data(), all.data(), nullptr};
    require(::posix_spawn(&process, program.c_str(), &actions, nullptr, arguments, environ) == 0, "no process");
    posix_spawn_file_actions_destroy(&actions);
    ::unsetenv(kFile);
    ::close(ends[1]);
    begun = ends[0];
  }
  void wait_until_it_saves() const {
    char c = 0;
    while (::read(begun, &c, 1) == 1 && c != '!') {}
  }
  void kill_it() {
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
    ::close(begun);
  }
};

}  // namespace

TEST_CASE("killed saves: saving without end" * doctest::skip()) {
  const char* file = std::getenv(kFile);
  REQUIRE(file != nullptr);
  const Model one = model_of(1), two = model_of(2);
  REQUIRE(::write(STDOUT_FILENO, "!", 1) == 1);
  for (;;) one.save(file), two.save(file);
}

TEST_CASE("killed saves: 200 processes killed while they save leave a whole file, and the next save no other") {
  const TemporaryFolder folder;
  std::mt19937_64 random(7);
  std::size_t old_ones = 0, left_behind = 0;
  for (const char* name : {"m.keras", "m.h5"}) {
    const std::string file = folder / name;
    model_of(3).save(file);
    for (int i = 0; i < 100; ++i) {
      Saver saver(file);
      saver.wait_until_it_saves();
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 12'000));
      saver.kill_it();
      const float number = number_in(file);
      CHECK((number == 1 || number == 2 || number == 3));
      old_ones += number == 3;
      left_behind += folder.names().size() > 1;
      model_of(3).save(file);
      REQUIRE(folder.names().size() == 1);
    }
    std::filesystem::remove(file);
  }
  CHECK(left_behind > 10);  // so the moments were the right ones
  CHECK(old_ones < 190);
}

}  // namespace ramet::testing
