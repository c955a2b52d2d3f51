#include "locks/redis/wire.hpp"

#include "libs/base/error.hpp"

#include <hiredis/hiredis.h>
#include <new>

namespace baton::lock {

namespace {

redis_reply reply_of(::redisReply const& from)
{
    redis_reply made;
    switch (from.type) {
    case REDIS_REPLY_INTEGER:
        made.type = redis_reply::kind::number;
        made.number = from.integer;
        break;
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
        made.type = redis_reply::kind::text;
        made.text.assign(from.str, from.len);
        break;
    case REDIS_REPLY_ERROR:
        made.type = redis_reply::kind::error;
        made.text.assign(from.str, from.len);
        break;
    case REDIS_REPLY_ARRAY:
        made.type = redis_reply::kind::list;
        for (std::size_t i = 0; i < from.elements; ++i)
            made.list.push_back(reply_of(*from.element[i]));
        break;
    default:
        break;
    }
    return made;
}

} // namespace

std::string to_wire(redis_command const& words)
{
    std::vector<char const*> texts;
    std::vector<std::size_t> sizes;
    for (auto const& word : words) {
        texts.push_back(word.data());
        sizes.push_back(word.size());
    }
    char* made = nullptr;
    auto const size = ::redisFormatCommandArgv(&made, static_cast<int>(words.size()), texts.data(), sizes.data());
    if (size < 0)
        throw std::bad_alloc();
    std::unique_ptr<char, void (*)(char*)> const owned(made, ::redisFreeCommand);
    return std::string(made, static_cast<std::size_t>(size));
}

struct redis_reader::state {
    std::unique_ptr<::redisReader, void (*)(::redisReader*)> reader{::redisReaderCreate(), ::redisReaderFree};
};

redis_reader::redis_reader() : state_(std::make_unique<state>())
{
    if (!state_->reader)
        throw std::bad_alloc();
}

redis_reader::~redis_reader() = default;

void redis_reader::feed(std::string_view bytes)
{
    ::redisReaderFeed(state_->reader.get(), bytes.data(), bytes.size());
}

std::optional<redis_reply> redis_reader::next()
{
    void* found = nullptr;
    if (::redisReaderGetReply(state_->reader.get(), &found) != REDIS_OK)
        throw unavailable(std::string("not a Redis reply: ") + state_->reader->errstr);
    if (found == nullptr)
        return std::nullopt;
    std::unique_ptr<void, void (*)(void*)> const owned(found, ::freeReplyObject);
    return reply_of(*static_cast<::redisReply const*>(found));
}

} // namespace baton::lock
