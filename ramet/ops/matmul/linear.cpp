#include "ramet/ops/matmul/linear.h"

#include <array>

namespace ramet::ops {
namespace {

template <class A>
void check_epilogue(const char* who, const A& a, std::span<const Spec> in, const Spec& out) {
  require(in.size() == 2u + a.bias + a.residual && epilogue_activation(a.activation).code >= 0, who,
          ": inputs or activation");
  require(!a.bias || (in[2].rank() == 1 && in[2].dim(0) == out.dim(-1)), who, ": bias");
  require(!a.residual || in.back() == out, who, ": residual");
}

std::vector<Spec> infer_linear(const LinearAttrs& a, std::span<const Spec> in) {
  Spec w = in[1];
  if (in[0].dtype == DType::f32 && w.dtype == DType::bf16) w.dtype = DType::f32;
  auto out = matmul_op.infer(Attrs::make(MatmulAttrs{a.transpose_a, a.transpose_b}), std::array{in[0], w});
  check_epilogue("linear", a, in, out[0]);
  return out;
}

std::vector<Spec> infer_conv(const ConvLinearAttrs& a, std::span<const Spec> in) {
  auto out = conv_op.infer(Attrs::make(a.conv()), in.first(2));
  check_epilogue("conv_linear", a, in, out[0]);
  return out;
}

}  // namespace

EpilogueActivation epilogue_activation(std::string_view name) {
  if (name == "relu6") return {1, 6};
  int i = 0;
  for (const std::string_view known : {"linear", "relu", "sigmoid", "tanh", "gelu"}) {
    if (known == name) return {i};
    ++i;
  }
  return {};
}

const OpDef linear_op = define_op<LinearAttrs>({.name = "linear", .infer = infer_linear, .vjp = nullptr});
const OpDef conv_linear_op = define_op<ConvLinearAttrs>({.name = "conv_linear", .infer = infer_conv, .vjp = nullptr});

}  // namespace ramet::ops
