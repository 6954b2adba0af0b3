// What compiled kernels call when they access memory in a way that ends a kernel on a GPU: sixteen
// bytes at an address that sixteen does not divide, an element behind the end of an array. The
// compiler adds the checks (-fsanitize=alignment,bounds); these are the functions that it names,
// with the beginnings of the structs that it gives them.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

struct Place {
  const char* file;
  std::uint32_t line;
  std::uint32_t column;
};

[[noreturn]] void end(const Place& place, const char* what) {
  std::fprintf(stderr, "%s:%u: %s\n", place.file, static_cast<unsigned>(place.line), what);
  std::abort();
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): the compiler's names.
extern "C" {

void __ubsan_handle_type_mismatch_v1(const Place* place, std::uintptr_t /*address*/) {
  end(*place, "an access that is not aligned, which ends a kernel on a GPU");
}
void __ubsan_handle_out_of_bounds(const Place* place, std::uintptr_t /*index*/) {
  end(*place, "an element behind the end of an array");
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
