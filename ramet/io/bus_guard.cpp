#include "ramet/io/bus_guard.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>

namespace ramet::io {

// A part of the address space. The handler may look at the list at any moment, so places are used again, never freed.
struct BusGuard::Watched {
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::atomic<bool> hit{false};
  bool used = true;  // guarded by the mutex below
  Watched* next = nullptr;
};

struct BusHandler {
  static inline std::mutex mutex;
  static inline std::atomic<BusGuard::Watched*> list{nullptr};
  static inline int guards = 0;
  static inline struct sigaction before {};
  static inline std::uintptr_t page = 0;
  // What was last passed on, and from where on the stack: a handler that came after ours and calls it is itself the one
  // before ours when files are mapped again, and the two would go round for ever.
  static inline thread_local const siginfo_t* passed = nullptr;
  static inline thread_local std::uintptr_t passed_at = 0;

  static bool is_ours(const struct sigaction& action) {
    return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == handle;
  }

  // Only what may be done in a handler: atomics, mmap (a plain system call) and sigaction.
  static void handle(int signal, siginfo_t* info, void* context) {
    const int error = errno;
    const bool handled = info->si_code > 0 && put_zeros(reinterpret_cast<std::uintptr_t>(info->si_addr));
    if (!handled) pass_on(signal, info, context);
    errno = error;
  }

  static bool put_zeros(std::uintptr_t address) {
    for (BusGuard::Watched* w = list.load(); w; w = w->next) {
      const std::uintptr_t begin = w->begin.load(), end = w->end.load();
      if (address < begin || address >= end) continue;
      w->hit.store(true);  // first: another thread may read the zeros as soon as they are there
      const std::uintptr_t from = address / page * page;
      void* const zeros =
          ::mmap(reinterpret_cast<void*>(from), end - from, PROT_READ, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      return zeros != MAP_FAILED;
    }
    return false;
  }

  static void pass_on(int signal, siginfo_t* info, void* context) {
    const bool function =
        (before.sa_flags & SA_SIGINFO) != 0 || (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN);
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const bool round = passed == info && here < passed_at;  // a handler may also have left by a jump
    if (function && !round) {
      passed = info, passed_at = here;
      if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(signal, info, context);
      else
        before.sa_handler(signal);
      passed = nullptr;
      return;
    }
    if (before.sa_handler == SIG_IGN && info->si_code <= 0) return;  // sent by somebody, and nobody is to care
    ::signal(signal, SIG_DFL);
    if (info->si_code <= 0) ::raise(signal);  // an access is simply made again
  }

  static void install() {
    page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction now {};
    ::sigaction(SIGBUS, nullptr, &now);
    if (is_ours(now)) return;
    before = now;
    struct sigaction ours {};
    ours.sa_sigaction = handle;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    ::sigaction(SIGBUS, &ours, nullptr);
  }

  static void uninstall() {
    struct sigaction now {};
    ::sigaction(SIGBUS, nullptr, &now);
    if (is_ours(now)) ::sigaction(SIGBUS, &before, nullptr);
  }
};

BusGuard::BusGuard(std::span<const std::byte> mapped) {
  const std::lock_guard lock(BusHandler::mutex);
  watched_ = BusHandler::list.load();
  while (watched_ && watched_->used) watched_ = watched_->next;
  const bool fresh = watched_ == nullptr;
  if (fresh) watched_ = new Watched;
  watched_->used = true;
  watched_->hit = false;
  watched_->begin = reinterpret_cast<std::uintptr_t>(mapped.data());
  watched_->end = reinterpret_cast<std::uintptr_t>(mapped.data() + mapped.size());
  if (fresh) {
    watched_->next = BusHandler::list.load();
    BusHandler::list.store(watched_);
  }
  if (BusHandler::guards++ == 0) BusHandler::install();
}

BusGuard::~BusGuard() {
  const std::lock_guard lock(BusHandler::mutex);
  watched_->end = 0;
  watched_->begin = 0;
  watched_->used = false;
  if (--BusHandler::guards == 0) BusHandler::uninstall();
}

bool BusGuard::hit() const { return watched_->hit.load(); }

UnblockedBusErrors::UnblockedBusErrors() {
  sigset_t bus;
  sigemptyset(&bus);
  sigaddset(&bus, SIGBUS);
  ::pthread_sigmask(SIG_UNBLOCK, &bus, &before_);
}

UnblockedBusErrors::~UnblockedBusErrors() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace ramet::io
