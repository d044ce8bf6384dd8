import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import {
  makePeople,
  type People,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
  zipOf,
} from '../../../testing/index.ts'
import { keyOfDeployment, prefixOfProject } from '../keys.ts'
import { outcomeOf, type Published, publishFor } from '../testing.ts'
import { siteProblems, sweepSitesJob } from './removal.ts'

let server: TestServer
let people: People
let place: ProjectWithMembers
let count = 0
const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
beforeAll(async () => {
  server = await startTestServer({ clock })
  people = await makePeople(server)
})
afterAll(() => server.stop())
beforeEach(async () => {
  count += 1
  place = await projectWithMembers(server, { people, path: `published-${count}` })
})

const publish = async (archive: Published['archive'], pages: Published['pages'] = {}) => {
  const pipeline = await publishFor(server, place.project.id, { archive, pages, userId: people.owner.id })
  return outcomeOf(server, pipeline)
}

const rows = () =>
  server.app.platform.database.read
    .selectFrom('pages_deployments')
    .selectAll()
    .where('project_id', '=', place.project.id)
    .orderBy('id')
    .execute()

async function objectsOfProject(): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of server.app.platform.objects.list(prefixOfProject(place.project.id))) keys.push(key)
  return keys
}

const later = async (ms: number) => {
  clock.advance(ms)
  await server.app.platform.jobs.drain()
}

const site = { 'public/index.html': 'hello', 'public/a/b.txt': 'x'.repeat(100_000), 'other.txt': 'no' }

/** An archive whose bytes are changed after it was made. */
function changed(files: Record<string, string>, change: (archive: Buffer, directory: number) => void): Buffer {
  const archive = zipOf(files)
  change(archive, archive.readUInt32LE(archive.length - 6))
  return archive
}

describe('a successful job', () => {
  test('publishes a folder of its archive', async () => {
    expect(await publish(site)).toBe('success: published')
    const [row] = await rows()
    expect(row).toMatchObject({ path_prefix: '', root_directory: 'public', file_count: 2, size_bytes: 100_005 })
    expect(await objectsOfProject()).toEqual([row && keyOfDeployment(row)])
  })

  test('publishes nothing unless it is told to', async () => {
    expect(await publish(site, null)).toBeNull()
    expect(await rows()).toEqual([])
  })

  test('publishes nothing on a server without sites', async () => {
    server.app.platform.config.pagesEnabled = false
    expect(await publish(site)).toBeNull()
    server.app.platform.config.pagesEnabled = true
  })

  test('replaces what was published, whose bytes go after ten minutes', async () => {
    await publish(site)
    const [former] = await rows()
    await publish({ 'public/index.html': 'new' })
    const [row, ...others] = await rows()
    expect([row?.size_bytes, others]).toEqual([3, []])
    expect(await objectsOfProject()).toHaveLength(2)
    await later(9 * 60_000)
    expect(await objectsOfProject()).toHaveLength(2)
    await later(60_000)
    expect(await objectsOfProject()).toEqual([row && keyOfDeployment(row)])
    expect(row?.secret).not.toBe(former?.secret)
  })

  test('of an older pipeline replaces nothing', async () => {
    const older = await publishFor(server, place.project.id, { archive: null, userId: people.owner.id })
    await publish(site)
    const { platform } = server.app
    const [row] = await rows()
    await platform.database.write((tx) =>
      tx
        .updateTable('pages_deployments')
        .set({ pipeline_id: older + 1_000 })
        .where('id', '=', row?.id ?? 0)
        .execute(),
    )
    expect(await publish({ 'public/index.html': 'old' })).toBe('failed: build SHA is outdated for this ref')
    expect((await rows()).map(({ id }) => id)).toEqual([row?.id])
    expect(await objectsOfProject()).toHaveLength(1)
  })

  test.each([
    ['./dist/', { 'dist/a': 'x' }, 'success: published'],
    ['a/b', { 'a/b/c': 'x', 'a/d': 'x' }, 'success: published'],
    ['missing', { 'public/a': 'x' }, 'failed: the archive has no folder missing with files'],
    ['..', { 'public/a': 'x' }, 'failed: publish names no folder'],
    ['/', { 'public/a': 'x' }, 'failed: publish names no folder'],
  ])('publishes the folder %s', async (folder, files, expected) => {
    expect(await publish(files, { publish: folder })).toBe(expected)
  })
})

describe('an archive is refused, and the site stays as it was,', () => {
  const isRefused = async (archive: Buffer | Record<string, string> | null, reason: string) => {
    await publish(site)
    const before = await rows()
    expect(await publish(archive)).toBe(`failed: ${reason}`)
    expect(await rows()).toEqual(before)
    expect(await objectsOfProject()).toHaveLength(1)
  }
  const noPath = 'the name of a file is no path'

  test.each([
    ['that is missing', null, 'the job has no artifacts'],
    ['that is none', Buffer.from('PK nothing'), 'the artifacts are no archive that can be read'],
    ['that is empty', Buffer.alloc(0), 'the artifacts are no archive that can be read'],
    ['without the folder', { 'x/index.html': 'a' }, 'the archive has no folder public with files'],
    ['with an absolute path', { 'public/a': 'x', '/etc/passwd': 'x' }, noPath],
    ['with a path that leaves the folder', { 'public/a': 'x', 'public/../../x': 'x' }, noPath],
    ['with a backslash', { 'public/a': 'x', 'public\\b': 'x' }, noPath],
    ['with NUL', { 'public/a': 'x', 'public/b\u0000.html': 'x' }, noPath],
    ['with a dot for a folder', { 'public/a': 'x', 'public/./b': 'x' }, noPath],
    ['with a path that is too long', { [`public/${'x'.repeat(1100)}`]: 'x' }, 'the name of a file is too long'],
  ])('%s', async (_, archive, reason) => {
    await isRefused(archive, reason)
  })

  test('with a file twice', async () => {
    const twice = zipOf({ 'public/aa': 'x', 'public/bb': 'y' })
    const text = twice.toString('latin1').replaceAll('public/bb', 'public/aa')
    await isRefused(Buffer.from(text, 'latin1'), 'the archive has a file twice')
  })

  test('with a file that is encrypted', async () => {
    const encrypted = changed({ 'public/a': 'x' }, (archive, at) => archive.writeUInt16LE(1, at + 8))
    await isRefused(encrypted, 'a file of the archive is encrypted')
  })

  test('with a file that has more bytes than it says', async () => {
    const bomb = changed({ 'public/a': 'x'.repeat(1_000_000) }, (archive, at) => archive.writeUInt32LE(10, at + 24))
    await isRefused(bomb, 'a file of the archive is larger than it says')
  })

  test('with a file that has fewer bytes than it says', async () => {
    const short = changed({ 'public/a': 'x' }, (archive, at) => archive.writeUInt32LE(10, at + 24))
    await isRefused(short, 'the archive is damaged')
  })

  test('with files that overlap', async () => {
    const overlapping = changed({ 'public/aa': 'x', 'public/bb': 'x' }, (archive, at) => {
      archive.writeUInt32LE(0, at + 46 + 'public/aa'.length + archive.readUInt16LE(at + 30) + 42)
    })
    await isRefused(overlapping, 'files of the archive overlap')
  })

  test('with damaged contents', async () => {
    const damaged = changed({ 'public/a': 'hello '.repeat(1000) }, (archive) => archive.fill(0xff, 39, 60))
    await isRefused(damaged, 'the archive is damaged')
  })

  test('that is larger than allowed', async () => {
    await server.root.put('/application/settings', { max_pages_size: 1 })
    const large = { 'public/a': 'x'.repeat(600_000), 'public/b': 'x'.repeat(600_000) }
    await isRefused(large, 'the site is larger than allowed')
    await server.root.put('/application/settings', { max_pages_size: 100 })
  })
})

test('links and devices are left out', async () => {
  const linked = changed({ 'public/a': '/etc/passwd', 'public/b': 'x' }, (archive, at) => {
    archive.writeUInt8(3, at + 5)
    archive.writeUInt16LE(0o120777, at + 40)
  })
  expect(await publish(linked)).toBe('success: published')
  expect(await rows()).toMatchObject([{ file_count: 1, size_bytes: 1 }])
})

describe('a site with a prefix', () => {
  test('stands beside the main one, until its time is over', async () => {
    await publish(site)
    expect(await publish(site, { pathPrefix: 'Review/A b' })).toBe('success: published')
    expect((await rows()).map((row) => [row.path_prefix, row.expires_at])).toEqual([
      ['', null],
      ['review-a-b', new Date(clock.now().getTime() + 86_400_000).toISOString()],
    ])
    await later(86_400_000)
    await later(3_600_000)
    expect((await rows()).map(({ path_prefix }) => path_prefix)).toEqual([''])
    await later(600_000)
    expect(await objectsOfProject()).toHaveLength(1)
  })

  test.each([
    ['never', null],
    ['2 hours', 7200],
  ])('stays for %s', async (expireIn, seconds) => {
    await publish(site, { pathPrefix: 'a', expireIn })
    const [row] = await rows()
    expect(row?.expires_at).toBe(seconds && new Date(clock.now().getTime() + seconds * 1000).toISOString())
  })

  test('needs a name', async () => {
    expect(await publish(site, { pathPrefix: '///' })).toBe('failed: path_prefix is empty')
  })

  test('is the hundredth below a namespace at most', async () => {
    await publish(site, { pathPrefix: 'first' })
    const [{ id: _, ...row } = { id: 0 }] = await rows()
    const more = Array.from({ length: 99 }, (_, index) => ({
      ...(row as Awaited<ReturnType<typeof rows>>[number]),
      ...{ path_prefix: `p${index}`, secret: `${count}-${index}` },
    }))
    const { database } = server.app.platform
    await database.write((tx) =>
      tx
        .insertInto('pages_deployments')
        .values(more as never)
        .execute(),
    )
    expect(await publish(site, { pathPrefix: 'more' })).toBe('failed: there are 100 sites with a prefix already')
    expect(await publish(site, { pathPrefix: 'p1' })).toBe('success: published')
    await database.write((tx) => tx.deleteFrom('pages_deployments').where('path_prefix', '<>', '').execute())
  })
})

test('what was published goes with its project', async () => {
  await publish(site)
  await server.root.put('/application/settings', { deletion_adjourned_period: 0 })
  expect((await people.owner.delete(`/projects/${place.project.id}`)).status).toBe(202)
  await server.app.platform.jobs.drain()
  expect(await rows()).toEqual([])
  expect(await objectsOfProject()).toEqual([])
})

test('it stays while the project is archived, and when its job and its artifacts are deleted', async () => {
  await publish(site)
  await people.owner.post(`/projects/${place.project.id}/archive`)
  await people.owner.post(`/projects/${place.project.id}/unarchive`)
  const [row] = await rows()
  expect((await people.owner.delete(`/projects/${place.project.id}/pipelines/${row?.pipeline_id}`)).status).toBe(204)
  await later(1000)
  expect(await rows()).toEqual([row])
  expect(await objectsOfProject()).toHaveLength(1)
})

test('objects without a record are swept after a day, and missing ones are found', async () => {
  await publish(site)
  const [row] = await rows()
  if (!row) throw new Error('no row')
  const { platform } = server.app
  const problems = async () =>
    (await Array.fromAsync(siteProblems(platform))).filter((text) => text.includes(`${row.id}`))
  const stray = keyOfDeployment({ ...row, secret: 'stray' })
  await platform.objects.put(stray, (async function* () {})())
  const sweep = () => sweepSitesJob.run(platform, null, { jobId: 0, attempt: 1, signal: new AbortController().signal })
  clock.advance(-10 * 86_400_000 + (Date.now() - clock.now().getTime()))
  await sweep()
  expect(await objectsOfProject()).toHaveLength(2)
  clock.advance(20 * 86_400_000)
  await sweep()
  expect(await objectsOfProject()).toEqual([keyOfDeployment(row)])
  expect(await problems()).toEqual([])
  await platform.objects.put(
    keyOfDeployment(row),
    (async function* () {
      yield Buffer.from('x')
    })(),
  )
  expect(await problems()).toEqual([`site ${row.id}: its content has 1 bytes instead of ${row.object_bytes}`])
  await platform.objects.delete(keyOfDeployment(row))
  expect(await problems()).toEqual([`site ${row.id}: its content is missing`])
})
