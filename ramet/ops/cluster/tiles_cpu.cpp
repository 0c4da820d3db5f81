// Turns the body of a cluster into steps over tiles.
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "ramet/backend/reference.h"
#include "ramet/ops/cluster/cluster.h"
#include "ramet/ops/cluster/jobs.h"
#include "ramet/ops/cluster/tiles_cpu.h"
#include "ramet/ops/elementwise/elementwise.h"
#include "ramet/ops/reduce/reduce.h"

namespace ramet::cpu {
namespace {

static_assert(ops::kMostLinks == kMostLinks);

// Gives out tiles and takes them back after their last use.
class Compiler {
 public:
  Compiler(const Program& body, TileProgram& args) : body_(body), args_(args), jobs_(ops::jobs_of(body)) {
    args_.shape = body.spec(body.instr(0).results[0]).shape;
    args_.count = element_count(args_.shape);
    last_use_.assign(static_cast<std::size_t>(body.value_count()), nullptr);
    for (std::size_t i = 0; i < jobs_.size(); ++i)
      for (const int v : jobs_[i].inputs) last_use_[static_cast<std::size_t>(v)] = &jobs_[i];
    place_.resize(static_cast<std::size_t>(body.value_count()));
    for (std::size_t i = 0; i < body.inputs().size(); ++i) place_input(i);
    for (std::size_t o = 0; o < body.outputs().size(); ++o) output_of_[body.outputs()[o].value] = static_cast<int>(o);
  }

  void run() {
    for (const ops::Job& job : jobs_) {
      if (job.kind != ops::Job::Kind::single)
        loop(job);
      else if (ops::can_end_cluster(body_, *job.last))
        sum(*job.last);
      else
        step(*job.last);
      release(job);
    }
    args_.tiles = top_;
    choose_tile();
    if (!args_.sums.empty()) {
      const std::int64_t tiles = (args_.count + args_.tile - 1) / args_.tile;
      args_.chunks = std::clamp<std::int64_t>(tiles / kTilesOfChunk, 1, kMostChunks);
    }
  }

 private:
  // Running sums of a chunk add up so many numbers each, unless there would be too many chunks.
  static constexpr std::int64_t kTilesOfChunk = 128, kMostChunks = 128;

  std::size_t size(int v) const { return size_of(body_.spec(v).dtype); }
  Place& place(int v) { return place_[static_cast<std::size_t>(v)]; }

  void place_input(std::size_t i) {
    const int v = body_.inputs()[i].value;
    const Shape& shape = body_.spec(v).shape;
    const int index = static_cast<int>(i);
    if (shape == args_.shape)
      place(v) = {Place::Kind::input, index, size(v)};
    else if (element_count(shape) == 1 && size(v) == sizeof(float))
      place(v) = {Place::Kind::scalar, index};
    else
      place(v) = filled(v, index);
  }

  // Filled tiles keep their place for the whole run: they are filled before the first step.
  Place filled(int v, int input) {
    const Shape& shape = body_.spec(v).shape;
    Fill f{input, top_++, size(v), broadcast_strides(shape, args_.shape), 0};
    Shape trailing = shape;
    while (!trailing.empty() && trailing.front() == 1) trailing.erase(trailing.begin());
    if (trailing.size() <= args_.shape.size() &&
        std::equal(trailing.begin(), trailing.end(), args_.shape.end() - static_cast<std::ptrdiff_t>(trailing.size())))
      f.period = element_count(trailing);
    if (args_.shape.empty()) f.period = 1;
    std::size_t same = 0;  // leading axes that the input has in full; along the others it must be one element
    while (same < shape.size() && shape.size() == args_.shape.size() && shape[same] == args_.shape[same]) ++same;
    if (!f.period && same > 0 &&
        std::all_of(shape.begin() + static_cast<std::ptrdiff_t>(same), shape.end(),
                    [](std::int64_t size) { return size == 1; }))
      f.repeat = element_count(Shape(args_.shape.begin() + static_cast<std::ptrdiff_t>(same), args_.shape.end()));
    args_.fills.push_back(f);
    return {Place::Kind::tile, f.tile, size(v)};
  }

  // A tile that all periods divide needs its fills only once.
  void choose_tile() {
    std::int64_t common = row_;  // sums need whole rows
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
    if (const auto it = output_of_.find(v); it != output_of_.end()) return {Place::Kind::output, it->second, size(v)};
    int tile = top_;
    if (free_.empty())
      ++top_;
    else
      tile = free_.back(), free_.pop_back();
    return {Place::Kind::tile, tile, size(v)};
  }

  void release(const ops::Job& job) {
    for (const int v : job.inputs) {
      const Place& p = place(v);
      const bool computed = body_.producer(v) >= 0;
      if (computed && p.kind == Place::Kind::tile && last_use_[static_cast<std::size_t>(v)] == &job &&
          std::find(free_.begin(), free_.end(), p.index) == free_.end())
        free_.push_back(p.index);
    }
  }

  static Operands operands(const Place& a, const Place& b) {
    if (a.kind == Place::Kind::scalar) return Operands::kScalarLeft;
    return b.kind == Place::Kind::scalar ? Operands::kScalarRight : Operands::kFull;
  }

  // Sums need whole rows.
  std::int64_t row_of_sum() { return row_ = args_.shape.back(); }

  // The running sums that end in output `output`.
  Place running_sum(int output) {
    args_.sums.push_back({output, row_of_sum()});
    return {Place::Kind::sum, static_cast<int>(args_.sums.size()) - 1};
  }

  void loop(const ops::Job& job) {
    Micro m{};
    m.kind = Micro::Kind::loop;
    std::vector<Link> links;
    for (const ops::Link link : job.links)
      links.push_back(link == ops::Link::add ? Link::kAdd : link == ops::Link::sub ? Link::kSub : Link::kMul);
    switch (job.kind) {
      case ops::Job::Kind::choose: m.loop = choose_f32(*compare_of(job.compare->op)); break;
      case ops::Job::Kind::round: m.loop = round_f32(); break;
      case ops::Job::Kind::descend: m.loop = descend_f32(); break;
      case ops::Job::Kind::adam: m.loop = adam_f32(); break;
      case ops::Job::Kind::adam_of_rounded: m.loop = adam_of_rounded_f32(); break;
      default: m.loop = chain_f32(links.data(), links.size());
    }
    for (const int v : job.inputs) m.operands.push_back(place(v));
    if (ops::sums_columns(*job.last)) {
      const auto wanted = output_of_.find(job.results[0]);
      if (wanted == output_of_.end()) return;  // nobody reads it
      m.results.push_back(running_sum(wanted->second));
      m.operands.push_back(m.results[0]);
    } else {
      for (const int v : job.results) m.results.push_back(place(v) = destination(v));
    }
    args_.steps.push_back(std::move(m));
  }

  void step(const Instr& instr) {
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
      const DType from = body_.spec(in[0]).dtype;
      m.kind = from == DType::f32    ? Micro::Kind::narrow
               : from == DType::bf16 ? Micro::Kind::widen
                                     : Micro::Kind::to_float;
      m.narrow = narrow_f32(), m.widen = widen_f32();
      m.a = whole(in[0]);
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
    args_.steps.push_back(std::move(m));
  }

  void sum(const Instr& instr) {
    Micro m{};
    m.a = whole(instr.inputs[0]);
    const auto wanted = output_of_.find(instr.results[0]);
    if (wanted == output_of_.end()) return;  // nobody reads it
    if (ops::sums_columns(instr)) {
      m.kind = Micro::Kind::binary;
      m.binary = binary_f32(Binary::kAdd);
      m.b = m.to = running_sum(wanted->second);
    } else {
      m.kind = Micro::Kind::sum_rows;
      m.columns = row_of_sum();
      m.to = {Place::Kind::output, wanted->second};
    }
    args_.steps.push_back(std::move(m));
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
        {&ops::gelu_op, Unary::kGelu},       {&ops::gelu_slope_op, Unary::kGeluSlope},
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
  TileProgram& args_;
  const std::vector<ops::Job> jobs_;
  std::vector<Place> place_;
  std::vector<const ops::Job*> last_use_;
  std::vector<int> free_;
  std::map<int, int> output_of_;
  int top_ = 0;
  std::int64_t row_ = 1;
};

}  // namespace

TileProgram compile_cluster(const Program& body) {
  TileProgram program;
  Compiler(body, program).run();
  return program;
}

}  // namespace ramet::cpu
