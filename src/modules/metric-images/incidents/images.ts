import type { ParamValues } from '../../../api/index.ts'
import { type Actor, dayOf, forbidden, type Raw } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type Issue, issueById, readableAmong } from '../../issues/index.ts'
import type { Answering } from '../../uploads/index.ts'
import {
  changeImage,
  deleteImage,
  imageNotFound,
  type imageTexts,
  type NewImage,
  serveImage,
  storeImage,
} from '../shared/images.ts'
import { imageObject } from '../shared/kind.ts'
import type { IssueMetricImageRow } from '../tables.ts'
import { imagesOfIncident, incidentImages } from './store.ts'

/** An image of an incident (contract 26.10, MetricImage). */
export const IncidentMetricImage = imageObject('IncidentMetricImage', 'issuable_metric_image')

const isIncident = ({ row }: Pick<Issue, 'row'>) => row.issue_type === 'incident'

/** @throws ApiError 403 for issues of other types, which have no images */
function requireIncident(issue: Issue): void {
  if (!isIncident(issue)) throw forbidden()
}

/** An image of an incident. @throws ApiError 403, 404 */
async function requireImageOf({ database }: Platform, issue: Issue, id: number): Promise<IssueMetricImageRow> {
  requireIncident(issue)
  const image = await incidentImages.byId(database.read, id)
  if (image?.issue_id !== issue.row.id) throw imageNotFound()
  return image
}

/** The images of an incident, by id (contract 26, x.issue_metric_image_list). @throws ApiError 403 */
export async function listImagesOf({ database }: Platform, issue: Issue) {
  requireIncident(issue)
  return (await imagesOfIncident(database.read, issue.row.id)).map((row) => IncidentMetricImage.present(row))
}

/** Attaches an image to an incident (contract 26, x.issue_metric_image_create). @throws ApiError 400, 403, 422; ObjectError */
export async function addImageTo(platform: Platform, issue: Issue, given: NewImage) {
  requireIncident(issue)
  const image = await storeImage(platform, incidentImages, issue.project, { issue_id: issue.row.id }, given)
  return IncidentMetricImage.present(image)
}

/** Changes the texts of an image (contract 26, x.issue_metric_image_update). @throws ApiError 403, 404, 422 */
export async function changeImageOf(
  platform: Platform,
  issue: Issue,
  id: number,
  texts: ParamValues<typeof imageTexts>,
) {
  const image = await requireImageOf(platform, issue, id)
  return IncidentMetricImage.present(await changeImage(platform, incidentImages, image, texts))
}

/** Deletes an image (contract 26, x.issue_metric_image_delete). @throws ApiError 403, 404, 422; ObjectError */
export async function deleteImageOf(platform: Platform, issue: Issue, id: number): Promise<void> {
  await deleteImage(platform, incidentImages, await requireImageOf(platform, issue, id))
}

/** Serves an image to those who may read its incident (contract 26, x.issue_metric_image_file). @throws ApiError 404, 416 */
export async function serveImageOf(
  platform: Platform,
  actor: Actor,
  named: { id: string; filename: string },
  answering: Answering,
): Promise<Raw> {
  const mayRead = async ({ issue_id: issueId }: IssueMetricImageRow) => {
    const row = await issueById(platform.database.read, issueId)
    if (!row || !isIncident({ row })) return false
    return (await readableAmong(platform, [row], actor, dayOf(platform.clock.now()))).length > 0
  }
  return serveImage(platform, incidentImages, named, mayRead, answering)
}
