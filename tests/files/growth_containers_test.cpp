// The same for what models come in: archives, weights files, the older form, compile states and arrays.
#include "ramet/io/npz.h"
#include "ramet/io/zip_read.h"
#include "tests/support/attacks.h"
#include "tests/support/growth.h"
#include "tests/support/hdf5_files.h"
#include "tests/support/model_text.h"

namespace ramet::testing {
namespace {

const std::string kDense = R"("units": 4)";
constexpr std::uint64_t kLimit = std::uint64_t{64} << 20;

void open_model(const std::string& file) { (void)load_model(bytes_of(file)); }
void open_zip(const std::string& file) { (void)ZipReader(bytes_of(file), "zip"); }
void open_npz(const std::string& file) { (void)parse_npz(bytes_of(file), "npz", kLimit); }
void open_hdf5(const std::string& file) { hdf5::read_everything(hdf5::open(bytes_of(file))); }

Model side_by_side(std::size_t n) {
  const auto in = Input({4}, {.name = "in"});
  std::vector<Tensor> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(Dense(4, {}, {.name = numbered("x", i)})(in));
  return Model(in, Arg(out), {.name = "m"});
}

Model in_a_row(std::size_t n) {
  const auto in = Input({4}, {.name = "in"});
  Tensor x = in;
  for (std::size_t i = 0; i < n; ++i) x = Dense(4, {}, {.name = numbered("x", i)})(x);
  return Model(in, x, {.name = "m"});
}

// An archive around the config of a model, with weights for it and this compile state.
std::string archive_with(const Model& model, const std::string& compile, const std::string& metadata = "{}") {
  const TemporaryFolder folder;
  model.save_weights(folder / "w.weights.h5");
  std::string config = model.to_json();
  if (!compile.empty()) config = cat(config.substr(0, config.size() - 1), R"(, "compile_config": )", compile, "}");
  return archive_of({config, metadata, content_of(folder / "w.weights.h5")});
}

std::string compiled(std::size_t outputs, const std::string& what) {
  return archive_with(side_by_side(outputs), cat(R"({"optimizer": "sgd", )", what, "}"));
}

std::string zip_of(std::size_t n, const std::function<std::string(std::size_t)>& name) {
  MemorySink sink;
  ZipWriter zip(sink);
  for (std::size_t i = 0; i < n; ++i) zip.add(name(i), {});
  zip.finish();
  return text_of(sink.bytes());
}

std::string npz_of(std::size_t n) {
  MemorySink sink;
  NamedArrays arrays;
  for (std::size_t i = 0; i < n; ++i) arrays.emplace_back(numbered("a", i), Array(Shape{2}, DType::f32));
  write_npz(sink, arrays);
  return text_of(sink.bytes());
}

std::string hdf5_of(std::size_t n, const std::function<void(hdf5::FileWriter&, std::size_t)>& add) {
  static const float kNumbers[4] = {};
  hdf5::FileWriter file;
  file.group("g");
  file.dataset("g/first", DType::f32, {4}, std::as_bytes(std::span(kNumbers)));
  for (std::size_t i = 0; i < n; ++i) add(file, i);
  return text_of(file);
}

// The older form whose list of layers names one group again and again, which lists as many weights.
std::string legacy_repeated(std::size_t n) {
  hdf5::FileWriter file;
  file.attribute("", "keras_version", "3.15.1");
  file.attribute("", "model_config", side_by_side(1).to_json());
  file.group("model_weights/x0");
  file.attribute("model_weights", "layer_names", std::span<const std::string>(std::vector<std::string>(n, "x0")));
  file.attribute("model_weights/x0", "weight_names", std::span<const std::string>(std::vector<std::string>(n, "w")));
  return text_of(file);
}

std::string list(std::size_t n, const std::string& text) {
  return list_of(n, [&](std::size_t) { return text; });
}
std::string named_outputs(std::size_t n, const std::string& text) {
  return cat("{", pieces(n, [&](std::size_t i) { return cat("\"x", i, "\": ", text); }), "}");
}

}  // namespace

TEST_CASE("growth: members, groups, datasets and attributes take work in proportion to their number") {
  static const float kNumbers[4] = {};
  const auto dataset = [](hdf5::FileWriter& file, const std::string& path) {
    file.dataset(path, DType::f32, {4}, std::as_bytes(std::span(kNumbers)));
  };
  const std::vector<Countable> all = {
      {"members of an archive", 500, [](auto n) { return zip_of(n, [](auto i) { return numbered("m", i); }); },
       open_zip},
      {"letters of a member's name", 100, [](auto n) { return zip_of(1, [&](auto) { return std::string(n, 'm'); }); },
       open_zip},
      {"arrays of an archive", 200, npz_of, open_npz},
      {"groups", 200, [](auto n) { return hdf5_of(n, [](auto& file, auto i) { file.group(numbered("g/", i)); }); },
       open_hdf5},
      {"datasets of a group", 200,
       [&](auto n) { return hdf5_of(n, [&](auto& file, auto i) { dataset(file, numbered("g/", i)); }); }, open_hdf5},
      {"groups in groups", 50,
       [](auto n) {
         std::string path = "g";
         return hdf5_of(n, [&](auto& file, auto) { file.group(path += "/g"); });
       },
       open_hdf5},
      {"attributes of a group", 100,
       [](auto n) { return hdf5_of(n, [](auto& file, auto i) { file.attribute("g", numbered("a", i), "text"); }); },
       open_hdf5},
      {"letters of an attribute", 8000,
       [](auto n) { return hdf5_of(1, [&](auto& file, auto) { file.attribute("g", "a", std::string(n, 'a')); }); },
       open_hdf5},
      {"texts of an attribute", 200,
       [](auto n) {
         return hdf5_of(1, [&](auto& file, auto) {
           file.attribute("g", "a", std::span<const std::string>(std::vector<std::string>(n, "text")));
         });
       },
       open_hdf5},
      {"layers of an archive side by side", 50, [](auto n) { return archive_with(side_by_side(n), ""); }, open_model},
      {"layers of an archive in a row", 50, [](auto n) { return archive_with(in_a_row(n), ""); }, open_model},
      {"keys of the metadata", 1000, [](auto n) { return archive_with(side_by_side(1), "", keys(n, "1")); },
       open_model},
      {"layers of the older form", 50,
       [](auto n) {
         const Model m = side_by_side(n);
         return legacy_of(m, m.to_json(), "");
       },
       open_model},
      {"layers and weights of the older form that are one", 200, legacy_repeated, open_model},
  };
  for (const Countable& c : all) check_growth(c);
}

TEST_CASE("growth: losses, metrics and options of a compile state take work in proportion to their number") {
  const std::vector<Countable> all = {
      {"outputs with one loss", 50, [](auto n) { return compiled(n, R"("loss": "mse")"); }},
      {"losses", 50, [](auto n) { return compiled(n, cat(R"("loss": )", list(n, "\"mse\""))); }},
      {"losses by name", 50, [](auto n) { return compiled(n, cat(R"("loss": )", named_outputs(n, "\"mse\""))); }},
      {"loss weights", 50,
       [](auto n) { return compiled(n, cat(R"("loss": "mse", "loss_weights": )", list(n, "0.5"))); }},
      {"metrics", 100, [](auto n) { return compiled(1, cat(R"("loss": "mse", "metrics": )", list(n, "\"mae\""))); }},
      {"lists of metrics", 50,
       [](auto n) { return compiled(n, cat(R"("loss": "mse", "metrics": )", list(n, "[\"mae\"]"))); }},
      {"keys of an optimizer", 1000,
       [](auto n) {
         return archive_with(side_by_side(1), cat(R"({"loss": "mse", "optimizer": {"class_name": "SGD", "config": )",
                                                  keys(n, "null"), "}}"));
       }},
      {"keys of a compile state", 1000,
       [](auto n) { return archive_with(side_by_side(1), keys(n, "null", R"("loss": "mse", "optimizer": "sgd")")); }},
      {"steps of a schedule", 500,
       [](auto n) {
         const std::string steps = list_of(n, [](auto i) { return std::to_string(i + 1); });
         return archive_with(
             side_by_side(1),
             cat(R"({"loss": "mse", "optimizer": {"class_name": "SGD", "config": {"learning_rate": {"class_name": "PiecewiseConstantDecay", "config": {"boundaries": )",
                 steps, R"(, "values": )", list(n + 1, "0.5"), "}}}}}"));
       }},
  };
  for (Countable c : all) {
    c.open = open_model;
    check_growth(c);
  }
}

}  // namespace ramet::testing
