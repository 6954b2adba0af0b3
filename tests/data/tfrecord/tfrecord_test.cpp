#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>

#include "core/data/pipeline/bad_record.hpp"
#include "core/data/tfrecord/crc32c.hpp"
#include "core/data/tfrecord/tfrecord_reader.hpp"
#include "core/data/tfrecord/tfrecord_writer.hpp"
#include "tests/data/data_test_support.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::read_file;
using testing::TemporaryFolder;
using testing::write_file;
using testing::write_records;

std::vector<std::string> read_all(const std::filesystem::path& path) {
  const TfRecordReader reader(path);
  std::vector<std::string> records;
  std::uint64_t offset = 0;
  while (const auto location = reader.locate(offset)) {
    records.emplace_back();
    reader.read(*location, records.back());
    offset = location->end();
  }
  return records;
}

std::string header_of(std::uint64_t length) {
  std::string header(reinterpret_cast<const char*>(&length), sizeof length);
  const std::uint32_t crc = masked_crc32c(header);
  return header.append(reinterpret_cast<const char*>(&crc), sizeof crc);
}

class TfRecord : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_.path() / "train-00000-of-00001";
};

TEST_F(TfRecord, ReadsBackWhatWasWritten) {
  const std::string all_bytes("\0\xff\x80 bytes\n", 9);
  write_records(path_, {"first", "", all_bytes, std::string(100000, 'x')});
  EXPECT_THAT(read_all(path_), ElementsAre("first", "", all_bytes, std::string(100000, 'x')));
}

TEST_F(TfRecord, WritesTheDocumentedBytes) {
  // A zero-length record: eight zero bytes and their checksum, then the checksum of nothing, whose
  // CRC is 0 and so has only the mask's constant.
  write_records(path_, {""});
  const std::string bytes = read_file(path_);
  ASSERT_EQ(bytes.size(), 16u);
  EXPECT_EQ(bytes.substr(0, 8), std::string(8, '\0'));
  EXPECT_EQ(bytes.substr(12), "\xd8\xea\x82\xa2");
}

TEST_F(TfRecord, AnEmptyFileHasNoRecords) {
  write_file(path_, "");
  EXPECT_TRUE(read_all(path_).empty());
}

TEST_F(TfRecord, APipeIsRefusedAtOnceAndNamedAsOne) {
  std::filesystem::remove(path_);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(thrown_text([&] { read_all(path_); }),
              HasSubstr("it is a pipe, a device or a socket"));
}

TEST_F(TfRecord, ALimitOfOpenFilesIsNamedAndNotTheFileBlamed) {
  write_records(path_, {"first"});
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &old), 0);
  const rlimit none{0, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const std::string text = thrown_text([&] { TfRecordReader reader(path_); });
  ::setrlimit(RLIMIT_NOFILE, &old);
  EXPECT_THAT(text, HasSubstr("`ulimit -n` limits open files"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("this user may read")));
}

TEST_F(TfRecord, TruncationAtEveryByteIsAnError) {
  write_records(path_, {"one", "the second"});
  const std::string bytes = read_file(path_);
  const std::size_t first_end = 12 + 3 + 4;
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    if (size == first_end) continue;
    write_file(path_, bytes.substr(0, size));
    const std::string error = thrown_text([&] { read_all(path_); });
    const std::size_t damaged = size < first_end ? 0 : first_end;
    EXPECT_THAT(error, HasSubstr(fmt::format("{}, byte {}: ", path_.string(), damaged)))
        << "truncated to " << size << " bytes";
    EXPECT_THAT(error, HasSubstr("truncated"));
  }
}

TEST_F(TfRecord, EveryChangedBitIsAnError) {
  write_records(path_, {"one"});
  const std::string bytes = read_file(path_);
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string changed = bytes;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    write_file(path_, changed);
    EXPECT_THROW(read_all(path_), BadRecord) << "bit " << bit;
  }
}

TEST_F(TfRecord, SaysWhichChecksumIsWrong) {
  write_records(path_, {"one"});
  const std::string bytes = read_file(path_);
  std::string changed = bytes;
  changed[9] ^= 1;
  write_file(path_, changed);
  EXPECT_THAT(thrown_text([&] { read_all(path_); }), HasSubstr("checksum of the record length"));
  changed = bytes;
  changed[13] ^= 1;
  write_file(path_, changed);
  EXPECT_THAT(thrown_text([&] { read_all(path_); }), HasSubstr("checksum of the record's 3 bytes"));
}

TEST_F(TfRecord, RefusesHugeLengthsBeforeAllocating) {
  for (const std::uint64_t length :
       {kLargestRecord + 1, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    write_file(path_, header_of(length) + "data");
    EXPECT_THAT(thrown_text([&] { read_all(path_); }),
                HasSubstr(fmt::format("{} bytes; at most", length)));
  }
  write_file(path_, header_of(kLargestRecord) + "data");
  EXPECT_THAT(thrown_text([&] { read_all(path_); }), HasSubstr("truncated"));
}

TEST_F(TfRecord, RecognisesCompressedFiles) {
  write_file(path_, "\x1f\x8b\x08" + std::string(100, 'z'));
  EXPECT_THAT(thrown_text([&] { read_all(path_); }), HasSubstr("gzip"));
}

TEST_F(TfRecord, UnreadableFilesAreNotBadRecords) {
  const auto open = [this] { const TfRecordReader reader(path_); };
  EXPECT_THAT(thrown_text(open), HasSubstr("cannot open " + path_.string()));
  std::filesystem::create_directory(path_);
  EXPECT_THAT(thrown_text(open), HasSubstr("cannot read " + path_.string()));
  EXPECT_THAT(thrown_text([] { TfRecordWriter writer("/nowhere/file"); }),
              HasSubstr("cannot create /nowhere/file"));
}

}  // namespace
}  // namespace convoy::data
