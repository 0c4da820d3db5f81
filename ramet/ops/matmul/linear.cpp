#include "ramet/ops/matmul/linear.h"

namespace ramet::ops {
namespace {

std::vector<Spec> infer_linear(const LinearAttrs& a, std::span<const Spec> in) {
  ensure(in.size() == (a.bias ? 3u : 2u) && epilogue_activation(a.activation) >= 0, "linear: inputs or activation");
  auto out = matmul_op.infer(Attrs::make(MatmulAttrs{a.transpose_a, a.transpose_b}), in.first(2));
  ensure(!a.bias || (in[2].rank() == 1 && in[2].dim(0) == out[0].dim(-1)), "linear: bias ", in[2 - (a.bias ? 0 : 1)]);
  return out;
}

std::vector<Spec> infer_conv(const ConvLinearAttrs& a, std::span<const Spec> in) {
  ensure(in.size() == (a.bias ? 3u : 2u) && epilogue_activation(a.activation) >= 0,
         "conv_linear: inputs or activation");
  return conv_op.infer(Attrs::make(a.conv()), in.first(2));
}

}  // namespace

int epilogue_activation(std::string_view name) {
  int i = 0;
  for (const std::string_view known : {"linear", "relu", "sigmoid", "tanh"}) {
    if (known == name) return i;
    ++i;
  }
  return -1;
}

const OpDef linear_op = define_op<LinearAttrs>({.name = "linear", .infer = infer_linear, .vjp = nullptr});
const OpDef conv_linear_op = define_op<ConvLinearAttrs>({.name = "conv_linear", .infer = infer_conv, .vjp = nullptr});

}  // namespace ramet::ops
