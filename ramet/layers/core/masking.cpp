#include "ramet/layers/core/masking.h"

#include "ramet/layers/input_rule.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {

void MaskingLayer::check(const std::vector<Spec>& inputs) const { check_inputs(*this, inputs, {.min_ndim = 1}); }

TracedNest MaskingLayer::call_args(const CallContext&, const TracedArgs& args) const {
  const Value x = args.args.at(0).leaf().value;
  const Value kept = ops::reduce_max(ops::not_equal(x, ops::scalar_like(x, config().mask_value)), {-1}, true);
  return TracedNest(Traced{ops::select(kept, x, ops::scalar_like(x, 0)), ops::squeeze(kept, -1)});
}

}  // namespace ramet::layers
