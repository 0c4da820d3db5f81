#include "ramet/backend/cpu/conv_direct.h"

#include "ramet/backend/cpu/conv_lines.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

constexpr std::int64_t kMostTaps = 64;
constexpr std::int64_t kMostPieces = 2 * kMostTaps;  // each tap may meet the end of a block of k
constexpr float kNoFloor = -__builtin_inff(), kNoCeiling = __builtin_inff();

std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
std::int64_t magnitude(std::int64_t a) { return a < 0 ? -a : a; }
bool inside(std::int64_t at, std::int64_t size) { return at >= 0 && at < size; }

// Lines of the image that one line of results reads, taps that reach outside included.
std::int64_t lines_read(const Gather& g) { return (g.taps_h - 1) * magnitude(g.delta_h) + 1; }

// One line of results, columns [begin, end) of it.
class Line {
 public:
  Line(const Gather& g, const Blocks& b, Lines& lines)
      : g_(g),
        b_(b),
        lines_(lines),
        step_(block_k(b.k)),
        stride_(lines.pixel_stride() * g.step_w),
        read_(stride_ == 1 ? ReadA::kPacked : ReadA::kRowsThenNext),  // neighbours of one channel lie as if packed
        late_(b.epilogue.activation > 1) {
    tile_.a_stride = stride_;
    tile_.b_stride = kPanel;
    tile_.c_stride = b.c_rows.column_stride;
    tile_.run = run_;
  }

  void run(std::int64_t image, std::int64_t t, std::int64_t begin, std::int64_t end) {
    if (end - begin != length_) cut(end - begin);
    const float* const base = enter(image, t);
    float* const c = b_.c + b_.c_rows.offset((image * g_.rows_h + t) * g_.rows_w);
    for (std::int64_t i = 0, u = begin; i < tiles_; ++i) {
      const int rows = static_cast<int>(least_rows_ + (i < longer_ ? 1 : 0));
      const bool padded = meets_padding(u, rows);
      if (padded || !inner_) find_runs(u, rows, padded);
      inner_ = !padded;
      tile_.a = base + u * stride_;
      for (std::int64_t j = b_.column_begin; j < b_.column_end; j += kPanel) {
        set_panel(j);
        run_tile(c + u * b_.c_rows.column_stride + j, rows, j, least(kPanel, b_.column_end - j));
      }
      u += rows;
    }
  }

 private:
  void cut(std::int64_t length) {
    length_ = length;
    tiles_ = (length + kTileRows - 1) / kTileRows;
    least_rows_ = length / tiles_;
    longer_ = length % tiles_;
  }

  // Where A begins for line t. Taps in lines outside the image only meet zeros: they are left out. Where the image
  // itself is read and all taps lie in it, the runs are those of the line before, a line on.
  const float* enter(std::int64_t image, std::int64_t t) {
    const std::int64_t y = t * g_.step_h + g_.first_h, line = g_.width * lines_.pixel_stride();
    const bool whole = !lines_.padded() && inside(y, g_.height) && inside(y + (g_.taps_h - 1) * g_.delta_h, g_.height);
    const std::int64_t first = whole ? y * line : 0;
    if (!whole || !whole_) {
      inner_ = false;
      lines_read_ = 0;
      for (std::int64_t i = 0; i < g_.taps_h; ++i)
        if (const std::int64_t at = y + i * g_.delta_h; inside(at, g_.height))
          line_[lines_read_++] = {i, lines_.line(image, at) - first};
    }
    whole_ = whole;
    return lines_.base(image) + first;
  }

  // Whether rows [u, u + rows) of the line meet padding at its ends, and enough of it to be left out.
  bool meets_padding(std::int64_t u, int rows) const {
    if (g_.channels < kLeastChannels || g_.rows_w > kMostPaddedLine) return false;
    const std::int64_t x = u * g_.step_w + g_.first_w, reach = (g_.taps_w - 1) * g_.delta_w;
    return x + least(reach, 0) < 0 || x - least(-reach, 0) + (rows - 1) * g_.step_w >= g_.width;
  }

  void find_runs(std::int64_t u, int rows, bool padded) {
    tile_.runs = 0;
    const std::int64_t x = u * g_.step_w + g_.first_w;
    const bool touching = !padded && g_.delta_w == 1 && lines_.pixel_stride() == g_.channels;
    const std::int64_t taps = touching ? 1 : g_.taps_w, length = touching ? g_.taps_w * g_.channels : g_.channels;
    for (std::int64_t i = 0; i < lines_read_; ++i) {
      for (std::int64_t j = 0; j < taps; ++j) {
        std::int64_t skip = 0;
        if (padded) {
          const Overhang over(x + j * g_.delta_w, g_.step_w, rows, g_.width);
          if (over.head >= rows || over.end >= rows) continue;
          skip = skipped(over, rows);
        }
        add(line_[i].tap * g_.taps_w * g_.channels + j * length,
            line_[i].begin + j * g_.delta_w * lines_.pixel_stride(), length, skip);
      }
    }
  }
  // B is packed in blocks of step_: a run ends where they do. Its place in the first panel of B:
  void add(std::int64_t k, std::int64_t a, std::int64_t length, std::int64_t skip) {
    if (b_.k <= step_) {
      run_[tile_.runs++] = {a, k * kPanel, length, skip};
      return;
    }
    while (length > 0) {
      const std::int64_t k0 = k / step_ * step_, now = least(length, k0 + step_ - k);
      first_panel_[tile_.runs] = k0 * panels_of(b_.n) * kPanel + (k - k0) * kPanel;
      block_[tile_.runs] = least(step_, b_.k - k0);
      run_[tile_.runs++] = {a, 0, now, skip};
      k += now, a += now, length -= now;
    }
  }

  void set_panel(std::int64_t j) {
    tile_.ahead = tile_.b = b_.b.packed;
    if (b_.k <= step_) {
      tile_.b += j * b_.k;
    } else {
      for (std::int64_t i = 0; i < tile_.runs; ++i) run_[i].b = first_panel_[i] + j * block_[i];
    }
  }

  void run_tile(float* c, int rows, std::int64_t j, std::int64_t width) {
    static const float kZeros[kPanel] = {};
    const int vecs = width > kLanes ? 2 : 1;
    const float* bias = b_.epilogue.bias != nullptr ? b_.epilogue.bias + j : nullptr;
    tile_.init_stride = 0;
    const float* residual = b_.epilogue.residual != nullptr ? b_.epilogue.residual + (c - b_.c) : nullptr;
    const bool whole = width == vecs * kLanes, now = !late_ && (whole || residual == nullptr);
    tile_.floor = now && b_.epilogue.activation == 1 ? 0.0f : kNoFloor;
    tile_.ceiling = now ? b_.epilogue.ceiling : kNoCeiling;
    tile_.residual = now ? residual : nullptr;
    if (whole) {
      tile_.init = bias != nullptr ? bias : kZeros;
      tile_.c = c;
      tile_.c_stride = b_.c_rows.column_stride;
      tile_kernel(rows, vecs, read_)(tile_);
    } else {
      float init[kPanel] = {}, tile[kTileRows * kPanel];
      if (bias != nullptr) copy_row(bias, width, init);
      tile_.init = init;
      tile_.c = tile;
      tile_.c_stride = kPanel;
      tile_kernel(rows, vecs, read_)(tile_);
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
  const std::int64_t step_, stride_;  // of k in a block; from row to row
  const ReadA read_;
  const bool late_;                                                    // the activation is a pass of its own
  std::int64_t length_ = 0, tiles_ = 0, least_rows_ = 0, longer_ = 0;  // how a line is cut
  bool inner_ = false;  // the runs at hand are those of a tile that meets no padding, the same for all of a line
  bool whole_ = false;  // all taps lie in the image, which is read itself
  std::int64_t lines_read_ = 0;
  struct {
    std::int64_t tap, begin;
  } line_[kMostTaps];  // tap lines inside the image, and where they begin
  Run run_[kMostPieces];
  std::int64_t first_panel_[kMostPieces], block_[kMostPieces];  // of each run, when there are several blocks
  Tile tile_{};
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
