#include "webrtc/event_loop.h"

#include <glib-unix.h>

#include <future>

namespace farwheel {
namespace {

using Work = std::function<void()>;

gboolean run_once(gpointer data) {
  (*static_cast<Work*>(data))();
  return G_SOURCE_REMOVE;
}

gboolean run_again(gpointer data) {
  (*static_cast<Work*>(data))();
  return G_SOURCE_CONTINUE;
}

gboolean run_again_on_fd(gint, GIOCondition, gpointer data) {
  return run_again(data);
}

void destroy_work(gpointer data) {
  delete static_cast<Work*>(data);
}

void attach(GMainContext* context, GSource* source, GSourceFunc function, Work work) {
  g_source_set_callback(source, function, new Work(std::move(work)), destroy_work);
  g_source_attach(source, context);
}

}  // namespace

void EventLoop::Timer::cancel() {
  if (!source_) return;
  g_source_destroy(source_);
  g_source_unref(source_);
  source_ = nullptr;
}

EventLoop::EventLoop(const std::string& thread_name)
    : context_(g_main_context_new()), loop_(g_main_loop_new(context_, FALSE)) {
  thread_ = g_thread_new(thread_name.c_str(), thread_main, this);
}

EventLoop::~EventLoop() {
  stop();
  g_main_loop_unref(loop_);
  g_main_context_unref(context_);
}

gpointer EventLoop::thread_main(gpointer data) {
  auto* self = static_cast<EventLoop*>(data);
  g_main_context_push_thread_default(self->context_);
  g_main_loop_run(self->loop_);
  g_main_context_pop_thread_default(self->context_);
  return nullptr;
}

void EventLoop::post(Work work) {
  GSource* source = g_idle_source_new();
  g_source_set_priority(source, G_PRIORITY_DEFAULT);
  attach(context_, source, run_once, std::move(work));
  g_source_unref(source);
}

void EventLoop::run_and_wait(const Work& work) {
  if (on_own_thread()) {
    work();
    return;
  }
  // A stopped loop destroys the closure, and with it the promise: the future then wakes us too.
  auto done = std::make_shared<std::promise<void>>();
  std::future<void> future = done->get_future();
  if (!thread_) return;
  post([&work, promise = std::move(done)] {
    work();
    promise->set_value();
  });
  future.wait();
}

EventLoop::Timer EventLoop::call_after(unsigned milliseconds, Work work) {
  GSource* source = g_timeout_source_new(milliseconds);
  attach(context_, source, run_once, std::move(work));
  return Timer(source);
}

EventLoop::Timer EventLoop::call_every(unsigned milliseconds, Work work) {
  GSource* source = g_timeout_source_new(milliseconds);
  attach(context_, source, run_again, std::move(work));
  return Timer(source);
}

EventLoop::Timer EventLoop::call_when_readable(int fd, Work work) {
  GSource* source = g_unix_fd_source_new(fd, G_IO_IN);
  g_source_set_callback(
      source, reinterpret_cast<GSourceFunc>(reinterpret_cast<void (*)()>(&run_again_on_fd)),
      new Work(std::move(work)), destroy_work);
  g_source_attach(source, context_);
  return Timer(source);
}

void EventLoop::stop() {
  if (!thread_ || on_own_thread()) return;
  // Quit from inside: quitting a loop that has not begun to run would be lost.
  post([this] { g_main_loop_quit(loop_); });
  g_thread_join(thread_);
  thread_ = nullptr;
}

}  // namespace farwheel
