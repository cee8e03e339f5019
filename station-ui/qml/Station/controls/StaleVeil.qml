// Lies over what must not pass for live: darkens it, and says how old it is larger than anything
// else. Appears at once; a fade would show a stale picture for its length.
import QtQuick
import Station

Rectangle {
    id: root

    required property string title
    required property string age

    color: Theme.veil
    border.width: Theme.px(3)
    border.color: Theme.critical

    QtObject {
        id: priv
        readonly property real ageSize: Math.max(Theme.px(18),
                                                 Math.min(root.height * 0.26, root.width * 0.15))
        readonly property int titleSize: Math.max(Theme.captionSize, Math.round(ageSize * 0.26))
    }

    Column {
        anchors.centerIn: parent
        spacing: priv.ageSize * 0.08

        Row {
            anchors.horizontalCenter: parent.horizontalCenter
            spacing: priv.ageSize * 0.14

            LevelShapeItem {
                anchors.verticalCenter: parent.verticalCenter
                width: priv.titleSize
                height: width
                level: Decision.Level.Critical
                color: Theme.critical
                innerColor: Theme.base
            }
            Text {
                objectName: "title"
                anchors.verticalCenter: parent.verticalCenter
                textFormat: Text.PlainText
                text: root.title
                color: Theme.critical
                font.family: Theme.sans
                font.bold: true
                font.pixelSize: priv.titleSize
                font.letterSpacing: priv.titleSize * 0.06
            }
        }
        Figure {
            objectName: "age"
            anchors.horizontalCenter: parent.horizontalCenter
            text: root.age
            font.bold: true
            font.pixelSize: Math.round(priv.ageSize)
        }
        Text {
            anchors.horizontalCenter: parent.horizontalCenter
            textFormat: Text.PlainText
            text: qsTr("old")
            color: Theme.text
            font.family: Theme.sans
            font.pixelSize: Math.max(Theme.captionSize, Math.round(priv.ageSize * 0.2))
        }
    }
}
