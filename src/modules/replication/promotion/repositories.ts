import { portions, type Reader } from '../../../infra/database/index.ts'
import type { Git } from '../../../infra/git/index.ts'
import { type RepositoryRow, repositoriesAfter } from '../../../platform/repositories/index.ts'
import { repositoryOf } from '../copies/copies.ts'
import { changedAfter, currentChecksums } from '../feed/store.ts'
import { typeOf } from '../items/items.ts'
import { replicasOf } from '../secondary/store.ts'
import type { ReplicaRow } from '../tables.ts'
import { type ReplicableType, replicableTypes } from '../types.ts'
import type { Knowledge } from './knowledge.ts'
import { copiesAfter, idsIn } from './store.ts'

const portion = 200

/** Where a repository of the new primary comes from. */
export type Origin =
  /** The copy, whose refs are those of the database, or are not known to differ. */
  | 'copy'
  /** The copy, whose refs are newer than the database. */
  | 'newer copy'
  /** The copy, which lacks changes that the database knows of, or is damaged; there is nothing better. */
  | 'older copy'
  | 'backup'
  /** It has never been pushed to, and is made when it is. */
  | 'empty'
  | 'nowhere'

type Place = Pick<RepositoryRow, 'id' | 'storage' | 'disk_path' | 'object_format'>

/** What becomes of a repository. */
export type Judged = {
  row: RepositoryRow
  origin: Origin
  /** Where it is; null: at the place of its row. */
  place: Place | null
  /** A copy that is not used, as `<storage>:<path>`. */
  unused: string | null
  /** When a change was heard of that was not copied any more; null when there is none. */
  behindSince: string | null
  /** Whether the copy was being changed when the secondary ended: it may have locks of git. */
  isInterrupted: boolean
}

/** What is compared: the copies with their database, and the database of the new primary. */
export type Compared = {
  copies: Reader
  primary: Reader
  git: Git
  knowledge: Knowledge
  /** The backup that the database is from. */
  backup: { startedAt: string; repositoryIds: ReadonlySet<number> } | null
}

const keyOf = (type: ReplicableType, id: number) => `${type} ${id}`

/** The id of the refs of a copy: as it was verified, else as they are. */
async function checksumOf({ git }: Compared, replica: ReplicaRow, location: string): Promise<string | null> {
  const isKnown = replica.state === 'synced' && replica.verification === 'succeeded'
  if (isKnown && replica.checksum !== null) return replica.checksum
  return repositoryOf({ git }, location)
    .refsChecksum({})
    .catch(() => null)
}

/** How the copy of a repository compares with what the database knows. */
async function compare(
  compared: Compared,
  {
    replica,
    location,
    known,
    isOutdated,
  }: { replica: ReplicaRow; location: string; known: string | undefined; isOutdated: boolean },
): Promise<'copy' | 'newer copy' | 'older copy'> {
  const checksum = await checksumOf(compared, replica, location)
  if (checksum === null || replica.checksum_mismatch) return 'older copy'
  if (checksum === known) return 'copy'
  const { backup } = compared
  const isComplete = replica.state === 'synced' && !isOutdated
  const isLater = backup !== null && replica.synced_at !== null && replica.synced_at > backup.startedAt
  if (!isComplete && !isLater) return 'older copy'
  return known === undefined ? 'copy' : 'newer copy'
}

type OfRow = { row: RepositoryRow; replica: ReplicaRow | undefined; known: string | undefined; isOutdated: boolean }

async function judge(compared: Compared, { row, replica, known, isOutdated }: OfRow): Promise<Judged> {
  const { git, backup } = compared
  const location = replica?.location ?? null
  const isInBackup = backup?.repositoryIds.has(row.id) === true
  const repository = location === null ? null : repositoryOf({ git }, location)
  if (!replica || location === null || !repository || !(await repository.exists())) {
    const origin = isInBackup ? 'backup' : row.generation === 0 ? 'empty' : 'nowhere'
    return { row, origin, place: null, unused: null, behindSince: null, isInterrupted: false }
  }
  const origin = await compare(compared, { replica, location, known, isOutdated })
  const behindSince = replica.state === 'synced' ? null : replica.changed_at
  const isInterrupted = replica.state === 'started'
  if (origin === 'older copy' && isInBackup)
    return { row, origin: 'backup', place: null, unused: location, behindSince, isInterrupted }
  const { storage, diskPath: disk_path } = repository.location
  const object_format = await repository.objectFormat()
  return {
    row,
    origin,
    place: { id: row.id, storage, disk_path, object_format },
    unused: null,
    behindSince,
    isInterrupted,
  }
}

/** Whether the database of the primary knows of changes that the secondary has not heard of. */
export async function knowsMore({ primary, knowledge }: Pick<Compared, 'primary' | 'knowledge'>): Promise<boolean> {
  return (await changedAfter(primary, knowledge.cursorId)).length > 0
}

/** Decides for each repository of the database where it comes from. */
export async function* judgeRepositories(compared: Compared): AsyncGenerator<Judged> {
  const { copies, primary, knowledge } = compared
  const outdated = new Set((await changedAfter(primary, knowledge.cursorId)).map(({ type, id }) => keyOf(type, id)))
  for await (const rows of portions((afterId) => repositoriesAfter(primary, afterId, portion))) {
    for (const [type, found] of Map.groupBy(rows, typeOf)) {
      const ids = found.map(({ id }) => id)
      const replicas = new Map((await replicasOf(copies, type, ids)).map((replica) => [replica.replicable_id, replica]))
      const checksums = await currentChecksums(primary, type, ids)
      for (const row of found) {
        const { id } = row
        const isOutdated = outdated.has(keyOf(type, id))
        yield await judge(compared, { row, replica: replicas.get(id), known: checksums.get(id), isOutdated })
      }
    }
  }
}

const repositoryTypes = replicableTypes.filter(
  (type) => type.endsWith('_repositories') && type !== 'container_repositories',
)

/** Copies of repositories that the database does not have: they were made at the primary after it. */
export async function* copiesWithoutRow({ copies, primary }: Compared): AsyncGenerator<ReplicaRow> {
  const replicasAfter = (afterId: number) => copiesAfter(copies, repositoryTypes, afterId, portion)
  for await (const replicas of portions(replicasAfter)) {
    const ids = replicas.map(({ replicable_id: id }) => id)
    const known = await idsIn(primary, 'repositories', ids)
    for (const replica of replicas) if (!known.has(replica.replicable_id)) yield replica
  }
}
