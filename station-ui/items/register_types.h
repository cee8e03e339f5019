// Makes the C++ types known to QML as module Station 1.0, beside the QML files of the same module.
#pragma once

namespace farwheel::station {

// Once, before the first engine.
void register_types();

// Where an engine finds the module's QML files: add it to the engine's import paths.
inline constexpr char kQmlImportPath[] = "qrc:/qt/qml";

}  // namespace farwheel::station
