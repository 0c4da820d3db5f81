#include "ramet/io/removed_on_signal.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

namespace ramet::io {

// The handler may look at the list at any moment, so places are used again, never freed.
struct RemovedOnSignal::Place {
  std::atomic<const char*> path{nullptr};
  std::atomic<pid_t> process{0};  // a child that was forked meanwhile has no right to the file
  Place* next = nullptr;
};

struct EndingHandler {
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  static inline std::mutex mutex;
  static inline std::atomic<RemovedOnSignal::Place*> list{nullptr};
  static inline std::atomic<bool> ending{false};
  static inline int names = 0;

  // The signal stays blocked until the handler returns; then the default action ends the process.
  static void handle(int signal) {
    ending = true;
    for (RemovedOnSignal::Place* p = list.load(); p; p = p->next)
      if (const char* path = p->path.load(); path && p->process == ::getpid()) ::unlink(path);
    ::signal(signal, SIG_DFL);
    ::raise(signal);
  }

  static bool is_default(const struct sigaction& action) {
    return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
  }
  static bool is_ours(const struct sigaction& action) {
    return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == handle;
  }

  static void install() {
    struct sigaction ours {};
    ours.sa_handler = handle;
    for (const int signal : kSignals) sigaddset(&ours.sa_mask, signal);
    for (const int signal : kSignals) {
      struct sigaction now {};
      if (::sigaction(signal, nullptr, &now) == 0 && is_default(now)) ::sigaction(signal, &ours, nullptr);
    }
  }

  static void uninstall() {
    for (const int signal : kSignals) {
      struct sigaction now {};
      if (::sigaction(signal, nullptr, &now) == 0 && is_ours(now)) ::signal(signal, SIG_DFL);
    }
  }
};

RemovedOnSignal::RemovedOnSignal(std::string path) : path_(std::move(path)) {
  const std::lock_guard lock(EndingHandler::mutex);
  place_ = EndingHandler::list.load();
  while (place_ && place_->path.load()) place_ = place_->next;
  if (!place_) {
    place_ = new Place;
    place_->next = EndingHandler::list.load();
    EndingHandler::list.store(place_);
  }
  place_->process = ::getpid();
  place_->path = path_.c_str();
  if (EndingHandler::names++ == 0) EndingHandler::install();
}

RemovedOnSignal::~RemovedOnSignal() {
  const std::lock_guard lock(EndingHandler::mutex);
  place_->path = nullptr;
  // The text must stay while a handler in another thread may read it, which is until the process ends.
  while (EndingHandler::ending) std::this_thread::yield();
  if (--EndingHandler::names == 0) EndingHandler::uninstall();
}

}  // namespace ramet::io
