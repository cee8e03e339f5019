// All cameras: one large, the others as insets at the lower right. A click on an inset or its number
// key brings it to the main place.
import QtQuick
import Station

Rectangle {
    id: root

    required property CameraListModel cameras
    required property ConnectionModel connection

    color: Theme.stage
    clip: true

    QtObject {
        id: priv
        readonly property int insetWidth: Math.round(root.width * 0.21)
        readonly property int insetHeight: Math.round(insetWidth * 9 / 16)

        // The inset's place from the right: the main camera leaves no gap.
        function place(number: int): int {
            return root.cameras.main && number > root.cameras.main.number ? number - 2 : number - 1
        }
    }

    Column {
        objectName: "nothing"
        anchors.centerIn: parent
        width: root.width * 0.8
        spacing: Theme.margin
        visible: root.cameras.count === 0

        Text {
            width: parent.width
            horizontalAlignment: Text.AlignHCenter
            wrapMode: Text.Wrap
            textFormat: Text.PlainText
            text: root.connection.failureText !== "" ? root.connection.failureText
                                                     : root.connection.hintText
            color: root.connection.failureText !== "" ? Theme.critical : Theme.textStrong
            font.family: Theme.sans
            font.pixelSize: Theme.px(22)
        }
        Figure {
            width: parent.width
            horizontalAlignment: Text.AlignHCenter
            text: root.connection.endpointText
            color: Theme.text
            font.pixelSize: Theme.textSize
        }
    }

    Repeater {
        model: root.cameras

        VideoPane {
            id: pane
            objectName: "pane" + camera.number
            inset: !camera.isMain
            z: inset ? 1 : 0
            width: inset ? priv.insetWidth : root.width
            height: inset ? priv.insetHeight : root.height
            x: inset ? root.width - (priv.place(camera.number) + 1) * (width + Theme.gap) : 0
            y: inset ? root.height - height - Theme.gap : 0
            onClicked: root.cameras.show(pane.camera.number)
        }
    }

    // A fault that comes while there are pictures.
    Rectangle {
        objectName: "fault"
        visible: root.cameras.count > 0 && root.connection.failureText !== ""
        z: 2
        anchors.left: parent.left
        anchors.bottom: parent.bottom
        anchors.margins: Theme.gap
        width: Math.min(fault.implicitWidth, root.width * 0.7) + 2 * Theme.margin
        height: fault.height + Theme.margin
        radius: Theme.radius
        color: Theme.critical

        Text {
            id: fault
            anchors.centerIn: parent
            width: parent.width - 2 * Theme.margin
            wrapMode: Text.Wrap
            textFormat: Text.PlainText
            text: qsTr("FAULT") + "  " + root.connection.failureText
            color: Theme.base
            font.family: Theme.sans
            font.pixelSize: Theme.textSize
            font.bold: true
        }
    }
}
