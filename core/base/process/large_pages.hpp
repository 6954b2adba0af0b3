#pragma once

#include <cstddef>
#include <vector>

namespace convoy {

// Asks the system for large pages behind memory that is about to be used for the first time; what
// it does with that is its own affair. Arrays of many megabytes are filled once and read a few
// times: with pages of 4 KiB, a third of the time that takes is the system's.
void prefer_large_pages(void* memory, std::size_t bytes);

// Makes room for `count` elements.
template <typename T>
void reserve_large(std::vector<T>& vector, std::size_t count) {
  vector.reserve(count);
  prefer_large_pages(vector.data() + vector.size(), (count - vector.size()) * sizeof(T));
}

}  // namespace convoy
