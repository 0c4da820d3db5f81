// ramet plot: a picture of the graph.
#include <iostream>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/graphviz.h"
#include "cli/plot_graph.h"

namespace ramet::cli {
namespace {

struct DirectionNames {
  static constexpr std::string_view what = "direction", names[] = {"TB", "LR"};
};

struct PlotArgs {
  std::string model, out;
  Choice<DirectionNames> rankdir = "TB";
  std::int64_t dpi = 144;
};
using F = Flags<PlotArgs>;
constexpr Option kOptions[] = {
    F::argument<&PlotArgs::model>("MODEL", "a model file"),
    F::argument<&PlotArgs::out>("OUT", "gets the picture: .svg, .png, .dot or .mmd (Mermaid); without it dot on stdout",
                                false),
    F::flag<&PlotArgs::rankdir>("--rankdir", "TB|LR", "downwards (the default) or to the right"),
    F::flag<&PlotArgs::dpi>("--dpi", "N", "points per inch of a .png (144)"),
};

int plot(const PlotArgs& args) {
  const std::string_view kind =
      args.out.empty() ? ".dot" : extension_of(args.out, "OUT", {".svg", ".png", ".dot", ".mmd"});
  if (!args.out.empty()) check_writable(args.out);
  const PlotGraph graph = plot_graph(open_model(args.model));
  if (kind == ".mmd") {
    write_file(args.out, to_mermaid(graph, args.rankdir.name()));
    return 0;
  }
  // Graphviz makes an .svg of `dpi` points larger than its text; 72 is its own measure.
  const std::string dot = to_dot(graph, args.rankdir.name(), kind == ".png" ? args.dpi : 72);
  if (args.out.empty())
    std::cout << dot;
  else
    write_file(args.out, kind == ".dot" ? dot : run_graphviz(dot, std::string(kind.substr(1))));
  return 0;
}

}  // namespace

constinit const Command plot_command{"plot",
                                     "a picture of the graph: .svg, .png, Graphviz' .dot or Mermaid's .mmd",
                                     kOptions,
                                     "ramet plot model.keras model.svg\n"
                                     "ramet plot model.keras model.mmd\n"
                                     "ramet plot model.keras | dot -Tpdf -o model.pdf",
                                     "",
                                     &run_with<PlotArgs, plot>};

}  // namespace ramet::cli
