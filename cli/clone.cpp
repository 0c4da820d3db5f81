// ramet clone: the same model on new layers.
#include "ramet/graph/clone.h"

#include "cli/commands.h"
#include "cli/common.h"
#include "ramet/array/random.h"

namespace ramet::cli {
namespace {

struct WeightsNames {
  static constexpr std::string_view what = "kind of weights", names[] = {"fresh", "copy"};
};

struct CloneArgs {
  std::string model, out;
  Choice<WeightsNames> weights = "fresh";
  std::optional<std::uint64_t> seed;
};
using F = Flags<CloneArgs>;
constexpr Option kOptions[] = {
    F::argument<&CloneArgs::model>("MODEL", "a model file"),
    F::argument<&CloneArgs::out>("OUT", "gets the clone: .keras or .h5"),
    F::flag<&CloneArgs::weights>("--weights", "fresh|copy", "initialized anew (the default, Keras' meaning), or equal"),
    F::flag<&CloneArgs::seed>("--seed", "N", "the same number gives the same fresh weights"),
};

int clone(const CloneArgs& args) {
  extension_of(args.out, "OUT", {".keras", ".h5"});
  if (args.out.ends_with(".weights.h5"))
    throw WrongUsage("OUT must name a whole model: .keras or .h5, not .weights.h5");
  check_writable(args.out);
  const Model model = open_model(args.model);
  if (args.seed) set_random_seed(*args.seed);
  const bool copy = args.weights.name() == "copy";
  clone_model(model, {.weights = copy ? Weights::copy : Weights::fresh}).save(args.out);
  say(cat("saved ", args.out, copy ? " with equal weights" : " with fresh weights"));
  return 0;
}

}  // namespace

constinit const Command clone_command{"clone",
                                      "the same architecture on new layers, with fresh or equal weights",
                                      kOptions,
                                      "ramet clone model.keras fresh.keras --seed 7\n"
                                      "ramet clone model.keras twin.keras --weights copy",
                                      "Layers keep their names. The clone is not compiled.",
                                      &run_with<CloneArgs, clone>};

}  // namespace ramet::cli
