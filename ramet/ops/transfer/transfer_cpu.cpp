#include <cstring>

#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/ops/transfer/transfer.h"

namespace ramet::cpu {
namespace {

struct Args {
  std::size_t bytes;
};

Step make_transfer(const Site& site) {
  const auto bytes = static_cast<std::size_t>(element_count(site.out().shape)) * size_of(site.out().dtype);
  return make_step(Args{bytes}, [](const Args& a, const Buffers& b) { std::memcpy(b.out[0], b.in[0], a.bytes); });
}

}  // namespace

void add_transfer_kernels(KernelList& list) { list.push_back({&ops::transfer_op, "copy", always, make_transfer}); }

}  // namespace ramet::cpu
