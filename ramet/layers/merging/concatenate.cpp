#include "ramet/layers/merging/concatenate.h"

#include "ramet/base/strings.h"
#include "ramet/layers/merging/merge.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {

void ConcatenateLayer::check_arguments(const SpecArgs& args) const {
  Layer::check_arguments(args);
  check_is_list(*this, args);
}

void ConcatenateLayer::check(const std::vector<Spec>& inputs) const {
  const Shape& first = inputs[0].shape;
  const auto axis = static_cast<std::size_t>(canonical_axis(config().axis, first.size(), "`axis`"));
  for (const Spec& x : inputs) {
    bool fits = x.rank() == first.size();
    for (std::size_t i = 0; fits && i < first.size(); ++i)
      fits = i == axis || x.shape[i] == first[i] || x.shape[i] == None || first[i] == None;
    if (fits) continue;
    std::vector<std::string> shapes;
    for (const Spec& each : inputs) shapes.push_back(to_string(each.shape));
    throw UsageError(
        cat(describe(*this),
            ": A `Concatenate` layer requires inputs with matching shapes except for the concatenation axis. Received: "
            "input_shape=[",
            join_some(shapes), "]"));
  }
}

Values ConcatenateLayer::call_list(const CallContext&, const Values& xs) const {
  return {ops::concat(xs, static_cast<int>(config().axis))};
}

Values ConcatenateLayer::compute_mask(const CallContext& ctx, const std::vector<Traced>& inputs) const {
  bool none = true;
  for (const Traced& t : inputs) none = none && !t.mask;
  if (none) return {};
  Values masks;
  for (const auto& [x, mask] : inputs) {
    if (!mask)
      masks.push_back(ops::full(ctx.program(), x.shape(), 1, DType::boolean));
    else
      masks.push_back(mask.rank() < x.rank() ? ops::broadcast_to(ops::expand_dims(mask, -1), x.shape()) : mask);
  }
  const Value all = ops::concat(masks, static_cast<int>(config().axis));
  return {ctx.mask_semantics() == MaskSemantics::keras2 ? ops::reduce_min(all, {-1}) : ops::reduce_max(all, {-1})};
}

}  // namespace ramet::layers
