// How far a float32 computation of a program may lie from the true one, value by value, in the order of the program. An
// op passes the errors of its inputs on, magnified by its largest slope, and adds roundings of its own: a few ε of its
// result, or of the sum of its terms' magnitudes where it sums.
#pragma once
#include <cmath>
#include <limits>

#include "ramet/exec/executable.h"
#include "ramet/ops/matmul/linear.h"
#include "ramet/ops/ops.h"

namespace ramet::testing {

struct Range {
  double largest = 0, smallest = std::numeric_limits<double>::infinity();  // of |x|, finite ones
};
inline Range range_of(const Array& a) {
  Range out;
  for (const double v : a.to_doubles())
    if (std::isfinite(v))
      out.largest = std::max(out.largest, std::abs(v)), out.smallest = std::min(out.smallest, std::abs(v));
  return out;
}

// Every value of a program whose inputs come first, computed plainly, op by op, into memory of its own.
inline Arrays all_values(const Program& program, const Arrays& inputs) {
  Program all;
  Values map;
  for (const auto& input : program.inputs()) map.push_back(all.input(input.name, program.spec(input.value)));
  for (const Instr& instr : program.instrs()) {
    Values in;
    for (const int v : instr.inputs) in.push_back(map[static_cast<std::size_t>(v)]);
    for (const Value& result : all.emit(*instr.op, in, instr.attrs)) map.push_back(result);
  }
  for (const Value& v : map) all.output("value", v);
  return evaluate_plainly(all, inputs);
}

inline std::vector<double> rounding_bounds(const Program& p, const Arrays& values) {
  std::vector<double> bounds(values.size(), 0);
  std::vector<Range> ranges;
  for (const Array& a : values) ranges.push_back(range_of(a));
  for (const Instr& instr : p.instrs()) {
    const std::string_view op = instr.op->name;
    const auto at = [](int v) { return static_cast<std::size_t>(v); };
    const auto error = [&](std::size_t i) { return bounds[at(instr.inputs[i])]; };
    const auto in = [&](std::size_t i) { return ranges[at(instr.inputs[i])]; };
    const auto elements = [&](int v) {
      return static_cast<double>(std::max<std::int64_t>(element_count(p.spec(v).shape), 1));
    };
    const std::size_t n = instr.inputs.size();
    for (const int result : instr.results) {
      if (!is_floating(p.spec(result).dtype)) continue;  // exact, or the test has no case
      const double eps = 8 * (p.spec(result).dtype == DType::f64 ? 2.3e-16 : 1.2e-7), y = ranges[at(result)].largest;
      double worst = 0, total = 0, product = 1;
      for (std::size_t i = 0; i < n; ++i)
        worst = std::max(worst, error(i)), total += error(i), product *= in(i).largest;
      double passed = worst, own = eps * y;
      if (op == "add" || op == "sub")
        passed = total, own = eps * (in(0).largest + in(1).largest);
      else if (op == "mul")
        passed = in(0).largest * error(1) + in(1).largest * error(0) + error(0) * error(1);
      else if (op == "square")
        passed = 2 * in(0).largest * error(0);
      else if (op == "div")
        passed = (error(0) + y * error(1)) / in(1).smallest;
      else if (op == "exp" || op == "expm1")
        passed = (y + 1) * error(0), own = eps * (y + 1);
      else if (op == "log" || op == "log1p")
        passed = error(0) / (in(0).smallest + (op == "log1p" ? 1 : 0)), own = eps * (y + 1);
      else if (op == "sqrt")
        passed = in(0).smallest > 0 ? error(0) / std::sqrt(in(0).smallest) : std::sqrt(error(0));
      else if (op == "rsqrt")
        passed = error(0) * y * y * y;
      else if (op == "reciprocal")
        passed = error(0) * y * y;
      else if (op == "pow")
        passed = y * (error(0) * in(1).largest / in(0).smallest +
                      error(1) * (std::abs(std::log(in(0).smallest)) + std::abs(std::log(in(0).largest + 1))));
      else if (op == "atan2")
        passed = total / std::max(in(1).smallest, 1e-30);
      else if (op == "sin" || op == "cos" || op == "softplus" || op.starts_with("gelu") || op == "log_softmax" ||
               op == "softmax" || op == "random_normal")
        passed = 2 * worst, own = eps * (y + 1);
      else if (op == "log_softmax_at")  // also gives the sum of exponentials, whose slope is itself
        passed = 2 * worst * std::max(1.0, y), own = eps * (y + 1);
      else if (op == "reduce_sum" || op == "scatter_add") {
        const std::size_t x = n - 1;
        const double terms =
            std::max(elements(instr.inputs[x]) / elements(result), op == "scatter_add" ? elements(instr.inputs[0]) : 1);
        passed = terms * error(x), own = eps * terms * in(x).largest;
      } else if (op == "reduce_prod")
        passed = elements(instr.inputs[0]) / elements(result) * error(0) * std::max(1.0, y) * 4;
      else if (op == "matmul" || op == "linear" || op.starts_with("conv")) {
        // How many products a result sums is at most the elements of the smaller operand.
        const double terms = std::min(elements(instr.inputs[0]), elements(instr.inputs[1]));
        passed = terms * (in(0).largest * error(1) + in(1).largest * error(0)),
        own = eps * terms * in(0).largest * in(1).largest;
        if (n == 3) passed += error(2), own += eps * in(2).largest;
      } else if (op == "avg_pool_grad" || op == "max_pool_grad")
        passed = 9 * worst, own = eps * 9 * in(n - 1).largest;
      else if (op == "log_softmax_at_grad")
        passed = 2 * error(3) + 2 * in(3).largest * (error(0) + error(2)), own = 4 * eps * in(3).largest;
      else if (op == "scan" || op.starts_with("attention")) {
        // Steps at most, each with a slope of a few: only loops that contract or run for a few steps are given. So too
        // sums over at most 70 queries, of at most 3 products each.
        double largest = 1;
        for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, in(i).largest);
        passed = 1000 * total, own = 100 * eps * largest * largest * std::max(1.0, y);
      }
      bounds[at(result)] = passed + own;
    }
  }
  return bounds;
}

}  // namespace ramet::testing
