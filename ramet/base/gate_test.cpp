#include "ramet/base/gate.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

using namespace ramet;

TEST_CASE("Gate: concurrent readers never see half of a write") {
  Gate gate;
  int a = 0, b = 0;
  std::atomic<int> torn = 0, reads = 0;
  std::atomic<bool> done = false;
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; ++t)
    readers.emplace_back([&] {
      while (!done) {
        const Gate::Read read(gate);
        torn += a != b;
        ++reads;
      }
    });
  for (int i = 0; i < 2000; ++i) {
    const Gate::Write write(gate);
    ++a, ++b;
  }
  done = true;
  for (auto& reader : readers) reader.join();
  CHECK(torn == 0);
  CHECK(a == 2000);
}

TEST_CASE("Gate: a thread that is inside enters again, also while a concurrent writer waits") {
  Gate gate;
  std::atomic<bool> written = false;
  std::thread writer;
  {
    const Gate::Read outer(gate);
    writer = std::thread([&] {
      const Gate::Write write(gate);
      written = true;
    });
    const Gate::Read inner(gate);
    const Gate::Write own(gate);
    CHECK(!written);
  }
  writer.join();
  CHECK(written);
}
