#include "ramet/base/quoted.h"

#include <doctest/doctest.h>

#include <iomanip>
#include <sstream>

using namespace ramet;

TEST_CASE("quoted: readable text stays as it is") {
  CHECK(quoted("") == "''");
  CHECK(quoted("layers/größe 1") == "'layers/größe 1'");
}

TEST_CASE("quoted: nothing can break the line or the terminal") {
  CHECK(quoted(std::string("a\0b\n\x1b[2J\x7f", 9)) == "'a\\x00b\\x0a\\x1b[2J\\x7f'");
  CHECK(quoted("\xff\xc3") == "'\\xff\\xc3'");
  CHECK(quoted("\xe2\x80\xae") == "'\\xe2\\x80\\xae'");  // right-to-left override
  CHECK(quoted(std::string(1000, 'x')).size() < 210);
}

TEST_CASE("quoted: std::quoted does not come in its place where <iomanip> is included") {
  const std::string text = "a\nb";
  std::ostringstream out;
  out << quoted(text);
  CHECK(out.str() == "'a\\x0ab'");
}
