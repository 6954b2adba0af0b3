// A record of a run, a simulation, a comparison or a qualification: any bytes. It becomes a page,
// or is refused; so does its difference from itself.
#include "core/report/compare/difference_text.hpp"
#include "core/report/html/write_report.hpp"
#include "tests/fuzz/fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace convoy;
  const fuzz::MemoryFile file(fuzz::as_text(data, size));
  fuzz::expect_result_or_error([&] {
    const std::vector<report::NamedRecord> one = {report::read_record(file.path())};
    report::report_html(report::make_report(one));
    const std::vector<report::NamedRecord> two = {one.front(), one.front()};
    report::report_html(report::make_report(two));
  });
  fuzz::expect_result_or_error([&] {
    const compare::ComparedRecord side = compare::read_compared(file.path().string());
    CONVOY_CHECK(compare::unlike(side, side).empty());
    const compare::DifferenceReport report{side, side, compare::compare(side.side, side.side)};
    compare::difference_text(report);
    compare::difference_markdown(report);
    compare::difference_csv(report);
    compare::difference_json(report);
  });
  return 0;
}
