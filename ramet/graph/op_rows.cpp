// The table of op operations: how each class of keras.ops is traced.
#include <algorithm>

#include "ramet/graph/op_operation.h"
#include "ramet/ops/ops.h"

namespace ramet {
namespace {

using namespace ops;

// x[key] with Python's rules: integers drop their axis, null adds one, an ellipsis fills up.
Values get_item_rule(const OpCall& c) {
  Value x = c.x();
  const TracedNest* key = c.find(1, "key");
  require(key != nullptr, "GetItem: called without an index");
  JsonArray parts;
  const std::function<void(const TracedNest&)> collect = [&](const TracedNest& n) {
    if (n.is_constant() && n.constant().is_array())
      for (const Json& j : n.constant().as_array()) parts.push_back(j);
    else if (n.is_constant())
      parts.push_back(n.constant());
    else if (n.is_none())
      parts.push_back(Json(nullptr));
    else if (n.is_list())
      for (const auto& item : n.list()) collect(item);
    else
      throw UsageError("GetItem: a tensor as index is not supported");
  };
  collect(*key);
  const auto tag = [](const Json& j) -> std::string { return j.is_object() ? j.at("class_name").as_string() : ""; };
  std::size_t consumed = 0, ellipses = 0;
  for (const Json& p : parts) {
    const bool ellipsis = tag(p) == "__ellipsis__";
    ellipses += ellipsis, consumed += !p.is_null() && !ellipsis;
  }
  require(consumed <= x.rank(), "GetItem: too many indices for ", x.spec());
  require(ellipses <= 1, "GetItem: an index can hold one ellipsis");
  std::vector<std::int64_t> begin(x.rank(), 0), end = x.shape(), step(x.rank(), 1), reversed;
  Shape out;
  std::size_t axis = 0;
  const auto keep = [&](std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out.push_back(x.shape()[axis++]);
  };
  for (const Json& p : parts) {
    if (p.is_null())
      out.push_back(1);
    else if (tag(p) == "__ellipsis__")
      keep(x.rank() - consumed);
    else if (p.is_int()) {
      const auto size = x.shape()[axis], i = p.as_int() < 0 ? p.as_int() + size : p.as_int();
      require(i >= 0 && i < size, "GetItem: index ", p.as_int(), " is out of bounds for axis ", axis, " of ", x.spec());
      begin[axis] = i, end[axis] = i + 1, ++axis;
    } else {
      const Json& s = p.at("config");
      const auto size = x.shape()[axis];
      const auto given = s.at("step").is_null() ? 1 : s.at("step").as_int();
      require(given != 0, "GetItem: slice step cannot be zero");
      const auto by = std::clamp(given, -size - 1, size + 1);  // larger steps take no more than the first
      const auto bound = [&](const Json& j, std::int64_t otherwise) {
        if (j.is_null()) return otherwise;
        const auto v = j.as_int() < 0 ? j.as_int() + size : j.as_int();
        return by > 0 ? std::clamp<std::int64_t>(v, 0, size) : std::clamp<std::int64_t>(v, -1, size - 1);
      };
      if (by > 0) {
        begin[axis] = bound(s.at("start"), 0);
        end[axis] = std::max(bound(s.at("stop"), size), begin[axis]);
        step[axis] = by;
        out.push_back((end[axis] - begin[axis] + by - 1) / by);
      } else {  // taken forwards, then turned round
        const auto from = bound(s.at("start"), size - 1), to = bound(s.at("stop"), -1);
        const auto n = from > to ? (from - to - by - 1) / -by : 0;
        begin[axis] = n ? from + (n - 1) * by : 0;
        end[axis] = n ? from + 1 : 0;
        step[axis] = -by;
        reversed.push_back(static_cast<std::int64_t>(axis));
        out.push_back(n);
      }
      ++axis;
    }
  }
  keep(x.rank() - axis);
  return {reshape(reverse(slice(x, begin, end, step), reversed), out)};
}

// Keras' matmul takes vectors too.
Values matmul_rule(const OpCall& c) {
  Value a = c.value(0, "x1"), b = c.value(1, "x2");
  const bool vector_a = a.rank() == 1, vector_b = b.rank() == 1;
  if (vector_a) a = expand_dims(a, 0);
  if (vector_b) b = expand_dims(b, -1);
  Value y = matmul(a, b);
  if (vector_b) y = squeeze(y, -1);
  if (vector_a) y = squeeze(y, vector_b ? -1 : -2);
  return {y};
}

Shape shape_option(const OpCall& c, std::string_view key, Value x) {
  Shape shape;
  for (const Json& size : c.needed(key).as_array()) {
    require(!size.is_null() || shape.size() < x.rank(), "`", key, "` leaves a size open that ", x.spec(), " has not");
    shape.push_back(size.is_null() ? x.dim(static_cast<int>(shape.size())) : size.as_int());
  }
  return shape;
}

Values transpose_rule(const OpCall& c) {
  const Value x = c.x();
  std::vector<std::int64_t> axes;
  if (const Json* json = c.option("axes"))
    decode(*json, axes);
  else
    for (std::size_t i = x.rank(); i-- > 0;) axes.push_back(static_cast<std::int64_t>(i));
  return {transpose(x, axes)};
}

Values squeeze_rule(const OpCall& c) {
  Value x = c.x();
  if (!c.option("axis")) {
    Shape shape;
    for (const auto size : x.shape())
      if (size != 1) shape.push_back(size);
    return {reshape(x, shape)};
  }
  auto axes = c.axes(x);
  std::sort(axes.rbegin(), axes.rend());
  for (const auto axis : axes) x = squeeze(x, static_cast<int>(axis));
  return {x};
}

Value variance(const OpCall& c) {
  const Value x = c.x();
  return reduce_mean(square(x - reduce_mean(x, c.axes(x), true)), c.axes(x), c.flag("keepdims"));
}

Values split_rule(const OpCall& c) {
  const Value x = c.x();
  const int axis = canonical_axis(c.integer("axis", 0), x.rank(), "split");
  const Json* how = &c.needed("indices_or_sections");
  constexpr std::int64_t kMostParts = 10'000;
  std::vector<std::int64_t> sizes;
  if (how->is_int()) {
    require(how->as_int() > 0 && how->as_int() <= kMostParts && x.dim(axis) % how->as_int() == 0, "split: ", x.spec(),
            " cannot be split into ", how->as_int(), " equal parts along axis ", axis);
    sizes.assign(static_cast<std::size_t>(how->as_int()), x.dim(axis) / how->as_int());
  } else {
    std::int64_t at = 0;
    for (const Json& j : how->as_array()) sizes.push_back(j.as_int() - at), at = j.as_int();
    sizes.push_back(x.dim(axis) - at);
  }
  return split_sizes(x, axis, sizes);
}

Values pad_rule(const OpCall& c) {
  const Value x = c.x();
  const Json* mode = c.option("mode");
  require(!mode || mode->as_string() == "constant", "Pad: mode '", mode ? mode->as_string() : "",
          "' is not supported yet");
  const TracedNest* constant_value = c.find(1, "constant_values");
  require(!constant_value || constant_value->is_none() ||
              (constant_value->is_constant() && constant_value->constant().as_double() == 0),
          "Pad: constant_values other than 0 are not supported yet");
  const JsonArray& widths = c.needed("pad_width").as_array();
  require(widths.size() == 1 || widths.size() == x.rank(), "Pad: `pad_width` has ", widths.size(), " pairs for ",
          x.spec());
  std::vector<std::int64_t> before, after;
  for (std::size_t i = 0; i < x.rank(); ++i) {
    const JsonArray& pair = widths[widths.size() == 1 ? 0 : i].as_array();
    require(pair.size() == 2, "Pad: `pad_width` holds ", pair.size(), " numbers where two are needed");
    before.push_back(pair[0].as_int()), after.push_back(pair[1].as_int());
  }
  return {pad(x, before, after)};
}

Values like_rule(const OpCall& c, double v) {
  const Value x = c.x();
  const Json* dtype = c.option("dtype");
  return {full(c.program(), x.shape(), v, dtype ? dtype_from(dtype->as_string()) : x.dtype())};
}

template <Value (*f)(Value)>
Values unary(const OpCall& c) {
  return {f(c.x())};
}
template <Value (*f)(Value, Value)>
Values binary(const OpCall& c) {
  return {f(c.value(0, "x1"), c.value(1, "x2"))};
}
template <Value (*f)(Value, Axes, bool)>
Values reduction(const OpCall& c) {
  return {f(c.x(), c.axes(c.x()), c.flag("keepdims"))};
}
template <Value (*f)(Value, Axes, bool)>
Values bool_reduction(const OpCall& c) {
  const Value x = c.x(), b = x.dtype() == DType::boolean ? x : not_equal(x, scalar_like(x, 0));
  return {f(b, c.axes(b), c.flag("keepdims"))};
}
template <Value (*f)(Value, int)>
Values arg_reduction(const OpCall& c) {
  const Value x = c.x();
  const bool flat = !c.option("axis");
  const int axis = flat ? 0 : canonical_axis(c.integer("axis", 0), x.rank(), "argmax");
  const Value y = f(flat ? reshape(x, {-1}) : x, axis);
  return {c.flag("keepdims") ? expand_dims(y, axis) : y};
}
template <Value (*f)(Value, int)>
Values along_axis(const OpCall& c) {
  return {f(c.x(), static_cast<int>(c.integer("axis", -1)))};
}

Value clip(Value x, double low, double high) { return minimum(maximum(x, scalar_like(x, low)), scalar_like(x, high)); }
Value silu(Value x) { return x * sigmoid(x); }
Value relu6(Value x) { return clip(x, 0, 6); }
Value softsign(Value x) { return x / (abs(x) + 1.0); }

constexpr std::string_view kNumpy = "ops.numpy", kNn = "ops.nn", kCore = "ops.core", kMath = "ops.math";
constexpr std::string_view kOne = "x", kTwo = "x1, x2", kReduction = "x, axis=None, keepdims=False";

const OpRow kRows[] = {
    {"Add", kNumpy, kTwo, binary<add>},
    {"Subtract", kNumpy, kTwo, binary<sub>},
    {"Multiply", kNumpy, kTwo, binary<mul>},
    {"TrueDivide", kNumpy, kTwo, binary<div>},
    {"Divide", kNumpy, kTwo, binary<div>},
    {"FloorDivide", kNumpy, kTwo, binary<floor_divide>},
    {"Mod", kNumpy, kTwo, binary<mod>},
    {"Power", kNumpy, kTwo, binary<pow>},
    {"Maximum", kNumpy, kTwo, binary<maximum>},
    {"Minimum", kNumpy, kTwo, binary<minimum>},
    {"Arctan2", kNumpy, kTwo, binary<atan2>},
    {"Matmul", kNumpy, kTwo, matmul_rule},
    {"Equal", kNumpy, kTwo, binary<equal>},
    {"NotEqual", kNumpy, kTwo, binary<not_equal>},
    {"Less", kNumpy, kTwo, binary<less>},
    {"LessEqual", kNumpy, kTwo, binary<less_equal>},
    {"Greater", kNumpy, kTwo, binary<greater>},
    {"GreaterEqual", kNumpy, kTwo, binary<greater_equal>},
    {"LogicalAnd", kNumpy, kTwo, binary<logical_and>},
    {"LogicalOr", kNumpy, kTwo, binary<logical_or>},
    {"LogicalXor", kNumpy, kTwo, binary<logical_xor>},
    {"LogicalNot", kNumpy, kOne, unary<logical_not>},
    {"Negative", kNumpy, kOne, unary<neg>},
    {"Absolute", kNumpy, kOne, unary<abs>},
    {"Abs", kNumpy, kOne, unary<abs>},
    {"Sign", kNumpy, kOne, unary<sign>},
    {"Square", kNumpy, kOne, unary<square>},
    {"Sqrt", kNumpy, kOne, unary<sqrt>},
    {"Rsqrt", kMath, kOne, unary<rsqrt>},
    {"Reciprocal", kNumpy, kOne, unary<reciprocal>},
    {"Exp", kNumpy, kOne, unary<exp>},
    {"Expm1", kNumpy, kOne, unary<expm1>},
    {"Log", kNumpy, kOne, unary<log>},
    {"Log1p", kNumpy, kOne, unary<log1p>},
    {"Sin", kNumpy, kOne, unary<sin>},
    {"Cos", kNumpy, kOne, unary<cos>},
    {"Tanh", kNumpy, kOne, unary<tanh>},
    {"Floor", kNumpy, kOne, unary<floor>},
    {"Ceil", kNumpy, kOne, unary<ceil>},
    {"Erf", kMath, kOne, unary<erf>},
    {"Isnan", kNumpy, kOne, unary<is_nan>},
    {"Round", kNumpy, "x, decimals=0",
     [](const OpCall& c) -> Values {
       require(c.integer("decimals", 0) == 0, "Round: decimals other than 0 are not supported yet");
       return {round(c.x())};
     }},
    {"Clip", kNumpy, "x, x_min, x_max",
     [](const OpCall& c) -> Values {
       const Json *low = c.option("x_min"), *high = c.option("x_max");
       Value x = c.x();
       if (low) x = maximum(x, scalar_like(x, low->as_double()));
       if (high) x = minimum(x, scalar_like(x, high->as_double()));
       return {x};
     }},
    {"Sum", kNumpy, kReduction, reduction<reduce_sum>},
    {"Mean", kNumpy, kReduction, reduction<reduce_mean>},
    {"Max", kNumpy, kReduction, reduction<reduce_max>},
    {"Min", kNumpy, kReduction, reduction<reduce_min>},
    {"Amax", kNumpy, kReduction, reduction<reduce_max>},
    {"Amin", kNumpy, kReduction, reduction<reduce_min>},
    {"Prod", kNumpy, kReduction, reduction<reduce_prod>},
    {"Logsumexp", kMath, kReduction, reduction<logsumexp>},
    {"Any", kNumpy, kReduction, bool_reduction<reduce_max>},
    {"All", kNumpy, kReduction, bool_reduction<reduce_min>},
    {"Argmax", kNumpy, kReduction, arg_reduction<argmax>},
    {"Argmin", kNumpy, kReduction, arg_reduction<argmin>},
    {"Var", kNumpy, kReduction, [](const OpCall& c) -> Values { return {variance(c)}; }},
    {"Std", kNumpy, kReduction, [](const OpCall& c) -> Values { return {sqrt(variance(c))}; }},
    {"GetItem", kNumpy, "x, key", get_item_rule},
    {"Concatenate", kNumpy, "xs, axis=0",
     [](const OpCall& c) -> Values { return {concat(c.values(0), static_cast<int>(c.integer("axis", 0)))}; }},
    {"Stack", kNumpy, "x, axis=0",
     [](const OpCall& c) -> Values { return {stack(c.values(0), static_cast<int>(c.integer("axis", 0)))}; }},
    {"Split", kNumpy, "x, indices_or_sections, axis=0", split_rule},
    {"Reshape", kNumpy, "x, newshape",
     [](const OpCall& c) -> Values { return {reshape(c.x(), shape_option(c, "newshape", c.x()))}; }},
    {"Ravel", kNumpy, "x", [](const OpCall& c) -> Values { return {reshape(c.x(), {-1})}; }},
    {"Transpose", kNumpy, "x, axes=None", transpose_rule},
    {"Swapaxes", kNumpy, "x, axis1, axis2",
     [](const OpCall& c) -> Values {
       return {swap_axes(c.x(), static_cast<int>(c.integer("axis1", 0)), static_cast<int>(c.integer("axis2", 1)))};
     }},
    {"ExpandDims", kNumpy, "x, axis",
     [](const OpCall& c) -> Values { return {expand_dims(c.x(), static_cast<int>(c.integer("axis", 0)))}; }},
    {"Squeeze", kNumpy, "x, axis=None", squeeze_rule},
    {"BroadcastTo", kNumpy, "x, shape",
     [](const OpCall& c) -> Values { return {broadcast_to(c.x(), shape_option(c, "shape", c.x()))}; }},
    {"Repeat", kNumpy, "x, repeats, axis=None",
     [](const OpCall& c) -> Values {
       const bool flat = !c.option("axis");
       return {repeat_along(flat ? reshape(c.x(), {-1}) : c.x(), static_cast<int>(c.integer("axis", 0)),
                            c.integer("repeats", 1))};
     }},
    {"Flip", kNumpy, "x, axis=None", [](const OpCall& c) -> Values { return {reverse(c.x(), c.axes(c.x()))}; }},
    {"Pad", kNumpy, "x, pad_width, mode='constant'", pad_rule},
    {"Where", kNumpy, "condition, x1, x2",
     [](const OpCall& c) -> Values { return {select(c.value(0, "condition"), c.value(1, "x1"), c.value(2, "x2"))}; }},
    {"ZerosLike", kNumpy, "x, dtype=None", [](const OpCall& c) { return like_rule(c, 0); }},
    {"OnesLike", kNumpy, "x, dtype=None", [](const OpCall& c) { return like_rule(c, 1); }},
    {"Relu", kNn, kOne, unary<relu>},
    {"Relu6", kNn, kOne, unary<relu6>},
    {"Sigmoid", kNn, kOne, unary<sigmoid>},
    {"Softplus", kNn, kOne, unary<softplus>},
    {"Softsign", kNn, kOne, unary<softsign>},
    {"Silu", kNn, kOne, unary<silu>},
    {"Softmax", kNn, "x, axis=-1", along_axis<softmax>},
    {"LogSoftmax", kNn, "x, axis=-1", along_axis<log_softmax>},
    {"Cast", kCore, "x, dtype",
     [](const OpCall& c) -> Values { return {cast(c.x(), dtype_from(c.needed("dtype").as_string()))}; }},
    {"ConvertToTensor", kCore, "x, dtype=None",
     [](const OpCall& c) -> Values {
       const Json* dtype = c.option("dtype");
       return {dtype ? cast(c.x(), dtype_from(dtype->as_string())) : c.x()};
     }},
};

}  // namespace

std::span<const OpRow> op_rows() { return kRows; }

const OpRow* find_op_row(std::string_view class_name) {
  for (const OpRow& row : kRows)
    if (row.class_name == class_name) return &row;
  return nullptr;
}

}  // namespace ramet
