#include "ramet/layers/reshaping/up_sampling.h"

#include <algorithm>
#include <cmath>

#include "ramet/layers/input_rule.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {
namespace {

// [in·factor, in]: row i holds the weights of the two cells around the place (i + ½) / factor − ½; places outside take the border cell.
Array bilinear_weights(std::int64_t in, std::int64_t factor, DType dtype) {
  Array out({in * factor, in}, DType::f64);
  const auto w = out.data<double>();
  for (std::int64_t i = 0; i < in * factor; ++i) {
    const double at = std::clamp((static_cast<double>(i) + 0.5) / static_cast<double>(factor) - 0.5, 0.0, static_cast<double>(in - 1));
    const auto low = static_cast<std::int64_t>(std::floor(at)), high = std::min(low + 1, in - 1);
    const double share = at - static_cast<double>(low);
    w[static_cast<std::size_t>(i * in + low)] += 1 - share;
    w[static_cast<std::size_t>(i * in + high)] += share;
  }
  return out.astype(dtype);
}

// Linear interpolation along one axis is a product with a thin band matrix: x [outer, n, inner] → [outer, n·factor, inner].
Value stretch(Value x, int axis, std::int64_t factor) {
  if (factor == 1) return x;
  Shape out = x.shape();
  std::int64_t outer = 1, inner = 1;
  for (int i = 0; i < axis; ++i) outer *= x.dim(i);
  for (int i = axis + 1; i < static_cast<int>(x.rank()); ++i) inner *= x.dim(i);
  out[static_cast<std::size_t>(axis)] *= factor;
  const Value weights = ops::constant(*x.program, bilinear_weights(x.dim(axis), factor, x.dtype()));
  return ops::reshape(ops::matmul(weights, ops::reshape(x, {outer, x.dim(axis), inner})), out);
}

}  // namespace

void normalize(UpSampling1DConfig& c) { require(c.size > 0, "Argument `size` should be a positive integer. Received: size=", c.size); }
void UpSampling1DLayer::check(const std::vector<Spec>& inputs) const { check_inputs(*this, inputs, {.ndim = 3}); }
Value UpSampling1DLayer::call(const CallContext&, Value x) const { return ops::repeat(x, 1, config().size); }

void normalize(UpSampling2DConfig& c) {
  c.size = standardize(c.size, 2, "size");
  const auto name = c.interpolation.name();
  require(name == "nearest" || name == "bilinear", "interpolation '", name, "' is not supported; use 'nearest' or 'bilinear'");
}

void UpSampling2DLayer::check(const std::vector<Spec>& inputs) const { check_inputs(*this, inputs, {.ndim = 4}); }

Value UpSampling2DLayer::call(const CallContext&, Value x) const {
  const int first = channels_first(config().data_format) ? 2 : 1;
  for (int i = 0; i < 2; ++i) {
    const auto factor = config().size.values()[static_cast<std::size_t>(i)];
    x = config().interpolation.name() == "nearest" ? ops::repeat(x, first + i, factor) : stretch(x, first + i, factor);
  }
  return x;
}

}  // namespace ramet::layers
