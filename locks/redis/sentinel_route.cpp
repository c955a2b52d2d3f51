#include "locks/redis/sentinel_route.hpp"

#include <algorithm>
#include <vector>

namespace baton::lock {

namespace {

constexpr duration search_pause = 100ms; // pause before the next search for a new master

struct sentinel {
    redis_location where;
    std::shared_ptr<redis_connection> connection = {};
};

class sentinel_route final : public redis_route {
public:
    sentinel_route(redis_url const& url, redis_connection_deps deps) : name_(url.master), login_(url.login), deps_(deps)
    {
        for (auto const& each : url.servers)
            sentinels_.push_back({each});
    }

    ~sentinel_route() override
    {
        if (master_)
            master_->close("no longer needed");
        for (auto const& each : sentinels_)
            if (each.connection)
                each.connection->close("no longer needed");
    }

    awaitable<void> connect(redis_routed_command& command) override
    {
        if (!verified_ || !master_->is_open())
            co_await search(command.until);
        command.connection = master_;
    }

    std::optional<duration> handle_error(redis_routed_command& command, std::string const& error) override
    {
        if (!has_code(error, "READONLY") && !has_code(error, "LOADING") && !has_code(error, "MASTERDOWN"))
            return std::nullopt;
        command.connection->close(error);
        return search_pause;
    }

    void distrust(std::string const&) override { verified_ = false; }

    awaitable<redis_location> find_publisher(instant until) override
    {
        redis_routed_command command{"", until};
        co_await connect(command);
        co_return command.connection->where();
    }

private:
    // Concurrent searches share the connections to the sentinels.
    awaitable<void> search(instant until)
    {
        auto const count = sentinels_.size();
        auto const share = (until - deps_.time.now()) / static_cast<std::int64_t>(count + 1);
        auto const begin = preferred_;
        std::string failure_text;
        for (std::size_t tried = 0; tried < count; ++tried) {
            auto const number = (begin + tried) % count;
            try {
                auto const where = co_await ask(sentinels_[number], std::min(until, deps_.time.now() + share));
                co_await verify(where, std::min(until, deps_.time.now() + share));
                preferred_ = number;
                co_return;
            } catch (unavailable const& failure) {
                failure_text = failure.what();
            }
        }
        throw unavailable("no sentinel led to the master '" + name_ + "'; last failure: " + failure_text);
    }

    awaitable<redis_location> ask(sentinel& one, instant until)
    {
        if (!one.connection || !one.connection->is_open())
            one.connection = redis_connection::open(one.where, deps_);
        auto const connection = one.connection;
        redis_command const words{"SENTINEL", "GET-MASTER-ADDR-BY-NAME", name_};
        auto const answer = co_await connection->call(words, until);
        if (answer.is_error())
            throw unavailable("sentinel " + connection->where().text() + ": " + answer.text);
        if (answer.list.size() != 2)
            throw unavailable("sentinel " + connection->where().text() + " does not know the master '" + name_ + "'");
        auto const where = login_.at(answer.list[0].text, answer.list[1].text);
        if (!where)
            throw unavailable("sentinel " + connection->where().text() +
                              " answered with an invalid address: " + answer.list[0].text);
        co_return *where;
    }

    awaitable<void> verify(redis_location where, instant until)
    {
        if (!master_ || !master_->is_open() || master_->where() != where) {
            verified_ = false;
            if (master_)
                master_->close("no longer the master");
            master_ = redis_connection::open(where, deps_);
        }
        auto const connection = master_;
        redis_command const words{"ROLE"};
        auto const answer = co_await connection->call(words, until);
        if (answer.list.empty() || answer.list[0].text != "master") {
            auto const role = answer.list.empty() ? answer.text : "a " + answer.list[0].text;
            connection->close("not a master");
            throw unavailable("Redis " + where.text() + " is not the master: " + role);
        }
        if (connection != master_)
            throw unavailable("Redis " + where.text() + ": the sentinels named another master in the meantime");
        verified_ = true;
    }

    std::string name_;
    redis_location login_;
    redis_connection_deps deps_;
    std::vector<sentinel> sentinels_;
    std::size_t preferred_ = 0; // index of the sentinel that answered most recently
    std::shared_ptr<redis_connection> master_;
    bool verified_ = false; // the server said that it is the master
};

} // namespace

std::unique_ptr<redis_route> make_sentinel_route(redis_url const& url, redis_connection_deps deps)
{
    return std::make_unique<sentinel_route>(url, deps);
}

} // namespace baton::lock
