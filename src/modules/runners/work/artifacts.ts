import { createReadStream } from 'node:fs'
import {
  contentDisposition,
  failure,
  forbidden,
  notFound,
  parameterError,
  parameterErrors,
  type Raw,
  type UploadedFile,
} from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { handled } from '../../../infra/streams/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { settingsOfGroup } from '../../groups/index.ts'
import { ancestorsOf } from '../../namespaces/index.ts'
import {
  type CiJobRow,
  definitionOf,
  expiryOf,
  findArtifact,
  jobById,
  openArtifact,
  storeArtifact,
  storeJobVariables,
} from '../../pipelines/index.ts'
import { planLimits } from '../../plan-limits/index.ts'
import { projectById, settingOf } from '../../projects/index.ts'
import { dependenciesOf } from '../payload/dependencies.ts'
import { requireActive, requireActiveJob, requireJobOfToken } from '../protocol/credentials.ts'
import { readDotenv } from './dotenv.ts'

const megabyte = 1024 * 1024

/** The limit that a project or the nearest group above it sets, in megabytes; null when none does. */
async function ownLimit(db: Reader, projectId: number): Promise<number | null> {
  const project = await projectById(db, projectId)
  if (!project) return null
  const own = settingOf(project, 'max_artifacts_size')
  if (own !== null) return own
  const above = await ancestorsOf(db, project.namespace_id)
  return above.map((group) => settingsOfGroup(group).max_artifacts_size).find((limit) => limit !== null) ?? null
}

/** The size limit of the artifacts of a job, in bytes: that of its project, of the nearest group above it, or of the instance. */
export async function largestArtifactBytes({ database, settings }: Platform, jobId: number): Promise<number> {
  const [job, { max_artifacts_size: ofInstance }] = await Promise.all([
    Number.isSafeInteger(jobId) ? jobById(database.read, jobId) : null,
    settings.current(),
  ])
  const own = job && (await ownLimit(database.read, job.project_id))
  return (own ?? ofInstance) * megabyte
}

/** A file that a runner uploads. */
export type Upload = {
  token: string
  file: UploadedFile | ''
  metadata?: UploadedFile | '' | undefined
  type: string
  format: string
  expireIn?: string | undefined
}

type Stored = { file: UploadedFile; type: string; format: string; expireAt: string | null; maxBytes: number }

const longestName = 255

/** Stores one file of a job. @throws ApiError 400 when the job has another one of the type */
async function store(platform: Platform, job: CiJobRow, { file, type, format, expireAt, maxBytes }: Stored) {
  const definition = await definitionOf(platform.database.read, job.id)
  const { outcome } = await storeArtifact(platform, job, {
    fileType: type,
    fileFormat: format,
    fileName: file.filename.slice(0, longestName) || `${type}.${format}`,
    content: handled(createReadStream(file.path)),
    accessLevel: definition?.artifacts?.access ?? 'all',
    ...{ expireAt, maxBytes },
  })
  if (outcome === 'exists') throw failure(400, 'another artifact of the same type already exists')
  return outcome
}

async function storeDotenv(platform: Platform, job: CiJobRow, stored: Stored): Promise<void> {
  if (stored.format !== 'gzip') throw failure(400, 'Invalid Format')
  const variables = await readDotenv(stored.file.path, await planLimits(platform.database.read))
  if ((await store(platform, job, stored)) !== 'stored') return
  await platform.database.write((tx) => storeJobVariables(platform, tx, job.id, variables, true))
}

/** Stores artifacts of a running job (contract 04, x.runner_artifacts_upload). @throws ApiError 400, 403, 413 */
export async function uploadArtifact(platform: Platform, id: number, upload: Upload): Promise<void> {
  const job = await requireActiveJob(platform, id, upload.token)
  const { file, metadata, type, format, expireIn } = upload
  if (file === '') throw parameterErrors([{ name: 'file', missing: true, text: 'is missing' }])
  if (!/^[a-z][a-z0-9_]*$/.test(type)) throw parameterError('artifact_type', 'does not have a valid value')
  const expireAt = expiryOf(platform, expireIn)
  const maxBytes = await largestArtifactBytes(platform, id)
  const common = { expireAt, maxBytes }
  if (type === 'dotenv') await storeDotenv(platform, job, { ...common, file, type, format })
  else await store(platform, job, { ...common, file, type, format })
  if (metadata) await store(platform, job, { ...common, file: metadata, type: 'metadata', format: 'gzip' })
}

/** Whether a running job may download the artifacts of another one: those of itself, and of what it depends on. */
async function mayDownload(platform: Platform, job: CiJobRow, id: number): Promise<boolean> {
  if (job.id === id) return true
  const definition = await definitionOf(platform.database.read, job.id)
  const dependencies = definition && (await dependenciesOf(platform, job, definition))
  return dependencies?.some((dependency) => dependency.id === id) ?? false
}

/** The archive of a job, for a job that depends on it (contract 04, x.runner_artifacts_download). @throws ApiError 403, 404 */
export async function downloadArtifact(platform: Platform, id: number, token: string): Promise<Raw> {
  const job = await requireJobOfToken(platform, token)
  requireActive(job)
  if (!(await mayDownload(platform, job, id))) throw forbidden()
  const artifact = await findArtifact(platform, id)
  const opened = artifact && (await openArtifact(platform, artifact))
  if (!artifact || !opened) throw notFound()
  return {
    headers: {
      'Content-Type': 'application/zip',
      'Content-Length': String(opened.sizeBytes),
      'Content-Disposition': contentDisposition('attachment', artifact.file_name),
    },
    body: opened.stream,
  }
}
