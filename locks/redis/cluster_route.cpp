#include "locks/redis/cluster_route.hpp"

#include "locks/redis/slot.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace baton::lock {

namespace {

constexpr duration retry_pause = 50ms;
constexpr int max_redirects = 5;
constexpr std::int64_t max_unreachable = 3; // nodes that one command can try in vain

struct cluster_node {
    explicit cluster_node(redis_location there) : where(std::move(there)) {}
    ~cluster_node()
    {
        if (connection)
            connection->close("no longer needed");
    }
    cluster_node(cluster_node const&) = delete;
    cluster_node& operator=(cluster_node const&) = delete;
    bool is_open() const { return connection && connection->is_open(); }

    redis_location where;
    bool in_url = false;
    std::shared_ptr<redis_connection> connection;
    bool proven = false; // that it belongs to a cluster
};

using node_ptr = std::shared_ptr<cluster_node>;

class cluster_route final : public redis_route {
public:
    cluster_route(redis_url const& url, redis_connection_deps deps) : login_(url.login), deps_(deps)
    {
        for (auto const& each : url.servers)
            node_at(each)->in_url = true;
    }

    awaitable<void> connect(redis_routed_command& command) override
    {
        auto const candidates =
            command.asking_at ? std::vector<node_ptr>{node_at(*command.asking_at)} : nodes_for(slot_of(command.key));
        command.connection = co_await connect_to_first(candidates, command.until);
    }

    std::optional<duration> handle_error(redis_routed_command& command, std::string const& error) override
    {
        command.asking_at.reset();
        if (auto const redirect = redirect_of(error))
            return follow(*redirect, command);
        command.redirects = 0;
        if (has_code(error, "TRYAGAIN")) // some of the keys are being migrated
            return retry_pause;
        if (!has_code(error, "CLUSTERDOWN") && !has_code(error, "LOADING") && !has_code(error, "MASTERDOWN") &&
            !has_code(error, "READONLY"))
            return std::nullopt;
        command.connection->close(error); // other nodes are tried first
        slots_.erase(slot_of(command.key));
        return retry_pause;
    }

    unsigned partition_of(std::string const& key) const override { return slot_of(key); }

    void distrust(std::string const& key) override
    {
        if (auto const known = slots_.find(slot_of(key)); known != slots_.end())
            known->second->proven = false;
    }

    // All nodes publish a message, whichever node received it.
    awaitable<redis_location> find_publisher(instant until) override
    {
        if (!publisher_ || !publisher_->is_open()) {
            auto const candidates = nodes_for(std::nullopt);
            publisher_ = co_await connect_to_first(candidates, until);
        }
        co_return publisher_->where();
    }

private:
    std::optional<duration> follow(redis_redirect const& redirect, redis_routed_command& command)
    {
        auto const& sender = command.connection->where();
        auto const where = login_.at(redirect.host.empty() ? sender.host : redirect.host, redirect.port);
        if (!where || ++command.redirects > max_redirects)
            return std::nullopt;
        if (redirect.for_good)
            slots_[slot_of(command.key)] = node_at(*where);
        else
            command.asking_at = where;
        return duration{};
    }

    node_ptr node_at(redis_location const& where)
    {
        if (auto const found = nodes_.find(where.text()); found != nodes_.end())
            return found->second;
        std::erase_if(nodes_, [](auto const& each) { // nodes without a slot
            return each.second.use_count() == 1 && !each.second->in_url;
        });
        return nodes_.emplace(where.text(), std::make_shared<cluster_node>(where)).first->second;
    }

    // The slot's node, then the others, connected ones first.
    std::vector<node_ptr> nodes_for(std::optional<unsigned> slot) const
    {
        std::vector<node_ptr> all;
        for (auto const& [name, each] : nodes_)
            all.push_back(each);
        std::stable_partition(all.begin(), all.end(), [](node_ptr const& each) { return each->is_open(); });
        if (!slot || !slots_.contains(*slot))
            return all;
        auto const owner = slots_.at(*slot);
        std::stable_partition(all.begin(), all.end(), [&](node_ptr const& each) { return each == owner; });
        return all;
    }

    awaitable<std::shared_ptr<redis_connection>> connect_to_first(std::vector<node_ptr> const& all, instant until)
    {
        auto const share = (until - deps_.time.now()) / max_unreachable;
        std::string failure_text = "no time was left to try a node";
        for (auto const& each : all) {
            auto const now = deps_.time.now();
            if (now >= until)
                break;
            try {
                co_await open(*each, std::min(until, now + share));
                co_return each->connection;
            } catch (unavailable const& failure) {
                failure_text = failure.what();
                std::erase_if(slots_, [&](auto const& known) { return known.second == each; });
            }
        }
        throw unavailable(failure_text);
    }

    // Makes sure that the server belongs to a cluster: a standalone server would grant the lock too.
    awaitable<void> open(cluster_node& to, instant until)
    {
        if (to.is_open() && to.proven)
            co_return;
        if (!to.is_open()) {
            to.proven = false;
            to.connection = redis_connection::open(to.where, deps_);
        }
        auto const connection = to.connection;
        redis_command const words{"CLUSTER", "INFO"};
        auto const answer = co_await connection->call(words, until);
        if (answer.is_error())
            throw unavailable("Redis " + to.where.text() + ": " + answer.text);
        to.proven = to.proven || connection == to.connection;
    }

    redis_location login_;
    redis_connection_deps deps_;
    std::map<std::string, node_ptr> nodes_; // by host and port
    std::map<unsigned, node_ptr> slots_;    // as far as redirects named their nodes
    std::shared_ptr<redis_connection> publisher_;
};

} // namespace

std::unique_ptr<redis_route> make_cluster_route(redis_url const& url, redis_connection_deps deps)
{
    return std::make_unique<cluster_route>(url, deps);
}

} // namespace baton::lock
