import { createReadStream } from 'node:fs'
import { badRequest, failure, type ParamValues, parameterError, t, type UploadedFile } from '../../../api/index.ts'
import { handled } from '../../../infra/streams/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { planLimits } from '../../plan-limits/index.ts'
import type { ServedProject } from '../access/subjects.ts'
import { packageOf } from '../core/store.ts'
import { hasFile, type StoredFile } from '../files/store.ts'
import { publishFile, requirePublishable } from '../publishing/publish.ts'
import { isDistributionName, isPypiName, isPypiVersion, normalised } from './names.ts'
import { storeMetadata } from './store.ts'

/** The fields of an upload that are looked at (contract 23, x.pypi_upload). */
export const uploadFields = {
  content: t.required(t.file({ description: 'The distribution; its file name is the name of the file.' })),
  name: t.required(t.string()),
  version: t.required(t.string({ description: 'By PEP 440.' })),
  requires_python: t.string(),
  sha256_digest: t.string({ description: 'Must be that of the file.' }),
  md5_digest: t.string({ description: 'Must be that of the file.' }),
  metadata_version: t.string(),
  author_email: t.string(),
  description: t.string(),
  description_content_type: t.string(),
  summary: t.string(),
  keywords: t.string(),
}
type Upload = ParamValues<typeof uploadFields>

/** The lengths to which fields are cut. */
const lengths = {
  metadata_version: 16,
  author_email: 2048,
  description: 4000,
  description_content_type: 128,
  summary: 255,
  keywords: 1024,
} as const
const longestRequirement = 255

const refused = (problem: string) => badRequest(`Validation failed: ${problem}`)
const nameTaken = () => refused('File name has already been taken')

/** @throws ApiError 400, 422 */
function requireValid(upload: Upload, fips: boolean): void {
  const { name, version, content, requires_python: requirement = '', sha256_digest: sha256 } = upload
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(sha256)) throw parameterError('sha256_digest', 'is invalid')
  if (fips && sha256 === undefined) throw failure(422, '422 Unprocessable Entity')
  if (!isPypiName(name)) throw refused('Name is invalid')
  if (!isPypiVersion(version)) throw refused('Version is invalid')
  if (!isDistributionName((content as UploadedFile).filename)) throw refused('File name is invalid')
  if (requirement.length > longestRequirement) {
    throw refused(`Required python is too long (maximum is ${longestRequirement} characters)`)
  }
}

/** @throws ApiError 400 */
function requireDigests({ sha256_digest: sha256, md5_digest: md5 }: Upload, file: StoredFile, fips: boolean): void {
  if (sha256 !== undefined && sha256.toLowerCase() !== file.sha256) throw refused('File sha256 does not match')
  if (md5 !== undefined && !fips && md5.toLowerCase() !== file.md5) throw refused('File md5 does not match')
}

/** The first characters of a text, without half of a pair of surrogates at the end. */
const cut = (text: string | undefined, length: number) => text?.slice(0, length).toWellFormed() ?? null

function metadataOf(upload: Upload) {
  return {
    requires_python: upload.requires_python || null,
    metadata_version: cut(upload.metadata_version, lengths.metadata_version),
    author_email: cut(upload.author_email, lengths.author_email),
    summary: cut(upload.summary, lengths.summary),
    description: cut(upload.description, lengths.description),
    description_content_type: cut(upload.description_content_type, lengths.description_content_type),
    keywords: cut(upload.keywords, lengths.keywords),
  }
}

/** The largest distribution in bytes. */
export async function largestDistribution({ database }: Platform): Promise<number> {
  const { pypi_max_file_size: bytes } = await planLimits(database.read)
  return bytes === 0 ? Number.MAX_SAFE_INTEGER / 2 : bytes
}

/**
 * Stores a distribution (contract 23, x.pypi_upload).
 * @throws ApiError 400, 403, 422, 507
 */
export async function uploadDistribution(platform: Platform, served: ServedProject, upload: Upload): Promise<void> {
  const { fips } = platform.config.edition
  const { read } = platform.database
  requireValid(upload, fips)
  const { name, version } = upload
  const { filename: fileName, path } = upload.content as UploadedFile
  const target = { type: 'pypi', name, nameKey: normalised(name), version, fileName } as const
  await requirePublishable(platform, served, target)
  const known = await packageOf(read, served.project.id, target)
  if (known && (await hasFile(read, known.id, fileName))) throw nameTaken()
  await publishFile(platform, served, target, handled(createReadStream(path)), {
    maximumBytes: 0,
    async admit(tx, { found, isNew }) {
      if (!isNew && (await hasFile(tx, found.id, fileName))) throw nameTaken()
    },
    async record(tx, { found, file }) {
      requireDigests(upload, file, fips)
      await storeMetadata(tx, { package_id: found.id, ...metadataOf(upload) })
    },
  })
}
