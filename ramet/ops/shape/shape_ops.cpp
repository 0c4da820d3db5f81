#include "ramet/ops/shape/shape_ops.h"

#include <algorithm>
#include <numeric>

#include "ramet/ops/elementwise/elementwise.h"

namespace ramet::ops {
namespace {

std::vector<Spec> infer_slice(const SliceAttrs& a, std::span<const Spec> in) {
  const Spec& x = in[0];
  require(a.begin.size() == x.rank() && a.end.size() == x.rank() && a.step.size() == x.rank(), "slice: rank of ", x);
  Spec out = x;
  for (std::size_t i = 0; i < x.rank(); ++i) {
    require(0 <= a.begin[i] && a.begin[i] <= a.end[i] && a.end[i] <= x.shape[i] && a.step[i] >= 1, "slice: [",
            a.begin[i], ":", a.end[i], ":", a.step[i], "] is outside axis ", i, " of ", x);
    out.shape[i] = (a.end[i] - a.begin[i] + a.step[i] - 1) / a.step[i];
  }
  return {out};
}

// The adjoint of a strided slice puts the elements back with zeros around and between them.
Values slice_vjp(const Vjp& v) {
  const auto& a = v.as<SliceAttrs>();
  const Shape &x = v.in[0].shape(), &y = v.out[0].shape();
  std::vector<std::int64_t> after, inside;
  for (std::size_t i = 0; i < x.size(); ++i) {
    inside.push_back(a.step[i] - 1);
    const auto spread = y[i] == 0 ? 0 : (y[i] - 1) * a.step[i] + 1;
    after.push_back(x[i] - a.begin[i] - spread);
  }
  return {pad(v.dy(), a.begin, after, inside)};
}

std::vector<Spec> infer_pad(const PadAttrs& a, std::span<const Spec> in) {
  Spec out = in[0];
  require(a.before.size() == out.rank() && a.after.size() == out.rank() && a.inside.size() == out.rank(),
          "pad: rank of ", in[0]);
  for (std::size_t i = 0; i < out.rank(); ++i) {
    const auto n = in[0].shape[i];
    out.shape[i] = a.before[i] + a.after[i] + n + (n > 0 ? (n - 1) * a.inside[i] : 0);
    require(out.shape[i] >= 0 && a.inside[i] >= 0, "pad: axis ", i, " of ", in[0], " would get size ", out.shape[i]);
  }
  return {out};
}

// The adjoint of padding is the slice that picks the elements out again (first undoing crops by padding with zeros).
Values pad_vjp(const Vjp& v) {
  const auto& a = v.as<PadAttrs>();
  std::vector<std::int64_t> before, after, begin, end, step;
  for (std::size_t i = 0; i < a.before.size(); ++i) {
    before.push_back(std::max<std::int64_t>(-a.before[i], 0));
    after.push_back(std::max<std::int64_t>(-a.after[i], 0));
    const auto n = v.in[0].shape()[i];
    begin.push_back(std::max<std::int64_t>(a.before[i], 0));
    end.push_back(begin.back() + (n > 0 ? (n - 1) * (a.inside[i] + 1) + 1 : 0));
    step.push_back(a.inside[i] + 1);
  }
  return {slice(pad(v.dy(), before, after), begin, end, step)};
}

std::vector<Spec> infer_concat(const AxisAttrs& a, std::span<const Spec> in) {
  require(!in.empty(), "concat: needs at least one value");
  Spec out = in[0];
  const auto axis = static_cast<std::size_t>(canonical_axis(a.axis, out.rank(), "concat"));
  for (const Spec& x : in.subspan(1)) {
    Spec same = x;
    require(x.rank() == out.rank(), "concat: ranks differ: ", in[0], " and ", x);
    same.shape[axis] = out.shape[axis];
    require(same == out, "concat: shapes differ outside axis ", a.axis, ": ", in[0], " and ", x);
    out.shape[axis] += x.shape[axis];
  }
  return {out};
}

std::vector<std::int64_t> zeros_for(Value x) { return std::vector<std::int64_t>(x.rank(), 0); }

}  // namespace

const OpDef reshape_op =
    define_op<ReshapeAttrs>({.name = "reshape",
                             .traits = Trait::view,
                             .infer = [](const ReshapeAttrs& a, std::span<const Spec> in) -> std::vector<Spec> {
                               require(element_count(a.shape) == element_count(in[0].shape), "reshape: ", in[0],
                                       " cannot become ", to_string(a.shape));
                               return {{a.shape, in[0].dtype}};
                             },
                             .vjp = [](const Vjp& v) -> Values { return {reshape(v.dy(), v.in[0].shape())}; }});

const OpDef transpose_op = define_op<TransposeAttrs>(
    {.name = "transpose",
     .infer = [](const TransposeAttrs& a, std::span<const Spec> in) -> std::vector<Spec> {
       std::vector<std::int64_t> sorted = a.axes, count(in[0].rank());
       std::sort(sorted.begin(), sorted.end());
       std::iota(count.begin(), count.end(), 0);
       require(sorted == count, "transpose: axes are not a permutation of the axes of ", in[0]);
       Shape out;
       for (const auto axis : a.axes) out.push_back(in[0].shape[static_cast<std::size_t>(axis)]);
       return {{out, in[0].dtype}};
     },
     .vjp = [](const Vjp& v) -> Values {
       const auto& axes = v.as<TransposeAttrs>().axes;
       std::vector<std::int64_t> inverse(axes.size());
       for (std::size_t i = 0; i < axes.size(); ++i)
         inverse[static_cast<std::size_t>(axes[i])] = static_cast<std::int64_t>(i);
       return {transpose(v.dy(), inverse)};
     }});

const OpDef broadcast_to_op =
    define_op<ReshapeAttrs>({.name = "broadcast_to",
                             .infer = [](const ReshapeAttrs& a, std::span<const Spec> in) -> std::vector<Spec> {
                               require(broadcast_shapes(in[0].shape, a.shape) == a.shape, "broadcast_to: ", in[0],
                                       " does not fit ", to_string(a.shape));
                               return {{a.shape, in[0].dtype}};
                             },
                             .vjp = [](const Vjp& v) -> Values { return {sum_to(v.dy(), v.in[0].shape())}; }});

const OpDef slice_op = define_op<SliceAttrs>({.name = "slice", .infer = infer_slice, .vjp = slice_vjp});
const OpDef pad_op = define_op<PadAttrs>({.name = "pad", .infer = infer_pad, .vjp = pad_vjp});

const OpDef concat_op =
    define_op<AxisAttrs>({.name = "concat", .infer = infer_concat, .vjp = [](const Vjp& v) -> Values {
                            const int axis = static_cast<int>(v.as<AxisAttrs>().axis);
                            std::vector<std::int64_t> sizes;
                            for (const Value& x : v.in) sizes.push_back(x.dim(axis));
                            return split_sizes(v.dy(), axis, sizes);
                          }});

const OpDef reverse_op = define_op<ReverseAttrs>(
    {.name = "reverse",
     .infer = [](const ReverseAttrs& a, std::span<const Spec> in) -> std::vector<Spec> {
       for (const auto axis : a.axes) canonical_axis(axis, in[0].rank(), "reverse");
       return {in[0]};
     },
     .vjp = [](const Vjp& v) -> Values { return {reverse(v.dy(), v.as<ReverseAttrs>().axes)}; }});

Value reshape(Value x, Shape shape) {
  std::int64_t known = 1;
  std::int64_t* open = nullptr;
  for (auto& size : shape) {
    if (size == -1) {
      require(!open, "reshape: only one size may be -1; got ", to_string(shape));
      open = &size;
    } else
      known *= size;
  }
  if (open) {
    const auto total = element_count(x.shape());
    require(known != 0 && total % known == 0, "reshape: ", x.spec(), " cannot become ", to_string(shape));
    *open = total / known;
  }
  return shape == x.shape() ? x : emit(reshape_op, {x}, ReshapeAttrs{std::move(shape)})[0];
}

Value transpose(Value x, std::vector<std::int64_t> axes) {
  for (auto& axis : axes) axis = canonical_axis(axis, x.rank(), "transpose");
  const bool rising = std::adjacent_find(axes.begin(), axes.end(), std::greater_equal<>()) == axes.end();
  if (rising && axes.size() == x.rank()) return x;
  return emit(transpose_op, {x}, TransposeAttrs{std::move(axes)})[0];
}

Value broadcast_to(Value x, Shape shape) {
  return shape == x.shape() ? x : emit(broadcast_to_op, {x}, ReshapeAttrs{std::move(shape)})[0];
}

Value slice(Value x, std::vector<std::int64_t> begin, std::vector<std::int64_t> end, std::vector<std::int64_t> step) {
  if (step.empty()) step.assign(x.rank(), 1);
  if (begin == zeros_for(x) && end == x.shape() && step == std::vector<std::int64_t>(x.rank(), 1)) return x;
  return emit(slice_op, {x}, SliceAttrs{std::move(begin), std::move(end), std::move(step)})[0];
}

Value slice_axis(Value x, int axis, std::int64_t begin, std::int64_t end) {
  const auto at = static_cast<std::size_t>(canonical_axis(axis, x.rank(), "slice"));
  auto from = zeros_for(x), to = x.shape();
  from[at] = begin;
  to[at] = end;
  return slice(x, std::move(from), std::move(to));
}

Value pad(Value x, std::vector<std::int64_t> before, std::vector<std::int64_t> after,
          std::vector<std::int64_t> inside) {
  if (inside.empty()) inside = zeros_for(x);
  if (before == zeros_for(x) && after == before && inside == before) return x;
  return emit(pad_op, {x}, PadAttrs{std::move(before), std::move(after), std::move(inside)})[0];
}

Value concat(const Values& xs, int axis) {
  require(!xs.empty(), "concat: needs at least one value");
  DType dtype = xs[0].dtype();
  if (xs.size() == 1) return xs[0];
  for (const Value& x : xs) dtype = promote(dtype, x.dtype());
  Values same;
  for (const Value& x : xs) same.push_back(cast(x, dtype));
  const AxisAttrs attrs{canonical_axis(axis, xs[0].rank(), "concat")};
  return program_of("concat", same).emit(concat_op, same, Attrs::make(attrs))[0];
}

Value reverse(Value x, std::vector<std::int64_t> axes) {
  const std::size_t rank = x.rank();
  for (auto& axis : axes) axis = canonical_axis(axis, rank, "reverse");
  return axes.empty() ? x : emit(reverse_op, {x}, ReverseAttrs{std::move(axes)})[0];
}

Value expand_dims(Value x, int axis) {
  Shape shape = x.shape();
  shape.insert(shape.begin() + canonical_axis(axis, x.rank() + 1, "expand_dims"), 1);
  return reshape(x, std::move(shape));
}

Value squeeze(Value x, int axis) {
  Shape shape = x.shape();
  const int at = canonical_axis(axis, x.rank(), "squeeze");
  require(shape[static_cast<std::size_t>(at)] == 1, "squeeze: axis ", axis, " of ", x.spec(), " is not 1");
  shape.erase(shape.begin() + at);
  return reshape(x, std::move(shape));
}

Value swap_axes(Value x, int a, int b) {
  std::vector<std::int64_t> axes(x.rank());
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[static_cast<std::size_t>(canonical_axis(a, x.rank(), "swap_axes"))],
            axes[static_cast<std::size_t>(canonical_axis(b, x.rank(), "swap_axes"))]);
  return transpose(x, axes);
}

Value repeat_along(Value x, int axis, std::int64_t times) {
  require(times >= 0, "repeat: a number of times that is not negative is needed; got ", times);
  const int at = canonical_axis(axis, x.rank(), "repeat");
  Shape wide = x.shape(), out = x.shape();
  wide.insert(wide.begin() + at + 1, times);
  out[static_cast<std::size_t>(at)] *= times;
  return reshape(broadcast_to(expand_dims(x, at + 1), wide), out);
}

Values split_sizes(Value x, int axis, const std::vector<std::int64_t>& sizes) {
  Values out;
  std::int64_t begin = 0;
  (void)x.program();
  for (const auto size : sizes) {
    out.push_back(slice_axis(x, axis, begin, begin + size));
    begin += size;
  }
  return out;
}

Value stack(const Values& xs, int axis) {
  require(!xs.empty(), "stack: needs at least one value");
  Values wide;
  for (const Value& x : xs) wide.push_back(expand_dims(x, axis));
  return concat(wide, axis < 0 ? axis + static_cast<int>(xs[0].rank()) + 1 : axis);
}

}  // namespace ramet::ops
