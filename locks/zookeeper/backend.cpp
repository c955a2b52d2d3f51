#include "locks/core/backend.hpp"

#include "locks/zookeeper/kind.hpp"
#include "locks/zookeeper/session.hpp"
#include "locks/zookeeper/url.hpp"

#include <set>

namespace baton::lock {

namespace {

std::chrono::milliseconds session_time(url_parameters const& parameters)
{
    parameters.check_names("ZooKeeper", {"session"});
    return parameters.span("session", std::chrono::milliseconds{200}, std::chrono::hours{1}, std::chrono::seconds{10});
}

class zookeeper_backend final : public backend {
public:
    zookeeper_backend(std::string const& url, url_parameters const& parameters, store_options const& options,
                      backend_deps deps)
        : deps_(deps), location_(parse_zookeeper_url(url))
    {
        zoo_session_settings settings{location_.hosts, session_time(parameters), options.limit, deps.loop, deps.time};
        session_ = std::make_shared<zoo_session>(std::move(settings));
    }
    // Objects that still refer to the session can then do nothing.
    ~zookeeper_backend() override { session_->close(); }

    std::vector<std::unique_ptr<lock_kind>> kinds() override
    {
        std::vector<std::unique_ptr<lock_kind>> all;
        all.push_back(make_zookeeper_kind("zookeeper", session_, deps_.loop, location_.root, deps_.random));
        for (auto const& each : shared_kind_specs)
            all.push_back(make_zookeeper_kind(each.kind, session_, deps_.loop, root_of(each.set), deps_.random));
        return all;
    }
    awaitable<void> create_tables() override
    {
        auto const all = roots();
        for (auto const& root : all)
            co_await make_zookeeper_root(*session_, root);
    }
    awaitable<std::size_t> reap(duration age) override
    {
        auto const all = roots();
        std::size_t removed = 0;
        for (auto const& root : all)
            removed += co_await reap_zookeeper(*session_, root, age);
        co_return removed;
    }

private:
    std::string root_of(char const* set) const { return location_.root + "-" + set; }
    std::set<std::string> roots() const
    {
        std::set<std::string> all{location_.root};
        for (auto const& each : shared_kind_specs)
            all.insert(root_of(each.set));
        return all;
    }

    backend_deps deps_;
    zookeeper_location location_;
    std::shared_ptr<zoo_session> session_;
};

} // namespace

std::unique_ptr<backend> open_zookeeper_backend(std::string const& url, url_parameters const& parameters,
                                                store_options const& options, backend_deps deps)
{
    return std::make_unique<zookeeper_backend>(url, parameters, options, deps);
}

} // namespace baton::lock
