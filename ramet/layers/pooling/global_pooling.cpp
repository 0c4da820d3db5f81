#include "ramet/layers/pooling/global_pooling.h"

#include "ramet/layers/input_rule.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {

template <std::size_t rank, Pool kind>
void GlobalPoolingLayer<rank, kind>::check(const std::vector<Spec>& inputs) const {
  check_inputs(*this, inputs, {.ndim = rank + 2});
}

template <std::size_t rank, Pool kind>
Value GlobalPoolingLayer<rank, kind>::call(const CallContext& ctx, Value x) const {
  const bool first = channels_first(this->config().data_format), keepdims = this->config().keepdims;
  ops::Axes axes;
  for (std::size_t i = 0; i < rank; ++i) axes.push_back(static_cast<std::int64_t>(i) + (first ? 2 : 1));
  if (kind == Pool::max) return ops::reduce_max(x, axes, keepdims);
  if constexpr (kPoolsMasked<rank, kind>)
    if (const Value mask = ctx.mask()) {
      const Value m = ops::cast(ops::expand_dims(mask, first ? 1 : 2), DType::boolean);
      const Value sum = ops::reduce_sum(ops::select(m, x, ops::scalar_like(x, 0)), axes, keepdims);
      return sum / ops::reduce_sum(ops::cast(m, x.dtype()), axes, keepdims);
    }
  return ops::reduce_mean(x, axes, keepdims);
}

template class GlobalPoolingLayer<1, Pool::max>;
template class GlobalPoolingLayer<2, Pool::max>;
template class GlobalPoolingLayer<1, Pool::average>;
template class GlobalPoolingLayer<2, Pool::average>;

}  // namespace ramet::layers
