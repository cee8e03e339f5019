// One camera: its picture, its name, and a veil as soon as the picture is not the road as it is.
import QtQuick
import Station

Rectangle {
    id: root

    required property CameraModel camera
    property bool inset: false
    signal clicked

    color: Theme.stage

    VideoItem {
        id: video
        objectName: "video"
        anchors.fill: parent
        camera: root.camera
    }

    Rectangle {
        anchors.left: parent.left
        anchors.top: parent.top
        anchors.margins: Theme.gap
        width: name.implicitWidth + 2 * Theme.px(7)
        height: Theme.px(20)
        radius: Theme.radius
        color: Theme.tag

        Caption {
            id: name
            anchors.centerIn: parent
            text: root.camera.number + "  " + root.camera.name
            color: Theme.text
        }
    }

    Rectangle {
        objectName: "late"
        anchors.horizontalCenter: parent.horizontalCenter
        // Below the picture's name in an inset, where there is no room beside it.
        y: root.inset ? root.height - height - Theme.gap : Theme.margin
        visible: root.camera.freshness === Decision.Freshness.Late
        width: late.implicitWidth + 2 * (root.inset ? Theme.gap : Theme.margin)
        height: late.implicitHeight + Theme.margin
        radius: Theme.radius
        color: Theme.caution

        Row {
            id: late
            anchors.centerIn: parent
            spacing: Theme.gap

            LevelShapeItem {
                anchors.verticalCenter: parent.verticalCenter
                width: root.inset ? Theme.captionSize : Theme.px(18)
                height: width
                level: Decision.Level.Caution
                color: Theme.base
                innerColor: Theme.caution
            }
            Figure {
                text: root.camera.freshnessText + " " + root.camera.pictureAge.text
                      + " " + root.camera.pictureAge.unit
                color: Theme.base
                font.bold: true
                font.pixelSize: root.inset ? Theme.captionSize : Theme.readoutSize
            }
        }
    }

    StaleVeil {
        objectName: "veil"
        anchors.fill: parent
        visible: root.camera.veiled
        title: root.camera.freshnessText
        age: root.camera.ageText
    }

    Rectangle {
        anchors.fill: parent
        visible: root.inset && !root.camera.veiled
        color: "transparent"
        border.width: 1
        border.color: Theme.textFaint
    }

    TapHandler {
        enabled: root.inset
        onTapped: root.clicked()
    }
}
