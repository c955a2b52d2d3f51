#include "locks/redis/route.hpp"

namespace baton::lock {

namespace {

class route_to_one final : public redis_route {
public:
    route_to_one(redis_location where, redis_connection_parts parts) : where_(std::move(where)), parts_(parts) {}
    ~route_to_one() override
    {
        if (by_)
            by_->close("not needed any more");
    }

    awaitable<void> lead(redis_errand& of) override
    {
        if (!by_ || !by_->is_open())
            by_ = redis_connection::open(where_, parts_);
        of.by = by_;
        co_return;
    }

    // A server that has become a replica: what the address leads to now may be its successor.
    std::optional<duration> turned_away(redis_errand& of, std::string const& error) override
    {
        if (says(error, "READONLY"))
            of.by->close(error);
        return std::nullopt;
    }

    awaitable<redis_location> find_news(instant) override { co_return where_; }

private:
    redis_location where_;
    redis_connection_parts parts_;
    std::shared_ptr<redis_connection> by_;
};

} // namespace

bool says(std::string const& error, char const* word)
{
    return error.substr(0, error.find(' ')) == word;
}

std::unique_ptr<redis_route> make_route_to(redis_location where, redis_connection_parts parts)
{
    return std::make_unique<route_to_one>(std::move(where), parts);
}

} // namespace baton::lock
