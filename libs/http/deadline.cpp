#include "libs/http/deadline.hpp"

#include <algorithm>

namespace baton::http {

namespace {

constexpr duration longest = std::chrono::hours{24 * 365}; // prevents an overflow of now + duration

} // namespace

void deadlines::watch(instant at)
{
    if (at >= watched_)
        return;
    watched_ = at;
    timer_.expires_after(at - time_.now());
    timer_.async_wait([self = weak_from_this()](error_code cancelled) {
        if (auto const all = self.lock(); all && !cancelled)
            all->expire_due();
    });
}

void deadlines::expire_due()
{
    auto const now = time_.now();
    while (!order_.empty() && order_.begin()->first <= now) {
        auto& first = *order_.begin()->second;
        order_.erase(order_.begin());
        first.queued_ = instant::max();
        if (first.at_ <= now) {
            first.at_ = instant::max();
            first.passed_ = true;
            first.expire_();
        } else if (first.at_ != instant::max()) {
            first.queued_ = first.at_;
            order_.emplace(first.queued_, &first);
        }
    }
    watched_ = instant::max();
    if (!order_.empty())
        watch(order_.begin()->first);
}

deadline::deadline(std::shared_ptr<deadlines> all, std::function<void()> expire)
    : all_(std::move(all)), expire_(std::move(expire))
{}

deadline::~deadline()
{
    if (queued_ == instant::max())
        return;
    all_->order_.erase({queued_, this});
    if (all_->order_.empty()) { // an armed timer would keep io_context::run() from returning
        all_->watched_ = instant::max();
        all_->timer_.cancel();
    }
}

void deadline::arm(duration from_now)
{
    at_ = all_->time_.now() + std::min<duration>(from_now, longest);
    passed_ = false;
    if (at_ >= queued_)
        return;
    if (queued_ != instant::max())
        all_->order_.erase({queued_, this});
    queued_ = at_;
    all_->order_.emplace(queued_, this);
    all_->watch(queued_);
}

void deadline::disarm()
{
    at_ = instant::max();
    passed_ = false;
}

} // namespace baton::http
