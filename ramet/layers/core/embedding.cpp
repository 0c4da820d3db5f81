#include "ramet/layers/core/embedding.h"

#include "ramet/ops/ops.h"

namespace ramet::layers {

void normalize(EmbeddingConfig& config) {
  require(config.input_dim > 0, "`input_dim` must be a positive integer. Received: input_dim=", config.input_dim);
  require(config.output_dim > 0, "`output_dim` must be a positive integer. Received: output_dim=", config.output_dim);
}

void EmbeddingLayer::build(Builder& b, const Spec&) {
  embeddings_ = b.weight("embeddings", {config().input_dim, config().output_dim}, config().embeddings_initializer,
                         {.regularizer = as_function(config().embeddings_regularizer),
                          .constraint = as_function(config().embeddings_constraint)});
}

Value EmbeddingLayer::call(const CallContext& ctx, Value x) const {
  const Value ids = x.dtype() == DType::i32 || x.dtype() == DType::i64 ? x : ops::cast(x, DType::i32);
  const Value rows = ops::gather(ctx[embeddings_], ids, {.what = cat(describe(*this), ": id")});
  return ops::cast(rows, ctx.compute_dtype());
}

Values EmbeddingLayer::compute_mask(const CallContext&, const std::vector<Traced>& inputs) const {
  if (!config().mask_zero) return {};
  const Value ids = inputs.at(0).value;
  return {ops::not_equal(ids, ops::scalar_like(ids, 0))};
}

}  // namespace ramet::layers
