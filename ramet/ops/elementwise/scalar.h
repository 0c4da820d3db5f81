// The scalar formulas of the pointwise ops: one functor each, for float, double and, where it makes sense, integers.
#pragma once
#include <cmath>
#include <cstdint>
#include <numbers>
#include <type_traits>

namespace ramet::scalar {

template <class T>
constexpr bool is_float = std::is_floating_point_v<T>;

struct Neg {
  template <class T>
  T operator()(T x) const {
    return static_cast<T>(-x);
  }
};
struct Abs {
  template <class T>
  T operator()(T x) const {
    return x < 0 ? static_cast<T>(-x) : (x == 0 ? T(0) : x);
  }
};
struct Sign {
  template <class T>
  T operator()(T x) const {
    return x > 0 ? T(1) : (x < 0 ? T(-1) : x);
  }
};
struct Square {
  template <class T>
  T operator()(T x) const {
    return static_cast<T>(x * x);
  }
};
struct Relu {
  template <class T>
  T operator()(T x) const {
    return x < 0 ? T(0) : x;
  }
};
struct Exp {
  template <class T>
  T operator()(T x) const {
    return std::exp(x);
  }
};
struct Expm1 {
  template <class T>
  T operator()(T x) const {
    return std::expm1(x);
  }
};
struct Log {
  template <class T>
  T operator()(T x) const {
    return std::log(x);
  }
};
struct Log1p {
  template <class T>
  T operator()(T x) const {
    return std::log1p(x);
  }
};
struct Sqrt {
  template <class T>
  T operator()(T x) const {
    return std::sqrt(x);
  }
};
struct Rsqrt {
  template <class T>
  T operator()(T x) const {
    return T(1) / std::sqrt(x);
  }
};
struct Reciprocal {
  template <class T>
  T operator()(T x) const {
    return T(1) / x;
  }
};
struct Sin {
  template <class T>
  T operator()(T x) const {
    return std::sin(x);
  }
};
struct Cos {
  template <class T>
  T operator()(T x) const {
    return std::cos(x);
  }
};
struct Tanh {
  template <class T>
  T operator()(T x) const {
    return std::tanh(x);
  }
};
struct Erf {
  template <class T>
  T operator()(T x) const {
    return std::erf(x);
  }
};
struct Floor {
  template <class T>
  T operator()(T x) const {
    return std::floor(x);
  }
};
struct Ceil {
  template <class T>
  T operator()(T x) const {
    return std::ceil(x);
  }
};
struct Round {
  template <class T>
  T operator()(T x) const {
    return std::nearbyint(x);
  }
};
struct IsNan {
  template <class T>
  bool operator()(T x) const {
    return x != x;
  }
};

// 1 / (1 + e^-x), written so that neither branch overflows.
struct Sigmoid {
  template <class T>
  T operator()(T x) const {
    if (x >= 0) return T(1) / (T(1) + std::exp(-x));
    const T e = std::exp(x);
    return e / (T(1) + e);
  }
};

// ln(1 + e^x) = max(x, 0) + ln(1 + e^-|x|).
struct Softplus {
  template <class T>
  T operator()(T x) const {
    return (x > 0 ? x : T(0)) + std::log1p(std::exp(x > 0 ? -x : x));
  }
};

// x Φ(x) with Φ the distribution function of the normal distribution, and its derivative Φ(x) + x φ(x).
struct Gelu {
  template <class T>
  T operator()(T x) const {
    return T(0.5) * x * (T(1) + std::erf(x / std::numbers::sqrt2_v<T>));
  }
};
struct GeluSlope {
  template <class T>
  T operator()(T x) const {
    const T density = std::exp(T(-0.5) * x * x) * std::numbers::inv_sqrtpi_v<T> / std::numbers::sqrt2_v<T>;
    return T(0.5) * (T(1) + std::erf(x / std::numbers::sqrt2_v<T>)) + x * density;
  }
};

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
};
struct Sub {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a - b);
  }
};
struct Mul {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a * b);
  }
};
struct Div {
  template <class T>
  T operator()(T a, T b) const {
    return a / b;
  }
};
struct Pow {
  template <class T>
  T operator()(T a, T b) const {
    return std::pow(a, b);
  }
};
struct Atan2 {
  template <class T>
  T operator()(T a, T b) const {
    return std::atan2(a, b);
  }
};

// As NumPy: NaN if either is NaN.
struct Maximum {
  template <class T>
  T operator()(T a, T b) const {
    return a > b || a != a ? a : b;
  }
};
struct Minimum {
  template <class T>
  T operator()(T a, T b) const {
    return a < b || a != a ? a : b;
  }
};

// As Python: the result has the sign of the divisor. Integer division by zero gives 0, as NumPy does.
struct FloorDivide {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (is_float<T>)
      return std::floor(a / b);
    else {
      if (b == 0) return T(0);
      if constexpr (std::is_signed_v<T>) {
        if (b == T(-1)) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
        const T q = static_cast<T>(a / b);
        return static_cast<T>(q - (a % b != 0 && (a < 0) != (b < 0)));
      } else
        return static_cast<T>(a / b);
    }
  }
};
struct Mod {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (is_float<T>) {
      const T r = std::fmod(a, b);
      return r != 0 && (r < 0) != (b < 0) ? r + b : r;
    } else {
      if (b == 0) return T(0);
      if constexpr (std::is_signed_v<T>) {
        if (b == T(-1)) return T(0);
        const T r = static_cast<T>(a % b);
        return r != 0 && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
      } else
        return static_cast<T>(a % b);
    }
  }
};

struct Equal {
  template <class T>
  bool operator()(T a, T b) const {
    return a == b;
  }
};
struct NotEqual {
  template <class T>
  bool operator()(T a, T b) const {
    return a != b;
  }
};
struct Less {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b;
  }
};
struct LessEqual {
  template <class T>
  bool operator()(T a, T b) const {
    return a <= b;
  }
};
struct Greater {
  template <class T>
  bool operator()(T a, T b) const {
    return a > b;
  }
};
struct GreaterEqual {
  template <class T>
  bool operator()(T a, T b) const {
    return a >= b;
  }
};
struct And {
  bool operator()(bool a, bool b) const { return a && b; }
};
struct Or {
  bool operator()(bool a, bool b) const { return a || b; }
};
struct Xor {
  bool operator()(bool a, bool b) const { return a != b; }
};
struct Not {
  bool operator()(bool a) const { return !a; }
};

}  // namespace ramet::scalar
