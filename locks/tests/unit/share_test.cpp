// Who may hold a lock beside whom.

#include "locks/core/share.hpp"

#include <catch2/catch.hpp>

using namespace baton::lock;

namespace {

constexpr share permit{1, 3};

} // namespace

TEST_CASE("a plain lock is held by one")
{
    CHECK(admit(share{}, {}, false) == admission::granted);
    CHECK(admit(share{}, {share{}}, false) == admission::refused);
}

TEST_CASE("as many permits are given as there are")
{
    CHECK(admit(permit, {permit, permit}, false) == admission::granted);
    CHECK(admit(permit, {permit, permit, permit}, false) == admission::refused);
}

TEST_CASE("readers are beside readers, and writers beside nobody")
{
    CHECK(admit(a_reader, {a_reader, a_reader, a_reader}, false) == admission::granted);
    CHECK(admit(a_reader, {a_writer}, false) == admission::refused);
    CHECK(admit(a_writer, {a_reader}, false) == admission::refused);
    CHECK(admit(a_writer, {a_writer}, false) == admission::refused);
    CHECK(admit(a_writer, {}, false) == admission::granted);
}

TEST_CASE("who disagrees on how much there is gets none of it")
{
    CHECK(admit(permit, {share{1, 2}}, false) == admission::disagreed);
    CHECK(admit(permit, {permit, share{1, 4}}, false) == admission::disagreed);
}

TEST_CASE("while room is kept nobody comes in but one who takes all")
{
    CHECK(admit(a_reader, {a_reader}, true) == admission::refused);
    CHECK(admit(a_reader, {}, true) == admission::refused);
    CHECK(admit(a_writer, {}, true) == admission::granted);
}

TEST_CASE("room is kept for a writer that waits for readers, and for nobody else")
{
    CHECK(is_kept_room(a_writer, {a_reader, a_reader}));
    CHECK_FALSE(is_kept_room(a_writer, {a_writer})); // or writers would keep readers out for ever
    CHECK_FALSE(is_kept_room(a_writer, {}));
    CHECK_FALSE(is_kept_room(a_reader, {a_writer}));
    CHECK_FALSE(is_kept_room(permit, {permit, permit, permit}));
    CHECK_FALSE(is_kept_room(share{}, {share{}}));
}
