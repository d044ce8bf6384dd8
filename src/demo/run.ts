import type { Logger } from 'pino'
import { startApp } from '../app.ts'
import { type Config, externalUrlOf } from '../config.ts'
import { makeDurable, openDatabase } from '../infra/database/index.ts'
import { syncAll } from '../infra/files/index.ts'
import { migrations } from '../migrations/index.ts'
import type { Events, Platform, Reactions } from '../platform/index.ts'
import { rootAccount } from '../ports.ts'
import { measures, reactions } from '../reactions.ts'
import { placesOf } from '../stores.ts'
import { type DemoProgress, makeWorld } from './fill.ts'
import { demoClock } from './steps/clock.ts'
import { world as wholeWorld } from './world/index.ts'
import type { World } from './world-types.ts'

/** The demo cannot be made here; the message says why, in one sentence. */
export class DemoRefused extends Error {
  override name = 'DemoRefused'
}

export type DemoOptions = {
  /** Of the server that is filled. It must not run. */
  config: Config
  log: Logger
  /** The present: everything happens in the hundred and twenty days before. */
  start: Date
  /** A whole number; the same one leads to the same world. Default: 1. */
  seed?: number | undefined
  /** Whether what was made survives a power cut. It does when all of it is made, not before. Default: true. */
  durable?: boolean
  progress?: DemoProgress
  /** What is made, for tests; default: everything. */
  world?: World
}

/** What was made. */
export type DemoMade = {
  people: World['people']
  groups: number
  projects: number
  requests: number
  /** Where the server has to listen afterwards: texts of the demo name its address, where no URL is configured. */
  listen: Config['listen']
  /** The password of root, where the start has made one up. */
  rootPassword: string | undefined
}

/** @throws DemoRefused where one is there already */
async function requireNoUser({ databaseUrl, data }: Config): Promise<void> {
  const database = await openDatabase({ url: databaseUrl, migrations })
  const isUsed = await rootAccount.anyUserExists(database.read)
  await database.close()
  if (!isUsed) return
  throw new DemoRefused(
    `the demo fills only a server without users, and this one has some; after a demo that was interrupted, empty ${data}` +
      `${databaseUrl.startsWith('sqlite:') ? '' : ' and the database'} first`,
  )
}

/** The days in which everything happens, and some before. */
const periodMs = 121 * 86_400_000

/** Of the server that is filled: no one else reaches it, it sends no mail, and it has the address that the server will have afterwards. */
function privateConfig(config: Config): Config {
  const { port } = config.listen
  const alone = { sshListen: undefined, registryListen: undefined, pagesListen: undefined, smtpUrl: undefined }
  const url = config.url ?? (port === 0 ? undefined : externalUrlOf(config, port))
  return { ...config, ...alone, url, listen: { host: '127.0.0.1', port: 0 } }
}

/**
 * Fills a server that has no user with a world: people, groups, repositories, work and deliveries of four months. It runs a server of its
 * own for it, whose clock the demo sets and that no one else reaches, and stops it at the end. That server sends no mail.
 * @throws DemoRefused where the server has users, is one of several processes, or a secondary
 */
export async function fillDemo(options: DemoOptions): Promise<DemoMade> {
  const { config, seed = 1, durable = true } = options
  if (config.workers > 1) throw new DemoRefused('the demo is filled by one process: FENNEC_WORKERS must be 1')
  if (config.geo.role === 'secondary')
    throw new DemoRefused('a secondary is filled by its primary: it can have no demo')
  await requireNoUser(config)
  const made = await fill({ ...options, seed })
  if (durable) {
    await syncAll(placesOf(config))
    await makeDurable({ url: config.databaseUrl })
  }
  return made
}

type Pushed = Events['refs.pushed']

/** Measures each repository once, at the end, instead of after each push. */
function measuredAtEnd() {
  const latest = new Map<number, Pushed>()
  const remember = async (_: Platform, _tx: unknown, pushed: Pushed) => void latest.set(pushed.repositoryId, pushed)
  const others = reactions['refs.pushed'].filter((reaction) => !measures.includes(reaction))
  const followers: Reactions['refs.pushed'] = [remember, ...others]
  return {
    reactions: { ...reactions, 'refs.pushed': followers },
    async measure(platform: Platform) {
      await platform.database.write(async (tx) => {
        for (const pushed of latest.values()) for (const measure of measures) await measure(platform, tx, pushed)
      })
      await platform.jobs.settle()
    },
  }
}

async function fill({ config, log, start, seed, progress, world = wholeWorld }: DemoOptions & { seed: number }) {
  const clock = demoClock(Math.floor(start.getTime() / 1000) * 1000 - periodMs)
  const { reactions, measure } = measuredAtEnd()
  // What is interrupted begins anew, so only the end has to be on the disk.
  const app = await startApp({ config: privateConfig(config), log, clock, durable: false, reactions })
  try {
    const rootToken = config.rootToken ?? app.boot.token
    if (!app.boot.isFirst || rootToken === undefined) throw new DemoRefused('another server fills the same database')
    const url = `http://127.0.0.1:${app.http.port}`
    const { settle } = app.platform.jobs
    const requests = await makeWorld(world, { url, rootToken, clock, start, seed, settle, progress })
    await measure(app.platform)
    const { people, groups, projects } = world
    const listen = { ...config.listen, port: config.listen.port || app.http.port }
    const made = { people, groups: groups.length, projects: projects.length, requests, listen }
    return { ...made, rootPassword: app.boot.password }
  } finally {
    await app.stop()
  }
}
