#include "trigger/clients/stamps.hpp"

#include "libs/base/random.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr std::size_t issuer_digits = 8;
constexpr std::size_t receipt_digits = 16;
constexpr std::size_t ticket_digits = 32;
}

stamps::stamps(std::string const& secret) : key_(secret), issuer_(key_.hex("baton issuer").substr(0, issuer_digits)) {}

std::string stamps::ticket(std::string const& instance, std::int64_t generation) const
{
    return key_.hex("baton ticket\n" + instance + "\n" + std::to_string(generation)).substr(0, ticket_digits);
}

std::string stamps::receipt(execution_id execution, int attempt) const
{
    auto const what = "baton receipt\n" + to_string(execution) + "\n" + std::to_string(attempt);
    return issuer_ + key_.hex(what).substr(0, receipt_digits);
}

bool stamps::may_be(std::string const& receipt, execution_id execution, int attempt) const
{
    auto const is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    if (receipt.size() != issuer_digits + receipt_digits || !std::all_of(receipt.begin(), receipt.end(), is_digit))
        return false;
    return !receipt.starts_with(issuer_) || same_secret(receipt, this->receipt(execution, attempt));
}

} // namespace baton::trigger
