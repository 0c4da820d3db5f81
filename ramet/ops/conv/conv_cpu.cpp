// The plain kernels of convolution: one walk over every (place, window cell) that lies inside the input, for all three.
#include <cstring>

#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/ops/conv/conv.h"
#include "ramet/ops/matmul/linear_scalar.h"

namespace ramet::cpu {
namespace {

struct Args {
  Shape x, w, y;  // with batch and channels
  std::vector<std::int64_t> strides, dilation, pad;
  std::int64_t groups = 1;
};

// visit(sample, offset of the window's cell in the input, of the cell in the kernel, of the place in the output), in
// pixels.
template <class Visit>
void each_touch(const Args& a, Visit&& visit) {
  const std::size_t spatial = a.strides.size();
  const Shape out(a.y.begin() + 1, a.y.end() - 1), window(a.w.begin(), a.w.end() - 2);
  const auto places = element_count(out), cells = element_count(window);
  const std::int64_t pixels = element_count(Shape(a.x.begin() + 1, a.x.end() - 1));
  Shape p(spatial), c(spatial);
  for (std::int64_t n = 0; n < a.y[0]; ++n)
    for (std::int64_t place = 0; place < places; ++place) {
      for (std::int64_t rest = place, i = static_cast<std::int64_t>(spatial); i-- > 0;
           rest /= out[static_cast<std::size_t>(i)])
        p[static_cast<std::size_t>(i)] = rest % out[static_cast<std::size_t>(i)];
      for (std::int64_t cell = 0; cell < cells; ++cell) {
        for (std::int64_t rest = cell, i = static_cast<std::int64_t>(spatial); i-- > 0;
             rest /= window[static_cast<std::size_t>(i)])
          c[static_cast<std::size_t>(i)] = rest % window[static_cast<std::size_t>(i)];
        std::int64_t at = 0;
        bool inside = true;
        for (std::size_t i = 0; i < spatial; ++i) {
          const auto x = p[i] * a.strides[i] + c[i] * a.dilation[i] - a.pad[i];
          inside = inside && x >= 0 && x < a.x[i + 1];
          at = at * a.x[i + 1] + x;
        }
        if (inside) visit(n * pixels + at, cell, n * places + place);
      }
    }
}

// visit(index into x, into w, into y) for every product of the trilinear form.
template <class Visit>
void each_product(const Args& a, Visit&& visit) {
  const auto channels = a.x.back(), per_group = a.w.end()[-2], filters = a.w.back(),
             filters_per_group = filters / a.groups;
  each_touch(a, [&](std::int64_t pixel, std::int64_t cell, std::int64_t place) {
    for (std::int64_t g = 0; g < a.groups; ++g)
      for (std::int64_t c = 0; c < per_group; ++c)
        for (std::int64_t f = 0; f < filters_per_group; ++f) {
          const auto filter = g * filters_per_group + f;
          visit(pixel * channels + g * per_group + c, (cell * per_group + c) * filters + filter,
                place * filters + filter);
        }
  });
}

template <class T>
void store(const std::vector<double>& sums, T* out) {
  for (std::size_t i = 0; i < sums.size(); ++i) out[i] = static_cast<T>(sums[i]);
}

template <class Make>
Step floating(const Site& site, Make make) {
  return site.out().dtype == DType::f64 ? make(double{}) : make(float{});
}

Step make_conv(const Site& site) {
  const auto& at = site.attrs<ops::ConvAttrs>();
  Args args{site.in(0).shape, site.in(1).shape, site.out().shape, at.strides, at.dilation, at.pad_before, at.groups};
  return floating(site, [&](auto zero) {
    return make_step(std::move(args), [](const Args& a, const Buffers& b) {
      using T = decltype(zero);
      const T *x = b.input<T>(0), *w = b.input<T>(1);
      std::vector<double> sums(static_cast<std::size_t>(element_count(a.y)), 0.0);
      each_product(a,
                   [&](auto i, auto j, auto k) { sums[static_cast<std::size_t>(k)] += double(x[i]) * double(w[j]); });
      store(sums, b.output<T>(0));
    });
  });
}

struct LinearArgs {
  Args conv;
  bool bias, residual;
  ops::EpilogueActivation activation;
};

Step make_conv_linear(const Site& site) {
  const auto& at = site.attrs<ops::ConvLinearAttrs>();
  LinearArgs args{
      {site.in(0).shape, site.in(1).shape, site.out().shape, at.strides, at.dilation, at.pad_before, at.groups},
      at.bias,
      at.residual,
      ops::epilogue_activation(at.activation)};
  return make_step(std::move(args), [](const LinearArgs& a, const Buffers& b) {
    const float *x = b.input<float>(0), *w = b.input<float>(1);
    float* y = b.output<float>(0);
    std::vector<double> sums(static_cast<std::size_t>(element_count(a.conv.y)), 0.0);
    each_product(a.conv,
                 [&](auto i, auto j, auto k) { sums[static_cast<std::size_t>(k)] += double(x[i]) * double(w[j]); });
    for (std::size_t i = 0; i < sums.size(); ++i) {
      float v = static_cast<float>(sums[i]);
      if (a.bias) v += b.input<float>(2)[i % static_cast<std::size_t>(a.conv.y.back())];
      if (a.residual) v += b.input<float>(a.bias ? 3 : 2)[i];
      y[i] = ops::finished(a.activation, v);
    }
  });
}

Step make_input_grad(const Site& site) {
  const auto& at = site.attrs<ops::ConvGradAttrs>();
  Args args{site.out().shape, site.in(1).shape, site.in(0).shape, at.strides, at.dilation, at.pad_before, at.groups};
  return floating(site, [&](auto zero) {
    return make_step(std::move(args), [](const Args& a, const Buffers& b) {
      using T = decltype(zero);
      const T *dy = b.input<T>(0), *w = b.input<T>(1);
      std::vector<double> sums(static_cast<std::size_t>(element_count(a.x)), 0.0);
      each_product(a,
                   [&](auto i, auto j, auto k) { sums[static_cast<std::size_t>(i)] += double(dy[k]) * double(w[j]); });
      store(sums, b.output<T>(0));
    });
  });
}

Step make_kernel_grad(const Site& site) {
  const auto& at = site.attrs<ops::ConvGradAttrs>();
  Args args{site.in(0).shape, site.out().shape, site.in(1).shape, at.strides, at.dilation, at.pad_before, at.groups};
  return floating(site, [&](auto zero) {
    return make_step(std::move(args), [](const Args& a, const Buffers& b) {
      using T = decltype(zero);
      const T *x = b.input<T>(0), *dy = b.input<T>(1);
      std::vector<double> sums(static_cast<std::size_t>(element_count(a.w)), 0.0);
      each_product(a,
                   [&](auto i, auto j, auto k) { sums[static_cast<std::size_t>(j)] += double(x[i]) * double(dy[k]); });
      store(sums, b.output<T>(0));
    });
  });
}

}  // namespace

void add_conv_kernels(KernelList& list) {
  list.push_back({&ops::conv_op, "ref_conv", always, make_conv});
  list.push_back({&ops::conv_linear_op, "ref_conv", always, make_conv_linear});
  list.push_back({&ops::conv_input_grad_op, "ref_conv", always, make_input_grad});
  list.push_back({&ops::conv_kernel_grad_op, "ref_conv", always, make_kernel_grad});
}

}  // namespace ramet::cpu
