// The numbers of the zip format that its reader and its writer share.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ramet::zip {

inline constexpr std::uint32_t kLocalHeader = 0x04034B50;
inline constexpr std::uint32_t kDescriptor = 0x08074B50;
inline constexpr std::uint32_t kCentralHeader = 0x02014B50;
inline constexpr std::uint32_t kEnd = 0x06054B50;
inline constexpr std::uint32_t kEnd64 = 0x06064B50;
inline constexpr std::uint32_t kEnd64Locator = 0x07064B50;

// Bytes of the records without their names, extra fields and comments.
inline constexpr std::uint64_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kEnd64Bytes = 56,
                               kEnd64LocatorBytes = 20;

inline constexpr std::uint16_t kFlagEncrypted = 1 << 0, kFlagDescriptor = 1 << 3, kFlagUtf8 = 1 << 11;
inline constexpr std::uint16_t kFlagsLevel = 3 << 1;  // how hard the compressor tried; says nothing to a reader

inline constexpr std::uint16_t kExtraZip64 = 0x0001, kExtraUnicodeName = 0x7075, kExtraAlignment = 0xD935;

// A field with this value stands in the zip64 extra field instead.
inline constexpr std::uint16_t kFull16 = 0xFFFF;
inline constexpr std::uint32_t kFull32 = 0xFFFFFFFF;

// Why a name may not be used, or an empty text. Names are relative, with '/' between parts that say what they are:
// 1 to 512 bytes of UTF-8, no control characters, no '\', no part that is empty, "." or "..", no drive. One '/' at the
// end makes it a folder.
std::string name_fault(std::string_view name);

}  // namespace ramet::zip
