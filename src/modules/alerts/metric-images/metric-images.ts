import {
  type Actor,
  answerToOutage,
  badRequest,
  dayOf,
  failure,
  forbidden,
  notFound,
  type ParamValues,
  type Raw,
  t,
  type UploadedFile,
} from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { ObjectError } from '../../../infra/objects/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { may, type Project, projectById, withRole } from '../../projects/index.ts'
import { type Answering, safeFileName, serveFile, storeFile } from '../../uploads/index.ts'
import { alertPath } from '../alerts/params.ts'
import { alertByIid } from '../alerts/store.ts'
import type { MetricImageRow } from '../tables.ts'
import { requireImage } from './format.ts'
import { keyOf, keyOfImage } from './keys.ts'
import { MetricImage } from './present.ts'
import * as store from './store.ts'

export const imagePath = { ...alertPath, image_id: t.id() }

/** Texts beside an image. */
export const imageTexts = {
  url: t.nullable(t.string({ description: 'Where the metric can be seen; http or https.' })),
  url_text: t.nullable(t.string({ description: 'What that address is called.' })),
}
type ImageTexts = ParamValues<typeof imageTexts>

/** Parameters of x.metric_image_create. */
export const newImage = { file: t.requiredFile({ description: 'The image, at most 1 MiB.' }), ...imageTexts }

const largestImageBytes = 1_048_576

/** What is wrong with the texts of an image; null when nothing is. */
function problemOf({ url, url_text: text }: ImageTexts): string | null {
  if (url && !/^https?:\/\/\S/i.test(url)) return 'Url is blocked: Only allowed schemes are http, https'
  if ([...(url ?? '')].length > 255) return 'Url is too long (maximum is 255 characters)'
  return [...(text ?? '')].length > 128 ? 'Url text is too long (maximum is 128 characters)' : null
}

const imageNotFound = () => failure(404, 'Metric image not found')

/** An image of an alert. @throws ApiError 404 */
async function requireOwnImage({ database }: Platform, project: Project, iid: number, id: number) {
  const alert = await alertByIid(database.read, project.id, iid)
  const image = alert && (await store.imageById(database.read, id))
  if (!alert || image?.alert_id !== alert.id) throw imageNotFound()
  return image
}

/**
 * Attaches an image to an alert (contract 07, x.metric_image_create).
 * @throws ApiError 400; 403 for an unknown alert; 422; ObjectError
 */
export async function createImage(
  platform: Platform,
  project: Project,
  iid: number,
  { file, ...texts }: ImageTexts & { file: UploadedFile },
) {
  const alert = await alertByIid(platform.database.read, project.id, iid)
  if (!alert) throw forbidden()
  if (file.sizeBytes > largestImageBytes) throw badRequest('File is too large')
  const filename = safeFileName(file.filename)
  await requireImage({ filename, path: file.path })
  const problem = problemOf(texts)
  if (problem !== null) throw failure(400, problem)
  const secret = randomHex(16)
  const image = await storeFile(platform, keyOf(project.id, secret), file, (tx, { sizeBytes, sha256 }) =>
    store.insertImage(tx, {
      ...{ project_id: project.id, alert_id: alert.id, secret, filename, size_bytes: sizeBytes, sha256 },
      ...{ url: texts.url || null, url_text: texts.url_text || null, created_at: now(platform.clock) },
    }),
  )
  return MetricImage.present(image)
}

/** The images of an alert (contract 07, x.metric_image_list). @throws ApiError 404 */
export async function listImages({ database }: Platform, project: Project, iid: number) {
  const alert = await alertByIid(database.read, project.id, iid)
  if (!alert) throw failure(404, 'Alert not found')
  return (await store.imagesOfAlert(database.read, alert.id)).map((row) => MetricImage.present(row))
}

/** Changes the texts of an image (contract 07, x.metric_image_update). @throws ApiError 404, 422 */
export async function updateImage(platform: Platform, project: Project, iid: number, id: number, texts: ImageTexts) {
  const image = await requireOwnImage(platform, project, iid, id)
  if (problemOf(texts) !== null) throw failure(422, 'Metric image could not be updated')
  const url = texts.url === undefined ? image.url : texts.url || null
  const url_text = texts.url_text === undefined ? image.url_text : texts.url_text || null
  const row = await platform.database.write((tx) => store.updateImage(tx, id, { url, url_text }))
  if (!row) throw imageNotFound()
  return MetricImage.present(row)
}

/**
 * Deletes an image: first its record, so that a process that ends in between leaves a file that the sweep removes, and no record
 * without a file. When the file cannot be deleted, the record comes back (contract 07, x.metric_image_delete).
 * @throws ApiError 404, 422; ObjectError, answered with 503 when the object store is away
 */
export async function deleteImage(platform: Platform, project: Project, iid: number, id: number): Promise<void> {
  const { database, objects } = platform
  const image = await requireOwnImage(platform, project, iid, id)
  if (!(await database.write((tx) => store.deleteImage(tx, id)))) throw imageNotFound()
  try {
    await objects.delete(keyOfImage(image))
  } catch (error) {
    if (!(error instanceof ObjectError)) throw error
    await database.write((tx) => store.insertImage(tx, image))
    if (answerToOutage(error)) throw error
    throw failure(422, 'Metric image could not be deleted')
  }
}

async function mayRead({ database, clock }: Platform, actor: Actor, { project_id: projectId }: MetricImageRow) {
  const row = await projectById(database.read, projectId)
  if (!row || row.pending_delete) return false
  return may(actor, await withRole(database.read, row, actor, dayOf(clock.now())), 'read_alerts')
}

/** Serves an image to those who may read its alert (contract 07, x.metric_image_file). @throws ApiError 404, 416 */
export async function serveImage(
  platform: Platform,
  actor: Actor,
  { id, filename }: { id: string; filename: string },
  answering: Answering,
): Promise<Raw> {
  const image = /^\d{1,15}$/.test(id) ? await store.imageById(platform.database.read, Number(id)) : null
  if (image?.filename !== filename || !(await mayRead(platform, actor, image))) throw notFound()
  const { size_bytes: sizeBytes, sha256 } = image
  return serveFile(platform, answering, { name: filename, sizeBytes, sha256, key: keyOfImage(image) }, 'web')
}
