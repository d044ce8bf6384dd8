import type { AnswerOf, Operation } from '../../../api/index.ts'
import type { backgroundQueuesList, backupsList, serverReadiness, serverSpace } from '../../operations.ts'
import { size, words } from '../../parts/words.ts'

/** One sentence about the state of the server, with the page or the text where one acts. */
export type Finding = { state: 'well' | 'watch' | 'bad'; sentence: string; href: string; act: string }

/** What the status of a replication site says of its health. */
export type SiteHealth = {
  name: string
  id: number
  healthy: boolean
  health: string
  lagSeconds: number | null
}

/** What the sentences are about; null where the server does not tell. */
export type Facts = {
  /** The time of the visit, in milliseconds since 1970. */
  nowMs: number
  readiness: Answer<typeof serverReadiness> | null
  queues: Answer<typeof backgroundQueuesList> | null
  spaces: Answer<typeof serverSpace> | null
  backup: Answer<typeof backupsList>['items'][number] | null
  sites: readonly SiteHealth[]
}
type Answer<O extends Operation> = AnswerOf<O>

const hourMs = 3_600_000
/** A backup that is older should be followed by another one. */
const oldBackupHours = 48
/** Jobs that wait longer than this wait for too long. */
const lateJobMs = hourMs / 4
const lateSiteSeconds = 3_600

const count = (number: number, one: string) => `${number.toLocaleString('en')} ${number === 1 ? one : `${one}s`}`

/** A time span in words: `3 days`. */
export function span(milliseconds: number): string {
  const minutes = Math.max(0, Math.floor(milliseconds / 60_000))
  if (minutes < 1) return 'less than a minute'
  if (minutes < 120) return count(minutes, 'minute')
  return minutes < 48 * 60 ? count(Math.floor(minutes / 60), 'hour') : count(Math.floor(minutes / 1440), 'day')
}

function ofReadiness({ readiness }: Facts): Finding[] {
  if (!readiness) return []
  const place = { href: '/-/readiness', act: 'Readiness' }
  if (readiness.failing.length === 0) {
    const sentence = 'The database, git, the storages and the objects answer.'
    return [{ state: 'well', sentence, ...place }]
  }
  return readiness.failing.map(({ message }) => ({
    state: readiness.ready ? 'watch' : 'bad',
    sentence: `${words(message)}.`,
    ...place,
  }))
}

function ofJobs({ queues, nowMs }: Facts): Finding[] {
  if (!queues) return []
  const failed = queues.reduce((sum, queue) => sum + queue.failed, 0)
  const due = queues.filter(({ due_since: since }) => since !== null && nowMs - Date.parse(since) > lateJobMs)
  const late = due.map(({ name, due_since: since }): Finding => {
    const sentence = `Jobs of the queue ${name} wait for ${span(nowMs - Date.parse(since ?? ''))}.`
    return { state: 'watch', sentence, href: `/admin/background_jobs?queue=${encodeURIComponent(name)}`, act: 'Jobs' }
  })
  const href = '/admin/background_jobs?state=failed'
  if (failed > 0) {
    const sentence = `${count(failed, 'background job')} failed and will not be repeated.`
    return [{ state: 'bad', sentence, href, act: 'Failed jobs' }, ...late]
  }
  if (late.length > 0) return late
  return [{ state: 'well', sentence: 'No background job has failed, and none waits for long.', href, act: 'Jobs' }]
}

function ofBackups({ backup, nowMs }: Facts): Finding[] {
  const place = { href: '/admin/backups', act: 'Backups' }
  if (!backup) return [{ state: 'bad', sentence: 'No backup of this server is known.', ...place }]
  const age = nowMs - Date.parse(backup.finished_at)
  const sentence = `The last backup ended ${span(age)} ago. It has ${size(backup.size_bytes)}.`
  return [{ state: age > oldBackupHours * hourMs ? 'watch' : 'well', sentence, ...place }]
}

const spaceNames: Readonly<Record<string, (name: string) => string>> = {
  repositories: (name) => `The storage ${name}`,
  objects: () => 'The folder of the objects',
  data: () => 'The data folder',
}

function ofSpace({ spaces }: Facts): Finding[] {
  if (!spaces) return []
  const place = { href: '/admin/project_storage_moves', act: 'Storage moves' }
  const wrong = spaces.flatMap(({ name, kind, total_bytes: total, free_bytes: free, nearly_full }): Finding[] => {
    const called = spaceNames[kind]?.(name) ?? name
    if (total === null || free === null) {
      return [{ state: 'bad', sentence: `${called} does not answer.`, href: '/-/readiness', act: 'Readiness' }]
    }
    const sentence = `${called} is nearly full: ${size(free)} of ${size(total)} are free.`
    return nearly_full ? [{ state: 'bad', sentence, ...place }] : []
  })
  if (wrong.length > 0) return wrong
  const least = spaces.map(({ free_bytes: free }) => free ?? 0).sort((one, other) => one - other)[0] ?? 0
  return [{ state: 'well', sentence: `All folders have space: ${size(least)} at the least.`, ...place }]
}

function ofSites({ sites }: Facts): Finding[] {
  return sites.map(({ name, id, healthy, health, lagSeconds }) => {
    const place = { href: `/admin/geo/sites/${id}/status`, act: 'Status' }
    const lag = lagSeconds === null ? '' : ` It is ${span(lagSeconds * 1000)} behind.`
    if (!healthy)
      return { state: 'bad', sentence: `Site ${name}: ${health || 'has not reported yet'}.${lag}`, ...place }
    const isLate = lagSeconds !== null && lagSeconds > lateSiteSeconds
    return { state: isLate ? 'watch' : 'well', sentence: `The replication site ${name} is healthy.${lag}`, ...place }
  })
}

const order = { bad: 0, watch: 1, well: 2 }

/** What is to be said about the state of the server, the worst first. */
export function findingsOf(facts: Facts): Finding[] {
  const all = [ofReadiness, ofJobs, ofSpace, ofBackups, ofSites].flatMap((about) => about(facts))
  return all.sort((one, other) => order[one.state] - order[other.state])
}

/** The state of the server in one sentence. */
export function summaryOf(findings: readonly Finding[]): string {
  const [bad, watch] = (['bad', 'watch'] as const).map((state) => findings.filter((one) => one.state === state).length)
  if (bad)
    return `The server needs you: ${count(bad, 'thing')} ${bad === 1 ? 'is' : 'are'} not as ${bad === 1 ? 'it' : 'they'} should be.`
  return watch ? `The server works. ${count(watch, 'thing')} should be looked at.` : 'The server is well.'
}
