#include "trigger/delivery/master_link.hpp"

#include "libs/protocol/revision.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr duration report_limit = 1s; // a report that is lost must not look like a master that cannot be reached
}

void master_link::open(std::int64_t epoch, local_master& master)
{
    led_ = epoch;
    here_ = &master;
}

// The other node that the lock row names as the master; null if there is none or the roster does not show it.
storage::node_record const* master_link::find() const
{
    auto const& row = deps_.election.last_row();
    if (!row || !row->owner || *row->owner == deps_.nodes.self().incarnation)
        return nullptr;
    return deps_.nodes.find(*row->owner);
}

awaitable<std::optional<protocol::report_answer>> master_link::send(protocol::report_request const& report)
{
    if (here_ != nullptr && led_ == deps_.epochs.value())
        co_return take(report);
    auto const* node = find();
    if (node == nullptr)
        co_return std::nullopt;
    auto message = http::text_request(http::verb::post, protocol::path_report, to_text(report));
    message.headers.set("Authorization", "Bearer " + node->secret);
    message.headers.set(protocol::revision_header, std::to_string(protocol::wire_revision));
    auto const to = http::parse_url(node->address);
    auto const master = node->incarnation;
    try {
        auto const answer = co_await deps_.http.send(to, std::move(message), report_limit);
        if (answer.status == 200) {
            if (taken_)
                taken_(master);
            co_return http::parse_json(answer.body).get<protocol::report_answer>();
        }
    } catch (unavailable const&) {
        // The reporter tries again.
    }
    co_return std::nullopt;
}

std::optional<protocol::report_answer> master_link::take(protocol::report_request const& report)
{
    if (here_ == nullptr || !deps_.epochs.concerns(report.term) ||
        led_ < std::max(report.term.epoch, deps_.epochs.value()))
        return std::nullopt;
    return here_->report(report);
}

bool master_link::may_deliver() const
{
    auto const epoch = deps_.epochs.value();
    return epoch != led_ || deps_.election.released() == led_ || deps_.election.state().active(led_, deps_.time.now());
}

} // namespace baton::trigger
