// The name of a temporary file that must not outlive the process.
#pragma once
#include <string>

namespace ramet::io {

// While it lives, SIGINT, SIGTERM, SIGHUP and SIGQUIT remove the file before they end the process. A program that
// handles or ignores one of them decides for itself: only the default is replaced.
class RemovedOnSignal {
 public:
  explicit RemovedOnSignal(std::string path);
  ~RemovedOnSignal();
  RemovedOnSignal(const RemovedOnSignal&) = delete;
  RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;

 private:
  struct Place;
  friend struct EndingHandler;
  std::string path_;
  Place* place_;
};

}  // namespace ramet::io
