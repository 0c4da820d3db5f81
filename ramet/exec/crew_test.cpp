#include "ramet/exec/crew.h"

#include <doctest/doctest.h>

#include <array>
#include <chrono>

namespace ramet {

TEST_CASE("crew: the threads of all members run at the same time, round after round") {
  constexpr std::size_t kMembers = 4;
  Crew crew(kMembers);
  std::array<int, kMembers> rounds{};
  for (int round = 0; round < 2000; ++round) {
    std::atomic<std::size_t> here{0};
    auto meet = [&](std::size_t member) {
      ++rounds[member];
      ++here;
      while (here.load() < kMembers) std::this_thread::yield();  // would never end if they ran one after another
    };
    crew.run(meet);
  }
  for (const int r : rounds) CHECK(r == 2000);
}

TEST_CASE("crew: threads that went to sleep wake up, and a crew that never worked is dismissed") {
  { const Crew idle(3); }
  Crew crew(3);
  std::atomic<int> sum{0};
  auto add = [&](std::size_t member) { sum += static_cast<int>(member) + 1; };
  for (int round = 0; round < 5; ++round) {
    crew.run(add);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  CHECK(sum == 30);
}

}  // namespace ramet
