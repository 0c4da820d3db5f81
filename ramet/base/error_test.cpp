#include "ramet/base/error.h"

#include <doctest/doctest.h>

#include "ramet/base/quoted.h"
#include "ramet/base/strings.h"
#include "ramet/base/utf8.h"

using namespace ramet;

TEST_CASE("Error: a short text stays as it is") {
  CHECK(std::string(DataError("Dense 'größe': no such unit").what()) == "Dense 'größe': no such unit");
  CHECK(std::string(InternalError("x").what()) == "internal error of Ramet (please report it): x");
}

TEST_CASE("Error: a text of several lines becomes one, and nothing in it speaks to a terminal") {
  CHECK(std::string(UsageError("sizes:\n\ta\n").what()) == "sizes:  a");
  CHECK(std::string(UsageError("a\x1b[2Jb\xff\xe2\x80\xae").what()) == "a\\x1b[2Jb\\xff\\xe2\\x80\\xae");
}

TEST_CASE("Error: a long text loses its middle, however often words are put before it") {
  std::string what = cat("unknown layer class '", std::string(5000, 'x'), "'; register it");
  for (int i = 0; i < 40; ++i) {
    what = DataError(cat("/layers/", i, ": ", what)).what();
    CHECK(what.size() <= Error::kLongest);
    CHECK(what.starts_with(cat("/layers/", i, ": ")));
    CHECK(what.ends_with("x'; register it"));
    CHECK(what.find("…") == what.rfind("…"));
  }
}

TEST_CASE("Error: a text is not cut inside a character") {
  for (std::size_t n = 300; n < 360; ++n) {
    std::string text(n % 7, 'a');
    for (std::size_t i = 0; i < n; ++i) text += "ß€😀";
    const std::string what = DataError(text).what();
    CHECK(what.size() <= Error::kLongest);
    CHECK(what.size() > Error::kLongest - 12);
    CHECK(is_utf8(what));
  }
}

TEST_CASE("join_some: a long list is cut with a count") {
  const std::vector<std::string> few{"a", "b", "c"}, many(20'000, "in");
  CHECK(join_some(few) == "a, b, c");
  CHECK(join_some(few, " and ", 2) == "a and b and … (3 in all)");
  CHECK(join_some(many, ", ", 3) == "in, in, in, … (20,000 in all)");
}
