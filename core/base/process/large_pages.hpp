#pragma once

#include <cstddef>
#include <vector>

namespace convoy {

// Asks the system for large pages for memory that is about to be used for the first time. The
// system may ignore this. Arrays of many megabytes are filled once and read a few times: with pages
// of 4 KiB, the system takes a third of that time.
void prefer_large_pages(void* memory, std::size_t bytes);

// Reserves room for `count` elements, in large pages if possible.
template <typename T>
void reserve_large(std::vector<T>& vector, std::size_t count) {
  vector.reserve(count);
  prefer_large_pages(vector.data() + vector.size(), (count - vector.size()) * sizeof(T));
}

}  // namespace convoy
