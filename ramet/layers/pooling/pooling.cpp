#include "ramet/layers/pooling/pooling.h"

#include "ramet/layers/input_rule.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {

template <std::size_t rank, Pool kind>
void normalize(PoolingConfig<rank, kind>& c) {
  c.pool_size = standardize(c.pool_size, rank, "pool_size");
  c.strides = standardize(c.strides.value_or(c.pool_size), rank, "strides");
}

template <std::size_t rank, Pool kind>
void PoolingLayer<rank, kind>::check(const std::vector<Spec>& inputs) const {
  const auto& c = this->config();
  check_inputs(*this, inputs, {.ndim = rank + 2});
  if (c.padding.name() != "valid") return;
  for (std::size_t i = 0; i < rank; ++i) {
    const auto size = inputs[0].shape[i + (channels_first(c.data_format) ? 2 : 1)];
    require(size == None || size >= c.pool_size.values()[i], describe(*this),
            ": Computed output size would be zero or negative. Received: `inputs.shape=", to_string(inputs[0].shape),
            "`, `pool_size=", to_string(c.pool_size.values()), "`, `strides=", to_string(c.strides->values()),
            "`, `padding=valid`; use padding = \"same\" or a smaller window");
  }
}

template <std::size_t rank, Pool kind>
Value PoolingLayer<rank, kind>::call(const CallContext&, Value x) const {
  const auto& c = this->config();
  x = to_channels_last(x, c.data_format);
  const Pads pads = pads_for(c.padding.name(), x.shape(), c.pool_size, *c.strides, standardize(1, rank, "dilation"));
  const ops::PoolAttrs attrs{c.pool_size.values(), c.strides->values(), pads.before, pads.after};
  return from_channels_last(kind == Pool::max ? ops::max_pool(x, attrs) : ops::avg_pool(x, attrs), c.data_format);
}

template void normalize(PoolingConfig<1, Pool::max>&);
template void normalize(PoolingConfig<2, Pool::max>&);
template void normalize(PoolingConfig<1, Pool::average>&);
template void normalize(PoolingConfig<2, Pool::average>&);
template class PoolingLayer<1, Pool::max>;
template class PoolingLayer<2, Pool::max>;
template class PoolingLayer<1, Pool::average>;
template class PoolingLayer<2, Pool::average>;

}  // namespace ramet::layers
