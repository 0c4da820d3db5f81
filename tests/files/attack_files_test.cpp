// Every attack file through every door: one DataError that says where, soon, in little memory, and no other file
// opened.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <functional>

#include "tests/support/attacks.h"

namespace ramet::testing {
namespace {

// Of the processor, for one file through one door. The slowest hold 100,001 layers; a sanitizer makes them ten times
// slower.
#ifdef __SANITIZE_ADDRESS__
constexpr double kMostSeconds = 30;
#else
constexpr double kMostSeconds = 3;
#endif

// The sound model that the attacks bend: "x", a Dense of 3 units, on "in" of 4.
Model sound_model() {
  const auto in = Input({4}, {.name = "in"});
  return Model(in, Dense(3, {}, {.name = "x"})(in), {.name = "m"});
}

// An optimizer, loss or metric that is not known would only be warned of.
const LoadOptions kStrict{.strict = true};

struct Door {
  const char* name;
  std::function<void()> open;
};

// Opens what is attacked, and watches.
class Siege {
 public:
  const TemporaryFolder folder;
  const Secret secret{folder / "secret"}, linked{folder / "secret.h5"};
  const Model model = sound_model();
  Parts sound;

  Siege() {
    model.save_weights(folder / "sound.weights.h5");
    sound = {model.to_json(), R"({"keras_version": "3.15.1"})", content_of(folder / "sound.weights.h5")};
    std::filesystem::create_directory(folder / "unpacked");
  }

  std::vector<Door> doors_for(const Parts& parts) const {
    const std::string archive = archive_of(parts);
    put(folder / "m.keras", archive);
    put(folder / "unpacked/config.json", parts.config);
    put(folder / "unpacked/metadata.json", parts.metadata);
    put(folder / "unpacked/model.weights.h5", parts.weights);
    return {{"archive", [this] { load_model(folder / "m.keras", kStrict); }},
            {"memory", [archive] { load_model(bytes_of(archive), kStrict); }},
            {"folder", [this] { load_model(folder / "unpacked", kStrict); }}};
  }

  std::vector<Door> doors_for_legacy(const std::string& file) const {
    put(folder / "m.h5", file);
    return {{"older file", [this] { load_model(folder / "m.h5", kStrict); }},
            {"older file in memory", [file] { load_model(bytes_of(file), kStrict); }}};
  }

  std::vector<Door> doors_for_weights(const std::string& weights) const {
    Parts parts = sound;
    parts.weights = weights;
    auto doors = doors_for(parts);
    put(folder / "w.weights.h5", weights);
    put(folder / "w.weights.json", R"({"weight_map": {"/layers/dense/vars": "w.weights.h5"}})");
    for (const char* name : {"w.weights.h5", "w.weights.json", "m.keras"})
      doors.push_back({name, [this, name] { sound_model().load_weights(folder / name); }});
    return doors;
  }

  // What was said; empty when it was opened. Whatever is no DataError fails the test.
  std::string refusal(const Door& door) const {
    (void)secret.opened(), (void)linked.opened();
    alarm(600);  // whatever waits for ever ends the test program
    const std::clock_t begin = std::clock();
    std::string said;
    try {
      door.open();
    } catch (const DataError& error) { said = error.what(); } catch (const std::exception& error) {
      FAIL_CHECK("another kind of error: ", std::string(error.what()));
    }
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    CHECK(seconds < kMostSeconds);
    if (seconds > 0.3 && std::getenv("RAMET_TELL")) MESSAGE(seconds, " s for ", said.substr(0, 200));
    CHECK(is_one_short_line(said));
    alarm(0);
    CHECK_FALSE(secret.opened());
    CHECK_FALSE(linked.opened());
    return said;
  }

  void expect(const std::vector<Door>& doors, const std::vector<std::string>& pieces) const {
    for (const Door& door : doors) {
      CAPTURE(std::string(door.name));
      const std::string said = refusal(door);
      CHECK_FALSE(said.empty());
      for (const auto& piece : pieces)
        if (said.find(piece) == said.npos) FAIL_CHECK("'", piece, "' is not in: ", said.substr(0, 400));
    }
  }
};

// The optimizer stands under another key in the older form.
std::string training_config_of(const Json& compile) {
  JsonObject out = compile.as_object();
  if (const Json* optimizer = compile.as_object().find("optimizer")) {
    out.set("optimizer_config", *optimizer);
    out.erase("optimizer");
  }
  return Json(out).dump();
}

long peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// A sanitizer keeps freed memory, so nothing is said there.
void check_memory([[maybe_unused]] long before, [[maybe_unused]] long megabytes) {
#ifndef __SANITIZE_ADDRESS__
  CHECK((peak_kilobytes() - before) / 1024 < megabytes);
#endif
}

}  // namespace

TEST_CASE("attack files: what is not attacked opens through every door") {
  const Siege siege;
  auto doors = siege.doors_for_weights(siege.sound.weights);
  for (auto& door : siege.doors_for_legacy(legacy_of(siege.model, siege.sound.config, ""))) doors.push_back(door);
  doors.push_back({"text", [&] { Model::from_json(siege.sound.config); }});
  for (const Door& door : doors) {
    CAPTURE(std::string(door.name));
    CHECK(siege.refusal(door) == "");
  }
  (void)content_of(siege.folder / "secret");
  CHECK(siege.secret.opened());  // so it would have been noticed
}

TEST_CASE("attack files: every attack on the texts of a model is refused through every door") {
  const Siege siege;
  std::size_t count = 0;
  const long before = peak_kilobytes();
  for (const Json& attack : attack_table("configs.jsonl")) {
    CAPTURE(attack.at("name").as_string());
    Parts parts = siege.sound;
    std::string training;
    const bool metadata = attack.as_object().contains("metadata");
    if (metadata) parts.metadata = attack_text(attack.at("metadata"));
    if (const Json* text = attack.as_object().find("text")) parts.config = attack_text(*text);
    if (const Json* config = attack.as_object().find("config")) {
      parts.config = config->dump();
      if (const std::size_t at = parts.config.find("@SECRET@"); at != std::string::npos)
        parts.config.replace(at, 8, siege.folder / "secret");
    }
    if (const Json* compile = attack.as_object().find("compile")) {
      JsonObject whole = Json::parse(parts.config).as_object();
      whole.set("compile_config", *compile);
      parts.config = Json(whole).dump();
      training = training_config_of(*compile);
    }
    auto doors = siege.doors_for(parts);
    if (!metadata)
      for (auto& door : siege.doors_for_legacy(legacy_of(siege.model, parts.config, training))) doors.push_back(door);
    if (!metadata && training.empty())
      doors.push_back({"text", [&] { Model::from_json(parts.config, std::uint64_t{64} << 20); }});
    siege.expect(doors, {attack.at("at").as_string(), attack.at("says").as_string()});
    ++count;
  }
  CHECK(count >= 300);
  check_memory(before, 512);  // the largest are texts of 17 MB and 100,001 layers
}

TEST_CASE("attack files: every whole file is refused through every door") {
  const Siege siege;
  std::size_t count = 0;
  const long before = peak_kilobytes();
  for (const Json& attack : attack_table("files.jsonl")) {
    const std::string& name = attack.at("name").as_string();
    const std::string& kind = attack.at("kind").as_string();
    CAPTURE(name);
    const std::string file = attack_file(name);
    std::vector<Door> doors;
    if (kind == "weights")
      doors = siege.doors_for_weights(file);
    else {
      put(siege.folder / name, file);
      doors = {{"file", [&] { load_model(siege.folder / name, kStrict); }},
               {"memory", [&] { load_model(bytes_of(file), kStrict); }}};
      if (kind == "legacy") doors.push_back({"weights", [&] { sound_model().load_weights(siege.folder / name); }});
    }
    siege.expect(doors, {attack.at("says").as_string()});
    ++count;
  }
  CHECK(count >= 100);
  check_memory(before, 64);
}

}  // namespace ramet::testing
