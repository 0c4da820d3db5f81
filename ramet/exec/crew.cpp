#include "ramet/exec/crew.h"

#include <chrono>
#include <system_error>

#include "ramet/base/error.h"

namespace ramet {
namespace {

// Calls of a model follow each other quickly or not at all: look for a while, then sleep.
void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
  while (word.load(std::memory_order_acquire) == value) {
    if (std::chrono::steady_clock::now() > end) return word.wait(value, std::memory_order_acquire);
    std::this_thread::yield();
  }
}

}  // namespace

Crew::Crew(std::size_t members) {
  try {
    for (std::size_t i = 1; i < members; ++i) threads_.emplace_back([this, i] { work(i); });
  } catch (const std::system_error&) {
    const std::size_t got = threads_.size() + 1;
    dismiss();
    throw DeviceError(cat("the system refused a thread for each of ", members, " devices: got ", got));
  }
}

Crew::~Crew() { dismiss(); }

void Crew::dismiss() {
  start(nullptr, nullptr);
  for (auto& thread : threads_) thread.join();
}

void Crew::start(Task task, void* context) {
  task_ = task;
  context_ = context;
  working_.store(static_cast<std::uint32_t>(threads_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
}

void Crew::finish() {
  for (std::uint32_t left; (left = working_.load(std::memory_order_acquire)) != 0;) wait_while(working_, left);
}

void Crew::work(std::size_t member) {
  for (std::uint32_t seen = 0;;) {
    while (round_.load(std::memory_order_acquire) == seen) wait_while(round_, seen);
    ++seen;
    if (!task_) return;
    task_(context_, member);
    if (working_.fetch_sub(1, std::memory_order_acq_rel) == 1) working_.notify_one();
  }
}

}  // namespace ramet
