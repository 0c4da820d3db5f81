// The maximum or mean of every channel over all steps or pixels.
#pragma once
#include "ramet/layers/pooling/pooling.h"

namespace ramet {
namespace layers {

struct GlobalPoolingConfig {
  DataFormat data_format = "channels_last";
  bool keepdims = false;
  static constexpr auto fields = Fields{field("data_format", &GlobalPoolingConfig::data_format),
                                        field("keepdims", &GlobalPoolingConfig::keepdims)};
};

// Only GlobalAveragePooling1D knows masks: its mean is over the steps that are not masked (0/0 = NaN where none is
// left).
template <std::size_t rank, Pool kind>
inline constexpr bool kPoolsMasked = rank == 1 && kind == Pool::average;

template <std::size_t rank, Pool kind>
class GlobalPoolingLayer final : public LayerOf<GlobalPoolingLayer<rank, kind>, GlobalPoolingConfig,
                                                kPoolsMasked<rank, kind> ? MaskRule::consume : MaskRule::reject,
                                                std::conditional_t<kPoolsMasked<rank, kind>, MaskCall, TrainingCall>> {
 public:
  static constexpr std::string_view kClassName =
      kind == Pool::max ? (rank == 1 ? "GlobalMaxPooling1D" : "GlobalMaxPooling2D")
                        : (rank == 1 ? "GlobalAveragePooling1D" : "GlobalAveragePooling2D");
  using Base = LayerOf<GlobalPoolingLayer<rank, kind>, GlobalPoolingConfig,
                       kPoolsMasked<rank, kind> ? MaskRule::consume : MaskRule::reject,
                       std::conditional_t<kPoolsMasked<rank, kind>, MaskCall, TrainingCall>>;
  using Base::Base;
  void check(const std::vector<Spec>& inputs) const override;
  Value call(const CallContext& ctx, Value x) const override;
};
extern template class GlobalPoolingLayer<1, Pool::max>;
extern template class GlobalPoolingLayer<2, Pool::max>;
extern template class GlobalPoolingLayer<1, Pool::average>;
extern template class GlobalPoolingLayer<2, Pool::average>;

}  // namespace layers
using GlobalMaxPooling1D = Handle<layers::GlobalPoolingLayer<1, layers::Pool::max>>;
using GlobalMaxPooling2D = Handle<layers::GlobalPoolingLayer<2, layers::Pool::max>>;
using GlobalAveragePooling1D = Handle<layers::GlobalPoolingLayer<1, layers::Pool::average>>;
using GlobalAveragePooling2D = Handle<layers::GlobalPoolingLayer<2, layers::Pool::average>>;
}  // namespace ramet
