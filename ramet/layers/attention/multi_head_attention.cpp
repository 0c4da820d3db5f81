#include "ramet/layers/attention/multi_head_attention.h"

#include <algorithm>
#include <cmath>

#include "ramet/layers/attention/attention_mask.h"
#include "ramet/layers/dropout_mask.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {
namespace {

// The i-th positional argument, which may have been given by name.
template <class Args>
auto argument(const Args& args, std::size_t i, std::string_view name) -> decltype(args.find(name)) {
  const auto* found = i < args.args.size() ? &args.args[i] : args.find(name);
  return found && !found->is_none() ? found : nullptr;
}

std::string letters_from(char first, std::size_t n) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i) out += static_cast<char>(first + static_cast<char>(i));
  return out;
}

// Letters of projected queries, of projected keys (and values), and of the scores [batch…, heads, queries…, keys…].
struct HeadLetters {
  std::string query, key, scores;
};
HeadLetters head_letters(std::size_t rank, const std::vector<std::int64_t>& axes) {
  HeadLetters e{letters_from('a', rank), letters_from('a', rank), ""};
  char next = static_cast<char>('a' + static_cast<char>(rank));
  for (const auto axis : axes) e.key[static_cast<std::size_t>(axis)] = next++;
  for (std::size_t i = 0; i + 1 < rank; ++i)
    if (e.key[i] == e.query[i]) e.scores += e.query[i];
  for (const std::string* side : {&e.query, &e.key})
    for (const auto axis : axes) e.scores += (*side)[static_cast<std::size_t>(axis)];
  return e;
}

constexpr const char* kTensorNames[] = {"query", "value", "key"};

// From Keras 3.8 on the layer reads the masks of its tensors and then clears them on the tensors themselves: whatever
// uses one of them later in the order of execution sees no mask. docs/differences.md has an example.
bool takes_masks(const CallContext& ctx) { return ctx.mask_semantics() >= MaskSemantics::keras3_8; }

// A mask given as an argument. The query's is overwritten by that of the tensor in Keras 3.8 and later.
Value given_mask(const CallContext& ctx, std::string_view name) {
  return takes_masks(ctx) && name == "query" ? Value{} : ctx.tensor(cat(name, "_mask"));
}

// Softmax over the last n axes taken as one.
Value softmax_over(Value x, std::size_t n) {
  if (n == 1) return ops::softmax(x);
  Shape flat(x.shape().begin(), x.shape().end() - static_cast<std::ptrdiff_t>(n));
  flat.push_back(element_count(Shape(x.shape().end() - static_cast<std::ptrdiff_t>(n), x.shape().end())));
  return ops::reshape(ops::softmax(ops::reshape(x, flat)), x.shape());
}

// A mask with one value for all keys, written out.
Value whole_keys(Value mask, std::int64_t keys) {
  if (mask.dim(-1) != 1 || keys == 1) return mask;
  Shape shape = mask.shape();
  shape.back() = keys;
  return ops::broadcast_to(mask, shape);
}

// Whether the op for attention takes these; the general way says what is wrong with sizes that do not fit.
bool is_one_op(Value q, Value k, Value v, Value mask) {
  const Shape full{q.dim(0), q.dim(2), q.dim(1), k.dim(1)};
  for (std::size_t i = 0; mask && i < 4; ++i)
    if (mask.shape()[i] != full[i] && (i == 3 || mask.shape()[i] != 1)) return false;
  return q.dtype() == DType::f32 && k.dtype() == q.dtype() && v.dtype() == q.dtype() && k.dim(0) == q.dim(0) &&
         v.dim(0) == q.dim(0) && v.dim(1) == k.dim(1) && k.dim(1) > 0;
}

}  // namespace

void decode(const Json& json, MaybeList& out) {
  if (json.is_null()) return void(out = {});
  if (json.is_int()) return void(out = MaybeList(json.as_int()));
  std::vector<std::int64_t> values;
  decode(json, values);
  out = MaybeList(std::move(values));
}

void normalize(MultiHeadAttentionConfig& config) {
  if (!config.value_dim) config.value_dim = config.key_dim;
  require(!config.flash_attention.value_or(false),
          "MultiHeadAttention: flash_attention=true is not supported; leave it out");
}

JsonObject MultiHeadAttentionLayer::get_config() const {
  JsonObject out = LayerOf::get_config();
  out.erase("flash_attention");  // not part of Keras' config
  return out;
}

std::vector<LayerRef> MultiHeadAttentionLayer::sublayers() const {
  std::vector<LayerRef> out;
  for (const LayerRef& layer : {query_, key_, gate_, value_, output_})
    if (layer) out.push_back(layer);
  return out;
}

std::vector<std::string> MultiHeadAttentionLayer::sublayer_names() const {
  std::vector<std::string> out;
  const auto add = [&](const LayerRef& layer, const char* name) {
    if (layer) out.emplace_back(name);
  };
  add(query_, "query_dense"), add(key_, "key_dense"), add(gate_, "_gate_dense");
  add(value_, "value_dense"), add(output_, "output_dense");
  return out;
}

void MultiHeadAttentionLayer::check_arguments(const SpecArgs& args) const {
  LayerOf::check_arguments(args);
  const auto *query = argument(args, 0, "query"), *value = argument(args, 1, "value"), *key = argument(args, 2, "key");
  require(query && value, describe(*this), ": needs a query and a value");
  for (const auto* t : {query, value, key})
    require(!t || t->is_leaf(), describe(*this), ": query, value and key are one tensor each");
  const Shape &q = query->leaf().shape, &v = value->leaf().shape, &k = (key ? key : value)->leaf().shape;
  require(q.size() >= 3 && q.size() == v.size(), describe(*this),
          ": query and value need the same number of axes, at least (batch, steps, features); got ", to_string(q),
          " and ", to_string(v));
  require(Shape(v.begin() + 1, v.end() - 1) == Shape(k.begin() + 1, k.end() - 1), describe(*this),
          ": value and key must agree in all axes but the last; got ", to_string(v), " and ", to_string(k));
}

// A projection of the last `bound` axes to `out`, as an EinsumDense: "abc,cde->abde".
LayerRef MultiHeadAttentionLayer::projection(const std::string& name, std::size_t free, std::size_t bound,
                                             const Shape& out, bool gate) const {
  const std::string kept = letters_from('a', free),
                    in = letters_from(static_cast<char>('a' + static_cast<char>(free)), bound),
                    made = letters_from(static_cast<char>('a' + static_cast<char>(free + bound)), out.size());
  Shape shape(free - 1, None);
  shape.insert(shape.end(), out.begin(), out.end());
  EinsumDenseConfig c;
  c.equation = cat(kept, in, ",", in, made, "->", kept, made);
  c.output_shape = PartialShape(shape);
  if (gate) c.activation = "sigmoid";
  if (config().use_bias) c.bias_axes = made;
  c.kernel_initializer = config().kernel_initializer;
  c.bias_initializer = config().bias_initializer;
  c.kernel_regularizer = config().kernel_regularizer;
  c.bias_regularizer = config().bias_regularizer;
  c.activity_regularizer = config().activity_regularizer;
  c.kernel_constraint = config().kernel_constraint;
  c.bias_constraint = config().bias_constraint;
  return std::make_shared<EinsumDenseLayer>(std::move(c), LayerOptions{name, trainable(), dtype_name()});
}

void MultiHeadAttentionLayer::build_args(Builder& b, const SpecArgs& args) {
  const Spec query = argument(args, 0, "query")->leaf(), value = argument(args, 1, "value")->leaf();
  const auto* given_key = argument(args, 2, "key");
  const Spec key = given_key ? given_key->leaf() : value;
  const auto heads = config().num_heads, key_dim = config().key_dim, value_dim = *config().value_dim;
  const std::size_t free = query.rank() - 1;

  // Axes that are attended over, from the front; the features and the batch are not among them.
  std::vector<std::int64_t> axes;
  for (const auto axis : config().attention_axes)
    axes.push_back(axis < 0 ? static_cast<std::int64_t>(query.rank()) + axis : axis);
  for (std::size_t i = 1; i < free && !config().attention_axes.given(); ++i)
    axes.push_back(static_cast<std::int64_t>(i));
  for (const auto axis : axes)
    require(axis > 0 && axis < static_cast<std::int64_t>(free) && std::count(axes.begin(), axes.end(), axis) == 1,
            describe(*this), ": attention_axes ", ramet::encode(axes).dump(), " do not fit a query of shape ",
            to_string(query.shape));
  mutable_config().attention_axes = MaybeList(axes);

  query_ = projection("query", free, 1, {heads, key_dim});
  key_ = projection("key", free, 1, {heads, key_dim});
  gate_ = config().use_gate ? projection("gate", free, 1, {heads, value_dim}, true) : nullptr;
  value_ = projection("value", free, 1, {heads, value_dim});
  output_ = projection("attention_output", free, 2,
                       config().output_shape.given() ? config().output_shape.values() : Shape{query.dim(-1)});
  b.build(query_, query);
  b.build(key_, key);
  if (gate_) b.build(gate_, query);
  b.build(value_, value);
  Spec attended = query;
  attended.shape.back() = heads;
  attended.shape.push_back(value_dim);
  b.build(output_, attended);
  seed_ = config().dropout > 0 ? b.seed(config().seed) : Weight();
}

Value MultiHeadAttentionLayer::allowed(const CallContext& ctx, const TracedArgs& args, Value query, Value value) const {
  const auto mask_of = [&](std::size_t i, std::string_view name) {
    if (const Value given = given_mask(ctx, name)) return ops::cast(given, DType::boolean);
    const auto* t = argument(args, i, name);
    return t && t->leaf().mask ? ops::cast(t->leaf().mask, DType::boolean) : Value{};
  };
  Value out;
  if (const Value m = mask_of(0, "query")) out = ops::expand_dims(m, -1);
  for (const Value& m : {mask_of(1, "value"), mask_of(2, "key")})
    if (m) out = both(out, ops::expand_dims(m, -2));
  if (config().sliding_window)
    out = both(out, sliding_window_mask(ctx.program(), query.dim(1), value.dim(1), *config().sliding_window));
  if (const Value given = ctx.tensor("attention_mask")) out = both(ops::cast(given, DType::boolean), out);
  return out;
}

TracedNest MultiHeadAttentionLayer::call_args(const CallContext& ctx, const TracedArgs& args) const {
  const Value query = argument(args, 0, "query")->leaf().value, value = argument(args, 1, "value")->leaf().value;
  const auto* given_key = argument(args, 2, "key");
  const Value key = given_key ? given_key->leaf().value : value;
  const bool return_scores = ctx.flag("return_attention_scores", false);
  const auto& axes = config().attention_axes.values();
  const HeadLetters e = head_letters(query.rank() + 1, axes);

  const Value q = ctx.call(query_, query), k = ctx.call(key_, key), v = ctx.call(value_, value);
  const double scale = 1 / std::sqrt(static_cast<double>(config().key_dim));
  const bool causal = ctx.flag("use_causal_mask", false);
  Value mask = allowed(ctx, args, query, value);
  // What restricts the scores [batch, heads, queries…, keys…], with as many axes.
  const auto with_scores_rank = [&](Value m) {
    const std::size_t rank = q.rank() - 1 + axes.size();
    require(m.rank() <= rank, describe(*this), ": the mask ", to_string(m.shape()), " has more axes than the ", rank,
            " of the scores");
    while (m.rank() < rank) m = ops::expand_dims(m, -2 * static_cast<int>(axes.size()) - 1);
    return m;
  };

  // A query that may look at nothing: Keras' fused kernel, which runs in the plain case, gives the mean of the values;
  // its other path zeros.
  const bool plain = config().dropout == 0 && !return_scores && query.rank() == 3;
  Value y, weights;
  if (plain && mask) mask = whole_keys(with_scores_rank(mask), k.dim(1));
  if (plain && is_one_op(q, k, v, mask)) {
    y = ops::attention(q, k, v, mask, scale, causal);
  } else {
    if (causal) mask = both(mask, causal_mask(ctx.program(), query.dim(1), value.dim(1)));
    Value scores = einsum({e.query, e.key, e.scores}, q * scale, k);
    if (mask) {
      mask = with_scores_rank(mask);
      scores = ops::select(mask, scores, ops::scalar_like(scores, ops::kHiddenScore));
    }
    weights = softmax_over(scores, axes.size());
    if (mask && !plain) weights = ops::select(mask, weights, ops::scalar_like(weights, 0));
    const Value kept = !ctx.training() || config().dropout == 0 ? weights
                       : config().dropout == 1                  ? weights * 0.0
                                               : weights * dropout_mask(ctx, seed_, weights.shape(), config().dropout);
    y = einsum({e.scores, e.key, e.query}, kept, v);
  }
  if (gate_) y = y * ctx.call(gate_, query);
  y = ctx.call(output_, y);
  if (takes_masks(ctx))
    for (std::size_t i = 0; i < 3; ++i)
      if (const auto* t = argument(args, i, kTensorNames[i]); t && t->leaf().mask)
        ctx.trace().set_mask(t->leaf().value, {});
  if (!return_scores) return TracedNest(Traced{y, {}});
  // As in Keras, the scores carry what restricted them.
  return TracedNest(TracedNest::List{TracedNest(Traced{y, {}}), TracedNest(Traced{weights, mask})});
}

Values MultiHeadAttentionLayer::compute_mask(const CallContext& ctx, const std::vector<Traced>&) const {
  Value mask = given_mask(ctx, "query");
  const auto* query = argument(ctx.args(), 0, "query");
  if (!mask && query) mask = query->leaf().mask;
  Values out{mask};
  if (ctx.flag("return_attention_scores", false)) out.push_back({});
  return out;
}

}  // namespace ramet::layers
