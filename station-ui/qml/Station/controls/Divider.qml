// A hairline between groups.
import QtQuick
import Station

Rectangle {
    implicitWidth: 1
    implicitHeight: 1
    color: Theme.line
}
