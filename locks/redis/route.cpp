#include "locks/redis/route.hpp"

namespace baton::lock {

namespace {

class route_to_one final : public redis_route {
public:
    route_to_one(redis_location where, redis_connection_deps deps) : where_(std::move(where)), deps_(deps) {}
    ~route_to_one() override
    {
        if (connection_)
            connection_->close("no longer needed");
    }

    awaitable<void> connect(redis_routed_command& command) override
    {
        if (!connection_ || !connection_->is_open())
            connection_ = redis_connection::open(where_, deps_);
        command.connection = connection_;
        co_return;
    }

    // The server has become a replica: its address may lead to its successor now.
    std::optional<duration> handle_error(redis_routed_command& command, std::string const& error) override
    {
        if (has_code(error, "READONLY"))
            command.connection->close(error);
        return std::nullopt;
    }

    awaitable<redis_location> find_publisher(instant) override { co_return where_; }

private:
    redis_location where_;
    redis_connection_deps deps_;
    std::shared_ptr<redis_connection> connection_;
};

} // namespace

bool has_code(std::string const& error, char const* word)
{
    return error.substr(0, error.find(' ')) == word;
}

std::unique_ptr<redis_route> make_route_to(redis_location where, redis_connection_deps deps)
{
    return std::make_unique<route_to_one>(std::move(where), deps);
}

} // namespace baton::lock
