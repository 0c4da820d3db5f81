// How a cluster runs: a body compiled to loops over tiles. Internal to ops/cluster.
#pragma once
#include "ramet/backend/cpu/pointwise.h"
#include "ramet/ir/program.h"

namespace ramet::cpu {

// Elements of a tile, and the most it may have: eight or so live tiles fit the first cache.
constexpr std::int64_t kTile = 512, kMostTile = 1024;

// Where an operand of a micro step lies.
struct Place {
  enum class Kind : unsigned char { input, scalar, output, tile, sum } kind = Kind::tile;
  int index = 0;
  std::size_t size = sizeof(float);  // of an element: also 1 (bool) or 2 (bfloat16)
};

// A tile filled from an input that is smaller than the shape, before the steps run.
struct Fill {
  int input, tile;
  std::size_t size;         // of an element
  Shape step;               // in elements of the input, along the axes of the shape
  std::int64_t period = 0;  // when the input repeats with this period along the flat index; 0 otherwise
  std::int64_t repeat = 0;  // when each element stands for so many in a row; 0 otherwise
  bool once = false;        // the same for every tile: the period divides it
};

struct Micro {
  enum class Kind : unsigned char {
    unary,
    binary,
    loop,  // several of them in one
    compare,
    select,
    logic_and,
    logic_or,
    logic_xor,
    logic_not,
    to_float,  // from bool
    narrow,    // to bfloat16
    widen,     // from bfloat16
    sum_rows   // one number per row of the tile
  } kind;
  UnaryF32 unary = nullptr;
  BinaryF32 binary = nullptr;
  LoopF32 loop = nullptr;
  CompareF32 compare = nullptr;
  SelectF32 select = nullptr;
  NarrowF32 narrow = nullptr;
  WidenF32 widen = nullptr;
  Place a, b, c, to;
  std::vector<Place> operands, results;  // of a loop
  std::int64_t columns = 0;              // of sum_rows
};

// What a cluster does to every tile.
struct TileProgram {
  Shape shape;
  std::int64_t count = 0, tile = kTile;
  std::vector<Fill> fills;
  std::vector<Micro> steps;
  int tiles = 0;
  // Sums over all axes but the last: a tile is a whole number of rows, and every chunk of tiles adds into running sums
  // of its own, one for each element of a tile. Chunks depend on the shape alone, so that bits do not depend on the
  // threads.
  struct Sum {
    int output;
    std::int64_t columns;
  };
  std::vector<Sum> sums;
  std::int64_t chunks = 1;  // of whole tiles
  int parts = 1;            // of chunks
};

TileProgram compile_cluster(const Program& body);

}  // namespace ramet::cpu
