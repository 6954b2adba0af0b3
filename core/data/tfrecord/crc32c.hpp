#pragma once

#include <cstdint>
#include <string_view>

namespace convoy::data {

// CRC-32C (Castagnoli), as in iSCSI (RFC 3720). `before` is that of the bytes before these.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

// The form TFRecord files store: rotated and offset, so that the checksum of data which itself
// contains checksums stays meaningful.
std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace convoy::data
