// Physical limits of this machine: f32 FMA rate (AVX-512, AVX2) and read bandwidth by working-set size,
// for 1..N threads running at once. Prints one JSON object.
//   g++ -O2 -std=c++20 -pthread fma_peak.cpp -o fma_peak && ./fma_peak
#include <immintrin.h>
#include <sched.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
static std::atomic<float> sink{0};

__attribute__((target("avx512f"), noinline)) static double fma512(long n) {
  __m512 a[16], x = _mm512_set1_ps(0.999999f), y = _mm512_set1_ps(1e-6f);
  for (int i = 0; i < 16; i++) a[i] = _mm512_set1_ps(float(i));
  for (long k = 0; k < n; k++) {
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) a[i] = _mm512_fmadd_ps(a[i], x, y);
  }
  __m512 s = a[0];
  for (int i = 1; i < 16; i++) s = _mm512_add_ps(s, a[i]);
  sink = sink + _mm512_reduce_add_ps(s);
  return double(n) * 16 * 16 * 2;
}
__attribute__((target("avx2,fma"), noinline)) static double fma256(long n) {
  __m256 a[12], x = _mm256_set1_ps(0.999999f), y = _mm256_set1_ps(1e-6f);
  for (int i = 0; i < 12; i++) a[i] = _mm256_set1_ps(float(i));
  for (long k = 0; k < n; k++) {
#pragma GCC unroll 12
    for (int i = 0; i < 12; i++) a[i] = _mm256_fmadd_ps(a[i], x, y);
  }
  __m256 s = a[0];
  for (int i = 1; i < 12; i++) s = _mm256_add_ps(s, a[i]);
  float t[8];
  _mm256_storeu_ps(t, s);
  sink = sink + t[0];
  return double(n) * 12 * 8 * 2;
}
__attribute__((target("avx512f"), noinline)) static double read512(const float* p, size_t bytes, long reps) {
  __m512 a[8];
  for (auto& v : a) v = _mm512_setzero_ps();
  size_t n = bytes / 4;
  for (long r = 0; r < reps; r++)
    for (size_t i = 0; i + 128 <= n; i += 128) {
#pragma GCC unroll 8
      for (int j = 0; j < 8; j++) a[j] = _mm512_add_ps(a[j], _mm512_loadu_ps(p + i + 16 * j));
    }
  __m512 s = a[0];
  for (int i = 1; i < 8; i++) s = _mm512_add_ps(s, a[i]);
  sink = sink + _mm512_reduce_add_ps(s);
  return double(n / 128 * 128 * 4) * reps;
}

// Runs f on `threads` pinned threads at once, `tries` times; the best total rate (units per second).
static double best(int threads, int tries, std::function<double(int)> f) {
  double top = 0;
  for (int t = 0; t < tries; t++) {
    std::atomic<int> ready{0};
    std::atomic<bool> go{false};
    std::vector<double> work(threads), t0(threads), t1(threads);
    std::vector<std::thread> ts;
    for (int i = 0; i < threads; i++)
      ts.emplace_back([&, i] {
        cpu_set_t s;
        CPU_ZERO(&s);
        CPU_SET((threads == 1 ? 1 : i) % std::max(1u, std::thread::hardware_concurrency()), &s);
        sched_setaffinity(0, sizeof s, &s);
        ready++;
        while (!go) _mm_pause();
        t0[i] = now();
        work[i] = f(i);
        t1[i] = now();
      });
    while (ready < threads) std::this_thread::yield();
    go = true;
    for (auto& x : ts) x.join();
    double total = 0;
    for (double w : work) total += w;
    double el = *std::max_element(t1.begin(), t1.end()) - *std::min_element(t0.begin(), t0.end());
    top = std::max(top, total / el);
  }
  return top;
}

int main(int argc, char** argv) {
  int tries = argc > 1 ? atoi(argv[1]) : 12;
  int cores = std::max(1u, std::thread::hardware_concurrency());
  bool has512 = __builtin_cpu_supports("avx512f");
  std::printf("{\"cores\": %d", cores);
  for (int th = 1; th <= cores; th++) {
    if (has512)
      std::printf(", \"fma512_gflops_%dt\": %.1f", th, best(th, tries, [](int) { return fma512(4000000); }) / 1e9);
    std::printf(", \"fma256_gflops_%dt\": %.1f", th, best(th, tries, [](int) { return fma256(8000000); }) / 1e9);
  }
  if (has512)
    for (int th = 1; th <= cores; th++) {
      std::printf(", \"read_gbs_%dt\": {", th);
      size_t kb[] = {24, 256, 768, 1344, 2688, 4096, 16384, 32768, 262144};
      for (size_t i = 0; i < sizeof kb / sizeof *kb; i++) {
        size_t bytes = kb[i] * 1024;  // per thread
        std::vector<float*> buf;
        for (int t = 0; t < th; t++) {
          auto* p = static_cast<float*>(std::aligned_alloc(4096, bytes));
          std::fill(p, p + bytes / 4, 1.0f);
          buf.push_back(p);
        }
        long reps = std::max<long>(1, long((400ull << 20) / bytes));
        if (kb[i] <= 1024) reps *= 8;
        double r = best(th, tries, [&](int t) { return read512(buf[t], bytes, reps); }) / 1e9;
        std::printf("%s\"%zuK\": %.1f", i ? ", " : "", kb[i], r);
        for (auto* p : buf) std::free(p);
      }
      std::printf("}");
    }
  std::printf("}\n");
}
