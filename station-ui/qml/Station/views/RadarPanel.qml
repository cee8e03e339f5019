// The radar plot with its legend; veiled when sweeps stop.
import QtQuick
import Station

Item {
    id: root

    required property RadarModel radar

    implicitWidth: Theme.columnWidth
    implicitHeight: Theme.px(230)

    Caption {
        id: title
        x: Theme.margin
        y: Theme.px(10)
        text: qsTr("RADAR")
    }

    Row {
        objectName: "legend"
        anchors.right: parent.right
        anchors.rightMargin: Theme.margin
        anchors.verticalCenter: title.verticalCenter
        spacing: Theme.px(12)

        Repeater {
            model: [
                { doppler: Decision.Doppler.Approaching, word: qsTr("nearing"),
                  tone: Theme.approaching, number: root.radar.approaching },
                { doppler: Decision.Doppler.Receding, word: qsTr("leaving"),
                  tone: Theme.receding, number: root.radar.receding },
                { doppler: Decision.Doppler.Still, word: qsTr("still"),
                  tone: Theme.still, number: root.radar.still }
            ]

            Row {
                id: entry
                required property var modelData
                spacing: Theme.px(4)

                DopplerSymbolItem {
                    anchors.verticalCenter: parent.verticalCenter
                    width: Theme.px(10)
                    height: width
                    doppler: entry.modelData.doppler
                    color: entry.modelData.tone
                }
                Caption {
                    anchors.verticalCenter: parent.verticalCenter
                    text: entry.modelData.word
                    font.letterSpacing: 0
                    color: Theme.text
                }
                Figure {
                    anchors.verticalCenter: parent.verticalCenter
                    text: root.radar.hasSweep && !root.radar.veiled
                          ? String(entry.modelData.number).padStart(3) : Theme.dash.padStart(3)
                    color: Theme.text
                    font.pixelSize: Theme.captionSize
                }
            }
        }
    }

    RadarItem {
        id: plot
        objectName: "plot"
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.top: title.bottom
        anchors.topMargin: Theme.px(6)
        anchors.bottom: parent.bottom
        radar: root.radar
        gridColor: Theme.grid
        textColor: Theme.textFaint
        vehicleColor: Theme.text
        stillColor: Theme.still
        approachingColor: Theme.approaching
        recedingColor: Theme.receding
        backgroundColor: Theme.panel
        font.family: Theme.sans
        font.pixelSize: Theme.tickSize
    }

    Caption {
        objectName: "nothing"
        anchors.centerIn: plot
        visible: root.radar.freshness === Decision.Freshness.None
        text: root.radar.freshnessText
    }

    StaleVeil {
        objectName: "veil"
        anchors.fill: plot
        visible: root.radar.veiled
        title: root.radar.freshnessText
        age: root.radar.ageText
    }
}
