// One step through a pipeline, up or down, with bins seen as if their elements stood in the open.
#pragma once

#include <gst/gst.h>

#include <functional>
#include <string>
#include <vector>

#include "support/gst_ptr.h"

namespace farwheel {

// Called for each ghost pad of a bin that the step goes through.
using OnBinPad = std::function<void(GstPad* ghost_pad)>;

// The pad of a real element linked to `pad`, on the other side of any bin boundaries; null: none.
GstPadPtr linked_element_pad(GstPad* pad, const OnBinPad& on_bin_pad = {});

// The pads of the same element that `pad` exchanges data with.
std::vector<GstPadPtr> internally_linked_pads(GstPad* pad);

GstElementPtr parent_element(GstPad* pad);

// True if the element's factory is of this kind ("Payloader", "Encoder", ...).
bool has_class(GstElement* element, const char* word);

}  // namespace farwheel
