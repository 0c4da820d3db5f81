// Nanoseconds per element of the pointwise functions and reductions on a tile of 1024 floats, for every instruction
// set.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "ramet/backend/cpu/cpu_target.h"
#include "ramet/backend/cpu/pointwise.h"

using namespace ramet::cpu;

namespace {

constexpr std::size_t kTile = 1024;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

template <class Body>
double ns_per_element(Body body) {
  double best = 1e9;
  for (int i = 0; i < 40; ++i) {
    const double start = now();
    for (int call = 0; call < 200; ++call) body();
    best = std::min(best, now() - start);
  }
  return best * 1e9 / (200 * kTile);
}

}  // namespace

int main() {
  std::vector<float> x(kTile), y(kTile);
  for (std::size_t i = 0; i < kTile; ++i) x[i] = 0.01f + 3.0f * static_cast<float>(i) / kTile;
  const std::pair<const char*, Unary> unary[] = {
      {"relu", Unary::kRelu}, {"sqrt", Unary::kSqrt},         {"exp", Unary::kExp},   {"expm1", Unary::kExpm1},
      {"log", Unary::kLog},   {"log1p", Unary::kLog1p},       {"tanh", Unary::kTanh}, {"sigmoid", Unary::kSigmoid},
      {"erf", Unary::kErf},   {"softplus", Unary::kSoftplus}, {"gelu", Unary::kGelu}, {"sin", Unary::kSin}};
  volatile float sink = 0;
  for (const CpuTarget target : available_targets()) {
    set_cpu_target(target);
    std::printf("%s, ns per element:\n", std::string(to_string(target)).c_str());
    for (const auto& [name, op] : unary) {
      std::printf("  %-12s %.3f\n", name, ns_per_element([&, f = unary_f32(op)] { f(x.data(), y.data(), kTile); }));
    }
    std::printf("  %-12s %.3f\n", "add",
                ns_per_element([&, f = binary_f32(Binary::kAdd)] { f(x.data(), x.data(), y.data(), kTile); }));
    std::printf("  %-12s %.3f\n", "sum",
                ns_per_element([&, f = reduce_f32(Reduce::kSum)] { sink = f(x.data(), kTile); }));
    std::printf("  %-12s %.3f\n", "softmax", ns_per_element([&] { simd().row_softmax(x.data(), y.data(), 1, kTile); }));
  }
}
