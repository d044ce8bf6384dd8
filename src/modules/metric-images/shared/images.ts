import {
  answerToOutage,
  badRequest,
  failure,
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
import type { Project } from '../../projects/index.ts'
import { type Answering, safeFileName, serveFile, storeFile } from '../../uploads/index.ts'
import { requireImage } from './format.ts'
import { type ImageKind, type ImageRow, keyOfImage } from './kind.ts'

/** Texts beside an image. */
export const imageTexts = {
  url: t.nullable(t.string({ description: 'Where the metric can be seen; http or https.' })),
  url_text: t.nullable(t.string({ description: 'What that address is called.' })),
}
type ImageTexts = ParamValues<typeof imageTexts>

/** Parameters of a new image. */
export const newImage = { file: t.requiredFile({ description: 'The image, at most 1 MiB.' }), ...imageTexts }
export type NewImage = ImageTexts & { file: UploadedFile }

const largestImageBytes = 1_048_576

/** What is wrong with the texts of an image; null when nothing is. */
function problemOf({ url, url_text: text }: ImageTexts): string | null {
  if (url && !/^https?:\/\/\S/i.test(url)) return 'Url is blocked: Only allowed schemes are http, https'
  if ([...(url ?? '')].length > 255) return 'Url is too long (maximum is 255 characters)'
  return [...(text ?? '')].length > 128 ? 'Url text is too long (maximum is 128 characters)' : null
}

/** 404 for an image that there is not. */
export const imageNotFound = () => failure(404, 'Metric image not found')

/**
 * Stores an image (contract 07, x.metric_image_create).
 * @param parent the columns that say what it is of
 * @throws ApiError 400, 422; ObjectError
 */
export async function storeImage<Row extends ImageRow>(
  platform: Platform,
  kind: ImageKind<Row>,
  project: Project,
  parent: Omit<Row, keyof ImageRow>,
  { file, ...texts }: NewImage,
): Promise<Row> {
  if (file.sizeBytes > largestImageBytes) throw badRequest('File is too large')
  const filename = safeFileName(file.filename)
  await requireImage({ filename, path: file.path })
  const problem = problemOf(texts)
  if (problem !== null) throw failure(400, problem)
  const place = { project_id: project.id, secret: randomHex(16) }
  return storeFile(platform, keyOfImage(kind, place), file, (tx, { sizeBytes, sha256 }) => {
    const row = {
      ...{ ...place, ...parent, filename, size_bytes: sizeBytes, sha256 },
      ...{ url: texts.url || null, url_text: texts.url_text || null, created_at: now(platform.clock) },
    }
    return kind.insert(tx, row as unknown as Omit<Row, 'id'>)
  })
}

/** Changes the texts of an image (contract 07, x.metric_image_update). @throws ApiError 404, 422 */
export async function changeImage<Row extends ImageRow>(
  { database }: Platform,
  kind: ImageKind<Row>,
  image: Row,
  texts: ImageTexts,
): Promise<Row> {
  if (problemOf(texts) !== null) throw failure(422, 'Metric image could not be updated')
  const url = texts.url === undefined ? image.url : texts.url || null
  const url_text = texts.url_text === undefined ? image.url_text : texts.url_text || null
  const row = await database.write((tx) => kind.update(tx, image.id, { url, url_text }))
  if (!row) throw imageNotFound()
  return row
}

/**
 * Deletes an image: first its record, so that a process that ends in between leaves a file that the sweep removes, and no record
 * without a file. When the file cannot be deleted, the record comes back (contract 07, x.metric_image_delete).
 * @throws ApiError 404, 422; ObjectError, answered with 503 when the object store is away
 */
export async function deleteImage<Row extends ImageRow>(
  { database, objects }: Platform,
  kind: ImageKind<Row>,
  image: Row,
): Promise<void> {
  if ((await database.write((tx) => kind.remove(tx, image.id))) === 0) throw imageNotFound()
  try {
    await objects.delete(keyOfImage(kind, image))
  } catch (error) {
    if (!(error instanceof ObjectError)) throw error
    await database.write((tx) => kind.insert(tx, image))
    if (answerToOutage(error)) throw error
    throw failure(422, 'Metric image could not be deleted')
  }
}

/** Serves an image to those who may read what it is of (contract 07, x.metric_image_file). @throws ApiError 404, 416 */
export async function serveImage<Row extends ImageRow>(
  platform: Platform,
  kind: ImageKind<Row>,
  { id, filename }: { id: string; filename: string },
  mayRead: (image: Row) => Promise<boolean>,
  answering: Answering,
): Promise<Raw> {
  const image = /^\d{1,15}$/.test(id) ? await kind.byId(platform.database.read, Number(id)) : null
  if (image?.filename !== filename || !(await mayRead(image))) throw notFound()
  const { size_bytes: sizeBytes, sha256 } = image
  return serveFile(platform, answering, { name: filename, sizeBytes, sha256, key: keyOfImage(kind, image) }, 'web')
}
