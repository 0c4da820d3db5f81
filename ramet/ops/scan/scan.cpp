#include "ramet/ops/scan/scan.h"

#include "ramet/ir/gradients.h"
#include "ramet/ops/constant/constant.h"
#include "ramet/ops/elementwise/elementwise.h"

namespace ramet::ops {
namespace {

Spec without_first_axis(const Spec& s) { return {Shape(s.shape.begin() + 1, s.shape.end()), s.dtype}; }
Spec with_first_axis(std::int64_t length, const Spec& s) {
  Spec out{{length}, s.dtype};
  out.shape.insert(out.shape.end(), s.shape.begin(), s.shape.end());
  return out;
}

std::vector<Spec> infer(const Attrs& attrs, std::span<const Spec> in) {
  const auto& a = attrs.as<ScanAttrs>();
  const Program& body = *a.body;
  const auto nc = static_cast<std::size_t>(a.carries), ns = static_cast<std::size_t>(a.sequences);
  require(body.inputs().size() == in.size() && body.outputs().size() >= nc && in.size() >= nc + ns,
          "scan: counts of values disagree");
  for (std::size_t i = 0; i < in.size(); ++i) {
    const bool sequence = i >= nc && i < nc + ns;
    require(!sequence || (in[i].rank() >= 1 && in[i].shape[0] == a.length), "scan: sequence ", i, " is ", in[i],
            ", length ", a.length);
    require(body.spec(body.inputs()[i].value) == (sequence ? without_first_axis(in[i]) : in[i]), "scan: body input ",
            i);
  }
  std::vector<Spec> out;
  for (std::size_t i = 0; i < body.outputs().size(); ++i) {
    const Spec& y = body.spec(body.outputs()[i].value);
    require(i >= nc || y == in[i], "scan: carry ", i, " enters as ", in[i < nc ? i : 0], " and leaves as ", y);
    out.push_back(i < nc ? y : with_first_axis(a.length, y));
  }
  for (std::size_t i = 0; i < nc; ++i) out.push_back(with_first_axis(a.length, in[i]));
  return out;
}

// Runs the loop the other way round. Its carries are the gradients of the carries and the sums of those of the
// constants; each step repeats the forward step from the carry that entered it and differentiates that.
Values vjp(const Vjp& v) {
  const auto& a = v.as<ScanAttrs>();
  const Program& body = *a.body;
  Program& program = v.in[0].program();
  const auto nc = static_cast<std::size_t>(a.carries), ns = static_cast<std::size_t>(a.sequences),
             ny = body.outputs().size() - nc;
  const auto floating = [&](std::size_t input) { return is_floating(v.in[input].dtype()); };
  const auto gradient_or_zeros = [&](std::size_t result) {
    return v.d_out[result] ? v.d_out[result] : zeros(program, v.out[result].shape(), v.out[result].dtype());
  };

  Values carries, sequences, constants(v.in.begin() + static_cast<std::ptrdiff_t>(nc + ns), v.in.end());
  for (std::size_t i = 0; i < nc; ++i)
    if (floating(i)) carries.push_back(gradient_or_zeros(i));
  for (std::size_t i = nc + ns; i < v.in.size(); ++i)
    if (floating(i)) carries.push_back(zeros(program, v.in[i].shape(), v.in[i].dtype()));
  for (std::size_t i = 0; i < nc; ++i) sequences.push_back(v.out[nc + ny + i]);  // carries that entered
  for (std::size_t i = 0; i < ns; ++i) sequences.push_back(v.in[nc + i]);        // xs
  for (std::size_t i = 0; i < ny; ++i)
    if (is_floating(v.out[nc + i].dtype())) sequences.push_back(gradient_or_zeros(nc + i));  // gradients of the ys

  const ScanStep step = [&](Program& back, const Values& d, const Values& x, const Values& k) -> ScanResult {
    Values inputs(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(nc + ns));
    inputs.insert(inputs.end(), k.begin(), k.end());
    const Values outputs = inline_program(body, back, inputs);
    Values ys, dys, xs;
    std::size_t dc = 0, dy = nc + ns;
    for (std::size_t i = 0; i < nc; ++i)
      if (floating(i)) ys.push_back(outputs[i]), dys.push_back(d[dc++]);
    for (std::size_t i = 0; i < ny; ++i)
      if (is_floating(outputs[nc + i].dtype())) ys.push_back(outputs[nc + i]), dys.push_back(x[dy++]);
    for (std::size_t i = 0; i < v.in.size(); ++i)
      if (floating(i)) xs.push_back(inputs[i]);
    const Values g = gradients(ys, dys, xs);
    ScanResult result;
    std::size_t at = 0;
    for (std::size_t i = 0; i < v.in.size(); ++i) {
      if (!floating(i)) continue;
      const Value gradient = g[at] ? g[at] : zeros(back, inputs[i].shape(), inputs[i].dtype());
      ++at;
      if (i < nc)
        result.carries.push_back(gradient);
      else if (i < nc + ns)
        result.outputs.push_back(gradient);
      else
        result.carries.push_back(d[dc++] + gradient);
    }
    return result;
  };
  const ScanResult r = scan(carries, sequences, constants, a.length, !a.reverse, step);

  Values out(v.in.size());
  std::size_t carry = 0, y = 0;
  for (std::size_t i = 0; i < v.in.size(); ++i)
    if (floating(i)) out[i] = i >= nc && i < nc + ns ? r.outputs[y++] : r.carries[carry++];
  return out;
}

OpDef define_scan() {
  OpDef def;
  def.name = "scan";
  def.infer = infer;
  def.vjp = vjp;
  def.encode = [](const Attrs& attrs) {
    const auto& a = attrs.as<ScanAttrs>();
    return Json(JsonObject{{"length", Json(a.length)},
                           {"carries", Json(a.carries)},
                           {"sequences", Json(a.sequences)},
                           {"reverse", Json(a.reverse)}});
  };
  def.decode = [](const Json&) -> Attrs { throw DataError("scan: the body is missing"); };
  def.body = [](const Attrs& attrs) { return attrs.as<ScanAttrs>().body.get(); };
  def.decode_with_body = [](const Json& json, std::unique_ptr<Program> body) {
    const JsonObject& o = json.as_object();
    return Attrs::make(ScanAttrs{o.at("length").as_int(), o.at("carries").as_int(), o.at("sequences").as_int(),
                                 o.at("reverse").as_bool(), std::move(body)});
  };
  return def;
}

}  // namespace

const OpDef scan_op = define_scan();

ScanResult scan(const Values& carries, const Values& sequences, const Values& constants, std::int64_t length,
                bool reverse, const ScanStep& step) {
  require(!carries.empty(), "scan: needs at least one carry");
  auto body = std::make_unique<Program>();
  Values all = carries, body_carries, body_x, body_constants;
  const auto enter = [&](const char* kind, std::size_t i, const Spec& spec) { return body->input(cat(kind, i), spec); };
  for (std::size_t i = 0; i < carries.size(); ++i) body_carries.push_back(enter("carry", i, carries[i].spec()));
  for (std::size_t i = 0; i < sequences.size(); ++i)
    body_x.push_back(enter("x", i, without_first_axis(sequences[i].spec())));
  for (std::size_t i = 0; i < constants.size(); ++i)
    body_constants.push_back(enter("constant", i, constants[i].spec()));
  body->device = carries[0].program().device;
  const ScanResult once = step(*body, body_carries, body_x, body_constants);
  require(once.carries.size() == carries.size(), "scan: the step returned ", once.carries.size(), " carries, not ",
          carries.size());
  for (std::size_t i = 0; i < once.carries.size(); ++i) body->output(cat("carry", i), once.carries[i]);
  for (std::size_t i = 0; i < once.outputs.size(); ++i) body->output(cat("y", i), once.outputs[i]);

  all.insert(all.end(), sequences.begin(), sequences.end());
  all.insert(all.end(), constants.begin(), constants.end());
  const ScanAttrs attrs{length, static_cast<std::int64_t>(carries.size()), static_cast<std::int64_t>(sequences.size()),
                        reverse, std::move(body)};
  const Values results = carries[0].program().emit(scan_op, all, Attrs::make(attrs));
  const auto nc = static_cast<std::ptrdiff_t>(carries.size()), ny = static_cast<std::ptrdiff_t>(once.outputs.size());
  return {Values(results.begin(), results.begin() + nc), Values(results.begin() + nc, results.begin() + nc + ny)};
}

}  // namespace ramet::ops
