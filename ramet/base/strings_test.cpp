#include "ramet/base/strings.h"

#include <doctest/doctest.h>

#include <limits>

#include "ramet/base/error.h"

using namespace ramet;
using Lines = std::vector<std::string>;

TEST_CASE("snake_case: names are Keras' names") {
  const std::pair<const char*, const char*> cases[] = {{"Conv2D", "conv2d"},
                                                       {"Conv2DTranspose", "conv2d_transpose"},
                                                       {"MultiHeadAttention", "multi_head_attention"},
                                                       {"LSTM", "lstm"},
                                                       {"LSTMCell", "lstm_cell"},
                                                       {"PReLU", "p_re_lu"},
                                                       {"ReLU", "re_lu"},
                                                       {"LeakyReLU", "leaky_re_lu"},
                                                       {"ELU", "elu"},
                                                       {"STFTSpectrogram", "stft_spectrogram"},
                                                       {"RMSNormalization", "rms_normalization"},
                                                       {"ConvLSTM2D", "conv_lstm2d"},
                                                       {"GlobalAveragePooling1D", "global_average_pooling1d"},
                                                       {"InputLayer", "input_layer"},
                                                       {"StackedRNNCells", "stacked_rnn_cells"},
                                                       {"UpSampling2D", "up_sampling2d"},
                                                       {"GroupedQueryAttention", "grouped_query_attention"},
                                                       {"TimeDistributed", "time_distributed"},
                                                       {"AbCdEf", "ab_cd_ef"},
                                                       {"aB", "a_b"},
                                                       {"My_Layer", "my__layer"},
                                                       {"my layer<3>", "mylayer3"},
                                                       {"", ""}};
  for (const auto& [class_name, name] : cases) CHECK(snake_case(class_name) == name);
}

TEST_CASE("nearest: a slip of the fingers finds its word") {
  const Lines commands{"summary", "train", "evaluate", "predict", "plot", "clone"};
  CHECK(nearest("trian", commands) == "train");
  CHECK(nearest("Sumary", commands) == "summary");
  CHECK(nearest("evalute", commands) == "evaluate");
  CHECK(nearest("train", commands) == "train");
  CHECK(nearest("serve", commands).empty());
  CHECK(nearest("x", commands).empty());
  CHECK(nearest("", commands).empty());
  CHECK(nearest(std::string(100'000, 'x'), commands).empty());
  const std::vector<std::string_view> activations{"relu", "elu", "selu"};
  CHECK(nearest("rellu", activations) == "relu");
  CHECK(nearest("RELU", activations) == "relu");
  CHECK(nearest("anything", Lines{}).empty());
}

TEST_CASE("join: parts of any kind, with nothing before the first or after the last") {
  CHECK(join(Lines{"a", "b", "c"}) == "a, b, c");
  CHECK(join(std::vector<int>{1, 2}, "×") == "1×2");
  CHECK(join(Lines{"only"}) == "only");
  CHECK(join(Lines{}) == "");
}

TEST_CASE("with_thousands: groups of three from the right") {
  CHECK(with_thousands(0) == "0");
  CHECK(with_thousands(999) == "999");
  CHECK(with_thousands(1000) == "1,000");
  CHECK(with_thousands(1234567) == "1,234,567");
  CHECK(with_thousands(-999) == "-999");
  CHECK(with_thousands(-123456) == "-123,456");
  CHECK(with_thousands(std::numeric_limits<std::int64_t>::min()) == "-9,223,372,036,854,775,808");
}

TEST_CASE("readable_size: Keras' units of 1024 with two decimals") {
  CHECK(readable_size(0) == "0.00 B");
  CHECK(readable_size(1023) == "1023.00 B");
  CHECK(readable_size(1024) == "1.00 KB");
  CHECK(readable_size(56970 * 4) == "222.54 KB");
  CHECK(readable_size(std::int64_t{3} << 30) == "3.00 GB");
  CHECK(readable_size(std::numeric_limits<std::int64_t>::max()) == "8192.00 PB");
}

TEST_CASE("display_width: columns, not bytes") {
  CHECK(display_width("") == 0);
  CHECK(display_width("abc") == 3);
  CHECK(display_width("é€━") == 3);
  CHECK(display_width("e\u0301") == 1);
  CHECK(display_width("漢字") == 4);
  CHECK(display_width("😀") == 2);
  CHECK(display_width("\xff\xfe") == 2);
  CHECK(display_width("a\tb\n") == 2);
}

TEST_CASE("wrap: lines break between words") {
  CHECK(wrap("max_pooling2d (MaxPooling2D)", 23) == Lines{"max_pooling2d", "(MaxPooling2D)"});
  CHECK(wrap("a b c", 5) == Lines{"a b c"});
  CHECK(wrap("aa bb cc", 5) == Lines{"aa bb", "cc"});
  CHECK(wrap("(None, 32, 32, 3)", 9) == Lines{"(None,", "32, 32,", "3)"});
  CHECK(wrap("one\n\ntwo three", 5) == Lines{"one", "", "two", "three"});
  CHECK(wrap("", 5) == Lines{""});
  CHECK(wrap("   └ name", 9) == Lines{"   └ name"});
  CHECK(wrap("ends in spaces   ", 14) == Lines{"ends in spaces"});
}

TEST_CASE("wrap: a word longer than the line is folded, or ends in an ellipsis") {
  CHECK(wrap("abcdefgh", 3) == Lines{"abc", "def", "gh"});
  CHECK(wrap("x abcdefgh y", 4) == Lines{"x", "abcd", "efgh", "y"});
  CHECK(wrap("x abcdef y", 4) == Lines{"x", "abcd", "ef y"});
  CHECK(wrap("x abcdefgh y", 4, LongWord::ellipsis) == Lines{"x", "abc…", "y"});
  CHECK(wrap("漢字漢字", 5) == Lines{"漢字", "漢字"});
  CHECK(wrap("漢字", 1) == Lines{"漢", "字"});
  CHECK(wrap("漢字漢字", 4, LongWord::ellipsis) == Lines{"漢…"});
  CHECK_THROWS_WITH_AS(wrap("a", 0), "wrap: the width must be positive; got 0", UsageError);
}
