import { type Actor, dayOf, failure, forbidden, type ParamValues, type Raw, t } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import {
  changeImage,
  deleteImage,
  imageNotFound,
  imageObject,
  type imageTexts,
  type NewImage,
  serveImage,
  storeImage,
} from '../../metric-images/index.ts'
import { may, type Project, projectById, withRole } from '../../projects/index.ts'
import type { Answering } from '../../uploads/index.ts'
import { alertPath } from '../alerts/params.ts'
import { alertByIid } from '../alerts/store.ts'
import type { MetricImageRow } from '../tables.ts'
import { alertImages, imagesOfAlert } from './store.ts'

/** An image of an alert (contract 07, MetricImage). */
export const MetricImage = imageObject('AlertMetricImage', 'alert_metric_image')

export const imagePath = { ...alertPath, image_id: t.id() }

/** An image of an alert. @throws ApiError 404 */
async function requireOwnImage({ database }: Platform, project: Project, iid: number, id: number) {
  const alert = await alertByIid(database.read, project.id, iid)
  const image = alert && (await alertImages.byId(database.read, id))
  if (!alert || image?.alert_id !== alert.id) throw imageNotFound()
  return image
}

/**
 * Attaches an image to an alert (contract 07, x.metric_image_create).
 * @throws ApiError 400; 403 for an unknown alert; 422; ObjectError
 */
export async function createImage(platform: Platform, project: Project, iid: number, given: NewImage) {
  const alert = await alertByIid(platform.database.read, project.id, iid)
  if (!alert) throw forbidden()
  return MetricImage.present(await storeImage(platform, alertImages, project, { alert_id: alert.id }, given))
}

/** The images of an alert (contract 07, x.metric_image_list). @throws ApiError 404 */
export async function listImages({ database }: Platform, project: Project, iid: number) {
  const alert = await alertByIid(database.read, project.id, iid)
  if (!alert) throw failure(404, 'Alert not found')
  return (await imagesOfAlert(database.read, alert.id)).map((row) => MetricImage.present(row))
}

/** Changes the texts of an image (contract 07, x.metric_image_update). @throws ApiError 404, 422 */
export async function updateImage(
  platform: Platform,
  project: Project,
  iid: number,
  id: number,
  texts: ParamValues<typeof imageTexts>,
) {
  const image = await requireOwnImage(platform, project, iid, id)
  return MetricImage.present(await changeImage(platform, alertImages, image, texts))
}

/** Deletes an image (contract 07, x.metric_image_delete). @throws ApiError 404, 422; ObjectError */
export async function removeImage(platform: Platform, project: Project, iid: number, id: number): Promise<void> {
  await deleteImage(platform, alertImages, await requireOwnImage(platform, project, iid, id))
}

async function mayRead({ database, clock }: Platform, actor: Actor, { project_id: projectId }: MetricImageRow) {
  const row = await projectById(database.read, projectId)
  if (!row || row.pending_delete) return false
  return may(actor, await withRole(database.read, row, actor, dayOf(clock.now())), 'read_alerts')
}

/** Serves an image to those who may read its alert (contract 07, x.metric_image_file). @throws ApiError 404, 416 */
export async function serveAlertImage(
  platform: Platform,
  actor: Actor,
  named: { id: string; filename: string },
  answering: Answering,
): Promise<Raw> {
  return serveImage(platform, alertImages, named, (image) => mayRead(platform, actor, image), answering)
}
