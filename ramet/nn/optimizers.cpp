#include "ramet/nn/optimizers.h"

#include "ramet/ops/ops.h"

namespace ramet {
namespace optimizers {

using namespace ops;

using Groups = std::vector<std::vector<std::string>>;

Groups SGD::slot_groups() const { return config().momentum != 0 ? Groups{{"momentum"}} : Groups{}; }

Value SGD::update_step(Step& step, Value g, Value w) const {
  if (config().momentum == 0) return w - g * step.lr;
  const double mu = config().momentum;
  const Value m = step.slot("momentum") * mu - g * step.lr;
  step.set("momentum", m);
  return config().nesterov ? w + (m * mu - g * step.lr) : w + m;
}

Groups RMSprop::slot_groups() const {
  Groups groups{{"velocity"}};
  if (config().momentum > 0) groups.push_back({"momentum"});
  if (config().centered) groups.push_back({"average_gradient"});
  return groups;
}

Value RMSprop::update_step(Step& step, Value g, Value w) const {
  const auto& c = config();
  const Value v = step.slot("velocity") * c.rho + square(g) * (1 - c.rho);
  step.set("velocity", v);
  Value spread = v + c.epsilon;
  if (c.centered) {
    const Value mean = step.slot("average_gradient") * c.rho + g * (1 - c.rho);
    step.set("average_gradient", mean);
    spread = v - square(mean) + c.epsilon;
  }
  const Value increment = step.lr * g / sqrt(spread);
  if (c.momentum == 0) return w - increment;
  const Value m = step.slot("momentum") * c.momentum + increment;
  step.set("momentum", m);
  return w - m;
}

namespace {

Groups adam_slots(bool amsgrad) {
  return amsgrad ? Groups{{"momentum", "velocity"}, {"velocity_hat"}} : Groups{{"momentum", "velocity"}};
}

// α = lr·√(1−β₂ᵗ)/(1−β₁ᵗ); m += (g−m)(1−β₁); v += (g²−v)(1−β₂); w −= α·m/(√v + ε).
template <class Config, class Step>
Value adam_step(const Config& c, Step& step, Value g, Value w) {
  const auto power = [&](double beta) { return pow(scalar_like(step.t, beta), step.t); };
  const Value alpha = step.lr * sqrt(1.0 - power(c.beta_2)) / (1.0 - power(c.beta_1));
  Value m = step.slot("momentum"), v = step.slot("velocity");
  m = m + (g - m) * (1 - c.beta_1);
  v = v + (square(g) - v) * (1 - c.beta_2);
  step.set("momentum", m);
  step.set("velocity", v);
  if (c.amsgrad) {
    v = maximum(step.slot("velocity_hat"), v);
    step.set("velocity_hat", v);
  }
  return w - m * alpha / (sqrt(v) + c.epsilon);
}

}  // namespace

Groups Adam::slot_groups() const { return adam_slots(config().amsgrad); }
Value Adam::update_step(Step& step, Value g, Value w) const { return adam_step(config(), step, g, w); }
Groups AdamW::slot_groups() const { return adam_slots(config().amsgrad); }
Value AdamW::update_step(Step& step, Value g, Value w) const { return adam_step(config(), step, g, w); }

}  // namespace optimizers

const std::vector<ObjectClass<OptimizerBase>>& OptimizerBase::classes() {
  using namespace optimizers;
  static const std::vector<ObjectClass<OptimizerBase>> list = {SGD::registration(), RMSprop::registration({"rmsprop"}),
                                                               Adam::registration(), AdamW::registration({"adamw"})};
  return list;
}

}  // namespace ramet
