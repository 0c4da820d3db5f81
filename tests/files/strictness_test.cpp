// 2,000 changed configs with Keras' verdict on each (tools/attacks/verdicts.py): what Keras refuses is refused, and
// what it takes is taken unless it is one of the few things that a file should not say.
#include <doctest/doctest.h>

#include <cstdlib>

#include "tests/support/attacks.h"

namespace ramet::testing {
namespace {

// The object or list that holds what a JSON pointer names, and the last part of the pointer.
std::pair<Json*, std::string> holder(Json& document, const std::string& pointer) {
  Json* at = &document;
  std::size_t begin = 1;
  for (std::size_t slash; (slash = pointer.find('/', begin)) != pointer.npos; begin = slash + 1) {
    const std::string key = pointer.substr(begin, slash - begin);
    at = at->is_array() ? &at->as_array().at(std::stoul(key)) : &at->as_object().at(key);
  }
  return {at, pointer.substr(begin)};
}

Json& value_at(Json& document, const std::string& pointer) {
  auto [at, key] = holder(document, pointer);
  return at->is_array() ? at->as_array().at(std::stoul(key)) : at->as_object().at(key);
}

Json edited(Json document, const JsonArray& edit) {
  const std::string &what = edit[0].as_string(), &pointer = edit[1].as_string();
  if (what == "set") value_at(document, pointer) = edit[2];
  if (what == "copy") {
    const Json copy = value_at(document, edit[2].as_string());
    value_at(document, pointer) = copy;
  }
  if (what == "drop" || what == "rename") {
    const Json value = value_at(document, pointer);
    auto [at, key] = holder(document, pointer);
    at->as_object().erase(key);
    if (what == "rename") at->as_object().set(edit[2].as_string(), value);
  }
  return document;
}

// What is said of a config; empty when it is taken.
std::string refusal(const Json& config) {
  try {
    Model::from_json(config.dump(), std::uint64_t{64} << 20);
    return {};
  } catch (const DataError& error) {
    CHECK(is_one_short_line(error.what()));
    return error.what();
  }
}

}  // namespace

TEST_CASE("strictness: of 2000 changed configs, Keras' verdict or a refusal for 95 of 100") {
  std::vector<Json> bases;
  std::size_t count = 0, same = 0, stricter = 0, laxer = 0;
  const bool tell = std::getenv("RAMET_TELL") != nullptr;
  for (const Json& line : attack_table("verdicts.jsonl")) {
    if (const Json* base = line.as_object().find("base")) {
      CHECK(refusal(*base) == "");
      bases.push_back(*base);
      continue;
    }
    const Json& edit = line.at("edit");
    const bool keras = line.at("keras").as_bool();
    const std::string said = refusal(edited(bases[static_cast<std::size_t>(line.at("of").as_int())], edit.as_array()));
    const bool taken = said.empty();
    ++count, same += taken == keras, stricter += keras && !taken, laxer += taken && !keras;
    if (tell && taken != keras) MESSAGE((taken ? "LAXER " : "STRICTER "), edit.dump(), " ", said);
  }
  CHECK(count == 2000);
  CHECK((same + stricter) * 100 >= count * 95);
  CHECK(same * 100 >= count * 85);
  if (tell) MESSAGE("same ", same, ", stricter ", stricter, ", laxer ", laxer);
}

}  // namespace ramet::testing
