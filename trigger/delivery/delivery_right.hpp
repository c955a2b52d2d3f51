#pragma once

#include "libs/protocol/term_id.hpp"
#include "trigger/delivery/master_link.hpp"

#include <cstdint>
#include <string>

namespace baton::trigger {

// Under which term this node delivers, and whether it may. On the loop only.
class delivery_right {
public:
    virtual std::string const& self() const = 0; // incarnation
    virtual protocol::term_id term() const = 0;  // the highest that this node knows
    virtual bool valid() const = 0;              // false: the other nodes may count this one as gone
    virtual std::uint64_t lapses() const = 0;    // how often it has become valid again
    virtual bool term_lets_deliver() const = 0;  // false: the term is this node's own, and it may not act now

protected:
    ~delivery_right() = default;
};

// By this node's membership and mastership.
class node_right final : public delivery_right {
public:
    node_right(membership const& nodes, known_epoch const& epochs, master_link const& master)
        : nodes_(nodes), epochs_(epochs), master_(master)
    {}

    std::string const& self() const override { return nodes_.self().incarnation; }
    protocol::term_id term() const override { return epochs_.term(); }
    bool valid() const override { return nodes_.valid(); }
    std::uint64_t lapses() const override { return nodes_.lapses(); }
    bool term_lets_deliver() const override { return master_.may_deliver(); }

private:
    membership const& nodes_;
    known_epoch const& epochs_;
    master_link const& master_;
};

} // namespace baton::trigger
