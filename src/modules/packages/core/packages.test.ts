import { describe, expect, test } from 'vitest'
import { jobWithToken, projectWithConfig } from '../../pipelines/testing.ts'
import { basic, newProject, people, publish, send, servePackagesForTests, server } from '../testing.ts'

servePackagesForTests()

const missing = { status: 404, body: { message: '404 Not found' } }

/** A project with packages of some versions. @returns the addresses of the packages */
async function withVersions(...versions: string[]) {
  const made = await newProject()
  const paths: string[] = []
  for (const version of versions) {
    const { body } = await publish(people.developer, made.place, `tool/${version}/f?select=package_file`)
    paths.push(`${made.place}/packages/${body.package_id}`)
  }
  return { ...made, paths: paths as [string, ...string[]] }
}

describe('a package', () => {
  test('is shown with the other versions of its name', async () => {
    const { place, paths } = await withVersions('1.10', '1.0', '0.9')
    await publish(people.developer, place, 'other/1.0/f')
    const { status, body } = await people.reporter.get(paths[1] ?? '')
    expect([status, body.version]).toEqual([200, '1.0'])
    expect(body.versions.map(({ version }: { version: string }) => version)).toEqual(['0.9', '1.10'])
    expect(Object.keys(body.versions[0])).toEqual(['id', 'version', 'created_at', 'tags'])
  })

  test('is not found in another project, without a number, or when it is hidden', async () => {
    const { place, paths } = await withVersions('1.0')
    const other = await newProject()
    const id = paths[0].split('/').at(-1)
    expect(await people.reporter.get(`${other.place}/packages/${id}`)).toMatchObject(missing)
    expect(await people.reporter.get(`${place}/packages/0`)).toMatchObject(missing)
    expect(await people.reporter.get(`${place}/packages/9223372036854775808`)).toMatchObject(missing)
    expect(await people.reporter.get(`${place}/packages/x`)).toMatchObject({
      status: 400,
      body: { error: 'package_id is invalid' },
    })
    const hidden = await publish(people.developer, place, 'h/1.0/f?status=hidden&select=package_file')
    const at = `${place}/packages/${hidden.body.package_id}`
    expect(await people.reporter.get(at)).toMatchObject({ status: 404, body: { message: 'Package not found' } })
    expect((await people.reporter.get(`${at}/package_files`)).body).toHaveLength(1)
  })
})

describe('deleting a package', () => {
  test('takes it from everyone at once, and frees its name', async () => {
    const { place, paths } = await withVersions('1.0')
    const [path] = paths
    for (const [name, status] of [
      ['developer', 403],
      ['reporter', 403],
      ['outsider', 404],
    ] as const)
      expect((await people[name].delete(path)).status).toBe(status)
    expect((await server.anonymous.delete(path)).status).toBe(401)
    expect((await people.maintainer.delete(path)).status).toBe(204)
    expect(await people.maintainer.delete(path)).toMatchObject(missing)
    expect(await people.maintainer.get(path)).toMatchObject(missing)
    expect(await people.maintainer.get(`${path}/package_files`)).toMatchObject(missing)
    expect((await people.reporter.get(`${place}/packages`)).body).toEqual([])
    const got = await send(`${place}/packages/generic/tool/1.0/f`, { headers: basic(people.reporter.token) })
    expect(got).toMatchObject(missing)
    expect((await people.maintainer.get(`${place}?statistics=true`)).body.statistics.packages_size).toBe(0)
    expect((await publish(people.developer, place, 'tool/1.0/f', 'again')).status).toBe(201)
    const again = await send(`${place}/packages/generic/tool/1.0/f`, { headers: basic(people.reporter.token) })
    expect(again.body).toBe('again')
  })

  test('is refused when it has changed, and where the project is archived', async () => {
    const { place, paths } = await withVersions('1.0')
    const headers = { 'If-Unmodified-Since': 'Mon, 01 Jan 2024 00:00:00 GMT' }
    expect((await people.maintainer.delete(paths[0], { headers })).status).toBe(412)
    await people.owner.post(`${place}/archive`)
    expect((await people.maintainer.delete(paths[0])).status).toBe(403)
  })

  test('removes the rows in the background', async () => {
    const { paths } = await withVersions('1.0')
    await people.maintainer.delete(paths[0])
    await server.app.platform.jobs.drain()
    const { read } = server.app.platform.database
    const id = Number(paths[0].split('/').at(-1))
    for (const [table, column] of [
      ['packages', 'id'],
      ['package_files', 'package_id'],
    ] as const) {
      expect(
        await read
          .selectFrom(table)
          .selectAll()
          .where(column as never, '=', id as never)
          .execute(),
      ).toEqual([])
    }
  })
})

describe('a job', () => {
  test('publishes into its project, which shows the pipeline, until it ends', async () => {
    const project = await projectWithConfig(server, people.owner, 'with-jobs', 'work: {script: make}\n')
    const place = `/projects/${project.id}`
    const { token, end } = await jobWithToken(server, { projectId: project.id, userId: people.owner.id })
    const put = (headers: Record<string, string>, name = 'f') =>
      send(`${place}/packages/generic/tool/1.0/${name}`, { method: 'PUT', body: 'x', headers })
    expect((await put({ 'JOB-TOKEN': token })).status).toBe(201)
    expect((await put(basic(token, 'gitlab-ci-token'))).status).toBe(201)
    expect((await put({ Authorization: `Bearer ${token}` })).status).toBe(201)
    expect((await put(basic(token))).status).toBe(401)
    await put({ 'PRIVATE-TOKEN': people.owner.token }, 'g')
    const [found] = (await people.owner.get(`${place}/packages`)).body
    expect(found).toMatchObject({ pipeline: { project_id: project.id, user: { id: people.owner.id } }, pipelines: [] })
    expect(found.pipeline.web_url).toBe(`${server.url}/${project.full_path}/-/pipelines/${found.pipeline.id}`)
    const path = `${place}/packages/${found.id}`
    expect((await people.owner.get(`${path}/pipelines`)).body).toEqual([found.pipeline])
    const files = (await people.owner.get(`${path}/package_files`)).body
    expect(files.map((file: { pipelines?: unknown[] }) => file.pipelines?.length ?? 0)).toEqual([1, 1, 1, 0])
    expect((await send(`${path}/package_files`, { headers: { 'JOB-TOKEN': token } })).status).toBe(200)
    const other = await newProject()
    await publish(people.developer, other.place, 'tool/1.0/f')
    const elsewhere = await send(`${other.place}/packages/generic/tool/1.0/f`, { headers: { 'JOB-TOKEN': token } })
    expect(elsewhere).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
    await end()
    const ended = await put({ 'JOB-TOKEN': token })
    expect([ended.status, ended.headers.get('www-authenticate')]).toEqual([
      401,
      'Basic realm="GitLab Packages Registry"',
    ])
    await people.owner.delete(`${place}/pipelines/${found.pipeline.id}`)
    expect((await people.owner.get(path)).body).not.toHaveProperty('pipeline')
  })
})

describe('the pipelines of a package', () => {
  test('have keyset pages of twenty at the most', async () => {
    const { paths } = await withVersions('1.0')
    const id = Number(paths[0].split('/').at(-1))
    const project = Number(paths[0].split('/')[2])
    const { database } = server.app.platform
    const pipelines = await Promise.all(
      [1, 2, 3].map(() => jobWithToken(server, { projectId: project, userId: people.owner.id })),
    )
    const ids = pipelines.map(({ pipelineId }) => pipelineId).sort((a, b) => b - a)
    await database.write((tx) =>
      tx
        .insertInto('package_pipelines')
        .values(ids.map((pipeline_id) => ({ package_id: id, pipeline_id, published_at: '2026-01-02T03:04:05.678Z' })))
        .execute(),
    )
    const first = await people.reporter.get(`${paths[0]}/pipelines?per_page=2`)
    expect(first.body.map((one: { id: number }) => one.id)).toEqual(ids.slice(0, 2))
    expect(first.headers.get('x-total')).toBeNull()
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    const second = await people.reporter.get(next.slice(next.indexOf('/projects')))
    expect(second.body.map((one: { id: number }) => one.id)).toEqual(ids.slice(2))
    expect(second.headers.get('link')).toBeNull()
    for (const size of [0, 21, -1]) {
      expect(await people.reporter.get(`${paths[0]}/pipelines?per_page=${size}`)).toMatchObject({
        status: 400,
        body: { error: 'per_page does not have a valid value' },
      })
    }
  })

  test('are for those who may read pipelines', async () => {
    const { place, paths } = await withVersions('1.0')
    await people.owner.put(place, { builds_access_level: 'disabled' })
    expect((await people.reporter.get(`${paths[0]}/pipelines`)).status).toBe(403)
    await people.owner.put(place, { builds_access_level: 'enabled' })
    expect(await people.reporter.get(`${place}/packages/0/pipelines`)).toMatchObject(missing)
  })
})
