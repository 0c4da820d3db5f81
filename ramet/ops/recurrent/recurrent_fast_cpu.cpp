// LSTM and GRU by the vector kernels, float32.
#include "ramet/backend/cpu/gemm.h"
#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/backend/cpu/recurrent.h"
#include "ramet/ops/recurrent/recurrent.h"

namespace ramet::cpu {
namespace {

struct Args {
  RecurrentShape shape;
  bool packed = false, masked = false, sequence = false;
  int parts = 1;
  std::size_t packed_bytes = 0;  // of the recurrent kernel, at the beginning of scratch when it is not fixed
};

std::size_t aligned(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

template <class Part>
void run_rows(const Args& a, const Buffers& b, Part part) {
  const int parts = std::min(a.parts, b.pool.threads());
  if (parts <= 1) return part(0, 1);
  b.pool.parallel_for(parts, [&](int i) { part(i, parts); });
}

// x, gates or their gradients give the sizes, `blocks` wide.
Args make_args(const Spec& x, std::int64_t blocks, int gates, bool reverse, bool masked) {
  Args args;
  args.shape = {x.dim(0), x.dim(1), x.dim(2) / blocks, gates, reverse};
  args.masked = masked;
  args.parts = recurrent_parts(args.shape, num_threads());
  return args;
}

template <int gates>
void run_forward(const Args& a, const Buffers& b) {
  constexpr bool lstm = gates == 4;
  char* scratch = static_cast<char*>(b.scratch);
  RecurrentForward f;
  f.shape = a.shape;
  f.x = b.input<float>(0);
  f.kernel = b.input<float>(1);
  if (!a.packed) {
    pack_recurrent(b.input<float>(1), a.shape.units, gates, reinterpret_cast<float*>(scratch));
    f.kernel = reinterpret_cast<const float*>(scratch);
    scratch += a.packed_bytes;
  }
  if (!lstm) f.bias = b.input<float>(2);
  f.h0 = b.input<float>(lstm ? 2 : 3);
  if (lstm) f.c0 = b.input<float>(3);
  if (a.masked) f.mask = b.input<std::uint8_t>(4);
  std::size_t out = 0;
  f.h = b.output<float>(out++);
  if (lstm) f.c = b.output<float>(out++);
  f.sequence = b.output<float>(out++);
  f.h_entered = b.output<float>(out++);
  if (lstm) f.c_entered = b.output<float>(out++);
  f.gates = b.output<float>(out++);
  run_rows(a, b, [&](int part, int parts) { recurrent_forward_part(f, part, parts, scratch); });
}

template <int gates>
Step make_forward(const Site& site) {
  const auto& at = site.attrs<ops::RecurrentAttrs>();
  Args args = make_args(site.in(0), gates, gates, at.reverse, at.masked);
  args.packed = site.fixed(1);
  const std::size_t bytes = recurrent_packed_size(args.shape.units, gates) * sizeof(float);
  args.packed_bytes = args.packed ? 0 : aligned(bytes);
  const std::size_t scratch = args.packed_bytes + recurrent_forward_scratch(args.shape);
  Step step = make_step(
      args, [](const Args& a, const Buffers& b) { run_forward<gates>(a, b); }, scratch);
  if (args.packed)
    step.packs.push_back({1, bytes, [](const void* p, const void* in, void* out) {
                            pack_recurrent(static_cast<const float*>(in), static_cast<const Args*>(p)->shape.units,
                                           gates, static_cast<float*>(out));
                          }});
  return step;
}

template <int gates>
void run_grad(const Args& a, const Buffers& b) {
  constexpr bool lstm = gates == 4;
  const std::int64_t units = a.shape.units, width = gates * units;
  float* const packed = static_cast<float*>(b.scratch);
  pack_b(b.input<float>(2), width, true, width, units, packed);
  RecurrentGrad g;
  g.shape = a.shape;
  std::size_t in = 0;
  g.gates = b.input<float>(in++);
  g.entered = b.input<float>(in++);
  g.kernel = packed, ++in;
  g.dh = b.input<float>(in++);
  if (lstm) g.dc = b.input<float>(in++);
  if (a.sequence) g.dsequence = b.input<float>(in++);
  if (a.masked) g.mask = b.input<std::uint8_t>(in);
  g.dx = b.output<float>(0);
  if (!lstm) g.du = b.output<float>(1);
  g.dh0 = b.output<float>(lstm ? 1 : 2);
  if (lstm) g.dc0 = b.output<float>(2);
  run_rows(a, b, [&](int part, int parts) {
    recurrent_grad_part(g, part, parts, static_cast<char*>(b.scratch) + a.packed_bytes);
  });
}

template <int gates>
Step make_grad(const Site& site) {
  const auto& at = site.attrs<ops::RecurrentGradAttrs>();
  Args args = make_args(site.in(0), 4, gates, at.reverse, at.masked);
  args.sequence = at.sequence;
  args.packed_bytes = aligned(packed_b_size(gates * args.shape.units, args.shape.units) * sizeof(float));
  return make_step(
      args, [](const Args& a, const Buffers& b) { run_grad<gates>(a, b); },
      args.packed_bytes + recurrent_grad_scratch(args.shape, args.parts));
}

bool supported(const Site& site) { return site.in(0).dtype == DType::f32 && site.in(0).dim(0) * site.in(0).dim(2) > 0; }

}  // namespace

void add_fast_recurrent_kernels(KernelList& list) {
  list.push_back({&ops::lstm_op, "vector_lstm", supported, make_forward<4>, false});
  list.push_back({&ops::gru_op, "vector_gru", supported, make_forward<3>, false});
  list.push_back({&ops::lstm_grad_op, "vector_lstm", supported, make_grad<4>, false});
  list.push_back({&ops::gru_grad_op, "vector_gru", supported, make_grad<3>, false});
}

}  // namespace ramet::cpu
