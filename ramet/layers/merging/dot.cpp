#include "ramet/layers/merging/dot.h"

#include "ramet/layers/merging/merge.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {
namespace {

// x / max(‖x‖, 1e-7), the bound taken inside the root so that a zero vector has a gradient.
Value unit(Value x, int axis) {
  const Value squares = ops::reduce_sum(ops::square(x), {axis}, true);
  return x * ops::rsqrt(ops::maximum(squares, ops::scalar_like(x, 1e-14)));
}

// [batch, other axes…, axis], the other axes flattened into one.
Value axis_last(Value x, int axis, Shape& others) {
  std::vector<std::int64_t> order{0};
  std::int64_t count = 1;
  for (int i = 1; i < static_cast<int>(x.rank()); ++i)
    if (i != axis) order.push_back(i), others.push_back(x.dim(i)), count *= x.dim(i);
  order.push_back(axis);
  return ops::reshape(ops::transpose(x, order), {x.dim(0), count, x.dim(axis)});
}

}  // namespace

void normalize(DotConfig& c) {
  require(c.axes.single() || c.axes.values().size() == 2,
          "Invalid format for argument `axes`: it should contain two elements. Received: axes=",
          to_string(c.axes.values()));
}

void DotLayer::check_arguments(const SpecArgs& args) const {
  Layer::check_arguments(args);
  check_is_list(*this, args);
}

std::pair<int, int> DotLayer::axes(std::size_t x_rank, std::size_t y_rank) const {
  const auto both = config().axes.expand(2, "axes");
  return {canonical_axis(both[0], x_rank, "Dot: `axes`"), canonical_axis(both[1], y_rank, "Dot: `axes`")};
}

void DotLayer::check(const std::vector<Spec>& inputs) const {
  require(inputs.size() == 2, describe(*this), ": A `Dot` layer should be called on a list of 2 inputs; got ",
          inputs.size());
  const Spec &x = inputs[0], &y = inputs[1];
  const std::string got = cat("Received inputs with shapes ", to_string(x.shape), " and ", to_string(y.shape), ".");
  require(x.rank() >= 2 && y.rank() >= 2, describe(*this), ": Cannot do batch_dot on inputs with rank < 2. ", got);
  require(x.shape[0] == y.shape[0] || x.shape[0] == None || y.shape[0] == None, describe(*this),
          ": Cannot do batch_dot on inputs with different batch sizes. ", got);
  const auto [a, b] = axes(x.rank(), y.rank());
  require(a != 0 && b != 0, describe(*this),
          ": Cannot perform batch_dot over axis 0. If your inputs are not batched, give them a batch axis of size 1");
  require(x.dim(a) == y.dim(b) || x.dim(a) == None || y.dim(b) == None, describe(*this),
          ": Incompatible input shapes: axis values ", x.dim(a), " (at axis ", a, ") != ", y.dim(b), " (at axis ", b,
          "). Full input shapes: ", to_string(x.shape), ", ", to_string(y.shape));
}

Values DotLayer::call_list(const CallContext&, const Values& xs) const {
  const auto [a, b] = axes(xs[0].rank(), xs[1].rank());
  const Value x = config().normalize ? unit(xs[0], a) : xs[0], y = config().normalize ? unit(xs[1], b) : xs[1];
  Shape out{x.dim(0)};
  const Value left = axis_last(x, a, out), right = axis_last(y, b, out);
  if (out.size() == 1) out.push_back(1);
  return {ops::reshape(ops::matmul(left, right, {.transpose_b = true}), out)};
}

}  // namespace ramet::layers
