#include "ramet/backend/cpu/transpose.h"

#include <vector>

#include "ramet/backend/cpu/every_target.h"

namespace ramet::cpu {

TEST_CASE("transpose: every shape around the block sizes, with padded rows, in one part or several") {
  on_every_target([] {
    for (const std::int64_t rows : {0, 1, 3, 4, 5, 16, 17, 40, 130}) {
      for (const std::int64_t columns : {0, 1, 3, 4, 15, 64, 65, 200}) {
        std::vector<float> x(rows * (columns + 2)), want(columns * (rows + 3), -1.0f);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
        for (std::int64_t r = 0; r < rows; ++r) {
          for (std::int64_t c = 0; c < columns; ++c) want[c * (rows + 3) + r] = x[r * (columns + 2) + c];
        }
        for (const int parts : {1, 3}) {
          std::vector<float> y(want.size(), -1.0f);
          const Transpose t{
              .rows = rows, .columns = columns, .x = x.data(), .ldx = columns + 2, .y = y.data(), .ldy = rows + 3};
          for (int part = 0; part < parts; ++part) transpose_part(t, part, parts);
          CHECK(y == want);
        }
      }
    }
  });
}

}  // namespace ramet::cpu
