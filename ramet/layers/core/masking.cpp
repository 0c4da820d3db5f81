#include "ramet/layers/core/masking.h"

#include "ramet/layers/input_rule.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {

void MaskingLayer::check(const std::vector<Spec>& inputs) const { check_inputs(*this, inputs, {.min_ndim = 1}); }

Value MaskingLayer::kept(Value x, bool keepdims) const {
  return ops::reduce_max(ops::not_equal(x, ops::scalar_like(x, config().mask_value)), {-1}, keepdims);
}

Value MaskingLayer::call(const CallContext&, Value x) const {
  return ops::select(kept(x, true), x, ops::scalar_like(x, 0));
}

Values MaskingLayer::compute_mask(const CallContext&, const std::vector<Traced>& inputs) const {
  return {kept(inputs.at(0).value, false)};
}

}  // namespace ramet::layers
