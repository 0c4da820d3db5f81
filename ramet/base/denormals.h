// Numbers too small to be normal floats.
#pragma once
#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#endif

namespace ramet {

// While it lives, this thread computes with denormals as zeros, as the engines behind Keras do: those are Keras'
// numbers, and the running means of an optimizer do not slow down while they fade away.
class FlushDenormals {
 public:
  FlushDenormals() : before_(mode()) {
    if ((before_ & kFlush) != kFlush) set_mode(before_ | kFlush);
  }
  ~FlushDenormals() {
    if ((before_ & kFlush) != kFlush) set_mode(before_);
  }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  static constexpr unsigned kFlush = 0x8040;  // of results, and of operands
#if defined(__x86_64__) || defined(__i386__)
  static unsigned mode() { return _mm_getcsr(); }
  static void set_mode(unsigned mode) { _mm_setcsr(mode); }
#else
  static unsigned mode() { return kFlush; }
  static void set_mode(unsigned) {}
#endif
  unsigned before_;
};

}  // namespace ramet
