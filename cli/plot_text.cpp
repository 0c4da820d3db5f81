// The texts of a plot: Graphviz' dot and Mermaid.
#include "cli/common.h"
#include "cli/plot_graph.h"
#include "ramet/base/quoted.h"
#include "ramet/base/strings.h"

namespace ramet::cli {
namespace {

// For HTML labels of both languages.
std::string html(std::string_view text) {
  std::string out;
  for (const char c : one_line(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string quoted_id(std::string_view text) {
  std::string out = "\"";
  for (const char c : one_line(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string details(const PlotBox& box) {
  std::vector<std::string> parts;
  if (!box.shapes.empty()) parts.push_back(box.shapes);
  if (box.params > 0) parts.push_back(cat(with_thousands(box.params), box.trainable ? " params" : " params, frozen"));
  if (box.calls > 1) parts.push_back(cat(box.calls, " calls"));
  if (box.is_output) parts.push_back("output");
  return join(parts, " · ");
}

std::string title_of(const PlotGroup& group) {
  return html(group.calls > 1 ? cat(group.title, " · ", group.calls, " calls") : group.title);
}

void dot_group(std::string& out, const PlotGroup& group, const std::string& indent) {
  for (const PlotBox& box : group.boxes) {
    const std::string_view colour = colour_of(box.class_name);
    const std::string below = details(box);
    out += cat(indent, quoted_id(box.id), " [label=<<TABLE BORDER=\"0\" CELLBORDER=\"1\" CELLSPACING=\"0\" ",
               "CELLPADDING=\"5\" COLOR=\"", colour, "\"><TR><TD BGCOLOR=\"", colour, "\"><FONT COLOR=\"white\"><B>",
               html(box.name), "</B>  ", html(box.class_name), "</FONT></TD></TR>",
               below.empty() ? ""
                             : cat("<TR><TD BGCOLOR=\"white\"><FONT COLOR=\"#334155\" POINT-SIZE=\"10\">", html(below),
                                   "</FONT></TD></TR>"),
               "</TABLE>>];\n");
  }
  for (const PlotGroup& inner : group.groups) {
    out += cat(indent, "subgraph ", quoted_id("cluster_" + inner.id), " {\n", indent, "  label=<<B>", title_of(inner),
               "</B>>; style=\"rounded,filled\"; color=\"#94a3b8\"; fillcolor=\"#f1f5f9\"; fontcolor=\"#334155\"; ",
               "labelloc=t; labeljust=l; fontsize=11; margin=14;\n");
    dot_group(out, inner, indent + "  ");
    out += indent + "}\n";
  }
}

void mermaid_group(std::string& out, const PlotGroup& group, std::map<std::string, std::string>& ids,
                   std::map<std::string_view, std::string>& classes, const std::string& indent) {
  for (const PlotBox& box : group.boxes) {
    const std::string id = cat("n", ids.size());
    ids[box.id] = id;
    const std::string_view colour = colour_of(box.class_name);
    if (!classes.contains(colour)) classes[colour] = cat("c", classes.size());
    const std::string below = details(box);
    out += cat(indent, id, "[\"<b>", html(box.name), "</b> ", html(box.class_name), below.empty() ? "" : "<br/>",
               html(below), "\"]:::", classes[colour], "\n");
  }
  for (const PlotGroup& inner : group.groups) {
    out += cat(indent, "subgraph g", ids.size(), " [\"", title_of(inner), "\"]\n");
    mermaid_group(out, inner, ids, classes, indent + "  ");
    out += indent + "end\n";
  }
}

}  // namespace

std::string to_dot(const PlotGraph& graph, std::string_view rankdir, std::int64_t dpi) {
  std::string out =
      cat("digraph ", quoted_id(graph.top.title), " {\n  rankdir=", rankdir, "; dpi=", dpi,
          "; bgcolor=\"white\"; nodesep=0.35; ranksep=0.65; pad=0.25;\n",
          "  fontname=\"Helvetica\"; fontsize=13; labelloc=t; label=<<B>", html(graph.top.title),
          "</B>>; fontcolor=\"#0f172a\";\n", "  node [shape=plain; fontname=\"Helvetica\"; fontsize=11];\n",
          "  edge [color=\"#64748b\"; penwidth=1.4; arrowsize=0.7];\n");
  dot_group(out, graph.top, "  ");
  for (const auto& [from, to] : graph.arrows) out += cat("  ", quoted_id(from), " -> ", quoted_id(to), ";\n");
  return out + "}\n";
}

std::string to_mermaid(const PlotGraph& graph, std::string_view rankdir) {
  std::map<std::string, std::string> ids;  // of a box in the text
  std::map<std::string_view, std::string> classes;
  std::string out = cat("flowchart ", rankdir, "\n");
  mermaid_group(out, graph.top, ids, classes, "  ");
  for (const auto& [from, to] : graph.arrows) out += cat("  ", ids.at(from), " --> ", ids.at(to), "\n");
  for (const auto& [colour, name] : classes)
    out += cat("  classDef ", name, " fill:", colour, ",stroke:", colour, ",color:#fff\n");
  return out;
}

}  // namespace ramet::cli
