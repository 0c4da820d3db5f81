#include "ramet/ops/op_list.h"

#include "ramet/ops/attention/attention.h"
#include "ramet/ops/cluster/cluster.h"
#include "ramet/ops/constant/constant.h"
#include "ramet/ops/conv/conv.h"
#include "ramet/ops/elementwise/elementwise.h"
#include "ramet/ops/index/index.h"
#include "ramet/ops/matmul/linear.h"
#include "ramet/ops/matmul/matmul.h"
#include "ramet/ops/pool/pool.h"
#include "ramet/ops/random/random_ops.h"
#include "ramet/ops/recurrent/recurrent.h"
#include "ramet/ops/reduce/moments.h"
#include "ramet/ops/reduce/reduce.h"
#include "ramet/ops/scan/scan.h"
#include "ramet/ops/shape/shape_ops.h"
#include "ramet/ops/softmax/log_softmax_at.h"
#include "ramet/ops/softmax/softmax.h"
#include "ramet/ops/transfer/transfer.h"

namespace ramet::ops {

std::span<const OpDef* const> all_ops() {
  static const std::vector<const OpDef*> list = [] {
    std::vector<const OpDef*> ops = {&constant_op, &iota_op};
    for (const PointwiseRow& row : pointwise_table()) ops.push_back(row.op);
    for (const OpDef* op : {&select_op,
                            &cast_op,
                            &matmul_op,
                            &linear_op,
                            &conv_linear_op,
                            &reduce_sum_op,
                            &reduce_max_op,
                            &reduce_min_op,
                            &reduce_prod_op,
                            &moments_op,
                            &argmax_op,
                            &argmin_op,
                            &reshape_op,
                            &transpose_op,
                            &broadcast_to_op,
                            &slice_op,
                            &pad_op,
                            &concat_op,
                            &reverse_op,
                            &gather_op,
                            &scatter_add_op,
                            &take_last_op,
                            &put_last_op,
                            &conv_op,
                            &conv_input_grad_op,
                            &conv_kernel_grad_op,
                            &max_pool_op,
                            &avg_pool_op,
                            &max_pool_grad_op,
                            &avg_pool_grad_op,
                            &softmax_op,
                            &log_softmax_op,
                            &log_softmax_at_op,
                            &log_softmax_at_grad_op,
                            &random_uniform_op,
                            &random_normal_op,
                            &scan_op,
                            &cluster_op,
                            &transfer_op,
                            &simple_rnn_op,
                            &simple_rnn_grad_op,
                            &gru_op,
                            &gru_grad_op,
                            &lstm_op,
                            &lstm_grad_op,
                            &attention_op,
                            &attention_grad_op})
      ops.push_back(op);
    return ops;
  }();
  return list;
}

const OpDef* find_op(std::string_view name) {
  for (const OpDef* op : all_ops())
    if (op->name == name) return op;
  return nullptr;
}

}  // namespace ramet::ops
