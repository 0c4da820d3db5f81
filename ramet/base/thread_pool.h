// A fixed set of workers that run the parts of one job together with the calling thread.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace ramet {

class ThreadPool {
 public:
  using Task = void (*)(void* context, int i);

  // `threads` counts the caller of run(): 1 means no workers. Throws UsageError below 1 or above kMaxThreads,
  // DeviceError when the system has no more threads to give.
  explicit ThreadPool(int threads);
  ~ThreadPool();  // REQUIRES: no call of run() is under way
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls task(context, i) once for every i in [0, n), in any order, spread over the threads; returns when all are
  // done, and what they wrote is then visible to the caller. Allocates nothing. No exception may leave `task`. May be
  // called from several threads at once and from inside a task: a call that finds the pool busy runs all its parts
  // itself, so it never waits for another one.
  void run(int n, Task task, void* context);

  // The same for a callable: f(i).
  template <class F>
  void parallel_for(int n, F&& f) {
    using Callable = std::remove_reference_t<F>;
    const Task call = [](void* context, int i) { (*static_cast<Callable*>(context))(i); };
    run(n, call, const_cast<void*>(static_cast<const void*>(std::addressof(f))));
  }

  static constexpr int kMaxThreads = 1024;

 private:
  void stop();
  void work();
  bool has_news(std::uint32_t seen) const;
  void wait_for_news(std::uint32_t seen);
  void park(std::uint32_t seen);
  void take_parts() noexcept;
  void leave_job();
  void wake(int wanted);
  void wait_until_left();

  // The job. Written by the thread that owns `busy_` while the job is closed, read by those who entered it.
  Task task_ = nullptr;
  void* context_ = nullptr;
  int n_ = 0;

  alignas(64) std::atomic<std::int64_t> next_{0};    // the first part nobody has taken
  alignas(64) std::atomic<std::uint64_t> state_{0};  // number of the job, whether it is open, workers inside (see .cpp)
  alignas(64) std::atomic<bool> busy_{false};
  std::atomic<int> parked_{0};
  std::atomic<bool> caller_parked_{false};
  std::mutex mutex_;
  std::condition_variable wake_, left_;
  bool may_spin_ = true;
  std::vector<std::thread> workers_;
};

// How many threads work is split over unless something else is asked for: what set_num_threads said last, else
// RAMET_NUM_THREADS, else the number of processors. Results do not depend on it. Safe from any thread.
int num_threads();
void set_num_threads(int threads);

}  // namespace ramet
