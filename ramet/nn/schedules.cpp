#include "ramet/nn/schedules.h"

#include <cmath>
#include <numbers>

#include "ramet/ops/ops.h"

namespace ramet {

using namespace ops;

namespace schedules {
namespace {

Value f32(Value step) { return cast(step, DType::f32); }
Value power(double base, Value exponent) { return pow(scalar_like(exponent, base), exponent); }
// (1 + cos πx) / 2
Value half_cosine(Value x) { return (cos(x * std::numbers::pi) + 1.0) * 0.5; }

}  // namespace

Value ExponentialDecay::operator()(Value step) const {
  Value p = f32(step) / config().decay_steps;
  if (config().staircase) p = floor(p);
  return power(config().decay_rate, p) * config().initial_learning_rate;
}

Value InverseTimeDecay::operator()(Value step) const {
  Value p = f32(step) / config().decay_steps;
  if (config().staircase) p = floor(p);
  return config().initial_learning_rate / (p * config().decay_rate + 1.0);
}

PiecewiseConstantDecay::PiecewiseConstantDecay(PiecewiseConstantConfig config) : ScheduleOf(std::move(config)) {
  const auto& c = this->config();
  require(!c.boundaries.empty() && c.values.size() == c.boundaries.size() + 1,
          "PiecewiseConstantDecay: The length of boundaries should be 1 less than the length of values. Received: "
          "boundaries of length ",
          c.boundaries.size(), ", values of length ", c.values.size());
  for (std::size_t i = 1; i < c.boundaries.size(); ++i)
    require(c.boundaries[i - 1] < c.boundaries[i], "PiecewiseConstantDecay: boundaries must increase; got ",
            c.boundaries[i - 1], " before ", c.boundaries[i]);
}

Value PiecewiseConstantDecay::operator()(Value step) const {
  const Value t = f32(step);
  Value rate = scalar_like(t, config().values.back());
  for (std::size_t i = config().boundaries.size(); i-- > 0;)
    rate = select(less_equal(t, scalar_like(t, config().boundaries[i])), scalar_like(t, config().values[i]), rate);
  return rate;
}

PolynomialDecay::PolynomialDecay(double initial_learning_rate, double decay_steps, PolynomialConfig rest)
    : ScheduleOf((rest.initial_learning_rate = initial_learning_rate, rest.decay_steps = decay_steps, rest)) {}

Value PolynomialDecay::operator()(Value step) const {
  const auto& c = config();
  Value t = f32(step), steps = scalar_like(t, c.decay_steps);
  if (c.cycle)
    steps = steps * maximum(ceil(t / c.decay_steps), scalar_like(t, 1));
  else
    t = minimum(t, steps);
  return pow(1.0 - t / steps, scalar_like(t, c.power)) * (c.initial_learning_rate - c.end_learning_rate) +
         c.end_learning_rate;
}

CosineDecay::CosineDecay(double initial_learning_rate, double decay_steps, CosineConfig rest)
    : ScheduleOf((rest.initial_learning_rate = initial_learning_rate, rest.decay_steps = decay_steps, rest)) {}

Value CosineDecay::operator()(Value step) const {
  const auto& c = config();
  const Value t = f32(step), steps = scalar_like(t, c.decay_steps);
  const auto decay = [&](Value at, double peak) {
    return (half_cosine(minimum(at, steps) / c.decay_steps) * (1 - c.alpha) + c.alpha) * peak;
  };
  if (!c.warmup_target) return decay(t, c.initial_learning_rate);
  const Value climbing = t / c.warmup_steps * (*c.warmup_target - c.initial_learning_rate) + c.initial_learning_rate;
  return select(less(t, scalar_like(t, c.warmup_steps)), climbing, decay(t - c.warmup_steps, *c.warmup_target));
}

CosineDecayRestarts::CosineDecayRestarts(double initial_learning_rate, double first_decay_steps,
                                         CosineRestartsConfig rest)
    : ScheduleOf(
          (rest.initial_learning_rate = initial_learning_rate, rest.first_decay_steps = first_decay_steps, rest)) {}

// Periods of length first·t_mulⁱ; the geometric sum of the lengths tells which one `step` lies in.
Value CosineDecayRestarts::operator()(Value step) const {
  const auto& c = config();
  Value done = f32(step) / c.first_decay_steps, period;
  if (c.t_mul == 1) {
    period = floor(done);
    done = done - period;
  } else {
    period = floor(log(1.0 - done * (1 - c.t_mul)) / std::log(c.t_mul));
    const Value length = power(c.t_mul, period), before = (1.0 - length) / (1 - c.t_mul);
    done = (done - before) / length;
  }
  const Value amplitude = power(c.m_mul, period);
  return (amplitude * half_cosine(done) * (1 - c.alpha) + c.alpha) * c.initial_learning_rate;
}

}  // namespace schedules

const std::vector<ObjectClass<ScheduleBase>>& ScheduleBase::classes() {
  using namespace schedules;
  static const std::vector<ObjectClass<ScheduleBase>> list = {
      ExponentialDecay::registration(), InverseTimeDecay::registration(), PiecewiseConstantDecay::registration(),
      PolynomialDecay::registration(),  CosineDecay::registration(),      CosineDecayRestarts::registration()};
  return list;
}

Json encode(const LearningRate& rate) { return rate.schedule() ? encode(rate.schedule()) : Json(rate.rate()); }
void decode(const Json& json, LearningRate& out) {
  if (json.is_number()) {
    out = LearningRate(json.as_double());
    return;
  }
  Schedule schedule;
  decode(json, schedule);
  out = LearningRate(std::move(schedule));
}

}  // namespace ramet
