// The arrangement: the picture has the room, figures and radar stand in a column at its right.
import QtQuick
import Station

Rectangle {
    id: root

    required property StationModel station

    color: Theme.base
    focus: true

    Keys.onPressed: event => {
        if (event.key >= Qt.Key_1 && event.key <= Qt.Key_9) {
            root.station.cameras.show(event.key - Qt.Key_0)
            event.accepted = true
        }
    }

    TopBar {
        id: top
        objectName: "topBar"
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.top: parent.top
        height: Theme.topBarHeight
        connection: root.station.connection
        timeOfDay: root.station.timeOfDay
    }

    CameraStage {
        objectName: "stage"
        anchors.left: parent.left
        anchors.right: column.left
        anchors.top: top.bottom
        anchors.bottom: bottom.top
        cameras: root.station.cameras
        connection: root.station.connection
    }

    Rectangle {
        id: column
        anchors.right: parent.right
        anchors.top: top.bottom
        anchors.bottom: bottom.top
        width: Theme.columnWidth
        color: Theme.panel

        LinkPanel {
            objectName: "linkPanel"
            anchors.left: parent.left
            anchors.right: parent.right
            anchors.top: parent.top
            height: Math.round(column.height * 0.64)
            link: root.station.link
        }
        RadarPanel {
            objectName: "radarPanel"
            anchors.left: parent.left
            anchors.right: parent.right
            anchors.bottom: parent.bottom
            height: column.height - Math.round(column.height * 0.64)
            radar: root.station.radar
        }
    }

    BottomBar {
        id: bottom
        objectName: "bottomBar"
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.bottom: parent.bottom
        height: Theme.bottomBarHeight
        camera: root.station.cameras.main
        connection: root.station.connection
        link: root.station.link
    }

    Divider {
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.top: top.bottom
        height: 1
    }
    Divider {
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.bottom: bottom.top
        height: 1
    }
    Divider {
        anchors.top: top.bottom
        anchors.bottom: bottom.top
        anchors.right: column.left
        width: 1
    }
}
