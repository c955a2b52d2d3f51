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

TEST_CASE("a receipt belongs to one attempt, and every node that shares the secret can tell")
{
    stamps node("the secret of a node");
    stamps other("another secret");
    execution_id const execution{381204117561114624};
    CHECK_FALSE(other.is_receipt(node.receipt(execution, 2), execution, 2));
    node.share("the secret of all");
    other.share("the secret of all");
    auto const receipt = node.receipt(execution, 2);
    CHECK(receipt == node.receipt(execution, 2)); // of a repeated dispatch
    for (auto const* at : {&node, &other}) {
        CHECK(at->is_receipt(receipt, execution, 2));
        CHECK_FALSE(at->is_receipt(receipt, execution, 3));
        CHECK_FALSE(at->is_receipt(receipt, execution_id{1}, 2));
        for (auto const* text : {"", "0", "no receipt of any node!!", "0123456789abcdef01234567"})
            CHECK_FALSE(at->is_receipt(text, execution, 2));
    }
    CHECK(node.ticket("host:1", 3) != other.ticket("host:1", 3));
}

} // namespace stamps_test
