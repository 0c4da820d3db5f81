#include "ramet/layers/reshaping/up_sampling.h"

#include <algorithm>
#include <cmath>

#include "ramet/layers/input_rule.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {
namespace {

// Place i of the result lies at (i + ½) / factor − ½ of the input, or at the border when that is outside: between the
// cells `low` and low + 1, `share` of the way.
struct Places {
  Array low, share;  // [in·factor, 1]
};

Places places(std::int64_t in, std::int64_t factor, DType dtype) {
  const auto out = in * factor;
  Array low({out, 1}, DType::i32), share({out, 1}, DType::f64);
  for (std::int64_t i = 0; i < out; ++i) {
    const double at = std::clamp((static_cast<double>(i) + 0.5) / static_cast<double>(factor) - 0.5, 0.0,
                                 static_cast<double>(in - 1));
    low.data<std::int32_t>()[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(at);
    share.data<double>()[static_cast<std::size_t>(i)] = at - std::floor(at);
  }
  return {low, share.astype(dtype)};
}

// Linear interpolation along one axis is a product with a thin band matrix: x [outer, n, inner] → [outer, n·factor,
// inner].
Value stretch(Value x, int axis, std::int64_t factor) {
  if (factor == 1) return x;
  Shape out = x.shape();
  const auto n = x.dim(axis);
  std::int64_t outer = 1, inner = 1;
  for (int i = 0; i < axis; ++i) outer *= x.dim(i);
  for (int i = axis + 1; i < static_cast<int>(x.rank()); ++i) inner *= x.dim(i);
  out[static_cast<std::size_t>(axis)] *= factor;
  const Places at = places(n, factor, x.dtype());
  const Value low = ops::constant(x.program(), at.low), share = ops::constant(x.program(), at.share),
              zero = ops::scalar_like(share, 0);
  const Value cell = ops::iota(x.program(), {1, n}, 1), next = low + ops::scalar_like(low, 1);
  const Value weights =
      ops::select(ops::equal(cell, low), 1.0 - share, ops::select(ops::equal(cell, next), share, zero));
  return ops::reshape(ops::matmul(weights, ops::reshape(x, {outer, n, inner})), out);
}

}  // namespace

void normalize(UpSampling1DConfig& c) {
  require(c.size > 0, "Argument `size` should be a positive integer. Received: size=", c.size);
}
void UpSampling1DLayer::check(const std::vector<Spec>& inputs) const { check_inputs(*this, inputs, {.ndim = 3}); }
Value UpSampling1DLayer::call(const CallContext&, Value x) const { return ops::repeat_along(x, 1, config().size); }

void normalize(UpSampling2DConfig& c) {
  c.size = standardize(c.size, 2, "size");
  const auto name = c.interpolation.name();
  require(name == "nearest" || name == "bilinear", "interpolation '", name,
          "' is not supported; use 'nearest' or 'bilinear'");
}

void UpSampling2DLayer::check(const std::vector<Spec>& inputs) const { check_inputs(*this, inputs, {.ndim = 4}); }

Value UpSampling2DLayer::call(const CallContext&, Value x) const {
  const int first = channels_first(config().data_format) ? 2 : 1;
  for (int i = 0; i < 2; ++i) {
    const auto factor = config().size.values()[static_cast<std::size_t>(i)];
    x = config().interpolation.name() == "nearest" ? ops::repeat_along(x, first + i, factor)
                                                   : stretch(x, first + i, factor);
  }
  return x;
}

}  // namespace ramet::layers
