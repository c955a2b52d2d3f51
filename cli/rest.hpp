#pragma once

#include "cli/commands.hpp"
#include "libs/http/client.hpp"

#include <nlohmann/json.hpp>

#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace baton::cli {

// The web process refused the request or could not be reached. The text is for people.
class request_failed : public std::exception {
public:
    request_failed(int status, std::string what) : status_(status), what_(std::move(what)) {}
    char const* what() const noexcept override { return what_.c_str(); }
    int status() const noexcept { return status_; } // HTTP status; 0 without an answer

private:
    int status_;
    std::string what_;
};

// A refusal of the server for people at the command line: names options instead of parts of a query.
std::string in_own_words(std::string text);

// Calls to a web process, one at a time; each blocks until it is answered.
class rest {
public:
    explicit rest(common_options const& options);

    // The answer's JSON. Throws request_failed for any status of 400 or more.
    nlohmann::json get(std::string const& target);
    // `key` is the Idempotency-Key of a run, or empty.
    nlohmann::json send(http::verb method, std::string const& target, nlohmann::json const& body = {},
                        std::string const& key = {});

    // Replaces the definition of a task, unless another has changed it since it was read as `task`: then throws
    // request_failed with status 412. Members that only the server writes are ignored. `query` may be empty.
    nlohmann::json replace(nlohmann::json const& task, std::string const& query = {});

    // Puts the document, unless the resource has another version by now. `version` 0: it has none yet.
    nlohmann::json put(std::string const& target, nlohmann::json const& document, int version);

    // The task of this project and exactly this name, or nothing.
    std::optional<nlohmann::json> find_task(std::string const& name, std::string const& project);

    // All items of a paged list, at most `most`. `target` may have a query.
    std::vector<nlohmann::json> list(std::string const& target, std::size_t most);

    // The same as one page, as REST answers it: {"items": [...], "next": null, or the place after the last item}.
    // `after` is the `next` of the page before, or null.
    nlohmann::json page(std::string const& target, std::size_t most, nlohmann::json after = {});

    // The id of the task that the text names: "id:12" is an id, "name:12" a name, and else a name in `project` counts
    // before an id. Throws request_failed when there is none.
    std::string task_id(std::string const& id_or_name, std::string const& project);

    // The same, but if there is no such task, the newest deleted one of this name; `told` gets a line that says so.
    std::string past_task_id(std::string const& id_or_name, std::string const& project, std::ostream& told);

private:
    std::pair<std::string, std::string> find_id(std::string const& id_or_name, std::string const& project);
    nlohmann::json exchange(http::request message);
    http::response send_once(http::request message);
    void refuse_trigger();

    http::url server_;
    std::string token_;
    asio::io_context loop_{1};
    system_time time_;
    std::unique_ptr<http::client> http_;
};

} // namespace baton::cli
