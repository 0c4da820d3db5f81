// Memory for arrays and plans.
#pragma once
#include <cstddef>
#include <memory>

namespace ramet {

// Cache-line aligned, so that kernels may use aligned loads; never empty. Large blocks ask the system for large pages:
// fewer misses of the address cache, fewer faults at first use. Null when there is no memory.
std::shared_ptr<void> aligned_memory(std::size_t bytes);

}  // namespace ramet
