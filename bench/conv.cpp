// Speed of the convolutions of ResNet-50 and MobileNet, batch 1, one thread: GFLOP/s forward, input and kernel
// gradient.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "ramet/backend/cpu/conv.h"
#include "ramet/backend/cpu/cpu_target.h"

using namespace ramet::cpu;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Layer {
  const char* name;
  int times;  // how often ResNet-50 has it; 0 for other networks
  std::int64_t size, channels, kernel, filters, stride, groups = 1;
};

const Layer kLayers[] = {
    {"stem 7x7", 1, 224, 3, 7, 64, 2},
    {"1x1 64-64", 1, 56, 64, 1, 64, 1},
    {"3x3 64", 3, 56, 64, 3, 64, 1},
    {"1x1 64-256", 4, 56, 64, 1, 256, 1},
    {"1x1 256-64", 2, 56, 256, 1, 64, 1},
    {"1x1 256-128", 1, 56, 256, 1, 128, 1},
    {"3x3 128 s2", 1, 56, 128, 3, 128, 2},
    {"1x1 256-512 s2", 1, 56, 256, 1, 512, 2},
    {"3x3 128", 3, 28, 128, 3, 128, 1},
    {"1x1 128-512", 4, 28, 128, 1, 512, 1},
    {"1x1 512-128", 3, 28, 512, 1, 128, 1},
    {"1x1 512-256", 1, 28, 512, 1, 256, 1},
    {"3x3 256 s2", 1, 28, 256, 3, 256, 2},
    {"1x1 512-1024 s2", 1, 28, 512, 1, 1024, 2},
    {"3x3 256", 5, 14, 256, 3, 256, 1},
    {"1x1 256-1024", 6, 14, 256, 1, 1024, 1},
    {"1x1 1024-256", 5, 14, 1024, 1, 256, 1},
    {"1x1 1024-512", 1, 14, 1024, 1, 512, 1},
    {"3x3 512 s2", 1, 14, 512, 3, 512, 2},
    {"1x1 1024-2048 s2", 1, 14, 1024, 1, 2048, 2},
    {"3x3 512", 2, 7, 512, 3, 512, 1},
    {"1x1 512-2048", 3, 7, 512, 1, 2048, 1},
    {"1x1 2048-512", 2, 7, 2048, 1, 512, 1},
    {"depthwise 32", 0, 112, 32, 3, 32, 1, 32},
    {"depthwise 256", 0, 28, 256, 3, 256, 1, 256},
    {"depthwise 256 s2", 0, 28, 256, 3, 256, 2, 256},
    {"grouped 4", 0, 28, 128, 3, 128, 1, 4},
};

Conv2D shape_of(const Layer& l, std::int64_t batch) {
  const std::int64_t out = (l.size + l.stride - 1) / l.stride,
                     pad = std::max<std::int64_t>(0, (out - 1) * l.stride + l.kernel - l.size) / 2;
  return {.n = batch,
          .h = l.size,
          .w = l.size,
          .c = l.channels,
          .kh = l.kernel,
          .kw = l.kernel,
          .oh = out,
          .ow = out,
          .f = l.filters,
          .stride_h = l.stride,
          .stride_w = l.stride,
          .pad_top = pad,
          .pad_left = pad,
          .groups = l.groups};
}

template <class Pass>
double best_time(const Pass& pass, double seconds) {
  std::vector<char> scratch(conv_scratch(pass));
  double best = 1e9;
  for (const double end = now() + seconds; now() < end;) {
    const double start = now();
    conv_part(pass, 0, 1, scratch.data());
    best = std::min(best, now() - start);
  }
  return best;
}

}  // namespace

// bench_conv [seconds per measurement] [target] [batch]
int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 0.1;
  const std::int64_t batch = argc > 3 ? std::atol(argv[3]) : 1;
  for (const CpuTarget target : available_targets()) {
    if (argc > 2 && to_string(target) != argv[2]) continue;
    set_cpu_target(target);
    std::printf("%s, batch %ld: GFLOP/s   forward  input grad  kernel grad\n", std::string(to_string(target)).c_str(),
                batch);
    double total[3] = {};
    for (const Layer& l : kLayers) {
      const Conv2D s = shape_of(l, batch);
      const std::vector<float> x(s.n * s.h * s.w * s.c, 0.5f), kernel(s.kh * s.kw * (s.c / s.groups) * s.f, 0.25f);
      std::vector<float> y(s.n * s.oh * s.ow * s.f, 0.5f), dx(x.size()), dkernel(kernel.size());
      std::vector<float> packed(conv_packed_size(s)), packed_grad(conv_input_grad_packed_size(s));
      pack_conv_kernel(s, kernel.data(), packed.data());
      pack_conv_input_grad(s, kernel.data(), packed_grad.data());
      const double time[3] = {
          best_time(
              ConvForward{
                  .shape = s, .x = x.data(), .kernel = kernel.data(), .packed_kernel = packed.data(), .y = y.data()},
              seconds),
          best_time(ConvInputGrad{.shape = s,
                                  .dy = y.data(),
                                  .kernel = kernel.data(),
                                  .packed_kernel = packed_grad.data(),
                                  .dx = dx.data()},
                    seconds),
          best_time(ConvKernelGrad{.shape = s, .x = x.data(), .dy = y.data(), .dkernel = dkernel.data()}, seconds)};
      const double flops =
          2e-9 * static_cast<double>(s.n * s.oh * s.ow * s.f) * static_cast<double>(s.kh * s.kw * (s.c / s.groups));
      std::printf("%-24s %10.1f  %10.1f  %11.1f\n", l.name, flops / time[0], flops / time[1], flops / time[2]);
      for (int i = 0; i < 3; ++i) total[i] += l.times * time[i];
    }
    std::printf("ResNet-50 convolutions: %.1f ms, %.1f ms, %.1f ms\n", 1e3 * total[0], 1e3 * total[1], 1e3 * total[2]);
  }
}
