#include "libs/schedule/zone_database.hpp"

#include "libs/schedule/checksum.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace baton::schedule {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_name = 64;            // the column of a task's zone; the longest of IANA has 32
constexpr std::size_t longest_zone_file = 1u << 20; // those of IANA have a few KiB
constexpr std::string_view file_mark = "TZif";
constexpr std::string_view release_mark = "# version ";

bool is_name(std::string const& name)
{
    auto const fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("/_+-").find(c) != std::string_view::npos;
    };
    return !name.empty() && name.size() <= longest_name && name.front() != '/' && name.back() != '/' &&
           std::ranges::all_of(name, fits);
}

// Not a zone of its own: copies of the zones in another form, and the zone of the machine.
bool is_left_out(std::string const& name)
{
    return name.starts_with("posix/") || name.starts_with("right/") || name == "posixrules" || name == "localtime";
}

std::string read_file(fs::path const& path)
{
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored) || fs::file_size(path, ignored) > longest_zone_file)
        return {};
    std::ifstream in(path, std::ios::binary);
    std::ostringstream content;
    content << in.rdbuf();
    return content.str();
}

std::string first_line(fs::path const& path)
{
    std::ifstream in(path);
    std::string line;
    std::getline(in, line);
    return line;
}

// tzdata.zi is a part of the package; other systems have +VERSION.
std::string read_release(fs::path const& folder)
{
    auto const line = first_line(folder / "tzdata.zi");
    auto release = line.starts_with(release_mark) ? line.substr(release_mark.size()) : first_line(folder / "+VERSION");
    auto const is_odd = [](char c) { return (c < '0' || c > '9') && (c < 'a' || c > 'z'); };
    std::erase_if(release, is_odd);
    return release.empty() ? "unknown" : release.substr(0, 20);
}

} // namespace

zone_database::zone_database(fs::path folder) : folder_(std::move(folder))
{
    files_["UTC"] = {zone_source{}};
}

zone_pointer zone_database::find(std::string const& name) const
{
    std::lock_guard const lock(guard_);
    if (auto const known = zones_.find(name); known != zones_.end())
        return known->second;
    auto const* const sources = sources_of(name);
    auto found = sources != nullptr ? zone_rules::read(name, *sources) : nullptr;
    if (found)
        zones_.emplace(name, found);
    return found;
}

zone_sources const* zone_database::sources_of(std::string const& name) const
{
    if (auto const known = files_.find(name); known != files_.end())
        return &known->second;
    if (folder_.empty() || !is_name(name) || is_left_out(name))
        return nullptr;
    auto content = read_file(folder_ / name);
    if (!content.starts_with(file_mark))
        return nullptr;
    auto file = std::make_shared<std::string const>(std::move(content));
    return &files_.emplace(name, zone_sources{{std::move(file)}}).first->second;
}

std::vector<std::string> zone_database::names() const
{
    std::vector<std::string> found;
    std::error_code failure;
    fs::recursive_directory_iterator each(folder_, fs::directory_options::skip_permission_denied, failure);
    for (; !failure && each != fs::recursive_directory_iterator{}; each.increment(failure)) {
        auto const name = each->path().lexically_relative(folder_).generic_string();
        std::error_code unknown;
        if (is_left_out(name + "/"))
            each.disable_recursion_pending();
        else if (is_name(name) && !is_left_out(name) && each->is_regular_file(unknown))
            found.push_back(name);
    }
    std::lock_guard const lock(guard_);
    for (auto const& file : files_)
        found.push_back(file.first);
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

void zone_database::read_all()
{
    auto const release = read_release(folder_);
    auto const all_names = names();
    std::lock_guard const lock(guard_);
    checksum all;
    for (auto const& name : all_names) {
        auto const* const sources = sources_of(name);
        if (sources == nullptr)
            continue;
        checksum print;
        if (auto const& file = sources->back().file)
            print.add(*file);
        all.add(name);
        all.add(print.hex());
        fingerprints_.emplace(name, print.hex());
    }
    version_ = release + "-" + all.hex().substr(0, 8);
    folder_.clear();
}

std::shared_ptr<zone_database const> zone_database::spliced(zone_database const& before, zone_database const& after,
                                                            std::vector<std::string> const& changed, utc_time line)
{
    auto result = std::make_shared<zone_database>(fs::path{});
    std::scoped_lock const lock(before.guard_, after.guard_);
    result->version_ = after.version_;
    result->fingerprints_ = after.fingerprints_;
    result->files_ = after.files_;
    result->files_.insert(before.files_.begin(), before.files_.end()); // those that `after` lacks
    for (auto const& name : changed) {
        auto const older = before.files_.find(name);
        auto const newer = after.files_.find(name);
        if (older != before.files_.end() && newer != after.files_.end())
            result->files_[name] = schedule::spliced(older->second, newer->second, line);
    }
    return result;
}

std::vector<std::string> changed_zones(std::map<std::string, std::string> const& before,
                                       std::map<std::string, std::string> const& after)
{
    std::vector<std::string> found;
    for (auto const& [name, print] : before)
        if (auto const other = after.find(name); other != after.end() && other->second != print)
            found.push_back(name);
    return found;
}

std::string release_of(std::string const& version)
{
    return version.substr(0, version.find('-'));
}

} // namespace baton::schedule
