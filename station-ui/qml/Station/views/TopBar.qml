// State of the connection, vehicle, what its controller is doing, and the time of day.
import QtQuick
import QtQuick.Layouts
import Station

Rectangle {
    id: root

    required property ConnectionModel connection
    required property string timeOfDay

    implicitHeight: Theme.topBarHeight
    color: Theme.panel

    RowLayout {
        anchors.fill: parent
        anchors.leftMargin: Theme.margin
        anchors.rightMargin: Theme.margin
        spacing: Theme.margin

        StatusPill {
            objectName: "state"
            level: root.connection.level
            text: root.connection.stateText
        }
        Text {
            objectName: "vehicle"
            textFormat: Text.PlainText
            text: root.connection.vehicle
            color: Theme.textStrong
            font.family: Theme.sans
            font.pixelSize: Theme.titleSize
            font.bold: true
        }
        Divider {
            implicitHeight: Theme.px(20)
        }
        Text {
            objectName: "algorithm"
            textFormat: Text.PlainText
            text: root.connection.algorithm
            color: Theme.text
            font.family: Theme.mono
            font.pixelSize: Theme.textSize
        }
        LevelShapeItem {
            visible: root.connection.controllerLevel >= Decision.Level.Advisory
            implicitWidth: Theme.px(12)
            implicitHeight: implicitWidth
            level: root.connection.controllerLevel
            color: Theme.levelColor(root.connection.controllerLevel)
            innerColor: Theme.panel
        }
        Text {
            objectName: "controller"
            Layout.fillWidth: true
            textFormat: Text.PlainText
            text: root.connection.controllerText
            elide: Text.ElideRight
            color: root.connection.controllerLevel >= Decision.Level.Advisory
                   ? Theme.levelColor(root.connection.controllerLevel) : Theme.textStrong
            font.family: Theme.sans
            font.pixelSize: Theme.textSize
        }
        Caption {
            objectName: "encryption"
            text: root.connection.encryptionText
            color: root.connection.encryptionLevel === Decision.Level.Critical ? Theme.critical
                                                                               : Theme.textFaint
        }
        Divider {
            implicitHeight: Theme.px(20)
        }
        Figure {
            objectName: "clock"
            text: root.timeOfDay
            font.pixelSize: Theme.titleSize
        }
    }
}
