// Pooling over windows of sequences (1D) and images (2D), written once for all four. Padding "same" adds cells that
// count for nothing: the average divides by the number of cells inside.
#pragma once
#include "ramet/graph/handle.h"
#include "ramet/layers/spatial.h"

namespace ramet {
namespace layers {

enum class Pool : unsigned char { max, average };

template <std::size_t rank, Pool kind>
struct PoolingConfig {
  IntOrList pool_size = kind == Pool::max ? IntOrList(2) : IntOrList();
  std::optional<IntOrList> strides = std::nullopt;  // pool_size
  Padding padding = "valid";
  DataFormat data_format = "channels_last";
  static constexpr std::size_t kPositional = 1, kRequired = kind == Pool::max ? 0 : 1;
  static constexpr auto fields =
      Fields{field("pool_size", &PoolingConfig::pool_size), field("strides", &PoolingConfig::strides),
             field("padding", &PoolingConfig::padding), field("data_format", &PoolingConfig::data_format)};
};
template <std::size_t rank, Pool kind>
void normalize(PoolingConfig<rank, kind>& config);

template <std::size_t rank, Pool kind>
class PoolingLayer final : public LayerOf<PoolingLayer<rank, kind>, PoolingConfig<rank, kind>> {
 public:
  static constexpr std::string_view kClassName = kind == Pool::max
                                                     ? (rank == 1 ? "MaxPooling1D" : "MaxPooling2D")
                                                     : (rank == 1 ? "AveragePooling1D" : "AveragePooling2D");
  using LayerOf<PoolingLayer<rank, kind>, PoolingConfig<rank, kind>>::LayerOf;
  void check(const std::vector<Spec>& inputs) const override;
  Value call(const CallContext& ctx, Value x) const override;
};
extern template class PoolingLayer<1, Pool::max>;
extern template class PoolingLayer<2, Pool::max>;
extern template class PoolingLayer<1, Pool::average>;
extern template class PoolingLayer<2, Pool::average>;

}  // namespace layers
using MaxPooling1D = Handle<layers::PoolingLayer<1, layers::Pool::max>>;
using MaxPooling2D = Handle<layers::PoolingLayer<2, layers::Pool::max>>;
using AveragePooling1D = Handle<layers::PoolingLayer<1, layers::Pool::average>>;
using AveragePooling2D = Handle<layers::PoolingLayer<2, layers::Pool::average>>;
}  // namespace ramet
