import { hash } from 'node:crypto'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ignoreMissing } from '../../infra/files/index.ts'
import { BadArchive, extractZip, writeZip } from '../files/zip.ts'
import type { CachePlan } from '../protocol/payload.ts'
import { isFor } from './artifacts.ts'
import { chooseFiles } from './chosen.ts'
import type { JobContext } from './context.ts'
import { expandIn } from './environment.ts'

/** A key has any characters and length; its file has a name of its own. */
const fileOf = ({ folders }: JobContext, key: string) => join(folders.caches, `${hash('sha256', key)}.zip`)

/** The key of a cache, and the policy; the key of one that is left out is null. */
function settled({ environment }: JobContext, { key, policy }: CachePlan) {
  const own = expandIn(environment, key)
  return { key: own === '' ? null : own, policy: expandIn(environment, policy) || 'pull-push' }
}

async function restore(context: JobContext, plan: CachePlan): Promise<void> {
  const { log, environment, folders, signal } = context
  const { key, policy } = settled(context, plan)
  if (key === null) return log.notice('a cache without a key is left out')
  if (!['pull', 'pull-push'].includes(policy)) return
  const fallbacks = plan.fallback_keys.map((fallback) => expandIn(environment, fallback))
  for (const wanted of [key, ...fallbacks, environment.CACHE_FALLBACK_KEY ?? ''].filter((one) => one !== '')) {
    const file = fileOf(context, wanted)
    if (!(await stat(file).catch(ignoreMissing))) continue
    try {
      await extractZip(file, folders.project, signal)
      return log.line(`Restored the cache ${wanted}`)
    } catch (error) {
      if (!(error instanceof BadArchive)) throw error
      log.notice(`the cache ${wanted} cannot be restored: ${error.message}`)
    }
  }
  log.line(`There is no cache ${key} yet`)
}

/** Restores the caches of a job, which are files of this machine. */
export async function restoreCaches(context: JobContext): Promise<void> {
  for (const plan of context.payload.cache) await restore(context, plan)
}

async function save(context: JobContext, plan: CachePlan): Promise<void> {
  const { folders, log, payload, signal } = context
  const { key, policy } = settled(context, plan)
  if (key === null || !['push', 'pull-push'].includes(policy)) return
  const { paths } = await chooseFiles(context, plan)
  if (paths.length === 0) return log.notice(`the cache ${key} has no files, and is not saved`)
  const file = fileOf(context, key)
  const unfinished = `${file}.${payload.id}`
  await mkdir(folders.caches, { recursive: true })
  try {
    await writeZip(unfinished, folders.project, paths, signal)
    await rename(unfinished, file)
  } finally {
    await rm(unfinished, { force: true })
  }
  log.line(`Saved the cache ${key}`)
}

/** Saves the caches that are for a job with this result. */
export async function saveCaches(context: JobContext, isSuccess: boolean): Promise<void> {
  for (const plan of context.payload.cache) if (isFor(plan.when, isSuccess)) await save(context, plan)
}
