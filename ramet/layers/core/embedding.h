#pragma once
#include "ramet/graph/handle.h"
#include "ramet/nn/initializers.h"
#include "ramet/nn/regularizers.h"

namespace ramet {
namespace layers {

// Row `id` of a table for every id of the input. An id that is negative or not below input_dim is a DataError when the
// model runs.
struct EmbeddingConfig {
  std::int64_t input_dim = 0;
  std::int64_t output_dim = 0;
  Initializer embeddings_initializer = "uniform";
  Regularizer embeddings_regularizer = nullptr;
  Constraint embeddings_constraint = nullptr;
  bool mask_zero = false;  // id 0 is padding: the output has a mask
  Regularizer activity_regularizer = nullptr;

  static constexpr std::size_t kPositional = 2;
  static constexpr auto fields = Fields{
      field("input_dim", &EmbeddingConfig::input_dim),
      field("output_dim", &EmbeddingConfig::output_dim),
      field("embeddings_initializer", &EmbeddingConfig::embeddings_initializer),
      field("embeddings_regularizer", &EmbeddingConfig::embeddings_regularizer),
      field("embeddings_constraint", &EmbeddingConfig::embeddings_constraint),
      field("mask_zero", &EmbeddingConfig::mask_zero),
      field("activity_regularizer", &EmbeddingConfig::activity_regularizer),
  };
};
void normalize(EmbeddingConfig& config);

class EmbeddingLayer final : public LayerOf<EmbeddingLayer, EmbeddingConfig> {
 public:
  static constexpr std::string_view kClassName = "Embedding";
  using LayerOf::LayerOf;
  MaskRule mask_rule() const override { return config().mask_zero ? MaskRule::custom : MaskRule::reject; }
  void build(Builder& b, const Spec& x) override;
  Value call(const CallContext& ctx, Value x) const override;
  bool autocast() const override { return false; }  // ids are no numbers, and few rows of the table are read
  Values compute_mask(const CallContext& ctx, const std::vector<Traced>& inputs) const override;
  std::function<Value(Value)> activity_penalty() const override { return as_function(config().activity_regularizer); }

 private:
  Weight embeddings_;
};

}  // namespace layers
using Embedding = Handle<layers::EmbeddingLayer>;
}  // namespace ramet
