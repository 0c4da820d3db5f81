// Plain kernels of the pointwise ops: the scalar formula at every place, with broadcasting.
#include <array>

#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/backend/reference.h"
#include "ramet/ops/elementwise/elementwise.h"
#include "ramet/ops/elementwise/scalar.h"

namespace ramet::cpu {
namespace {

using ops::PointwiseKind;

struct UnaryArgs {
  std::int64_t count;
};
struct BinaryArgs {
  Shape shape, a, b;
};

template <class F, class In, class Out>
Step unary_step(const Site& site) {
  return make_step(UnaryArgs{element_count(site.out().shape)}, [](const UnaryArgs& args, const Buffers& buffers) {
    const In* x = buffers.input<In>(0);
    Out* y = buffers.output<Out>(0);
    for (std::int64_t i = 0; i < args.count; ++i) y[i] = F{}(x[i]);
  });
}

template <class F, class In, class Out>
Step binary_step(const Site& site) {
  const Shape& shape = site.out().shape;
  BinaryArgs args{shape, broadcast_strides(site.in(0).shape, shape), broadcast_strides(site.in(1).shape, shape)};
  return make_step(std::move(args), [](const BinaryArgs& args, const Buffers& buffers) {
    const In *a = buffers.input<In>(0), *b = buffers.input<In>(1);
    Out* y = buffers.output<Out>(0);
    walk<2>(args.shape, {args.a, args.b}, [&](std::int64_t i, const auto& at) { y[i] = F{}(a[at[0]], b[at[1]]); });
  });
}

template <class F, PointwiseKind kind>
Step make(const Site& site) {
  return visit_dtype(site.in(0).dtype, [&](auto zero) -> Step {
    using T = decltype(zero);
    constexpr bool number = !std::is_same_v<T, bool>;
    if constexpr (kind == PointwiseKind::float_unary) {
      if constexpr (scalar::is_float<T>) return unary_step<F, T, T>(site);
    } else if constexpr (kind == PointwiseKind::number_unary) {
      if constexpr (number) return unary_step<F, T, T>(site);
    } else if constexpr (kind == PointwiseKind::test_unary) {
      if constexpr (scalar::is_float<T>) return unary_step<F, T, bool>(site);
    } else if constexpr (kind == PointwiseKind::float_binary) {
      if constexpr (scalar::is_float<T>) return binary_step<F, T, T>(site);
    } else if constexpr (kind == PointwiseKind::number_binary) {
      return binary_step<F, T, T>(site);
    } else if constexpr (kind == PointwiseKind::compare) {
      return binary_step<F, T, bool>(site);
    } else if constexpr (kind == PointwiseKind::logic_unary) {
      if constexpr (!number) return unary_step<F, T, bool>(site);
    } else {
      if constexpr (!number) return binary_step<F, T, bool>(site);
    }
    throw UsageError(cat(site.instr.op->name, " is not defined for ", site.in(0)));
  });
}

struct SelectArgs {
  Shape shape, condition, yes, no;
};

template <class T>
void select_run(const SelectArgs& args, const Buffers& buffers) {
  const bool* condition = buffers.input<bool>(0);
  const T *yes = buffers.input<T>(1), *no = buffers.input<T>(2);
  T* y = buffers.output<T>(0);
  walk<3>(args.shape, {args.condition, args.yes, args.no},
          [&](std::int64_t i, const auto& at) { y[i] = condition[at[0]] ? yes[at[1]] : no[at[2]]; });
}

Step make_select(const Site& site) {
  const Shape& shape = site.out().shape;
  SelectArgs args{shape, broadcast_strides(site.in(0).shape, shape), broadcast_strides(site.in(1).shape, shape),
                  broadcast_strides(site.in(2).shape, shape)};
  return visit_dtype(site.out().dtype, [&](auto zero) {
    return make_step(std::move(args), [](const SelectArgs& a, const Buffers& b) { select_run<decltype(zero)>(a, b); });
  });
}

// A float outside the integer's range gives the nearest integer, as XLA does; C++ leaves it undefined.
template <class To, class From>
To convert(From x) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && !std::is_same_v<To, bool>) {
    if (x != x) return To(0);
    if (x <= static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    if (x >= static_cast<From>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
  }
  return static_cast<To>(x);
}

Step make_cast(const Site& site) {
  return visit_element(site.in(0).dtype, [&](auto from) {
    return visit_element(site.out().dtype, [&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
      return make_step(UnaryArgs{element_count(site.out().shape)}, [](const UnaryArgs& args, const Buffers& buffers) {
        const From* x = buffers.input<From>(0);
        To* y = buffers.output<To>(0);
        for (std::int64_t i = 0; i < args.count; ++i) y[i] = convert<To>(x[i]);
      });
    });
  });
}

}  // namespace

void add_elementwise_kernels(KernelList& list) {
  using namespace ops;
  const auto add = [&](const OpDef& op, Step (*make_kernel)(const Site&)) {
    list.push_back({&op, "ref_pointwise", always, make_kernel});
  };
  add(neg_op, make<scalar::Neg, PointwiseKind::number_unary>);
  add(abs_op, make<scalar::Abs, PointwiseKind::number_unary>);
  add(sign_op, make<scalar::Sign, PointwiseKind::number_unary>);
  add(square_op, make<scalar::Square, PointwiseKind::number_unary>);
  add(relu_op, make<scalar::Relu, PointwiseKind::number_unary>);
  add(exp_op, make<scalar::Exp, PointwiseKind::float_unary>);
  add(expm1_op, make<scalar::Expm1, PointwiseKind::float_unary>);
  add(log_op, make<scalar::Log, PointwiseKind::float_unary>);
  add(log1p_op, make<scalar::Log1p, PointwiseKind::float_unary>);
  add(sqrt_op, make<scalar::Sqrt, PointwiseKind::float_unary>);
  add(rsqrt_op, make<scalar::Rsqrt, PointwiseKind::float_unary>);
  add(reciprocal_op, make<scalar::Reciprocal, PointwiseKind::float_unary>);
  add(sin_op, make<scalar::Sin, PointwiseKind::float_unary>);
  add(cos_op, make<scalar::Cos, PointwiseKind::float_unary>);
  add(tanh_op, make<scalar::Tanh, PointwiseKind::float_unary>);
  add(erf_op, make<scalar::Erf, PointwiseKind::float_unary>);
  add(sigmoid_op, make<scalar::Sigmoid, PointwiseKind::float_unary>);
  add(softplus_op, make<scalar::Softplus, PointwiseKind::float_unary>);
  add(gelu_op, make<scalar::Gelu, PointwiseKind::float_unary>);
  add(gelu_slope_op, make<scalar::GeluSlope, PointwiseKind::float_unary>);
  add(floor_op, make<scalar::Floor, PointwiseKind::float_unary>);
  add(ceil_op, make<scalar::Ceil, PointwiseKind::float_unary>);
  add(round_op, make<scalar::Round, PointwiseKind::float_unary>);
  add(is_nan_op, make<scalar::IsNan, PointwiseKind::test_unary>);
  add(add_op, make<scalar::Add, PointwiseKind::number_binary>);
  add(sub_op, make<scalar::Sub, PointwiseKind::number_binary>);
  add(mul_op, make<scalar::Mul, PointwiseKind::number_binary>);
  add(div_op, make<scalar::Div, PointwiseKind::float_binary>);
  add(pow_op, make<scalar::Pow, PointwiseKind::float_binary>);
  add(maximum_op, make<scalar::Maximum, PointwiseKind::number_binary>);
  add(minimum_op, make<scalar::Minimum, PointwiseKind::number_binary>);
  add(floor_divide_op, make<scalar::FloorDivide, PointwiseKind::number_binary>);
  add(mod_op, make<scalar::Mod, PointwiseKind::number_binary>);
  add(atan2_op, make<scalar::Atan2, PointwiseKind::float_binary>);
  add(equal_op, make<scalar::Equal, PointwiseKind::compare>);
  add(not_equal_op, make<scalar::NotEqual, PointwiseKind::compare>);
  add(less_op, make<scalar::Less, PointwiseKind::compare>);
  add(less_equal_op, make<scalar::LessEqual, PointwiseKind::compare>);
  add(greater_op, make<scalar::Greater, PointwiseKind::compare>);
  add(greater_equal_op, make<scalar::GreaterEqual, PointwiseKind::compare>);
  add(and_op, make<scalar::And, PointwiseKind::logic_binary>);
  add(or_op, make<scalar::Or, PointwiseKind::logic_binary>);
  add(xor_op, make<scalar::Xor, PointwiseKind::logic_binary>);
  add(not_op, make<scalar::Not, PointwiseKind::logic_unary>);
  list.push_back({&select_op, "ref_select", always, make_select});
  list.push_back({&cast_op, "ref_cast", always, make_cast});
}

}  // namespace ramet::cpu
