#include "web/dashboard.hpp"

#include "libs/base/random.hpp"
#include "web/content_encoding.hpp"
#include "web/fingerprint.hpp"
#include "web/query_parameters.hpp"

namespace baton::web {

namespace {

constexpr std::string_view nonce_mark = "%BATON_NONCE%";
constexpr char no_dashboard[] =
    "This is baton web. Its REST API is at /api/v1 (docs/openapi.yaml), and `baton --help`\n"
    "lists the commands that use it.\n"
    "This program was built without the dashboard. scripts/setup and scripts/build\n"
    "build one with it, if the machine reaches a registry of npm packages.\n";

// Allows the dashboard's own files, the API of the same origin, and the <style> elements that carry the nonce.
std::string policy(std::string const& nonce)
{
    return "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-" + nonce +
           "'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}

std::string with_nonce(std::string_view page, std::string const& nonce)
{
    std::string text(page);
    for (auto at = text.find(nonce_mark); at != std::string::npos; at = text.find(nonce_mark, at + nonce.size()))
        text.replace(at, nonce_mark.size(), nonce);
    return text;
}

// The nonce differs in each answer, so no cache may keep the page.
http::response page_answer(std::string_view page)
{
    auto const nonce = secret_hex(16);
    http::response answer;
    answer.headers.set("Content-Type", "text/html; charset=utf-8");
    answer.headers.set("Content-Security-Policy", policy(nonce));
    answer.headers.set("Referrer-Policy", "no-referrer");
    answer.headers.set("Cache-Control", "no-store");
    answer.body = with_nonce(page, nonce);
    return answer;
}

// A file's bytes in one form. Forms of a file have different ETags (RFC 9110, 8.8.3.3).
struct form {
    content_encoding encoding;
    std::string_view bytes;
    std::string etag;
};

class served_file {
public:
    explicit served_file(dashboard_file const& file) : file_(file), fingerprint_(fingerprint(file.plain)) {}

    http::response answer(http::request const& message) const
    {
        auto const form = choose(message);
        http::response answer;
        answer.headers.set("ETag", form.etag);
        answer.headers.set("Vary", "Accept-Encoding");
        // The name of an asset changes with its content.
        if (file_.path.starts_with("assets/"))
            answer.headers.set("Cache-Control", "public, max-age=31536000, immutable");
        if (knows_etag(message, form.etag)) {
            answer.status = 304;
            return answer;
        }
        answer.headers.set("Content-Type", file_.type);
        if (form.encoding != content_encoding::identity)
            answer.headers.set("Content-Encoding", name_of(form.encoding));
        answer.headers.set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
        answer.body = std::string(form.bytes);
        return answer;
    }

private:
    form choose(http::request const& message) const
    {
        auto const encoding = choose_encoding(message.headers.find("Accept-Encoding"),
                                              {.gzip = !file_.gzip.empty(), .brotli = !file_.brotli.empty()});
        switch (encoding) {
        case content_encoding::gzip:
            return {encoding, file_.gzip, '"' + fingerprint_ + "-gzip\""};
        case content_encoding::brotli:
            return {encoding, file_.brotli, '"' + fingerprint_ + "-br\""};
        case content_encoding::identity:
            break;
        }
        return {content_encoding::identity, file_.plain, '"' + fingerprint_ + '"'};
    }

    dashboard_file const& file_;
    std::string fingerprint_;
};

// Addresses of pages are the page's own; those of the API and of files are not, and neither is a name with an ending.
bool is_page(std::string_view path)
{
    for (std::string_view const other : {"/api/", "/assets/"})
        if (path.starts_with(other))
            return false;
    auto const name = path.substr(path.rfind('/') + 1);
    return path.starts_with('/') && name.find('.') == std::string_view::npos;
}

awaitable<http::response> page_or_nothing(std::string_view page, http::request const& message)
{
    co_return is_page(message.path()) ? page_answer(page)
                                      : http::problem(404, "Not Found", "there is nothing at this path");
}

awaitable<http::response> tell_no_dashboard(http::request const&)
{
    http::response answer;
    answer.headers.set("Content-Type", "text/plain; charset=utf-8");
    answer.body = no_dashboard;
    co_return answer;
}

awaitable<http::response> send_file(served_file const& file, http::request const& message)
{
    co_return file.answer(message);
}

awaitable<http::response> send_page(std::string_view page)
{
    co_return page_answer(page);
}

void add_page(http::router& table, std::string_view page)
{
    table.add(http::verb::get, "/", [page](http::request const&) { return send_page(page); });
    table.otherwise([page](http::request const& message) { return page_or_nothing(page, message); });
}

} // namespace

void serve_dashboard(http::router& table, std::vector<dashboard_file> const& files)
{
    if (files.empty())
        table.add(http::verb::get, "/", tell_no_dashboard);
    for (auto const& file : files) {
        if (file.path == "index.html") {
            add_page(table, file.plain);
            continue;
        }
        auto const served = std::make_shared<served_file const>(file);
        table.add(http::verb::get, '/' + file.path,
                  [served](http::request const& message) { return send_file(*served, message); });
    }
}

} // namespace baton::web
