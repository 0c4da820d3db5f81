#include "ramet/ops/random/random_ops.h"

#include "ramet/ops/constant/constant.h"
#include "ramet/ops/elementwise/elementwise.h"

namespace ramet::ops {
namespace {

std::vector<Spec> infer(const RandomAttrs& a, std::span<const Spec> in) {
  require((in[0] == Spec{{2}, DType::i64}), "random numbers need a state of i64[2]; got ", in[0]);
  return {{a.shape, dtype_from(a.dtype)}};
}

}  // namespace

const OpDef random_uniform_op = define_op<RandomAttrs>({.name = "random_uniform", .infer = infer, .vjp = nullptr});
const OpDef random_normal_op = define_op<RandomAttrs>({.name = "random_normal", .infer = infer, .vjp = nullptr});

Value random_uniform(Value state, Shape shape, DType dtype) {
  return emit(random_uniform_op, {state}, RandomAttrs{std::move(shape), std::string(keras_name(dtype))})[0];
}
Value random_normal(Value state, Shape shape, DType dtype) {
  return emit(random_normal_op, {state}, RandomAttrs{std::move(shape), std::string(keras_name(dtype))})[0];
}
Value next_state(Value state) { return state + constant(state.program(), Array::of<std::int64_t>({2}, {0, 1})); }

}  // namespace ramet::ops
