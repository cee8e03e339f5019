// A thread with a GMainContext of its own, on which a bin's signalling lives: WHIP, negotiation,
// timers. Whoever is on another thread posts work to it and goes on; nothing waits for it except
// run_and_wait(). After stop() posted work is destroyed unrun.
#pragma once

#include <glib.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace farwheel {

class EventLoop {
 public:
  // A source on the loop; destroying it (on the loop's thread) cancels it.
  class Timer {
   public:
    Timer() = default;
    explicit Timer(GSource* source) : source_(source) {}
    Timer(Timer&& other) noexcept : source_(std::exchange(other.source_, nullptr)) {}
    Timer& operator=(Timer&& other) noexcept {
      if (this != &other) {
        cancel();
        source_ = std::exchange(other.source_, nullptr);
      }
      return *this;
    }
    ~Timer() { cancel(); }
    void cancel();

   private:
    GSource* source_ = nullptr;
  };

  explicit EventLoop(const std::string& thread_name);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // From any thread. Work runs in the order of posting.
  void post(std::function<void()> work);
  // From any thread but a caller that holds what `work` waits for. Runs at once on the loop's own.
  void run_and_wait(const std::function<void()>& work);
  [[nodiscard]] Timer call_after(unsigned milliseconds, std::function<void()> work);
  [[nodiscard]] Timer call_every(unsigned milliseconds, std::function<void()> work);
  // Whenever there is something to read, which `work` has to do.
  [[nodiscard]] Timer call_when_readable(int fd, std::function<void()> work);
  // Ends the thread. Not from the loop's own thread.
  void stop();
  bool on_own_thread() const { return g_thread_self() == thread_; }
  GMainContext* context() const { return context_; }

 private:
  static gpointer thread_main(gpointer data);
  GMainContext* context_;
  GMainLoop* loop_;
  GThread* thread_;
};

}  // namespace farwheel
