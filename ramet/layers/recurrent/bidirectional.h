#pragma once
#include "ramet/layers/recurrent/recurrent.h"

namespace ramet {
namespace layers {

struct MergeModeNames {
  static constexpr std::string_view what = "merge_mode", names[] = {"concat", "sum", "ave", "mul", "None"};
};
// How the two directions become one output; nullptr (Keras' None): they stay two.
class MergeMode {
 public:
  template <std::size_t N>
  consteval MergeMode(const char (&name)[N]) : choice_(name) {}
  template <RunTimeString S>
  MergeMode(const S& name) : choice_(name) {}
  constexpr MergeMode(std::nullptr_t) : choice_(kNone) {}
  constexpr explicit MergeMode(Choice<MergeModeNames> choice) : choice_(choice) {}
  constexpr std::string_view name() const { return choice_.name(); }
  constexpr bool operator==(const MergeMode&) const = default;

 private:
  static constexpr Choice<MergeModeNames> kNone = "None";
  Choice<MergeModeNames> choice_;
};
inline Json encode(MergeMode v) { return v.name() == "None" ? Json(nullptr) : Json(std::string(v.name())); }
inline void decode(const Json& json, MergeMode& out) {
  out = json.is_null() ? MergeMode(nullptr) : MergeMode(Choice<MergeModeNames>::from(json.as_string()));
}

// A recurrent layer over time forwards, and one backwards whose outputs are turned round again. Both are new layers
// made from the given one, named forward_… and backward_…, unless `backward_layer` is given. States: the forward ones,
// then the backward ones; so too initial_state. With return_sequences the outputs of masked steps are zeros in both
// directions.
struct BidirectionalConfig {
  LayerRef layer = nullptr;
  MergeMode merge_mode = "concat";
  LayerRef backward_layer = nullptr;

  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields = Fields{
      field("layer", &BidirectionalConfig::layer),
      field("merge_mode", &BidirectionalConfig::merge_mode),
      field("backward_layer", &BidirectionalConfig::backward_layer),
  };
};

class BidirectionalLayer final
    : public LayerOf<BidirectionalLayer, BidirectionalConfig, MaskRule::custom, RecurrentCall> {
 public:
  static constexpr std::string_view kClassName = "Bidirectional";
  explicit BidirectionalLayer(BidirectionalConfig config, LayerOptions options = {});
  const LayerRef& forward_layer() const { return config().layer; }
  const LayerRef& backward_layer() const { return config().backward_layer; }
  void reset_state();
  void reset_states() { reset_state(); }
  std::vector<std::string> positional_arguments() const override { return {"sequences"}; }
  std::vector<LayerRef> sublayers() const override { return {forward_layer(), backward_layer()}; }
  std::vector<std::string> sublayer_names() const override { return {"forward_layer", "backward_layer"}; }
  void check(const std::vector<Spec>& inputs) const override { forward_layer()->check(inputs); }
  void build(Builder& b, const Spec& x) override;
  TracedNest call_args(const CallContext& ctx, const TracedArgs& args) const override;
  Values compute_mask(const CallContext& ctx, const std::vector<Traced>& inputs) const override;

 private:
  Recurrent& forward() const;
  Recurrent& backward() const;
};

}  // namespace layers
using Bidirectional = Handle<layers::BidirectionalLayer>;
}  // namespace ramet
