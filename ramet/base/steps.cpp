#include "ramet/base/steps.h"

namespace {
std::uint64_t steps = 0;
}

#ifdef RAMET_COUNT_STEPS
// The compiler calls this at the begin of every basic block (-fsanitize-coverage=trace-pc).
extern "C" void __sanitizer_cov_trace_pc() { ++steps; }
#endif

namespace ramet {

std::uint64_t steps_done() { return steps; }

}  // namespace ramet
