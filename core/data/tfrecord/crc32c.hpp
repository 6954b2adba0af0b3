#pragma once

#include <cstdint>
#include <string_view>

namespace convoy::data {

// Returns CRC-32C (Castagnoli), as in iSCSI (RFC 3720). `before` is the checksum of the preceding
// bytes.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

// Returns the form in TFRecord files. It is rotated and offset, so that the checksum of data that
// itself contains checksums stays meaningful.
std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace convoy::data
