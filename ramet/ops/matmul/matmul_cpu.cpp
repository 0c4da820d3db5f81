#include "ramet/ops/matmul/matmul.h"

#include "ramet/backend/cpu/gemm.h"
#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/backend/cpu/pointwise.h"
#include "ramet/backend/reference.h"
#include "ramet/ops/matmul/linear_scalar.h"

namespace ramet::cpu {
namespace {

struct Args {
  Shape batch, a_batch, b_batch;  // shape of the batch axes, and the operands' steps along them
  std::int64_t m, n, k, a_row, a_col, b_row, b_col;
};

Shape lead(const Shape& s) { return Shape(s.begin(), s.end() - 2); }

// Steps along the batch axes, in elements of the whole operand.
Shape batch_strides(const Shape& shape, const Shape& batch) {
  Shape steps = broadcast_strides(lead(shape), batch);
  for (auto& step : steps) step *= shape.end()[-1] * shape.end()[-2];
  return steps;
}

template <class A>
Args make_args(const Site& site) {
  const auto& at = site.attrs<A>();
  const Shape &a = site.in(0).shape, &b = site.in(1).shape, &y = site.out().shape;
  const Shape batch = lead(y);
  return {batch,
          batch_strides(a, batch),
          batch_strides(b, batch),
          y.end()[-2],
          y.end()[-1],
          at.transpose_a ? a.end()[-2] : a.end()[-1],
          at.transpose_a ? 1 : a.end()[-1],
          at.transpose_a ? a.end()[-1] : 1,
          at.transpose_b ? 1 : b.end()[-1],
          at.transpose_b ? b.end()[-1] : 1};
}

// Sums in double, so that comparing with it measures the other kernel's rounding.
template <class T, class B = T>
void ref_run(const Args& args, const Buffers& buffers) {
  const T* a = buffers.input<T>(0);
  const B* b = buffers.input<B>(1);
  T* y = buffers.output<T>(0);
  using Sum = std::conditional_t<std::is_floating_point_v<T>, double, T>;
  walk<2>(args.batch, {args.a_batch, args.b_batch}, [&](std::int64_t batch, const auto& at) {
    for (std::int64_t i = 0; i < args.m; ++i)
      for (std::int64_t j = 0; j < args.n; ++j) {
        Sum sum = 0;
        for (std::int64_t k = 0; k < args.k; ++k)
          sum = static_cast<Sum>(sum + static_cast<Sum>(a[at[0] + i * args.a_row + k * args.a_col]) *
                                           static_cast<Sum>(b[at[1] + k * args.b_row + j * args.b_col]));
        y[(batch * args.m + i) * args.n + j] = static_cast<T>(sum);
      }
  });
}

Step make_ref(const Site& site) {
  return visit_dtype(site.out().dtype, [&](auto zero) -> Step {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>)
      throw UsageError("matmul is not defined for bool");
    else
      return make_step(make_args<ops::MatmulAttrs>(site), [](const Args& a, const Buffers& b) { ref_run<T>(a, b); });
  });
}

struct RefLinearArgs {
  Args product;
  bool bias, residual, brain;
  ops::EpilogueActivation activation;
};

Step make_ref_linear(const Site& site) {
  const auto& at = site.attrs<ops::LinearAttrs>();
  return make_step(RefLinearArgs{make_args<ops::LinearAttrs>(site), at.bias, at.residual,
                                 site.in(1).dtype == DType::bf16, ops::epilogue_activation(at.activation)},
                   [](const RefLinearArgs& a, const Buffers& b) {
                     a.brain ? ref_run<float, BFloat16>(a.product, b) : ref_run<float>(a.product, b);
                     float* y = b.output<float>(0);
                     for (std::int64_t i = 0; i < a.product.m * a.product.n; ++i) {
                       if (a.bias) y[i] += b.input<float>(2)[i % a.product.n];
                       if (a.residual) y[i] += b.input<float>(a.bias ? 3 : 2)[i];
                       y[i] = ops::finished(a.activation, y[i]);
                     }
                   });
}

// ---- the fast ones
// ------------------------------------------------------------------------------------------------------------------
struct GemmArgs {
  Args shape;
  Gemm gemm;  // without pointers
  bool bias = false, residual = false, packed = false;
  bool brain = false;  // the second factor is bfloat16, and packed as such
  int parts = 1;
  std::size_t scratch_each = 0;
};

std::size_t aligned(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

template <class A>
GemmArgs make_gemm(const Site& site) {
  const auto& at = site.attrs<A>();
  GemmArgs args;
  args.shape = make_args<A>(site);
  args.gemm.m = args.shape.m, args.gemm.n = args.shape.n, args.gemm.k = args.shape.k;
  args.gemm.trans_a = at.transpose_a, args.gemm.trans_b = at.transpose_b;
  args.gemm.lda = site.in(0).dim(-1), args.gemm.ldb = site.in(1).dim(-1), args.gemm.ldc = args.shape.n;
  return args;
}

// One product is cut into parts; of several (a batch) each is a part.
void run_gemm(const GemmArgs& a, const Buffers& buffers) {
  const auto batch = element_count(a.shape.batch);
  const auto one = [&](std::int64_t from_a, std::int64_t from_b, std::int64_t index) {
    Gemm g = a.gemm;
    g.a = buffers.input<float>(0) + from_a;
    if (a.brain)
      g.packed_brain = buffers.input<std::uint16_t>(1);
    else if (a.packed)
      g.packed_b = buffers.input<float>(1);
    else
      g.b = buffers.input<float>(1) + from_b;
    g.c = buffers.output<float>(0) + index * g.m * g.n;
    if (a.bias) g.epilogue.bias = buffers.input<float>(2);
    if (a.residual) g.epilogue.residual = buffers.input<float>(a.bias ? 3 : 2);
    return g;
  };
  if (batch == 1) {
    const Gemm g = one(0, 0, 0);
    const int parts = std::min(a.parts, buffers.pool.threads());
    if (parts <= 1)
      gemm_part(g, 0, 1, buffers.scratch);
    else
      run_parts(buffers, parts, a.scratch_each, [&](int i, char* scratch) { gemm_part(g, i, parts, scratch); });
    return;
  }
  const int parts = std::min(a.parts, buffers.pool.threads());
  run_parts(buffers, parts, a.scratch_each, [&](int part, char* scratch) {
    const auto begin = batch * part / parts, end = batch * (part + 1) / parts;
    walk<2>(a.shape.batch, {a.shape.a_batch, a.shape.b_batch}, [&](std::int64_t i, const auto& at) {
      if (i >= begin && i < end) gemm_part(one(at[0], at[1], i), 0, 1, scratch);
    });
  });
}

Step gemm_step(GemmArgs args) {
  const auto batch = element_count(args.shape.batch);
  const double work = 2.0 * static_cast<double>(batch) * static_cast<double>(args.gemm.m) *
                      static_cast<double>(args.gemm.n) * static_cast<double>(args.gemm.k);
  const int threads = work < 1e6 ? 1 : num_threads();  // waking a thread costs more than a small product
  args.parts = batch == 1 ? std::max(gemm_parts(args.gemm, threads), 1)
                          : static_cast<int>(std::min<std::int64_t>(threads, std::max<std::int64_t>(batch, 1)));
  Gemm probe = args.gemm;
  static const float something = 0;
  static const std::uint16_t brain_float = 0;
  probe.packed_b = args.packed && !args.brain ? &something : nullptr;
  probe.packed_brain = args.brain ? &brain_float : nullptr;
  probe.epilogue.bias = args.bias ? &something : nullptr;
  args.scratch_each = aligned(gemm_scratch(probe));
  const std::size_t scratch = args.scratch_each * static_cast<std::size_t>(args.parts);
  return make_step(
      std::move(args), [](const GemmArgs& a, const Buffers& b) { run_gemm(a, b); }, scratch);
}

void add_pack(Step& step, const GemmArgs& args) {
  step.packs.push_back(
      {1, packed_b_size(args.gemm.k, args.gemm.n) * sizeof(float), [](const void* p, const void* in, void* out) {
         const Gemm& g = static_cast<const GemmArgs*>(p)->gemm;
         pack_b(static_cast<const float*>(in), g.ldb, g.trans_b, g.k, g.n, static_cast<float*>(out));
       }});
}

void add_brain_pack(Step& step, const GemmArgs& args) {
  const std::size_t elements = packed_b_size(args.gemm.k, args.gemm.n);
  if (args.brain) {
    step.packs.push_back({1, elements * sizeof(BFloat16), [](const void* p, const void* in, void* out) {
                            const Gemm& g = static_cast<const GemmArgs*>(p)->gemm;
                            pack_b_brain(static_cast<const std::uint16_t*>(in), g.ldb, g.trans_b, g.k, g.n,
                                         static_cast<std::uint16_t*>(out));
                          }});
    return;
  }
  step.packs.push_back({1, elements * sizeof(float), [](const void* p, const void* in, void* out) {
                          const Gemm& g = static_cast<const GemmArgs*>(p)->gemm;
                          std::vector<float> whole(static_cast<std::size_t>(g.k * g.n));
                          widen_f32()(static_cast<const std::uint16_t*>(in), whole.data(), whole.size());
                          pack_b(whole.data(), g.ldb, g.trans_b, g.k, g.n, static_cast<float*>(out));
                        }});
}

bool packable(const Site& site) {
  return site.fixed(1) && site.in(1).rank() == 2 &&
         element_count(site.out().shape) == site.out().dim(-1) * site.out().dim(-2);
}

Step make_matmul(const Site& site) {
  GemmArgs args = make_gemm<ops::MatmulAttrs>(site);
  args.packed = packable(site);
  Step step = gemm_step(args);
  if (args.packed) add_pack(step, args);
  return step;
}

Step make_linear(const Site& site) {
  const auto& at = site.attrs<ops::LinearAttrs>();
  GemmArgs args = make_gemm<ops::LinearAttrs>(site);
  args.bias = at.bias;
  args.packed = packable(site);
  args.residual = at.residual;
  const bool brain = site.in(1).dtype == DType::bf16;
  args.brain = brain && args.gemm.n > kFewColumns;
  const auto activation = ops::epilogue_activation(at.activation);
  args.gemm.epilogue.activation = activation.code;
  args.gemm.epilogue.ceiling = activation.ceiling;
  Step step = gemm_step(args);
  if (brain)
    add_brain_pack(step, args);
  else if (args.packed)
    add_pack(step, args);
  return step;
}

Step make_matmul_f64(const Site& site) {
  return make_step(make_gemm<ops::MatmulAttrs>(site), [](const GemmArgs& a, const Buffers& buffers) {
    walk<2>(a.shape.batch, {a.shape.a_batch, a.shape.b_batch}, [&](std::int64_t i, const auto& at) {
      const GemmF64 g{a.gemm.m,
                      a.gemm.n,
                      a.gemm.k,
                      buffers.input<double>(0) + at[0],
                      a.gemm.lda,
                      a.gemm.trans_a,
                      buffers.input<double>(1) + at[1],
                      a.gemm.ldb,
                      a.gemm.trans_b,
                      buffers.output<double>(0) + i * a.gemm.m * a.gemm.n,
                      a.gemm.ldc,
                      false};
      gemm_part(g, 0, 1);
    });
  });
}

bool is_f32(const Site& site) { return site.out().dtype == DType::f32; }
// Brain floats are read only as packed beforehand.
bool is_linear_f32(const Site& site) { return is_f32(site) && (site.in(1).dtype == DType::f32 || packable(site)); }
bool is_f64(const Site& site) { return site.out().dtype == DType::f64; }

}  // namespace

void add_matmul_kernels(KernelList& list) {
  list.push_back({&ops::matmul_op, "gemm", is_f32, make_matmul, false});
  list.push_back({&ops::matmul_op, "gemm_f64", is_f64, make_matmul_f64, false});
  list.push_back({&ops::matmul_op, "ref_matmul", always, make_ref});
  list.push_back({&ops::linear_op, "gemm", is_linear_f32, make_linear, false});
  list.push_back({&ops::linear_op, "ref_linear", always, make_ref_linear});
}

}  // namespace ramet::cpu
