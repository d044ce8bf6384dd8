import { humanSize } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { isZeroOid, type Oid } from '../../../infra/git/index.ts'
import type { ProposedChange, RecordRefs, RefListener, RefRule } from '../../../platform/index.ts'
import { recordFirstFile } from '../core/store.ts'
import { filesAt, maximumFiles } from './repository.ts'

const noBranches = 'You can not create or delete branches.'
const tooMany = `The repository can contain at most ${maximumFiles} file(s).`
const tooFew = 'The repository must contain at least 1 file.'

/** A push of more commits is refused: their files could not be checked in reasonable time. */
const maximumCommits = 10_000
/** The number of objects whose sizes are read at once. */
const sizesAtOnce = 1_000

const submodule = '160000'

/** The blobs of the tree that a branch moves to, or the sentence that refuses their number. */
async function blobsOf({ repository, quarantine }: ProposedChange, tip: Oid): Promise<Oid[] | string> {
  const blobs: Oid[] = []
  let entries = 0
  for await (const { newOid, newMode } of repository.changedPaths(null, tip, { quarantine })) {
    entries += 1
    if (entries > maximumFiles) return tooMany
    if (newOid && newMode !== submodule) blobs.push(newOid)
  }
  return blobs.length === 0 ? tooFew : blobs
}

/** Whether one of the objects, or a file that a new commit adds, is larger than the limit. */
async function hasLargeFile(
  { repository, quarantine }: ProposedChange,
  tip: Oid,
  blobs: readonly Oid[],
  maximumBytes: number,
): Promise<boolean> {
  const isLarge = async (oids: readonly Oid[]) =>
    [...(await repository.objectSizes(oids, { quarantine })).values()].some((sizeBytes) => sizeBytes > maximumBytes)
  if (await isLarge(blobs)) return true
  const commits = await repository.newCommits([tip], { limit: maximumCommits + 1, quarantine })
  if (commits.length > maximumCommits) return true
  let unmeasured: Oid[] = []
  for await (const { newOid, newMode } of repository.changesOf(commits, { quarantine })) {
    if (newOid && newMode !== submodule) unmeasured.push(newOid)
    if (unmeasured.length < sizesAtOnce) continue
    if (await isLarge(unmeasured)) return true
    unmeasured = []
  }
  return unmeasured.length > 0 && isLarge(unmeasured)
}

/** A snippet has one branch, 1 to 10 files, and files up to a size (contract 09, x.snippet_git_refs). */
export const snippetRule: RefRule = async (platform, proposed) => {
  const { row, repository, changes } = proposed
  if (row.kind !== 'snippet') return null
  const head = await repository.head()
  if (changes.some(({ ref, new: next }) => ref !== head || isZeroOid(next))) return [noBranches]
  const { snippet_size_limit: maximumBytes } = await platform.settings.current()
  for (const { new: tip } of changes) {
    const blobs = await blobsOf(proposed, tip)
    if (typeof blobs === 'string') return [blobs]
    if (await hasLargeFile(proposed, tip, blobs, maximumBytes)) {
      return [`File size exceeds the limit of ${humanSize(maximumBytes)}.`]
    }
  }
  return null
}

const nothing: RecordRefs = async () => {}

/** Follows changes of a snippet's files: the first one is shown as `file_name`, and the time of the change is recorded. */
export const snippetListener: RefListener = {
  async prepare({ clock }, { row, repository, changes }) {
    const { kind, snippet_id: id } = row
    if (kind !== 'snippet' || id === null) return nothing
    const head = await repository.head()
    const change = changes.find(({ ref }) => ref === head)
    const [first] = change && !isZeroOid(change.new) ? await filesAt(repository, change.new) : []
    if (!first) return nothing
    const moment = now(clock)
    return (tx) => recordFirstFile(tx, id, first.path, moment)
  },
}
