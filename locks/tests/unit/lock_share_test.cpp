// Which shares may hold a lock at the same time.

#include "locks/core/lock_share.hpp"

#include <catch2/catch.hpp>

using namespace baton::lock;

namespace {

constexpr lock_share permit{1, 3};

} // namespace

TEST_CASE("an exclusive lock has one holder")
{
    CHECK(admit(lock_share{}, {}, false) == admission::granted);
    CHECK(admit(lock_share{}, {lock_share{}}, false) == admission::refused);
}

TEST_CASE("as many permits are granted as there are")
{
    CHECK(admit(permit, {permit, permit}, false) == admission::granted);
    CHECK(admit(permit, {permit, permit, permit}, false) == admission::refused);
}

TEST_CASE("readers share the lock with readers, and a writer has it alone")
{
    CHECK(admit(reader_share, {reader_share, reader_share, reader_share}, false) == admission::granted);
    CHECK(admit(reader_share, {writer_share}, false) == admission::refused);
    CHECK(admit(writer_share, {reader_share}, false) == admission::refused);
    CHECK(admit(writer_share, {writer_share}, false) == admission::refused);
    CHECK(admit(writer_share, {}, false) == admission::granted);
}

TEST_CASE("a different permit count is not admitted")
{
    CHECK(admit(permit, {lock_share{1, 2}}, false) == admission::mismatched);
    CHECK(admit(permit, {permit, lock_share{1, 4}}, false) == admission::mismatched);
}

TEST_CASE("while capacity is reserved only an exclusive request is admitted")
{
    CHECK(admit(reader_share, {reader_share}, true) == admission::refused);
    CHECK(admit(reader_share, {}, true) == admission::refused);
    CHECK(admit(writer_share, {}, true) == admission::granted);
}

TEST_CASE("capacity is reserved only for a writer that waits for readers")
{
    CHECK(reserves_room(writer_share, {reader_share, reader_share}));
    CHECK_FALSE(reserves_room(writer_share, {writer_share})); // or writers would keep readers out for ever
    CHECK_FALSE(reserves_room(writer_share, {}));
    CHECK_FALSE(reserves_room(reader_share, {writer_share}));
    CHECK_FALSE(reserves_room(permit, {permit, permit, permit}));
    CHECK_FALSE(reserves_room(lock_share{}, {lock_share{}}));
}
