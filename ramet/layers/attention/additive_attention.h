#pragma once
#include "ramet/layers/attention/attention.h"

namespace ramet {
namespace layers {

// As Attention, with scores Σ scale·tanh(query + key) (Bahdanau); `scale` has the size of the features.
struct AdditiveAttentionConfig {
  bool use_scale = true;
  double dropout = 0;
  std::optional<std::int64_t> seed = std::nullopt;

  static constexpr auto fields = Fields{
      field("use_scale", &AdditiveAttentionConfig::use_scale),
      field("dropout", &AdditiveAttentionConfig::dropout, in_unit_interval),
      field("seed", &AdditiveAttentionConfig::seed),
  };
};

class AdditiveAttentionLayer final
    : public LayerOf<AdditiveAttentionLayer, AdditiveAttentionConfig, MaskRule::custom, AttentionCall> {
 public:
  static constexpr std::string_view kClassName = "AdditiveAttention";
  using LayerOf::LayerOf;
  void check(const std::vector<Spec>& inputs) const override { check_attention_inputs(*this, inputs); }
  void build_list(Builder& b, const std::vector<Spec>& inputs) override;
  TracedNest call_args(const CallContext& ctx, const TracedArgs& args) const override;
  Values compute_mask(const CallContext& ctx, const std::vector<Traced>&) const override { return attention_mask(ctx); }

 private:
  Weight scale_, seed_;
};

}  // namespace layers
using AdditiveAttention = Handle<layers::AdditiveAttentionLayer>;
}  // namespace ramet
