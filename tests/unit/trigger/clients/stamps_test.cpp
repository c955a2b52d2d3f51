#include "trigger/clients/stamps.hpp"

#include <catch2/catch.hpp>

namespace stamps_test {

using namespace baton;
using namespace baton::trigger;

TEST_CASE("a ticket belongs to one registration with one node")
{
    stamps const node("the secret of a node");
    auto const ticket = node.ticket("host:1", 3);
    CHECK(ticket == node.ticket("host:1", 3));
    CHECK(ticket != node.ticket("host:1", 4));
    CHECK(ticket != node.ticket("host:2", 3));
    CHECK(ticket != stamps("another secret").ticket("host:1", 3));
}

TEST_CASE("a receipt belongs to one attempt, and only its node can tell")
{
    stamps const node("the secret of a node");
    stamps const other("another secret");
    execution_id const execution{381204117561114624};
    auto const receipt = node.receipt(execution, 2);
    CHECK(receipt == node.receipt(execution, 2)); // of a repeated dispatch
    CHECK(node.may_be(receipt, execution, 2));
    CHECK_FALSE(node.may_be(receipt, execution, 3));
    CHECK_FALSE(node.may_be(receipt, execution_id{1}, 2));
    CHECK(other.may_be(receipt, execution, 3));
    for (auto const* text : {"", "0", "no receipt of any node!!", "0123456789ABCDEF01234567"})
        CHECK_FALSE(node.may_be(text, execution, 2));
}

} // namespace stamps_test
