// A weak reference to a GObject that may die at any time: feeds name encoders and pads of elements
// that belong to others, and must not keep them alive. Does not move, since GObject keeps its
// address.
#pragma once

#include <gst/gst.h>

#include "support/gst_ptr.h"

namespace farwheel {

template <typename T>
class GstWeak {
 public:
  explicit GstWeak(T* object = nullptr) { g_weak_ref_init(&reference_, object); }
  ~GstWeak() { g_weak_ref_clear(&reference_); }
  GstWeak(const GstWeak&) = delete;
  GstWeak& operator=(const GstWeak&) = delete;

  void set(T* object) { g_weak_ref_set(&reference_, object); }
  // The object with a reference of the caller's own, or null when it is gone.
  GstObjectPtr<T> lock() const {
    return GstObjectPtr<T>(static_cast<T*>(g_weak_ref_get(&reference_)));
  }

 private:
  mutable GWeakRef reference_;
};

}  // namespace farwheel
