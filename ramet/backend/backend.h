// What a kind of device must offer. The planner asks for steps and memory; nothing above this folder knows more.
#pragma once
#include <memory>
#include <string_view>

#include "ramet/backend/kernel.h"

namespace ramet {

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  // Whether programs are rewritten for speed before they are planned.
  virtual bool optimizes() const = 0;
  // The step of an instruction by the first kernel that supports it; UsageError when none does.
  virtual Step step(const Site& site) const = 0;
  // Memory for a plan's values, 64-byte aligned; DeviceError when there is none.
  virtual std::shared_ptr<void> allocate(std::size_t bytes) const = 0;
  // The threads of a device of this kind.
  virtual ThreadPool& pool(const Device& device) const = 0;
};

// Fast kernels, chosen by instruction set at run time.
const Backend& cpu_backend();
// Every op by its plain kernel, one thread, no passes: what the fast one is compared with.
const Backend& reference_backend();

}  // namespace ramet
