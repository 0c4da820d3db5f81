#include "ramet/backend/cpu/kernel_list.h"

namespace ramet::cpu {

const KernelList& kernel_list() {
  static const KernelList list = [] {
    KernelList kernels;
    for (const auto add :
         {add_fast_attention_kernels, add_attention_kernels,      add_log_softmax_at_kernels, add_fast_conv_kernels,
          add_fast_pool_kernels,      add_fast_recurrent_kernels, add_fast_reduce_kernels,    add_fast_softmax_kernels,
          add_cluster_kernels,        add_elementwise_kernels,    add_constant_kernels,       add_matmul_kernels,
          add_recurrent_kernels,      add_reduce_kernels,         add_moments_kernels,        add_shape_kernels,
          add_index_kernels,          add_conv_kernels,           add_pool_kernels,           add_softmax_kernels,
          add_random_kernels,         add_transfer_kernels})
      add(kernels);
    return kernels;
  }();
  return list;
}

}  // namespace ramet::cpu
