#include "ramet/backend/cpu/conv_gather.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

// A position among the rows, moved forward without divisions.
struct Cursor {
  const Gather& g;
  std::int64_t image, t, u;
  Cursor(const Gather& gather, std::int64_t row)
      : g(gather), image(row / (g.rows_h * g.rows_w)), t(row / g.rows_w % g.rows_h), u(row % g.rows_w) {}
  void next() {
    if (++u < g.rows_w) return;
    u = 0;
    if (++t < g.rows_h) return;
    t = 0;
    ++image;
  }
};

bool inside(std::int64_t at, std::int64_t size) {
  return static_cast<std::uint64_t>(at) < static_cast<std::uint64_t>(size);
}

// A whole line of taps is one run in memory when they touch; worth it when a single tap is short (an image's three
// colours).
constexpr std::int64_t kShortLine = 64;
bool has_short_lines(const Gather& g) {
  return g.delta_w == 1 && g.channels == g.pixel_stride && g.channels < 16 && g.taps_w * g.channels <= kShortLine;
}

}  // namespace

void pack_gathered(const void* self, std::int64_t row, int rows, std::int64_t k0, std::int64_t k, float* out,
                   int stride) {
  const Gather& g = *static_cast<const Gather*>(self);
  const float* image[kPackedRows];
  std::int64_t y0[kPackedRows], x0[kPackedRows];
  Cursor at(g, row);
  for (int i = 0; i < rows; ++i, at.next()) {
    image[i] = g.image + at.image * g.height * g.width * g.pixel_stride;
    y0[i] = at.t * g.step_h + g.first_h;
    x0[i] = at.u * g.step_w + g.first_w;
  }
  const float* line[kPackedRows];
  for (int i = rows; i < stride; ++i) line[i] = kZeroLine;
  const bool merged = has_short_lines(g);
  const std::int64_t run = merged ? g.taps_w * g.channels : g.channels;  // contiguous elements at most
  float border[kPackedRows][kShortLine];

  for (std::int64_t end = k0 + k; k0 < end;) {
    const std::int64_t tap = k0 / run, from = k0 % run;
    const std::int64_t count = run - from < end - k0 ? run - from : end - k0;
    const std::int64_t dy = (merged ? tap : tap / g.taps_w) * g.delta_h, dx = merged ? 0 : tap % g.taps_w * g.delta_w;
    for (int i = 0; i < rows; ++i) {
      const std::int64_t y = y0[i] + dy, x = x0[i] + dx;
      const float* pixel = image[i] + (y * g.width + x) * g.pixel_stride;
      if (!inside(y, g.height)) {
        line[i] = kZeroLine;
      } else if (!merged) {
        line[i] = inside(x, g.width) ? pixel + from : kZeroLine;
      } else if (x >= 0 && x + g.taps_w <= g.width) {
        line[i] = pixel + from;
      } else {
        for (std::int64_t j = 0; j < run; ++j) border[i][j] = inside(x + j / g.channels, g.width) ? pixel[j] : 0.0f;
        line[i] = border[i] + from;
      }
    }
    pack_lines(line, stride, count, out, stride);
    out += count * stride;
    k0 += count;
  }
}

void pack_gathered_transposed(const void* self, std::int64_t row, int rows, std::int64_t k0, std::int64_t k, float* out,
                              int stride) {
  const Gather& g = *static_cast<const Gather*>(self);
  for (int i = 0; i < rows;) {
    const std::int64_t tap = (row + i) / g.channels, from = (row + i) % g.channels;
    const std::int64_t count = g.channels - from < rows - i ? g.channels - from : rows - i;
    const std::int64_t dy = tap / g.taps_w * g.delta_h + g.first_h, dx = tap % g.taps_w * g.delta_w + g.first_w;
    Cursor at(g, k0);
    float* to = out + i;
    for (std::int64_t p = 0; p < k; ++p, at.next(), to += stride) {
      const std::int64_t y = at.t * g.step_h + dy, x = at.u * g.step_w + dx;
      const bool there = inside(y, g.height) && inside(x, g.width);
      const float* pixel =
          there ? g.image + ((at.image * g.height + y) * g.width + x) * g.pixel_stride + from : kZeroLine;
      copy_row(pixel, count, to);
    }
    i += static_cast<int>(count);
  }
}

}  // namespace ramet::cpu::RAMET_SIMD
