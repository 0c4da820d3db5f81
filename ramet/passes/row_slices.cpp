#include "ramet/passes/row_slices.h"

#include <algorithm>

#include "ramet/ops/cost.h"
#include "ramet/ops/ops.h"

namespace ramet {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

double bytes_of(const Spec& s) {
  return static_cast<double>(element_count(s.shape)) * static_cast<double>(size_of(s.dtype));
}

// The rows of the data inputs; 0 when they differ.
std::int64_t rows_of(const Program& p) {
  std::int64_t rows = 0;
  for (const auto& input : p.inputs()) {
    if (input.kind != InputKind::data) continue;
    const Shape& shape = p.spec(input.value).shape;
    if (shape.empty() || (rows != 0 && shape[0] != rows)) return 0;
    rows = shape[0];
  }
  return rows;
}

bool is_any(const OpDef* op, std::initializer_list<const OpDef*> list) {
  return std::find(list.begin(), list.end(), op) != list.end();
}

bool is_convolution(const OpDef* op) { return is_any(op, {&ops::conv_op, &ops::conv_input_grad_op}); }

// Follows the rows of the batch, always axis 0, through the program.
class Rows {
 public:
  Rows(const Program& p, std::int64_t rows) : p_(p), rows_(rows), by_row_(at(p.value_count()), false) {}

  bool stay_apart() {
    for (const auto& input : p_.inputs()) {
      if (input.update >= 0) return false;
      by_row_[at(input.value)] = input.kind == InputKind::data;
    }
    for (const Instr& instr : p_.instrs()) {
      if (std::none_of(instr.inputs.begin(), instr.inputs.end(), [&](int v) { return by_row_[at(v)]; })) continue;
      if (!keeps_rows(instr)) return false;
      for (const int v : instr.results) {
        if (p_.spec(v).shape.empty() || p_.spec(v).shape[0] != rows_) return false;
        by_row_[at(v)] = true;
      }
    }
    return std::all_of(p_.outputs().begin(), p_.outputs().end(), [&](const auto& o) { return by_row_[at(o.value)]; });
  }

 private:
  const Shape& shape(int value) const { return p_.spec(value).shape; }
  bool free(const Instr& instr, std::size_t i) const { return !by_row_[at(instr.inputs[i])]; }

  // Every operand has the rows, or is the same for all of them.
  bool keeps_pointwise(const Instr& instr) const {
    const std::size_t rank = shape(instr.results[0]).size();
    return std::all_of(instr.inputs.begin(), instr.inputs.end(), [&](int v) {
      const bool lacks_rows = shape(v).size() < rank || shape(v)[0] == 1;
      return by_row_[at(v)] ? !lacks_rows || rows_ == 1 : lacks_rows;
    });
  }

  bool keeps_rows(const Instr& instr) const {
    const OpDef* op = instr.op;
    const Shape& x = shape(instr.inputs[0]);
    if (has(op->traits, Trait::pointwise)) return keeps_pointwise(instr);
    if (free(instr, 0) || x.empty() || x[0] != rows_) return false;
    if (is_convolution(op)) return free(instr, 1);
    if (is_any(op, {&ops::max_pool_op, &ops::avg_pool_op, &ops::reshape_op})) return true;
    if (is_any(op, {&ops::softmax_op, &ops::log_softmax_op})) return x.size() > 1;
    if (op == &ops::matmul_op)
      return free(instr, 1) && x.size() > 1 && shape(instr.inputs[1]).size() == 2 &&
             !(x.size() == 2 && instr.attrs.as<ops::MatmulAttrs>().transpose_a);
    if (is_any(op, {&ops::reduce_sum_op, &ops::reduce_max_op, &ops::reduce_min_op, &ops::reduce_prod_op})) {
      const auto& axes = instr.attrs.as<ops::ReduceAttrs>().axes;
      return std::find(axes.begin(), axes.end(), 0) == axes.end();
    }
    if (op == &ops::transpose_op) return instr.attrs.as<ops::TransposeAttrs>().axes[0] == 0;
    if (op == &ops::pad_op) {
      const auto& pad = instr.attrs.as<ops::PadAttrs>();
      return pad.before[0] == 0 && pad.after[0] == 0 && (pad.inside.empty() || pad.inside[0] == 0);
    }
    if (op == &ops::concat_op) {
      for (std::size_t i = 0; i < instr.inputs.size(); ++i)
        if (free(instr, i)) return false;
      return instr.attrs.as<ops::AxisAttrs>().axis != 0;
    }
    return false;
  }

  const Program& p_;
  std::int64_t rows_;
  std::vector<bool> by_row_;  // by value
};

}  // namespace

bool rows_stay_apart(const Program& program) {
  const std::int64_t rows = rows_of(program);
  return rows > 0 && Rows(program, rows).stay_apart();
}

std::int64_t row_slices(const Program& program, int threads) {
  const double cache = threads * 0x1p20;   // the second caches of the cores that share a part
  constexpr double kFarWeights = 8 << 20;  // less than this stays in the third cache
  constexpr double kFlopsPerByte = 200;    // of far weights: reading them again for every part is then a few percent
  constexpr double kLeastFlops = 3e7;      // a part that is worth the threads
  const std::int64_t rows = rows_of(program);
  if (rows < 2) return 1;
  double most = 0, flops = 0, weights = 0;  // bytes between two layers, of all rows
  for (const Instr& instr : program.instrs()) {
    flops += ops::flops(program, instr);
    if (!is_convolution(instr.op)) continue;
    most = std::max(most, bytes_of(program.spec(instr.inputs[0])) + bytes_of(program.spec(instr.results[0])));
  }
  for (const auto& input : program.inputs())
    if (input.kind == InputKind::state) weights += bytes_of(program.spec(input.value));
  if (most < 2 * cache || !rows_stay_apart(program)) return 1;
  const double least_flops = weights > kFarWeights ? std::max(kLeastFlops, kFlopsPerByte * weights) : kLeastFlops;
  std::int64_t best = 1;
  for (std::int64_t parts = 2; parts <= rows && flops / static_cast<double>(parts) >= least_flops; ++parts) {
    if (rows % parts != 0) continue;
    best = parts;
    if (most / static_cast<double>(parts) <= cache) break;
  }
  return best;
}

}  // namespace ramet
