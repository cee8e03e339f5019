#include "items/register_types.h"

#include <QtQml/qqml.h>

#include "items/gauge_scale_item.h"
#include "items/level_shape_item.h"
#include "items/radar_item.h"
#include "items/strip_chart_item.h"
#include "items/video_item.h"
#include "models/station_model.h"

namespace farwheel::station {

void register_types() {
  constexpr char kUri[] = "Station";
  qmlRegisterNamespaceAndRevisions(&staticMetaObject, kUri, 1);
  qmlRegisterTypesAndRevisions<TimeSeries, ReadoutModel, GaugeModel, LinkModel, ConnectionModel,
                               CameraModel, CameraListModel, RadarModel, StationModel, VideoItem,
                               StripChartItem, GaugeScaleItem, LevelShapeItem, RadarItem,
                               DopplerSymbolItem>(kUri, 1);
}

}  // namespace farwheel::station
