#include <cstdlib>
#include <map>
#include <mutex>

#include "ramet/backend/backend.h"
#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/base/memory.h"

namespace ramet {
namespace {

constexpr int kVirtualCpus = 8;

Step choose(const Site& site, bool reference_only) {
  for (const Kernel& kernel : cpu::kernel_list()) {
    if (kernel.op != site.instr.op || (reference_only && !kernel.reference) || !kernel.supports(site)) continue;
    Step step = kernel.make(site);
    step.kernel = kernel.name;
    return step;
  }
  throw InternalError(cat("no kernel for ", site.instr.op->name));
}

std::shared_ptr<void> allocate_aligned(std::size_t bytes) {
  auto memory = aligned_memory(bytes);
  if (!memory) throw DeviceError(cat("out of memory: a plan needs ", bytes, " bytes"));
  return memory;
}

class CpuBackend final : public Backend {
 public:
  std::string_view name() const override { return "cpu"; }
  bool optimizes() const override { return true; }
  Step step(const Site& site) const override { return choose(site, false); }
  std::shared_ptr<void> allocate(std::size_t bytes) const override { return allocate_aligned(bytes); }

  // cpu:0 has the process' threads; every further device one of its own (the thread that drives it).
  ThreadPool& pool(const Device& device) const override {
    const std::lock_guard lock(mutex_);
    const int threads = device.index == 0 ? num_threads() : 1;
    auto& pools = pools_[device.index];
    for (const auto& pool : pools)
      if (pool->threads() == threads) return *pool;
    pools.push_back(std::make_unique<ThreadPool>(threads));
    return *pools.back();
  }

 private:
  mutable std::mutex mutex_;
  mutable std::map<int, std::vector<std::unique_ptr<ThreadPool>>> pools_;  // never shrinks: plans keep references
};

class ReferenceBackend final : public Backend {
 public:
  std::string_view name() const override { return "reference"; }
  bool optimizes() const override { return false; }
  Step step(const Site& site) const override { return choose(site, true); }
  std::shared_ptr<void> allocate(std::size_t bytes) const override { return allocate_aligned(bytes); }
  ThreadPool& pool(const Device&) const override {
    static ThreadPool one(1);
    return one;
  }
};

}  // namespace

const Backend& cpu_backend() {
  static const CpuBackend backend;
  return backend;
}

const Backend& reference_backend() {
  static const ReferenceBackend backend;
  return backend;
}

int device_count(Device::Kind kind) { return kind == Device::Kind::cpu ? kVirtualCpus : 0; }

std::string available_devices() {
  std::string out = "[";
  for (int i = 0; i < kVirtualCpus; ++i) out += cat(i ? ", '" : "'", Device(Device::Kind::cpu, i), "'");
  return out + "]";
}

}  // namespace ramet
