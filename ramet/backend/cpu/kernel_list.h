// The CPU's kernels, by family. Order within an op is preference; its reference kernel is the last.
#pragma once
#include "ramet/backend/kernel.h"

namespace ramet::cpu {

void add_fast_attention_kernels(KernelList&);
void add_fast_conv_kernels(KernelList&);
void add_fast_pool_kernels(KernelList&);
void add_fast_recurrent_kernels(KernelList&);
void add_fast_reduce_kernels(KernelList&);
void add_fast_softmax_kernels(KernelList&);
void add_attention_kernels(KernelList&);
void add_cluster_kernels(KernelList&);
void add_elementwise_kernels(KernelList&);
void add_constant_kernels(KernelList&);
void add_log_softmax_at_kernels(KernelList&);
void add_matmul_kernels(KernelList&);
void add_recurrent_kernels(KernelList&);
void add_reduce_kernels(KernelList&);
void add_moments_kernels(KernelList&);
void add_shape_kernels(KernelList&);
void add_index_kernels(KernelList&);
void add_conv_kernels(KernelList&);
void add_pool_kernels(KernelList&);
void add_softmax_kernels(KernelList&);
void add_random_kernels(KernelList&);
void add_transfer_kernels(KernelList&);

const KernelList& kernel_list();

}  // namespace ramet::cpu
