#include "libs/schedule/zone_watch.hpp"

#include "libs/schedule/checksum.hpp"

#include <algorithm>
#include <vector>

namespace baton::schedule {

namespace fs = std::filesystem;

std::string zone_watch::stamp() const
{
    std::vector<std::string> files;
    std::error_code failure;
    fs::recursive_directory_iterator each(folder_, fs::directory_options::skip_permission_denied, failure);
    for (; !failure && each != fs::recursive_directory_iterator{}; each.increment(failure)) {
        std::error_code gone; // a file that goes now is missed at the next look
        if (!each->is_regular_file(gone))
            continue;
        checksum one;
        one.add(each->path().string());
        one.add(static_cast<std::int64_t>(each->file_size(gone)));
        one.add(static_cast<std::int64_t>(each->last_write_time(gone).time_since_epoch().count()));
        files.push_back(one.hex());
    }
    std::ranges::sort(files); // a folder has no order
    checksum all;
    for (auto const& one : files)
        all.add(one);
    return all.hex();
}

zone_database_pointer zone_watch::look()
{
    auto const now = stamp();
    bool const first = taken_.empty();
    bool const settled = first || now == seen_;
    seen_ = now;
    if (now == taken_ || !settled)
        return nullptr;
    auto found = std::make_shared<zone_database>(folder_);
    found->read_all();
    if (!first && stamp() != now)
        return nullptr;
    taken_ = now;
    return found;
}

} // namespace baton::schedule
