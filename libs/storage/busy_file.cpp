#include "libs/storage/busy_file.hpp"

#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <thread>

namespace baton::storage {

namespace {

// About as long as a write, so that a waiting session gets its turn between two writes; random, so that waiting
// sessions do not keep step.
constexpr duration shortest = 500us;
constexpr std::uint64_t at_random_us = 3'500;

int ask(void* self, int looks)
{
    return static_cast<busy_file*>(self)->pause(looks) ? 1 : 0;
}

} // namespace

busy_file::busy_file(soci::session& session, duration limit, time_source const& time)
    : limit_(limit), time_(time), chance_(entropy())
{
    auto* const backend = static_cast<soci::sqlite3_session_backend*>(session.get_backend());
    sqlite_api::sqlite3_busy_handler(backend->conn_, ask, this);
}

bool busy_file::pause(int looks)
{
    auto const now = time_.now();
    if (looks == 0)
        began_ = now;
    if (now - began_ >= limit_)
        return false;
    std::this_thread::sleep_for(shortest + duration{static_cast<std::int64_t>(chance_.below(at_random_us))});
    return true;
}

} // namespace baton::storage
