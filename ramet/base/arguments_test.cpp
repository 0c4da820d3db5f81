#include "ramet/base/arguments.h"

#include <doctest/doctest.h>

using namespace ramet;

namespace {

struct PaddingNames {
  static constexpr std::string_view what = "padding", names[] = {"valid", "same"};
};
struct Config {
  std::int64_t units = 0;
  std::optional<bool> bias = std::nullopt;
  Choice<PaddingNames> padding = "same";
  std::vector<double> values = {0.5};
  IntOrList size = 3;
  static constexpr auto fields =
      Fields{field("units", &Config::units, positive), field("bias", &Config::bias), field("padding", &Config::padding),
             field("values", &Config::values), field("size", &Config::size)};
};

}  // namespace

TEST_CASE("arguments: a field table tells names, types, rules and defaults") {
  const auto list = arguments_of<Config>();
  REQUIRE(list.size() == 5);
  CHECK(list[0].name == "units");
  CHECK(list[0].rule == "a positive integer");
  CHECK(list[1].type == "bool or None");
  CHECK(list[1].default_value.is_null());
  CHECK(list[2].type == "'valid' | 'same'");
  CHECK(list[2].default_value.as_string() == "same");
  CHECK(list[3].type == "list of float");
  CHECK(list[4].type == "int or list of int");
}

TEST_CASE("arguments: one whose default breaks its own rule must be given") {
  CHECK(arguments_of<Config>()[0].required);
  CHECK_FALSE(arguments_of<Config>()[1].required);
  CHECK(arguments_of<Config>(2)[1].required);
}
