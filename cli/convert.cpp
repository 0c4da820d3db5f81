// ramet convert: from one file format to another.
#include "cli/commands.h"
#include "cli/common.h"

namespace ramet::cli {
namespace {

struct ConvertArgs {
  std::string model, out;
  std::optional<std::string> load_weights;
};
using F = Flags<ConvertArgs>;
constexpr Option kOptions[] = {
    F::argument<&ConvertArgs::model>("MODEL", "a model file"),
    F::argument<&ConvertArgs::out>("OUT",
                                   "its extension says what is written: .keras, .h5, .weights.h5, .weights.json"),
    F::flag<&ConvertArgs::load_weights>("--load-weights", "W",
                                        "weights to put in first: .weights.h5, .weights.json, .h5 or .keras"),
};

int convert(const ConvertArgs& args) {
  const auto kind = extension_of(args.out, "OUT", {".keras", ".h5", ".weights.h5", ".weights.json"});
  if (args.load_weights)
    extension_of(*args.load_weights, "--load-weights", {".weights.h5", ".weights.json", ".h5", ".hdf5", ".keras"});
  check_writable(args.out);
  Model model = open_model(args.model, Compile::if_possible);
  if (args.load_weights) model.load_weights(*args.load_weights);
  if (kind.starts_with(".weights"))
    model.save_weights(args.out);
  else
    model.save(args.out);
  say(cat("saved ", args.out));
  return 0;
}

}  // namespace

constinit const Command convert_command{"convert",
                                        "write a model, or its weights alone, in another format",
                                        kOptions,
                                        "ramet convert old.h5 new.keras\n"
                                        "ramet convert model.keras model.weights.h5\n"
                                        "ramet convert model.keras with.keras --load-weights epoch3.weights.h5",
                                        "",
                                        &run_with<ConvertArgs, convert>};

}  // namespace ramet::cli
