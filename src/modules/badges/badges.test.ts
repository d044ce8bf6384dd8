/** Badges of projects and groups (contract 25, Badges, and step 2 of the acceptance walk). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, makePeople, type People, startTestServer, type TestServer } from '../../testing/index.ts'
import { addMembers } from '../../testing/members.ts'
import { projectById } from '../projects/index.ts'
import { exported, linesOf } from '../relation-exports/testing.ts'

let server: TestServer
let people: People
let group: number
let inGroup: string
let sub: number
let project: number
let inProject: string

beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
  const { owner } = people
  group = (await owner.post('/groups', { name: 'G', path: 'g', visibility: 'public' })).body.id
  sub = (await owner.post('/groups', { name: 'Sub', path: 'sub', parent_id: group, visibility: 'public' })).body.id
  const given = {
    name: 'Some project',
    path: 'p',
    namespace_id: sub,
    visibility: 'public',
    initialize_with_readme: true,
  }
  project = (await owner.post('/projects', given)).body.id
  const row = await projectById(server.app.platform.database.read, project)
  if (row) await addMembers(server, row, people)
  inGroup = `/groups/${group}`
  inProject = `/projects/${project}`
})
afterAll(() => server.stop())

const addresses = { link_url: 'https://x.example/%{project_path}', image_url: 'https://x.example/i.svg' }
const add = async (place: string, by: Client, given: object = {}) =>
  (await by.post(`${place}/badges`, { ...addresses, ...given })).body
const notFound = { status: 404, body: { message: '404 Not found' } }
const wrong = { status: 400, body: { message: { link_url: ['must be a valid URL'] } } }

test('a badge is added, read, changed and deleted', async () => {
  const { maintainer } = people
  const made = await maintainer.post(`${inProject}/badges`, { ...addresses, name: 'build' })
  const badge = {
    name: 'build',
    ...addresses,
    rendered_link_url: 'https://x.example/g%2Fsub%2Fp',
    rendered_image_url: 'https://x.example/i.svg',
    id: made.body.id,
    kind: 'project',
  }
  expect(made).toMatchObject({ status: 201 })
  expect(made.body).toEqual(badge)
  expect(Object.keys(made.body)).toEqual(Object.keys(badge))
  const one = `${inProject}/badges/${badge.id}`
  expect((await server.anonymous.get(one)).body).toEqual(badge)
  const changed = await maintainer.put(one, { name: '', image_url: 'https://y.example/%{nothing}' })
  expect(changed.body).toEqual({
    ...badge,
    name: null,
    image_url: 'https://y.example/%{nothing}',
    rendered_image_url: 'https://y.example/%{nothing}',
  })
  expect((await maintainer.delete(one)).status).toBe(204)
  expect(await maintainer.delete(one)).toMatchObject(notFound)
  expect(await maintainer.put(one, { name: 'x' })).toMatchObject(notFound)
})

test('a project shows the badges of the groups above first, which only the group changes', async () => {
  const { owner, maintainer } = people
  const inner = await add(`/groups/${sub}`, owner, { name: 'inner' })
  const own = await add(inProject, maintainer, { name: 'own' })
  const outer = await add(inGroup, owner, { name: 'outer' })
  const listed = async (query = '') => (await server.anonymous.get(`${inProject}/badges${query}`)).body
  expect((await listed()).map(({ id, kind }: { id: number; kind: string }) => [id, kind])).toEqual([
    [outer.id, 'group'],
    [inner.id, 'group'],
    [own.id, 'project'],
  ])
  expect((await listed('?name=inner')).map(({ id }: { id: number }) => id)).toEqual([inner.id])
  expect(await listed('?name=inn')).toEqual([])
  expect((await listed('?per_page=1&page=3')).map(({ id }: { id: number }) => id)).toEqual([own.id])
  expect((await owner.get(`${inGroup}/badges`)).body.map(({ id }: { id: number }) => id)).toEqual([outer.id])
  expect((await owner.get(`${inProject}/badges/${outer.id}`)).body).toMatchObject({ id: outer.id, kind: 'group' })
  const sentence = 'To delete a Group badge please use the Group endpoint'
  const refused = { status: 403, body: { error: sentence, message: `403 Forbidden - ${sentence}` } }
  expect(await maintainer.delete(`${inProject}/badges/${outer.id}`)).toMatchObject(refused)
  expect(await maintainer.put(`${inProject}/badges/${outer.id}`, { name: 'x' })).toMatchObject(refused)
  expect(await owner.delete(`/groups/${sub}/badges/${outer.id}`)).toMatchObject(notFound)
  expect(await owner.get(`${inGroup}/badges/${own.id}`)).toMatchObject(notFound)
  const other = (await owner.post('/projects', { name: 'elsewhere' })).body.id
  expect(await owner.get(`/projects/${other}/badges/${own.id}`)).toMatchObject(notFound)
  expect(await owner.get(`/projects/${other}/badges/${outer.id}`)).toMatchObject(notFound)
})

test('every placeholder has its value, encoded; those of the code only for its readers', async () => {
  const { owner, maintainer } = people
  const names = [
    ...['project_path', 'project_title', 'project_name', 'project_id', 'project_namespace', 'group_name'],
    ...['gitlab_server', 'gitlab_pages_domain', 'default_branch', 'commit_sha', 'latest_tag', 'other'],
  ]
  const link_url = `https://x.example/${names.map((name) => `%{${name}}`).join('/')}`
  const shown = async (by: Client, place = inProject) =>
    (await by.get(`${place}/badges/render?${new URLSearchParams({ ...addresses, link_url })}`)).body.rendered_link_url
  const host = new URL(server.url).hostname
  const head = (await owner.get(`${inProject}/repository/commits/main`)).body.id
  const place = ['g%2Fsub%2Fp', 'Some%20project', 'p', String(project), 'g%2Fsub', 'sub', host]
  const start = `https://x.example/${place.join('/')}/`
  expect(await shown(maintainer)).toMatch(new RegExp(`^${start}pages[.a-z0-9]*/main/${head}//%{other}$`))
  await owner.post(`${inProject}/repository/tags`, { tag_name: 'v1', ref: 'main' })
  expect(await shown(maintainer)).toMatch(new RegExp(`/main/${head}/v1/%{other}$`))
  const { id } = await add(inProject, maintainer, {
    link_url: 'https://x.example/%{default_branch}/%{commit_sha}-%{latest_tag}',
  })
  const asAnonymous = async () => (await server.anonymous.get(`${inProject}/badges/${id}`)).body.rendered_link_url
  expect(await asAnonymous()).toBe(`https://x.example/main/${head}-v1`)
  await owner.put(inProject, { repository_access_level: 'private' })
  expect(await asAnonymous()).toBe('https://x.example//-')
  await owner.put(inProject, { repository_access_level: 'enabled' })
  const empty = (await owner.post('/projects', { name: 'empty' })).body.id
  expect(await shown(owner, `/projects/${empty}`)).toMatch(/\/owner\/\/[^/]+\/pages[.a-z0-9]*\/[a-z]*\/\/\/%\{other\}$/)
})

test('on routes of groups the values are those of the oldest project that the caller sees', async () => {
  const { owner, outsider } = people
  const own = (await owner.post('/groups', { name: 'Own', path: 'own', visibility: 'public' })).body.id
  const { id } = await add(`/groups/${own}`, owner)
  const shown = async (by: Client) => (await by.get(`/groups/${own}/badges/${id}`)).body.rendered_link_url
  expect(await shown(owner)).toBe(addresses.link_url)
  await owner.post('/projects', { name: 'hidden', namespace_id: own, visibility: 'private' })
  await owner.post('/projects', { name: 'open', namespace_id: own, visibility: 'public' })
  expect(await shown(owner)).toBe('https://x.example/own%2Fhidden')
  expect(await shown(outsider)).toBe('https://x.example/own%2Fopen')
  expect(await shown(server.anonymous)).toBe('https://x.example/own%2Fopen')
})

test('a preview stores nothing', async () => {
  const { maintainer, owner } = people
  const before = (await maintainer.get(`${inProject}/badges`)).headers.get('x-total')
  const { status, body } = await maintainer.get(`${inProject}/badges/render?${new URLSearchParams(addresses)}`)
  expect([status, body]).toEqual([
    200,
    {
      name: null,
      ...addresses,
      rendered_link_url: 'https://x.example/g%2Fsub%2Fp',
      rendered_image_url: addresses.image_url,
    },
  ])
  expect((await maintainer.get(`${inProject}/badges`)).headers.get('x-total')).toBe(before)
  expect((await owner.get(`${inGroup}/badges/render?${new URLSearchParams(addresses)}`)).status).toBe(200)
  expect((await maintainer.get(`${inProject}/badges/render?link_url=https://x.example`)).body.error).toBe(
    'image_url is missing',
  )
})

test('wrong values are refused', async () => {
  const { maintainer, developer } = people
  const path = `${inProject}/badges`
  expect((await developer.post(path, addresses)).status).toBe(403)
  expect((await maintainer.post(path, { image_url: addresses.image_url })).body.error).toBe('link_url is missing')
  for (const link_url of [
    ...['ftp://x', 'javascript:alert(1)', 'x', '', '//x.example', 'https:x.example', 'https://', ' https://x.example'],
    ...['https://x.example/\n', 'https://x .example', 'java%{project_name}script:alert(1)', 'data:text/html,x'],
    ...['https://%{nothing}/', `https://x.example/${'a'.repeat(2048)}`],
  ]) {
    expect(await maintainer.post(path, { ...addresses, link_url }), link_url).toMatchObject(wrong)
  }
  for (const given of [{ link_url: { a: 1 } }, { link_url: ['https://x.example'] }, { name: { a: 1 } }]) {
    expect((await maintainer.post(path, { ...addresses, ...given })).status).toBe(400)
  }
  expect((await maintainer.post(path, { ...addresses, name: 'n'.repeat(256) })).body.message).toEqual({
    name: ['is too long (maximum is 255 characters)'],
  })
  const { id } = await add(inProject, maintainer, { name: 'n'.repeat(255), link_url: 'https://%{gitlab_server}/ü💥' })
  expect(await maintainer.put(`${path}/${id}`, { link_url: 'ftp://x' })).toMatchObject(wrong)
  expect((await maintainer.put(`${path}/${id}`, {})).body.name).toBe('n'.repeat(255))
  expect((await maintainer.get(`${path}/99999999999999999999`)).status).toBe(404)
})

test('an archived project shows its badges and changes none', async () => {
  const { owner, maintainer } = people
  const own = (await owner.post('/projects', { name: 'old', namespace_id: sub, visibility: 'public' })).body.id
  const { id } = await add(`/projects/${own}`, owner)
  await owner.post(`/projects/${own}/archive`)
  const one = `/projects/${own}/badges/${id}`
  expect((await server.anonymous.get(one)).status).toBe(200)
  for (const answer of [await owner.put(one, { name: 'x' }), await owner.delete(one)]) expect(answer.status).toBe(403)
  expect((await owner.post(`/projects/${own}/badges`, addresses)).status).toBe(403)
  expect((await maintainer.get(one)).status).toBe(200)
})

test('50 badges are the most of one place, also when they are added at once', async () => {
  const { owner } = people
  const own = (await owner.post('/projects', { name: 'many' })).body.id
  for (let count = 0; count < 48; count += 1) await add(`/projects/${own}`, owner)
  const answers = await Promise.all([1, 2, 3, 4].map(() => owner.post(`/projects/${own}/badges`, addresses)))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 400, 400])
  expect(answers.find(({ status }) => status === 400)?.body.message).toEqual({
    base: ['Maximum number of badges (50) exceeded'],
  })
})

test('badges are exported with their project, stay on a transfer, and are not copied to forks', async () => {
  const { owner } = people
  const own = (await owner.post('/projects', { name: 'moves', visibility: 'public', initialize_with_readme: true }))
    .body.id
  const { id } = await add(`/projects/${own}`, owner, { name: 'kept' })
  await exported(server, owner, `/projects/${own}`)
  const line = { name: 'kept', ...addresses, project_id: own, type: 'ProjectBadge' }
  expect(await linesOf(owner, `/projects/${own}`, 'project_badges')).toEqual([expect.objectContaining(line)])
  const fork = (await people.developer.post(`/projects/${own}/fork`)).body.id
  expect((await owner.put(`/projects/${own}/transfer`, { namespace: sub })).status).toBe(200)
  expect((await owner.get(`/projects/${own}/badges/${id}`)).body).toMatchObject({
    name: 'kept',
    rendered_link_url: 'https://x.example/g%2Fsub%2Fmoves',
  })
  const names = (await people.developer.get(`/projects/${fork}/badges`)).body.map(({ name }: { name: string }) => name)
  expect(names).not.toContain('kept')
})
