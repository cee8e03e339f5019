// Stands in for gst-launch-1.0 in tests/pipelines/parse.sh: builds the pipeline of its arguments,
// down to the last property and caps filter, and runs nothing.
#include <gst/gst.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "support/gst_ptr.h"

int main(int argc, char** argv) {
  gst_init(nullptr, nullptr);
  std::vector<const gchar*> words;
  for (int i = 1; i < argc; ++i) {
    // gst-launch's own options; a pipeline's words do not begin with a dash.
    if (argv[i][0] != '-') words.push_back(argv[i]);
  }
  words.push_back(nullptr);
  GError* error = nullptr;
  const farwheel::GstElementPtr pipeline(
      gst_parse_launchv_full(words.data(), nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &error));
  if (error != nullptr) {
    const farwheel::GErrorPtr owned(error);
    std::fprintf(stderr, "%s\n", owned->message);
    return 1;
  }
  if (!pipeline || GST_BIN_NUMCHILDREN(pipeline.get()) == 0) {
    std::fprintf(stderr, "an empty pipeline\n");
    return 1;
  }
  std::printf("parsed: %d elements\n", GST_BIN_NUMCHILDREN(pipeline.get()));
  return 0;
}
