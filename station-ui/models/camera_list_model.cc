#include "models/camera_list_model.h"

#include <algorithm>
#include <utility>

namespace farwheel::station {

void CameraListModel::add(const QString& name, std::shared_ptr<FrameMailbox> frames) {
  if (CameraModel* known = find(name)) {
    known->setPresent(true);
    return;
  }
  if (count() >= kMaxCameras) return;
  beginInsertRows({}, count(), count());
  cameras_.push_back(new CameraModel(name, count() + 1, std::move(frames), this));
  connect(cameras_.back(), &CameraModel::shown, this, &CameraListModel::frameShown);
  endInsertRows();
  emit countChanged();
  if (count() == 1) show(1);
}

void CameraListModel::remove(const QString& name) {
  if (CameraModel* known = find(name)) known->setPresent(false);
}

void CameraListModel::tick(LinkState link, Nanoseconds now) {
  for (CameraModel* camera : cameras_) camera->tick(link, now);
}

void CameraListModel::show(int number) {
  if (number < 1 || number > count()) return;
  for (CameraModel* camera : cameras_) camera->setMain(camera->number() == number);
  emit mainChanged();
}

CameraModel* CameraListModel::main() const {
  const auto found = std::find_if(cameras_.begin(), cameras_.end(),
                                  [](const CameraModel* camera) { return camera->isMain(); });
  return found == cameras_.end() ? nullptr : *found;
}

int CameraListModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : count();
}

QVariant CameraListModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid) || role != CameraRole) return {};
  return QVariant::fromValue(cameras_[static_cast<std::size_t>(index.row())]);
}

QHash<int, QByteArray> CameraListModel::roleNames() const {
  return {{CameraRole, "camera"}};
}

CameraModel* CameraListModel::find(const QString& name) const {
  const auto found =
      std::find_if(cameras_.begin(), cameras_.end(),
                   [&name](const CameraModel* camera) { return camera->name() == name; });
  return found == cameras_.end() ? nullptr : *found;
}

}  // namespace farwheel::station
