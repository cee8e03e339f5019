// As qt_core.h, for what draws and for the program.
#ifndef FARWHEEL_STATION_PCH_QT_QUICK_H
#define FARWHEEL_STATION_PCH_QT_QUICK_H

#include <QColor>
#include <QFont>
#include <QFontMetricsF>
#include <QPainter>
#include <QPointer>
#include <QQuickPaintedItem>
#include <QQuickWindow>

#include "pch/qt_core.h"

#endif
