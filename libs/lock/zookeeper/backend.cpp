#include "libs/lock/named/backend.hpp"

#include "libs/lock/zookeeper/kind.hpp"
#include "libs/lock/zookeeper/session.hpp"
#include "libs/lock/zookeeper/url.hpp"

namespace baton::lock {

namespace {

class zookeeper_backend final : public backend {
public:
    zookeeper_backend(std::string const& url, store_options const& how, backend_parts parts)
        : parts_(parts), where_(parse_zookeeper_url(url))
    {
        zoo_parts needs{where_.hosts, how.zookeeper_session, how.limit, parts.loop, parts.time};
        session_ = std::make_shared<zoo_session>(std::move(needs));
    }
    // What others still have of it can do nothing then.
    ~zookeeper_backend() override { session_->close(); }

    std::vector<std::unique_ptr<kind>> kinds() override
    {
        std::vector<std::unique_ptr<kind>> all;
        all.push_back(make_zookeeper_kind(session_, parts_.loop, where_.root, parts_.random));
        return all;
    }
    awaitable<void> create_tables() override { return make_zookeeper_root(*session_, where_.root); }
    awaitable<std::size_t> reap(duration age) override { return reap_zookeeper(*session_, where_.root, age); }

private:
    backend_parts parts_;
    zookeeper_place where_;
    std::shared_ptr<zoo_session> session_;
};

} // namespace

std::unique_ptr<backend> open_zookeeper_backend(std::string const& url, store_options const& how, backend_parts parts)
{
    return std::make_unique<zookeeper_backend>(url, how, parts);
}

} // namespace baton::lock
