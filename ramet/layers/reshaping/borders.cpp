#include "ramet/layers/reshaping/borders.h"

#include "ramet/layers/input_rule.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {
namespace {

using Borders = std::vector<BorderPairs::Pair>;  // per spatial axis

Borders one_pair(const IntOrList& ends) { return {{ends.values()[0], ends.values()[1]}}; }
std::size_t first_axis(DataFormat format) { return channels_first(format) ? 2 : 1; }

Value padded(Value x, const Borders& borders, DataFormat format) {
  std::vector<std::int64_t> before(x.rank(), 0), after(x.rank(), 0);
  for (std::size_t i = 0; i < borders.size(); ++i) {
    before[first_axis(format) + i] = borders[i].first;
    after[first_axis(format) + i] = borders[i].second;
  }
  return ops::pad(x, before, after);
}

Value cropped(Value x, const Borders& borders, DataFormat format) {
  std::vector<std::int64_t> begin(x.rank(), 0), end = x.shape();
  for (std::size_t i = 0; i < borders.size(); ++i) {
    begin[first_axis(format) + i] = borders[i].first;
    end[first_axis(format) + i] -= borders[i].second;
  }
  return ops::slice(x, begin, end);
}

bool something_left(const Shape& x, const Borders& borders, DataFormat format) {
  for (std::size_t i = 0; i < borders.size(); ++i)
    if (const auto size = x[first_axis(format) + i]; size != None && borders[i].first + borders[i].second >= size)
      return false;
  return true;
}

}  // namespace

void normalize(ZeroPadding1DConfig& c) { c.padding = standardize(c.padding, 2, "padding", true); }
void ZeroPadding1DLayer::check(const std::vector<Spec>& inputs) const { check_inputs(*this, inputs, {.ndim = 3}); }
Value ZeroPadding1DLayer::call(const CallContext&, Value x) const {
  return padded(x, one_pair(config().padding), config().data_format);
}

void normalize(ZeroPadding2DConfig& c) { c.padding.check("padding"); }
void ZeroPadding2DLayer::check(const std::vector<Spec>& inputs) const { check_inputs(*this, inputs, {.ndim = 4}); }
Value ZeroPadding2DLayer::call(const CallContext&, Value x) const {
  return padded(x, config().padding.pairs(), config().data_format);
}

void normalize(Cropping1DConfig& c) { c.cropping = standardize(c.cropping, 2, "cropping", true); }
void Cropping1DLayer::check(const std::vector<Spec>& inputs) const {
  check_inputs(*this, inputs, {.ndim = 3});
  require(something_left(inputs[0].shape, one_pair(config().cropping), "channels_last"), describe(*this),
          ": `cropping` parameter of `Cropping1D` layer must be smaller than the input length. Received: input_shape=",
          to_string(inputs[0].shape), ", cropping=", to_string(config().cropping.values()));
}
Value Cropping1DLayer::call(const CallContext&, Value x) const {
  return cropped(x, one_pair(config().cropping), "channels_last");
}

void normalize(Cropping2DConfig& c) { c.cropping.check("cropping"); }
void Cropping2DLayer::check(const std::vector<Spec>& inputs) const {
  check_inputs(*this, inputs, {.ndim = 4});
  require(something_left(inputs[0].shape, config().cropping.pairs(), config().data_format), describe(*this),
          ": Values in `cropping` argument should be smaller than the corresponding spatial dimension of the input. "
          "Received: input_shape=",
          to_string(inputs[0].shape), ", cropping=", encode(config().cropping).dump());
}
Value Cropping2DLayer::call(const CallContext&, Value x) const {
  return cropped(x, config().cropping.pairs(), config().data_format);
}

}  // namespace ramet::layers
