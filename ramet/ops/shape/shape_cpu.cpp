// Kernels that move elements. They do not look at them, so one instance per element size serves every type.
#include <algorithm>
#include <array>
#include <cstring>

#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/backend/reference.h"
#include "ramet/ops/shape/shape_ops.h"

namespace ramet::cpu {
namespace {

struct CopyArgs {
  std::size_t bytes;
};

Step make_reshape(const Site& site) {
  const auto bytes = static_cast<std::size_t>(element_count(site.out().shape)) * size_of(site.out().dtype);
  return make_step(CopyArgs{bytes}, [](const CopyArgs& a, const Buffers& b) {
    if (b.out[0] != b.in[0]) std::memmove(b.out[0], b.in[0], a.bytes);
  });
}

// y[i…] = x[base + Σ i·step]: transposition, broadcasting, slicing and reversal are all this.
struct StridedArgs {
  Shape shape, step;
  std::int64_t base = 0;
};

template <class T>
void run_strided(const StridedArgs& args, const Buffers& buffers) {
  const T* x = buffers.input<T>(0) + args.base;
  T* y = buffers.output<T>(0);
  if (element_count(args.shape) == 0) return;
  if (args.shape.empty()) {
    *y = *x;
    return;
  }
  Shape outer = args.shape, step = args.step;
  const std::int64_t run = outer.back(), stride = step.back();
  outer.pop_back();
  step.pop_back();
  walk<1>(outer, {step}, [&](std::int64_t i, const auto& at) {
    const T* from = x + at[0];
    T* to = y + i * run;
    if (stride == 1)
      std::memcpy(to, from, static_cast<std::size_t>(run) * sizeof(T));
    else
      for (std::int64_t k = 0; k < run; ++k) to[k] = from[k * stride];
  });
}

template <class Run>
Step by_size(DType dtype, Run run) {
  switch (size_of(dtype)) {
    case 1: return run(std::uint8_t{});
    case 2: return run(std::uint16_t{});
    case 4: return run(std::uint32_t{});
    default: return run(std::uint64_t{});
  }
}

Step strided_step(const Site& site, StridedArgs args) {
  return by_size(site.out().dtype, [&](auto zero) {
    return make_step(std::move(args),
                     [](const StridedArgs& a, const Buffers& b) { run_strided<decltype(zero)>(a, b); });
  });
}

Step make_transpose(const Site& site) {
  const Shape dense = row_major_strides(site.in(0).shape);
  StridedArgs args{site.out().shape, {}, 0};
  for (const auto axis : site.attrs<ops::TransposeAttrs>().axes)
    args.step.push_back(dense[static_cast<std::size_t>(axis)]);
  return strided_step(site, std::move(args));
}

Step make_broadcast(const Site& site) {
  return strided_step(site, {site.out().shape, broadcast_strides(site.in(0).shape, site.out().shape), 0});
}

Step make_slice(const Site& site) {
  const auto& a = site.attrs<ops::SliceAttrs>();
  StridedArgs args{site.out().shape, row_major_strides(site.in(0).shape), 0};
  for (std::size_t i = 0; i < args.step.size(); ++i) {
    args.base += a.begin[i] * args.step[i];
    args.step[i] *= a.step[i];
  }
  return strided_step(site, std::move(args));
}

Step make_reverse(const Site& site) {
  StridedArgs args{site.out().shape, row_major_strides(site.in(0).shape), 0};
  for (const auto axis : site.attrs<ops::ReverseAttrs>().axes) {
    const auto i = static_cast<std::size_t>(axis);
    args.base += (args.shape[i] - 1) * args.step[i];
    args.step[i] = -args.step[i];
  }
  return strided_step(site, std::move(args));
}

struct PadArgs {
  Shape in, out_step, before, inside, out;
};

template <class T>
void run_pad(const PadArgs& args, const Buffers& buffers) {
  const T* x = buffers.input<T>(0);
  T* y = buffers.output<T>(0);
  const auto total = element_count(args.out);
  std::memset(y, 0, static_cast<std::size_t>(total) * sizeof(T));
  Shape index(args.in.size(), 0);
  const auto count = element_count(args.in);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t at = 0;
    bool inside = true;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      const auto place = args.before[axis] + index[axis] * (args.inside[axis] + 1);
      inside = inside && place >= 0 && place < args.out[axis];
      at += place * args.out_step[axis];
    }
    if (inside) y[at] = x[i];
    for (std::size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < args.in[axis]) break;
      index[axis] = 0;
    }
  }
}

Step make_pad(const Site& site) {
  const auto& a = site.attrs<ops::PadAttrs>();
  PadArgs args{site.in(0).shape, row_major_strides(site.out().shape), a.before, a.inside, site.out().shape};
  return by_size(site.out().dtype, [&](auto zero) {
    return make_step(std::move(args), [](const PadArgs& p, const Buffers& b) { run_pad<decltype(zero)>(p, b); });
  });
}

struct ConcatArgs {
  std::int64_t outer = 1;
  std::vector<std::size_t> bytes;  // of one outer row of each input
};

Step make_concat(const Site& site) {
  const auto axis = static_cast<std::size_t>(site.attrs<ops::AxisAttrs>().axis);
  ConcatArgs args;
  for (std::size_t i = 0; i < axis; ++i) args.outer *= site.out().shape[i];
  for (std::size_t k = 0; k < site.in_count(); ++k) {
    std::size_t bytes = size_of(site.out().dtype);
    for (std::size_t i = axis; i < site.in(k).rank(); ++i) bytes *= static_cast<std::size_t>(site.in(k).shape[i]);
    args.bytes.push_back(bytes);
  }
  return make_step(std::move(args), [](const ConcatArgs& a, const Buffers& b) {
    char* to = b.output<char>(0);
    for (std::int64_t o = 0; o < a.outer; ++o)
      for (std::size_t k = 0; k < a.bytes.size(); ++k) {
        std::memcpy(to, b.input<char>(k) + static_cast<std::size_t>(o) * a.bytes[k], a.bytes[k]);
        to += a.bytes[k];
      }
  });
}

}  // namespace

void add_shape_kernels(KernelList& list) {
  list.push_back({&ops::reshape_op, "copy", always, make_reshape});
  list.push_back({&ops::transpose_op, "strided", always, make_transpose});
  list.push_back({&ops::broadcast_to_op, "strided", always, make_broadcast});
  list.push_back({&ops::slice_op, "strided", always, make_slice});
  list.push_back({&ops::reverse_op, "strided", always, make_reverse});
  list.push_back({&ops::pad_op, "pad", always, make_pad});
  list.push_back({&ops::concat_op, "concat", always, make_concat});
}

}  // namespace ramet::cpu
