import { instance, nothing, reading, Type, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { issue } from '../../issues/index.ts'
import { fileAnswers, servedFile } from '../../uploads/index.ts'
import { imageTexts, newImage } from '../shared/images.ts'
import { addImageTo, changeImageOf, deleteImageOf, IncidentMetricImage, listImagesOf, serveImageOf } from './images.ts'

const tag = 'Metric images'
const write = { tag, subject: issue, allow: 'admin_incident_images', scopes: writing } as const
const list = '/projects/:id/issues/:issue_iid/metric_images'
const one = `${list}/:metric_image_id` as const
const imageId = { metric_image_id: t.id() }

export const incidentMetricImagesList = operation({
  ...write,
  allow: 'read_issues',
  scopes: reading,
  id: 'incident_metric_images.list',
  contract: 'x.issue_metric_image_list',
  method: 'GET',
  path: list,
  summary: 'List the metric images of an incident',
  description: 'Forbidden for issues of other types.',
  result: [200, Type.Array(IncidentMetricImage)],
  run: ({ platform, subject }) => listImagesOf(platform, subject),
})

export const incidentMetricImagesCreate = operation({
  ...write,
  id: 'incident_metric_images.create',
  contract: 'x.issue_metric_image_create',
  method: 'POST',
  path: list,
  summary: 'Attach a metric image to an incident',
  description: 'Forbidden for issues of other types.',
  params: newImage,
  result: [201, IncidentMetricImage],
  run: ({ platform, subject, params: { file, url, url_text } }) =>
    addImageTo(platform, subject, { file, url, url_text }),
})

export const incidentMetricImagesUpdate = operation({
  ...write,
  id: 'incident_metric_images.update',
  contract: 'x.issue_metric_image_update',
  method: 'PUT',
  path: one,
  summary: 'Change the texts of a metric image of an incident',
  params: { ...imageId, ...imageTexts },
  result: [200, IncidentMetricImage],
  run: ({ platform, subject, params: { metric_image_id: id, url, url_text } }) =>
    changeImageOf(platform, subject, id, { url, url_text }),
})

export const incidentMetricImagesDelete = operation({
  ...write,
  id: 'incident_metric_images.delete',
  contract: 'x.issue_metric_image_delete',
  method: 'DELETE',
  path: one,
  summary: 'Delete a metric image of an incident',
  params: imageId,
  result: [204, nothing],
  run: ({ platform, subject, params }) => deleteImageOf(platform, subject, params.metric_image_id),
})

export const incidentMetricImagesServe = operation({
  tag,
  subject: instance,
  allow: 'public',
  scopes: reading,
  takesSession: true,
  id: 'incident_metric_images.serve',
  contract: 'x.issue_metric_image_file',
  method: 'GET',
  root: true,
  path: '/uploads/-/system/issuable_metric_image/file/:image_id/:filename',
  summary: 'Get the file of a metric image of an incident',
  description: 'For callers who may read the incident.',
  result: [200, servedFile],
  answers: fileAnswers,
  run: ({ platform, actor, params: { image_id: id, filename }, request, setStatus }) =>
    serveImageOf(platform, actor, { id, filename }, { request, setStatus }),
})
