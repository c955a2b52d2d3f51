#include "trigger/clients/stamps.hpp"

#include "libs/base/random.hpp"

namespace baton::trigger {

namespace {
constexpr std::size_t receipt_digits = 24;
constexpr std::size_t ticket_digits = 32;
}

stamps::stamps(std::string const& secret) : tickets_(secret), receipts_(std::make_unique<hmac_key>(secret)) {}

void stamps::share(std::string const& secret)
{
    receipts_ = std::make_unique<hmac_key>(secret);
}

std::string stamps::ticket(std::string const& instance, std::int64_t generation) const
{
    return tickets_.hex("baton ticket\n" + instance + "\n" + std::to_string(generation)).substr(0, ticket_digits);
}

std::string stamps::receipt(execution_id execution, int attempt) const
{
    auto const what = "baton receipt\n" + to_string(execution) + "\n" + std::to_string(attempt);
    return receipts_->hex(what).substr(0, receipt_digits);
}

bool stamps::is_receipt(std::string const& text, execution_id execution, int attempt) const
{
    return same_secret(text, receipt(execution, attempt));
}

} // namespace baton::trigger
