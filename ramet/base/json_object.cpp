#include <sys/random.h>

#include <algorithm>
#include <cstring>

#include "ramet/base/error.h"
#include "ramet/base/json.h"

namespace ramet {
namespace {

constexpr std::size_t kFew = 16;  // keys that are quicker compared than hashed
constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
__extension__ using Wide = unsigned __int128;

// Where the polynomials below are taken: drawn once per process.
std::uint64_t secret_point() {
  static const std::uint64_t point = [] {
    std::uint64_t drawn = 0;
    if (getentropy(&drawn, sizeof drawn) != 0) drawn = reinterpret_cast<std::uintptr_t>(&drawn) * 0x9E3779B97F4A7C15u;
    return drawn % (kPrime - 256) + 256;
  }();
  return point;
}

// A key as a polynomial modulo 2^61 - 1 at a point that nobody knows. Two keys meet for at most as many points as they
// have pieces, so no file can be written whose keys all meet, as they can for std::hash.
std::uint64_t hash_of(std::string_view key) {
  const std::uint64_t point = secret_point();
  std::uint64_t hash = key.size();
  for (std::size_t at = 0; at < key.size(); at += 7) {
    std::uint64_t piece = 0;
    std::memcpy(&piece, key.data() + at, std::min<std::size_t>(7, key.size() - at));
    const Wide next = Wide{hash + piece} * point;  // at most 2^62 by 2^61. The last piece, too, must meet the point
    hash = static_cast<std::uint64_t>(next & kPrime) + static_cast<std::uint64_t>(next >> 61);
    hash = (hash & kPrime) + (hash >> 61);
    if (hash >= kPrime) hash -= kPrime;
  }
  return hash;
}

}  // namespace

JsonObject::JsonObject(std::initializer_list<Entry> entries) {
  for (const auto& [key, value] : entries) set(key, value);
}

// The table holds places plus one, 0 for none, and is never more than half full. What meets stands in the next free
// slot.
void JsonObject::index_all() {
  keys_.table_.reset();
  if (entries_.size() <= kFew) return;
  std::size_t slots = 4 * kFew;
  while (slots < 4 * entries_.size()) slots *= 2;
  keys_.table_ = std::make_unique<JsonKeys::Table>(slots, 0);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t at = hash_of(entries_[i].first) & (slots - 1);
    while ((*keys_.table_)[at] != 0) at = (at + 1) & (slots - 1);
    (*keys_.table_)[at] = static_cast<std::uint32_t>(i + 1);
  }
}

void JsonObject::index_last() {
  if (entries_.size() <= kFew) return;
  ensure(entries_.size() < UINT32_MAX, "a JSON object of ", entries_.size(), " keys");
  if (!keys_.table_ || 2 * entries_.size() > keys_.table_->size()) return index_all();
  const std::size_t last = keys_.table_->size() - 1;
  std::size_t at = hash_of(entries_.back().first) & last;
  while ((*keys_.table_)[at] != 0) at = (at + 1) & last;
  (*keys_.table_)[at] = static_cast<std::uint32_t>(entries_.size());
}

const Json* JsonObject::find(std::string_view key) const {
  if (!keys_.table_) {
    const auto found = std::find_if(begin(), end(), [&](const Entry& entry) { return entry.first == key; });
    return found == end() ? nullptr : &found->second;
  }
  const JsonKeys::Table& table = *keys_.table_;
  for (std::size_t at = hash_of(key) & (table.size() - 1); table[at] != 0; at = (at + 1) & (table.size() - 1))
    if (const Entry& entry = entries_[table[at] - 1]; entry.first == key) return &entry.second;
  return nullptr;
}

Json* JsonObject::find(std::string_view key) { return const_cast<Json*>(std::as_const(*this).find(key)); }

const Json& JsonObject::at(std::string_view key) const {
  const Json* value = find(key);
  if (!value) throw DataError(cat("JSON: the key '", key, "' is missing from an object of ", size(), " keys"));
  return *value;
}

Json& JsonObject::at(std::string_view key) { return const_cast<Json&>(std::as_const(*this).at(key)); }

Json& JsonObject::operator[](std::string_view key) {
  if (Json* value = find(key)) return *value;
  append(std::string(key), Json());
  return entries_.back().second;
}

void JsonObject::set(std::string_view key, Json value) { (*this)[key] = std::move(value); }

bool JsonObject::erase(std::string_view key) {
  if (!find(key)) return false;
  std::erase_if(entries_, [&](const Entry& entry) { return entry.first == key; });
  index_all();
  return true;
}

void JsonObject::append(std::string key, Json value) {
  entries_.emplace_back(std::move(key), std::move(value));
  index_last();
}

bool operator==(const JsonObject& a, const JsonObject& b) {
  if (a.size() != b.size()) return false;
  return std::all_of(a.begin(), a.end(), [&](const JsonObject::Entry& entry) {
    const Json* other = b.find(entry.first);
    return other && *other == entry.second;
  });
}

}  // namespace ramet
