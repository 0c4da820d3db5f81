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

// The axes up to the last one that is padded; what lies inside that is copied as blocks of `block` bytes.
struct PadArgs {
  Shape in, out, out_step, before, inside;  // steps in bytes
  std::size_t block = 0, total = 0;
};

PadArgs pad_args(const Site& site) {
  const auto& a = site.attrs<ops::PadAttrs>();
  const Shape &in = site.in(0).shape, &out = site.out().shape;
  std::size_t axes = in.size();
  while (axes > 1 && a.before[axes - 1] == 0 && a.after[axes - 1] == 0 && a.inside[axes - 1] == 0) --axes;
  PadArgs args;
  args.block = size_of(site.out().dtype);
  for (std::size_t i = axes; i < in.size(); ++i) args.block *= static_cast<std::size_t>(in[i]);
  const auto head = [&](const auto& list) {
    return Shape(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(axes));
  };
  args.in = head(in), args.out = head(out), args.before = head(a.before), args.inside = head(a.inside);
  args.out_step = row_major_strides(args.out);
  for (auto& step : args.out_step) step *= static_cast<std::int64_t>(args.block);
  args.total = static_cast<std::size_t>(element_count(args.out)) * args.block;
  return args;
}

// The part of an axis that stays inside the result.
struct PadRange {
  std::int64_t begin, end;
};

PadRange kept(std::int64_t size, std::int64_t out, std::int64_t before, std::int64_t step) {
  const auto first = before >= 0 ? 0 : (-before + step - 1) / step;
  const auto last = out - before <= 0 ? 0 : std::min(size, (out - before + step - 1) / step);
  return {first, std::max(first, last)};
}

void run_pad(const PadArgs& a, const Buffers& buffers) {
  const char* x = buffers.input<char>(0);
  char* y = buffers.output<char>(0);
  if (!a.total) return;
  std::memset(y, 0, a.total);
  if (a.in.empty()) return static_cast<void>(std::memcpy(y, x, a.block));
  const std::size_t last = a.in.size() - 1;
  const std::int64_t row = a.in[last], step = a.inside[last] + 1, rows = row ? element_count(a.in) / row : 0;
  const PadRange keep = kept(row, a.out[last], a.before[last], step);
  const auto block = static_cast<std::int64_t>(a.block);
  Shape index(last, 0);
  for (std::int64_t r = 0; r < rows; ++r, x += row * block) {
    std::int64_t at = (a.before[last] + keep.begin * step) * block;
    bool inside = keep.begin < keep.end;
    for (std::size_t axis = 0; axis < last; ++axis) {
      const auto place = a.before[axis] + index[axis] * (a.inside[axis] + 1);
      inside = inside && place >= 0 && place < a.out[axis];
      at += place * a.out_step[axis];
    }
    if (inside && step == 1)
      std::memcpy(y + at, x + keep.begin * block, static_cast<std::size_t>((keep.end - keep.begin) * block));
    for (std::int64_t i = keep.begin; inside && step > 1 && i < keep.end; ++i, at += step * block)
      std::memcpy(y + at, x + i * block, a.block);
    for (std::size_t axis = last; axis-- > 0;) {
      if (++index[axis] < a.in[axis]) break;
      index[axis] = 0;
    }
  }
}

Step make_pad(const Site& site) {
  return make_step(pad_args(site), [](const PadArgs& a, const Buffers& b) { run_pad(a, b); });
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
        const char* from = b.input<char>(k) + static_cast<std::size_t>(o) * a.bytes[k];
        if (from != to && a.bytes[k]) std::memcpy(to, from, a.bytes[k]);  // the plan may have had it made in place
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
