#include "ramet/layers/spatial.h"

#include "ramet/ops/ops.h"

namespace ramet::layers {

IntOrList standardize(const IntOrList& value, std::size_t n, std::string_view name, bool allow_zero) {
  const std::string received = value.single() ? std::to_string(value.values()[0]) : to_string(value.values());
  const std::string message =
      cat("The `", name, "` argument must be a tuple of ", n, " integers. Received ", name, "=", received);
  require(value.single() || value.values().size() == n, message);
  const std::vector<std::int64_t> values = value.expand(n, name);
  for (const auto v : values)
    require(v > 0 || (allow_zero && v == 0), message, ", including values {", v, "} that do not satisfy `value ",
            allow_zero ? ">= 0`" : "> 0`");
  return IntOrList(values);
}

Value to_channels_last(Value x, DataFormat format) {
  if (!channels_first(format)) return x;
  std::vector<std::int64_t> axes{0};
  for (std::size_t i = 2; i < x.rank(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  axes.push_back(1);
  return ops::transpose(x, axes);
}

Value from_channels_last(Value x, DataFormat format) {
  if (!channels_first(format)) return x;
  std::vector<std::int64_t> axes{0, static_cast<std::int64_t>(x.rank()) - 1};
  for (std::size_t i = 1; i + 1 < x.rank(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  return ops::transpose(x, axes);
}

std::int64_t channels_of(const Spec& x, DataFormat format) { return x.dim(channels_first(format) ? 1 : -1); }

Pads pads_for(std::string_view padding, const Shape& channels_last, const IntOrList& window, const IntOrList& strides,
              const IntOrList& dilation) {
  Pads out;
  for (std::size_t i = 0; i < window.values().size(); ++i) {
    const auto k = window.values()[i], s = strides.values()[i], d = dilation.values()[i];
    ops::SamePadding p{0, 0};
    if (padding == "same") p = ops::same_padding(channels_last[i + 1], k, s, d);
    if (padding == "causal") p.before = (k - 1) * d;
    out.before.push_back(p.before);
    out.after.push_back(p.after);
  }
  return out;
}

void BorderPairs::check(std::string_view name) const {
  const std::string received = cat("Received: ", name, "=", encode(*this).dump(), ".");
  require(pairs_.size() == 2, "`", name, "` should have two elements. ", received);
  for (const auto& [before, after] : pairs_)
    require(before >= 0 && after >= 0, "`", name, "` cannot be negative. ", received);
}

Json encode(const BorderPairs& borders) {
  JsonArray out;
  for (const auto& [before, after] : borders.pairs())
    out.push_back(ramet::encode(std::vector<std::int64_t>{before, after}));
  return Json(std::move(out));
}

void decode(const Json& json, BorderPairs& out) {
  if (json.is_int()) {
    out = BorderPairs(json.as_int());
    return;
  }
  std::vector<BorderPairs::Pair> pairs;
  for (const Json& item : json.as_array()) {
    IntOrList side;
    decode(item, side);
    const auto two = side.expand(2, "each entry");
    pairs.emplace_back(two[0], two[1]);
  }
  out = BorderPairs(std::move(pairs));
}

}  // namespace ramet::layers
