#include "web/master_finder.hpp"

#include <memory>

namespace baton::web {

awaitable<std::optional<master_finder::place>> master_finder::find()
{
    auto const now = time_.now();
    if (!known_at_ || now - *known_at_ >= keep_) {
        known_at_ = now; // other calls use the known address meanwhile
        bool found = false;
        std::shared_ptr<void> const at_end(nullptr, [&](auto) {
            if (!found)
                known_at_.reset();
        });
        known_ = co_await look_up();
        found = true;
    }
    co_return known_;
}

// The lease names the master; the node's own row has the secret for calls to it. A secret is only ever sent to the
// address in its own row.
awaitable<std::optional<master_finder::place>> master_finder::look_up()
{
    auto const row = co_await lease_.poll();
    if (!row.owner || row.expired)
        co_return std::nullopt;
    auto const all = co_await nodes_.all();
    std::optional<place> found;
    for (auto const& node : all)
        if (node.incarnation == *row.owner)
            found = place{http::parse_url(node.address), node.secret};
    co_return found;
}

} // namespace baton::web
