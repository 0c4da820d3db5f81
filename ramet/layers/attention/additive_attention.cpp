#include "ramet/layers/attention/additive_attention.h"

#include "ramet/nn/initializers.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {

void AdditiveAttentionLayer::build_list(Builder& b, const std::vector<Spec>& inputs) {
  if (config().use_scale) scale_ = b.weight("scale", {inputs[0].dim(-1)}, Initializer("glorot_uniform"));
  if (config().dropout > 0) seed_ = b.seed(config().seed);
}

TracedNest AdditiveAttentionLayer::call_args(const CallContext& ctx, const TracedArgs& args) const {
  const auto inputs = args.args.at(0).flatten();
  const Value query = inputs.at(0).value, value = inputs.at(1).value, key = inputs.size() > 2 ? inputs[2].value : value;
  Value sum = ops::tanh(ops::expand_dims(query, -2) + ops::expand_dims(key, -3));
  if (scale_) sum = ctx[scale_] * sum;
  return ScoredAttention{*this, config().dropout, seed_}(ctx, ops::reduce_sum(sum, {-1}), value);
}

}  // namespace ramet::layers
