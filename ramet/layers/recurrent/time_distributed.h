#pragma once
#include "ramet/graph/handle.h"

namespace ramet {
namespace layers {

// Applies a layer to every step of [batch, steps, …] on its own: layer(x[:, t]) for each t, stacked along axis 1. Where
// the steps cannot influence each other they are computed together, as one larger batch; otherwise (BatchNormalization
// in training, stateful layers, classes we do not know) one after the other, with the same numbers as Keras.
struct TimeDistributedConfig {
  LayerRef layer = nullptr;

  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields = Fields{field("layer", &TimeDistributedConfig::layer)};
};

class TimeDistributedLayer final
    : public LayerOf<TimeDistributedLayer, TimeDistributedConfig, MaskRule::custom, MaskCall> {
 public:
  static constexpr std::string_view kClassName = "TimeDistributed";
  explicit TimeDistributedLayer(TimeDistributedConfig config, LayerOptions options = {});
  std::vector<LayerRef> sublayers() const override { return {config().layer}; }
  std::vector<std::string> sublayer_names() const override { return {"layer"}; }
  void check(const std::vector<Spec>& inputs) const override;
  void build(Builder& b, const Spec& x) override;
  TracedNest call_args(const CallContext& ctx, const TracedArgs& args) const override;
  Values compute_mask(const CallContext& ctx, const std::vector<Traced>& inputs) const override;

 private:
  Value inner_call(const CallContext& ctx, Value x, Value mask) const;
};

}  // namespace layers
using TimeDistributed = Handle<layers::TimeDistributedLayer>;
}  // namespace ramet
