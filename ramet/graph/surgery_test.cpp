#include "ramet/graph/surgery.h"

#include <doctest/doctest.h>

namespace ramet {
TEST_CASE("builds") {}
}
