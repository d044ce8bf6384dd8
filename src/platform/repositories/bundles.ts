import { now } from '../../infra/database/index.ts'
import { parseOid, type RefUpdate, type Repository, refName, zeroOid } from '../../infra/git/index.ts'
import type { Platform } from '../platform.ts'
import type { ExportedFile } from '../relations/index.ts'
import { spooled } from '../storage/spooling.ts'
import type { OpenedRepository } from './opening.ts'

/** A repository as a bundle, from which git can clone; none while it has no refs. @param path in the archive */
export function bundleOf(platform: Platform, path: string, { repository, snapshot }: OpenedRepository): ExportedFile[] {
  if (snapshot.branches.length + snapshot.tags.length === 0) return []
  const open = async () => spooled(platform, await repository.bundle())
  return [{ path, modifiedAt: now(platform.clock), open }]
}

/** A bundle of another server has objects that a push would not bring in. */
export class BundleRefused extends Error {
  override name = 'BundleRefused'
}

const hourMs = 3_600_000

/** Where refs wait until the objects are checked. Clients do not see them. */
const waiting = 'refs/imported/'

/** What of a bundle is taken: branches, tags, and the heads of merge requests with what their versions show. */
const taken = ['heads/*', 'tags/*', 'merge-requests/*', 'keep-around/*']

/** The refs that wait, with their commits. */
async function waitingRefs(repository: Repository): Promise<{ name: string; oid: string }[]> {
  const lines = (await repository.allRefs()).toString('utf8').split('\n')
  return lines.flatMap((line) => {
    const [oid = '', name = ''] = line.split(' ')
    return name.startsWith(waiting) ? [{ name, oid }] : []
  })
}

/** Moves refs that wait to their own names, or only deletes them. */
async function settle(repository: Repository, isAccepted: boolean): Promise<void> {
  const changes = (await waitingRefs(repository)).flatMap(({ name, oid }): RefUpdate[] => {
    const [at, from, to] = [parseOid(oid), refName(name), refName(`refs/${name.slice(waiting.length)}`)]
    if (!at || !from || !to) return []
    const zero = zeroOid(oid.length === 64 ? 'sha256' : 'sha1')
    const removal = { ref: from, old: at, new: zero }
    return isAccepted ? [{ ref: to, old: null, new: at }, removal] : [removal]
  })
  await repository.updateRefs(changes)
}

/**
 * Brings the refs of a bundle of another server into a repository that is being filled, once all objects are checked as those of a push
 * are.
 * @param place the path of the file on disk
 * @throws BundleRefused for objects that are refused; GitError `command_failed` for what is no bundle
 */
export async function importBundle(repository: Repository, place: string, signal: AbortSignal): Promise<void> {
  const refspecs = taken.map((pattern) => `+refs/${pattern}:${waiting}${pattern}`)
  await repository.fetchBundle(place, { refspecs, timeoutMs: hourMs, signal })
  const { ok, problems } = await repository.fsck({ signal })
  await settle(repository, ok)
  if (!ok) throw new BundleRefused(problems[0] ?? 'objects are refused')
}
