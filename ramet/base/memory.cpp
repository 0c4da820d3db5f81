#include "ramet/base/memory.h"

#include <sys/mman.h>

#include <cstdlib>

namespace ramet {
namespace {

constexpr std::size_t kLine = 64, kPage = std::size_t{2} << 20;  // of a cache; a large one of memory

}  // namespace

std::shared_ptr<void> aligned_memory(std::size_t bytes) {
  const bool large = bytes >= 2 * kPage;
  const std::size_t rounded = (bytes + kLine - 1) / kLine * kLine + kLine;
  void* memory = nullptr;
  if (posix_memalign(&memory, large ? kPage : kLine, rounded) != 0) return nullptr;
  if (large) (void)madvise(memory, bytes / kPage * kPage, MADV_HUGEPAGE);  // a wish: small pages do, too
  return {memory, std::free};
}

}  // namespace ramet
