#pragma once

#include "libs/base/digest.hpp"
#include "libs/base/id.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace baton::trigger {

// Tickets and receipts: a ticket is issued with each registration, and a receipt with each execution that is
// dispatched. They are opaque to clients. They are derived from secrets, so that they cost no memory and a repeated
// message has the same ones. Only the home of a client checks its ticket. Every node checks every receipt, because a
// client may report to any node when its home fails. On the loop only.
class stamps {
public:
    // `secret`: of this node's incarnation.
    explicit stamps(std::string const& secret);
    // The secret of all nodes (storage::cluster_secret), for the receipts. Without it no other node knows them.
    void share(std::string const& secret);

    // Of the registration that this node took under this number.
    std::string ticket(std::string const& instance, std::int64_t generation) const;

    std::string receipt(execution_id execution, int attempt) const;
    // Only the client that the attempt was sent to knows its receipt.
    bool is_receipt(std::string const& text, execution_id execution, int attempt) const;

private:
    hmac_key tickets_;
    std::unique_ptr<hmac_key> receipts_;
};

} // namespace baton::trigger
