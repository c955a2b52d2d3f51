#include "cli/process.hpp"

#include <catch2/catch.hpp>

using namespace baton;
using namespace baton::cli;

TEST_CASE("the connections of a process fit into its limit of open files, with some files left")
{
    for (std::size_t const files : {1'024u, 20'000u, 1u << 20}) {
        auto const bounds = bounds_of(files);
        CHECK(bounds.incoming + bounds.outgoing + 200 < files);
        CHECK(bounds.incoming + bounds.outgoing > files / 2);
    }
    CHECK(bounds_of(0).incoming >= 16);
}
