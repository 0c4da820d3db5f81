#include "ramet/layers/attention/attention.h"

#include "ramet/layers/attention/attention_mask.h"
#include "ramet/layers/dropout_mask.h"
#include "ramet/nn/initializers.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {

void check_attention_inputs(const Layer& layer, const std::vector<Spec>& inputs) {
  require(inputs.size() == 2 || inputs.size() == 3, describe(layer),
          ": takes a list of inputs, [query, value] or [query, value, key]; got ", inputs.size(), " tensor(s)");
  for (const Spec& x : inputs)
    require(x.rank() >= 3, describe(layer), ": query, value and key have shape (batch, steps, features); got ",
            to_string(x.shape));
}

Values attention_mask(const CallContext& ctx) {
  Values masks{ctx.mask(0)};
  if (ctx.flag("return_attention_scores", false)) masks.push_back({});
  return masks;
}

TracedNest ScoredAttention::operator()(const CallContext& ctx, Value scores, Value value) const {
  Value allowed = ctx.mask(1);
  if (allowed) allowed = ops::expand_dims(ops::cast(allowed, DType::boolean), -2);
  if (ctx.flag("use_causal_mask", false))
    allowed = both(allowed, causal_mask(ctx.program(), scores.dim(-2), scores.dim(-1)));
  // A row without any allowed key keeps its own distribution: every score is lowered alike.
  if (allowed) scores = ops::select(allowed, scores, scores - 1e9);
  Value weights = ops::softmax(scores);
  if (ctx.training() && dropout > 0)
    weights = dropout < 1 ? weights * dropout_mask(ctx, seed, weights.shape(), dropout) : weights * 0.0;
  Value y = ops::matmul(weights, value);
  if (const Value query_mask = ctx.mask(0))
    y = ops::select(ops::expand_dims(ops::cast(query_mask, DType::boolean), -1), y, ops::scalar_like(y, 0));
  if (!ctx.flag("return_attention_scores", false)) return TracedNest(Traced{y, {}});
  return TracedNest(TracedNest::List{TracedNest(Traced{y, {}}), TracedNest(Traced{weights, {}})});
}

void AttentionLayer::build_list(Builder& b, const std::vector<Spec>&) {
  const Initializer ones("ones");
  if (config().use_scale) scale_ = b.weight("scale", {}, ones);
  if (config().score_mode.name() == "concat") concat_score_weight_ = b.weight("concat_score_weight", {}, ones);
  if (config().dropout > 0) seed_ = b.seed(config().seed);
}

TracedNest AttentionLayer::call_args(const CallContext& ctx, const TracedArgs& args) const {
  const auto inputs = args.args.at(0).flatten();
  const Value query = inputs.at(0).value, value = inputs.at(1).value, key = inputs.size() > 2 ? inputs[2].value : value;
  Value scores;
  if (config().score_mode.name() == "dot") {
    scores = ops::matmul(query, key, {.transpose_b = true});
    if (scale_) scores = scores * ctx[scale_];
  } else {
    Value sum = ops::expand_dims(query, -2) + ops::expand_dims(key, -3);
    if (scale_) sum = ctx[scale_] * sum;
    scores = ctx[concat_score_weight_] * ops::reduce_sum(ops::tanh(sum), {-1});
  }
  return ScoredAttention{*this, config().dropout, seed_}(ctx, scores, value);
}

}  // namespace ramet::layers
