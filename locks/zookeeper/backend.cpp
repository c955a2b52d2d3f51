#include "locks/core/backend.hpp"

#include "locks/zookeeper/kind.hpp"
#include "locks/zookeeper/session.hpp"
#include "locks/zookeeper/url.hpp"

#include <set>

namespace baton::lock {

namespace {

class zookeeper_backend final : public backend {
public:
    zookeeper_backend(std::string const& url, store_options const& how, backend_deps parts)
        : parts_(parts), where_(parse_zookeeper_url(url))
    {
        zoo_parts needs{where_.hosts, how.zookeeper_session, how.limit, parts.loop, parts.time};
        session_ = std::make_shared<zoo_session>(std::move(needs));
    }
    // What others still have of it can do nothing then.
    ~zookeeper_backend() override { session_->close(); }

    std::vector<std::unique_ptr<lock_kind>> kinds() override
    {
        std::vector<std::unique_ptr<lock_kind>> all;
        all.push_back(make_zookeeper_kind("zookeeper", session_, parts_.loop, where_.root, parts_.random));
        for (auto const& each : shared_kind_specs)
            all.push_back(make_zookeeper_kind(each.kind, session_, parts_.loop, root_of(each.set), parts_.random));
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
    std::string root_of(char const* set) const { return where_.root + "-" + set; }
    std::set<std::string> roots() const
    {
        std::set<std::string> all{where_.root};
        for (auto const& each : shared_kind_specs)
            all.insert(root_of(each.set));
        return all;
    }

    backend_deps parts_;
    zookeeper_place where_;
    std::shared_ptr<zoo_session> session_;
};

} // namespace

std::unique_ptr<backend> open_zookeeper_backend(std::string const& url, store_options const& how, backend_deps parts)
{
    return std::make_unique<zookeeper_backend>(url, how, parts);
}

} // namespace baton::lock
