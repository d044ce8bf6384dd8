import { describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { basic, newProject, people, publish, send, servePackagesForTests, server } from '../testing.ts'
import { runPackagesPoliciesJob } from './policies.ts'

const clock = manualClock({ start: '2026-03-04T05:06:07.000Z' })
servePackagesForTests({ clock })

const halfDayMs = 12 * 3_600_000
const run = () =>
  runPackagesPoliciesJob.run(server.app.platform, null, { signal: new AbortController().signal } as never)
const policy = (keep: string) => ({ packages_cleanup_policy_attributes: { keep_n_duplicated_package_files: keep } })

async function withFiles() {
  const { place } = await newProject()
  for (const content of ['one', 'two', 'three']) await publish(people.developer, place, 'tool/1.0/f', content)
  await publish(people.developer, place, 'tool/1.0/g', 'other')
  const [found] = (await people.reporter.get(`${place}/packages`)).body
  const files = async () =>
    (await people.reporter.get(`${place}/packages/${found.id}/package_files`)).body.map(
      ({ file_name: name, size }: { file_name: string; size: number }) => `${name} ${size}`,
    )
  const size = async () => (await people.maintainer.get(`${place}?statistics=true`)).body.statistics.packages_size
  return { place, files, size }
}

describe('a cleanup policy', () => {
  test('keeps the newest files of each name, every twelve hours', async () => {
    const { place, files, size } = await withFiles()
    expect((await people.maintainer.get(place)).body.packages_cleanup_policy).toEqual({
      keep_n_duplicated_package_files: 'all',
      next_run_at: null,
    })
    const set = await people.maintainer.put(place, policy('1'))
    const next = new Date(clock.now().getTime() + halfDayMs).toISOString()
    expect(set.body.packages_cleanup_policy).toEqual({ keep_n_duplicated_package_files: '1', next_run_at: next })
    await run()
    expect(await files()).toHaveLength(4)
    clock.advance(halfDayMs)
    await run()
    expect(await files()).toEqual(['f 5', 'g 5'])
    expect(await size()).toBe(10)
    const got = await send(`${place}/packages/generic/tool/1.0/f`, { headers: basic(people.reporter.token) })
    expect(got.body).toBe('three')
    const after = (await people.maintainer.get(place)).body.packages_cleanup_policy
    expect(after.next_run_at).toBe(new Date(clock.now().getTime() + halfDayMs).toISOString())
    expect((await people.developer.get(place)).body).not.toHaveProperty('packages_cleanup_policy')
  })

  test('does not run when it keeps all files, the project is archived, or the capacity is 0', async () => {
    const { place, files } = await withFiles()
    await people.maintainer.put(place, policy('1'))
    const capacity = (value: number) =>
      server.root.put('/application/settings', { package_registry_cleanup_policies_worker_capacity: value })
    await capacity(0)
    clock.advance(halfDayMs)
    await run()
    expect(await files()).toHaveLength(4)
    await people.owner.post(`${place}/archive`)
    await capacity(2)
    await run()
    expect(await files()).toHaveLength(4)
    await people.owner.post(`${place}/unarchive`)
    expect((await people.maintainer.put(place, policy('all'))).body.packages_cleanup_policy.next_run_at).toBeNull()
    clock.advance(halfDayMs)
    await run()
    expect(await files()).toHaveLength(4)
  })

  test('has one of the counts of the contract', async () => {
    const { place } = await newProject()
    expect(await people.maintainer.put(place, policy('2'))).toMatchObject({ status: 400 })
    expect((await people.developer.put(place, policy('1'))).status).toBe(403)
  })
})

test('the rows of a deleted package wait while the capacity is 0', async () => {
  const { place } = await withFiles()
  const [{ id }] = (await people.reporter.get(`${place}/packages`)).body
  const capacity = (value: number) =>
    server.root.put('/application/settings', { packages_cleanup_package_file_worker_capacity: value })
  await capacity(0)
  await people.maintainer.delete(`${place}/packages/${id}`)
  const { database, jobs } = server.app.platform
  const rows = () => database.read.selectFrom('packages').select('id').where('id', '=', id).execute()
  await jobs.drain()
  expect(await rows()).toHaveLength(1)
  expect((await people.reporter.get(`${place}/packages?status=pending_destruction`)).body).toMatchObject([{ id }])
  await capacity(2)
  clock.advance(60_000)
  await jobs.drain()
  expect(await rows()).toEqual([])
})
