// Random programs over the whole op list, small and full of sizes 0 and 1. The same seed gives the same program.
#pragma once
#include "tests/support/random_values.h"

namespace ramet::testing {

class RandomProgram : public RandomValues {
 public:
  RandomProgram(unsigned seed, RandomProgramOptions options) : RandomValues(seed, options) {
    const int kind = static_cast<int>(r_.integer(0, 9));
    real_ = kind == 0 && !options.smooth ? DType::f64 : DType::f32;
    theme_ = shape(static_cast<std::size_t>(r_.integer(1, 3)));
    pool_.push_back(fresh({theme_, real_}));
    const auto count = r_.integer(3, 14);
    for (std::int64_t i = 0; i < count; ++i) {
      if (options_.devices) program->device = Device(Device::Kind::cpu, static_cast<int>(r_.integer(0, 1)));
      step();
    }
    if (options_.states) leave_states();
    const auto outputs = r_.integer(1, 4);
    for (std::int64_t i = 0; i < outputs; ++i) {
      const auto back = static_cast<std::size_t>(r_.chance(0.7) ? r_.integer(0, 2) : r_.integer(0, 30));
      program->output(cat("y", i), pool_[pool_.size() - 1 - std::min(back, pool_.size() - 1)]);
    }
    // Numbers the values anew, inputs first, as text and every pass do.
    program = rebuild(*program, [](Program& out, int, const Instr& instr, std::span<const Value> in) {
      return out.emit(*instr.op, in, instr.attrs);
    });
  }

 private:
  void step() {
    using Step = void (RandomProgram::*)();
    static constexpr Step steps[] = {
        &RandomProgram::unary,     &RandomProgram::unary,   &RandomProgram::binary,    &RandomProgram::binary,
        &RandomProgram::jumping,   &RandomProgram::integer, &RandomProgram::choose,    &RandomProgram::neutral,
        &RandomProgram::product,   &RandomProgram::conv,    &RandomProgram::pooled,    &RandomProgram::reduced,
        &RandomProgram::softmaxed, &RandomProgram::moved,   &RandomProgram::moved,     &RandomProgram::indexed,
        &RandomProgram::made,      &RandomProgram::loop,    &RandomProgram::recurrent, &RandomProgram::again,
        &RandomProgram::attended,  &RandomProgram::thinned,
    };
    (this->*steps[r_.integer(0, std::size(steps) - 1)])();
  }

  void unary() {
    const auto which = r_.integer(0, 15);
    const Value x = which <= 2 ? kinked() : number(), y = options_.smooth ? exact_number() : x;
    const double m = size(x), p = size(y) + 0.5;
    const int g = fact(x).grid;
    switch (which) {
      case 0: done(ops::abs(x), m, g); break;
      case 1: done(ops::relu(x), m, g); break;
      case 2: done(ops::minimum(x, ops::scalar_like(x, 1)), std::max(m, 1.0), most(g, 0)); break;
      case 3: done(-x, m, g); break;
      case 4: done(ops::square(x), m * m, sum(g, g)); break;
      case 5: done(ops::tanh(x), 1, kInexact); break;
      case 6: done(ops::sigmoid(x), 1, kInexact); break;
      case 7: done(r_.chance(0.5) ? ops::sin(x) : ops::cos(x), 1, kInexact); break;
      case 8:
        if (r_.chance(0.5))
          done(ops::erf(x), 1, kInexact);
        else
          done(ops::gelu(x), m, kInexact);
        break;
      case 9: done(ops::softplus(x), m + 1, kInexact); break;
      case 10: done(m <= 4 ? ops::exp(x) : ops::exp(ops::tanh(x)), std::exp(std::min(m, 4.0)), kInexact); break;
      case 11: done(m <= 4 ? ops::expm1(x) : ops::expm1(ops::tanh(x)), std::exp(std::min(m, 4.0)), kInexact); break;
      case 12: done(ops::log(positive(y)), std::max(0.7, std::log(p)), kInexact); break;
      case 13: done(ops::log1p(ops::abs(y)), std::log1p(p), kInexact); break;
      case 14: done(ops::sqrt(positive(y)), std::sqrt(p), kInexact); break;
      default: done(r_.chance(0.5) ? ops::rsqrt(positive(y)) : ops::reciprocal(positive(y)), 2, kInexact);
    }
  }

  void binary() {
    const auto which = r_.integer(0, 7);
    const bool kink = which == 3 || which == 4 || which >= 5;
    const Value a = which == 3 || which == 4 ? kinked() : number(), b = partner(a, kink && options_.smooth);
    const double ma = size(a), mb = size(b);
    const int ga = fact(a).grid, gb = fact(b).grid;
    switch (which) {
      case 0: done(a + b, ma + mb, most(ga, gb)); break;
      case 1: done(a - b, ma + mb, most(ga, gb)); break;
      case 2: done(a * b, ma * mb, sum(ga, gb)); break;
      case 3: done(ops::maximum(a, b), std::max(ma, mb), most(ga, gb)); break;
      case 4: done(ops::minimum(a, b), std::max(ma, mb), most(ga, gb)); break;
      case 5: done(a / positive(b), 2 * ma, kInexact); break;
      case 6: done(ops::pow(positive(b), ops::tanh(a)), std::max(2.0, mb + 0.5), kInexact); break;
      default: done(ops::atan2(a, positive(b)), 1.6, kInexact);
    }
  }

  // Comparisons, logic, rounding.
  void jumping() {
    const Value a = exact_number(), b = partner(a, true);
    const int g = fact(a).grid;
    switch (r_.integer(0, 8)) {
      case 0: done(ops::equal(a, b), 1, 0); break;
      case 1: done(ops::less(a, b), 1, 0); break;
      case 2: done(ops::greater_equal(a, b), 1, 0); break;
      case 3: done(ops::sign(a), 1, 0); break;
      case 4: done(r_.chance(0.5) ? ops::floor(a) : ops::ceil(a), size(a) + 1, 0); break;
      case 5: done(ops::round(a), size(a) + 1, 0); break;
      case 6: done(ops::is_nan(a), 1, 0); break;
      case 7: {
        const Value divisor = ops::scalar_like(a, r_.chance(0.5) ? 0.5 : -2);
        if (r_.chance(0.5))
          done(ops::floor_divide(a, divisor), 2 * size(a) + 1, 0);
        else
          done(ops::mod(a, divisor), 2, most(g, 1));
        break;
      }
      default: {
        const Value p = ops::less_equal(a, b), q = ops::not_equal(a, b);
        const auto which = r_.integer(0, 3);
        done(which == 0   ? ops::logical_and(p, q)
             : which == 1 ? ops::logical_or(p, q)
             : which == 2 ? ops::logical_xor(p, q)
                          : ops::logical_not(p),
             1, 0);
      }
    }
  }

  void integer() {
    const Value a = pick([&](Value v) { return v.dtype() == DType::i32 && size(v) < 1000; }, {theme_, DType::i32}),
                b = partner(a, true);
    switch (r_.integer(0, 6)) {
      case 0: done(a + b, size(a) + size(b), 0); break;
      case 1: done(a * b, size(a) * size(b), 0); break;
      case 2: done(ops::maximum(a, b), std::max(size(a), size(b)), 0); break;
      case 3: done(ops::floor_divide(a, b), size(a) + 1, 0); break;
      case 4: done(ops::mod(a, b), std::max(size(a), size(b)), 0); break;
      case 5: done(ops::cast(a, real_), size(a), 0); break;
      default: {
        const Value x = exact_number();
        done(ops::cast(x, r_.chance(0.5) ? DType::i32 : DType::boolean), std::max(1.0, size(x)), 0);
      }
    }
  }

  void choose() {
    const Value a = any(), b = partner(a, false),
                condition = pick([&](Value v) { return v.dtype() == DType::boolean && v.shape() == a.shape(); },
                                 {a.shape(), DType::boolean});
    done(ops::select(condition, a, b), std::max(size(a), size(b)), most(fact(a).grid, fact(b).grid));
    if (r_.chance(0.3)) done(ops::cast(condition, real_), 1, 0);
  }

  // What `fold` removes, and what looks like it.
  void neutral() {
    const Value x = number();
    switch (r_.integer(0, 5)) {
      case 0: same(x * 1.0, x); break;
      case 1: same(x + 0.0, x); break;
      case 2: same(x - 0.0, x); break;
      case 3: same(x * ops::full(*program, x.shape(), 1, x.dtype()), x); break;
      case 4: same(x + ops::constant(*program, Array::scalar(-0.0, x.dtype())), x); break;
      default:
        same(ops::full(*program, x.shape(), 1, x.dtype()) * ops::constant(*program, Array::scalar(1, x.dtype())), x);
    }
  }

  void product() {
    const Value a = of_rank(2, 3);
    const bool ta = r_.chance(0.4), tb = r_.chance(0.4);
    const auto k = a.dim(ta ? -2 : -1), n = extent();
    Shape b_shape = tb ? Shape{n, k} : Shape{k, n};
    if (a.rank() == 3 && r_.chance(0.5)) b_shape.insert(b_shape.begin(), r_.chance(0.5) ? 1 : a.dim(0));
    const Value b = pick([&](Value v) { return v.shape() == b_shape && v.dtype() == a.dtype(); }, {b_shape, a.dtype()});
    const double terms = static_cast<double>(std::max<std::int64_t>(k, 1));
    after_product(ops::matmul(a, b, {ta, tb}), terms * size(a) * size(b), sum(fact(a).grid, fact(b).grid));
  }
  // Often a bias and an activation, as layers have them.
  Value after_product(Value y, double magnitude, int grid) {
    y = done(y, magnitude, grid);
    if (r_.chance(0.4)) return y;
    const Value bias = fresh({{y.dim(-1)}, y.dtype()});
    y = done(r_.chance(0.7) ? y + bias : bias + y, size(y) + 2, most(fact(y).grid, 2));
    if (r_.chance(0.3)) return y;
    const auto which = r_.integer(0, 2);
    if (which == 0) return !options_.smooth || exact(y) ? same(ops::relu(y), y) : y;
    return done(which == 1 ? ops::tanh(y) : ops::sigmoid(y), 1, kInexact);
  }

  // [batch, spatial…, channels] for windows.
  Value picture() {
    Value x = of_rank(3, 4);
    if (x.rank() >= 3 && x.rank() <= 4 && r_.chance(0.6)) {
      bool full = true;
      for (std::size_t i = 1; i < x.rank(); ++i) full = full && x.shape()[i] > 0;
      if (full) return x;
    }
    Shape size{r_.size()};
    for (std::int64_t i = r_.integer(1, 2); i > 0; --i) size.push_back(r_.integer(1, options_.large ? 20 : 7));
    size.push_back(options_.large ? r_.integer(1, 40) : r_.integer(1, 6));
    x = fresh({size, real_});
    pool_.push_back(x);
    return x;
  }

  // Zeros around the spatial axes.
  Value padded(Value x) {
    Shape before(x.rank(), 0), after(x.rank(), 0);
    for (std::size_t i = 1; i + 1 < x.rank(); ++i) before[i] = r_.integer(0, 2), after[i] = r_.integer(0, 2);
    return same(ops::pad(x, before, after), x);
  }

  void conv() {
    Value x = picture();
    if (r_.chance(0.3)) x = padded(x);
    const auto channels = x.dim(-1);
    std::int64_t groups = 1;
    if (r_.chance(0.3)) groups = channels;  // depthwise
    if (r_.chance(0.2) && channels % 2 == 0) groups = 2;
    Shape window;
    for (std::size_t i = 0; i + 2 < x.rank(); ++i) window.push_back(r_.integer(1, 3));
    Shape kernel = window;
    kernel.push_back(channels / groups),
        kernel.push_back(groups * r_.integer(1, options_.large && groups == 1 ? 40 : 3));
    convolved(x, kernel, conv_attrs(r_, x.shape(), window, groups));
  }
  Value convolved(Value x, const Shape& kernel, const ops::ConvAttrs& attrs) {
    const double terms = static_cast<double>(element_count(kernel) / std::max<std::int64_t>(kernel.back(), 1));
    return after_product(ops::conv(x, fresh({kernel, x.dtype()}), attrs), terms * size(x) * 2, sum(fact(x).grid, 2));
  }
  // Convolutions and sums of which the last convolutions read some places only.
  void thinned() {
    Value x = picture();
    const std::size_t spatial = x.rank() - 2;
    for (std::int64_t i = r_.integer(1, 3); i > 0; --i) {
      Shape window;
      for (std::size_t k = 0; k < spatial; ++k) window.push_back(r_.integer(1, 3));
      Shape kernel = window;
      kernel.push_back(x.dim(-1)), kernel.push_back(r_.integer(1, 3));
      x = convolved(x, kernel, conv_attrs(r_, x.shape(), window, 1));
      if (r_.chance(0.4)) x = done(x + fresh(x.spec()), size(x) + 2, most(fact(x).grid, 2));
    }
    for (std::int64_t i = r_.integer(1, 2); i > 0; --i) {
      Shape kernel(spatial, 1);
      kernel.push_back(x.dim(-1)), kernel.push_back(r_.integer(1, 3));
      ops::ConvAttrs attrs{.strides = {},
                           .dilation = Shape(spatial, 1),
                           .pad_before = Shape(spatial, 0),
                           .pad_after = Shape(spatial, 0)};
      for (std::size_t k = 0; k < spatial; ++k) attrs.strides.push_back(r_.integer(1, 4));
      convolved(x, kernel, attrs);
    }
  }

  void pooled() {
    Value x = picture();
    if (r_.chance(0.5) && (!options_.smooth || exact(x))) x = same(ops::relu(x), x);
    if (r_.chance(0.3)) x = padded(x);
    const auto attrs = pool_attrs(r_, x.shape(), x.rank() - 2);
    if (r_.chance(0.5))
      done(ops::avg_pool(x, attrs), size(x), kInexact);
    else if (!options_.smooth || exact(x))
      same(ops::max_pool(x, attrs), x);
  }

  std::vector<std::int64_t> some_axes(Value x) {
    std::vector<std::int64_t> axes;
    for (std::size_t i = 0; i < x.rank(); ++i)
      if (r_.chance(0.5)) axes.push_back(static_cast<std::int64_t>(i));
    if (axes.empty()) axes.push_back(r_.integer(0, static_cast<std::int64_t>(x.rank()) - 1));
    return axes;
  }

  void reduced() {
    const auto which = r_.integer(0, 6);
    Value x = of_rank(1, 4, which <= 1);
    if (which >= 2 && (which >= 4 || options_.smooth))
      x = pick([&](Value v) { return real(v) && exact(v) && v.rank() > 0 && element_count(v.shape()) > 0; },
               {shape(2, false), real_});
    const auto axes = some_axes(x);
    const bool keep = r_.chance(0.4);
    double count = 1;
    for (const auto axis : axes) count *= static_cast<double>(x.dim(static_cast<int>(axis)));
    switch (which) {
      case 0: done(ops::reduce_sum(x, axes, keep), std::max(1.0, count) * size(x), fact(x).grid); break;
      case 1: done(ops::reduce_mean(x, axes, keep), size(x), kInexact); break;
      case 2: same(ops::reduce_max(x, axes, keep), x); break;
      case 3: same(ops::reduce_min(x, axes, keep), x); break;
      case 4:
        done(r_.chance(0.5) ? ops::argmax(x, static_cast<int>(axes[0])) : ops::argmin(x, static_cast<int>(axes[0])),
             static_cast<double>(x.dim(static_cast<int>(axes[0]))), 0);
        break;
      case 5: {
        const ops::Moments m = ops::moments(x, axes);
        done(m.mean, size(x), kInexact);
        done(m.variance, size(x) * size(x), kInexact);
        break;
      }
      default: done(ops::reduce_prod(ops::cos(x), axes, keep), 1, kInexact);
    }
  }

  void softmaxed() {
    const Value x = of_rank(1, 3, false);
    const int axis = static_cast<int>(r_.integer(0, static_cast<std::int64_t>(x.rank()) - 1));
    const auto which = r_.integer(0, 2);
    if (which == 0)
      done(ops::softmax(x, axis), 1, kInexact);
    else if (which == 1)
      done(ops::log_softmax_at(x, index(Shape(x.shape().begin(), x.shape().end() - 1), x.dim(-1))), 2 * size(x) + 3,
           kInexact);
    else
      done(ops::log_softmax(x, axis), 2 * size(x) + 3, kInexact);
  }

  void moved() {
    const Value x = pick([](Value v) { return v.rank() >= 1; }, {theme_, real_});
    const auto rank = static_cast<std::int64_t>(x.rank());
    const int axis = static_cast<int>(r_.integer(0, rank - 1));
    switch (r_.integer(0, 8)) {
      case 0: same(ops::reshape(x, {element_count(x.shape())}), x); break;
      case 1: same(ops::expand_dims(x, axis), x); break;
      case 2: {
        std::vector<std::int64_t> axes;
        for (std::int64_t i = 0; i < rank; ++i) axes.insert(axes.begin() + r_.integer(0, i), i);
        same(ops::transpose(x, axes), x);
        break;
      }
      case 3: {
        Shape wide = x.shape();
        for (auto& s : wide)
          if (s == 1) s = r_.integer(1, 4);
        wide.insert(wide.begin(), r_.integer(1, 3));
        if (wide.size() <= 4) same(ops::broadcast_to(x, wide), x);
        break;
      }
      case 4: {
        std::vector<std::int64_t> begin, end, step;
        for (const auto n : x.shape())
          begin.push_back(r_.integer(0, n / 2)), end.push_back(r_.integer(begin.back(), n)),
              step.push_back(r_.integer(1, 2));
        same(ops::slice(x, begin, end, step), x);
        break;
      }
      case 5: {
        std::vector<std::int64_t> before, after, inside;
        for (const auto n : x.shape())
          before.push_back(r_.integer(n > 1 ? -1 : 0, 1)), after.push_back(r_.integer(0, 1)),
              inside.push_back(r_.integer(0, 1));
        same(ops::pad(x, before, after, inside), x);
        break;
      }
      case 6: {
        const Value y = pick(
            [&](Value v) {
              if (v.rank() != x.rank() || v.dtype() != x.dtype()) return false;
              Shape shape = v.shape();
              shape[static_cast<std::size_t>(axis)] = x.shape()[static_cast<std::size_t>(axis)];
              return shape == x.shape();
            },
            x.spec());
        done(ops::concat(r_.chance(0.3) ? Values{x, y, x} : Values{x, y}, axis), std::max(size(x), size(y)),
             most(fact(x).grid, fact(y).grid));
        break;
      }
      case 7: same(ops::reverse(x, some_axes(x)), x); break;
      default: same(ops::repeat_along(x, axis, r_.integer(1, 3)), x);
    }
  }

  void indexed() {
    const Value x = pick(
        [](Value v) {
          return v.rank() >= 1 && v.rank() <= 3 && v.dim(0) > 0 && v.dim(-1) > 0 && v.dtype() != DType::boolean;
        },
        {shape(2, false), real_});
    switch (r_.integer(0, 4)) {
      case 0: same(ops::gather(x, index(shape(static_cast<std::size_t>(r_.integer(0, 2))), x.dim(0))), x); break;
      case 1: {
        if (!real(x)) break;
        const auto rows = r_.integer(1, 5);
        const double count = static_cast<double>(x.dim(0));
        done(ops::scatter_add(index({x.dim(0)}, rows), x, rows), count * size(x), fact(x).grid);
        break;
      }
      case 2: same(ops::take_last(x, index(Shape(x.shape().begin(), x.shape().end() - 1), x.dim(-1))), x); break;
      case 3: {
        if (!real(x)) break;
        const auto classes = r_.integer(1, 4);
        same(ops::put_last(index(x.shape(), classes), x, classes), x);
        break;
      }
      default: done(ops::one_hot(index(shape(1), 5), r_.integer(1, 6), real_), 1, 0);
    }
  }

  void made() {
    switch (r_.integer(0, 2)) {
      case 0: done(ops::iota(*program, theme_, 0, r_.chance(0.5) ? DType::i32 : real_), 7, 0); break;
      case 1: done(ops::full(*program, theme_, r_.chance(0.5) ? 0 : 1, real_), 1, 0); break;
      default: {
        inputs.push_back(Array::of<std::int64_t>({2}, {r_.integer(0, 1000), r_.integer(0, 9)}));
        const Value state = program->input(cat("seed", inputs.size()), {{2}, DType::i64});
        if (r_.chance(0.7))
          done(ops::random_uniform(state, theme_, DType::f32), 1, kInexact);
        else
          done(ops::random_normal(state, theme_, DType::f32), 8, kInexact);
      }
    }
  }

  // h' = tanh(w·h + x_t), y_t = h'·x_t, with a second carry that counts.
  void loop() {
    if (options_.devices) return;
    const auto length = r_.integer(0, 4), n = r_.integer(1, 3);
    const auto shaped = [&](Shape shape) {
      return pick([&](Value v) { return v.shape() == shape && v.dtype() == real_; }, {shape, real_});
    };
    const Value h = shaped({n}), x = shaped({length, n}), w = ops::tanh(shaped({n, n})), c = shaped({n});
    const double mc = size(c), mx = size(x);
    const auto result =
        ops::scan({h, c}, {x}, {w}, length, r_.chance(0.5),
                  [&](Program&, const Values& carry, const Values& xt, const Values& k) -> ops::ScanResult {
                    const Value wh = ops::reshape(ops::matmul(ops::reshape(carry[0], {1, n}), k[0]), {n});
                    const Value next = ops::tanh(wh + xt[0]);
                    return {{next, carry[1] + xt[0]}, {next * xt[0]}};
                  });
    done(result.carries[0], std::max(1.0, size(h)), kInexact);
    if (r_.chance(0.5)) done(result.carries[1], mc + 4 * mx, kInexact);
    if (r_.chance(0.5)) done(result.outputs[0], mx, kInexact);
  }

  // States leave the cells below 1 or as large as they came.
  void recurrent() {
    if (options_.devices) return;
    const ops::RecurrentCell& cell = *ops::kRecurrentCells[static_cast<std::size_t>(r_.integer(0, 2))];
    const bool masked = r_.chance(0.5);
    const auto batch = r_.integer(1, 3), steps = r_.integer(0, 4), features = r_.integer(1, 3), n = r_.integer(1, 3);
    const std::int64_t width = cell.gates * n;
    const auto shaped = [&](Shape shape, DType dtype) {
      return pick([&](Value v) { return v.shape() == shape && v.dtype() == dtype; }, {shape, dtype});
    };
    const Value x = shaped({batch, steps, features}, real_), kernel = ops::tanh(shaped({features, width}, real_)),
                recurrent_kernel = ops::tanh(shaped({n, width}, real_)), h = ops::tanh(shaped({batch, n}, real_)),
                bias = shaped(cell.biases == 2 ? Shape{2, width} : Shape{width}, real_);
    const Value mask = masked ? shaped({batch, steps}, DType::boolean) : Value();
    const ops::RecurrentResult result =
        ops::recurrent(cell, x, kernel, recurrent_kernel, bias, Values(cell.states, h), mask, r_.chance(0.5));
    done(result.states[0], 1, kInexact);
    if (cell.states == 2 && r_.chance(0.5)) done(result.states[1], 5, kInexact);
    if (r_.chance(0.5)) done(result.sequence, 1, kInexact);
  }

  void attended() {
    if (options_.devices) return;
    const auto batch = r_.integer(1, 2), queries = r_.integer(1, options_.large ? 70 : 4), keys = r_.integer(1, 5),
               heads = r_.integer(1, 2), size = r_.integer(1, 3);
    const auto shaped = [&](Shape shape, DType dtype) {
      return pick([&](Value v) { return v.shape() == shape && v.dtype() == dtype; }, {shape, dtype});
    };
    const Value q = ops::tanh(shaped({batch, queries, heads, size}, real_)),
                k = ops::tanh(shaped({batch, keys, heads, size}, real_)),
                v = ops::tanh(shaped({batch, keys, heads, size}, real_));
    const Value mask =
        r_.chance(0.5) ? shaped({r_.chance(0.5) ? batch : 1, 1, queries, keys}, DType::boolean) : Value();
    done(ops::attention(q, k, v, mask, 0.5, r_.chance(0.5)), 1, kInexact);
  }

  // An instruction there is already, once more.
  void again() {
    if (program->instrs().empty()) return;
    const int i = static_cast<int>(r_.integer(0, static_cast<std::int64_t>(program->instrs().size()) - 1));
    const Instr instr = program->instr(i);
    if (instr.results.size() != 1) return;
    Values in;
    for (const int v : instr.inputs) in.push_back(program->value(v));
    const Value twin = program->emit(*instr.op, in, instr.attrs)[0], old = program->value(instr.results[0]);
    facts_.resize(std::max(facts_.size(), static_cast<std::size_t>(twin.id) + 1), Fact{1e9, kInexact});
    if (std::find(pool_.begin(), pool_.end(), old) != pool_.end()) same(twin, old);
  }

  void leave_states() {
    for (std::size_t i = 0; i < states_.size(); ++i) {  // new ones may come while we go
      const auto [input, value] = states_[i];
      if (r_.chance(0.2)) continue;
      const Spec spec = value.spec();
      Value next = pick([&](Value v) { return v.spec() == spec; }, spec);
      if (r_.chance(0.3))  // the old value of another
        for (const auto& [other, theirs] : states_)
          if (theirs.spec() == spec) next = theirs;
      if (r_.chance(0.5)) next = same(value * 0.5 + next, value);
      program->set_state(input, next.spec() == spec ? next : value);
    }
  }
};

}  // namespace ramet::testing
