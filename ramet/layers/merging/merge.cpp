#include "ramet/layers/merging/merge.h"

#include <algorithm>

#include "ramet/base/strings.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {
namespace {

std::string shapes_of(const std::vector<Spec>& inputs, std::string_view separator) {
  std::vector<std::string> out;
  for (const Spec& x : inputs) out.push_back(to_string(x.shape));
  return join_some(out, separator);
}

// The samples' shapes, aligned at the end; None goes with everything. False when they do not fit.
bool broadcasts(const Shape& a, const Shape& b) {
  for (std::size_t i = 1; i < std::min(a.size(), b.size()); ++i) {
    const auto x = a[a.size() - i], y = b[b.size() - i];
    if (x != None && y != None && x != 1 && y != 1 && x != y) return false;
  }
  return true;
}

// Axes of size 1 after the batch until all have the same rank.
Values same_rank(const Values& xs) {
  std::size_t rank = 0;
  for (const Value& x : xs) rank = std::max(rank, x.rank());
  Values out;
  for (const Value& x : xs) {
    Shape shape = x.shape();
    if (shape.size() < rank)
      shape.insert(shape.begin() + std::min<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(shape.size())),
                   rank - shape.size(), 1);
    out.push_back(ops::reshape(x, shape));
  }
  return out;
}

Value mask_like(Value mask, Value x) { return ops::broadcast_to(ops::expand_dims(mask, -1), x.shape()); }

// Masked factors count as 1; where every factor is masked the product is 0.
Value masked_product(const Values& xs, const Values& masks) {
  Value y, any;
  bool all = true;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    Value x = xs[i];
    all = all && masks[i];
    if (masks[i]) {
      const Value m = mask_like(masks[i], x);
      x = ops::select(m, x, ops::scalar_like(x, 1));
      any = any ? ops::logical_or(any, m) : m;
    }
    y = y ? y * x : x;
  }
  return all ? ops::select(any, y, ops::scalar_like(y, 0)) : y;
}

// Going from the left, a masked element takes the other side's value before the two are compared.
Value masked_extreme(const Values& xs, const Values& masks, Value (*op)(Value, Value)) {
  Value y = xs[0], known = masks[0] ? mask_like(masks[0], y) : Value();
  for (std::size_t i = 1; i < xs.size(); ++i) {
    const Value m = masks[i] ? mask_like(masks[i], xs[i]) : Value();
    const Value x = m ? ops::select(m, xs[i], y) : xs[i];
    if (known) y = ops::select(known, y, x);
    known = m && known ? ops::logical_or(known, m) : Value();
    y = op(y, x);
  }
  return y;
}

Value folded(const Values& xs, Value (*op)(Value, Value)) {
  Value y = xs[0];
  for (std::size_t i = 1; i < xs.size(); ++i) y = op(y, xs[i]);
  return y;
}

}  // namespace

void check_is_list(const Layer& layer, const SpecArgs& args) {
  require(!args.args.empty() && args.args[0].is_list() && !args.args[0].list().empty(), describe(layer),
          ": A merge layer should be called on a list of at least 1 input.",
          args.args.empty() || !args.args[0].is_leaf()
              ? ""
              : cat(" Received: input_shape=", to_string(args.args[0].leaf().shape), " (not a list of shapes)"));
  for (const auto& input : args.args[0].list())
    require(input.is_leaf() || input.is_none(), describe(layer), ": an input is not a tensor");
}

template <Merge kind>
void MergeLayer<kind>::check_arguments(const SpecArgs& args) const {
  Layer::check_arguments(args);
  check_is_list(*this, args);
}

template <Merge kind>
void MergeLayer<kind>::check(const std::vector<Spec>& inputs) const {
  require(kind != Merge::subtract || inputs.size() == 2, describe(*this),
          ": A `Subtract` layer should be called on exactly 2 inputs. Received: input_shape=[", shapes_of(inputs, ", "),
          "]");
  std::int64_t batch = None;
  Shape so_far = inputs[0].shape;
  const std::string got = cat("got ", shapes_of(inputs, " and "));
  for (const Spec& x : inputs) {
    if (x.rank() && x.shape[0] != None) {
      require(batch == None || batch == x.shape[0], describe(*this),
              ": Cannot merge tensors with different batch sizes: ", got);
      batch = x.shape[0];
    }
    require(broadcasts(so_far, x.shape), describe(*this), ": inputs must have the same shape or broadcast: ", got);
    // What the inputs so far give, to hold the next one against.
    if (x.rank() > so_far.size())
      so_far.insert(so_far.begin() + std::min<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(so_far.size())),
                    x.rank() - so_far.size(), 1);
    for (std::size_t i = 1; i < x.rank(); ++i)
      if (auto& size = so_far[so_far.size() - i]; size == 1 || size == None) size = x.shape[x.rank() - i];
  }
}

template <Merge kind>
Values MergeLayer<kind>::call_list(const CallContext& ctx, const Values& given) const {
  const Values xs = same_rank(given);
  // Keras finds no masks on tensors it had to reshape.
  Values masks(xs.size());
  bool masked = false;
  if (ctx.mask_semantics() != MaskSemantics::keras2 && xs == given)
    for (std::size_t i = 0; i < xs.size(); ++i) masked = (masks[i] = ctx.mask(i)) || masked;
  switch (kind) {
    case Merge::add: return {folded(xs, ops::add)};
    case Merge::subtract: return {xs[0] - xs[1]};
    case Merge::multiply: return {masked ? masked_product(xs, masks) : folded(xs, ops::mul)};
    case Merge::average: return {folded(xs, ops::add) / static_cast<double>(xs.size())};
    case Merge::maximum: return {masked ? masked_extreme(xs, masks, ops::maximum) : folded(xs, ops::maximum)};
    case Merge::minimum: return {masked ? masked_extreme(xs, masks, ops::minimum) : folded(xs, ops::minimum)};
  }
  throw InternalError("a merge of no kind");
}

template <Merge kind>
Values MergeLayer<kind>::compute_mask(const CallContext& ctx, const std::vector<Traced>& inputs) const {
  const bool keras2 = ctx.mask_semantics() == MaskSemantics::keras2;
  Value out;
  for (const Traced& t : inputs) {
    if (!t.mask) {
      if (keras2) continue;
      return {};
    }
    out = !out ? t.mask : keras2 ? ops::logical_and(out, t.mask) : ops::logical_or(out, t.mask);
  }
  return out ? Values{out} : Values{};
}

template class MergeLayer<Merge::add>;
template class MergeLayer<Merge::subtract>;
template class MergeLayer<Merge::multiply>;
template class MergeLayer<Merge::average>;
template class MergeLayer<Merge::maximum>;
template class MergeLayer<Merge::minimum>;

}  // namespace ramet::layers
