// A guard and no pragma: a precompiled header is its own main file.
// Compiled once for all models: Qt's headers cost more than the code that includes them.
#ifndef FARWHEEL_STATION_PCH_QT_CORE_H
#define FARWHEEL_STATION_PCH_QT_CORE_H

#include <QtQml/qqmlregistration.h>

#include <QAbstractListModel>
#include <QImage>
#include <QObject>
#include <QString>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#endif
