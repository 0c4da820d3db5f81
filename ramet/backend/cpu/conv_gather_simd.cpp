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
  const std::int64_t ahead = g.taps_h * g.taps_w == 1 ? rows * g.step_w * g.pixel_stride : 0;
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
    pack_lines(line, stride, count, out, stride, ahead);
    out += count * stride;
    k0 += count;
  }
}

// LeftFactor::runs, tap by tap.
int gathered_runs(const void* self, std::int64_t row, int rows, std::int64_t k0, std::int64_t k, Run* out) {
  const Gather& g = *static_cast<const Gather*>(self);
  const Cursor at(g, row);
  int runs = 0;
  for (std::int64_t from = k0, end = k0 + k; from < end;) {
    const std::int64_t tap = from / g.channels, until = (tap + 1) * g.channels, begin = from;
    from = until < end ? until : end;
    if (!inside(at.t * g.step_h + g.first_h + tap / g.taps_w * g.delta_h, g.height)) continue;
    const Overhang over(at.u * g.step_w + g.first_w + tap % g.taps_w * g.delta_w, g.step_w, rows, g.width);
    if (over.head >= rows || over.end >= rows) continue;
    const std::int64_t skip = skipped(over, rows);
    if (runs > 0 && out[runs - 1].skip == skip && out[runs - 1].a + out[runs - 1].length == begin - k0) {
      out[runs - 1].length += from - begin;
    } else {
      out[runs++] = {begin - k0, begin - k0, from - begin, skip};
    }
  }
  return runs;
}

// Whether some (row, tap) along an axis lies outside of it.
bool overhangs(std::int64_t first, std::int64_t taps, std::int64_t delta, std::int64_t rows, std::int64_t step,
               std::int64_t size) {
  const std::int64_t reach = (taps - 1) * delta, low = first + (reach < 0 ? reach : 0),
                     high = first + (reach > 0 ? reach : 0) + (rows - 1) * step;
  return low < 0 || high >= size;
}

}  // namespace

// Lines shorter than half a tile would leave the multipliers idle.
std::int64_t gathered_line(const Gather& g) {
  constexpr std::int64_t kLeastRows = kTileRows / 2 + (kTileRows < 14 ? 1 : 0);
  static_assert(kMostSteps / kLeastChannels + 2 <= kMostRuns);
  const std::int64_t tiles = (g.rows_w + kTileRows - 1) / kTileRows;
  if (g.channels < kLeastChannels || g.rows_w < kLeastRows * tiles) return 0;
  const bool padded = overhangs(g.first_h, g.taps_h, g.delta_h, g.rows_h, g.step_h, g.height) ||
                      overhangs(g.first_w, g.taps_w, g.delta_w, g.rows_w, g.step_w, g.width);
  return padded ? g.rows_w : 0;
}

LeftFactor gathered_rows(const Gather& g) {
  LeftFactor a{pack_gathered, &g, nullptr, 0};
  a.line = gathered_line(g);
  if (a.line > 0) a.runs = gathered_runs;
  return a;
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
