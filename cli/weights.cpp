// ramet weights: every weight with its statistics.
#include <cmath>
#include <iostream>

#include "cli/commands.h"
#include "cli/common.h"
#include "ramet/base/strings.h"

namespace ramet::cli {
namespace {

struct WeightsArgs {
  std::string model;
  bool json = false;
};
using F = Flags<WeightsArgs>;
constexpr Option kOptions[] = {
    F::argument<&WeightsArgs::model>("MODEL", "a model file"),
    F::flag<&WeightsArgs::json>("--json", "", "one JSON array"),
};

// Over the finite elements.
struct Statistics {
  double min = 0, max = 0, mean = 0;
  std::int64_t finite = 0, nonfinite = 0;
};

Statistics statistics_of(const Array& a) {
  Statistics s;
  double sum = 0;
  for (const double v : a.to_doubles()) {
    if (!std::isfinite(v)) {
      ++s.nonfinite;
      continue;
    }
    s.min = s.finite ? std::min(s.min, v) : v;
    s.max = s.finite ? std::max(s.max, v) : v;
    sum += v;
    ++s.finite;
  }
  if (s.finite) s.mean = sum / static_cast<double>(s.finite);
  return s;
}

int weights(const WeightsArgs& args) {
  const Model model = open_model(args.model);
  Table table({"weight", ">shape", "dtype", ">parameters", "trainable", ">min", ">max", ">mean", ">non-finite"});
  JsonArray list;
  std::int64_t total = 0;
  for (const auto& v : model.weights()) {
    const Statistics s = statistics_of(v->stored());
    const auto number = [&](double x) { return s.finite ? short_number(x) : std::string("-"); };
    const auto json_number = [&](double x) { return s.finite ? Json(x) : Json(nullptr); };
    total += v->stored().size();
    table.row({v->path, to_string(v->stored().shape()), std::string(keras_name(v->stored().dtype())),
               with_thousands(v->stored().size()), v->trainable ? "yes" : "no", number(s.min), number(s.max),
               number(s.mean), with_thousands(s.nonfinite)});
    list.push_back(Json(JsonObject{{"path", Json(v->path)},
                                   {"shape", shape_json(v->stored().shape())},
                                   {"dtype", Json(std::string(keras_name(v->stored().dtype())))},
                                   {"parameters", Json(v->stored().size())},
                                   {"trainable", Json(v->trainable)},
                                   {"min", json_number(s.min)},
                                   {"max", json_number(s.max)},
                                   {"mean", json_number(s.mean)},
                                   {"nonfinite", Json(s.nonfinite)}}));
  }
  if (args.json)
    print_json(Json(std::move(list)));
  else
    std::cout << table.text() << with_thousands(total) << " parameters in " << model.weights().size() << " weights\n";
  return 0;
}

}  // namespace

constinit const Command weights_command{"weights",
                                        "every weight: path, shape, type, range, and how many values are not finite",
                                        kOptions,
                                        "ramet weights model.keras\n"
                                        "ramet weights model.keras --json | jq '.[] | select(.nonfinite > 0)'",
                                        "",
                                        &run_with<WeightsArgs, weights>};

}  // namespace ramet::cli
