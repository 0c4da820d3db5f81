// Reading a mapped file that has become shorter raises SIGBUS, which ends a process. While a guard lives, it does not:
// the missing pages become zeros, and the guard remembers. See docs/adr/0013-shortened-files-read-as-zeros.md.
#pragma once
#include <signal.h>

#include <cstddef>
#include <span>

namespace ramet::io {

// For the memory of one mapping, in every thread that does not block SIGBUS. The handler is there while there are
// guards; what is not theirs goes to the handler that was there before. REQUIRES: made before the first access.
class BusGuard {
 public:
  explicit BusGuard(std::span<const std::byte> mapped);
  ~BusGuard();
  BusGuard(const BusGuard&) = delete;
  BusGuard& operator=(const BusGuard&) = delete;

  bool hit() const;  // whether zeros stand where the file had ended, or could not be read

 private:
  struct Watched;
  friend struct BusHandler;
  Watched* watched_;
};

// While it lives, this thread does not block SIGBUS: a blocked one that an access raises cannot be survived.
class UnblockedBusErrors {
 public:
  UnblockedBusErrors();
  ~UnblockedBusErrors();
  UnblockedBusErrors(const UnblockedBusErrors&) = delete;
  UnblockedBusErrors& operator=(const UnblockedBusErrors&) = delete;

 private:
  sigset_t before_;
};

}  // namespace ramet::io
