// Ctrl-C and SIGTERM in commands that work for long.
#pragma once
#include <csignal>

#include "ramet/train/callback.h"

namespace ramet::cli {

// Somebody asked the command to end.
struct Interrupted {
  int signal = SIGINT;
};

// From now on SIGINT (and SIGTERM, where asked) is remembered instead of ending the process. A second SIGINT ends it.
void watch_signals(bool sigterm);

// Throws Interrupted if a signal came.
void check_signals();

// Checks after every batch.
class StopOnSignal final : public Callback {
 public:
  void on_train_batch_end(std::int64_t, Logs&) override { check_signals(); }
  void on_test_batch_end(std::int64_t, Logs&) override { check_signals(); }
  void on_predict_batch_end(std::int64_t) override { check_signals(); }
};

}  // namespace ramet::cli
