#include "ramet/nn/initializers.h"

#include <cmath>

#include "ramet/array/random.h"

namespace ramet {
namespace initializers {
namespace {

std::uint64_t seed_of(const std::optional<std::int64_t>& seed) {
  return seed ? static_cast<std::uint64_t>(*seed) : next_seed();
}

template <class Fill>
Array filled(const Shape& shape, DType dtype, Fill&& fill) {
  if (dtype == DType::bf16) return filled(shape, DType::f32, fill).astype(dtype);
  Array out(shape, dtype);
  if (dtype == DType::f64)
    fill(out.data<double>().data(), out.size());
  else if (dtype == DType::f32)
    fill(out.data<float>().data(), out.size());
  else
    throw UsageError(cat("random initializers make floating values, not ", dtype));
  return out;
}

struct Fans {
  double in, out;
};

Fans fans(const Shape& shape) {
  if (shape.empty()) return {1, 1};
  const auto n = static_cast<double>(shape.back());
  if (shape.size() == 1) return {n, n};
  double field = 1;
  for (std::size_t i = 0; i + 2 < shape.size(); ++i) field *= static_cast<double>(shape[i]);
  return {static_cast<double>(shape[shape.size() - 2]) * field, n * field};
}

Array scaled(const Shape& shape, DType dtype, double scale, std::string_view mode, std::string_view distribution,
             std::uint64_t seed) {
  const auto [in, out] = fans(shape);
  scale /= std::max(1.0, mode == "fan_in" ? in : mode == "fan_out" ? out : (in + out) / 2);
  return filled(shape, dtype, [&](auto* to, std::int64_t n) {
    using T = std::remove_pointer_t<decltype(to)>;
    const Stream stream{seed, 0};
    if (distribution == "uniform") {
      const auto limit = static_cast<T>(std::sqrt(3.0 * scale));
      fill_uniform(to, 0, n, stream, -limit, limit);
    } else if (distribution == "untruncated_normal")
      fill_normal(to, 0, n, stream, T(0), static_cast<T>(std::sqrt(scale)));
    else
      fill_truncated_normal(to, 0, n, stream, T(0), static_cast<T>(std::sqrt(scale) / 0.87962566103423978));
  });
}

}  // namespace

Array Zeros::operator()(const Shape& shape, DType dtype) const { return Array::zeros(shape, dtype); }
Array Ones::operator()(const Shape& shape, DType dtype) const { return Array::full(shape, 1, dtype); }
Array Constant::operator()(const Shape& shape, DType dtype) const { return Array::full(shape, config().value, dtype); }

Array Identity::operator()(const Shape& shape, DType dtype) const {
  require(shape.size() == 2,
          "Identity matrix initializer can only be used for 2D matrices. Received: shape=", to_string(shape));
  Array out = Array::zeros(shape, DType::f64);
  for (std::int64_t i = 0; i < std::min(shape[0], shape[1]); ++i)
    out.data<double>()[static_cast<std::size_t>(i * shape[1] + i)] = config().gain;
  return out.astype(dtype);
}

Array RandomNormal::operator()(const Shape& shape, DType dtype) const {
  return filled(shape, dtype, [&](auto* to, std::int64_t n) {
    using T = std::remove_pointer_t<decltype(to)>;
    fill_normal(to, 0, n, {seed_of(config().seed), 0}, static_cast<T>(config().mean), static_cast<T>(config().stddev));
  });
}
Array RandomUniform::operator()(const Shape& shape, DType dtype) const {
  require(config().minval <= config().maxval,
          "RandomUniform: `minval` must not be larger than `maxval`. Received: minval=", config().minval,
          ", maxval=", config().maxval);
  return filled(shape, dtype, [&](auto* to, std::int64_t n) {
    using T = std::remove_pointer_t<decltype(to)>;
    fill_uniform(to, 0, n, {seed_of(config().seed), 0}, static_cast<T>(config().minval),
                 static_cast<T>(config().maxval));
  });
}
Array TruncatedNormal::operator()(const Shape& shape, DType dtype) const {
  return filled(shape, dtype, [&](auto* to, std::int64_t n) {
    using T = std::remove_pointer_t<decltype(to)>;
    fill_truncated_normal(to, 0, n, {seed_of(config().seed), 0}, static_cast<T>(config().mean),
                          static_cast<T>(config().stddev));
  });
}
Array VarianceScaling::operator()(const Shape& shape, DType dtype) const {
  require(config().scale > 0, "VarianceScaling: `scale` must be positive; got ", config().scale);
  return scaled(shape, dtype, config().scale, config().mode.name(), config().distribution.name(),
                seed_of(config().seed));
}
Array GlorotUniform::operator()(const Shape& s, DType d) const {
  return scaled(s, d, 1, "fan_avg", "uniform", seed_of(config().seed));
}
Array GlorotNormal::operator()(const Shape& s, DType d) const {
  return scaled(s, d, 1, "fan_avg", "truncated_normal", seed_of(config().seed));
}
Array HeUniform::operator()(const Shape& s, DType d) const {
  return scaled(s, d, 2, "fan_in", "uniform", seed_of(config().seed));
}
Array HeNormal::operator()(const Shape& s, DType d) const {
  return scaled(s, d, 2, "fan_in", "truncated_normal", seed_of(config().seed));
}
Array LecunUniform::operator()(const Shape& s, DType d) const {
  return scaled(s, d, 1, "fan_in", "uniform", seed_of(config().seed));
}
Array LecunNormal::operator()(const Shape& s, DType d) const {
  return scaled(s, d, 1, "fan_in", "truncated_normal", seed_of(config().seed));
}

// Columns of a normal matrix made orthonormal one after the other (modified Gram–Schmidt, twice, in double), which is
// its QR decomposition with a positive diagonal of R: the sign convention Keras asks for.
Array Orthogonal::operator()(const Shape& shape, DType dtype) const {
  require(shape.size() >= 2,
          "Orthogonal: the tensor to initialize must be at least two-dimensional. Received: shape=", to_string(shape));
  const std::int64_t cols = shape.back(), rows = cols ? element_count(shape) / cols : 0;
  const std::int64_t tall = std::max(rows, cols), wide = std::min(rows, cols);
  std::vector<double> q(static_cast<std::size_t>(tall * wide));  // column k at q[k·tall]
  fill_normal(q.data(), 0, tall * wide, {seed_of(config().seed), 0});
  for (std::int64_t k = 0; k < wide; ++k) {
    double* v = q.data() + k * tall;
    for (int round = 0; round < 2; ++round)
      for (std::int64_t j = 0; j < k; ++j) {
        const double* u = q.data() + j * tall;
        double dot = 0;
        for (std::int64_t i = 0; i < tall; ++i) dot += u[i] * v[i];
        for (std::int64_t i = 0; i < tall; ++i) v[i] -= dot * u[i];
      }
    double norm = 0;
    for (std::int64_t i = 0; i < tall; ++i) norm += v[i] * v[i];
    norm = std::sqrt(norm);
    for (std::int64_t i = 0; i < tall; ++i) v[i] /= norm;
  }
  Array out(shape, DType::f64);
  const auto to = out.data<double>();
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < cols; ++c)
      to[static_cast<std::size_t>(r * cols + c)] =
          config().gain *
          (rows >= cols ? q[static_cast<std::size_t>(c * tall + r)] : q[static_cast<std::size_t>(r * tall + c)]);
  return out.astype(dtype);
}

}  // namespace initializers

const std::vector<ObjectClass<InitializerBase>>& InitializerBase::classes() {
  using namespace initializers;
  static const std::vector<ObjectClass<InitializerBase>> list = {Zeros::registration({"zero"}),
                                                                 Ones::registration({"one"}),
                                                                 Constant::registration(),
                                                                 Identity::registration({"IdentityInitializer"}),
                                                                 RandomNormal::registration({"normal"}),
                                                                 RandomUniform::registration({"uniform"}),
                                                                 TruncatedNormal::registration(),
                                                                 VarianceScaling::registration(),
                                                                 GlorotUniform::registration(),
                                                                 GlorotNormal::registration(),
                                                                 HeUniform::registration(),
                                                                 HeNormal::registration(),
                                                                 LecunUniform::registration(),
                                                                 LecunNormal::registration(),
                                                                 Orthogonal::registration({"OrthogonalInitializer"})};
  return list;
}

std::shared_ptr<const InitializerBase> InitializerBase::from_function(std::string name, Function function) {
  struct OwnInitializer final : FunctionObject<InitializerBase> {
    using FunctionObject::FunctionObject;
    Array operator()(const Shape& shape, DType dtype) const override {
      const Array made = function()(shape, dtype);
      require(made.defined() && made.shape() == shape, "initializer '", function_name(), "': a weight of shape ",
              to_string(shape), " was asked for; got ", made.defined() ? to_string(made.shape()) : "an undefined Array");
      return made.astype(dtype);
    }
  };
  return std::make_shared<const OwnInitializer>(std::move(name), std::move(function));
}

Array Initializer::operator()(const Shape& shape, DType dtype) const {
  require(static_cast<bool>(*this), "a weight has no initializer");
  return (**this)(shape, dtype);
}

Json encode(const Initializer& initializer) { return encode(static_cast<const Object<InitializerBase>&>(initializer)); }
void decode(const Json& json, Initializer& out) {
  Object<InitializerBase> object;
  decode(json, object);
  static_cast<Object<InitializerBase>&>(out) = object;
}

}  // namespace ramet
