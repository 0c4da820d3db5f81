#include "ramet/base/messages.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace ramet;

TEST_CASE("Messages go to the handler that was set last, and to stderr again after it was taken away") {
  std::vector<std::string> first, second;
  const MessageHandler none =
      set_message_handler([&](MessageKind, std::string_view text) { first.emplace_back(text); });
  CHECK(!none);
  CHECK(has_message_handler());
  say(MessageKind::warning, "one\n");
  const MessageHandler before = set_message_handler([&](MessageKind kind, std::string_view text) {
    CHECK(kind == MessageKind::progress);
    second.emplace_back(text);
  });
  say(MessageKind::progress, "two\n");
  before(MessageKind::info, "three\n");
  set_message_handler(nullptr);
  CHECK(!has_message_handler());
  CHECK(first == std::vector<std::string>{"one\n", "three\n"});
  CHECK(second == std::vector<std::string>{"two\n"});
}

TEST_CASE("A handler may cause a message itself") {
  int depth = 0;
  set_message_handler([&](MessageKind, std::string_view) {
    if (++depth < 3) say(MessageKind::info, "again\n");
  });
  say(MessageKind::info, "begin\n");
  set_message_handler(nullptr);
  CHECK(depth == 3);
}
