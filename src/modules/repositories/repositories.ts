import type { Logger } from 'pino'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, now } from '../../infra/database/index.ts'
import {
  diskPath,
  type Git,
  type Incoming,
  type RefChange,
  type RefName,
  type RefSnapshot,
  type Repository,
  refName,
  zeroOid,
} from '../../infra/git/index.ts'
import type { Jobs } from '../../infra/jobs/index.ts'
import { type AppliedChange, type Gate, type ProposedChange, type RefMover, refusal } from './gate.ts'
import { settleIntents } from './recovery.ts'
import { deleteIntent, holdWritable, insertIntent, markMade, raiseGeneration, repositoryById } from './store.ts'
import type { RefIntentRow, RepositoryRow } from './tables.ts'

/** A change of refs was refused by a rule; the sentences say why. */
export class RefRefused extends Error {
  readonly sentences: readonly string[]

  constructor(sentences: readonly string[]) {
    super(sentences.join('\n'))
    this.name = 'RefRefused'
    this.sentences = sentences
  }
}

export type RepositoriesNeeds = {
  database: Database
  git: Git
  clock: Clock
  gate: Gate
  jobs: Jobs
  log: Logger
}

/** Git repositories as the platform knows them: rows with a place, refs by generation, one gate for every change. */
export type Repositories = {
  /** The repository on disk; made there first if the process that inserted its row never got so far. */
  open(row: RepositoryRow, head?: RefName): Promise<Repository>
  /** The refs as of the row's generation. */
  refs(row: RepositoryRow): Promise<RefSnapshot>
  /**
   * Moves refs through the gate, all or nothing, and records it.
   * @param incoming the objects that come with them; the gate sees them in quarantine, and its consent admits them
   * @throws RefRefused when a rule says no; RefConflict when a ref is not where it was thought to be
   */
  changeRefs(
    row: RepositoryRow,
    changes: readonly RefChange[],
    mover: RefMover,
    incoming?: Pick<Incoming, 'quarantine' | 'admit'>,
  ): Promise<void>
  /** The gate of a push: what `receive-pack` asks before and after it moves refs. */
  pushGate(row: RepositoryRow, mover: RefMover): PushSession
  /** Settles what processes that were killed left half done, at the start. Returns how many intents there were. */
  recover(): Promise<number>
}

/** One push on its way through the gate. */
export type PushSession = {
  preReceive(
    change: Omit<ProposedChange, 'row' | 'mover'> & { pushOptions: readonly string[] },
  ): Promise<readonly string[] | null>
  postReceive(repository: Repository, changes: readonly RefChange[]): Promise<readonly string[]>
  /** Ends the push, whatever became of it; to be called once the process has gone. */
  finish(): Promise<void>
}

/** What is said while a repository is being moved (contract 01, "Pushing by git"). */
export const readOnly = 'The repository is temporarily read-only. Please try again later.'
const gone = 'The project you were looking for could not be found.'

const settleJob = 'repositories.settle'

/** Longer than any push may take. */
const abandonedMs = 4 * 3_600_000

/** No change of refs takes this long: a lock that is older belongs to nobody. */
const staleLockMs = 600_000

const defaultHead = refName('refs/heads/main') as RefName

export function createRepositories(needs: RepositoriesNeeds): Repositories {
  const { database, git, clock, gate, jobs, log } = needs

  function at(row: RepositoryRow): Repository {
    const path = diskPath(row.disk_path)
    if (path === null) throw new Error(`repository ${row.id} has no legal place`)
    return git.repository({ storage: row.storage, diskPath: path })
  }

  async function open(row: RepositoryRow, head: RefName = defaultHead): Promise<Repository> {
    const repository = at(row)
    if (row.generation === 0) {
      await repository.init({ defaultBranch: head, objectFormat: row.object_format })
      await database.write((tx) => markMade(tx, row.id))
    }
    return repository
  }

  /** Follows moved refs with what the modules have to say, and with the new generation, in one transaction. */
  async function record(applied: AppliedChange, intentId: number): Promise<void> {
    const { row, repository, changes } = applied
    const recorders = await Promise.all(gate.listeners.map((listener) => listener.prepare(applied)))
    const generation = await database.write(async (tx) => {
      // Should another node have settled the intent meanwhile, this is recorded a second time: at least once, never lost.
      await deleteIntent(tx, intentId)
      for (const recordRefs of recorders) await recordRefs(tx)
      return raiseGeneration(tx, row.id)
    })
    if (generation !== null) repository.rememberRefs(generation, generation - 1, changes)
  }

  async function forget(intentId: number): Promise<void> {
    await database.write((tx) => deleteIntent(tx, intentId))
  }

  /** Writes down what is about to happen. @throws RefRefused when the repository takes no changes any more */
  async function intend(row: RepositoryRow, changes: readonly RefChange[], mover: RefMover): Promise<number> {
    return database.write(async (tx) => {
      const isWritable = await holdWritable(tx, row.id)
      if (!isWritable) throw new RefRefused([isWritable === null ? gone : readOnly])
      return insertIntent(tx, { repositoryId: row.id, userId: mover.userId, updates: changes, now: now(clock) })
    })
  }

  /** What really became of an intent, read from the repository. */
  async function settle(row: RepositoryRow, intentId: number, intended: readonly RefChange[], mover: RefMover) {
    const repository = at(row)
    if (!(await repository.exists())) return forget(intentId)
    // A snapshot under a name of its own: the one of the current generation may be from before.
    const snapshot = await repository.refs(`settle-${intentId}`)
    const applied = intended.filter((change) => currentOid(snapshot, change) === change.new)
    if (applied.length === 0) return forget(intentId)
    await record({ row, repository, changes: applied, mover }, intentId)
  }

  async function settleAfterCrash(row: RepositoryRow, intent: RefIntentRow, changes: RefChange[]): Promise<void> {
    const repository = at(row)
    // What an intent stood for may have ended with its locks taken. Only where other nodes may be at work must a lock be old.
    const olderThanMs = database.engine === 'sqlite' ? 0 : staleLockMs
    if (await repository.exists()) await repository.clearStale({ olderThanMs, now: clock.now() })
    await settle(row, intent.id, changes, { userId: intent.user_id, via: 'git' })
  }

  function recover(before: Date): Promise<number> {
    const failed = (intent: RefIntentRow, error: unknown) =>
      log.error({ err: error, repository: intent.repository_id }, 'a change of refs could not be settled')
    return settleIntents({ database, settle: settleAfterCrash, failed }, before.toISOString())
  }

  jobs.define({
    kind: settleJob,
    // What is this old was begun by a process that is gone, on whichever node.
    run: async () => void (await recover(new Date(clock.now().getTime() - abandonedMs))),
  })
  jobs.every(settleJob, 600, settleJob)

  return {
    open,
    async refs(row) {
      return (await open(row)).refs(row.generation)
    },
    async changeRefs(row, changes, mover, incoming) {
      const repository = await open(row)
      const refused = await refusal(gate, { row, repository, changes, mover, quarantine: incoming?.quarantine })
      if (refused) throw new RefRefused(refused)
      const intentId = await intend(row, changes, mover)
      try {
        await incoming?.admit()
        await repository.updateRefs(changes)
      } catch (error) {
        // The process may have been ended after the refs had moved, so the repository is asked.
        await settle(row, intentId, changes, mover)
        throw error
      }
      await record({ row, repository, changes, mover }, intentId)
    },
    pushGate(row, mover) {
      let intent: { id: number; changes: readonly RefChange[] } | undefined
      return {
        async preReceive({ repository, changes, quarantine, pushOptions }) {
          mover.pushOptions = pushOptions
          const current = await repositoryById(database.read, row.id)
          if (!current) return [gone]
          const refused = await refusal(gate, { row: current, repository, changes, mover, quarantine })
          if (refused) return refused
          try {
            intent = { id: await intend(row, changes, mover), changes }
            return null
          } catch (error) {
            if (error instanceof RefRefused) return error.sentences
            throw error
          }
        },
        async postReceive(repository, changes) {
          if (!intent) throw new Error('refs moved without the gate having been asked')
          const applied = { row, repository, changes, mover }
          await record(applied, intent.id)
          intent = undefined
          const messages = await Promise.all(gate.listeners.map((listener) => listener.messages?.(applied) ?? []))
          return messages.flat()
        },
        async finish() {
          if (intent) await settle(row, intent.id, intent.changes, mover)
        },
      }
    },
    recover: () => recover(clock.now()),
  }
}

function currentOid(snapshot: RefSnapshot, change: RefChange): string {
  const { ref } = change
  const found = ref.startsWith('refs/heads/')
    ? snapshot.branch(ref.slice('refs/heads/'.length))
    : snapshot.tag(ref.slice('refs/tags/'.length))
  return found?.oid ?? zeroOid(change.new.length === 64 ? 'sha256' : 'sha1')
}
