// What Ramet writes by itself: progress of training, what callbacks say, warnings. All of it goes through one hook.
#pragma once
#include <functional>
#include <string_view>

namespace ramet {

enum class MessageKind : unsigned char {
  progress,  // of fit, evaluate and predict; on a terminal with what redraws a line
  info,      // what callbacks say when they are verbose
  warning,   // something is probably not meant so
};

// Gets text as it would be written; lines end in '\n'. Called from the threads that call Ramet, one call at a time.
using MessageHandler = std::function<void(MessageKind kind, std::string_view text)>;

// From now on messages go to `handler` instead of stderr; an empty one sets that back. Returns the handler before,
// empty when there was none. Safe from any thread. Progress bars become one line an epoch, since nobody redraws lines
// there.
MessageHandler set_message_handler(MessageHandler handler);
bool has_message_handler();

void say(MessageKind kind, std::string_view text);

}  // namespace ramet
