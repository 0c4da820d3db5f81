// The kernel gradient with the image and dy read where they lie: the channels of a tap touch in the image, so a tile of
// rows (tap, channel) is what a packed tile would be, and a line of pixels is a run of k.
#include "ramet/backend/cpu/conv_direct.h"
#include "ramet/backend/cpu/conv_lines.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
bool inside(std::int64_t at, std::int64_t size) { return at >= 0 && at < size; }

// Output lines summed at a time, about kMostSteps pixels: a longer sum would lose digits.
constexpr std::int64_t kMostLines = 32;
std::int64_t lines_of_block(const Gather& g) {
  const std::int64_t lines = kMostSteps / g.rows_w;
  return lines < 1 ? 1 : least(lines, kMostLines);
}
std::int64_t lines_read(const Gather& g) { return (lines_of_block(g) - 1) * g.step_h + (g.taps_h - 1) * g.delta_h + 1; }

}  // namespace

// A single tap that many filters use is better packed by its columns.
bool takes_direct_kernel_grad(const Gather& g, std::int64_t filters) {
  if (g.taps_h * g.taps_w == 1 && filters > 2 * kPanel) return false;
  return filters % kLanes == 0 && filters <= 8 * kPanel && g.pixel_stride == g.channels && g.channels <= 256 &&
         g.rows_w <= kMostSteps && g.rows_w >= 4 && lines_read(g) <= Lines::kMostKept;
}

std::size_t direct_kernel_grad_scratch(const Gather& g) {
  return static_cast<std::size_t>(Lines::ring_size(g, lines_read(g)));
}

void run_direct_kernel_grad(const Gather& g, const Blocks& b, float* scratch) {
  if (b.row_begin >= b.row_end || b.column_begin >= b.column_end) return;
  static const float kZeros[kPanel] = {};
  Lines lines(g, lines_read(g), scratch);
  // Taps of a line that touch are one range of rows, unless each has its own pixels to leave out.
  const bool padded = g.channels >= kLeastChannels && g.rows_w <= kMostPaddedLine && lines.padded();
  const bool touching = g.delta_w == 1 && !padded;
  const std::int64_t run_rows = touching ? g.taps_w * g.channels : g.channels;
  const std::int64_t images = b.k / (g.rows_h * g.rows_w), step = lines_of_block(g);
  Tile tile{};
  Run run[kMostLines];
  tile.run = run;
  tile.a_stride = g.step_w * g.channels;
  tile.b_stride = b.b.ld;
  tile.c_stride = b.c_rows.column_stride;
  tile.floor = -__builtin_inff();
  tile.ceiling = __builtin_inff();
  bool from_c = b.accumulate;
  for (std::int64_t image = 0; image < images; ++image) {
    tile.a = lines.base(image);
    for (std::int64_t t0 = 0; t0 < g.rows_h; t0 += step, from_c = true) {
      for (std::int64_t row = b.row_begin; row < b.row_end;) {
        const std::int64_t tap = row / run_rows, from = row % run_rows;
        const std::int64_t i = touching ? tap : tap / g.taps_w, j = touching ? 0 : tap % g.taps_w;
        const std::int64_t rows = least(run_rows - from, b.row_end - row), tiles = (rows + kTileRows - 1) / kTileRows;
        std::int64_t head = 0, length = g.rows_w;
        if (padded) {
          const Overhang over(g.first_w + j * g.delta_w, g.step_w, static_cast<int>(g.rows_w), g.width);
          head = least(over.head, g.rows_w);
          length = g.rows_w - head - least(over.end, g.rows_w - head);
        }
        tile.runs = 0;
        for (std::int64_t t = t0; t < least(t0 + step, g.rows_h); ++t) {
          const std::int64_t y = t * g.step_h + g.first_h + i * g.delta_h;
          if (!inside(y, g.height)) continue;
          run[tile.runs++] = {lines.line(image, y) + j * g.delta_w * g.channels + head * tile.a_stride + from,
                              ((image * g.rows_h + t) * g.rows_w + head) * b.b.ld, length, 0};
        }
        for (std::int64_t column = b.column_begin; column < b.column_end; column += kPanel) {
          const int vecs = b.column_end - column > kLanes ? 2 : 1;
          const float* image_base = tile.a;
          tile.ahead = tile.b = b.b.matrix + column;
          for (std::int64_t n = 0, at = 0; n < tiles; ++n) {
            const int count = static_cast<int>((rows - at + tiles - n - 1) / (tiles - n));
            tile.c = b.c + (row + at) * tile.c_stride + column;
            tile.init = from_c ? tile.c : kZeros;
            tile.init_stride = from_c ? tile.c_stride : 0;
            tile.a = image_base + at;
            tile_kernel(count, vecs, ReadA::kPacked)(tile);
            at += count;
          }
          tile.a = image_base;
        }
        row += rows;
      }
    }
  }
}

}  // namespace ramet::cpu::RAMET_SIMD
