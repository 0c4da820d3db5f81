#include "ramet/layers/reshaping/reshape.h"

#include <algorithm>

#include "ramet/layers/input_rule.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {
namespace {

// Of the sizes that are not −1. UsageError when no array can be as large.
std::int64_t known_size(const Shape& target) {
  Shape known = target;
  std::erase(known, -1);
  return element_count(known);
}

}  // namespace

void FlattenLayer::check(const std::vector<Spec>& inputs) const { check_inputs(*this, inputs, {.min_ndim = 1}); }

Value FlattenLayer::call(const CallContext&, Value x) const {
  if (x.rank() > 2) x = to_channels_last(x, config().data_format);
  return ops::reshape(x, {x.dim(0), element_count(Shape(x.shape().begin() + 1, x.shape().end()))});
}

Json encode(const TargetShape& shape) {
  JsonArray out;
  for (const auto size : shape.sizes_) out.push_back(Json(size));
  for (const std::size_t at : shape.null_) out[at] = Json(nullptr);
  return Json(std::move(out));
}

void decode(const Json& json, TargetShape& out) {
  out = {};
  for (const Json& size : json.as_array()) {
    std::int64_t n = -1;
    if (size.is_null())
      out.null_.push_back(out.sizes_.size());
    else
      ramet::decode(size, n);
    out.sizes_.push_back(n);
  }
}

void normalize(ReshapeConfig& c) {
  const Shape& target = c.target_shape.sizes();
  const std::string received = cat(" Received: target_shape=", to_string(target), ".");
  for (const auto n : target)
    require(n >= -1,
            "Each dimension in `target_shape` must be a non-negative integer, or `-1` for a single unknown dimension.",
            received);
  require(std::count(target.begin(), target.end(), -1) <= 1,
          "There must be at most one unknown dimension (-1) in `target_shape`.", received);
}

void ReshapeLayer::check(const std::vector<Spec>& inputs) const {
  check_inputs(*this, inputs, {.min_ndim = 1});
  const Shape sample(inputs[0].shape.begin() + 1, inputs[0].shape.end());
  if (!fully_known(sample)) return;
  const Shape& target = config().target_shape.sizes();
  const bool open = std::find(target.begin(), target.end(), -1) != target.end();
  const auto have = element_count(sample), want = known_size(target);
  const std::string received = cat(" Received: input_shape=", to_string(sample), ", target_shape=", to_string(target));
  require(open || have == want, describe(*this), ": The total size of the tensor must be unchanged.", received);
  require(!open || (want > 0 && have % want == 0), describe(*this),
          ": The total size of the tensor must be unchanged, however, the input size cannot by divided by the "
          "specified dimensions in target_shape.",
          received);
}

Value ReshapeLayer::call(const CallContext&, Value x) const {
  Shape shape{x.dim(0)};
  const Shape& target = config().target_shape.sizes();
  const auto have = element_count(Shape(x.shape().begin() + 1, x.shape().end())), want = known_size(target);
  for (const auto n : target) shape.push_back(n == -1 ? have / std::max<std::int64_t>(want, 1) : n);
  return ops::reshape(x, shape);
}

void normalize(PermuteConfig& c) {
  std::vector<std::int64_t> sorted = c.dims;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i)
    require(sorted[i] == static_cast<std::int64_t>(i) + 1,
            "Invalid permutation argument `dims` for Permute Layer. The set of indices in `dims` must be consecutive "
            "and start from 1. Received dims=",
            to_string(c.dims));
}

void PermuteLayer::check(const std::vector<Spec>& inputs) const {
  check_inputs(*this, inputs, {.ndim = config().dims.size() + 1});
}

Value PermuteLayer::call(const CallContext&, Value x) const {
  std::vector<std::int64_t> axes{0};
  axes.insert(axes.end(), config().dims.begin(), config().dims.end());
  return ops::transpose(x, axes);
}

void normalize(RepeatVectorConfig& c) {
  require(c.n > 0, "Argument `n` should be a positive integer. Received: n=", c.n);
}

void RepeatVectorLayer::check(const std::vector<Spec>& inputs) const { check_inputs(*this, inputs, {.ndim = 2}); }

Value RepeatVectorLayer::call(const CallContext&, Value x) const {
  return ops::broadcast_to(ops::expand_dims(x, 1), {x.dim(0), config().n, x.dim(1)});
}

}  // namespace ramet::layers
