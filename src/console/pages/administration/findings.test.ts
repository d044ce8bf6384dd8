import { expect, test } from 'vitest'
import { type Facts, findingsOf, span, summaryOf } from './findings.ts'

const now = '2026-03-10T12:00:00.000Z'
const ago = (hours: number) => new Date(Date.parse(now) - hours * 3_600_000).toISOString()

const queue = { name: 'default', pending: 0, running: 0, failed: 0, due_since: null }
const space = { name: 'default', kind: 'repositories', total_bytes: 2 ** 40, free_bytes: 2 ** 39, nearly_full: false }
const backup = { id: 1, path: '/b', size_bytes: 2048, incremental: false, started_at: ago(6), finished_at: ago(5) }
const well: Facts = {
  nowMs: Date.parse(now),
  readiness: { ready: true, failing: [] },
  queues: [queue],
  spaces: [space],
  backup,
  sites: [],
}

test('a server that is well is described in four sentences', () => {
  const findings = findingsOf(well)
  expect(findings.map(({ state, sentence }) => [state, sentence])).toEqual([
    ['well', 'The database, git, the storages and the objects answer.'],
    ['well', 'No background job has failed, and none waits for long.'],
    ['well', 'All folders have space: 512.0 GiB at the least.'],
    ['well', 'The last backup ended 5 hours ago. It has 2.0 KiB.'],
  ])
  expect(summaryOf(findings)).toBe('The server is well.')
})

const site = { name: 'south', id: 3, healthy: true, health: 'Healthy', lagSeconds: 12 }
const away = { check: 'object_store', message: 'the object store is unreachable', storage: null }

test.each<[string, Partial<Facts>, string, string, string]>([
  [
    'what does not answer',
    { readiness: { ready: false, failing: [away] } },
    'bad',
    'The object store is unreachable.',
    '/-/readiness',
  ],
  [
    'what is away and not needed',
    { readiness: { ready: true, failing: [away] } },
    'watch',
    'The object store is unreachable.',
    '/-/readiness',
  ],
  [
    'one failed job',
    { queues: [queue, { ...queue, failed: 1 }] },
    'bad',
    '1 background job failed and will not be repeated.',
    '/admin/background_jobs?state=failed',
  ],
  [
    'many failed jobs',
    { queues: [{ ...queue, failed: 1200 }] },
    'bad',
    '1,200 background jobs failed and will not be repeated.',
    '/admin/background_jobs?state=failed',
  ],
  [
    'jobs that wait for long',
    { queues: [{ ...queue, name: 'web_hooks', due_since: ago(3) }] },
    'watch',
    'Jobs of the queue web_hooks wait for 3 hours.',
    '/admin/background_jobs?queue=web_hooks',
  ],
  [
    'an old backup',
    { backup: { ...backup, finished_at: ago(49) } },
    'watch',
    'The last backup ended 2 days ago. It has 2.0 KiB.',
    '/admin/backups',
  ],
  ['no backup', { backup: null }, 'bad', 'No backup of this server is known.', '/admin/backups'],
  [
    'a full storage',
    { spaces: [{ ...space, free_bytes: 1024, nearly_full: true }] },
    'bad',
    'The storage default is nearly full: 1.0 KiB of 1.0 TiB are free.',
    '/admin/project_storage_moves',
  ],
  [
    'a folder that is away',
    { spaces: [{ ...space, kind: 'data', total_bytes: null, free_bytes: null }] },
    'bad',
    'The data folder does not answer.',
    '/-/readiness',
  ],
  [
    'a site that is ill',
    { sites: [{ ...site, healthy: false, health: 'Storage a is not writable' }] },
    'bad',
    'Site south: Storage a is not writable. It is less than a minute behind.',
    '/admin/geo/sites/3/status',
  ],
  [
    'a site that is behind',
    { sites: [{ ...site, lagSeconds: 7_200 }] },
    'watch',
    'The replication site south is healthy. It is 2 hours behind.',
    '/admin/geo/sites/3/status',
  ],
])('%s comes first', (_, facts, state, sentence, href) => {
  const [first] = findingsOf({ ...well, ...facts })
  expect(first).toMatchObject({ state, sentence, href })
})

test('a late job below a quarter of an hour and a backup of two days are in order', () => {
  const facts = { ...well, queues: [{ ...queue, due_since: ago(0.25) }], backup: { ...backup, finished_at: ago(48) } }
  expect(findingsOf(facts).every(({ state }) => state === 'well')).toBe(true)
})

test('the summary counts what is not in order, and else what is to be watched', () => {
  const old = findingsOf({ ...well, backup: { ...backup, finished_at: ago(100) } })
  expect(summaryOf(old)).toBe('The server works. 1 thing should be looked at.')
  expect(summaryOf(findingsOf({ ...well, backup: null }))).toBe('The server needs you: 1 thing is not as it should be.')
  const two = findingsOf({ ...well, backup: null, queues: [{ ...queue, failed: 1 }] })
  expect(summaryOf(two)).toBe('The server needs you: 2 things are not as they should be.')
})

test('what the server does not tell is not judged', () => {
  expect(findingsOf({ ...well, readiness: null, queues: null, spaces: null })).toHaveLength(1)
})

test.each([
  [-5_000, 'less than a minute'],
  [60_000, '1 minute'],
  [119 * 60_000, '119 minutes'],
  [47 * 3_600_000, '47 hours'],
  [72 * 3_600_000, '3 days'],
])('%i ms are %s', (milliseconds, text) => {
  expect(span(milliseconds)).toBe(text)
})
