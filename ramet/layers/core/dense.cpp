#include "ramet/layers/core/dense.h"

#include "ramet/layers/input_rule.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {

void DenseLayer::check(const std::vector<Spec>& inputs) const {
  check_inputs(*this, inputs, {.min_ndim = 2, .last_dim = built() ? kernel_.variable()->stored().dim(0) : None});
}

void DenseLayer::build(Builder& b, const Spec& x) {
  require(x.dim(-1) != None, describe(*this), ": the last dimension of the inputs must be known; got shape ",
          to_string(x.shape));
  kernel_ = b.weight(
      "kernel", {x.dim(-1), config().units}, config().kernel_initializer,
      {.regularizer = as_function(config().kernel_regularizer), .constraint = as_function(config().kernel_constraint)});
  if (config().use_bias)
    bias_ = b.weight(
        "bias", {config().units}, config().bias_initializer,
        {.regularizer = as_function(config().bias_regularizer), .constraint = as_function(config().bias_constraint)});
}

// All axes but the last are one: a matrix product of [everything, in] with the kernel.
Value DenseLayer::call(const CallContext& ctx, Value x) const {
  Value y = ops::matmul(
      x.rank() == 2 ? x : ops::reshape(x, {element_count(Shape(x.shape().begin(), x.shape().end() - 1)), x.dim(-1)}),
      ctx[kernel_]);
  if (bias_) y = y + ctx[bias_];
  y = config().activation(y);
  Shape out = x.shape();
  out.back() = y.dim(-1);
  return ops::reshape(y, out);
}

}  // namespace ramet::layers
