#include "ramet/ops/cost.h"

#include <algorithm>

#include "ramet/ops/attention/attention.h"
#include "ramet/ops/cluster/cluster.h"
#include "ramet/ops/conv/conv.h"
#include "ramet/ops/matmul/linear.h"
#include "ramet/ops/recurrent/recurrent.h"
#include "ramet/ops/reduce/moments.h"
#include "ramet/ops/scan/scan.h"

namespace ramet::ops {
namespace {

double elements(const Program& program, int value) {
  return static_cast<double>(element_count(program.spec(value).shape));
}

double of_body(const Program& body) {
  double sum = 0;
  for (const Instr& instr : body.instrs()) sum += flops(body, instr);
  return sum;
}

// Every element of y is a sum over the window and the channels of its group.
double convolution(const Program& program, int y, const Shape& kernel) {
  double window = 1;
  for (std::size_t i = 0; i + 1 < kernel.size(); ++i) window *= static_cast<double>(kernel[i]);
  return 2 * elements(program, y) * window;
}

bool is_read(const Program& program, int value) {
  const auto has = [&](const std::vector<int>& values) {
    return std::find(values.begin(), values.end(), value) != values.end();
  };
  return std::any_of(program.instrs().begin(), program.instrs().end(), [&](const Instr& i) { return has(i.inputs); }) ||
         std::any_of(program.outputs().begin(), program.outputs().end(),
                     [&](const auto& o) { return o.value == value; });
}

// Every row and step by both kernels; in the gradient back to the states and, where it is read, x, and once more for
// the kernels.
double of_recurrent(const Program& program, const Instr& instr, bool gradient) {
  const Shape& x = program.spec(instr.inputs[0]).shape;
  const double rows = static_cast<double>(x[0] * x[1]);
  const double by_x = 2 * rows * elements(program, instr.inputs[1]),
               by_h = 2 * rows * elements(program, instr.inputs[2]);
  if (!gradient) return by_x + by_h;
  return 2 * by_h + by_x + (is_read(program, instr.results[0]) ? by_x : 0);
}

}  // namespace

double flops(const Program& program, const Instr& instr) {
  const auto shape = [&](std::size_t i) -> const Shape& { return program.spec(instr.inputs[i]).shape; };
  const double results = elements(program, instr.results[0]);
  if (instr.op == &matmul_op || instr.op == &linear_op) {
    const bool transposed =
        instr.op == &matmul_op ? instr.attrs.as<MatmulAttrs>().transpose_a : instr.attrs.as<LinearAttrs>().transpose_a;
    return 2 * results * static_cast<double>(shape(0)[shape(0).size() - (transposed ? 2 : 1)]);
  }
  if (instr.op == &conv_op || instr.op == &conv_linear_op) return convolution(program, instr.results[0], shape(1));
  if (instr.op == &conv_input_grad_op) return convolution(program, instr.inputs[0], shape(1));
  if (instr.op == &conv_kernel_grad_op)
    return convolution(program, instr.inputs[1], program.spec(instr.results[0]).shape);
  if (instr.op == &scan_op) {
    const auto& scan = instr.attrs.as<ScanAttrs>();
    return static_cast<double>(scan.length) * of_body(*scan.body);
  }
  if (const RecurrentCell* cell = cell_of_op(instr.op)) return of_recurrent(program, instr, instr.op == cell->grad);
  if (instr.op == &attention_op || instr.op == &attention_grad_op) {
    const AttentionSizes s = attention_sizes("flops", program.spec(instr.inputs[0]), program.spec(instr.inputs[1]),
                                             program.spec(instr.inputs[2]));
    const double scores = static_cast<double>(s.batch * s.heads) * static_cast<double>(s.queries * s.keys) *
                          (instr.attrs.as<AttentionAttrs>().causal ? 0.5 : 1);
    const auto size = static_cast<double>(s.size), value_size = static_cast<double>(s.value_size);
    return 2 * scores * (instr.op == &attention_op ? size + value_size : 3 * size + 2 * value_size);
  }
  if (instr.op == &cluster_op) return of_body(*instr.attrs.as<ClusterAttrs>().body);
  if (instr.op == &reduce_sum_op) return elements(program, instr.inputs[0]);
  if (instr.op == &moments_op) return 4 * elements(program, instr.inputs[0]);
  return results;
}

}  // namespace ramet::ops
