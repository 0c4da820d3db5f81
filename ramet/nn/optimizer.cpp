#include "ramet/nn/optimizer.h"

#include <algorithm>
#include <regex>

#include "ramet/ops/ops.h"

namespace ramet {

using namespace ops;

const VariableRefs& OptimizerState::slot(std::string_view name) const {
  for (const auto& [key, list] : slots)
    if (key == name) return list;
  throw InternalError(cat("an optimizer has no slot '", name, "'"));
}

int OptimizerState::index_of(const Variable& variable) const {
  for (std::size_t i = 0; i < trainable.size(); ++i)
    if (trainable[i].get() == &variable) return static_cast<int>(i);
  return -1;
}

bool OptimizerBase::excluded(const Variable& variable) const {
  return std::any_of(excluded_.begin(), excluded_.end(),
                     [&](const std::string& e) { return std::regex_search(variable.path, std::regex(e)); });
}

void check_options(std::string_view who, const OptimizerOptions& o) {
  const auto shown = [](const std::optional<double>& v) { return v ? cat(*v) : std::string("None"); };
  require((o.clipnorm ? 1 : 0) + (o.clipvalue ? 1 : 0) + (o.global_clipnorm ? 1 : 0) <= 1, who,
          ": Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set. Received: clipnorm=",
          shown(o.clipnorm), ", clipvalue=", shown(o.clipvalue), ", global_clipnorm=", shown(o.global_clipnorm));
  require(!o.gradient_accumulation_steps || *o.gradient_accumulation_steps >= 2, who,
          ": `gradient_accumulation_steps` must be an integer >= 2. Received: gradient_accumulation_steps=",
          o.gradient_accumulation_steps.value_or(0));
}

OptimizerState OptimizerBase::build(const VariableRefs& trainable) const {
  const OptimizerOptions o = options();
  OptimizerState state;
  state.trainable = trainable;
  const auto make = [&](const std::string& name, Array value) {
    auto v = std::make_shared<Variable>(name, std::move(value));
    v->path = cat(this->name(), "/", name);
    v->is_parameter = v->trainable = false;
    state.variables.push_back(v);
    return v;
  };
  // Keras names a slot after the path of its variable.
  const auto like = [&](const VariableRef& v, const std::string& what) {
    std::string name = v->path.empty() ? v->name : v->path;
    std::replace(name.begin(), name.end(), '/', '_');
    return make(cat(name, "_", what), Array(v->spec().shape, v->spec().dtype));
  };
  state.iteration = make("iteration", Array::scalar(0, DType::i64));
  if (!learning_rate().schedule()) state.learning_rate = make("learning_rate", Array::scalar(learning_rate().rate()));
  if (o.use_ema)
    for (const auto& v : trainable) state.averages.push_back(like(v, "average"));
  if (o.gradient_accumulation_steps)
    for (const auto& v : trainable) state.accumulators.push_back(like(v, "gradient_accumulator"));
  for (const auto& group : slot_groups()) {
    const std::size_t first = state.slots.size();
    for (const auto& name : group) state.slots.emplace_back(name, VariableRefs());
    for (const auto& v : trainable)
      for (std::size_t k = 0; k < group.size(); ++k) state.slots[first + k].second.push_back(like(v, group[k]));
  }
  return state;
}

Value OptimizerBase::current_rate(Trace& trace, const OptimizerState& state) const {
  return learning_rate().schedule() ? (*learning_rate().schedule())(trace.value_of(state.iteration))
                                    : trace.value_of(state.learning_rate);
}

Values OptimizerBase::clip(const Values& gradients) const {
  const OptimizerOptions o = options();
  const auto sum_squares = [](Value g) { return reduce_sum(square(g), all_axes(g)); };
  Values out = gradients;
  if (o.clipnorm && *o.clipnorm > 0) {
    // g · c / max(‖g‖, c)
    for (Value& g : out) g = g * *o.clipnorm / maximum(sqrt(sum_squares(g)), scalar_like(g, *o.clipnorm));
  } else if (o.global_clipnorm && *o.global_clipnorm > 0) {
    const double c = *o.global_clipnorm;
    Value total;
    for (const Value g : out) total = total ? total + cast(sum_squares(g), total.dtype()) : sum_squares(g);
    const Value norm = sqrt(total);
    // The difference is 0, or NaN when the norm is not finite: such a step must not look like a clipped one.
    const Value scale = minimum(1.0 / norm, scalar_like(norm, 1 / c)) * c + (norm - norm);
    for (Value& g : out) g = g * cast(scale, g.dtype());
  } else if (o.clipvalue && *o.clipvalue > 0) {
    for (Value& g : out) g = minimum(maximum(g, scalar_like(g, -*o.clipvalue)), scalar_like(g, *o.clipvalue));
  }
  return out;
}

void OptimizerBase::apply(Trace& trace, const OptimizerState& state, const VariableRefs& variables,
                          const Values& all_gradients) const {
  const OptimizerOptions o = options();
  VariableRefs updated;
  std::vector<std::size_t> index;
  Values gradients;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const int at = state.index_of(*variables[i]);
    require(at >= 0, "Unknown variable: ", variables[i]->path,
            ". This optimizer can only be called for the variables it was originally built with. Call compile() again "
            "to make it anew.");
    if (!all_gradients[i]) continue;
    updated.push_back(variables[i]);
    index.push_back(static_cast<std::size_t>(at));
    gradients.push_back(cast(all_gradients[i], variables[i]->spec().dtype));
  }
  require(!updated.empty() || variables.empty(), "No gradients provided for any variable.");
  if (o.loss_scale_factor)
    for (Value& g : gradients) g = g / *o.loss_scale_factor;

  const Value counter = trace.value_of(state.iteration), one = scalar_like(counter, 1);
  const Value rate = current_rate(trace, state);
  Value iterations = counter, is_update;  // is_update: undefined, or whether the accumulated gradient is used now
  if (o.gradient_accumulation_steps) {
    const Value steps = scalar_like(counter, static_cast<double>(*o.gradient_accumulation_steps));
    iterations = floor_divide(counter, steps);
    is_update = equal(mod(counter + one, steps), scalar_like(counter, 0));
    for (std::size_t k = 0; k < gradients.size(); ++k) {
      const VariableRef& accumulator = state.accumulators[index[k]];
      const Value sum = gradients[k] + trace.value_of(accumulator);
      trace.update(accumulator, select(is_update, scalar_like(sum, 0), sum));
      gradients[k] = sum / static_cast<double>(*o.gradient_accumulation_steps);
    }
  }
  // Keeps what was there where this is not a step that updates.
  const auto assign = [&](const VariableRef& v, Value before, Value after) {
    trace.update(v, is_update ? select(is_update, after, before) : after);
  };

  gradients = clip(gradients);
  for (std::size_t k = 0; k < updated.size(); ++k) {
    const Value before = trace.value_of(updated[k]);
    const DType type = before.dtype();
    Step step(trace, state, index[k], cast(iterations + one, type), cast(rate, type));
    std::vector<std::pair<VariableRef, Value>> slots;
    for (const auto& [name, list] : state.slots) slots.emplace_back(list[index[k]], trace.value_of(list[index[k]]));
    Value w = before;
    if (o.weight_decay && !excluded(*updated[k])) w = w - w * *o.weight_decay * step.lr;
    w = update_step(step, gradients[k], w);
    assign(updated[k], before, w);
    if (is_update)
      for (const auto& [slot, value] : slots) assign(slot, value, trace.value_of(slot));
  }

  if (o.use_ema) {
    const Value later = not_equal(iterations, scalar_like(iterations, 0));
    for (std::size_t i = 0; i < state.trainable.size(); ++i) {
      const Value w = trace.value_of(state.trainable[i]), average = trace.value_of(state.averages[i]);
      const Value m = cast(later, w.dtype()) * o.ema_momentum;
      const Value now = m * average + (1.0 - m) * w;
      trace.update(state.averages[i], now);
      if (!o.ema_overwrite_frequency) continue;
      const Value due =
          equal(mod(iterations + one, scalar_like(iterations, static_cast<double>(*o.ema_overwrite_frequency))),
                scalar_like(iterations, 0));
      trace.update(state.trainable[i], select(due, now, w));
    }
  }
  for (const auto& v : updated)
    if (v->constraint) trace.update(v, v->constraint(trace.value_of(v)));
  trace.update(state.iteration, counter + one);
}

void OptimizerBase::finalize(const OptimizerState& state) const {
  for (std::size_t i = 0; i < state.averages.size(); ++i) state.trainable[i]->assign(state.averages[i]->stored());
}

}  // namespace ramet
