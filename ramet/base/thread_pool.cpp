#include "ramet/base/thread_pool.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "ramet/base/denormals.h"
#include "ramet/base/error.h"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace ramet {
namespace {

// state_ is one word, so that a worker enters a job in one compare-and-swap or not at all:
//   bits 32..63  number of the job      bit 31  open      bit 30  the pool is stopping      bits 0..29  workers inside
// The caller opens a job, takes parts until none is left, closes it and waits for the workers inside to leave. A worker
// that wakes too late finds the job closed and has touched nothing.
constexpr std::uint64_t kOpen = std::uint64_t{1} << 31;
constexpr std::uint64_t kStop = std::uint64_t{1} << 30;
constexpr std::uint64_t kInside = kStop - 1;

std::uint32_t job_number(std::uint64_t state) { return static_cast<std::uint32_t>(state >> 32); }

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

// Steps of a plan follow each other within a few microseconds, waking a parked thread takes tens of them.
constexpr std::chrono::microseconds kSpin{30};

template <class Condition>
bool spin_until(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < 32; ++i) {
      if (condition()) return true;
      relax();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

int hardware_threads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace

ThreadPool::ThreadPool(int threads) {
  require(threads >= 1 && threads <= kMaxThreads, "ThreadPool: threads must lie between 1 and ", kMaxThreads, "; got ",
          threads);
  may_spin_ = threads <= hardware_threads();  // with fewer processors than threads, spinning only delays the others
  workers_.reserve(static_cast<std::size_t>(threads - 1));
  try {
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    const int got = this->threads();
    stop();
    throw DeviceError(cat("ThreadPool: the system refused another thread: got ", got, " of ", threads,
                          "; ask for fewer or raise the limit (ulimit -u)"));
  }
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() {
  state_.store(kStop);
  wake(static_cast<int>(workers_.size()));
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run(int n, Task task, void* context) {
  const bool alone = n <= 1 || workers_.empty() || busy_.exchange(true, std::memory_order_acquire);
  if (alone) {
    for (int i = 0; i < n; ++i) task(context, i);
    return;
  }
  task_ = task;
  context_ = context;
  n_ = n;
  next_.store(0, std::memory_order_relaxed);
  const std::uint64_t job = job_number(state_.load(std::memory_order_relaxed)) + std::uint64_t{1};
  state_.store((job << 32) | kOpen);
  wake(n - 1);
  take_parts();
  state_.fetch_and(~kOpen);
  wait_until_left();
  busy_.store(false, std::memory_order_release);
}

// noexcept: an exception here could not be handed to anybody, and would leave the job open.
void ThreadPool::take_parts() noexcept {
  const std::int64_t n = n_;
  for (std::int64_t i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < n;) task_(context_, static_cast<int>(i));
}

// parked_ and state_ are each written by one side and then read by the other, in sequentially consistent order: either
// the worker sees the new job or the caller sees the worker parked.
void ThreadPool::wake(int wanted) {
  const int count = std::min(wanted, parked_.load());
  if (count <= 0) return;
  { const std::lock_guard lock(mutex_); }  // whoever counted itself parked now waits, or looks at state_ once more
  for (int i = 0; i < count; ++i) wake_.notify_one();
}

void ThreadPool::work() {
  const FlushDenormals flush;  // as the executables do whose parts it runs
  std::uint32_t seen = 0;
  while (true) {
    wait_for_news(seen);
    std::uint64_t state = state_.load();
    if (state & kStop) return;
    if (!(state & kOpen) || job_number(state) == seen) continue;
    if (!state_.compare_exchange_weak(state, state + 1)) continue;
    seen = job_number(state);
    take_parts();
    leave_job();
  }
}

bool ThreadPool::has_news(std::uint32_t seen) const {
  const std::uint64_t state = state_.load();
  return (state & kStop) || ((state & kOpen) && job_number(state) != seen);
}

void ThreadPool::wait_for_news(std::uint32_t seen) {
  const auto news = [&] { return has_news(seen); };
  if (may_spin_ ? spin_until(news) : news()) return;
  park(seen);
}

// Returns after any wake, also when the job was over by then: its successor is likely near, so the worker spins again.
void ThreadPool::park(std::uint32_t seen) {
  std::unique_lock lock(mutex_);
  ++parked_;
  if (!has_news(seen)) wake_.wait(lock);
  --parked_;
}

void ThreadPool::leave_job() {
  const std::uint64_t before = state_.fetch_sub(1);
  if ((before & kInside) != 1 || !caller_parked_.load()) return;
  { const std::lock_guard lock(mutex_); }
  left_.notify_one();
}

void ThreadPool::wait_until_left() {
  const auto empty = [&] { return (state_.load() & kInside) == 0; };
  if (may_spin_ ? spin_until(empty) : empty()) return;
  std::unique_lock lock(mutex_);
  caller_parked_.store(true);
  left_.wait(lock, empty);
  caller_parked_.store(false);
}

namespace {

int threads_from_environment() {
  const char* text = std::getenv("RAMET_NUM_THREADS");
  if (!text || !*text) return std::min(hardware_threads(), ThreadPool::kMaxThreads);
  const std::string_view given = text;
  int threads = 0;
  const auto read = std::from_chars(given.data(), given.data() + given.size(), threads);
  const bool whole = read.ec == std::errc() && read.ptr == given.data() + given.size();
  require(whole && threads >= 1 && threads <= ThreadPool::kMaxThreads, "RAMET_NUM_THREADS: must lie between 1 and ",
          ThreadPool::kMaxThreads, "; got '", given, "'");
  return threads;
}

std::atomic<int>& chosen_threads() {
  static std::atomic<int> threads{0};  // 0: nobody has asked or said yet
  return threads;
}

}  // namespace

int num_threads() {
  const int chosen = chosen_threads().load();
  if (chosen > 0) return chosen;
  int none = 0;
  const int threads = threads_from_environment();
  return chosen_threads().compare_exchange_strong(none, threads) ? threads : none;
}

void set_num_threads(int threads) {
  require(threads >= 1 && threads <= ThreadPool::kMaxThreads, "set_num_threads: threads must lie between 1 and ",
          ThreadPool::kMaxThreads, "; got ", threads);
  chosen_threads().store(threads);
}

}  // namespace ramet
