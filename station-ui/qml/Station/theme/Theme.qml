// Colours by meaning, sizes and type of the whole console. The only file with literal colours and
// pixels. Blue and orange rather than green and red: they stay apart for every kind of colour vision.
pragma Singleton
import QtQuick
import Station

QtObject {
    id: root

    // 1 at 1280x720; set by the window.
    property real scale: 1

    function px(size: real): int {
        return Math.round(size * root.scale)
    }

    readonly property color base: "#101214"
    readonly property color stage: "#0a0b0d"
    readonly property color panel: "#17191c"
    readonly property color track: "#33383e"
    readonly property color line: "#2a2e33"
    readonly property color grid: "#2e3338"
    readonly property color textStrong: "#eef0f2"
    readonly property color text: "#b9c0c7"
    readonly property color textFaint: "#8b939b"
    readonly property color trace: "#cdd3d9"
    readonly property color target: "#8b939b"
    readonly property color advisory: "#6db3e8"
    readonly property color caution: "#f0b23c"
    readonly property color critical: "#ff6b3d"
    readonly property color veil: "#d90c0d0f"
    readonly property color tag: "#b3101214"
    readonly property color approaching: "#f0a23c"
    readonly property color receding: "#6db3e8"
    readonly property color still: "#98a0a8"

    readonly property string sans: "DejaVu Sans"
    readonly property string mono: "DejaVu Sans Mono"

    readonly property int captionSize: px(11)
    readonly property int smallSize: px(12)
    readonly property int textSize: px(14)
    readonly property int titleSize: px(17)
    readonly property int readoutSize: px(19)
    readonly property int figureSize: px(32)
    readonly property int tickSize: px(10)

    readonly property int gap: px(8)
    readonly property int margin: px(14)
    readonly property int radius: px(4)
    readonly property int topBarHeight: px(46)
    readonly property int bottomBarHeight: px(42)
    readonly property int columnWidth: px(320)

    readonly property string dash: "\u2013"

    function levelColor(level: int): color {
        switch (level) {
        case Decision.Level.Advisory:
            return root.advisory
        case Decision.Level.Caution:
            return root.caution
        case Decision.Level.Critical:
            return root.critical
        case Decision.Level.Normal:
            return root.textStrong
        }
        return root.textFaint
    }
}
