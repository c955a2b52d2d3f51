#include "web/site.hpp"

#include "libs/storage/migrations.hpp"
#include "web/api/api.hpp"
#include "web/dashboard.hpp"
#include "web/gate.hpp"
#include "web/refusal.hpp"
#include "web/zone_follower.hpp"

namespace baton::web {

void settings::check(setting_check& all) const
{
    all.require(!name_space.empty() && name_space.size() <= 128, "election.namespace", "must have 1 to 128 characters");
    all.require(edit_lead >= 0s && edit_lead <= 60s, "web.edit_lead", "must be from 0 to 60 s");
    all.require(notify_limit > 0s && notify_limit <= 60s, "web.notify_limit", "must be above 0 and at most 60 s");
    all.require(zones_check >= 100ms && zones_check <= 24h, "zones.check", "must be from 100ms to 24h");
    all.require(master_cache >= 0s && master_cache <= 60s, "web.master_cache", "must be from 0 to 60 s");
    all.require(event_streams >= 1 && event_streams <= 10'000, "web.event_streams", "must be from 1 to 10000");
}

namespace {

http::response answer_of(refused const& refusal)
{
    auto no = refusal.answer();
    if (no.status == 401)
        no.headers.set("WWW-Authenticate", "Bearer");
    return no;
}

// An agent or node that was given the address of web. Not 404, which a client takes for a node that has forgotten it.
std::optional<http::response> refuse_misdirected(http::request const& head)
{
    auto const path = head.path();
    if (!path.starts_with("/client/") && !path.starts_with("/internal/"))
        return std::nullopt;
    return http::problem(421, "Misdirected Request",
                         "this is baton web; clients and nodes call a trigger node, by default on port 7800");
}

awaitable<http::response> call(context& site, bool guarded, endpoint which, http::request const& message)
{
    http::response no;
    try {
        if (guarded)
            admit(message, site.settings.token);
        co_return co_await which(site, message);
    } catch (refused const& refusal) {
        no = answer_of(refusal);
    } catch (storage::already_exists const& taken) {
        no = refused(409, taken.what(), "name").answer();
    } catch (storage::schema_mismatch const& mismatch) {
        no = refused(503, mismatch.what()).answer();
    }
    co_return no;
}

} // namespace

void serve(http::router& table, context& site, http::verb method, std::string pattern, endpoint which)
{
    bool const guarded = pattern.starts_with("/api/");
    table.add(method, std::move(pattern),
              [&site, guarded, which](http::request const& message) { return call(site, guarded, which, message); });
}

struct site::parts {
    parts(settings const& chosen, dependencies const& given) : shared(chosen, given)
    {
        serve_tasks(table, shared);
        serve_task_actions(table, shared);
        serve_skip_next(table, shared);
        serve_task_versions(table, shared);
        serve_calendars(table, shared);
        serve_events(table, shared);
        serve_executions(table, shared);
        serve_dead_letters(table, shared);
        serve_nodes(table, shared);
        serve_overview(table, shared);
        serve_terms(table, shared);
        serve_services(table, shared);
        serve_service_settings(table, shared);
        serve_zones(table, shared);
        serve_clients(table, shared);
        serve_schedules(table, shared);
        serve_cron(table, shared);
        serve_health(table, shared);
        serve_dashboard(table, dashboard_files());
    }

    awaitable<http::response> answer(http::request const& message) const
    {
        http::response answer;
        if (auto const misdirected = refuse_misdirected(message))
            answer = *misdirected;
        else
            answer = co_await table.handle(message);
        answer.headers.set("X-Content-Type-Options", "nosniff");
        if (!answer.headers.find("Cache-Control"))
            answer.headers.set("Cache-Control", "no-cache");
        co_return answer;
    }

    context shared;
    http::router table;
};

site::site(settings chosen, dependencies given)
{
    require_valid(chosen);
    parts_ = std::make_unique<parts>(chosen, given);
}

site::~site() = default;

awaitable<void> site::run()
{
    zone_follower zones(parts_->shared.zones, parts_->shared.deps.time, parts_->shared.settings.zones_check);
    using namespace asio::experimental::awaitable_operators;
    co_await (zones.run() && parts_->shared.events.run());
}

http::handler site::routes()
{
    return [parts = parts_.get()](http::request const& message) { return parts->answer(message); };
}

http::admitter site::admitter() const
{
    return [token = parts_->shared.settings.token](http::request const& head) {
        http::admission admission;
        admission.refusal = refuse_misdirected(head);
        if (admission.refusal)
            return admission;
        if (!head.path().starts_with("/api/")) {
            admission.body_limit = 0;
            return admission;
        }
        try {
            admit(head, token);
        } catch (refused const& refusal) {
            admission.refusal = answer_of(refusal);
        }
        return admission;
    };
}

} // namespace baton::web
