// One figure in a row: label, number, error band, unit.
import QtQuick
import Station

Row {
    id: root

    // Null: nothing to read, shown as a dash.
    required property ReadoutModel reading
    property string label: reading ? reading.label : ""
    // The widest number expected, so that what follows stands still.
    property string widest: "000"

    spacing: Theme.px(6)

    Accessible.role: Accessible.Indicator
    Accessible.name: root.label
    Accessible.description: number.text

    QtObject {
        id: priv
        readonly property int level: root.reading ? root.reading.level : Decision.Level.Unknown
        readonly property bool abnormal: level === Decision.Level.Caution
                                         || level === Decision.Level.Critical
    }

    TextMetrics {
        id: room
        font: number.font
        text: root.widest
    }

    Caption {
        anchors.verticalCenter: parent.verticalCenter
        text: root.label
    }
    LevelShapeItem {
        anchors.verticalCenter: parent.verticalCenter
        visible: priv.abnormal
        width: Theme.px(12)
        height: width
        level: priv.level
        color: Theme.levelColor(priv.level)
        innerColor: Theme.panel
    }
    Figure {
        id: number
        objectName: "number"
        anchors.verticalCenter: parent.verticalCenter
        width: Math.max(Math.ceil(room.advanceWidth), implicitWidth)
        text: root.reading ? root.reading.text : Theme.dash
        color: root.reading && root.reading.valid ? Theme.levelColor(priv.level) : Theme.textFaint
        font.bold: true
    }
    Figure {
        anchors.verticalCenter: parent.verticalCenter
        visible: text !== ""
        text: root.reading ? root.reading.bandText : ""
        color: Theme.text
        font.pixelSize: Theme.smallSize
    }
    Caption {
        anchors.verticalCenter: parent.verticalCenter
        text: root.reading ? root.reading.unit : ""
        color: Theme.text
        font.letterSpacing: 0
        font.pixelSize: Theme.smallSize
    }
    Caption {
        anchors.verticalCenter: parent.verticalCenter
        visible: text !== ""
        text: root.reading ? root.reading.levelText : ""
        color: Theme.levelColor(priv.level)
        font.bold: true
    }
}
