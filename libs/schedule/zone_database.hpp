#pragma once
// A zone database: the compiled zone files of a folder (RFC 8536), as the Debian package tzdata installs them. It keeps
// the contents of the files, under 1 MB in all, and computes the rules of a zone when they are first asked for. Every
// function may be called from any thread.

#include "libs/schedule/zone_rules.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace baton::schedule {

class zone_database {
public:
    // Reads each file when it is first asked for, and the rest with read_all(). A folder that is missing has UTC only.
    explicit zone_database(std::filesystem::path folder);

    // Null for a name that is not in the database with the same letters, and for a file that cannot be read.
    zone_pointer find(std::string const& name) const;
    std::vector<std::string> names() const;

    // From here on the files are not read again.
    void read_all();
    bool is_complete() const { return folder_.empty(); }

    // Only after read_all():
    // The release and a sum over all fingerprints: "2025b-1a2b3c4d". A fingerprint is a sum over the bytes of a file.
    std::string const& version() const { return version_; }
    std::map<std::string, std::string> const& fingerprints() const { return fingerprints_; }

    // A complete database of two different ones, with the zones of `after`; but those in `changed` keep the rules of
    // `before` for instants before the line, and those that `after` lacks keep them for ever. It has the version of
    // `after`, which must be complete.
    static std::shared_ptr<zone_database const> spliced(zone_database const& before, zone_database const& after,
                                                        std::vector<std::string> const& changed, utc_time line);

private:
    // Null if there is no such file. Reads it if it is not known yet.
    zone_sources const* sources_of(std::string const& name) const;

    std::filesystem::path folder_; // empty if it is complete
    std::string version_;
    std::map<std::string, std::string> fingerprints_;
    mutable std::mutex guard_;
    mutable std::map<std::string, zone_sources> files_;
    mutable std::map<std::string, zone_pointer> zones_; // those that were asked for
};

// The zones whose fingerprints differ, in order; those that only one of the databases has are left out.
std::vector<std::string> changed_zones(std::map<std::string, std::string> const& before,
                                       std::map<std::string, std::string> const& after);

// The release in front of a version of a database: "2025b".
std::string release_of(std::string const& version);

} // namespace baton::schedule
