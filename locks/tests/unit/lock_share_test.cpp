// Who may hold a lock beside whom.

#include "locks/core/lock_share.hpp"

#include <catch2/catch.hpp>

using namespace baton::lock;

namespace {

constexpr lock_share permit{1, 3};

} // namespace

TEST_CASE("a plain lock is held by one")
{
    CHECK(admit(lock_share{}, {}, false) == admission::granted);
    CHECK(admit(lock_share{}, {lock_share{}}, false) == admission::refused);
}

TEST_CASE("as many permits are given as there are")
{
    CHECK(admit(permit, {permit, permit}, false) == admission::granted);
    CHECK(admit(permit, {permit, permit, permit}, false) == admission::refused);
}

TEST_CASE("readers are beside readers, and writers beside nobody")
{
    CHECK(admit(reader_share, {reader_share, reader_share, reader_share}, false) == admission::granted);
    CHECK(admit(reader_share, {writer_share}, false) == admission::refused);
    CHECK(admit(writer_share, {reader_share}, false) == admission::refused);
    CHECK(admit(writer_share, {writer_share}, false) == admission::refused);
    CHECK(admit(writer_share, {}, false) == admission::granted);
}

TEST_CASE("who disagrees on how much there is gets none of it")
{
    CHECK(admit(permit, {lock_share{1, 2}}, false) == admission::mismatched);
    CHECK(admit(permit, {permit, lock_share{1, 4}}, false) == admission::mismatched);
}

TEST_CASE("while room is kept nobody comes in but one who takes all")
{
    CHECK(admit(reader_share, {reader_share}, true) == admission::refused);
    CHECK(admit(reader_share, {}, true) == admission::refused);
    CHECK(admit(writer_share, {}, true) == admission::granted);
}

TEST_CASE("room is kept for a writer that waits for readers, and for nobody else")
{
    CHECK(reserves_room(writer_share, {reader_share, reader_share}));
    CHECK_FALSE(reserves_room(writer_share, {writer_share})); // or writers would keep readers out for ever
    CHECK_FALSE(reserves_room(writer_share, {}));
    CHECK_FALSE(reserves_room(reader_share, {writer_share}));
    CHECK_FALSE(reserves_room(permit, {permit, permit, permit}));
    CHECK_FALSE(reserves_room(lock_share{}, {lock_share{}}));
}
