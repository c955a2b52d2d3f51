#include "cli/process.hpp"

#include <catch2/catch.hpp>

namespace process_test {

using namespace baton;
using namespace baton::cli;

TEST_CASE("the connections of a process fit into its limit of open files, with some files left")
{
    for (std::size_t const files : {1'024u, 20'000u, 1u << 20}) {
        auto const bounds = bounds_of(files);
        CHECK(bounds.incoming + bounds.outgoing + 200 < files);
        CHECK(bounds.incoming + bounds.outgoing > files / 2);
        CHECK(bounds.of_a_peer <= bounds.incoming / 4 + 1);
    }
    CHECK(bounds_of(0).incoming >= 16);
    CHECK(bounds_of(0).of_a_peer >= 4);
}

TEST_CASE("a listener takes its connection limit from the process and the limit per peer from the configuration")
{
    auto const bounds = bounds_of(file_limit());
    CHECK(listener_of({"127.0.0.1", 7'800, 0}).connection_limit == bounds.incoming);
    CHECK(listener_of({"127.0.0.1", 7'800, 0}).peer_limit == bounds.of_a_peer);
    CHECK(listener_of({"127.0.0.1", 7'800, 12}).peer_limit == 12);
}

} // namespace process_test
