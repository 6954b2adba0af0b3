#include "core/plugin/manifest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "core/plugin/elf_manifest.hpp"
#include "tests/plugin/fixtures.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::plugin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string text_of(std::initializer_list<std::string> entries) {
  std::string text;
  for (const std::string& entry : entries) text += entry + '\0';
  return text + '\0';
}

std::string reason_of(std::initializer_list<std::string> entries) {
  return thrown_text<ManifestError>([&] { parse_manifest(text_of(entries)); }, "none");
}

// What an option does not allow, among otherwise sound entries.
std::string option_reason(const std::string& option) {
  return reason_of({"abi=1.0", "kind=model", "name=x", "option=" + option});
}

TEST(Manifest, HoldsEverythingThatThePluginSays) {
  const Manifest manifest = parse_manifest(read_manifest_section(fixture("good")));
  EXPECT_EQ(manifest.kind, PluginKind::kStrategy);
  EXPECT_EQ(manifest.name, "good");
  EXPECT_EQ(manifest.version, "1.2.3");
  EXPECT_EQ(manifest.description, "Computes and shares nothing.");
  EXPECT_EQ(manifest.claim, "independent");
  EXPECT_EQ(manifest.abi_major, 1u);
  EXPECT_EQ(manifest.abi_minor, 0u);
  EXPECT_THAT(manifest.needs, ElementsAre("forward", "backward"));
  ASSERT_EQ(manifest.options.size(), 5u);
  EXPECT_EQ(manifest.options[1].name, "count");
  EXPECT_EQ(manifest.options[1].type, OptionType::kInt);
  EXPECT_EQ(manifest.options[1].default_value, "3");
  EXPECT_THAT(manifest.options[1].allowed, IsEmpty());
  EXPECT_EQ(manifest.options[1].help, "How many: any number.");
  EXPECT_EQ(manifest.options[3].default_value, "");
  EXPECT_THAT(manifest.options[4].allowed, ElementsAre("slow", "quick"));
}

TEST(Manifest, AllowsVersionsInNamesAndLaterMinorVersions) {
  const Manifest manifest =
      parse_manifest(text_of({"name=resnet50_v1.5", "kind=model", "abi=1.7"}));
  EXPECT_EQ(manifest.name, "resnet50_v1.5");
  EXPECT_EQ(manifest.abi_minor, 7u);
}

TEST(Manifest, MayBeFollowedByPadding) {
  const std::string text = text_of({"abi=1.0", "kind=model", "name=x"}) + std::string(40, '\0');
  EXPECT_EQ(parse_manifest(text).name, "x");
}

TEST(Manifest, RefusesOtherMajorVersions) {
  EXPECT_THAT(reason_of({"kind=no idea", "abi=2.0"}),
              HasSubstr("built for plug-in ABI 2.0, this convoy has 1.0"));
  EXPECT_THAT(reason_of({"abi=one", "kind=model", "name=x"}), HasSubstr("abi=one"));
  EXPECT_THAT(reason_of({"kind=model", "name=x"}), HasSubstr("no abi="));
}

TEST(Manifest, RefusesMissingDoubledAndUnknownKeys) {
  EXPECT_THAT(reason_of({"abi=1.0", "name=x"}), HasSubstr("no kind="));
  EXPECT_THAT(reason_of({"abi=1.0", "kind=model"}), HasSubstr("names it ''"));
  EXPECT_THAT(reason_of({"abi=1.0", "kind=model", "name=x", "name=y"}), HasSubstr("name= twice"));
  EXPECT_THAT(reason_of({"abi=1.3", "kind=model", "name=x", "colour=red"}),
              HasSubstr("unknown key 'colour' (it is for ABI 1.3, this convoy has 1.0)"));
  EXPECT_EQ(reason_of({"abi=1.3", "kind=model", "name=x", "x-colour=red"}), "none");
  EXPECT_THAT(reason_of({"abi=1.0", "kind=teapot", "name=x"}), HasSubstr("kind=teapot"));
  EXPECT_THAT(reason_of({"abi=1.0", "kind=model", "name=x", "nonsense"}),
              HasSubstr("'nonsense' is not key=value"));
}

TEST(Manifest, RefusesNamesAndTextsThatCouldHarmATerminal) {
  EXPECT_THAT(reason_of({"abi=1.0", "kind=model", "name=../x"}), HasSubstr("names it '../x'"));
  EXPECT_THAT(reason_of({"abi=1.0", "kind=model", "name=x", "description=\x1b[2J"}),
              HasSubstr("control character (0x1b)"));
}

TEST(Manifest, RefusesUnknownOperations) {
  EXPECT_THAT(reason_of({"abi=1.0", "kind=strategy", "name=x", "needs=copy,teleport"}),
              HasSubstr("needs operation 'teleport'"));
}

TEST(Manifest, RefusesOptionsThatContradictThemselves) {
  EXPECT_THAT(option_reason("a:int"), HasSubstr("<name>:<type>:<default>:<allowed>:<help>"));
  EXPECT_THAT(option_reason("a:colour:red::"),
              HasSubstr("option a of its manifest has type 'colour'"));
  EXPECT_THAT(option_reason("a:float:0.9:0..1:"), HasSubstr("for a range leave it empty"));
  EXPECT_THAT(option_reason("a:int:three::"), HasSubstr("is 'three', but it takes an integer"));
  EXPECT_THAT(option_reason("a:bool:maybe::"), HasSubstr("true or false"));
  EXPECT_THAT(option_reason("a:float:1.5x::"), HasSubstr("a number"));
  EXPECT_THAT(option_reason("a:enum:x::"), HasSubstr("allows no value"));
  EXPECT_THAT(option_reason("a:enum:x:y|z:"), HasSubstr("one of y, z"));
  EXPECT_THAT(option_reason("a b:int:1::"), HasSubstr("named 'a b'"));
  EXPECT_THAT(
      reason_of({"abi=1.0", "kind=model", "name=x", "option=a:int:1::", "option=a:int:2::"}),
      HasSubstr("option a twice"));
}

TEST(Manifest, HoldsVariantsWithValuesAsPluginsSeeThem) {
  const Manifest manifest = parse_manifest(
      text_of({"abi=1.0", "kind=strategy", "name=x", "variant=fast=1",
               "option=fast:bool:false::", "option=packs:int:0::", "variant=packs=3,fast=false"}));
  ASSERT_EQ(manifest.variants.size(), 2u);
  EXPECT_THAT(manifest.variants[0], ElementsAre(std::pair("fast", "true")));
  EXPECT_THAT(manifest.variants[1],
              ElementsAre(std::pair("packs", "3"), std::pair("fast", "false")));
}

TEST(Manifest, SaysWhetherAutoMayTakeAStrategy) {
  const auto in_auto = [](const std::string& entry) {
    return parse_manifest(text_of({"abi=1.0", "kind=strategy", "name=x", entry})).in_auto;
  };
  EXPECT_TRUE(in_auto("version=1"));
  EXPECT_TRUE(in_auto("auto=true"));
  EXPECT_FALSE(in_auto("auto=false"));
  EXPECT_THAT(reason_of({"abi=1.0", "kind=strategy", "name=x", "auto=no"}),
              HasSubstr("auto=no; it is true or false"));
}

TEST(Manifest, RefusesVariantsThatItsOptionsDoNotAllow) {
  const auto reason = [](const std::string& variant) {
    return reason_of(
        {"abi=1.0", "kind=strategy", "name=x", "option=packs:int:0::", "variant=" + variant});
  };
  EXPECT_THAT(reason("packs"), HasSubstr("it should be <option>=<value>"));
  EXPECT_THAT(reason("bags=1"), HasSubstr("sets bags, which is not an option"));
  EXPECT_THAT(reason("packs=many"), HasSubstr("sets packs to 'many', but it takes an integer"));
  EXPECT_EQ(reason("packs=4"), "none");
}

TEST(Manifest, RefusesTextThatDoesNotEnd) {
  EXPECT_THROW(parse_manifest("abi=1.0"), ManifestError);
  EXPECT_THROW(parse_manifest(""), ManifestError);
}

TEST(Manifest, SurvivesAnyBytes) {
  std::mt19937 random(4711);
  const std::string sound = read_manifest_section(fixture("good"));
  std::size_t refused = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string damaged = sound;
    for (unsigned change = 0; change <= random() % 4; ++change) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    try {
      parse_manifest(std::string_view(damaged).substr(0, random() % (damaged.size() + 1)));
    } catch (const ManifestError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 250u);
}

TEST(OptionValue, IsCheckedAndNormalised) {
  const OptionDeclaration flag{.name = "f", .type = OptionType::kBool};
  EXPECT_EQ(checked_option_value(flag, "1"), "true");
  EXPECT_EQ(checked_option_value(flag, "false"), "false");
  const OptionDeclaration number{.name = "n", .type = OptionType::kInt, .allowed = {"1", "2"}};
  EXPECT_EQ(checked_option_value(number, "2"), "2");
  EXPECT_THROW(checked_option_value(number, "3"), std::invalid_argument);
  EXPECT_THROW(checked_option_value(number, "2.0"), std::invalid_argument);
}

}  // namespace
}  // namespace convoy::plugin
