// The window: sets the scale and passes the models down.
import QtQuick
import QtQuick.Window
import Station

Window {
    id: root

    required property StationModel station

    minimumWidth: 960
    minimumHeight: 540
    color: Theme.base
    title: qsTr("Farwheel station")

    Binding {
        target: Theme
        property: "scale"
        // A larger window gives most of its room to the picture, some to larger type.
        value: Math.max(0.75, 1 + 0.7 * (Math.min(root.width / 1280, root.height / 720) - 1))
    }

    DriverConsole {
        anchors.fill: parent
        station: root.station
    }
}
