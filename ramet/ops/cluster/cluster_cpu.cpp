// Runs a cluster tile by tile: every instruction of the body becomes a call of a vector loop over the tile.
#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>

#include "ramet/backend/cpu/cpu_target.h"
#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/backend/cpu/pointwise.h"
#include "ramet/backend/reference.h"
#include "ramet/ops/cluster/cluster.h"
#include "ramet/ops/elementwise/elementwise.h"

namespace ramet::cpu {
namespace {

// Elements of a tile, and the most it may have: eight or so live tiles fit the first cache.
constexpr std::int64_t kTile = 512, kMostTile = 1024;

// Where an operand of a micro step lies.
struct Place {
  enum class Kind : unsigned char { input, scalar, output, tile } kind = Kind::tile;
  int index = 0;
  bool boolean = false;
};

// A tile filled from an input that is smaller than the shape, before the steps run.
struct Fill {
  int input, tile;
  bool boolean;
  Shape step;               // in elements of the input, along the axes of the shape
  std::int64_t period = 0;  // when the input repeats with this period along the flat index; 0 otherwise
  bool once = false;        // the same for every tile: the period divides it
};

struct Micro {
  enum class Kind : unsigned char {
    unary,
    binary,
    compare,
    select,
    logic_and,
    logic_or,
    logic_xor,
    logic_not,
    to_float
  } kind;
  UnaryF32 unary = nullptr;
  BinaryF32 binary = nullptr;
  CompareF32 compare = nullptr;
  SelectF32 select = nullptr;
  Place a, b, c, to;
};

struct Args {
  Shape shape;
  std::int64_t count = 0, tile = kTile;
  std::vector<Fill> fills;
  std::vector<Micro> steps;
  int tiles = 0, parts = 1;
};

constexpr std::size_t kTileBytes = static_cast<std::size_t>(kMostTile) * sizeof(float);

void fill_tile(const Args& a, const Fill& f, const void* from, void* to, std::int64_t begin, std::int64_t n) {
  const auto copy = [&](auto* x, auto* y) {
    if (f.period) {
      for (std::int64_t i = 0; i < n;) {
        const auto at = (begin + i) % f.period, run = std::min(n - i, f.period - at);
        std::copy_n(x + at, run, y + i);
        i += run;
      }
      return;
    }
    // Index of the first element, then along the last axis in runs.
    const std::size_t rank = a.shape.size();
    Shape index(rank);
    std::int64_t rest = begin, offset = 0;
    for (std::size_t k = rank; k-- > 0; rest /= a.shape[k])
      index[k] = rest % a.shape[k], offset += index[k] * f.step[k];
    for (std::int64_t i = 0; i < n;) {
      const auto run = std::min(n - i, a.shape[rank - 1] - index[rank - 1]);
      const auto stride = f.step[rank - 1];
      if (stride == 0)
        std::fill_n(y + i, run, x[offset]);
      else
        for (std::int64_t k = 0; k < run; ++k) y[i + k] = x[offset + k * stride];
      i += run, index[rank - 1] += run, offset += run * stride;
      for (std::size_t k = rank; k-- > 1 && index[k] == a.shape[k];) {
        offset += f.step[k - 1] - index[k] * f.step[k];
        index[k] = 0, ++index[k - 1];
      }
    }
  };
  if (f.boolean)
    copy(static_cast<const std::uint8_t*>(from), static_cast<std::uint8_t*>(to));
  else
    copy(static_cast<const float*>(from), static_cast<float*>(to));
}

template <class F>
void logic(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* y, std::size_t n, F f) {
  for (std::size_t i = 0; i < n; ++i) y[i] = f(a[i], b[i]);
}

void run_range(const Args& a, const Buffers& b, char* scratch, std::int64_t from, std::int64_t until) {
  const auto fill = [&](const Fill& f, std::int64_t begin, std::int64_t n) {
    fill_tile(a, f, b.in[f.input], scratch + static_cast<std::size_t>(f.tile) * kTileBytes, begin, n);
  };
  for (const Fill& f : a.fills)
    if (f.once) fill(f, 0, std::min(a.tile, until - from));
  for (std::int64_t begin = from; begin < until; begin += a.tile) {
    const auto n = std::min(a.tile, until - begin);
    const auto at = [&](const Place& p) -> char* {
      const std::size_t size = p.boolean ? 1 : sizeof(float);
      switch (p.kind) {
        case Place::Kind::input:
          return const_cast<char*>(static_cast<const char*>(b.in[p.index])) + static_cast<std::size_t>(begin) * size;
        case Place::Kind::scalar: return const_cast<char*>(static_cast<const char*>(b.in[p.index]));
        case Place::Kind::output: return static_cast<char*>(b.out[p.index]) + static_cast<std::size_t>(begin) * size;
        default: return scratch + static_cast<std::size_t>(p.index) * kTileBytes;
      }
    };
    const auto f32 = [&](const Place& p) { return reinterpret_cast<float*>(at(p)); };
    const auto u8 = [&](const Place& p) { return reinterpret_cast<std::uint8_t*>(at(p)); };
    const auto count = static_cast<std::size_t>(n);
    for (const Fill& f : a.fills)
      if (!f.once) fill(f, begin, n);
    for (const Micro& m : a.steps) {
      switch (m.kind) {
        case Micro::Kind::unary: m.unary(f32(m.a), f32(m.to), count); break;
        case Micro::Kind::binary: m.binary(f32(m.a), f32(m.b), f32(m.to), count); break;
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
        }
      }
    }
  }
}

void run(const Args& a, const Buffers& b) {
  const int parts = std::min(a.parts, b.pool.threads());
  if (parts <= 1) return run_range(a, b, static_cast<char*>(b.scratch), 0, a.count);
  const auto tiles = (a.count + a.tile - 1) / a.tile;
  run_parts(b, parts, static_cast<std::size_t>(a.tiles) * kTileBytes, [&](int p, char* scratch) {
    run_range(a, b, scratch, tiles * p / parts * a.tile, std::min(a.count, tiles * (p + 1) / parts * a.tile));
  });
}

// Turns a body into micro steps, giving out tiles and taking them back after their last use.
class Compiler {
 public:
  Compiler(const Program& body, Args& args) : body_(body), args_(args) {
    args_.shape = body.spec(body.outputs()[0].value).shape;
    args_.count = element_count(args_.shape);
    last_use_.assign(static_cast<std::size_t>(body.value_count()), -1);
    for (int i = 0; i < static_cast<int>(body.instrs().size()); ++i)
      for (const int v : body.instr(i).inputs) last_use_[static_cast<std::size_t>(v)] = i;
    place_.resize(static_cast<std::size_t>(body.value_count()));
    for (std::size_t i = 0; i < body.inputs().size(); ++i) place_input(i);
    for (std::size_t o = 0; o < body.outputs().size(); ++o) output_of_[body.outputs()[o].value] = static_cast<int>(o);
  }

  void run() {
    for (int i = 0; i < static_cast<int>(body_.instrs().size()); ++i) step(i);
    args_.tiles = top_;
    choose_tile();
  }

 private:
  bool boolean(int v) const { return body_.spec(v).dtype == DType::boolean; }
  Place& place(int v) { return place_[static_cast<std::size_t>(v)]; }

  void place_input(std::size_t i) {
    const int v = body_.inputs()[i].value;
    const Shape& shape = body_.spec(v).shape;
    const int index = static_cast<int>(i);
    if (shape == args_.shape)
      place(v) = {Place::Kind::input, index, boolean(v)};
    else if (element_count(shape) == 1 && !boolean(v))
      place(v) = {Place::Kind::scalar, index, false};
    else
      place(v) = filled(v, index);
  }

  // Filled tiles keep their place for the whole run: they are filled before the first step.
  Place filled(int v, int input) {
    const Shape& shape = body_.spec(v).shape;
    Fill f{input, top_++, boolean(v), broadcast_strides(shape, args_.shape), 0};
    Shape trailing = shape;
    while (!trailing.empty() && trailing.front() == 1) trailing.erase(trailing.begin());
    if (trailing.size() <= args_.shape.size() &&
        std::equal(trailing.begin(), trailing.end(), args_.shape.end() - static_cast<std::ptrdiff_t>(trailing.size())))
      f.period = element_count(trailing);
    if (args_.shape.empty()) f.period = 1;
    args_.fills.push_back(f);
    return {Place::Kind::tile, f.tile, boolean(v)};
  }

  // A tile that all periods divide needs its fills only once.
  void choose_tile() {
    std::int64_t common = 1;
    for (const Fill& f : args_.fills)
      if (f.period && std::lcm(common, f.period) <= kMostTile) common = std::lcm(common, f.period);
    args_.tile = common * std::max<std::int64_t>(1, kTile / common);
    for (Fill& f : args_.fills) f.once = f.period && args_.tile % f.period == 0;
  }

  // A scalar where the loop wants a whole tile.
  Place whole(int v) {
    if (place(v).kind != Place::Kind::scalar) return place(v);
    return place(v) = filled(v, place(v).index);
  }

  Place destination(int v) {
    if (const auto it = output_of_.find(v); it != output_of_.end())
      return {Place::Kind::output, it->second, boolean(v)};
    int tile = top_;
    if (free_.empty())
      ++top_;
    else
      tile = free_.back(), free_.pop_back();
    return {Place::Kind::tile, tile, boolean(v)};
  }

  void release(int i) {
    for (const int v : body_.instr(i).inputs) {
      const Place& p = place(v);
      const bool computed = body_.producer(v) >= 0;
      if (computed && p.kind == Place::Kind::tile && last_use_[static_cast<std::size_t>(v)] == i &&
          std::find(free_.begin(), free_.end(), p.index) == free_.end())
        free_.push_back(p.index);
    }
  }

  static Operands operands(const Place& a, const Place& b) {
    if (a.kind == Place::Kind::scalar) return Operands::kScalarLeft;
    return b.kind == Place::Kind::scalar ? Operands::kScalarRight : Operands::kFull;
  }

  void step(int i) {
    const Instr& instr = body_.instr(i);
    ensure(ops::can_cluster(body_, instr), "cluster: ", instr.op->name, " cannot be part of one");
    Micro m{};
    const auto& in = instr.inputs;
    if (const auto u = unary_of(instr.op)) {
      m.kind = Micro::Kind::unary;
      m.unary = unary_f32(*u);
      m.a = whole(in[0]);
    } else if (const auto b = binary_of(instr.op)) {
      m.kind = Micro::Kind::binary;
      m.a = place(in[0]), m.b = place(in[1]);
      if (m.a.kind == Place::Kind::scalar && m.b.kind == Place::Kind::scalar) m.a = whole(in[0]), m.b = place(in[1]);
      m.binary = binary_f32(*b, operands(m.a, m.b));
    } else if (const auto c = compare_of(instr.op)) {
      m.kind = Micro::Kind::compare;
      const int right = instr.op == &ops::is_nan_op ? in[0] : in[1];
      m.a = place(in[0]), m.b = place(right);
      if (m.a.kind == Place::Kind::scalar && m.b.kind == Place::Kind::scalar) m.a = whole(in[0]), m.b = place(right);
      m.compare = compare_f32(*c, operands(m.a, m.b));
    } else if (instr.op == &ops::select_op) {
      m.kind = Micro::Kind::select;
      m.a = place(in[0]), m.b = place(in[1]), m.c = place(in[2]);
      if (m.b.kind == Place::Kind::scalar && m.c.kind == Place::Kind::scalar) m.b = whole(in[1]), m.c = place(in[2]);
      m.select = select_f32(operands(m.b, m.c));
    } else if (instr.op == &ops::cast_op) {
      m.kind = Micro::Kind::to_float;
      m.a = place(in[0]);
    } else {
      m.kind = instr.op == &ops::and_op   ? Micro::Kind::logic_and
               : instr.op == &ops::or_op  ? Micro::Kind::logic_or
               : instr.op == &ops::xor_op ? Micro::Kind::logic_xor
                                          : Micro::Kind::logic_not;
      m.a = place(in[0]), m.b = place(in.size() > 1 ? in[1] : in[0]);
    }
    // The destination may be the tile of an operand that dies here only when both have the same element size.
    m.to = destination(instr.results[0]);
    place(instr.results[0]) = m.to;
    release(i);
    args_.steps.push_back(m);
  }

  static std::optional<Unary> unary_of(const OpDef* op) {
    static const std::map<const OpDef*, Unary> table = {
        {&ops::neg_op, Unary::kNeg},         {&ops::abs_op, Unary::kAbs},
        {&ops::sign_op, Unary::kSign},       {&ops::square_op, Unary::kSquare},
        {&ops::relu_op, Unary::kRelu},       {&ops::exp_op, Unary::kExp},
        {&ops::expm1_op, Unary::kExpm1},     {&ops::log_op, Unary::kLog},
        {&ops::log1p_op, Unary::kLog1p},     {&ops::sqrt_op, Unary::kSqrt},
        {&ops::rsqrt_op, Unary::kRsqrt},     {&ops::reciprocal_op, Unary::kReciprocal},
        {&ops::sin_op, Unary::kSin},         {&ops::cos_op, Unary::kCos},
        {&ops::tanh_op, Unary::kTanh},       {&ops::erf_op, Unary::kErf},
        {&ops::sigmoid_op, Unary::kSigmoid}, {&ops::softplus_op, Unary::kSoftplus},
        {&ops::floor_op, Unary::kFloor},     {&ops::ceil_op, Unary::kCeil},
        {&ops::round_op, Unary::kRound}};
    const auto it = table.find(op);
    return it == table.end() ? std::nullopt : std::optional(it->second);
  }
  static std::optional<Binary> binary_of(const OpDef* op) {
    static const std::map<const OpDef*, Binary> table = {
        {&ops::add_op, Binary::kAdd}, {&ops::sub_op, Binary::kSub},         {&ops::mul_op, Binary::kMul},
        {&ops::div_op, Binary::kDiv}, {&ops::maximum_op, Binary::kMaximum}, {&ops::minimum_op, Binary::kMinimum},
        {&ops::pow_op, Binary::kPow}};
    const auto it = table.find(op);
    return it == table.end() ? std::nullopt : std::optional(it->second);
  }
  static std::optional<Compare> compare_of(const OpDef* op) {
    static const std::map<const OpDef*, Compare> table = {{&ops::equal_op, Compare::kEqual},
                                                          {&ops::not_equal_op, Compare::kNotEqual},
                                                          {&ops::is_nan_op, Compare::kNotEqual},
                                                          {&ops::less_op, Compare::kLess},
                                                          {&ops::less_equal_op, Compare::kLessEqual},
                                                          {&ops::greater_op, Compare::kGreater},
                                                          {&ops::greater_equal_op, Compare::kGreaterEqual}};
    const auto it = table.find(op);
    return it == table.end() ? std::nullopt : std::optional(it->second);
  }

  const Program& body_;
  Args& args_;
  std::vector<Place> place_;
  std::vector<int> last_use_, free_;
  std::map<int, int> output_of_;
  int top_ = 0;
};

Step make_cluster(const Site& site) {
  Args args;
  Compiler(*site.attrs<ops::ClusterAttrs>().body, args).run();
  const bool small = args.count * static_cast<std::int64_t>(args.steps.size()) < 200'000;
  args.parts = small ? 1 : num_threads();
  const std::size_t scratch = static_cast<std::size_t>(args.tiles) * kTileBytes * static_cast<std::size_t>(args.parts);
  return make_step(
      std::move(args), [](const Args& a, const Buffers& b) { cpu::run(a, b); }, scratch);
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
