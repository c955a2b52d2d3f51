#pragma once

#include "libs/base/digest.hpp"
#include "libs/base/id.hpp"

#include <cstdint>
#include <string>

namespace baton::trigger {

// Tickets and receipts that this node issues and later checks: a ticket with each registration, and a receipt with each
// execution that it dispatches. They are opaque to clients. They are derived from the secret of this incarnation, so
// that they cost no memory and a repeated message has the same ones. Another node can check neither. On the loop only.
class stamps {
public:
    explicit stamps(std::string const& secret);

    // Of the registration that this node took under this number.
    std::string ticket(std::string const& instance, std::int64_t generation) const;

    std::string receipt(execution_id execution, int attempt) const;
    // False for a receipt of this node that belongs to another attempt, and for text that no node issues. A receipt of
    // another node may be right.
    bool may_be(std::string const& receipt, execution_id execution, int attempt) const;

private:
    hmac_key key_;
    std::string issuer_; // the part of a receipt that tells whose it is
};

} // namespace baton::trigger
