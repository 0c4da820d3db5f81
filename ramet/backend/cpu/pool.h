// Max and average pooling, NHWC, f32, forward and gradient. Parts are cut by lines or images; no bit depends on
// their number.
#pragma once
#include <cstdint>

namespace ramet::cpu {

struct Pool2D {
  std::int64_t n = 0, h = 0, w = 0, c = 0;
  std::int64_t kh = 1, kw = 1, oh = 0, ow = 0;
  std::int64_t stride_h = 1, stride_w = 1, pad_top = 0, pad_left = 0;
};

// y = the largest element of each window, NaN if it holds one.
struct MaxPool {
  Pool2D shape;
  const float* x = nullptr;
  float* y = nullptr;
};

// The gradient goes to the first largest element of each window, which is looked up again in x.
struct MaxPoolGrad {
  Pool2D shape;
  const float* dy = nullptr;
  const float* x = nullptr;
  float* dx = nullptr;
};

// y = the mean of those elements of the window that lie inside the image.
struct AveragePool {
  Pool2D shape;
  const float* x = nullptr;
  float* y = nullptr;
};

struct AveragePoolGrad {
  Pool2D shape;
  const float* dy = nullptr;
  float* dx = nullptr;
};

int pool_parts(const MaxPool& pool, int threads);
void pool_part(const MaxPool& pool, int part, int parts);
int pool_parts(const MaxPoolGrad& pool, int threads);
void pool_part(const MaxPoolGrad& pool, int part, int parts);
int pool_parts(const AveragePool& pool, int threads);
void pool_part(const AveragePool& pool, int part, int parts);
int pool_parts(const AveragePoolGrad& pool, int threads);
void pool_part(const AveragePoolGrad& pool, int part, int parts);

}  // namespace ramet::cpu
