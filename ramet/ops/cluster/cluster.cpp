#include "ramet/ops/cluster/cluster.h"

#include <algorithm>

#include "ramet/ops/cluster/jobs.h"
#include "ramet/ops/elementwise/elementwise.h"
#include "ramet/ops/reduce/reduce.h"

namespace ramet::ops {
namespace {

OpDef define_cluster() {
  OpDef def;
  def.name = "cluster";
  def.traits = Trait::pointwise;
  def.not_differentiable = true;
  def.infer = [](const Attrs& attrs, std::span<const Spec> in) {
    const Program& body = *attrs.as<ClusterAttrs>().body;
    ensure(body.inputs().size() == in.size(), "cluster: ", in.size(), " inputs for a body of ", body.inputs().size());
    for (std::size_t i = 0; i < in.size(); ++i)
      ensure(body.spec(body.inputs()[i].value) == in[i], "cluster: input ", i, " is ", in[i]);
    std::vector<Spec> out;
    for (const auto& output : body.outputs()) out.push_back(body.spec(output.value));
    return out;
  };
  def.encode = [](const Attrs&) { return Json(JsonObject{}); };
  def.decode = [](const Json&) -> Attrs { throw DataError("cluster: the body is missing"); };
  def.body = [](const Attrs& attrs) { return attrs.as<ClusterAttrs>().body.get(); };
  def.decode_with_body = [](const Json&, std::unique_ptr<Program> body) {
    return Attrs::make(ClusterAttrs{std::move(body)});
  };
  return def;
}

}  // namespace

const OpDef cluster_op = define_cluster();

bool can_cluster(const Program& program, const Instr& instr) {
  static const std::vector<const OpDef*> on_floats = {
      &neg_op,     &abs_op,          &sign_op,    &square_op,   &relu_op,       &exp_op,        &expm1_op,
      &log_op,     &log1p_op,        &sqrt_op,    &rsqrt_op,    &reciprocal_op, &sin_op,        &cos_op,
      &tanh_op,    &erf_op,          &sigmoid_op, &softplus_op, &gelu_op,       &gelu_slope_op, &floor_op,
      &ceil_op,    &round_op,        &is_nan_op,  &add_op,      &sub_op,        &mul_op,        &div_op,
      &pow_op,     &maximum_op,      &minimum_op, &equal_op,    &not_equal_op,  &less_op,       &less_equal_op,
      &greater_op, &greater_equal_op};
  const auto type = [&](std::size_t i) { return program.spec(instr.inputs[i]).dtype; };
  if (std::find(on_floats.begin(), on_floats.end(), instr.op) != on_floats.end()) return type(0) == DType::f32;
  if (instr.op == &and_op || instr.op == &or_op || instr.op == &xor_op || instr.op == &not_op) return true;
  if (instr.op == &select_op) return type(1) == DType::f32;
  if (instr.op == &cast_op) {
    const DType to = program.spec(instr.results[0]).dtype;
    return to == DType::f32 ? type(0) == DType::boolean || type(0) == DType::bf16
                            : to == DType::bf16 && type(0) == DType::f32;
  }
  return false;
}

bool can_end_cluster(const Program& program, const Instr& instr) {
  constexpr std::int64_t kLongestRow = 1024;
  if (instr.op != &reduce_sum_op) return false;
  const Spec& x = program.spec(instr.inputs[0]);
  const auto& axes = instr.attrs.as<ReduceAttrs>().axes;
  const auto last = static_cast<std::int64_t>(x.rank()) - 1;
  if (x.dtype != DType::f32 || last < 1 || x.dim(-1) > kLongestRow || element_count(x.shape) == 0) return false;
  const bool rows = axes.size() == 1 && axes[0] == last;
  return rows || (static_cast<std::int64_t>(axes.size()) == last && axes.back() == last - 1);
}

bool reads_after(const Program& body, std::size_t input, std::size_t output) {
  const int read = body.inputs()[input].value, written = body.outputs()[output].value;
  bool after = false;
  for (const Job& job : jobs_of(body)) {
    if (after && std::find(job.inputs.begin(), job.inputs.end(), read) != job.inputs.end()) return true;
    after = after || std::find(job.results.begin(), job.results.end(), written) != job.results.end();
  }
  return false;
}

}  // namespace ramet::ops
