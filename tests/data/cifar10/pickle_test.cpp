#include "core/data/cifar10/pickle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/data/cifar10/cifar10_test_files.hpp"
#include "tests/data/data_test_support.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::data {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace std::string_literals;

const std::string kStart = "\x80\x02";

std::string error_in(const std::string& operations) {
  const std::string bytes = kStart + operations;
  return thrown_text([&] { Pickle(bytes, "x.pickle"); });
}

TEST(Pickle, ReadsNumbersTextsAndCollections) {
  const std::string bytes = kStart + "(K\xc8M\x10\x27J\xfe\xff\xff\xff\x8a\x02\x00\x80N\x88"s +
                            "U\x02hiX\x03\x00\x00\x00yes]}t."s;
  const Pickle pickle(bytes, "x.pickle");
  const PickleValue& root = pickle.root();
  ASSERT_EQ(root.kind, PickleValue::Kind::kTuple);
  ASSERT_EQ(root.items.size(), 10u);
  const auto integer = [&](std::size_t i) { return pickle.at(root.items[i]).integer; };
  EXPECT_EQ(integer(0), 200);
  EXPECT_EQ(integer(1), 10000);
  EXPECT_EQ(integer(2), -2);
  EXPECT_EQ(integer(3), -32768);
  EXPECT_EQ(pickle.at(root.items[4]).kind, PickleValue::Kind::kNone);
  EXPECT_EQ(integer(5), 1);
  EXPECT_EQ(pickle.at(root.items[6]).text, "hi");
  EXPECT_EQ(pickle.at(root.items[7]).text, "yes");
  EXPECT_EQ(pickle.at(root.items[8]).kind, PickleValue::Kind::kList);
  EXPECT_EQ(pickle.at(root.items[9]).kind, PickleValue::Kind::kDictionary);
}

TEST(Pickle, RunsNoCode) {
  EXPECT_THAT(error_in("cos\nsystem\nU\x02ls\x85R."),
              AllOf(HasSubstr("x.pickle, byte 2: pickle opcode 'c'"), HasSubstr("'os system'"),
                    HasSubstr("nothing is run")));
  EXPECT_THAT(error_in("\x8c\x02os\x8c\x06system\x93."), HasSubstr("'os system'"));
  EXPECT_THAT(error_in("(U\x02lsios\nsystem\n."), HasSubstr("pickle opcode 'i'"));
  EXPECT_THAT(error_in("}\x81."), HasSubstr("pickle opcode 0x81"));
}

TEST(Pickle, NamesThePlaceOfWhatIsWrong) {
  const std::pair<std::string, std::string> cases[] = {
      {"K", "byte 2: pickle opcode 'K': needs 1 bytes, and the file ends after 0"},
      {"T\xff\xff\xff\xffxx", "needs 4294967295 bytes, and the file ends after 2"},
      {"NN", "byte 3: pickle opcode 'N': the file ends after it"},
      {".", "the stack is empty"},
      {"(0", "the stack is empty"},
      {"t", "there is no mark"},
      {"N\x85\x86", "opcode 0x86: the stack is empty"},
      {"Na", "the stack is empty"},
      {"NNa", "needs a list"},
      {"}NNNs", "needs a dictionary"},
      {"}(Nu", "a key without a value"},
      {"h\x07", "value 7 was never stored"},
      {"q\x01", "the stack is empty"},
      {"N)R", "needs a function"},
      {"NNR", "needs a tuple of arguments"},
      {"N)b", "needs an object"},
      {"cnumpy\ndtype", "a name without an end"},
      {"\x8a\xff", "an integer of 255 bytes"},
      {"\x80\x05", "protocol 5; write the file with protocol 2, 3 or 4"},
      {"\x95\xff\xff\xff\xff\xff\xff\xff\xff", "a frame of 18446744073709551615 bytes"},
  };
  for (const auto& [operations, text] : cases) {
    EXPECT_THAT(error_in(operations), AllOf(HasSubstr("x.pickle, byte "), HasSubstr(text)));
  }
  EXPECT_THAT(thrown_text([] { Pickle("(dp0\n.", "x.pickle"); }),
              HasSubstr("x.pickle: not a pickle of protocol 2"));
  EXPECT_THAT(thrown_text([] { Pickle("", "x.pickle"); }), HasSubstr("(0 bytes)"));
}

TEST(Pickle, ValuesMayContainThemselves) {
  const std::string bytes = kStart + "]q\x01h\x01" + "a.";
  const Pickle pickle(bytes, "x.pickle");
  EXPECT_EQ(&pickle.at(pickle.root().items.at(0)), &pickle.root());
}

TEST(Pickle, LongProgramsAreRefused) {
  EXPECT_THAT(error_in(std::string(2'000'001, 'N')), HasSubstr("more than 2000000 operations"));
  EXPECT_THAT(error_in("]" + std::string(3'000'000, '(')), HasSubstr("operations"));
}

// Every prefix and every changed byte of a real program is either read or refused by an Error.
TEST(Pickle, DamageIsAlwaysAnError) {
  const std::string good = testing::cifar10_python2_pickle({1}).substr(0, 400) + "tbu.";
  for (std::size_t i = 0; i < good.size(); ++i) {
    EXPECT_NE(thrown_text([&] { Pickle(std::string_view(good).substr(0, i), "x"); }), "") << i;
    for (const int change : {1, 0x20, 0x80, 0xff}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ change);
      thrown_text([&] { Pickle(bad, "x"); });
    }
  }
}

}  // namespace
}  // namespace convoy::data
