#include "ramet/base/thread_pool.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "ramet/base/error.h"

using namespace ramet;

TEST_CASE("ThreadPool: every part runs exactly once and is visible afterwards") {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    CHECK(pool.threads() == threads);
    for (const int n : {0, 1, 2, 7, 1000}) {
      std::vector<int> runs(static_cast<std::size_t>(n));
      pool.parallel_for(n, [&](int i) { ++runs[static_cast<std::size_t>(i)]; });
      CHECK(std::accumulate(runs.begin(), runs.end(), 0) == n);
      CHECK(std::count(runs.begin(), runs.end(), 1) == n);
    }
  }
}

TEST_CASE("ThreadPool: a plain function with a context works too, and a negative count is none") {
  ThreadPool pool(2);
  std::atomic<int> sum{0};
  const ThreadPool::Task add = [](void* context, int i) { *static_cast<std::atomic<int>*>(context) += i; };
  pool.run(10, add, &sum);
  pool.run(-5, add, &sum);
  CHECK(sum == 45);
}

TEST_CASE("ThreadPool: the parts of a job run at the same time") {
  ThreadPool pool(3);
  std::atomic<int> arrived{0};
  pool.parallel_for(3, [&](int) {
    ++arrived;
    while (arrived < 3) std::this_thread::yield();  // ends only if all three are on threads of their own
  });
  CHECK(arrived == 3);
}

TEST_CASE("ThreadPool: a call from inside a task runs in that thread") {
  ThreadPool pool(3);
  std::atomic<int> parts{0}, elsewhere{0};
  pool.parallel_for(6, [&](int) {
    const auto self = std::this_thread::get_id();
    pool.parallel_for(5, [&](int) {
      ++parts;
      if (std::this_thread::get_id() != self) ++elsewhere;
    });
  });
  CHECK(parts == 30);
  CHECK(elsewhere == 0);
}

TEST_CASE("ThreadPool: many small jobs, with and without pauses long enough to park the threads") {
  ThreadPool pool(4);
  std::vector<int> values(64);
  const int jobs = 3000;
  for (int job = 0; job < jobs; ++job) {
    const int n = job % 64 + 1;
    pool.parallel_for(n, [&](int i) { ++values[static_cast<std::size_t>(i)]; });
    if (job % 100 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  const long expected = [&] {
    long sum = 0;
    for (int job = 0; job < jobs; ++job) sum += job % 64 + 1;
    return sum;
  }();
  CHECK(std::accumulate(values.begin(), values.end(), 0L) == expected);
}

TEST_CASE("ThreadPool: concurrent callers are all served") {
  ThreadPool pool(3);
  std::vector<long> sums(4);
  std::vector<std::thread> callers;
  for (std::size_t caller = 0; caller < sums.size(); ++caller) {
    callers.emplace_back([&, caller] {
      for (int job = 0; job < 500; ++job) {
        std::vector<int> parts(17);
        pool.parallel_for(17, [&](int i) { parts[static_cast<std::size_t>(i)] = i; });
        sums[caller] += std::accumulate(parts.begin(), parts.end(), 0L);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const long sum : sums) CHECK(sum == 500L * 136);
}

TEST_CASE("ThreadPool: a caller waits for a slow thread") {
  ThreadPool pool(2);
  std::vector<int> done(8);
  for (int round = 0; round < 20; ++round) {
    pool.parallel_for(8, [&](int i) {
      if (i % 4 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ++done[static_cast<std::size_t>(i)];
    });
    for (const int times : done) REQUIRE(times == round + 1);
  }
}

TEST_CASE("ThreadPool: pools of threads come and go, used or not") {
  for (int i = 0; i < 100; ++i) {
    ThreadPool pool(1 + i % 5);
    if (i % 2) pool.parallel_for(3, [](int) {});
  }
}

TEST_CASE("ThreadPool: a thread count that cannot be is refused") {
  CHECK_THROWS_WITH_AS(ThreadPool(0), "ThreadPool: threads must lie between 1 and 1024; got 0", UsageError);
  CHECK_THROWS_AS(ThreadPool(1025), UsageError);
}

TEST_CASE("num_threads: what was set last holds") {
  const int before = num_threads();
  CHECK(before >= 1);
  set_num_threads(5);
  CHECK(num_threads() == 5);
  CHECK_THROWS_WITH_AS(set_num_threads(0), "set_num_threads: threads must lie between 1 and 1024; got 0", UsageError);
  CHECK(num_threads() == 5);
  set_num_threads(before);
}
