// Which instruction set the kernels use: chosen once from the CPU, or by RAMET_CPU_TARGET=sse4|avx2|avx512.
#pragma once
#include <span>
#include <string_view>

#include "ramet/backend/cpu/simd_kernels.h"

namespace ramet::cpu {

enum class CpuTarget { kSse4, kAvx2, kAvx512 };

// "sse4", "avx2" or "avx512".
std::string_view to_string(CpuTarget target);

// What this CPU can run, narrowest first.
std::span<const CpuTarget> available_targets();

CpuTarget cpu_target();

// For tests and benchmarks. Packed weights made for another target become unusable.
// REQUIRES: `target` is available and no kernel is running.
void set_cpu_target(CpuTarget target);

// The kernels of the chosen target. The first call reads the environment; safe from any thread.
const SimdKernels& simd();

}  // namespace ramet::cpu
