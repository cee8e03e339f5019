// The figures behind the picture: its age, and what on the way makes it old.
import QtQuick
import QtQuick.Layouts
import Station

Rectangle {
    id: root

    required property CameraModel camera
    required property LinkModel link
    required property ConnectionModel connection

    implicitHeight: Theme.bottomBarHeight
    color: Theme.panel

    RowLayout {
        anchors.fill: parent
        anchors.leftMargin: Theme.margin
        anchors.rightMargin: Theme.margin
        spacing: Theme.px(22)

        Readout {
            objectName: "pictureAge"
            reading: root.camera ? root.camera.pictureAge : null
            label: qsTr("PICTURE AGE")
        }
        Readout {
            objectName: "frameRate"
            reading: root.camera ? root.camera.frameRate : null
            label: qsTr("FRAMES")
            widest: "000"
        }
        Readout {
            objectName: "loss"
            reading: root.link.loss
            widest: "00.0"
        }
        Readout {
            objectName: "queue"
            reading: root.link.queue
        }
        Item {
            Layout.fillWidth: true
        }
        StatusPill {
            objectName: "overload"
            visible: text !== ""
            level: Decision.Level.Caution
            text: root.connection.overloadText
        }
        Readout {
            objectName: "clockError"
            reading: root.link.clockError
            widest: "000.0"
        }
    }
}
