// How much work the library has done, for tests that look at how it grows with what it is given: time depends on the
// machine, this does not.
#pragma once
#include <cstdint>

namespace ramet {

// Basic blocks that ran so far, kernels apart. Always 0 unless the build counts them (RAMET_COUNT_STEPS). One thread.
std::uint64_t steps_done();

}  // namespace ramet
