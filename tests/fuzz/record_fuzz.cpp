// A record of a run, a simulation, a comparison or a qualification: any bytes. It becomes a page,
// or is refused; so does its difference from itself.
#include "core/report/compare/difference_text.hpp"
#include "core/report/html/write_report.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

using namespace convoy;
using fuzz::expect_result_or_error;

void write_pages(const report::NamedRecord& record) {
  report::report_html(report::make_report({record}));
  report::report_html(report::make_report({record, record}));
}

void write_differences(const report::NamedRecord& record) {
  const compare::ComparedRecord side = compare::compared("fuzz", {record});
  CONVOY_CHECK(compare::unlike(side, side).empty());
  const compare::DifferenceReport report{side, side, compare::compare(side.side, side.side)};
  compare::difference_text(report);
  compare::difference_markdown(report);
  compare::difference_csv(report);
  compare::difference_json(report);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile file;
  file.write(fuzz::as_text(data, size));
  expect_result_or_error([&] {
    const report::NamedRecord record = report::read_record(file.path());
    expect_result_or_error([&] { write_pages(record); });
    expect_result_or_error([&] { write_differences(record); });
  });
  return 0;
}
