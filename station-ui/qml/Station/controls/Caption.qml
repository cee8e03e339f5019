// A small label in capitals.
import QtQuick
import Station

Text {
    textFormat: Text.PlainText
    color: Theme.textFaint
    font.family: Theme.sans
    font.pixelSize: Theme.captionSize
    font.letterSpacing: Theme.captionSize * 0.07
}
