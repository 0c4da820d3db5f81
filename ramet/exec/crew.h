// Threads that drive the devices of a plan side by side. Unlike the parts of a thread pool's job, which may run one
// after another, its members all run at the same time, so they may wait for each other.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace ramet {

class Crew {
 public:
  // `members` counts the caller of run(). DeviceError when the system has no more threads to give.
  explicit Crew(std::size_t members);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // Calls f(i) for every member i, 0 on the calling thread; returns when all are done. Allocates nothing. No exception
  // may leave f. One call at a time.
  template <class F>
  void run(F& f) {
    start([](void* context, std::size_t i) { (*static_cast<F*>(context))(i); },
          const_cast<void*>(static_cast<const void*>(std::addressof(f))));
    f(0);
    finish();
  }

 private:
  using Task = void (*)(void* context, std::size_t member);
  void start(Task task, void* context);
  void finish();
  void work(std::size_t member);
  void dismiss();

  Task task_ = nullptr;  // null: the crew is dismissed
  void* context_ = nullptr;
  std::atomic<std::uint32_t> round_{0};
  std::atomic<std::uint32_t> working_{0};
  std::vector<std::thread> threads_;
};

}  // namespace ramet
