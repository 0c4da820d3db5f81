// Pooling by the vector kernels: one or two spatial axes, float32.
#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/backend/cpu/pool.h"
#include "ramet/ops/pool/pool.h"

namespace ramet::cpu {
namespace {

struct Args {
  Pool2D shape;
  int parts = 1;
};

template <class A>
Pool2D shape_of(const A& a, const Shape& x, const Shape& y) {
  const bool two = a.window.size() == 2;
  const auto pick = [&](const auto& list, std::int64_t otherwise, std::size_t i) {
    return two ? list[i] : i == 0 ? otherwise : list[0];
  };
  Pool2D s;
  s.n = x[0], s.c = x.back(), s.h = two ? x[1] : 1, s.w = x[x.size() - 2];
  s.oh = two ? y[1] : 1, s.ow = y[y.size() - 2];
  s.kh = pick(a.window, 1, 0), s.kw = pick(a.window, 1, 1);
  s.stride_h = pick(a.strides, 1, 0), s.stride_w = pick(a.strides, 1, 1);
  s.pad_top = pick(a.pad_before, 0, 0), s.pad_left = pick(a.pad_before, 0, 1);
  return s;
}

int threads_for(const Pool2D& s) { return s.n * s.oh * s.ow * s.c * s.kh * s.kw < 100'000 ? 1 : num_threads(); }

template <class Pool>
void run(const Args& a, const Buffers& b, const Pool& pool) {
  const int parts = std::min(a.parts, b.pool.threads());
  if (parts <= 1) return pool_part(pool, 0, 1);
  b.pool.parallel_for(parts, [&](int i) { pool_part(pool, i, parts); });
}

template <class Pool, class Run>
Step step(const Pool2D& shape, Run body) {
  Pool probe;
  probe.shape = shape;
  return make_step(Args{shape, std::max(pool_parts(probe, threads_for(shape)), 1)}, body);
}

Step make_max(const Site& site) {
  return step<MaxPool>(shape_of(site.attrs<ops::PoolAttrs>(), site.in(0).shape, site.out().shape),
                       [](const Args& a, const Buffers& b) {
                         run(a, b, MaxPool{a.shape, b.input<float>(0), b.output<float>(0)});
                       });
}
Step make_avg(const Site& site) {
  return step<AveragePool>(shape_of(site.attrs<ops::PoolAttrs>(), site.in(0).shape, site.out().shape),
                           [](const Args& a, const Buffers& b) {
                             run(a, b, AveragePool{a.shape, b.input<float>(0), b.output<float>(0)});
                           });
}
Step make_max_grad(const Site& site) {
  return step<MaxPoolGrad>(shape_of(site.attrs<ops::PoolAttrs>(), site.in(0).shape, site.in(1).shape),
                           [](const Args& a, const Buffers& b) {
                             run(a, b, MaxPoolGrad{a.shape, b.input<float>(1), b.input<float>(0), b.output<float>(0)});
                           });
}
Step make_avg_grad(const Site& site) {
  return step<AveragePoolGrad>(shape_of(site.attrs<ops::AvgPoolGradAttrs>(), site.out().shape, site.in(0).shape),
                               [](const Args& a, const Buffers& b) {
                                 run(a, b, AveragePoolGrad{a.shape, b.input<float>(0), b.output<float>(0)});
                               });
}

bool supported(const Site& site) {
  return site.out().dtype == DType::f32 && (site.out().rank() == 3 || site.out().rank() == 4) &&
         element_count(site.in(0).shape) > 0 && element_count(site.out().shape) > 0;
}

}  // namespace

void add_fast_pool_kernels(KernelList& list) {
  list.push_back({&ops::max_pool_op, "vector_pool", supported, make_max, false});
  list.push_back({&ops::avg_pool_op, "vector_pool", supported, make_avg, false});
  list.push_back({&ops::max_pool_grad_op, "vector_pool", supported, make_max_grad, false});
  list.push_back({&ops::avg_pool_grad_op, "vector_pool", supported, make_avg_grad, false});
}

}  // namespace ramet::cpu
