#include "ramet/nn/regularizers.h"

#include "ramet/ops/ops.h"

namespace ramet {

using namespace ops;

namespace {

Value sum_all(Value x) { return reduce_sum(x, all_axes(x)); }

constexpr double kEpsilon = 1e-7;

Value norm(Value w, const std::vector<std::int64_t>& axis) { return sqrt(reduce_sum(square(w), axis, true)); }
Value clip(Value x, double low, double high) { return minimum(maximum(x, scalar_like(x, low)), scalar_like(x, high)); }

}  // namespace

namespace regularizers {

Value L1::operator()(Value w) const { return sum_all(abs(w)) * config().l1; }
Value L2::operator()(Value w) const { return sum_all(square(w)) * config().l2; }
Value L1L2::operator()(Value w) const { return sum_all(abs(w)) * config().l1 + sum_all(square(w)) * config().l2; }

// Half the mean |cosine| between different rows (or columns).
Value OrthogonalRegularizer::operator()(Value w) const {
  require(w.rank() == 2, "OrthogonalRegularizer: inputs must have rank 2; got ", w.spec());
  const bool rows = config().mode == "rows";
  const Value unit = w * rsqrt(maximum(reduce_sum(square(w), {rows ? 1 : 0}, true), scalar_like(w, 1e-12)));
  const Value product = rows ? matmul(unit, unit, {.transpose_a = false, .transpose_b = true})
                             : matmul(unit, unit, {.transpose_a = true, .transpose_b = false});
  const auto n = product.dim(0);
  const Value off = cast(not_equal(iota(w.program(), {n, n}, 0), iota(w.program(), {n, n}, 1)), w.dtype());
  const double pairs = static_cast<double>(n * (n - 1)) / 2;
  return sum_all(abs(product) * off) * (config().factor * 0.5 / pairs);
}

}  // namespace regularizers

namespace constraints {

Value MaxNorm::operator()(Value w) const {
  const Value n = norm(w, config().axis.values());
  return w * (clip(n, 0, config().max_value) / (n + kEpsilon));
}
Value MinMaxNorm::operator()(Value w) const {
  const Value n = norm(w, config().axis.values());
  const Value wanted = clip(n, config().min_value, config().max_value) * config().rate + n * (1 - config().rate);
  return w * (wanted / (n + kEpsilon));
}
Value NonNeg::operator()(Value w) const { return w * cast(greater_equal(w, scalar_like(w, 0)), w.dtype()); }
Value UnitNorm::operator()(Value w) const { return w / (norm(w, config().axis.values()) + kEpsilon); }

}  // namespace constraints

const std::vector<ObjectClass<RegularizerBase>>& RegularizerBase::classes() {
  using namespace regularizers;
  static const std::vector<ObjectClass<RegularizerBase>> list = {L1::registration({"l1"}), L2::registration({"l2"}),
                                                                 L1L2::registration({"l1_l2"}),
                                                                 OrthogonalRegularizer::registration()};
  return list;
}

const std::vector<ObjectClass<ConstraintBase>>& ConstraintBase::classes() {
  using namespace constraints;
  static const std::vector<ObjectClass<ConstraintBase>> list = {MaxNorm::registration(), MinMaxNorm::registration(),
                                                                NonNeg::registration(), UnitNorm::registration()};
  return list;
}

std::shared_ptr<const RegularizerBase> RegularizerBase::from_function(std::string name, Function function) {
  struct OwnRegularizer final : FunctionObject<RegularizerBase> {
    using FunctionObject::FunctionObject;
    Value operator()(Value w) const override { return function()(w); }
  };
  return std::make_shared<const OwnRegularizer>(std::move(name), std::move(function));
}

std::shared_ptr<const ConstraintBase> ConstraintBase::from_function(std::string name, Function function) {
  struct OwnConstraint final : FunctionObject<ConstraintBase> {
    using FunctionObject::FunctionObject;
    Value operator()(Value w) const override { return function()(w); }
  };
  return std::make_shared<const OwnConstraint>(std::move(name), std::move(function));
}

std::function<Value(Value)> as_function(const Regularizer& r) {
  return r ? std::function<Value(Value)>([r](Value w) { return (*r)(w); }) : nullptr;
}
std::function<Value(Value)> as_function(const Constraint& c) {
  return c ? std::function<Value(Value)>([c](Value w) { return (*c)(w); }) : nullptr;
}

}  // namespace ramet
