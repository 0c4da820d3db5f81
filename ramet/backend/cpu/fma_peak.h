// What one core of this machine can do at best, to measure kernels against.
#pragma once
#include "ramet/backend/cpu/cpu_target.h"

namespace ramet::cpu {

// Float32 operations per second of one core: independent multiply-adds in registers, the best of several runs that
// together take about `seconds`. REQUIRES: `target` is available.
double measure_fma_peak(CpuTarget target, double seconds = 0.05);

}  // namespace ramet::cpu
