#include "web/page.hpp"

#include "web/fingerprint.hpp"
#include "web/ui_files.hpp"

namespace baton::web {

namespace {

// Allows the page's own files and the API of the same origin, and nothing else.
constexpr char policy[] = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
                          "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

struct page_file {
    std::string type;
    std::string text;
    std::string etag;
};

awaitable<http::response> send(page_file const& file, http::request const& message)
{
    http::response answer;
    answer.headers.set("ETag", file.etag);
    if (message.headers.find("If-None-Match") == file.etag) {
        answer.status = 304;
        co_return answer;
    }
    answer.headers.set("Content-Type", file.type);
    answer.headers.set("Content-Security-Policy", policy);
    answer.headers.set("Referrer-Policy", "no-referrer");
    answer.body = file.text;
    co_return answer;
}

void add(http::router& table, char const* path, char const* type, std::string const& text)
{
    auto const file = std::make_shared<page_file const>(page_file{type, text, '"' + fingerprint(text) + '"'});
    table.add(http::verb::get, path, [file](http::request const& message) { return send(*file, message); });
}

} // namespace

void serve_page(http::router& table)
{
    add(table, "/", "text/html; charset=utf-8", ui::index_html());
    add(table, "/app.js", "text/javascript; charset=utf-8", ui::app_js());
    add(table, "/style.css", "text/css; charset=utf-8", ui::style_css());
    add(table, "/icon.svg", "image/svg+xml", ui::icon_svg());
}

} // namespace baton::web
