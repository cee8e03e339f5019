// A figure as a number, as a place on an analogue band, and as its last minute.
import QtQuick
import Station

Item {
    id: root

    required property GaugeModel gauge

    implicitWidth: Theme.columnWidth
    implicitHeight: Theme.px(128)

    Accessible.role: Accessible.Indicator
    Accessible.name: root.gauge.label
    Accessible.description: root.gauge.text + " " + root.gauge.bandText + " " + root.gauge.unit

    QtObject {
        id: priv
        readonly property color tone: root.gauge.level >= Decision.Level.Caution
                                      ? Theme.levelColor(root.gauge.level) : Theme.textStrong
    }

    Caption {
        id: label
        anchors.left: parent.left
        anchors.top: parent.top
        anchors.topMargin: Theme.px(4)
        text: root.gauge.label
    }

    Row {
        anchors.left: parent.left
        anchors.top: label.bottom
        anchors.topMargin: Theme.px(3)
        spacing: Theme.px(5)
        visible: root.gauge.levelText !== ""

        LevelShapeItem {
            anchors.verticalCenter: parent.verticalCenter
            width: Theme.px(10)
            height: width
            level: root.gauge.level
            color: priv.tone
            innerColor: Theme.panel
        }
        Caption {
            anchors.verticalCenter: parent.verticalCenter
            text: root.gauge.levelText
            color: priv.tone
            font.bold: true
        }
    }

    Figure {
        id: number
        objectName: "number"
        anchors.right: aside.left
        anchors.rightMargin: Theme.px(7)
        anchors.top: parent.top
        anchors.topMargin: -Theme.px(4)
        text: root.gauge.text
        color: root.gauge.valid ? priv.tone : Theme.textFaint
        font.pixelSize: Theme.figureSize
        font.bold: true
    }

    // What belongs to the number: its error band or its target, and its unit.
    Column {
        id: aside
        anchors.right: parent.right
        anchors.verticalCenter: number.verticalCenter
        width: Theme.px(50)
        spacing: Theme.px(1)

        Figure {
            objectName: "aside"
            text: root.gauge.hasTarget ? "/ " + root.gauge.targetText : root.gauge.bandText
            visible: text !== ""
            color: Theme.text
            font.pixelSize: Theme.smallSize
        }
        Caption {
            text: root.gauge.unit
            color: Theme.text
            font.letterSpacing: 0
            font.pixelSize: Theme.smallSize
        }
    }

    GaugeScaleItem {
        id: scale
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.top: parent.top
        anchors.topMargin: Theme.px(35)
        height: Theme.px(28)
        value: root.gauge.value
        band: root.gauge.band
        target: root.gauge.target
        to: root.gauge.to
        marks: root.gauge.marks
        cautionFrom: root.gauge.cautionFrom
        criticalFrom: root.gauge.criticalFrom
        valueColor: priv.tone
        trackColor: Theme.track
        textColor: Theme.textFaint
        targetColor: Theme.advisory
        cautionColor: Theme.caution
        criticalColor: Theme.critical
        font.family: Theme.sans
        font.pixelSize: Theme.tickSize
    }

    StripChartItem {
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.top: scale.bottom
        anchors.topMargin: Theme.px(2)
        anchors.bottom: parent.bottom
        series: root.gauge.series
        targetSeries: root.gauge.hasTarget ? root.gauge.targetSeries : null
        to: root.gauge.to
        cautionFrom: root.gauge.cautionFrom
        criticalFrom: root.gauge.criticalFrom
        lineColor: Theme.trace
        gridColor: Theme.grid
        textColor: Theme.textFaint
        targetColor: Theme.advisory
        cautionColor: Theme.caution
        criticalColor: Theme.critical
        font.family: Theme.sans
        font.pixelSize: Theme.tickSize
    }
}
