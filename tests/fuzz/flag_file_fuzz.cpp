// A file of flags: any bytes. What is read from it is parsed against flags of every type; a flag
// file may name another one, this one included.
#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/flag_file.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

struct Fields {
  int count = 1;
  double share = 0.5;
  bool loud = false;
  std::string name;
};

convoy::cli::FlagTable table_of(Fields& fields) {
  using convoy::cli::bind_flag;
  convoy::cli::FlagTable table;
  table.add_all({bind_flag("count", fields.count, convoy::Bounds{1, 100}, "A number."),
                 bind_flag("share", fields.share, convoy::Bounds{0, 1}, "A share."),
                 bind_flag("loud", fields.loud, "A switch."),
                 bind_flag("name", fields.name, "A text.")});
  return table;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static convoy::fuzz::MemoryFile file;
  file.write(convoy::fuzz::as_text(data, size));
  convoy::fuzz::expect_result_or_error([&] {
    const auto nothing = [](const std::string&) -> const char* { return nullptr; };
    const std::vector<std::string> given = {"--flagfile=" + file.path().string()};
    const std::vector<std::string> flags = convoy::cli::expand_flag_files(given, nothing);
    Fields fields;
    convoy::cli::parse_flags(table_of(fields), flags, convoy::cli::Positional::kAllowed, nothing);
    CONVOY_CHECK(fields.count >= 1 && fields.count <= 100);
    CONVOY_CHECK(fields.share >= 0 && fields.share <= 1);
    convoy::cli::find_flag(flags, "name", nothing);
  });
  return 0;
}
