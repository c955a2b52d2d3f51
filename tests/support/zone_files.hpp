#pragma once
// A private folder of zone files, written without zic.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace baton::test {

// The content of a zone file of version 2: offsets in seconds, changes as (seconds since 1970, offset). Offsets above
// the first one are daylight time. A rule with daylight time needs two changes before it.
inline std::string zone_file(std::int32_t first, std::vector<std::pair<std::int64_t, std::int32_t>> const& changes,
                             std::string const& footer)
{
    auto const number = [](std::int64_t value, int bytes) {
        std::string text;
        for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
            text += static_cast<char>(static_cast<std::uint64_t>(value) >> shift & 0xff);
        return text;
    };
    auto const header = [&](std::size_t times, std::size_t types) {
        std::string text = "TZif2" + std::string(15, '\0');
        for (std::size_t const count : {std::size_t{0}, std::size_t{0}, std::size_t{0}, times, types, std::size_t{4}})
            text += number(static_cast<std::int64_t>(count), 4);
        return text;
    };
    auto const type = [&](std::int32_t offset) {
        return number(offset, 4) + (offset > first ? '\1' : '\0') + std::string(1, '\0');
    };
    // The first block is that for programs that know version 1 only.
    std::string file = header(0, 1) + type(first) + std::string("LMT\0", 4);
    file += header(changes.size(), changes.size() + 1);
    for (auto const& [at, offset] : changes)
        file += number(at, 8);
    for (std::size_t i = 1; i <= changes.size(); ++i)
        file += static_cast<char>(i);
    file += type(first);
    for (auto const& [at, offset] : changes)
        file += type(offset);
    return file + std::string("LMT\0", 4) + "\n" + footer + "\n";
}

class zone_folder {
public:
    explicit zone_folder(std::string const& release)
    {
        auto name = (std::filesystem::temp_directory_path() / "baton-zones-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            throw std::runtime_error("no folder for zone files");
        path_ = name;
        set_release(release);
    }
    ~zone_folder() { std::filesystem::remove_all(path_); }
    zone_folder(zone_folder const&) = delete;
    zone_folder& operator=(zone_folder const&) = delete;

    std::filesystem::path const& path() const { return path_; }
    void set_release(std::string const& release) { write("tzdata.zi", "# version " + release + "\nmore\n"); }
    // A zone with a fixed offset, or with a rule.
    void set(std::string const& zone, std::int32_t offset, std::string const& footer)
    {
        write(zone, zone_file(offset, {}, footer));
    }
    void write(std::string const& name, std::string const& content)
    {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name, std::ios::binary | std::ios::trunc) << content;
    }

private:
    std::filesystem::path path_;
};

} // namespace baton::test
