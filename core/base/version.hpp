#pragma once

namespace convoy {

inline constexpr const char* kVersion = CONVOY_VERSION;

}  // namespace convoy
