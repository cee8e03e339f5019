#include "media/media_option_list.h"

namespace farwheel::lab::media {

void add_link_options(CLI::App& app, MediaTexts& texts) {
  app.add_option("--link", texts.link, "RATE:SECONDS,...  Mbit/s; rate 0 holds what is queued");
  app.add_option("--trace", texts.trace, "FILE  mahimahi: a 1500-byte opportunity a line, in ms");
  app.add_option("--buffer-ms", texts.buffer_ms, "Queue at the current rate (300)");
  app.add_option("--buffer-kb", texts.buffer_kb, "Queue of a trace (150)");
  app.add_option("--rtt", texts.rtt, "Propagation there and back in ms, one for each vehicle (50)");
  app.add_option("--loss", texts.loss, "Share of packets lost at random (0)");
  app.add_option("--feedback-loss", texts.feedback_loss, "Share of reports and requests lost (0)");
  app.add_option("--reordering", texts.reordering, "Share of packets that come 10 ms late (0)");
  app.add_option("--jitter-ms", texts.jitter_ms, "Mean of an exponential delay, in order (0)");
  app.add_option("--uplink", texts.uplink, "slot=MS[,harq=SHARExMS]  grants of a phone's uplink");
  app.add_option("--silence", texts.silence,
                 "SECONDS@AT[/EVERY]  nothing passes, what is sent is lost");
  app.add_option("--forward-delay-ms", texts.forward_delay,
                 "MS@AT  the way there is so much longer");
  app.add_option("--reverse-delay-ms", texts.reverse_delay,
                 "MS@AT  the way back is so much longer");
  app.add_option("--duration", texts.duration, "Seconds (the phases', 60, or 100 of a trace)");
  app.add_option("--seed", texts.seed, "Of frame sizes, jitter, loss (1)");
}

void add_vehicle_options(CLI::App& app, MediaTexts& texts) {
  app.add_option("--skew-ppm", texts.skew_ppm, "How much faster the receiver's clock runs (0)");
  app.add_option("--compete", texts.compete, "cubic|bbr[@AT]  a TCP bulk flow on the link");
  app.add_option("--camera", texts.cameras,
                 "FPS[:MIN-MAX[:WEIGHT]] or FILE of frame sizes; once a camera (30:0.15-8)");
  app.add_option("--weight", texts.weights, "CAMERA=WEIGHT@AT  another weight while playing");
  app.add_option("--radar", texts.radar, "HZ[:BYTES]; 0: none (13:1200)");
  app.add_option("--vehicles", texts.vehicles, "So many on the link, each with all feeds (1)");
  app.add_option("--start", texts.start, "Seconds, one for each vehicle (0)");
  app.add_option("--pause", texts.pauses, "VEHICLE:FROM-TO  it captures nothing meanwhile");
  app.add_option("--algorithm", texts.algorithm, "adaptive-bbr2, adaptive-bbr2-paper, bbr2");
  app.add_option("--startup", texts.startup, "fbe, classic");
  app.add_option("--start-bitrate", texts.start_bitrate, "Before anything is measured, Mbit/s (1)");
  app.add_option("--params", texts.params, "NAME=VALUE,...  tunables of the controller");
}

void take_words_whole(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() > 1) option->expected(1)->take_all();
    option->type_name("");
  }
}

}  // namespace farwheel::lab::media
