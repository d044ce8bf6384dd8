import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ignoreMissing } from '../../infra/files/index.ts'
import { writeGzip } from '../files/gzip.ts'
import { BadArchive, extractZip, writeZip } from '../files/zip.ts'
import { Refused, ServerUnreachable } from '../protocol/client.ts'
import type { ArtifactPlan, Dependency, When } from '../protocol/payload.ts'
import { chooseFiles } from './chosen.ts'
import { type JobContext, JobFailure } from './context.ts'
import { expandIn } from './environment.ts'

/** Whether something is for jobs with this result. */
export const isFor = (when: When | undefined, isSuccess: boolean): boolean =>
  when === 'always' || (when === 'on_failure') === !isSuccess

const extensions = { zip: '.zip', gzip: '.gz', raw: '' } as const

/** @param name may have variables, and then characters that no file has */
function fileNameOf({ environment }: JobContext, { name, artifact_format: format }: ArtifactPlan): string {
  const own = expandIn(environment, name ?? '').replaceAll(/[/\\\0]/g, '-')
  return `${own || 'artifacts'}${extensions[format]}`
}

/** Reports are files; a folder stands for the files in it. */
async function onlyFiles(root: string, paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => lstat(join(root, path)).catch(ignoreMissing)))
  return paths.filter((_, index) => found[index]?.isFile())
}

/** Writes what is uploaded. @returns its path; null when there are no files for it */
async function pack(context: JobContext, plan: ArtifactPlan, file: string): Promise<string | null> {
  const { folders, signal, log } = context
  const { paths } = await chooseFiles(context, plan)
  if (plan.artifact_format === 'zip') {
    if (paths.length === 0) return null
    log.line(`${plan.artifact_type}: ${paths.length} matching files and folders`)
    await writeZip(file, folders.project, paths, signal)
    return file
  }
  const files = await onlyFiles(folders.project, paths)
  const [first] = files
  if (first === undefined) return null
  log.line(`${plan.artifact_type}: ${files.length} matching files`)
  if (plan.artifact_format === 'raw') return join(folders.project, first)
  await writeGzip(file, folders.project, files, signal)
  return file
}

const uploadTries = 4
/** Between the first try and the second; then twice as long, and so on. */
const pauseMs = 2000
const firstRefusal = 400
const firstOutage = 500

async function upload(context: JobContext, plan: ArtifactPlan, path: string): Promise<void> {
  const { client, payload, signal, log } = context
  const { artifact_type: type, artifact_format: format, expire_in: expireIn } = plan
  const file = { path, name: fileNameOf(context, plan), type, format, expireIn }
  for (let tries = 1; ; tries += 1) {
    try {
      return await client.uploadArtifact(payload, file, signal)
    } catch (error) {
      signal.throwIfAborted()
      const isFinal = error instanceof Refused && error.status >= firstRefusal && error.status < firstOutage
      if (isFinal || tries === uploadTries) {
        throw new JobFailure('runner_system_failure', `${type}: the upload is refused: ${(error as Error).message}`)
      }
      log.notice(`${type}: ${(error as Error).message}; trying again`)
      await sleep(pauseMs * tries, undefined, { signal })
    }
  }
}

/** Uploads the archive and the reports that are for a job with this result. @throws JobFailure */
export async function uploadArtifacts(context: JobContext, isSuccess: boolean): Promise<void> {
  const plans = (context.payload.artifacts ?? []).filter(({ when }) => isFor(when, isSuccess))
  for (const [index, plan] of plans.entries()) {
    const path = await pack(context, plan, join(context.folders.temporary, `artifact-${index}`))
    if (path === null) context.log.notice(`${plan.artifact_type}: no files to upload`)
    else await upload(context, plan, path)
  }
}

async function download({ client, folders, log, signal }: JobContext, { id, name, token }: Dependency): Promise<void> {
  const file = join(folders.temporary, `dependency-${id}.zip`)
  log.line(`Downloading artifacts for ${name} (${id})`)
  await client.downloadArtifact({ id, token, file }, signal)
  await extractZip(file, folders.project, signal)
}

/** Gets the archives of the jobs that this one depends on. @throws JobFailure */
export async function downloadDependencies(context: JobContext): Promise<void> {
  for (const dependency of context.payload.dependencies) {
    await download(context, dependency).catch((error) => {
      context.signal.throwIfAborted()
      const isKnown = [BadArchive, Refused, ServerUnreachable].some((kind) => error instanceof kind)
      if (!isKnown) throw error
      throw new JobFailure('runner_system_failure', `the artifacts of ${dependency.name} are refused: ${error.message}`)
    })
  }
}
