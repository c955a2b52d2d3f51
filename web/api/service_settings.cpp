// Settings of services and of projects.

#include "libs/base/characters.hpp"
#include "libs/base/log.hpp"
#include "libs/protocol/task.hpp"
#include "libs/schedule/time_zone.hpp"
#include "web/api/api.hpp"
#include "web/query_parameters.hpp"
#include "web/refusal.hpp"

namespace baton::web {

namespace {

protocol::service_key settings_key(http::request const& message)
{
    auto const service = message.params.find("service");
    return {message.params.at("project"), service == message.params.end() ? std::string() : service->second};
}

nlohmann::json show_settings(protocol::scope_settings const& which)
{
    nlohmann::json body{
        {"project", which.of.project}, {"version", which.version}, {"settings", protocol::to_json(which.settings)}};
    if (!which.of.service.empty())
        body["service"] = which.of.service;
    return body;
}

http::response answer_settings(nlohmann::json const& body, int version)
{
    auto answer = http::json_response(200, body);
    if (version != 0)
        answer.headers.set("ETag", etag_of(version));
    return answer;
}

refused no_settings(protocol::service_key const& which)
{
    auto const project = "the project " + in_quotes(which.project);
    if (which.service.empty())
        return {404, "no task and no client belongs to " + project + ", and it has no settings yet", "project"};
    return {404,
            "no task and no client names the service " + in_quotes(which.service) + " of " + project +
                ", and it has no settings yet",
            "service"};
}

awaitable<http::response> read_settings(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const which = settings_key(message);
    auto const found = co_await site.services.settings(which);
    bool const known = found.version != 0 || co_await site.services.known(which);
    if (!known)
        throw no_settings(which);
    co_return answer_settings(show_settings(found), found.version);
}

// Settings may be there before the first task, so the names must be such as a task may have.
void expect_possible(protocol::service_key const& which)
{
    constexpr std::size_t longest_service = 100;
    auto const expect_length = [](std::string const& name, char const* field, std::size_t longest) {
        if (count_characters(name) > longest)
            throw invalid_input(field,
                                std::string(field) + " is longer than " + std::to_string(longest) + " characters");
    };
    try {
        expect_length(which.project, "project", protocol::longest_project);
        expect_length(which.service, "service", longest_service);
        protocol::check_name(which.project, "project");
        if (!which.service.empty())
            protocol::check_name(which.service, "service");
    } catch (invalid_input const& wrong) {
        throw refused(404, wrong.what(), wrong.field());
    }
}

protocol::service_settings read_settings_document(nlohmann::json const& document)
{
    auto wanted = as_document([&] {
        auto settings = protocol::parse_service_settings(document);
        protocol::check_new_defaults(settings);
        return settings;
    });
    if (auto const zone = wanted.defaults.find("zone"); zone != wanted.defaults.end()) {
        try {
            schedule::time_zone const known(zone->get<std::string>());
        } catch (invalid_input const& wrong) {
            throw refused(422, wrong.what(), "defaults.zone");
        }
    }
    return wanted;
}

awaitable<http::response> put_settings(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const seen = seen_version(message);
    auto const which = settings_key(message);
    expect_possible(which);
    auto const document = read_body(message);
    auto const wanted = read_settings_document(document);
    auto const done = co_await site.services.set_settings(which, seen, wanted, site.ids);
    if (done.outcome == storage::settings_outcome::stale_version)
        throw refused(412, "the settings were changed since the version in If-Match; read them again", "If-Match");
    bool const notified =
        co_await site.master.notify(protocol::signal_kind::settings, done.signal, done.signal.value());
    log::info("web", "the settings of a service or project were changed",
              {{"project", which.project}, {"service", which.service}, {"version", done.now.version}});
    auto body = show_settings(done.now);
    body["master_notified"] = notified;
    co_return answer_settings(body, done.now.version);
}

} // namespace

void serve_service_settings(http::router& table, context& site)
{
    for (std::string const each :
         {"/api/v1/services/{project}/{service}/settings", "/api/v1/projects/{project}/settings"}) {
        serve(table, site, http::verb::get, each, read_settings);
        serve(table, site, http::verb::put, each, put_settings);
    }
}

} // namespace baton::web
