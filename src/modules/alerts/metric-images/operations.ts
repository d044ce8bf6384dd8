import { ApiError, failure, instance, nothing, reading, Type, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { imageTexts, newImage } from '../../metric-images/index.ts'
import { type ProjectSubject, project } from '../../projects/index.ts'
import { fileAnswers, servedFile } from '../../uploads/index.ts'
import { alertPath } from '../alerts/params.ts'
import {
  createImage,
  imagePath,
  listImages,
  MetricImage,
  removeImage,
  serveAlertImage,
  updateImage,
} from './metric-images.ts'

const write = { tag: 'Alerts', subject: project, allow: 'manage_alerts', scopes: writing } as const
const list = '/projects/:id/alert_management_alerts/:alert_iid/metric_images'
const one = `${list}/:image_id` as const

/** To those who may not read alerts, an alert does not exist (contract 07, x.metric_image_list). */
const projectWithHiddenAlerts: ProjectSubject = {
  ...project,
  async authorize(actor, found, ability) {
    try {
      await project.authorize(actor, found, ability)
    } catch (error) {
      throw error instanceof ApiError && error.status === 403 ? failure(404, 'Alert not found') : error
    }
  },
}

export const alertMetricImagesCreate = operation({
  ...write,
  id: 'alert_metric_images.create',
  contract: 'x.metric_image_create',
  method: 'POST',
  path: list,
  summary: 'Attach a metric image to an alert',
  params: { ...alertPath, ...newImage },
  result: [201, MetricImage],
  run: ({ platform, subject, params: { alert_iid: iid, ...image } }) => createImage(platform, subject, iid, image),
})

export const alertMetricImagesList = operation({
  ...write,
  subject: projectWithHiddenAlerts,
  allow: 'read_alerts',
  scopes: reading,
  id: 'alert_metric_images.list',
  contract: 'x.metric_image_list',
  method: 'GET',
  path: list,
  summary: 'List the metric images of an alert',
  params: alertPath,
  result: [200, Type.Array(MetricImage)],
  run: ({ platform, subject, params }) => listImages(platform, subject, params.alert_iid),
})

export const alertMetricImagesUpdate = operation({
  ...write,
  id: 'alert_metric_images.update',
  contract: 'x.metric_image_update',
  method: 'PUT',
  path: one,
  summary: 'Change the texts of a metric image',
  params: { ...imagePath, ...imageTexts },
  result: [200, MetricImage],
  run: ({ platform, subject, params: { alert_iid: iid, image_id: id, ...texts } }) =>
    updateImage(platform, subject, iid, id, texts),
})

export const alertMetricImagesDelete = operation({
  ...write,
  id: 'alert_metric_images.delete',
  contract: 'x.metric_image_delete',
  method: 'DELETE',
  path: one,
  summary: 'Delete a metric image',
  params: imagePath,
  result: [204, nothing],
  run: ({ platform, subject, params }) => removeImage(platform, subject, params.alert_iid, params.image_id),
})

export const alertMetricImagesServe = operation({
  tag: 'Alerts',
  subject: instance,
  allow: 'public',
  scopes: reading,
  takesSession: true,
  id: 'alert_metric_images.serve',
  contract: 'x.metric_image_file',
  method: 'GET',
  root: true,
  path: '/uploads/-/system/alert_metric_image/file/:image_id/:filename',
  summary: 'Get the file of a metric image',
  description: 'For callers who may read the alert.',
  result: [200, servedFile],
  answers: fileAnswers,
  run: ({ platform, actor, params: { image_id: id, filename }, request, setStatus }) =>
    serveAlertImage(platform, actor, { id, filename }, { request, setStatus }),
})
