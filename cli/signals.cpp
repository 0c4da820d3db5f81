#include "cli/signals.h"

#include <unistd.h>

namespace ramet::cli {
namespace {

volatile std::sig_atomic_t caught = 0;

void remember(int signal) {
  if (caught && signal == SIGINT) _exit(130);
  caught = signal;
}

}  // namespace

void watch_signals(bool sigterm) {
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  if (sigterm) sigaction(SIGTERM, &action, nullptr);
}

void check_signals() {
  if (caught) throw Interrupted{static_cast<int>(caught)};
}

}  // namespace ramet::cli
