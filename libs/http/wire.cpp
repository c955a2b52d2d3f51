#include "libs/http/wire.hpp"

#include "libs/base/error.hpp"

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/rfc7230.hpp>

#include <algorithm>

namespace baton::http {

namespace {

namespace wire = boost::beast::http;
using text = boost::beast::string_view;

std::string copy(text from)
{
    return {from.data(), from.size()};
}

verb to_verb(wire::verb method)
{
    switch (method) {
    case wire::verb::get:
        return verb::get;
    case wire::verb::head:
        return verb::head;
    case wire::verb::post:
        return verb::post;
    case wire::verb::put:
        return verb::put;
    case wire::verb::patch:
        return verb::patch;
    case wire::verb::delete_:
        return verb::del;
    default:
        return verb::other;
    }
}

// Beast's parser, which writes into baton's message types directly, so that nothing is copied twice.
template <bool is_request, class Message>
class message_parser : public wire::basic_parser<is_request> {
public:
    explicit message_parser(wire_limits limits) : header_left_(limits.header)
    {
        this->header_limit(static_cast<std::uint32_t>(limits.header));
        this->body_limit(limits.body);
        this->eager(true);
    }

    progress read(std::string_view data, std::size_t& used)
    {
        error_code failed;
        used = this->put(asio::const_buffer(data.data(), data.size()), failed);
        return progress_of(failed);
    }

    progress end()
    {
        error_code failed;
        if (!this->got_some())
            return progress::malformed;
        this->put_eof(failed);
        return progress_of(failed);
    }

    // HTTP/1.0 has other rules for keeping connections, so it gets one exchange per connection.
    bool keeps_alive() const { return http_1_1_ && this->keep_alive(); }
    bool is_http_1_1() const { return http_1_1_; }

    Message message;
    bool wants_continue = false;

protected:
    void on_header_impl(error_code&) override {}

private:
    progress progress_of(error_code failed) const
    {
        if (!failed || failed == wire::error::need_more)
            return this->is_done() ? progress::done : progress::need_more;
        if (failed == wire::error::header_limit)
            return progress::header_too_large;
        return failed == wire::error::body_limit ? progress::body_too_large : progress::malformed;
    }

    void on_request_impl(wire::verb method, text, text target, int version, error_code& failed) override
    {
        http_1_1_ = version >= 11;
        if constexpr (is_request) {
            message.method = to_verb(method);
            message.target = copy(target);
            count(target.size(), failed);
        }
    }

    void on_response_impl(int status, text, int version, error_code&) override
    {
        http_1_1_ = version >= 11;
        if constexpr (!is_request)
            message.status = status;
    }

    void on_field_impl(wire::field name, text name_as_sent, text value, error_code& failed) override
    {
        // Beast limits each piece of a header that it parses at once; this limits their sum.
        count(name_as_sent.size() + value.size() + 4, failed);
        if (failed)
            return;
        if (name == wire::field::expect && boost::beast::iequals(value, "100-continue"))
            wants_continue = true;
        try {
            message.headers.add(copy(name_as_sent), copy(value));
        } catch (invalid_input const&) {
            failed = wire::error::bad_value;
        }
    }

    void count(std::size_t bytes, error_code& failed)
    {
        if (bytes > header_left_)
            failed = wire::error::header_limit;
        else
            header_left_ -= bytes;
    }

    void on_body_init_impl(boost::optional<std::uint64_t> const& length, error_code&) override
    {
        if (length)
            message.body.reserve(*length); // within the limit, otherwise the parser has failed already
    }

    std::size_t on_body_impl(text part, error_code&) override
    {
        message.body.append(part.data(), part.size());
        return part.size();
    }

    void on_chunk_header_impl(std::uint64_t, text, error_code&) override {}

    std::size_t on_chunk_body_impl(std::uint64_t, text part, error_code& failed) override
    {
        return on_body_impl(part, failed);
    }

    void on_finish_impl(error_code&) override {}

    std::size_t header_left_;
    bool http_1_1_ = false;
};

} // namespace

struct request_reader::parser : message_parser<true, request> {
    parser(wire_limits limits, admitter const& admit) : message_parser(limits), limit(limits.body), admit_(admit) {}

    std::size_t limit; // bytes of the body
    response refusal;
    bool refused = false;
    bool bad_host = false;

private:
    // Called before the body is read and before memory is reserved for it.
    void on_header_impl(error_code& failed) override
    {
        bad_host = hosts() > 1 || (hosts() == 0 && is_http_1_1());
        if (bad_host) {
            failed = wire::error::bad_value;
            return;
        }
        auto const length = content_length();
        bool const has_body = chunked() || (length && *length > 0);
        if (!has_body || !admit_)
            return;
        auto admission = admit_(message);
        limit = std::min(admission.body_limit, limit);
        if (admission.refusal) {
            refusal = std::move(*admission.refusal);
            refused = true;
            failed = wire::error::bad_value;
        } else if (length && *length > limit) {
            failed = wire::error::body_limit;
        } else if (chunked()) {
            body_limit(limit);
        }
    }

    std::ptrdiff_t hosts() const
    {
        return std::ranges::count_if(message.headers.all(),
                                     [](auto const& each) { return boost::beast::iequals(each.first, "Host"); });
    }

    admitter const& admit_;
};

request_reader::request_reader(wire_limits limits, admitter admit)
    : limits_(limits), admit_(std::move(admit)), parser_(std::make_unique<parser>(limits, admit_))
{}
request_reader::~request_reader() = default;

void request_reader::start()
{
    if (parser_->got_some())
        parser_ = std::make_unique<parser>(limits_, admit_);
}

progress request_reader::put(std::string_view data, std::size_t& used)
{
    auto const got = parser_->read(data, used);
    if (parser_->bad_host)
        return progress::bad_host;
    return parser_->refused ? progress::refused : got;
}

bool request_reader::expects_continue() const
{
    return parser_->wants_continue && parser_->is_header_done() && !parser_->is_done();
}

bool request_reader::keeps_alive() const
{
    return parser_->keeps_alive();
}

bool request_reader::is_http_1_1() const
{
    return parser_->is_http_1_1();
}

std::size_t request_reader::body_limit() const
{
    return parser_->limit;
}

request request_reader::take()
{
    return std::move(parser_->message);
}

response request_reader::take_refusal()
{
    return std::move(parser_->refusal);
}

struct response_reader::parser : message_parser<false, response> {
    using message_parser::message_parser;
};

response_reader::response_reader(wire_limits limits) : limits_(limits) {}
response_reader::~response_reader() = default;

void response_reader::start(bool answers_head)
{
    answers_head_ = answers_head;
    parser_ = std::make_unique<parser>(limits_);
    parser_->skip(answers_head);
}

progress response_reader::put(std::string_view data, std::size_t& used)
{
    used = 0;
    for (;;) {
        std::size_t some = 0;
        auto const got = parser_->read(data.substr(used), some);
        used += some;
        if (got != progress::done || parser_->message.status >= 200)
            return got;
        start(answers_head_); // an interim answer
        if (used == data.size())
            return progress::need_more;
    }
}

progress response_reader::end()
{
    auto const got = parser_->end();
    return got == progress::need_more ? progress::malformed : got;
}

bool response_reader::keeps_alive() const
{
    return parser_->keeps_alive();
}

response response_reader::take()
{
    return std::move(parser_->message);
}

} // namespace baton::http
