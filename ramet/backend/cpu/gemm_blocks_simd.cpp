#include "ramet/backend/cpu/gemm_blocks.h"

#include "ramet/backend/cpu/gemm_brain.h"
#include "ramet/backend/cpu/simd_parts.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

constexpr std::int64_t kBlockTiles = kTileRows == 14 ? 8 : 16;  // packed A: 256 KiB, half of a small L2
constexpr std::int64_t kBlockPanels = 1024 / kPanel;            // packed B: at most 2 MiB
constexpr std::int64_t kBlockRows = kBlockTiles * kTileRows;
constexpr float kNoFloor = -__builtin_inff(), kNoCeiling = __builtin_inff();

std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Floats of packed A for a block of so many rows at most.
std::int64_t packed_a_size(std::int64_t rows, std::int64_t k) {
  return least(kBlockTiles, ceil_div(rows, kTileRows)) * kPackedRows * block_k(k);
}

// Cuts `rows` into tiles that differ by at most one row, so that no tile is left with a slow rest.
struct TileCut {
  std::int64_t tiles, base, extra;
  explicit TileCut(std::int64_t rows) : tiles(ceil_div(rows, kTileRows)), base(rows / tiles), extra(rows % tiles) {}
  std::int64_t begin(std::int64_t tile) const { return tile * base + least(tile, extra); }
  int rows(std::int64_t tile) const { return static_cast<int>(base + (tile < extra ? 1 : 0)); }
};

// One pass over one block of k.
class Pass {
 public:
  Pass(const Blocks& g, std::int64_t k0, std::int64_t k, float* scratch)
      : g_(g),
        k0_(k0),
        k_(k),
        first_(k0 == 0),
        last_(k0 + k >= g.k),
        packed_a_(scratch),
        packed_b_(scratch + packed_a_size(g.row_end - g.row_begin, g.k)) {
    const std::int64_t rows = g.row_end - g.row_begin;
    const std::int64_t panels = panels_of(g.column_end - g.column_begin);
    // Packing A pays when several panels use it, packing B when several tiles do.
    a_in_place_ = g.a.matrix != nullptr && (panels <= 2 || rows == 1);
    b_in_place_ = g.b.packed == nullptr && g.b.brain == nullptr && !g.b.transposed &&
                  rows <= (kTileRows == 14 ? 2 : 4) * kTileRows;
    const GemmEpilogue& e = g.epilogue;
    late_bias_ = g.accumulate ? e.bias : nullptr;
    late_ = last_ && (late_bias_ != nullptr || e.activation > 1);
    floor_ = last_ && !late_ && e.activation == 1 ? 0.0f : kNoFloor;
    ceiling_ = last_ && !late_ ? e.ceiling : kNoCeiling;
  }

  void run() {
    for (std::int64_t column = g_.column_begin; column < g_.column_end; column += kBlockPanels * kPanel) {
      const std::int64_t column_end = least(column + kBlockPanels * kPanel, g_.column_end);
      bool b_ready = false;
      for (std::int64_t row = g_.row_begin; row < g_.row_end;) {
        const std::int64_t left = g_.row_end - row;
        const std::int64_t rows = ceil_div(left, ceil_div(left, kBlockRows));
        run_block(row, rows, column, column_end, b_ready);
        b_ready = true;
        row += rows;
      }
    }
  }

 private:
  void run_block(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t column_end, bool b_ready) {
    const TileCut cut(rows);
    const int most = cut.tiles == 1 ? widest(cut.rows(0)) : 2;
    bool a_ready = a_in_place_;
    for (std::int64_t j = column; j < column_end;) {
      int vecs = most;
      while (vecs > 2 && j + vecs * kLanes > column_end) vecs /= 2;
      const std::int64_t width = least(vecs * kLanes, column_end - j);
      if (width <= kLanes) vecs = 1;
      Tile t{};
      t.k = k_;
      t.floor = floor_;
      t.ceiling = ceiling_;
      set_b(t, j, width, j - column, b_ready);
      for (std::int64_t i = 0; i < cut.tiles; ++i) {
        const std::int64_t at = row + cut.begin(i);
        const int count = cut.rows(i);
        set_a(t, at, count, i, a_ready);
        const TileKernel kernel = tile_kernel(count, vecs, a_in_place_ ? ReadA::kRowMajor : ReadA::kPacked);
        run_tile(t, kernel, at, count, j, width, vecs);
      }
      a_ready = true;
      j += width;
    }
  }

  void set_a(Tile& t, std::int64_t row, int rows, std::int64_t tile, bool ready) {
    if (a_in_place_) {
      t.a = g_.a.matrix + row * g_.a.ld + k0_;
      t.a_stride = g_.a.ld;
      return;
    }
    const int stride = packed_stride(rows);
    float* packed = packed_a_ + tile * kPackedRows * k_;
    if (!ready) g_.a.pack(g_.a.self, row, rows, k0_, k_, packed, stride);
    t.a = packed;
    t.a_stride = stride;
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
    float* packed = packed_b_ + offset * k_;
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
  bool first_, last_, a_in_place_, b_in_place_, late_;  // late: the tile is finished by a pass of its own
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

std::size_t blocks_scratch(std::int64_t rows, std::int64_t columns, std::int64_t k, bool pack_b) {
  const std::int64_t a = packed_a_size(rows, k);
  const std::int64_t b = pack_b ? least(panels_of(columns), kBlockPanels) * kPanel * block_k(k) : 0;
  return rows == 0 || columns == 0 ? 0 : static_cast<std::size_t>(a + b);
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
