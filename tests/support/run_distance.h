// How far a float32 run may lie from Keras': both are held against the same run in float64.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

namespace ramet::testing {

inline double distance(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return INFINITY;
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(a[i] - b[i]);
    worst = std::isnan(d) ? INFINITY : std::max(worst, d);
  }
  return worst;
}

inline double largest(const std::vector<double>& a) {
  double m = 0;
  for (const double v : a) m = std::max(m, std::abs(v));
  return m;
}

// Our distance from the float64 run over that of Keras' float32, with a floor of a few units in the last place of the
// largest element. The two have the same sums in another order, so they are of one size.
inline double ratio(const std::vector<double>& ours, const std::vector<double>& f32, const std::vector<double>& f64) {
  return distance(ours, f64) / (distance(f32, f64) + 4e-7 * (1e-3 + largest(f64)));
}

}  // namespace ramet::testing
