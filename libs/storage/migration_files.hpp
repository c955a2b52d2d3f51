#pragma once
// The files of schema/, as the build embedded them, in order.

#include <string>
#include <vector>

namespace baton::storage {

struct migration_file {
    std::string folder; // mysql, sqlite, sqlite-lease
    std::string name;   // 0001_scheduler
    std::string text;
};

std::vector<migration_file> const& migration_files();

} // namespace baton::storage
