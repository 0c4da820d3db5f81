// Layers as a user writes them, for tests about masks and several outputs.
#pragma once
#include "ramet/ramet.h"

namespace ramet::testing {

struct NoArguments {
  static constexpr Fields fields{};
};

// Hands two tensors back in the other order.
class SwapLayer final : public LayerOf<SwapLayer, NoArguments> {
 public:
  static constexpr std::string_view kClassName = "Swap";
  using LayerOf::LayerOf;
  Values call_list(const CallContext&, const Values& xs) const override { return {xs.at(1), xs.at(0)}; }
};
using Swap = Handle<SwapLayer>;

// x and 2x; the mask of x goes to both.
class TwoOutputsLayer final : public LayerOf<TwoOutputsLayer, NoArguments, MaskRule::pass_through> {
 public:
  static constexpr std::string_view kClassName = "TwoOutputs";
  using LayerOf::LayerOf;
  Values call_list(const CallContext&, const Values& xs) const override { return {xs[0] * 1.0, xs[0] * 2.0}; }
};
using TwoOutputs = Handle<TwoOutputsLayer>;

// The sum of two tensors, counting the steps of the second by its mask.
class SecondMaskLayer final : public LayerOf<SecondMaskLayer, NoArguments, MaskRule::consume> {
 public:
  static constexpr std::string_view kClassName = "SecondMask";
  using LayerOf::LayerOf;
  Values call_list(const CallContext& ctx, const Values& xs) const override {
    const Value mask = ctx.mask(1);
    require(mask && !ctx.mask(0), "SecondMask: the second input alone must carry a mask");
    return {xs.at(0) + xs.at(1) * ops::cast(ops::expand_dims(mask, -1), DType::f32)};
  }
};
using SecondMask = Handle<SecondMaskLayer>;

// x twice; a mask for the first only.
class FirstMaskedLayer final : public LayerOf<FirstMaskedLayer, NoArguments, MaskRule::custom> {
 public:
  static constexpr std::string_view kClassName = "FirstMasked";
  using LayerOf::LayerOf;
  Values call_list(const CallContext&, const Values& xs) const override { return {xs[0] * 1.0, xs[0] * 1.0}; }
  Values compute_mask(const CallContext& ctx, const std::vector<Traced>&) const override { return {ctx.mask(), {}}; }
};
using FirstMasked = Handle<FirstMaskedLayer>;

}  // namespace ramet::testing
