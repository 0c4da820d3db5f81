// Batches that go through a program in parts.
#pragma once
#include "ramet/ir/program.h"

namespace ramet {

// Whether every output row depends on the same row of the inputs only (and on state): a batch may then be cut.
bool rows_stay_apart(const Program& program);

// Into how many equal parts the batch of a convolutional program is best cut, so that what one layer hands to the next
// is still in the cache. 1 when rows meet, or when nothing is won.
std::int64_t row_slices(const Program& program, int threads);

}  // namespace ramet
