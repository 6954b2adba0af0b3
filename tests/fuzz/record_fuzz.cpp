// A record of a run, a simulation, a comparison or a qualification: any bytes. It becomes a page,
// alone or beside itself, or its difference from itself is written, or it is refused. Which of
// these is tried, the input's length says: each takes longer than to read the record.
#include "core/report/compare/difference_text.hpp"
#include "core/report/html/write_report.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

using namespace convoy;
using fuzz::expect_result_or_error;

void write_page(const std::vector<report::NamedRecord>& records) {
  report::report_html(report::make_report(records));
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
    switch (size % 3) {
      case 0:
        return write_page({record});
      case 1:
        return write_page({record, record});
      default:
        return write_differences(record);
    }
  });
  return 0;
}
