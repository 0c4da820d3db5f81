#include "ramet/backend/cpu/gemm_blocks.h"

#include "ramet/backend/cpu/gemm_brain.h"
#include "ramet/backend/cpu/simd_parts.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

constexpr std::int64_t kBlockTiles = kTileRows == 14 ? 8 : 16;  // packed A: 256 KiB, half of a small L2
constexpr std::int64_t kBlockPanels = 1024 / kPanel;            // packed B: at most 2 MiB
constexpr float kNoFloor = -__builtin_inff(), kNoCeiling = __builtin_inff();

std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Rows of a matrix further apart than this push each other out of the caches when the same columns of many are read:
// 4 KiB apart they all share one set of the first cache.
constexpr std::int64_t kNear = 896;

// Up to how many rows of A an unpacked B is read where it lies. A step of AVX-512 reads two whole lines of it, which is
// as good as packed; a step of the others reads one or a half.
std::int64_t most_rows_in_place(std::int64_t ldb) {
  if (kTileRows < 14) return 4 * kTileRows;
  return ldb <= kNear ? 512 : 2 * kTileRows;
}

// Cuts rows into tiles that differ by at most one row, so that no tile is left with a slow rest: all rows, or each line
// of them. Of a line that is not whole some tiles may be empty.
struct TileCut {
  std::int64_t first, end, line, tiles_of_line, tiles, base, extra;
  TileCut(std::int64_t first_row, std::int64_t rows, std::int64_t line_length)
      : first(first_row), end(first_row + rows), line(line_length > 0 ? line_length : rows) {
    if (line_length > 0) first -= first % line;
    tiles_of_line = ceil_div(line, kTileRows);
    tiles = ceil_div(end - first, line) * tiles_of_line;
    base = line / tiles_of_line;
    extra = line % tiles_of_line;
    row_begin_ = first_row;
  }
  std::int64_t begin(std::int64_t tile) const {
    const std::int64_t at = unclipped(tile);
    return at < row_begin_ ? row_begin_ : least(at, end);
  }
  int rows(std::int64_t tile) const { return static_cast<int>(begin(tile + 1) - begin(tile)); }

 private:
  std::int64_t unclipped(std::int64_t tile) const {
    const std::int64_t in_line = tiles == tiles_of_line ? tile : tile % tiles_of_line;
    return first + (tile - in_line) / tiles_of_line * line + in_line * base + least(in_line, extra);
  }
  std::int64_t row_begin_;
};

// Floats of packed A for a block of so many tiles at most.
std::int64_t packed_a_size(std::int64_t tiles, std::int64_t k) {
  return least(kBlockTiles, tiles) * kPackedRows * block_k(k);
}

// One pass over one block of k.
class Pass {
 public:
  Pass(const Blocks& g, std::int64_t k0, std::int64_t k, float* scratch)
      : g_(g),
        k0_(k0),
        k_(k),
        cut_(g.row_begin, g.row_end - g.row_begin, g.a.line),
        first_(k0 == 0),
        last_(k0 + k >= g.k),
        packed_a_(scratch),
        packed_b_(scratch + packed_a_size(cut_.tiles, g.k)) {
    const std::int64_t rows = g.row_end - g.row_begin;
    const std::int64_t panels = panels_of(g.column_end - g.column_begin);
    // Packing A pays where its rows share a set of the first cache and several panels use it, packing B when many tiles
    // do.
    by_columns_ = g.a.pack == nullptr;
    const bool rows_collide = kTileRows > 8 && g.a.ld % 1024 == 0;
    const bool in_place = g.a.matrix != nullptr && (panels <= 2 || rows == 1 || !rows_collide);
    read_ = !in_place ? ReadA::kPacked : panels <= 2 ? ReadA::kRowsThenNext : ReadA::kRowMajor;
    columns_in_place_ = by_columns_ && (panels <= 2 || (kTileRows >= 14 && g.a.ld <= kNear));
    const bool plain_b = g.b.packed == nullptr && g.b.brain == nullptr && !g.b.transposed;
    b_in_place_ = plain_b && g.a.runs == nullptr && rows <= most_rows_in_place(g.b.ld);
    pack_straight_ = plain_b && !b_in_place_;
    const GemmEpilogue& e = g.epilogue;
    late_bias_ = g.accumulate ? e.bias : nullptr;
    late_ = last_ && (late_bias_ != nullptr || e.activation > 1);
    floor_ = last_ && !late_ && e.activation == 1 ? 0.0f : kNoFloor;
    ceiling_ = last_ && !late_ ? e.ceiling : kNoCeiling;
  }

  void run() {
    for (std::int64_t column = g_.column_begin; column < g_.column_end; column += kBlockPanels * kPanel) {
      const std::int64_t column_end = least(column + kBlockPanels * kPanel, g_.column_end);
      const std::int64_t blocks = ceil_div(cut_.tiles, kBlockTiles);
      for (std::int64_t i = 0; i < blocks; ++i) {
        run_block(cut_.tiles * i / blocks, cut_.tiles * (i + 1) / blocks, column, column_end, i > 0);
      }
    }
  }

 private:
  void run_block(std::int64_t tile_begin, std::int64_t tile_end, std::int64_t column, std::int64_t column_end,
                 bool b_ready) {
    const int most = cut_.tiles == 1 ? widest(cut_.rows(0)) : 2;
    bool a_ready = by_columns_;
    if (by_columns_ && !columns_in_place_) pack_columns(tile_begin, tile_end);
    const float* first = nullptr;
    for (std::int64_t j = column; j < column_end;) {
      int vecs = most;
      while (vecs > 2 && j + vecs * kLanes > column_end) vecs /= 2;
      const std::int64_t width = least(vecs * kLanes, column_end - j);
      if (width <= kLanes) vecs = 1;
      Tile t{};
      t.floor = floor_;
      t.ceiling = ceiling_;
      set_b(t, j, width, j - column, b_ready);
      if (j == column) first = t.b;
      const bool last_panel = j + width >= column_end;
      const float* next = last_panel ? first : b_in_place_ ? t.b + width : t.b + width * k_;
      if (!b_ready && pack_straight_) next = g_.b.matrix + k0_ * g_.b.ld + j + width;  // it will be packed from there
      for (std::int64_t i = tile_begin; i < tile_end; ++i) {
        const std::int64_t at = cut_.begin(i), later = i + tile_end - tile_begin;
        const int count = cut_.rows(i);
        if (count == 0) continue;
        set_a(t, at, count, i - tile_begin, a_ready);
        if (columns_in_place_ && j == column) {
          t.ahead = t.a + kLanes, t.ahead_stride = t.a_stride;
        } else if (!last_panel || later >= cut_.tiles || !fetch_block(t, cut_.begin(later))) {
          fetch_panel(t, next, i - tile_begin, tile_end - tile_begin, b_ready);
        }
        run_tile(t, tile_kernel(count, vecs, read_), at, count, j, width, vecs);
      }
      a_ready = true;
      j += width;
    }
  }

  // Has a tile of the last panel fetch the rows of A that the same tile of the next block begins with.
  bool fetch_block(Tile& t, std::int64_t row) const {
    if (by_columns_) {
      t.ahead = g_.a.columns + k0_ * g_.a.ld + row, t.ahead_stride = g_.a.ld;
    } else if (g_.a.matrix != nullptr && g_.a.ld == k_) {
      t.ahead = g_.a.matrix + row * g_.a.ld, t.ahead_stride = kLanes;
    } else {
      return false;
    }
    return true;
  }

  // Has tile `tile` of `tiles` fetch its share of the next panel of B: a piece of it where it is packed, otherwise one
  // of the two lines that every step has.
  void fetch_panel(Tile& t, const float* next, std::int64_t tile, std::int64_t tiles, bool b_ready) const {
    if (g_.b.packed != nullptr) {
      t.ahead_stride = ceil_div(kPanel, tiles);
      t.ahead = next + tile * k_ * t.ahead_stride;
    } else {
      t.ahead_stride = !b_ready && pack_straight_ ? g_.b.ld : t.b_stride;
      t.ahead = next + tile % 2 * kLanes;
    }
  }

  // The tiles of a block side by side, so that a line of the matrix is read once for all of them.
  void pack_columns(std::int64_t tile_begin, std::int64_t tile_end) {
    static_assert(kPackedRows == kLanes);
    for (std::int64_t k = 0; k < k_; ++k) {
      const float* from = g_.a.columns + (k0_ + k) * g_.a.ld;
      for (std::int64_t i = tile_begin; i < tile_end; ++i) {
        const std::int64_t row = cut_.begin(i);
        const int rows = cut_.rows(i);
        float* to = packed_a_ + (i - tile_begin) * kPackedRows * k_ + k * packed_stride(rows);
        __builtin_prefetch(from + row + 16 * g_.a.ld, 0, 2);
        if (packed_stride(rows) == kLanes && row + kLanes <= g_.row_end) {
          store(to, load(from + row));
        } else {
          for (int r = 0; r < rows; ++r) to[r] = from[row + r];
        }
      }
    }
  }

  void set_a(Tile& t, std::int64_t row, int rows, std::int64_t tile, bool ready) {
    t.run = &all_;
    t.runs = 1;
    if (read_ != ReadA::kPacked) {
      t.a = g_.a.matrix + row * g_.a.ld + k0_;
      t.a_stride = g_.a.ld;
      return;
    }
    if (columns_in_place_) {
      t.a = g_.a.columns + k0_ * g_.a.ld + row;
      t.a_stride = g_.a.ld;
      return;
    }
    const int stride = packed_stride(rows);
    float* packed = packed_a_ + tile * kPackedRows * k_;
    if (g_.a.runs != nullptr) {
      if (!ready) find_runs(row, rows, tile, stride);
      t.run = run_[tile];
      t.runs = runs_[tile];
    }
    if (!ready && t.runs > 0) g_.a.pack(g_.a.self, row, rows, k0_, k_, packed, stride);
    t.a = packed;
    t.a_stride = stride;
  }

  void find_runs(std::int64_t row, int rows, std::int64_t tile, int stride) {
    runs_[tile] = g_.a.runs(g_.a.self, row, rows, k0_, k_, run_[tile]);
    for (Run* run = run_[tile]; run < run_[tile] + runs_[tile]; ++run) run->a *= stride, run->b *= kPanel;
  }

  // `width` columns from j; `offset` counts from the start of the block of columns.
  void set_b(Tile& t, std::int64_t j, std::int64_t width, std::int64_t offset, bool ready) {
    t.b_stride = kPanel;
    t.panel_stride = k_ * kPanel;
    if (g_.b.packed != nullptr) {
      t.b = g_.b.packed + k0_ * panels_of(g_.n) * kPanel + j * k_;
      return;
    }
    // A last panel that is not full cannot be read in place: a vector would reach past the matrix.
    if (b_in_place_ && width % kPanel == 0) {
      t.b = g_.b.matrix + k0_ * g_.b.ld + j;
      t.b_stride = g_.b.ld;
      t.panel_stride = kPanel;
      return;
    }
    // A panel that no other block of rows needs is written over the last one, which the caches still hold.
    float* packed = cut_.tiles <= kBlockTiles ? packed_b_ : packed_b_ + offset * k_;
    if (!ready) {
      for (std::int64_t p = 0; p < width; p += kPanel) {
        const int count = static_cast<int>(least(kPanel, width - p));
        if (g_.b.brain != nullptr) {
          widen_panel(g_.b.brain + k0_ * panels_of(g_.n) * kPanel + (j + p) * k_, k_, packed + p * k_);
        } else if (g_.b.transposed) {
          pack_transposed(g_.b.matrix + (j + p) * g_.b.ld + k0_, g_.b.ld, count, k_, packed + p * k_, kPanel);
        } else {
          pack_straight(g_.b.matrix + k0_ * g_.b.ld + j + p, g_.b.ld, count, k_, packed + p * k_, kPanel);
        }
      }
    }
    t.b = packed;
  }

  void run_tile(Tile& t, TileKernel kernel, std::int64_t row, int rows, std::int64_t j, std::int64_t width, int vecs) {
    const bool from_c = !first_ || g_.accumulate;
    const float* bias = from_c ? nullptr : g_.epilogue.bias;
    if (g_.c_rows.width == 0 && width == vecs * kLanes) {
      static const float kZeros[8 * kLanes] = {};
      t.c = g_.c + g_.c_rows.offset(row) + j;
      t.c_stride = g_.c_rows.column_stride;
      t.init = from_c ? t.c : bias != nullptr ? bias + j : kZeros;
      t.init_stride = from_c ? t.c_stride : 0;
      t.residual = last_ && !late_ && g_.epilogue.residual != nullptr ? g_.epilogue.residual + (t.c - g_.c) : nullptr;
      kernel(t);
      if (!late_) return;
    } else {
      run_loose_tile(t, kernel, row, rows, j, width, vecs, from_c, bias);
    }
    if (!last_ || (!late_ && g_.epilogue.residual == nullptr)) return;
    for (int i = 0; i < rows; ++i) {
      const std::int64_t at = g_.c_rows.offset(row + i) + j;
      finish_row(g_.c + at, width, late_bias_ ? late_bias_ + j : nullptr,
                 g_.epilogue.residual ? g_.epilogue.residual + at : nullptr, g_.epilogue);
    }
  }

  // A tile whose rows are not evenly spaced in C, or which is wider than what is left of it.
  void run_loose_tile(Tile& t, TileKernel kernel, std::int64_t row, int rows, std::int64_t j, std::int64_t width,
                      int vecs, bool from_c, const float* bias) {
    float tile[kTileRows * 8 * kLanes];
    const std::int64_t stride = vecs * kLanes;
    float* at[kTileRows];
    for (int i = 0; i < rows; ++i) at[i] = g_.c + g_.c_rows.offset(row + i) + j;
    float row_of_init[8 * kLanes] = {};
    if (from_c) {
      for (int i = 0; i < rows; ++i) {
        for (int v = 0; v < vecs; ++v) store(tile + i * stride + v * kLanes, Vec{});
        copy_row(at[i], width, tile + i * stride);
      }
    } else if (bias != nullptr) {
      copy_row(bias + j, width, row_of_init);
    }
    t.init = from_c ? tile : row_of_init;
    t.init_stride = from_c ? stride : 0;
    t.c = tile;
    t.c_stride = stride;
    t.residual = nullptr;
    if (g_.epilogue.residual != nullptr) t.floor = kNoFloor, t.ceiling = kNoCeiling;  // the residual comes first
    kernel(t);
    t.floor = floor_, t.ceiling = ceiling_;
    for (int i = 0; i < rows; ++i) copy_row(tile + i * stride, width, at[i]);
  }

  const Blocks& g_;
  std::int64_t k0_, k_;
  Run all_{0, 0, k_, 0}, run_[kBlockTiles][kMostRuns];
  int runs_[kBlockTiles];
  TileCut cut_;
  bool first_, last_, by_columns_, columns_in_place_, b_in_place_, pack_straight_;
  ReadA read_;
  bool late_;  // the tile is finished by a pass of its own
  const float* late_bias_;
  float floor_, ceiling_;
  float *packed_a_, *packed_b_;
};

}  // namespace

void run_blocks(const Blocks& g, float* scratch) {
  if (g.row_begin >= g.row_end || g.column_begin >= g.column_end) return;
  const std::int64_t step = block_k(g.k);
  std::int64_t k0 = 0;
  do {  // also once for k = 0
    Pass(g, k0, least(step, g.k - k0), scratch).run();
    k0 += step;
  } while (k0 < g.k);
}

std::size_t blocks_scratch(std::int64_t rows, std::int64_t columns, std::int64_t k, bool pack_b, std::int64_t line) {
  if (rows == 0 || columns == 0) return 0;
  const std::int64_t a = packed_a_size(TileCut(0, rows, line).tiles, k);
  const std::int64_t b = pack_b ? least(panels_of(columns), kBlockPanels) * kPanel * block_k(k) : 0;
  return static_cast<std::size_t>(a + b);
}

void pack_panels(const float* b, std::int64_t ldb, bool transposed, std::int64_t k, std::int64_t n, float* packed) {
  const std::int64_t step = block_k(k);
  for (std::int64_t k0 = 0; k0 < k; k0 += step) {
    const std::int64_t kk = least(step, k - k0);
    for (std::int64_t j = 0; j < n; j += kPanel, packed += kk * kPanel) {
      const int count = static_cast<int>(least(kPanel, n - j));
      if (transposed) {
        pack_transposed(b + j * ldb + k0, ldb, count, kk, packed, kPanel);
      } else {
        pack_straight(b + k0 * ldb + j, ldb, count, kk, packed, kPanel);
      }
    }
  }
}

void finish_row(float* c, std::int64_t n, const float* bias, const float* residual, const GemmEpilogue& e) {
  const bool relu = e.activation == static_cast<int>(Unary::kRelu);
  const float most = e.activation > 1 ? kNoCeiling : e.ceiling;  // of the cheap ones only relu is ever capped
  const Vec floor = splat(relu ? 0.0f : kNoFloor), ceiling = splat(most);
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Vec v = load(c + i);
    if (bias != nullptr) v += load(bias + i);
    if (residual != nullptr) v += load(residual + i);
    store(c + i, min_or_second(ceiling, max_or_second(floor, v)));
  }
  for (; i < n; ++i) {
    float v = c[i];
    if (bias != nullptr) v += bias[i];
    if (residual != nullptr) v += residual[i];
    if (relu && 0.0f > v) v = 0.0f;
    c[i] = most < v ? most : v;
  }
  if (e.activation > 1) kernels().unary[e.activation](c, c, static_cast<std::size_t>(n));
}

}  // namespace ramet::cpu::RAMET_SIMD
