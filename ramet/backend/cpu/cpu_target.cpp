#include "ramet/backend/cpu/cpu_target.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <vector>

#include "ramet/base/error.h"

namespace ramet::cpu {
namespace sse4 {
const SimdKernels& kernels();
}
namespace avx2 {
const SimdKernels& kernels();
}
namespace avx512 {
const SimdKernels& kernels();
}

namespace {

struct Entry {
  CpuTarget target;
  std::string_view name;
  const SimdKernels& (*kernels)();
};

constexpr std::array kEntries{
    Entry{CpuTarget::kSse4, "sse4", sse4::kernels},
    Entry{CpuTarget::kAvx2, "avx2", avx2::kernels},
    Entry{CpuTarget::kAvx512, "avx512", avx512::kernels},
};

const Entry& entry(CpuTarget target) { return kEntries[static_cast<std::size_t>(target)]; }

std::vector<CpuTarget> detect() {
  __builtin_cpu_init();
  std::vector<CpuTarget> found;
  if (__builtin_cpu_supports("sse4.2")) found.push_back(CpuTarget::kSse4);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) found.push_back(CpuTarget::kAvx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    found.push_back(CpuTarget::kAvx512);
  }
  if (found.empty()) throw DeviceError("this CPU lacks SSE4.2, the least that Ramet's kernels need");
  return found;
}

// The widest target, unless the environment names another one.
CpuTarget choose() {
  const std::span<const CpuTarget> targets = available_targets();
  const char* wanted = std::getenv("RAMET_CPU_TARGET");
  if (wanted == nullptr || *wanted == '\0') return targets.back();
  for (const CpuTarget target : targets) {
    if (to_string(target) == wanted) return target;
  }
  throw UsageError(cat("RAMET_CPU_TARGET: '", wanted,
                       "' is unknown or this CPU cannot run it; use sse4, avx2 or avx512, up to '",
                       to_string(targets.back()), "'"));
}

// The table itself stands beside the target, so that the hot path is one load.
std::atomic<CpuTarget> active_target{CpuTarget::kSse4};
std::atomic<const SimdKernels*> active_table{nullptr};

void activate(CpuTarget target) {
  active_target.store(target);
  active_table.store(&entry(target).kernels(), std::memory_order_release);
}

}  // namespace

std::string_view to_string(CpuTarget target) { return entry(target).name; }

std::span<const CpuTarget> available_targets() {
  static const std::vector<CpuTarget> targets = detect();
  return targets;
}

CpuTarget cpu_target() {
  simd();
  return active_target.load();
}

void set_cpu_target(CpuTarget target) {
  const auto targets = available_targets();
  require(std::find(targets.begin(), targets.end(), target) != targets.end(), "set_cpu_target: this CPU cannot run '",
          to_string(target), "'; the widest it can run is '", to_string(targets.back()), "'");
  activate(target);
}

const SimdKernels& simd() {
  const SimdKernels* table = active_table.load(std::memory_order_acquire);
  if (table == nullptr) {
    activate(choose());
    table = active_table.load(std::memory_order_acquire);
  }
  return *table;
}

}  // namespace ramet::cpu
