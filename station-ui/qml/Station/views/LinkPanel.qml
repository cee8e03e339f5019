// The link in three gauges.
import QtQuick
import Station

Column {
    id: root

    required property LinkModel link

    QtObject {
        id: priv
        readonly property int gaugeHeight: Math.floor(root.height / 3)
    }

    Repeater {
        model: [root.link.delay, root.link.rtt, root.link.throughput]

        Item {
            id: slot
            required property GaugeModel modelData
            width: root.width
            height: priv.gaugeHeight

            Gauge {
                anchors.fill: parent
                anchors.leftMargin: Theme.margin
                anchors.rightMargin: Theme.margin
                anchors.topMargin: Theme.px(11)
                anchors.bottomMargin: Theme.px(6)
                gauge: slot.modelData
            }
            Divider {
                anchors.left: parent.left
                anchors.right: parent.right
                anchors.bottom: parent.bottom
                height: 1
            }
        }
    }
}
