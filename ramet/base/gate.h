// Many readers or one writer. A writer that waits goes before readers that come later, so a stream of them cannot keep
// it out. A thread that is inside may enter again: as a reader, or to write what it itself is reading.
#pragma once
#include <condition_variable>
#include <mutex>
#include <vector>

namespace ramet {

class Gate {
 public:
  Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  class Read {
   public:
    explicit Read(Gate& gate);
    ~Read();
    Read(const Read&) = delete;
    Read& operator=(const Read&) = delete;

   private:
    Gate* gate_ = nullptr;  // null when this thread was inside already
  };
  class Write {
   public:
    explicit Write(Gate& gate);
    ~Write();
    Write(const Write&) = delete;
    Write& operator=(const Write&) = delete;

   private:
    Gate* gate_ = nullptr;
  };

 private:
  bool enter();  // false when this thread is inside already
  void leave();

  std::mutex mutex_;
  std::condition_variable changed_;
  int readers_ = 0, waiting_writers_ = 0;
  bool writing_ = false;
};

}  // namespace ramet
