// Every figure and state as the text on screen: decimals, units, words, and the dash for what is
// not known. One place, so that the same thing is never written in two ways.
#pragma once

#include <QString>
#include <optional>
#include <string>

#include "models/decisions.h"

namespace farwheel::station {

inline constexpr char16_t kDash = u'\u2013';

QString dash();
// Fixed decimals; a dash when empty or not finite.
QString number_text(std::optional<double> value, int decimals);
// "±3": for an error band in ms; one decimal below 1 ms, empty when unknown.
QString band_text(std::optional<double> half_width_ms);
// An age for the veil: "340 ms", "2.4 s", "3:20".
QString age_text(std::optional<Nanoseconds> age);
// Text from the network, made safe to show: no control characters, a bounded length.
QString foreign_text(const std::string& text);

QString state_word(StationState state);
// A sentence for the empty stage.
QString hint_words(StationState state);
QString level_word(Level level);
QString freshness_words(Freshness freshness);
// "cruising, limited by encoder": the vehicle's controller in words; a dash when unknown.
QString controller_words(const ControllerStats& controller);
// How much what limits the controller deserves attention.
Level controller_level(const ControllerStats& controller);

}  // namespace farwheel::station
