#pragma once
// Notices that the zone files of a folder have changed. Reads files; for a thread that may block.

#include "libs/schedule/zones.hpp"

#include <filesystem>
#include <string>

namespace baton::schedule {

class zone_watch {
public:
    explicit zone_watch(std::filesystem::path folder) : folder_(std::move(folder)) {}

    // A complete database if the files are not those of the last one: at once the first time, afterwards when two looks
    // find the same files, because a package is not replaced in one moment. Null otherwise. Costs a `stat` of each
    // file.
    zone_database_pointer look();

    // The last look found files that the next one is to confirm.
    bool is_pending() const { return seen_ != taken_; }

private:
    std::string stamp() const; // of the names, sizes and times of the files

    std::filesystem::path folder_;
    std::string taken_;
    std::string seen_;
};

} // namespace baton::schedule
