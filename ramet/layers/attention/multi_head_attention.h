#pragma once
#include "ramet/layers/attention/einsum_dense.h"

namespace ramet {
namespace layers {

struct MultiHeadAttentionCall {
  Arg query_mask = {}, value_mask = {},
      key_mask = {};        // [batch, steps]; where absent, the mask that came with the tensor
  Arg attention_mask = {};  // [batch, queries, keys]: which query may look at which key
  std::optional<bool> return_attention_scores = std::nullopt;
  std::optional<bool> training = std::nullopt;
  std::optional<bool> use_causal_mask = std::nullopt;
  static constexpr auto fields = Fields{
      field("query_mask", &MultiHeadAttentionCall::query_mask),
      field("value_mask", &MultiHeadAttentionCall::value_mask),
      field("key_mask", &MultiHeadAttentionCall::key_mask),
      field("attention_mask", &MultiHeadAttentionCall::attention_mask),
      field("return_attention_scores", &MultiHeadAttentionCall::return_attention_scores),
      field("training", &MultiHeadAttentionCall::training),
      field("use_causal_mask", &MultiHeadAttentionCall::use_causal_mask),
  };
};

// Integers that may be absent: one or a list is written as a list, none as null.
class MaybeList {
 public:
  MaybeList() = default;
  MaybeList(std::nullptr_t) {}
  MaybeList(std::int64_t value) : values_{value} {}
  MaybeList(int value) : values_{value} {}
  MaybeList(std::initializer_list<std::int64_t> values) : values_(values) {}
  explicit MaybeList(std::vector<std::int64_t> values) : values_(std::move(values)) {}
  const std::vector<std::int64_t>& values() const { return values_; }
  bool given() const { return !values_.empty(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  std::vector<std::int64_t> values_;
};
inline Json encode(const MaybeList& v) { return v.given() ? ramet::encode(v.values()) : Json(nullptr); }
void decode(const Json& json, MaybeList& out);

// Attention from every query to every key, in `num_heads` projections:
//   softmax(query·Q (key·K)ᵀ / √key_dim) (value·V) · O
// Called on (query, value) or (query, value, key). Axes between the first and the last are attended over
// (`attention_axes`: only those).
struct MultiHeadAttentionConfig {
  std::int64_t num_heads = 0;
  std::int64_t key_dim = 0;
  std::optional<std::int64_t> value_dim = std::nullopt;  // key_dim
  double dropout = 0;
  bool use_bias = true;
  MaybeList output_shape = nullptr;  // the query's last axis
  MaybeList attention_axes = nullptr;
  std::optional<std::int64_t> sliding_window = std::nullopt;
  std::optional<bool> flash_attention = std::nullopt;  // true is refused
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = nullptr;
  Regularizer bias_regularizer = nullptr;
  Regularizer activity_regularizer = nullptr;  // of the projections
  Constraint kernel_constraint = nullptr;
  Constraint bias_constraint = nullptr;
  bool use_gate = false;  // multiplies what a head gives by sigmoid(query·G)
  std::optional<std::int64_t> seed = std::nullopt;

  static constexpr std::size_t kPositional = 2;
  static constexpr auto fields = Fields{
      field("num_heads", &MultiHeadAttentionConfig::num_heads, positive),
      field("key_dim", &MultiHeadAttentionConfig::key_dim, positive),
      field("value_dim", &MultiHeadAttentionConfig::value_dim, positive),
      field("dropout", &MultiHeadAttentionConfig::dropout, in_unit_interval),
      field("use_bias", &MultiHeadAttentionConfig::use_bias),
      field("output_shape", &MultiHeadAttentionConfig::output_shape, positive),
      field("attention_axes", &MultiHeadAttentionConfig::attention_axes),
      field("sliding_window", &MultiHeadAttentionConfig::sliding_window, positive),
      field("flash_attention", &MultiHeadAttentionConfig::flash_attention),
      field("kernel_initializer", &MultiHeadAttentionConfig::kernel_initializer),
      field("bias_initializer", &MultiHeadAttentionConfig::bias_initializer),
      field("kernel_regularizer", &MultiHeadAttentionConfig::kernel_regularizer),
      field("bias_regularizer", &MultiHeadAttentionConfig::bias_regularizer),
      field("activity_regularizer", &MultiHeadAttentionConfig::activity_regularizer),
      field("kernel_constraint", &MultiHeadAttentionConfig::kernel_constraint),
      field("bias_constraint", &MultiHeadAttentionConfig::bias_constraint),
      field("use_gate", &MultiHeadAttentionConfig::use_gate),
      field("seed", &MultiHeadAttentionConfig::seed),
  };
};
void normalize(MultiHeadAttentionConfig& config);

class MultiHeadAttentionLayer final
    : public LayerOf<MultiHeadAttentionLayer, MultiHeadAttentionConfig, MaskRule::custom, MultiHeadAttentionCall> {
 public:
  static constexpr std::string_view kClassName = "MultiHeadAttention";
  static constexpr int kTensors = 3;
  using LayerOf::LayerOf;
  JsonObject get_config() const override;
  std::vector<std::string> positional_arguments() const override { return {"query", "value", "key"}; }
  std::optional<bool> default_training() const override { return std::nullopt; }
  std::vector<LayerRef> sublayers() const override;
  std::vector<std::string> sublayer_names() const override;
  void check_arguments(const SpecArgs& args) const override;
  void build_args(Builder& b, const SpecArgs& args) override;
  TracedNest call_args(const CallContext& ctx, const TracedArgs& args) const override;
  Values compute_mask(const CallContext& ctx, const std::vector<Traced>&) const override;

 private:
  LayerRef projection(const std::string& name, std::size_t free, std::size_t bound, const Shape& out,
                      bool gate = false) const;
  // Which query may look at which key, or undefined for every one; without the causal rule. `query` and `value` are the
  // inputs, before projection.
  Value allowed(const CallContext& ctx, const TracedArgs& args, Value query, Value value) const;
  LayerRef query_, key_, gate_, value_, output_;
  Weight seed_;
};

}  // namespace layers
using MultiHeadAttention = Handle<layers::MultiHeadAttentionLayer>;
}  // namespace ramet
