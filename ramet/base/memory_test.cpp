#include "ramet/base/memory.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>

using namespace ramet;

TEST_CASE("memory is aligned to cache lines, large memory to large pages, and all of it can be written") {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{5} << 20}) {
    const auto memory = aligned_memory(bytes);
    REQUIRE(memory);
    CHECK(reinterpret_cast<std::uintptr_t>(memory.get()) %
              (bytes > (std::size_t{4} << 20) ? std::size_t{2} << 20 : 64) ==
          0);
    std::memset(memory.get(), 1, bytes);
  }
}
