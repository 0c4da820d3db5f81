#include "ramet/base/messages.h"

#include <cstdio>
#include <memory>
#include <mutex>

namespace ramet {
namespace {

struct Hook {
  std::mutex mutex;
  std::shared_ptr<const MessageHandler> handler;
  std::recursive_mutex calling;  // a handler may itself cause a message
};
Hook& hook() {
  static auto& one = *new Hook;  // messages may come while the process ends
  return one;
}

std::shared_ptr<const MessageHandler> current() {
  const std::lock_guard lock(hook().mutex);
  return hook().handler;
}

}  // namespace

MessageHandler set_message_handler(MessageHandler handler) {
  const std::lock_guard lock(hook().mutex);
  MessageHandler before = hook().handler ? *hook().handler : MessageHandler();
  hook().handler = handler ? std::make_shared<const MessageHandler>(std::move(handler)) : nullptr;
  return before;
}

bool has_message_handler() { return current() != nullptr; }

void say(MessageKind kind, std::string_view text) {
  if (const auto handler = current()) {
    const std::lock_guard lock(hook().calling);
    return (*handler)(kind, text);
  }
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace ramet
