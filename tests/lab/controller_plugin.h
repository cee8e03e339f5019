/* A sender under test from a shared object: farwheel-lab ... --controller-plugin FILE.so
 *
 * The object exports one C function, farwheel_lab_get_controller(), which returns a table of functions.
 * The laboratory makes one instance a flow, tells it what left and what feedback said, and asks for
 * pacing rate and window before each packet. Everything runs in one thread and in virtual time:
 * take no clock, no randomness that is not seeded by `seed`, and the same run gives the same
 * figures.
 *
 * Times are ns on the sender's clock; `received_ns` is on the receiver's, which began at another
 * time, in steps of 250 us: only differences of it mean anything. Bytes count IP, UDP and PPP
 * headers.
 *
 * Build: cc -shared -fPIC -o mine.so mine.c
 */
#ifndef FARWHEEL_LAB_CONTROLLER_PLUGIN_H
#define FARWHEEL_LAB_CONTROLLER_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FARWHEEL_LAB_CONTROLLER_VERSION 1u
#define FARWHEEL_LAB_CONTROLLER_SYMBOL "farwheel_lab_get_controller"

typedef struct farwheel_lab_setup {
  uint32_t size;         /* of this struct: a later version may append */
  uint32_t packet_bytes; /* every packet has this size */
  uint64_t seed;
  const char* params; /* --params as given for this flow; "" for none */
} farwheel_lab_setup;

typedef struct farwheel_lab_result {
  int64_t number; /* packets are numbered from 0 as they leave */
  int64_t sent_ns;
  int64_t received_ns; /* receiver's clock; 0 if lost */
  int32_t lost;        /* 1: it did not arrive */
  int32_t ecn_marked;  /* 1: congestion experienced (--ecn) */
} farwheel_lab_result;

typedef struct farwheel_lab_controller {
  uint32_t version; /* FARWHEEL_LAB_CONTROLLER_VERSION */
  const char* name; /* shown in the figures */

  /* NULL refuses the setup (unknown params); the laboratory then ends with an error. */
  void* (*create)(const farwheel_lab_setup* setup);
  void (*destroy)(void* self);

  /* A packet left. `in_flight` includes it. */
  void (*packet_sent)(void* self, int64_t now_ns, int64_t number, int64_t in_flight);
  /* What one report said, in the order of numbers; at least one. `in_flight` is without them. */
  void (*feedback)(void* self, int64_t now_ns, const farwheel_lab_result* results, size_t count,
                   int64_t in_flight);
  /* Every 10 ms. */
  void (*tick)(void* self, int64_t now_ns, int64_t in_flight);

  /* Asked before each packet. A rate of 0 or less, and a window smaller than a packet, hold the
   * packet back until the next feedback or tick. */
  int64_t (*pacing_bps)(void* self);
  int64_t (*window_bytes)(void* self);
  /* What an encoder would be told; for the time series alone. May be NULL. */
  int64_t (*target_bps)(void* self);
  /* A word for the present state; for the time series and states_s. May be NULL. */
  const char* (*state)(void* self);
} farwheel_lab_controller;

/* Exported by the shared object. The table must stay valid as long as the object is loaded. */
typedef const farwheel_lab_controller* (*farwheel_lab_get_controller_fn)(void);

#ifdef __cplusplus
}
#endif

#endif
