// Speed of the products, one thread: GFLOP/s and share of this core's FMA limit, for every instruction set.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "ramet/backend/cpu/fma_peak.h"
#include "ramet/backend/cpu/gemm.h"

using namespace ramet::cpu;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double peak(CpuTarget target) { return measure_fma_peak(target) / 1e9; }

struct Shape {
  std::int64_t m, k, n;
  bool trans_a = false, trans_b = false, packed = true;
};

// The shapes of a dense network and of BERT, then what gradients need.
const Shape kShapes[] = {
    {4, 512, 512},
    {16, 512, 512},
    {64, 512, 512},
    {128, 768, 768},
    {128, 768, 3072},
    {128, 3072, 768},
    {512, 512, 512},
    {1024, 1024, 1024},
    {1024, 784, 512},
    {1024, 512, 512},
    {1024, 256, 256},
    {1024, 256, 1024},
    {1024, 1024, 256},
    {64, 784, 512},
    {64, 512, 10},
    {32, 32, 512},
    {1, 512, 512},
    {1, 784, 512},
    {1, 32, 64},
    {1, 64, 1},
    {64, 512, 1},
    {1, 512, 512, false, false, false},
    {1, 4096, 4096, false, false, false},
    {1, 512, 512, false, true, false},
    {1, 4096, 4096, false, true, false},
    {4, 512, 512, false, false, false},
    {16, 512, 512, false, false, false},
    {64, 512, 512, false, false, false},
    {512, 512, 512, false, false, false},
    {1024, 1024, 1024, false, false, false},
    {512, 128, 512, true, false, false},
    {784, 64, 512, true, false, false},
    {512, 64, 10, true, false, false},
    {512, 64, 1, true, false, false},
    {128, 512, 512, false, true, false},
    {64, 512, 784, false, true, false},
    {256, 1024, 256, true, false, false},
    {256, 1024, 1024, true, false, false},
    {1024, 256, 256, false, true, false},
    {1024, 1024, 256, false, true, false},
    {128, 64, 128, false, true, false},
    {128, 128, 64, false, false, false},
    {32, 128, 512},
    {8, 512, 512, false, true, false},
    {2, 512, 512},
    {2, 512, 512, false, false, false},
    {3, 512, 512},
    {512, 512, 512, true, true, false},
};

double gflops(const Shape& s, double seconds) {
  const std::vector<float> a(s.m * s.k, 0.5f), b(s.k * s.n, 0.25f);
  std::vector<float> c(s.m * s.n), packed(packed_b_size(s.k, s.n));
  Gemm g{.m = s.m,
         .n = s.n,
         .k = s.k,
         .a = a.data(),
         .lda = s.trans_a ? s.m : s.k,
         .trans_a = s.trans_a,
         .b = b.data(),
         .ldb = s.trans_b ? s.k : s.n,
         .trans_b = s.trans_b,
         .c = c.data(),
         .ldc = s.n};
  if (s.packed) {
    pack_b(g.b, g.ldb, g.trans_b, g.k, g.n, packed.data());
    g.packed_b = packed.data();
  }
  std::vector<char> scratch(gemm_scratch(g));
  const double flops = 2.0 * static_cast<double>(s.m * s.k * s.n);
  const long calls = std::max(1L, static_cast<long>(2e7 / flops));  // enough for the clock
  double best = 1e9;
  for (const double end = now() + seconds; now() < end;) {
    const double start = now();
    for (long i = 0; i < calls; ++i) gemm_part(g, 0, 1, scratch.data());
    best = std::min(best, (now() - start) / static_cast<double>(calls));
  }
  return flops / best / 1e9;
}

}  // namespace

// bench_gemm [seconds per shape] [target]
int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 0.2;
  for (const CpuTarget target : available_targets()) {
    if (argc > 2 && to_string(target) != argv[2]) continue;
    set_cpu_target(target);
    double limit = peak(target);
    std::printf("%s: limit %.1f GFLOP/s\n     m     k     n  a  b         GFLOP/s  share\n",
                std::string(to_string(target)).c_str(), limit);
    for (const Shape& s : kShapes) {
      const double rate = gflops(s, seconds);
      limit = std::max(limit, peak(target));  // the clock may have been lower at first
      std::printf("%6ld%6ld%6ld  %c  %c  %-6s %8.1f  %4.0f%%\n", s.m, s.k, s.n, s.trans_a ? 'T' : '.',
                  s.trans_b ? 'T' : '.', s.packed ? "packed" : "", rate, 100 * rate / limit);
    }
  }
}
