// What predict and predictors are given, weights, arrays.
#include "tests/support/misuse.h"

using namespace ramet;

namespace ramet::testing {
namespace {

const Array v = Array::zeros({5, 4});
const Arrays x{v, v};

}  // namespace

std::vector<Misuse> data_misuses() {
  return {
      {"a variable assigned another shape",
       [](Model& m) {
         m.weights()[0]->assign(Array({7, 7}));
       },
       {"variable '", "keeps its shape", "(7, 7)"}},
      {"a variable assigned nothing", [](Model& m) { m.weights()[0]->assign(Array()); }, {"an undefined Array"}},
      {"predict with one array of two", [](Model& m) { m.predict(v); }, {"\"subject\"", "2 input(s)", "1 input"}},
      {"predict with three arrays",
       [](Model& m) {
         m.predict({v, v, v});
       },
       {"\"subject\"", "2 input(s)", "3 input"}},
      {"predict with another size",
       [](Model& m) {
         m.predict({v, Array::zeros({5, 3})});
       },
       {"Input 1 with name 'b'", "'subject'", "shape=(None, 4)", "shape=(5, 3)"}},
      {"predict with another rank",
       [](Model& m) {
         m.predict({v, Array::zeros({5, 2, 4})});
       },
       {"Input 1 with name 'b'", "shape=(None, 4)", "(5, 2, 4)"}},
      {"predict with a scalar",
       [](Model& m) {
         m.predict({v, Array::scalar(1)});
       },
       {"'b'", "scalar"}},
      {"predict with nothing", [](Model& m) { m.predict(Feed()); }, {"predict", "no input data"}},
      {"predict with an undefined array",
       [](Model& m) {
         m.predict({v, Array()});
       },
       {"'b'", "None"}},
      {"predict with float16",
       [](Model& m) {
         m.predict({v, Array({5, 4}, DType::f16)});
       },
       {"'b'", "float16", "float32"}},
      {"predict with different counts",
       [](Model& m) {
         m.predict({v, Array::zeros({4, 4})});
       },
       {"cardinality", "5", "4"}},
      {"predict without an input by name",
       [](Model& m) {
         m.predict({{"a", v}, {"c", v}});
       },
       {"\"b\"", "['a', 'c']", "['a', 'b']"}},
      {"predict with an input nobody knows",
       [](Model& m) {
         m.predict({{"a", v}, {"b", v}, {"c", v}});
       },
       {"'c'", "['a', 'b']"}},
      {"predict with batches of none",
       [](Model& m) { m.predict(x, {.batch_size = 0}); },
       {"predict", "batch_size", "0"}},
      {"predict for no steps", [](Model& m) { m.predict(x, {.steps = 0}); }, {"predict", "steps", "0"}},
      {"one array of two predictions", [](Model& m) { const Array one = m.predict(x); }, {"2", "output"}},
      {"a prediction there is not", [](Model& m) { m.predict(x)[5]; }, {"5", "2"}},
      {"a prediction of a name there is not", [](Model& m) { m.predict(x)["summ"]; }, {"'summ'", "sum, mean"}},
      {"predict with a model nobody built",
       [](Model&) { Sequential(ModelOptions{.name = "seq"}).predict(v); },
       {"seq", "no layers", "model.add(layer)"}},
      {"predict_on_batch with another size",
       [](Model& m) {
         m.predict_on_batch({v, Array::zeros({5, 3})});
       },
       {"'b'", "(5, 3)"}},
      {"a predictor for one shape of two",
       [](Model& m) {
         m.predictor({{1, 4}});
       },
       {"subject", "2", "1"}},
      {"a predictor for another shape",
       [](Model& m) {
         m.predictor({{1, 4}, {1, 5}});
       },
       {"'b'", "(None, 4)", "(1, 5)"}},
      {"a predictor for an unknown batch",
       [](Model& m) {
         m.predictor({{None, 4}, {None, 4}});
       },
       {"predictor", "(None, 4)", "'a'", "known"}},
      {"a predictor called with too little",
       [](Model&) {
         const auto in = Input({4});
         Predictor p = Model(in, Dense(2)(in)).predictor({{1, 4}});
         std::vector<float> a(3), b(2);
         p(a, b);
       },
       {"4", "3"}},
      {"a predictor called with room for too little",
       [](Model&) {
         const auto in = Input({4});
         Predictor p = Model(in, Dense(2)(in)).predictor({{1, 4}});
         std::vector<float> a(4), b(1);
         p(a, b);
       },
       {"2", "1"}},
      {"a predictor of two inputs called with one span",
       [](Model& m) {
         Predictor p = m.predictor({{1, 4}, {1, 4}});
         std::vector<float> a(4), b(2);
         p(a, b);
       },
       {"input"}},
      {"too few weights", [](Model& m) { m.set_weights({v}); }, {"set_weights", "'subject'", "length 1", "6 weights"}},
      {"too many weights",
       [](Model& m) {
         Arrays w = m.get_weights();
         w.push_back(v);
         m.set_weights(w);
       },
       {"set_weights", "'subject'", "length 7", "6 weights"}},
      {"a weight of another shape, after one that fits",
       [](Model& m) {
         Arrays w;
         for (const Array& a : m.get_weights()) w.push_back(Array::full(a.shape(), 7));
         w.back() = v;
         m.set_weights(w);
       },
       {"subject", "(1,)", "(5, 4)"}},
      {"a layer's weight of another shape",
       [](Model& m) {
         m.get_layer("shared")->set_weights({Array::zeros({3, 4}), Array::zeros({3})});
       },
       {"shared", "(4, 3)", "(3, 4)"}},
      {"the weights of a layer nobody built",
       [](Model&) { Dense(3, LayerOptions{.name = "d"})->set_weights({v}); },
       {"'d'", "length 1", "0 weights"}},
      {"an array of more values than its shape",
       [](Model&) {
         Array::of<float>({2}, {1, 2, 3});
       },
       {"(2,)", "2 values", "3"}},
      {"an array read as another type", [](Model&) { (void)Array::zeros({2}).data<double>(); }, {"float32", "float64"}},
      {"an array of a negative size", [](Model&) { Array::zeros({-2}); }, {"(-2,)", "negative"}},
      {"an array reshaped to another total",
       [](Model&) {
         Array::zeros({2, 3}).reshape({4});
       },
       {"(2, 3)", "(4,)"}},
      {"rows there are not",
       [](Model&) {
         Array::zeros({2, 3}).rows(1, 5);
       },
       {"1", "5", "2"}},
      {"an element there is not",
       [](Model&) {
         Array::zeros({2, 3}).at({2, 0});
       },
       {"Array::at", "index 2", "axis 0", "(2, 3)"}},
      {"the only element of several", [](Model&) { Array::zeros({2}).item(); }, {"Array::item", "one element", "(2,)"}},
  };
}

}  // namespace ramet::testing
