// The address sanitizer keeps what was freed, so that uses of it are seen: 256 MB of it by default.
// Inputs of a few kilobytes go through these page by page, which the kernel has to give and the
// processor's caches do not hold. 16 MB still outlast an input, and ASAN_OPTIONS says otherwise.
extern "C" const char* __asan_default_options();  // NOLINT(bugprone-reserved-identifier)

extern "C" const char* __asan_default_options() {  // NOLINT(bugprone-reserved-identifier)
  return "quarantine_size_mb=16";
}
