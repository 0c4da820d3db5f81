// The micro-kernel of every product: a tile of C kept in registers while k runs. For *_simd.cpp files only.
#pragma once
#include "ramet/backend/cpu/simd.h"

namespace ramet::cpu::RAMET_SIMD {

// A tile has at most kTileRows rows; packed B comes in panels of kPanel = two vectors.
#if defined(RAMET_SIMD_avx512)
inline constexpr int kTileRows = 14;  // 28 sums + 2 of B + 1 of A in 32 registers
#elif defined(RAMET_SIMD_avx2)
inline constexpr int kTileRows = 6;  // 12 + 2 + 1 in 16
#else
inline constexpr int kTileRows = 4;  // 8 + 2 + 1, and a product, for there is no FMA
#endif
inline constexpr int kPanel = 2 * kLanes;
// A packed block of A holds its rows in groups of four, so that it is written by 4 x 4 transposes.
inline constexpr int kPackedRows = (kTileRows + 3) / 4 * 4;

// Steps of k that touch in A and in B.
struct Run {
  std::int64_t a, b;  // offsets from Tile::a and Tile::b
  std::int64_t length;
  std::int64_t skip;  // the first (> 0) or last (< 0) rows, at most kMostSkipped of them, take no part: A is zero there
};
inline constexpr int kMostSkipped = 2;
constexpr bool can_skip(int rows) { return rows >= 4; }

// C(i, j) = min(ceiling, max(floor, init(i, j) + sum over k of A(i, k) B(k, j) + residual(i, j))), k being a list of
// runs. The sum starts at zero, goes in their order and is then added: an element gets the same bits from every tile
// shape, and the error of a long k cut into blocks grows with the length and the number of the blocks, not with their
// product.
struct Tile {
  const Run* run;
  std::int64_t runs;
  const float* a;
  std::int64_t a_stride;  // between rows when A is read row-major, between steps of k when it is packed
  const float* b;
  std::int64_t b_stride;      // between steps of k
  std::int64_t panel_stride;  // between panels, when the tile spans several
  // What the tiles after this one read, a line for every step of k: the caches may fetch it. Not with kRowsThenNext.
  const float* ahead;
  std::int64_t ahead_stride;
  const float* init;
  std::int64_t init_stride;  // between rows; 0 repeats one row
  float* c;
  std::int64_t c_stride;
  const float* residual;  // with C's stride, or null
  float floor, ceiling;   // -inf and inf; 0 and inf for relu
};

using TileKernel = void (*)(const Tile& tile);

// The same tile again, for what is needed after the loop over k: g++ would otherwise read it all before and keep it in
// vector registers that the sums need.
template <class T>
const T& read_again(const T& tile) {
  const T* again = &tile;
  asm volatile("" : "+r"(again) : : "memory");
  return *again;
}

enum class ReadA {
  kPacked,        // or stored by columns
  kRowMajor,      // where it lies
  kRowsThenNext,  // the same, and the caches fetch its next rows
};

// Few rows take several panels at once, to have enough independent sums: the widest tile that `rows` may have.
constexpr int widest(int rows) { return rows == 1 ? 8 : rows == 2 ? 4 : 2; }

// rows <= kTileRows; vecs is 1, 2, 4 or 8, at most widest(rows).
TileKernel tile_kernel(int rows, int vecs, ReadA read);

}  // namespace ramet::cpu::RAMET_SIMD
