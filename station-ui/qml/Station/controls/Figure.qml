// A number in digits of one width, so that it stands still while it changes.
import QtQuick
import Station

Text {
    textFormat: Text.PlainText
    color: Theme.textStrong
    font.family: Theme.mono
    font.pixelSize: Theme.readoutSize
    horizontalAlignment: Text.AlignRight
}
