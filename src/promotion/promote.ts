import type { Progress } from '../backup/index.ts'
import type { Config } from '../config.ts'
import type { Clock } from '../infra/clock/index.ts'
import { type Database, now } from '../infra/database/index.ts'
import { type Git, openGit } from '../infra/git/index.ts'
import { type ObjectStore, openObjects } from '../infra/objects/index.ts'
import { openSealer } from '../infra/secrets/index.ts'
import {
  type Compared,
  formerPrimary,
  type Knowledge,
  knowledgeOf,
  knowsMore,
  promoteRecords,
  recordsIn,
} from '../modules/replication/index.ts'
import {
  endPromotion,
  forgetBackups,
  forgetPlaces,
  forgetSuperseded,
  recordPromoted,
  secretKeyIdOf,
} from '../platform/instance/index.ts'
import { prepareStorages, setPlaces } from '../platform/repositories/index.ts'
import { placeFiles, removeCopies } from './files.ts'
import { findKeys, type Keys } from './keys.ts'
import { PromotionRefused } from './refused.ts'
import { newReport, type Report } from './report.ts'
import { chooseRepositories } from './repositories.ts'
import { openTarget, openUnused, type Target } from './target.ts'

export type PromotionOptions = {
  /** That of the secondary. */
  config: Config
  /** The database of the new primary. */
  databaseUrl: string
  /** A backup of the primary that is restored into it. */
  backup?: { path: string; basePaths: readonly string[] } | undefined
  isDryRun?: boolean
  clock: Clock
  progress: Progress
}

/** Everything that is open during a promotion. */
type Opened = { copies: Database; target: Target; git: Git; objects: ObjectStore; knowledge: Knowledge; keys: Keys }

const running = 'this secondary is running: stop it first'

/** @throws PromotionRefused */
function requireSecondary({ geo, databaseUrl }: Config, wanted: string): void {
  if (geo.role !== 'secondary') {
    throw new PromotionRefused(
      'this server is no secondary: run the command with its settings, FENNEC_GEO_ROLE=secondary among them',
    )
  }
  if (wanted === databaseUrl) {
    throw new PromotionRefused(
      '--database must be another database than that of the secondary, which FENNEC_DATABASE_URL names',
    )
  }
}

/** @throws PromotionRefused */
async function requireKnowledge({ read }: Database): Promise<Knowledge> {
  const knowledge = await knowledgeOf(read)
  if (knowledge) return knowledge
  throw new PromotionRefused('this secondary has never heard of its primary, and has no copies')
}

/** @throws PromotionRefused */
async function open(options: PromotionOptions, opened: AsyncDisposableStack): Promise<Opened | 'promoted'> {
  const { config, databaseUrl: url, backup, isDryRun = false, clock, progress } = options
  const copies = await openUnused({ url: config.databaseUrl, mayMigrate: false }, running, opened)
  const knowledge = await requireKnowledge(copies)
  const target = await openTarget({ config, url, backup, isDryRun, progress, opened })
  const { read } = target.database
  const { own, primary } = await recordsIn(read, knowledge)
  if (own?.is_primary) return 'promoted'
  if (!own || !primary) {
    throw new PromotionRefused(
      `the database has no record of the node ${knowledge.node.name}, or of its primary: it is not that of the primary, or is from before this secondary was set up`,
    )
  }
  const keyFiles = target.contents ? await target.contents.keys() : []
  const keys = await findKeys(config, await secretKeyIdOf(read), keyFiles)
  await prepareStorages(config)
  const git = opened.use(await openGit({ storages: config.storages }))
  const objects = await openObjects({ location: config.objectsUrl, clock })
  return { copies, target, git, objects, knowledge, keys }
}

async function comparedOf({ copies, target, git, knowledge }: Opened): Promise<Compared> {
  const { database, contents } = target
  const backup = contents && {
    startedAt: contents.header.startedAt,
    repositoryIds: await contents.repositoryIds(),
  }
  return { copies: copies.read, primary: database.read, git, knowledge, backup }
}

/** Makes this server the primary, when everything is in its place. Until the transaction commits, it is not. */
async function commit(
  { config, clock }: PromotionOptions,
  { copies, target, knowledge, keys }: Opened,
  places: Parameters<typeof setPlaces>[1],
): Promise<void> {
  const { database, contents } = target
  const { primary } = await recordsIn(database.read, knowledge)
  if (!primary) throw new Error('the record of the primary is missing')
  const { primaryUrl = '', accessKey = '', secretAccessKey: secret = '' } = config.geo
  const sealer = openSealer(keys.key)
  const former = formerPrimary({ primary, addresses: [primaryUrl], accessKey, secret, sealer })
  // From here on a start as a secondary would change repositories that the primary has.
  await copies.write((tx) => recordPromoted(tx, now(clock)))
  await database.write(async (tx) => {
    await setPlaces(tx, places)
    await forgetPlaces(tx)
    await forgetBackups(tx)
    await forgetSuperseded(tx)
    await endPromotion(tx)
    await promoteRecords(tx, { clock, knowledge, backupId: contents?.header.id ?? null, url: config.url, former })
  })
}

/**
 * Makes a stopped secondary the primary: its copies become the repositories and files of a database that is from a backup of the
 * primary, or that was its replica. Interrupted, it can be run again; until its end no server starts on either database.
 * @returns what was found and done; null when this server is the primary already
 * @throws PromotionRefused, BackupRefused with one sentence for the operator
 */
export async function promote(options: PromotionOptions): Promise<Report | null> {
  const { config, isDryRun = false, progress } = options
  requireSecondary(config, options.databaseUrl)
  await using opened = new AsyncDisposableStack()
  const found = await open(options, opened)
  if (found === 'promoted') return null
  const { target, knowledge, keys, git, objects } = found
  const compared = await comparedOf(found)
  const report = newReport(knowledge, {
    isDryRun,
    pollSeconds: config.geo.pollMs / 1000,
    database: { from: target.from, at: target.at, isBackup: target.contents !== null },
    hasHostKeys: keys.hasHostKeys,
    knowsMore: await knowsMore(compared),
  })
  const chosen = await chooseRepositories(compared, { report, progress, clock: options.clock })
  await placeFiles({ compared, objects, git, contents: target.contents, config, chosen, report, progress })
  if (isDryRun) return report
  await keys.place()
  await commit(options, found, chosen.places)
  await removeCopies({ compared, objects })
  return report
}
