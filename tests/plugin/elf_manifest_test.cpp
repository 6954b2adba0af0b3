#include "core/plugin/elf_manifest.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>

#include "core/plugin/manifest.hpp"
#include "tests/plugin/fixtures.hpp"
#include "tests/sanitized.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::plugin {
namespace {

// The section, read from memory; a read outside of the bytes fails the test.
std::string section_of(const std::string& bytes) {
  return read_manifest_section(
      {.size = bytes.size(), .read = [&](std::uint64_t offset, void* to, std::size_t count) {
         if (offset > bytes.size() || count > bytes.size() - offset) {
           throw std::logic_error("read outside of the file");
         }
         std::memcpy(to, bytes.data() + offset, count);
       }});
}

std::string reason_of(const std::string& bytes) {
  return thrown_text<ManifestError>([&] { section_of(bytes); }, "none");
}

// A sound plug-in whose headers a test changes.
class ElfManifest : public testing::Test {
 protected:
  Elf64_Ehdr& header() { return *reinterpret_cast<Elf64_Ehdr*>(bytes_.data()); }
  Elf64_Shdr& section(std::size_t index) {
    return reinterpret_cast<Elf64_Shdr*>(bytes_.data() + header().e_shoff)[index];
  }
  Elf64_Shdr& manifest_section() {
    const char* names = bytes_.data() + section(header().e_shstrndx).sh_offset;
    for (std::size_t i = 0; i < header().e_shnum; ++i) {
      if (std::strcmp(names + section(i).sh_name, ".convoy.manifest") == 0) return section(i);
    }
    throw std::logic_error("the fixture has no manifest");
  }
  void expect_reason(const std::string& part) {
    EXPECT_NE(reason_of(bytes_).find(part), std::string::npos)
        << "wanted: " << part << "\ngot: " << reason_of(bytes_);
  }

  std::string bytes_ = read_bytes(fixture("good"));
};

TEST_F(ElfManifest, IsReadFromASoundPlugin) {
  EXPECT_EQ(section_of(bytes_), read_manifest_section(fixture("good")));
  EXPECT_EQ(parse_manifest(section_of(bytes_)).name, "good");
}

TEST_F(ElfManifest, RefusesWhatIsNotAnElfFile) {
  bytes_ = "#!/bin/sh\necho this is not a plug-in\n";
  expect_reason("not an ELF file: its first bytes");
  bytes_ = "\x7f";
  expect_reason("not an ELF file: shorter");
}

TEST_F(ElfManifest, RefusesOtherMachines) {
  bytes_[EI_CLASS] = ELFCLASS32;
  expect_reason("not a 64-bit ELF file");
  bytes_[EI_CLASS] = ELFCLASS64;
  bytes_[EI_DATA] = ELFDATA2MSB;
  expect_reason("not a little-endian");
  bytes_[EI_DATA] = ELFDATA2LSB;
  header().e_machine = EM_S390;
  expect_reason("another processor");
}

TEST_F(ElfManifest, RefusesObjectFiles) {
  header().e_type = ET_REL;
  expect_reason("not a shared library");
}

TEST_F(ElfManifest, RefusesFilesWithoutSectionHeaders) {
  header().e_shnum = 0;
  expect_reason("no section headers");
}

TEST_F(ElfManifest, RefusesSectionHeadersOutOfRange) {
  header().e_shoff = bytes_.size() - 10;
  expect_reason("the section header table");
  header().e_shoff = UINT64_MAX - 10;
  expect_reason("the section header table");
}

TEST_F(ElfManifest, RefusesDamagedSectionNames) {
  header().e_shstrndx = header().e_shnum;
  expect_reason("section names are in section");
}

TEST_F(ElfManifest, RefusesAHugeTableOfNames) {
  section(header().e_shstrndx).sh_size = UINT64_MAX;
  expect_reason("a table of section names");
}

TEST_F(ElfManifest, RefusesAManifestOutOfRange) {
  manifest_section().sh_offset = UINT64_MAX;
  expect_reason("the manifest at byte");
}

TEST_F(ElfManifest, RefusesAnOversizeManifest) {
  manifest_section().sh_size = kMaximumManifestBytes + 1;
  expect_reason("at most 65536 are allowed");
}

TEST_F(ElfManifest, RefusesAManifestWithoutContents) {
  manifest_section().sh_type = SHT_NOBITS;
  expect_reason("its manifest has no contents");
}

TEST(ElfManifestFile, NeedsAManifestSection) {
  try {
    read_manifest_section(fixture("no_manifest"));
    FAIL() << "a file without a manifest was accepted";
  } catch (const ManifestError& error) {
    EXPECT_NE(std::string(error.what()).find("no manifest"), std::string::npos) << error.what();
  }
}

TEST(ElfManifestFile, MustBeARegularFile) {
  EXPECT_THROW(read_manifest_section(std::filesystem::path("/dev/null")), ManifestError);
  EXPECT_THROW(read_manifest_section(std::filesystem::path("/nonexistent.so")), ManifestError);
}

// Every length up to a page, then every seventh: a manifest or a reason, never anything else.
TEST_F(ElfManifest, SurvivesTruncationAtAnyLength) {
  std::set<std::string> kinds;
  const std::size_t far = kSanitized ? 41 : 7;
  for (std::size_t length = 0; length < bytes_.size(); length += length < 4096 ? 1 : far) {
    const std::string reason = reason_of(bytes_.substr(0, length));
    kinds.insert(reason.substr(0, 12));
    ASSERT_NE(reason, "none") << "at " << length << " of " << bytes_.size() << " bytes";
  }
  EXPECT_TRUE(kinds.contains("truncated or")) << testing::PrintToString(kinds);
}

// One to four random bytes in the headers at a time, where they do the most harm.
TEST_F(ElfManifest, SurvivesDamage) {
  std::mt19937 random(20240229);
  const std::string sound = bytes_;
  const std::size_t table = header().e_shoff;
  std::size_t refused = 0;
  const std::size_t rounds = kSanitized ? 1000 : 5000;
  for (std::size_t round = 0; round < rounds; ++round) {
    std::string damaged = sound;
    for (unsigned change = 0; change <= random() % 4; ++change) {
      const std::size_t at = random() % 2 == 0 ? random() % sizeof(Elf64_Ehdr)
                                               : table + random() % (sound.size() - table);
      damaged[at] = static_cast<char>(random());
    }
    try {
      parse_manifest(section_of(damaged));
    } catch (const ManifestError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, rounds / 20);
}

}  // namespace
}  // namespace convoy::plugin
