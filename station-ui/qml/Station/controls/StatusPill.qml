// A state as shape, colour and word.
import QtQuick
import Station

Rectangle {
    id: root

    required property int level
    required property string text

    implicitWidth: content.implicitWidth + 2 * Theme.px(12)
    implicitHeight: Theme.px(28)
    radius: height / 2
    color: priv.alarming ? priv.tone : "transparent"
    border.width: Math.max(1, Theme.px(1.5))
    border.color: priv.tone

    Accessible.role: Accessible.StaticText
    Accessible.name: root.text

    QtObject {
        id: priv
        readonly property bool alarming: root.level === Decision.Level.Critical
                                         || root.level === Decision.Level.Caution
        readonly property color tone: Theme.levelColor(root.level)
        readonly property color ink: alarming ? Theme.base : tone
    }

    Row {
        id: content
        anchors.centerIn: parent
        spacing: Theme.px(7)

        LevelShapeItem {
            anchors.verticalCenter: parent.verticalCenter
            width: Theme.px(12)
            height: width
            level: root.level
            color: priv.ink
            innerColor: priv.tone
        }
        Text {
            anchors.verticalCenter: parent.verticalCenter
            textFormat: Text.PlainText
            text: root.text
            color: priv.ink
            font.family: Theme.sans
            font.pixelSize: Theme.textSize
            font.bold: true
            font.letterSpacing: Theme.px(0.8)
        }
    }
}
