/* The sample of a controller plugin, and its test: a window that keeps about `packets` packets of
 * its own standing at the bottleneck (params: a number, 4 by default), as TCP Vegas does. */
#include <stdlib.h>

#include "controller_plugin.h"

typedef struct vegas {
  int64_t packet_bytes;
  double keep;     /* packets that may stand */
  double window;   /* packets */
  int64_t base_ns; /* least round trip seen */
  int64_t srtt_ns;
  int64_t round_end; /* the window moves once a round: when this packet is reported */
  int64_t next_number;
  int has_exited; /* slow start is over */
} vegas;

static void* create(const farwheel_lab_setup* setup) {
  double keep = 4;
  if (setup->params[0] != '\0') {
    char* end;
    keep = strtod(setup->params, &end);
    if (*end != '\0' || !(keep > 0 && keep < 1000)) return NULL;
  }
  vegas* self = calloc(1, sizeof *self);
  if (self == NULL) return NULL;
  self->packet_bytes = setup->packet_bytes;
  self->keep = keep;
  self->window = 10;
  return self;
}

static void packet_sent(void* data, int64_t now_ns, int64_t number, int64_t in_flight) {
  (void)now_ns;
  (void)in_flight;
  ((vegas*)data)->next_number = number + 1;
}

static void end_round(vegas* self) {
  double standing = self->window * (double)(self->srtt_ns - self->base_ns) / (double)self->srtt_ns;
  if (!self->has_exited && standing < self->keep) {
    self->window *= 2;
  } else if (!self->has_exited) {
    /* What slow start has put into the queue goes at once. */
    self->has_exited = 1;
    self->window = self->window * (double)self->base_ns / (double)self->srtt_ns + self->keep / 2;
  } else {
    self->window += standing < self->keep ? 1 : -1;
  }
  if (self->window < 2) self->window = 2;
  self->round_end = self->next_number;
}

static void feedback(void* data, int64_t now_ns, const farwheel_lab_result* results, size_t count,
                     int64_t in_flight) {
  vegas* self = data;
  int lost = 0;
  (void)in_flight;
  for (size_t i = 0; i < count; ++i) {
    if (results[i].lost || results[i].ecn_marked) {
      lost = 1;
      continue;
    }
    int64_t rtt = now_ns - results[i].sent_ns;
    if (self->base_ns == 0 || rtt < self->base_ns) self->base_ns = rtt;
    self->srtt_ns = self->srtt_ns == 0 ? rtt : (7 * self->srtt_ns + rtt) / 8;
  }
  if (results[count - 1].number < self->round_end || self->srtt_ns == 0) return;
  if (lost) {
    self->window = self->window * 0.7 < 2 ? 2 : self->window * 0.7;
    self->has_exited = 1;
    self->round_end = self->next_number;
  } else {
    end_round(self);
  }
}

static void tick(void* data, int64_t now_ns, int64_t in_flight) {
  (void)data;
  (void)now_ns;
  (void)in_flight;
}

static int64_t pacing_bps(void* data) {
  vegas* self = data;
  double rtt_s = self->srtt_ns == 0 ? 0.01 : (double)self->srtt_ns / 1e9;
  return (int64_t)(1.2 * self->window * (double)self->packet_bytes * 8 / rtt_s);
}

static int64_t window_bytes(void* data) {
  vegas* self = data;
  return (int64_t)(self->window * (double)self->packet_bytes);
}

static const char* state(void* data) { return ((vegas*)data)->has_exited ? "avoid" : "slow_start"; }

const farwheel_lab_controller* farwheel_lab_get_controller(void) {
  static const farwheel_lab_controller table = {
      .version = FARWHEEL_LAB_CONTROLLER_VERSION,
      .name = "vegas",
      .create = create,
      .destroy = free,
      .packet_sent = packet_sent,
      .feedback = feedback,
      .tick = tick,
      .pacing_bps = pacing_bps,
      .window_bytes = window_bytes,
      .target_bps = NULL,
      .state = state,
  };
  return &table;
}
