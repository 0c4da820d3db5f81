#include "ramet/layers/attention/einsum_dense.h"

#include <algorithm>

#include "ramet/layers/input_rule.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {
namespace {

bool has(std::string_view letters, char c) { return letters.find(c) != std::string_view::npos; }

bool distinct_letters(std::string_view s) {
  for (std::size_t i = 0; i < s.size(); ++i)
    if (!std::isalpha(static_cast<unsigned char>(s[i])) || has(s.substr(i + 1), s[i])) return false;
  return !s.empty();
}

// Initializers that scale with the numbers of inputs and outputs count them by the letters: a sum's letters come in,
// the others go out. They draw every element alike, so the matrix [inputs, outputs] can be drawn and given the kernel's
// shape.
InitFunction by_fans(const Initializer& initializer, std::int64_t fan_in, std::int64_t fan_out) {
  static constexpr std::string_view scaling[] = {"VarianceScaling", "GlorotUniform", "GlorotNormal", "HeUniform",
                                                 "HeNormal",        "LecunUniform",  "LecunNormal"};
  if (std::find(std::begin(scaling), std::end(scaling), initializer->class_name()) == std::end(scaling))
    return initializer;
  return [initializer, fan_in, fan_out](const Shape& shape, DType dtype) {
    return initializer({fan_in, fan_out}, dtype).reshape(shape);
  };
}

}  // namespace

Json encode(const PartialShape& shape) {
  JsonArray out;
  for (const auto size : shape.sizes()) out.push_back(size == None ? Json(nullptr) : Json(size));
  return Json(std::move(out));
}

void decode(const Json& json, PartialShape& out) {
  if (json.is_int()) return void(out = PartialShape(json.as_int()));
  Shape sizes;
  for (const Json& item : json.as_array()) sizes.push_back(item.is_null() ? None : item.as_int());
  out = PartialShape(std::move(sizes));
}

EinsumDenseLayer::EinsumDenseLayer(EinsumDenseConfig config, LayerOptions options)
    : LayerOf(std::move(config), std::move(options)) {
  const std::string& e = this->config().equation;
  const auto comma = e.find(','), arrow = e.find("->");
  const auto refuse = [&](bool holds, const auto&... why) {
    require(holds, describe(*this), ": the equation '", e, "' ", why...,
            "; write \"x,kernel->y\", \"...x,kernel->...y\" or \"x...,kernel->y...\"");
  };
  refuse(comma != std::string::npos && arrow != std::string::npos && comma < arrow, "is not of two operands");
  x_ = e.substr(0, comma), kernel_letters_ = e.substr(comma + 1, arrow - comma - 1), y_ = e.substr(arrow + 2);
  if (x_.starts_with("...") && y_.starts_with("..."))
    further_ = Further::front, x_ = x_.substr(3), y_ = y_.substr(3);
  else if (x_.ends_with("...") && y_.ends_with("..."))
    further_ = Further::back, x_.resize(x_.size() - 3), y_.resize(y_.size() - 3);
  for (const std::string& part : {x_, kernel_letters_, y_})
    refuse(distinct_letters(part), "has '", part, "', which is not a row of different letters");
  for (const char c : y_)
    refuse(has(x_, c) || has(kernel_letters_, c), "has '", c, "' in y but neither in x nor in the kernel");
  for (const char c : kernel_letters_) refuse(has(x_, c) || has(y_, c), "has '", c, "' in the kernel only");
  for (const char c : this->config().bias_axes.value_or(""))
    require(has(y_, c), describe(*this), ": bias_axes has '", c, "', which the output of '", e, "' has not");
}

void EinsumDenseLayer::check(const std::vector<Spec>& inputs) const {
  check_inputs(*this, inputs, {.ndim = rank_});
  const std::size_t rank = inputs[0].rank(), named = x_.size();
  require(further_ == Further::none ? rank == named : rank >= named, describe(*this), ": the equation '",
          config().equation, "' does not fit an input of shape ", to_string(inputs[0].shape));
}

Einsum EinsumDenseLayer::letters(std::size_t rank) const {
  std::string more;
  for (char c = 'a'; more.size() + x_.size() < rank; c = c == 'z' ? 'A' : static_cast<char>(c + 1))
    if (!has(x_ + kernel_letters_ + y_, c)) more += c;
  return further_ == Further::front ? Einsum{more + x_, kernel_letters_, more + y_}
                                    : Einsum{x_ + more, kernel_letters_, y_ + more};
}

void EinsumDenseLayer::build(Builder& b, const Spec& x) {
  rank_ = x.rank();
  const Einsum e = letters(rank_);
  // output_shape gives y without its batch axis; axes that "..." stands for are the input's.
  const Shape& partial = config().output_shape.sizes();
  const std::size_t more = rank_ - x_.size(),
                    given_at = further_ == Further::front ? std::max<std::size_t>(more, 1) : 1;
  Shape y(e.out.size(), None);
  require(given_at + partial.size() + (further_ == Further::back ? more : 0) == y.size(), describe(*this),
          ": output_shape has ", partial.size(), " size(s); the equation '", config().equation,
          "' for an input of shape ", to_string(x.shape), " gives an output of ", y.size(),
          " axes, the first of which is the batch");
  std::copy(partial.begin(), partial.end(), y.begin() + static_cast<std::ptrdiff_t>(given_at));
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto at = e.a.find(e.out[i]);
    if (at == std::string::npos) continue;
    require(y[i] == None || x.shape[at] == None || y[i] == x.shape[at], describe(*this), ": '", e.out[i], "' is ",
            x.shape[at], " in the input and ", y[i], " in output_shape");
    if (y[i] == None) y[i] = x.shape[at];
  }

  Shape kernel;
  std::int64_t fan_in = 1, fan_out = 1;
  for (const char c : e.b) {
    const auto in_y = e.out.find(c);
    kernel.push_back(in_y != std::string::npos ? y[in_y] : x.shape[e.a.find(c)]);
    require(kernel.back() != None, describe(*this), ": the size of '", c,
            "' in the kernel is not known; got an input of shape ", to_string(x.shape), " and output_shape ",
            encode(config().output_shape).dump());
    (in_y != std::string::npos ? fan_out : fan_in) *= kernel.back();
  }
  kernel_ = b.weight(
      "kernel", kernel, by_fans(config().kernel_initializer, fan_in, fan_out),
      {.regularizer = as_function(config().kernel_regularizer), .constraint = as_function(config().kernel_constraint)});
  if (!config().bias_axes || config().bias_axes->empty()) return;
  Shape bias;
  bool begun = false;
  for (std::size_t i = 0; i < e.out.size(); ++i) {
    const bool named = has(*config().bias_axes, e.out[i]);
    begun = begun || named;
    if (begun) bias.push_back(named ? y[i] : 1);
  }
  bias_ = b.weight(
      "bias", bias, config().bias_initializer,
      {.regularizer = as_function(config().bias_regularizer), .constraint = as_function(config().bias_constraint)});
}

Value EinsumDenseLayer::call(const CallContext& ctx, Value x) const {
  const Value y = einsum(letters(x.rank()), x, ctx[kernel_]);
  return config().activation(bias_ ? y + ctx[bias_] : y);
}

}  // namespace ramet::layers
