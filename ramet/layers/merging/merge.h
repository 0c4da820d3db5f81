// Layers that take several tensors, element by element. Tensors of lower rank get axes of size 1 after the batch; then
// NumPy's broadcasting holds. Masks: all inputs masked → the OR of the masks, else none (Keras 2: the AND of those
// there are). Multiply, Maximum and Minimum leave masked elements out of account, as Keras 3 does.
#pragma once
#include "ramet/graph/handle.h"
#include "ramet/nn/object.h"

namespace ramet {
namespace layers {

enum class Merge : unsigned char { add, subtract, multiply, average, maximum, minimum };

inline constexpr std::string_view kMergeNames[] = {"Add",     "Subtract", "Multiply",
                                                   "Average", "Maximum",  "Minimum"};  // in the order of Merge

template <Merge kind>
class MergeLayer final : public LayerOf<MergeLayer<kind>, NoConfig, MaskRule::custom> {
 public:
  static constexpr std::string_view kClassName = kMergeNames[static_cast<std::size_t>(kind)];
  using LayerOf<MergeLayer<kind>, NoConfig, MaskRule::custom>::LayerOf;
  void check_arguments(const SpecArgs& args) const override;
  void check(const std::vector<Spec>& inputs) const override;
  Values call_list(const CallContext& ctx, const Values& xs) const override;
  Values compute_mask(const CallContext& ctx, const std::vector<Traced>& inputs) const override;
};
extern template class MergeLayer<Merge::add>;
extern template class MergeLayer<Merge::subtract>;
extern template class MergeLayer<Merge::multiply>;
extern template class MergeLayer<Merge::average>;
extern template class MergeLayer<Merge::maximum>;
extern template class MergeLayer<Merge::minimum>;

// UsageError unless the first argument is a list of tensors.
void check_is_list(const Layer& layer, const SpecArgs& args);

}  // namespace layers

using Add = Handle<layers::MergeLayer<layers::Merge::add>>;
using Subtract = Handle<layers::MergeLayer<layers::Merge::subtract>>;
using Multiply = Handle<layers::MergeLayer<layers::Merge::multiply>>;
using Average = Handle<layers::MergeLayer<layers::Merge::average>>;
using Maximum = Handle<layers::MergeLayer<layers::Merge::maximum>>;
using Minimum = Handle<layers::MergeLayer<layers::Merge::minimum>>;

// A new layer, called: add({a, b}) is Add()({a, b}).
inline Tensor add(const Arg& inputs, LayerOptions options = {}) { return Add(std::move(options))(inputs); }
inline Tensor subtract(const Arg& inputs, LayerOptions options = {}) { return Subtract(std::move(options))(inputs); }
inline Tensor multiply(const Arg& inputs, LayerOptions options = {}) { return Multiply(std::move(options))(inputs); }
inline Tensor average(const Arg& inputs, LayerOptions options = {}) { return Average(std::move(options))(inputs); }
inline Tensor maximum(const Arg& inputs, LayerOptions options = {}) { return Maximum(std::move(options))(inputs); }
inline Tensor minimum(const Arg& inputs, LayerOptions options = {}) { return Minimum(std::move(options))(inputs); }

}  // namespace ramet
