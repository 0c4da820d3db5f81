// SimpleRNN, GRU and LSTM by the vector kernels, float32.
#include "ramet/backend/cpu/gemm.h"
#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/backend/cpu/recurrent.h"
#include "ramet/ops/recurrent/recurrent.h"

namespace ramet::cpu {
namespace {

struct Args {
  RecurrentShape shape;
  std::size_t states = 1;
  bool masked = false, sequence = false;
  int parts = 1;
  // Forward: whether x·W of all steps comes first, which kernels the planner has packed, and where in scratch lie the
  // others, that product and what it needs.
  bool projects = false, packed_kernel = false, packed_recurrent_kernel = false;
  std::size_t recurrent_kernel_at = 0, projected_at = 0, product_at = 0, product_each = 0, loop_at = 0;
};

std::size_t aligned(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

template <class Part>
void run_over(const Args& a, const Buffers& b, Part part) {
  const int parts = std::min(a.parts, b.pool.threads());
  if (parts <= 1) return part(0, 1);
  b.pool.parallel_for(parts, [&](int i) { part(i, parts); });
}

Args make_args(const Site& site, bool reverse, bool masked) {
  const ops::RecurrentCell& cell = *ops::cell_of_op(site.instr.op);
  const Spec& x = site.in(0);
  Args args;
  args.shape.cell = cell.gates == ops::kLstm.gates  ? CellKind::kLstm
                    : cell.gates == ops::kGru.gates ? CellKind::kGru
                                                    : CellKind::kSimpleRnn;
  args.shape.gates = static_cast<int>(cell.gates), args.shape.kept = static_cast<int>(cell.kept);
  args.shape.batch = x.dim(0), args.shape.steps = x.dim(1), args.shape.features = x.dim(2);
  args.shape.units = site.in(2).dim(0);
  args.shape.reverse = reverse;
  args.states = cell.states;
  args.masked = masked;
  args.parts = recurrent_parts(args.shape, num_threads());
  return args;
}

// x·W + b of all rows and steps.
Gemm projection(const RecurrentShape& s, const float* x, const float* kernel, const float* bias, float* to) {
  Gemm g;
  g.m = s.batch * s.steps, g.n = s.gates * s.units, g.k = s.features;
  g.a = x, g.lda = g.k;
  g.packed_b = kernel;
  g.c = to, g.ldc = g.n;
  g.epilogue.bias = bias;
  return g;
}

void pack_kernel(const Args& a, const float* kernel, float* to) {
  const RecurrentShape& s = a.shape;
  const std::int64_t width = s.gates * s.units;
  if (a.projects)
    pack_b(kernel, width, false, s.features, width, to);
  else
    pack_recurrent(kernel, s.features, s.units, s.gates, to);
}

void pack_recurrent_kernel(const Args& a, const float* kernel, float* to) {
  pack_recurrent(kernel, a.shape.units, a.shape.units, a.shape.gates, to);
}

void run_forward(const Args& a, const Buffers& b) {
  char* const scratch = static_cast<char*>(b.scratch);
  const auto floats = [&](std::size_t at) { return reinterpret_cast<float*>(scratch + at); };
  RecurrentForward f;
  f.shape = a.shape;
  f.x = b.input<float>(0), f.kernel = b.input<float>(1), f.recurrent_kernel = b.input<float>(2);
  if (!a.packed_kernel) pack_kernel(a, f.kernel, floats(0)), f.kernel = floats(0);
  if (!a.packed_recurrent_kernel) {
    pack_recurrent_kernel(a, f.recurrent_kernel, floats(a.recurrent_kernel_at));
    f.recurrent_kernel = floats(a.recurrent_kernel_at);
  }
  f.bias = b.input<float>(3);
  f.h0 = b.input<float>(4);
  if (a.states == 2) f.c0 = b.input<float>(5);
  if (a.masked) f.mask = b.input<std::uint8_t>(4 + a.states);
  f.h = b.output<float>(0), f.sequence = b.output<float>(a.states), f.h_entered = b.output<float>(a.states + 1);
  if (a.states == 2) f.c = b.output<float>(1), f.c_entered = b.output<float>(4);
  f.gates = b.output<float>(2 * a.states + 1);
  if (a.projects) {
    const Gemm gemm = projection(a.shape, f.x, f.kernel, f.bias, floats(a.projected_at));
    run_over(a, b, [&](int part, int parts) {
      gemm_part(gemm, part, parts, scratch + a.product_at + a.product_each * static_cast<std::size_t>(part));
    });
    f.projected = gemm.c;
  }
  run_over(a, b, [&](int part, int parts) { recurrent_forward_part(f, part, parts, scratch + a.loop_at); });
}

Step make_forward(const Site& site) {
  const auto& at = site.attrs<ops::RecurrentAttrs>();
  Args args = make_args(site, at.reverse, at.masked);
  const RecurrentShape& s = args.shape;
  args.projects = projects_first(s);
  args.packed_kernel = site.fixed(1), args.packed_recurrent_kernel = site.fixed(2);
  const std::size_t kernel = (args.projects ? packed_b_size(s.features, s.gates * s.units)
                                            : recurrent_packed_size(s.features, s.units, s.gates)) *
                             sizeof(float);
  const std::size_t recurrent_kernel = recurrent_packed_size(s.units, s.units, s.gates) * sizeof(float);
  args.recurrent_kernel_at = args.packed_kernel ? 0 : aligned(kernel);
  args.projected_at = args.recurrent_kernel_at + (args.packed_recurrent_kernel ? 0 : aligned(recurrent_kernel));
  args.product_at = args.loop_at = args.projected_at;
  if (args.projects) {
    static const float something = 0;
    args.product_at += aligned(static_cast<std::size_t>(s.batch * s.steps * s.gates * s.units) * sizeof(float));
    args.product_each = aligned(gemm_scratch(projection(s, nullptr, &something, nullptr, nullptr)));
    args.loop_at = args.product_at + args.product_each * static_cast<std::size_t>(args.parts);
  }
  Step step = make_step(
      args, [](const Args& a, const Buffers& b) { run_forward(a, b); }, args.loop_at + recurrent_forward_scratch(s));
  if (args.packed_kernel)
    step.packs.push_back({1, kernel, [](const void* p, const void* in, void* out) {
                            pack_kernel(*static_cast<const Args*>(p), static_cast<const float*>(in),
                                        static_cast<float*>(out));
                          }});
  if (args.packed_recurrent_kernel)
    step.packs.push_back({2, recurrent_kernel, [](const void* p, const void* in, void* out) {
                            pack_recurrent_kernel(*static_cast<const Args*>(p), static_cast<const float*>(in),
                                                  static_cast<float*>(out));
                          }});
  return step;
}

void run_grad(const Args& a, const Buffers& b) {
  RecurrentGrad g;
  g.shape = a.shape;
  g.x = b.input<float>(0), g.kernel = b.input<float>(1), g.recurrent_kernel = b.input<float>(2);
  g.h_entered = b.input<float>(3);
  if (a.states == 2) g.c_entered = b.input<float>(4), g.dc = b.input<float>(7);
  g.gates = b.input<float>(3 + a.states);
  g.dh = b.input<float>(4 + a.states);
  std::size_t in = 4 + 2 * a.states;
  if (a.sequence) g.dsequence = b.input<float>(in++);
  if (a.masked) g.mask = b.input<std::uint8_t>(in);
  g.dx = b.output<float>(0), g.dkernel = b.output<float>(1), g.drecurrent_kernel = b.output<float>(2);
  g.dbias = b.output<float>(3), g.dh0 = b.output<float>(4);
  if (a.states == 2) g.dc0 = b.output<float>(5);
  const int parts = std::min(a.parts, b.pool.threads());
  recurrent_grad_prepare(g, parts, b.scratch);
  const std::int64_t blocks = recurrent_grad_blocks(a.shape);
  if (parts == 1) {
    for (std::int64_t block = 0; block < blocks; ++block) {
      recurrent_grad_walk(g, block, 0, 1, b.scratch);
      recurrent_grad_gather(g, block, 0, 1, b.scratch);
    }
    return;
  }
  // The walk of a block and the gathering of the one before it go together, so that threads seldom wait.
  for (std::int64_t block = 0; block <= blocks; ++block)
    b.pool.parallel_for(2 * parts, [&](int i) {
      if (i < parts && block < blocks) recurrent_grad_walk(g, block, i, parts, b.scratch);
      if (i >= parts && block > 0) recurrent_grad_gather(g, block - 1, i - parts, parts, b.scratch);
    });
}

Step make_grad(const Site& site) {
  const auto& at = site.attrs<ops::RecurrentGradAttrs>();
  Args args = make_args(site, at.reverse, at.masked);
  args.sequence = at.sequence;
  return make_step(
      args, [](const Args& a, const Buffers& b) { run_grad(a, b); }, recurrent_grad_scratch(args.shape, args.parts));
}

bool supported(const Site& site) {
  return site.in(0).dtype == DType::f32 && element_count(site.in(0).shape) > 0 && site.in(2).dim(0) > 0;
}

}  // namespace

void add_fast_recurrent_kernels(KernelList& list) {
  const std::string_view names[] = {"vector_simple_rnn", "vector_gru", "vector_lstm"};
  for (std::size_t i = 0; i < std::size(names); ++i) {
    list.push_back({ops::kRecurrentCells[i]->op, names[i], supported, make_forward, false});
    list.push_back({ops::kRecurrentCells[i]->grad, names[i], supported, make_grad, false});
  }
}

}  // namespace ramet::cpu
