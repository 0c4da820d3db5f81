#pragma once
#include "ramet/graph/handle.h"

namespace ramet {
namespace layers {

struct AttentionCall {
  Arg mask = {};  // [query mask, value mask], either may be absent
  std::optional<bool> training = std::nullopt;
  std::optional<bool> return_attention_scores = std::nullopt;
  std::optional<bool> use_causal_mask = std::nullopt;
  static constexpr auto fields =
      Fields{field("mask", &AttentionCall::mask), field("training", &AttentionCall::training),
             field("return_attention_scores", &AttentionCall::return_attention_scores),
             field("use_causal_mask", &AttentionCall::use_causal_mask)};
};

struct ScoreModeNames {
  static constexpr std::string_view what = "score_mode", names[] = {"dot", "concat"};
};

// softmax(scores)·value for inputs [query, value] or [query, value, key] (key: value if not given), without
// projections. Scores: query·keyᵀ ("dot", times `scale`), or weight·Σ tanh(scale·(query + key)) ("concat").
struct AttentionConfig {
  bool use_scale = false;
  Choice<ScoreModeNames> score_mode = "dot";
  double dropout = 0;
  std::optional<std::int64_t> seed = std::nullopt;

  static constexpr auto fields = Fields{
      field("use_scale", &AttentionConfig::use_scale),
      field("score_mode", &AttentionConfig::score_mode),
      field("dropout", &AttentionConfig::dropout, in_unit_interval),
      field("seed", &AttentionConfig::seed),
  };
};

// What Attention and AdditiveAttention do once they have scores [batch, queries, keys].
struct ScoredAttention {
  const Layer& layer;
  double dropout = 0;
  const Weight& seed;
  TracedNest operator()(const CallContext& ctx, Value scores, Value value) const;
};
void check_attention_inputs(const Layer& layer, const std::vector<Spec>& inputs);
// The query's mask, for the output alone.
Values attention_mask(const CallContext& ctx);

class AttentionLayer final : public LayerOf<AttentionLayer, AttentionConfig, MaskRule::custom, AttentionCall> {
 public:
  static constexpr std::string_view kClassName = "Attention";
  using LayerOf::LayerOf;
  void check(const std::vector<Spec>& inputs) const override { check_attention_inputs(*this, inputs); }
  void build_list(Builder& b, const std::vector<Spec>& inputs) override;
  TracedNest call_args(const CallContext& ctx, const TracedArgs& args) const override;
  Values compute_mask(const CallContext& ctx, const std::vector<Traced>&) const override { return attention_mask(ctx); }

 private:
  Weight scale_, concat_score_weight_, seed_;
};

}  // namespace layers
using Attention = Handle<layers::AttentionLayer>;
}  // namespace ramet
