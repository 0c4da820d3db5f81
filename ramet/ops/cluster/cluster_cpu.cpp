// Runs a cluster tile by tile: every instruction of the body is a call of a vector loop over the tile.
#include <algorithm>
#include <cstring>

#include "ramet/backend/cpu/cpu_target.h"
#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/ops/cluster/cluster.h"
#include "ramet/ops/cluster/tiles_cpu.h"

namespace ramet::cpu {
namespace {

constexpr std::size_t kTileBytes = static_cast<std::size_t>(kMostTile) * sizeof(float);

// std::fill_n by vectors: at -O2 a loop of unknown length would go element by element.
template <class T>
void fill_run(T* y, std::int64_t n, T value) {
  typedef T Vector __attribute__((vector_size(32)));
  constexpr std::int64_t kLanes = 32 / sizeof(T);
  const Vector all = value - Vector{};
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) std::memcpy(y + i, &all, sizeof all);
  for (; i < n; ++i) y[i] = value;
}

void fill_tile(const TileProgram& a, const Fill& f, const void* from, void* to, std::int64_t begin, std::int64_t n) {
  const auto copy = [&](auto* x, auto* y) {
    if (f.period) {
      for (std::int64_t i = 0; i < n;) {
        const auto at = (begin + i) % f.period, run = std::min(n - i, f.period - at);
        std::copy_n(x + at, run, y + i);
        i += run;
      }
      return;
    }
    if (f.repeat) {
      for (std::int64_t i = 0; i < n;) {
        const auto at = (begin + i) / f.repeat, run = std::min(n - i, (at + 1) * f.repeat - begin - i);
        fill_run(y + i, run, x[at]);
        i += run;
      }
      return;
    }
    // Index of the first element, then along the last axis in runs.
    const std::size_t rank = a.shape.size();
    thread_local Shape index;  // kept, so that only a thread's first call allocates
    index.assign(rank, 0);
    std::int64_t rest = begin, offset = 0;
    for (std::size_t k = rank; k-- > 0; rest /= a.shape[k])
      index[k] = rest % a.shape[k], offset += index[k] * f.step[k];
    for (std::int64_t i = 0; i < n;) {
      const auto run = std::min(n - i, a.shape[rank - 1] - index[rank - 1]);
      const auto stride = f.step[rank - 1];
      if (stride == 0)
        fill_run(y + i, run, x[offset]);
      else
        for (std::int64_t k = 0; k < run; ++k) y[i + k] = x[offset + k * stride];
      i += run, index[rank - 1] += run, offset += run * stride;
      for (std::size_t k = rank; k-- > 1 && index[k] == a.shape[k];) {
        offset += f.step[k - 1] - index[k] * f.step[k];
        index[k] = 0, ++index[k - 1];
      }
    }
  };
  if (f.size == 1)
    copy(static_cast<const std::uint8_t*>(from), static_cast<std::uint8_t*>(to));
  else if (f.size == 2)
    copy(static_cast<const std::uint16_t*>(from), static_cast<std::uint16_t*>(to));
  else
    copy(static_cast<const float*>(from), static_cast<float*>(to));
}

template <class F>
void logic(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* y, std::size_t n, F f) {
  for (std::size_t i = 0; i < n; ++i) y[i] = f(a[i], b[i]);
}

std::size_t sums_size(const TileProgram& a) { return a.sums.size() * static_cast<std::size_t>(kMostTile); }

// Elements [from, until); `sums` holds the running sums of the chunk they belong to.
void run_range(const TileProgram& a, const Buffers& b, char* scratch, float* sums, std::int64_t from,
               std::int64_t until) {
  const auto fill = [&](const Fill& f, std::int64_t begin, std::int64_t n) {
    fill_tile(a, f, b.in[f.input], scratch + static_cast<std::size_t>(f.tile) * kTileBytes, begin, n);
  };
  const ReduceF32 row_sum = reduce_f32(Reduce::kSum);
  std::fill_n(sums, sums_size(a), 0.0f);
  for (const Fill& f : a.fills)
    if (f.once) fill(f, 0, std::min(a.tile, until - from));
  for (std::int64_t begin = from; begin < until; begin += a.tile) {
    const auto n = std::min(a.tile, until - begin);
    const auto at = [&](const Place& p) -> char* {
      switch (p.kind) {
        case Place::Kind::input:
          return const_cast<char*>(static_cast<const char*>(b.in[p.index])) + static_cast<std::size_t>(begin) * p.size;
        case Place::Kind::scalar: return const_cast<char*>(static_cast<const char*>(b.in[p.index]));
        case Place::Kind::sum: return reinterpret_cast<char*>(sums + p.index * kMostTile);
        case Place::Kind::output: return static_cast<char*>(b.out[p.index]) + static_cast<std::size_t>(begin) * p.size;
        default: return scratch + static_cast<std::size_t>(p.index) * kTileBytes;
      }
    };
    const auto f32 = [&](const Place& p) { return reinterpret_cast<float*>(at(p)); };
    const auto u8 = [&](const Place& p) { return reinterpret_cast<std::uint8_t*>(at(p)); };
    const auto bf16 = [&](const Place& p) { return reinterpret_cast<std::uint16_t*>(at(p)); };
    const auto count = static_cast<std::size_t>(n);
    for (const Fill& f : a.fills)
      if (!f.once) fill(f, begin, n);
    for (const Micro& m : a.steps) {
      switch (m.kind) {
        case Micro::Kind::unary: m.unary(f32(m.a), f32(m.to), count); break;
        case Micro::Kind::binary: m.binary(f32(m.a), f32(m.b), f32(m.to), count); break;
        case Micro::Kind::loop: {
          LoopOperand operands[kMostOperands];
          float* results[kMostResults];
          for (std::size_t i = 0; i < m.operands.size(); ++i)
            operands[i] = {f32(m.operands[i]), m.operands[i].kind == Place::Kind::scalar};
          for (std::size_t i = 0; i < m.results.size(); ++i) results[i] = f32(m.results[i]);
          m.loop(operands, results, count);
          break;
        }
        case Micro::Kind::compare: m.compare(f32(m.a), f32(m.b), u8(m.to), count); break;
        case Micro::Kind::select: m.select(u8(m.a), f32(m.b), f32(m.c), f32(m.to), count); break;
        case Micro::Kind::logic_and:
          logic(u8(m.a), u8(m.b), u8(m.to), count, [](auto x, auto y) { return static_cast<std::uint8_t>(x & y); });
          break;
        case Micro::Kind::logic_or:
          logic(u8(m.a), u8(m.b), u8(m.to), count, [](auto x, auto y) { return static_cast<std::uint8_t>(x | y); });
          break;
        case Micro::Kind::logic_xor:
          logic(u8(m.a), u8(m.b), u8(m.to), count, [](auto x, auto y) { return static_cast<std::uint8_t>(x ^ y); });
          break;
        case Micro::Kind::logic_not:
          logic(u8(m.a), u8(m.a), u8(m.to), count, [](auto x, auto) { return static_cast<std::uint8_t>(!x); });
          break;
        case Micro::Kind::to_float: {
          const std::uint8_t* x = u8(m.a);
          float* y = f32(m.to);
          for (std::size_t i = 0; i < count; ++i) y[i] = x[i];
          break;
        }
        case Micro::Kind::narrow: m.narrow(f32(m.a), bf16(m.to), count); break;
        case Micro::Kind::widen: m.widen(bf16(m.a), f32(m.to), count); break;
        case Micro::Kind::sum_rows: {
          float* y = static_cast<float*>(b.out[m.to.index]) + begin / m.columns;
          for (std::int64_t i = 0; i < n; i += m.columns)
            *y++ = row_sum(f32(m.a) + i, static_cast<std::size_t>(m.columns));
        }
      }
    }
  }
}

// The sums of all chunks, and of the rows that lie side by side in a tile.
void finish_sums(const TileProgram& a, const Buffers& b, float* sums) {
  const BinaryF32 add = binary_f32(Binary::kAdd);
  const auto width = std::min(a.tile, a.count);
  for (std::size_t s = 0; s < a.sums.size(); ++s) {
    float* sum = sums + s * static_cast<std::size_t>(kMostTile);
    for (std::int64_t chunk = 1; chunk < a.chunks; ++chunk)
      add(sum, sum + static_cast<std::size_t>(chunk) * sums_size(a), sum, static_cast<std::size_t>(width));
    const auto columns = a.sums[s].columns;
    auto* y = static_cast<float*>(b.out[a.sums[s].output]);
    std::copy_n(sum, columns, y);
    for (std::int64_t i = columns; i < width; i += columns) add(y, sum + i, y, static_cast<std::size_t>(columns));
  }
}

void run(const TileProgram& a, const Buffers& b) {
  if (a.count == 0) return;
  const auto tiles = (a.count + a.tile - 1) / a.tile;
  auto* sums = static_cast<float*>(b.scratch);
  char* scratch = static_cast<char*>(b.scratch) + static_cast<std::size_t>(a.chunks) * sums_size(a) * sizeof(float);
  // Without sums a part is one range; with them it is some of the chunks.
  const std::int64_t units = a.sums.empty() ? tiles : a.chunks;
  const int parts = static_cast<int>(std::min<std::int64_t>({a.parts, b.pool.threads(), units}));
  const auto part = [&](int p, char* own) {
    const std::int64_t first = units * p / parts, last = units * (p + 1) / parts;
    const auto element = [&](std::int64_t unit) { return std::min(a.count, tiles * unit / units * a.tile); };
    if (a.sums.empty()) return run_range(a, b, own, nullptr, element(first), element(last));
    for (std::int64_t chunk = first; chunk < last; ++chunk)
      run_range(a, b, own, sums + static_cast<std::size_t>(chunk) * sums_size(a), element(chunk), element(chunk + 1));
  };
  if (parts <= 1)
    part(0, scratch);
  else
    b.pool.parallel_for(parts, [&](int p) { part(p, scratch + static_cast<std::size_t>(p * a.tiles) * kTileBytes); });
  if (!a.sums.empty()) finish_sums(a, b, sums);
}

Step make_cluster(const Site& site) {
  const Program& body = *site.attrs<ops::ClusterAttrs>().body;
  TileProgram args = compile_cluster(body);
  const bool small = args.count * static_cast<std::int64_t>(body.instrs().size()) < 200'000;
  args.parts = small ? 1 : num_threads();
  const std::size_t scratch = static_cast<std::size_t>(args.tiles * args.parts) * kTileBytes +
                              static_cast<std::size_t>(args.chunks) * sums_size(args) * sizeof(float);
  return make_step(
      std::move(args), [](const TileProgram& a, const Buffers& b) { cpu::run(a, b); }, scratch);
}

// The plain way: every instruction of the body by its reference kernel, over whole arrays.
struct PlainArgs {
  std::vector<Step> steps;
  std::vector<std::vector<int>> in, out;  // values of the body
  std::vector<std::size_t> offset;        // of each value in the scratch
  std::vector<int> inputs, outputs;
  std::vector<std::size_t> bytes;
};

Step make_plain(const Site& site) {
  const Program& body = *site.attrs<ops::ClusterAttrs>().body;
  PlainArgs args;
  std::size_t top = 0;
  for (int v = 0; v < body.value_count(); ++v) {
    args.offset.push_back(top);
    args.bytes.push_back(static_cast<std::size_t>(element_count(body.spec(v).shape)) * size_of(body.spec(v).dtype));
    top += (args.bytes.back() + 63) / 64 * 64;
  }
  for (const auto& i : body.inputs()) args.inputs.push_back(i.value);
  for (const auto& o : body.outputs()) args.outputs.push_back(o.value);
  for (const Instr& instr : body.instrs()) {
    for (const Kernel& k : kernel_list())
      if (k.op == instr.op && k.reference) {
        args.steps.push_back(k.make({body, instr, nullptr}));
        break;
      }
    args.in.push_back(instr.inputs), args.out.push_back(instr.results);
  }
  return make_step(
      std::move(args),
      [](const PlainArgs& a, const Buffers& b) {
        const auto at = [&](int v) -> void* {
          return static_cast<char*>(b.scratch) + a.offset[static_cast<std::size_t>(v)];
        };
        for (std::size_t i = 0; i < a.inputs.size(); ++i)
          std::memcpy(at(a.inputs[i]), b.in[i], a.bytes[static_cast<std::size_t>(a.inputs[i])]);
        for (std::size_t s = 0; s < a.steps.size(); ++s) {
          std::vector<const void*> in;
          std::vector<void*> out;
          for (const int v : a.in[s]) in.push_back(at(v));
          for (const int v : a.out[s]) out.push_back(at(v));
          a.steps[s].run(a.steps[s].args.get(), {in.data(), out.data(), nullptr, b.pool});
        }
        for (std::size_t i = 0; i < a.outputs.size(); ++i)
          if (b.out[i]) std::memcpy(b.out[i], at(a.outputs[i]), a.bytes[static_cast<std::size_t>(a.outputs[i])]);
      },
      top);
}

}  // namespace

void add_cluster_kernels(KernelList& list) {
  list.push_back({&ops::cluster_op, "tiles", always, make_cluster, false});
  list.push_back({&ops::cluster_op, "ref_cluster", always, make_plain});
}

}  // namespace ramet::cpu
