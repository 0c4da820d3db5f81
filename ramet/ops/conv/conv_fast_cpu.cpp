// Convolution by the packed kernels: one or two spatial axes, float32.
#include "ramet/backend/cpu/conv.h"
#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/ops/conv/conv.h"
#include "ramet/ops/matmul/linear.h"

namespace ramet::cpu {
namespace {

struct Args {
  Conv2D shape;
  ops::EpilogueActivation activation = {0};
  bool bias = false, residual = false, packed = false;  // packed: the kernel arrives in our layout
  int parts = 1;
  std::size_t packed_bytes = 0, scratch_each = 0;
};

std::size_t aligned(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

// One spatial axis is two with a height of one.
template <class A>
Conv2D shape_of(const A& a, const Shape& x, const Shape& w, const Shape& y) {
  const bool two = a.strides.size() == 2;
  const auto pick = [&](const auto& list, std::int64_t otherwise, std::size_t i) {
    return two ? list[i] : i == 0 ? otherwise : list[0];
  };
  Conv2D s;
  s.n = x[0], s.c = x.back(), s.f = w.back(), s.groups = a.groups;
  s.h = two ? x[1] : 1, s.w = x[x.size() - 2];
  s.kh = two ? w[0] : 1, s.kw = w[w.size() - 3];
  s.oh = two ? y[1] : 1, s.ow = y[y.size() - 2];
  s.stride_h = pick(a.strides, 1, 0), s.stride_w = pick(a.strides, 1, 1);
  s.dilation_h = pick(a.dilation, 1, 0), s.dilation_w = pick(a.dilation, 1, 1);
  s.pad_top = pick(a.pad_before, 0, 0), s.pad_left = pick(a.pad_before, 0, 1);
  return s;
}

template <class Conv>
void set_parts(Args& args, const Conv& conv) {
  const Conv2D& s = args.shape;
  const double work =
      2.0 * static_cast<double>(s.n * s.oh * s.ow * s.kh * s.kw) * static_cast<double>(s.c / s.groups * s.f);
  args.parts = std::max(conv_parts(conv, work < 1e6 ? 1 : num_threads()), 1);
  args.scratch_each = aligned(conv_scratch(conv));
}

// The kernel in our layout: as prepared, or packed now at the head of the scratch.
template <auto pack>
const float* packed_kernel(const Args& a, const Buffers& b) {
  if (a.packed) return b.input<float>(1);
  if (!a.packed_bytes) return nullptr;
  auto* to = static_cast<float*>(b.scratch);
  pack(a.shape, b.input<float>(1), to);
  return to;
}

template <class Conv>
void run(const Args& a, const Buffers& b, const Conv& conv) {
  const int parts = std::min(a.parts, b.pool.threads());
  char* scratch = static_cast<char*>(b.scratch) + (a.packed ? 0 : aligned(a.packed_bytes));
  if (parts <= 1) return conv_part(conv, 0, 1, scratch);
  b.pool.parallel_for(
      parts, [&](int i) { conv_part(conv, i, parts, scratch + static_cast<std::size_t>(i) * a.scratch_each); });
}

std::size_t scratch_of(const Args& a) {
  return (a.packed ? 0 : aligned(a.packed_bytes)) + a.scratch_each * static_cast<std::size_t>(a.parts);
}

template <auto pack>
void add_pack(Step& step, const Args& args) {
  step.packs.push_back({1, args.packed_bytes, [](const void* p, const void* in, void* out) {
                          pack(static_cast<const Args*>(p)->shape, static_cast<const float*>(in),
                               static_cast<float*>(out));
                        }});
}

template <class A>
Step make_forward(const Site& site) {
  const auto& at = site.attrs<A>();
  Args args;
  args.shape = shape_of(at, site.in(0).shape, site.in(1).shape, site.out().shape);
  if constexpr (requires { at.activation; })
    args.activation = ops::epilogue_activation(at.activation), args.bias = at.bias, args.residual = at.residual;
  args.packed_bytes = is_depthwise(args.shape) ? 0 : conv_packed_size(args.shape) * sizeof(float);
  args.packed = args.packed_bytes && site.fixed(1);
  static const float something = 0;
  ConvForward probe{args.shape, &something, &something, args.packed_bytes ? &something : nullptr, nullptr, {}};
  probe.epilogue.activation = args.activation.code;
  probe.epilogue.bias = args.bias ? &something : nullptr;
  set_parts(args, probe);
  const std::size_t scratch = scratch_of(args);
  Step step = make_step(
      args,
      [](const Args& a, const Buffers& b) {
        ConvForward conv;
        conv.shape = a.shape;
        conv.x = b.input<float>(0);
        conv.kernel = a.packed ? nullptr : b.input<float>(1);
        conv.packed_kernel = packed_kernel<pack_conv_kernel>(a, b);
        conv.y = b.output<float>(0);
        conv.epilogue.activation = a.activation.code;
        conv.epilogue.ceiling = a.activation.ceiling;
        if (a.bias) conv.epilogue.bias = b.input<float>(2);
        if (a.residual) conv.epilogue.residual = b.input<float>(a.bias ? 3 : 2);
        run(a, b, conv);
      },
      scratch);
  if (args.packed) add_pack<pack_conv_kernel>(step, args);
  return step;
}

Step make_input_grad(const Site& site) {
  const auto& at = site.attrs<ops::ConvGradAttrs>();
  Args args;
  args.shape = shape_of(at, site.out().shape, site.in(1).shape, site.in(0).shape);
  args.packed_bytes = is_depthwise(args.shape) ? 0 : conv_input_grad_packed_size(args.shape) * sizeof(float);
  args.packed = args.packed_bytes && site.fixed(1);
  static const float something = 0;
  ConvInputGrad probe{args.shape, &something, &something, args.packed_bytes ? &something : nullptr, nullptr};
  set_parts(args, probe);
  const std::size_t scratch = scratch_of(args);
  Step step = make_step(
      args,
      [](const Args& a, const Buffers& b) {
        ConvInputGrad conv;
        conv.shape = a.shape;
        conv.dy = b.input<float>(0);
        conv.kernel = a.packed ? nullptr : b.input<float>(1);
        conv.packed_kernel = packed_kernel<pack_conv_input_grad>(a, b);
        conv.dx = b.output<float>(0);
        run(a, b, conv);
      },
      scratch);
  if (args.packed) add_pack<pack_conv_input_grad>(step, args);
  return step;
}

Step make_kernel_grad(const Site& site) {
  const auto& at = site.attrs<ops::ConvGradAttrs>();
  Args args;
  args.shape = shape_of(at, site.in(0).shape, site.out().shape, site.in(1).shape);
  static const float something = 0;
  ConvKernelGrad probe{args.shape, &something, &something, nullptr, false};
  set_parts(args, probe);
  return make_step(
      args,
      [](const Args& a, const Buffers& b) {
        run(a, b, ConvKernelGrad{a.shape, b.input<float>(0), b.input<float>(1), b.output<float>(0), false});
      },
      scratch_of(args));
}

bool supported(const Site& site) {
  if (site.out().dtype != DType::f32 || (site.out().rank() != 3 && site.out().rank() != 4)) return false;
  return element_count(site.in(0).shape) > 0 && element_count(site.in(1).shape) > 0 &&
         element_count(site.out().shape) > 0;
}

}  // namespace

void add_fast_conv_kernels(KernelList& list) {
  list.push_back({&ops::conv_op, "packed_conv", supported, make_forward<ops::ConvAttrs>, false});
  list.push_back({&ops::conv_linear_op, "packed_conv", supported, make_forward<ops::ConvLinearAttrs>, false});
  list.push_back({&ops::conv_input_grad_op, "packed_conv", supported, make_input_grad, false});
  list.push_back({&ops::conv_kernel_grad_op, "packed_conv", supported, make_kernel_grad, false});
}

}  // namespace ramet::cpu
