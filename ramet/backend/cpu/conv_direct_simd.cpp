#include "ramet/backend/cpu/conv_direct.h"

#include "ramet/backend/cpu/conv_lines.h"
#include "ramet/backend/cpu/gemm_runs.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

constexpr std::int64_t kMostTaps = 64;
constexpr std::int64_t kMostRuns = 2 * kMostTaps;  // each tap may meet the end of a block of k
constexpr float kNoFloor = -__builtin_inff(), kNoCeiling = __builtin_inff();

std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
std::int64_t magnitude(std::int64_t a) { return a < 0 ? -a : a; }
bool inside(std::int64_t at, std::int64_t size) { return at >= 0 && at < size; }

// Lines of the image that one line of results reads, taps that reach outside included.
std::int64_t lines_read(const Gather& g) { return (g.taps_h - 1) * magnitude(g.delta_h) + 1; }

// A run of k: `length` steps from step `k`, beginning at `a`.
struct Piece {
  std::int64_t k, a, length;
};

// One line of results, columns [begin, end) of it.
class Line {
 public:
  Line(const Gather& g, const Blocks& b, Lines& lines) : g_(g), b_(b), lines_(lines), step_(block_k(b.k)) {
    const GemmEpilogue& e = b.epilogue;
    late_ = e.activation > 1;
    tile_.b_stride = kPanel;
    tile_.c_stride = b.c_rows.column_stride;
    tile_.run = run_;
  }

  void run(std::int64_t image, std::int64_t t, std::int64_t begin, std::int64_t end) {
    find_pieces(image, t);
    const std::int64_t row = (image * g_.rows_h + t) * g_.rows_w;
    const std::int64_t stride = lines_.pixel_stride() * g_.step_w, tiles = (end - begin + kTileRows - 1) / kTileRows;
    tile_.a_stride = stride;
    tile_.runs = pieces_;
    for (std::int64_t j = b_.column_begin; j < b_.column_end; j += kPanel) {
      const std::int64_t width = least(kPanel, b_.column_end - j);
      set_runs(j);
      for (std::int64_t i = 0, u = begin; i < tiles; ++i) {
        const int rows = static_cast<int>((end - u + tiles - i - 1) / (tiles - i));
        tile_.a = lines_.base(image) + u * stride;
        run_tile(b_.c_rows.offset(row + u), rows, j, width);
        u += rows;
      }
    }
  }

 private:
  // Taps in lines outside the image only meet zeros: they are left out.
  void find_pieces(std::int64_t image, std::int64_t t) {
    pieces_ = 0;
    const bool touching = g_.delta_w == 1 && lines_.pixel_stride() == g_.channels;
    const std::int64_t taps = touching ? 1 : g_.taps_w, length = touching ? g_.taps_w * g_.channels : g_.channels;
    for (std::int64_t i = 0; i < g_.taps_h; ++i) {
      const std::int64_t y = t * g_.step_h + g_.first_h + i * g_.delta_h;
      if (!inside(y, g_.height)) continue;
      const std::int64_t from = lines_.line(image, y);
      for (std::int64_t j = 0; j < taps; ++j)
        add(i * g_.taps_w * g_.channels + j * length, from + j * g_.delta_w * lines_.pixel_stride(), length);
    }
  }
  void add(std::int64_t k, std::int64_t a, std::int64_t length) {
    while (length > 0) {  // B is packed in blocks of step_
      const std::int64_t now = least(length, step_ - k % step_);
      piece_[pieces_++] = {k, a, now};
      k += now, a += now, length -= now;
    }
  }

  void set_runs(std::int64_t j) {
    tile_.b = b_.b.packed;
    for (std::int64_t i = 0; i < pieces_; ++i) {
      const std::int64_t k0 = piece_[i].k / step_ * step_, block = least(step_, b_.k - k0);
      run_[i] = {piece_[i].a, k0 * panels_of(b_.n) * kPanel + j * block + (piece_[i].k - k0) * kPanel,
                 piece_[i].length};
    }
  }

  void run_tile(std::int64_t at, int rows, std::int64_t j, std::int64_t width) {
    static const float kZeros[kPanel] = {};
    const int vecs = width > kLanes ? 2 : 1;
    const float* bias = b_.epilogue.bias != nullptr ? b_.epilogue.bias + j : nullptr;
    float* c = b_.c + at + j;
    tile_.init_stride = 0;
    const float* residual = b_.epilogue.residual != nullptr ? b_.epilogue.residual + at + j : nullptr;
    const bool whole = width == vecs * kLanes, now = !late_ && (whole || residual == nullptr);
    tile_.floor = now && b_.epilogue.activation == 1 ? 0.0f : kNoFloor;
    tile_.ceiling = now ? b_.epilogue.ceiling : kNoCeiling;
    tile_.residual = now ? residual : nullptr;
    if (whole) {
      tile_.init = bias != nullptr ? bias : kZeros;
      tile_.c = c;
      tile_.c_stride = b_.c_rows.column_stride;
      run_kernel(rows, vecs, ReadA::kRowMajor)(tile_);
    } else {
      float init[kPanel] = {}, tile[kTileRows * kPanel];
      if (bias != nullptr) copy_row(bias, width, init);
      tile_.init = init;
      tile_.c = tile;
      tile_.c_stride = kPanel;
      run_kernel(rows, vecs, ReadA::kRowMajor)(tile_);
      for (int i = 0; i < rows; ++i) copy_row(tile + i * kPanel, width, c + i * b_.c_rows.column_stride);
    }
    for (int i = 0; !now && i < rows; ++i) {
      const std::int64_t offset = i * b_.c_rows.column_stride;
      finish_row(c + offset, width, nullptr, residual != nullptr ? residual + offset : nullptr, b_.epilogue);
    }
  }

  const Gather& g_;
  const Blocks& b_;
  Lines& lines_;
  std::int64_t step_, pieces_ = 0;
  bool late_;  // the activation is a pass of its own
  Piece piece_[kMostRuns];
  Run run_[kMostRuns];
  RunTile tile_{};
};

}  // namespace

bool takes_direct(const Gather& g, std::int64_t columns) {
  const std::int64_t taps = g.taps_h * g.taps_w;
  return columns <= 2 * kPanel && taps > 1 && taps <= kMostTaps && taps * g.channels <= kMostTaps * kMostSteps &&
         2 * g.rows_w >= kTileRows && g.pixel_stride <= 256 && lines_read(g) <= Lines::kMostKept;
}

std::size_t direct_scratch(const Gather& g) { return static_cast<std::size_t>(Lines::ring_size(g, lines_read(g))); }

void run_direct(const Gather& g, const Blocks& b, float* scratch) {
  if (b.row_begin >= b.row_end || b.column_begin >= b.column_end) return;
  Lines lines(g, lines_read(g), scratch);
  Line line(g, b, lines);
  for (std::int64_t row = b.row_begin; row < b.row_end;) {
    const std::int64_t u = row % g.rows_w, end = least(g.rows_w, u + b.row_end - row);
    line.run(row / g.rows_w / g.rows_h, row / g.rows_w % g.rows_h, u, end);
    row += end - u;
  }
}

}  // namespace ramet::cpu::RAMET_SIMD
