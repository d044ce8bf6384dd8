/** What names with more versions than are read at once are answered with: each version once, read in portions. */
import { expect, test } from 'vitest'
import { type Client, mostRowsDuring } from '../../../testing/index.ts'
import { basic, newProject, people, send, servePackagesForTests, server } from '../testing.ts'
import { rowsAtOnce } from './portions.ts'
import { makePackages, makeTags } from './testing.ts'

servePackagesForTests()

const count = 2 * rowsAtOnce + 3
const numbers = Array.from({ length: count }, (_, index) => index)
const read = (client: Client, path: string, headers: Record<string, string> = {}) =>
  send(path, { headers: { ...basic(client.token), ...headers } })
const versionOf = (index: number) => `1.0.${index}`
const hrefs = (page: string) => [...page.matchAll(/href="[^"]*\/([^/"#]+)(?:#[^"]*)?"/g)].map(([, end]) => end)

/** A group with two projects. */
async function twoProjects() {
  const group = await server.make.group(`many-${performance.now()}`.replace('.', '-'), people.owner)
  const [first, second] = [await newProject({ namespace: group }), await newProject({ namespace: group })]
  return { group, first, second }
}

test('npm reads all versions and dist-tags of a name', async () => {
  const { group, first, second } = await twoProjects()
  const ids = await makePackages(
    first.project.id,
    'npm',
    numbers.map((index) => ['lib', versionOf(index)]),
  )
  await makeTags(
    first.project.id,
    'lib',
    ids.map((id, index) => [`tag-${index}`, id]),
  )
  const path = `${first.place}/packages/npm/lib`
  const { body } = await read(people.reporter, path)
  expect(Object.keys(body.versions)).toEqual(numbers.map(versionOf))
  expect(body['dist-tags']).toEqual({
    ...Object.fromEntries(numbers.map((index) => [`tag-${index}`, versionOf(index)])),
    latest: versionOf(count - 1),
  })
  const tags = await read(people.reporter, `${first.place}/packages/npm/-/package/lib/dist-tags`)
  expect(Object.keys(tags.body)).toHaveLength(count)

  const again = await makePackages(second.project.id, 'npm', [
    ['lib', versionOf(1)],
    ['lib', versionOf(count)],
  ])
  await makeTags(second.project.id, 'lib', [
    ['latest', again[0] as number],
    ['tag-2', again[1] as number],
  ])
  const both = await read(people.reporter, `/groups/${group.id}/-/packages/npm/lib`)
  expect(Object.keys(both.body.versions).sort()).toEqual([...numbers, count].map(versionOf).sort())
  const projectOf = (version: string) => /projects\/(\d+)\//.exec(both.body.versions[version].dist.tarball)?.[1]
  expect(projectOf(versionOf(0))).toBe(String(first.project.id))
  expect(projectOf(versionOf(1))).toBe(String(second.project.id))
  expect(both.body['dist-tags']).toMatchObject({ latest: versionOf(1), 'tag-2': versionOf(count) })
})

test('a dist-tag of a version without its file is left out', async () => {
  const { project, place } = await newProject()
  const [, without] = await makePackages(project.id, 'npm', [
    ['lib', '1.0.0'],
    ['lib', '2.0.0'],
  ])
  await makeTags(project.id, 'lib', [['latest', without as number]])
  await server.app.platform.database.write((tx) =>
    tx
      .deleteFrom('package_files')
      .where('package_id', '=', without as number)
      .execute(),
  )
  const { body } = await read(people.reporter, `${place}/packages/npm/lib`)
  expect([Object.keys(body.versions), body['dist-tags']]).toEqual([['1.0.0'], { latest: '1.0.0' }])
})

test('pip reads all files of a name, in both forms', async () => {
  const { group, first, second } = await twoProjects()
  await makePackages(
    first.project.id,
    'pypi',
    numbers.map((index) => ['lib', versionOf(index)]),
  )
  await makePackages(second.project.id, 'pypi', [['lib', '9.0']])
  const names = numbers.map((index) => `lib-${versionOf(index)}.tgz`)
  expect(hrefs((await read(people.reporter, `${first.place}/packages/pypi/simple/lib`)).body)).toEqual(names)
  const form = { Accept: 'application/vnd.pypi.simple.v1+json' }
  const { body } = await read(people.reporter, `/groups/${group.id}/-/packages/pypi/simple/lib`, form)
  const files: { filename: string }[] = JSON.parse(body).files
  expect(files.map(({ filename }) => filename).sort()).toEqual([...names, 'lib-9.0.tgz'].sort())
})

test('the index of Python has each name once, also of a group', async () => {
  const { group, first, second } = await twoProjects()
  const nameOf = (index: number) => `lib-${String(index).padStart(5, '0')}`
  const names = numbers.map(nameOf)
  await makePackages(
    first.project.id,
    'pypi',
    names.map((name) => [name, '1.0']),
  )
  // Each second name, so that one of those which both projects have is at the end of a portion.
  const shared = names.filter((_, index) => index % 2 === 0)
  await makePackages(second.project.id, 'pypi', [...shared.map((name) => [name, '2.0'] as const), ['other', '1.0']])
  const index = (place: string) => `${place}/packages/pypi/simple`
  expect(hrefs((await read(people.reporter, index(first.place))).body)).toEqual(names)
  expect(hrefs((await read(people.reporter, index(`/groups/${group.id}/-`))).body)).toEqual([...names, 'other'])
  const form = { Accept: 'application/vnd.pypi.simple.v1+json' }
  const { body } = await read(people.reporter, index(`/groups/${group.id}/-`), form)
  expect(JSON.parse(body).projects).toEqual([...names, 'other'].map((name) => ({ name })))
  await server.app.platform.database.write((tx) =>
    tx.deleteFrom('packages').where('project_id', '=', first.project.id).where('name', '<>', nameOf(1)).execute(),
  )
  const left = [...shared, nameOf(1), 'other'].sort()
  expect(hrefs((await read(people.reporter, index(`/groups/${group.id}/-`))).body)).toEqual(left)
  expect(hrefs((await read(people.guest, index(`/groups/${group.id}/-`))).body)).toEqual([])
})

test('a package is shown with all other versions', async () => {
  const { project, place } = await newProject()
  const versions = numbers.map(versionOf)
  const ids = await makePackages(
    project.id,
    'generic',
    versions.map((version) => ['tool', version]),
  )
  for (const at of [0, 700, count - 1]) {
    const { body } = await people.maintainer.get(`${place}/packages/${ids[at]}`)
    expect(body).toMatchObject({ id: ids[at], version: versionOf(at), _links: { delete_api_path: expect.any(String) } })
    const shown = body.versions.map(({ version }: { version: string }) => version)
    expect(shown).toEqual(versions.filter((_, index) => index !== at).sort())
    expect(Object.keys(body.versions.at(-1))).toEqual(['id', 'version', 'created_at', 'tags'])
  }
})

test('no query reads more than a portion', async () => {
  const { project, place } = await newProject()
  const versions = numbers.map((index) => ['lib', versionOf(index)] as const)
  const [id] = await makePackages(project.id, 'npm', versions)
  await makePackages(project.id, 'pypi', [...versions, ...numbers.map((index) => [`name-${index}`, '1'] as const)])
  const most = await mostRowsDuring(server, async () => {
    for (const path of ['npm/lib', 'pypi/simple', 'pypi/simple/lib']) {
      expect((await read(people.reporter, `${place}/packages/${path}`)).status).toBe(200)
    }
    expect((await people.reporter.get(`${place}/packages/${id}`)).body.versions).toHaveLength(count - 1)
  })
  expect(most).toBeGreaterThan(1)
  expect(most).toBeLessThanOrEqual(rowsAtOnce)
})
