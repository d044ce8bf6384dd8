import { mkdir, rm, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { git, type Person, temporaryDirectory } from '../../testing/index.ts'
import { storedJobs } from '../../testing/jobs.ts'
import { makeSnippet } from '../snippets/testing.ts'
import { startWithTwoStorages, type TwoStorages } from './testing.ts'

vi.setConfig({ testTimeout: 120_000 })

let two: TwoStorages
let owner: Person
let projectId: number
beforeAll(async () => {
  two = await startWithTwoStorages()
  owner = await two.server.user('owner')
  projectId = (await two.server.make.project('moved', owner, { visibility: 'public' })).id
  await two.hands.push(owner, 'owner/moved', ['one', 'two'], ['main', 'main:refs/heads/other', 'main:refs/tags/v1'])
})
afterAll(() => two.stop())

const readOnly = 'The repository is temporarily read-only. Please try again later.'
const accepted = { status: 202, body: { message: '202 Accepted' } }
const refused = (key: string, text: string) => ({ status: 400, body: { message: { [key]: [text] } } })

test('the acceptance walk of contract 10', async () => {
  const { root, anonymous } = two.server
  // 1
  expect((await owner.get('/project_repository_storage_moves')).status).toBe(403)
  expect((await anonymous.get('/project_repository_storage_moves')).status).toBe(401)
  const none = await root.get('/project_repository_storage_moves')
  expect([none.status, none.body, none.headers.get('x-total')]).toEqual([200, [], '0'])
  // 2
  const moves = `/projects/${projectId}/repository_storage_moves`
  const unknown = refused('destination_storage_name', 'is not included in the list')
  expect(await root.post(moves, { destination_storage_name: 'nope' })).toMatchObject(unknown)
  // 3
  const { body: page } = await root.post(`/projects/${projectId}/wikis`, { title: 'home', content: 'A page' })
  expect(page.slug).toBe('home')
  const row = await two.rowOf('project_id', projectId)
  const release = await two.holdOpen(row.id)
  const before = await two.hands.lsRemote(owner, 'owner/moved')
  const started = await root.post(moves, { destination_storage_name: 'storage2' })
  const project = (await root.get(`/projects/${projectId}`)).body
  const { id, description, name, name_with_namespace, path, path_with_namespace, created_at } = project
  expect([started.status, started.body]).toEqual([
    201,
    {
      id: 1,
      created_at: expect.any(String),
      state: 'scheduled',
      source_storage_name: 'default',
      destination_storage_name: 'storage2',
      project: { id, description, name, name_with_namespace, path, path_with_namespace, created_at },
    },
  ])
  // 4
  expect(await root.post(moves, { destination_storage_name: 'storage2' })).toMatchObject(
    refused('project', 'is read-only'),
  )
  expect(await root.put(`/projects/${projectId}`, { repository_storage: 'storage2' })).toMatchObject(
    refused('project', 'is read-only'),
  )
  const push = await two.hands.tryPush(owner, 'owner/moved')
  expect([push.code, push.stderr]).toEqual([128, expect.stringContaining(`remote: ${readOnly}`)])
  expect(await two.hands.lsRemote(owner, 'owner/moved')).toBe(before)
  expect((await root.get(`/projects/${projectId}`)).body.repository_storage).toBe('default')
  await release()
  // 5
  expect(await two.ended(`${moves}/1`)).toBe('finished')
  expect([await two.at('default', row).exists(), await two.at('storage2', row).exists()]).toEqual([false, true])
  expect((await two.at('storage2', row).fsck()).ok).toBe(true)
  expect(await two.hands.lsRemote(owner, 'owner/moved')).toBe(before)
  expect((await root.get(`/projects/${projectId}/wikis/home`)).body.content).toBe('A page')
  expect((await two.hands.tryPush(owner, 'owner/moved')).code).toBe(0)
  // 6
  const listed = await root.get('/projects?repository_storage=storage2')
  expect(listed.body).toMatchObject([{ id: projectId, repository_storage: 'storage2' }])
  const ignored = await owner.get('/projects?repository_storage=nope&owned=true')
  expect(ignored.body.map((one: { id: number }) => one.id)).toEqual([projectId])
  expect(ignored.body[0]).not.toHaveProperty('repository_storage')
  // 7
  const same = await root.post(moves, { destination_storage_name: 'storage2' })
  expect(await two.ended(`${moves}/${same.body.id}`)).toBe('finished')
  expect(await two.at('storage2', row).exists()).toBe(true)
  // 8
  const snippet = await makeSnippet(owner, { 'a.txt': 'content' }, { visibility: 'public' })
  const weights = (values: object) => root.put('/application/settings', { repository_storages_weighted: values })
  expect((await weights({ default: 0, storage2: 100 })).status).toBe(200)
  const snippetMoves = `/snippets/${snippet.id}/repository_storage_moves`
  expect((await root.get(snippetMoves)).body).toEqual([])
  const ofSnippet = await root.post(snippetMoves)
  const { title, visibility, web_url, raw_url, ssh_url_to_repo, http_url_to_repo } = snippet
  expect(ofSnippet.body).toEqual({
    ...{ id: 1, created_at: expect.any(String), state: 'scheduled' },
    ...{ source_storage_name: 'default', destination_storage_name: 'storage2' },
    snippet: {
      ...{ id: snippet.id, title, description: null, visibility, updated_at: expect.any(String) },
      ...{ created_at: snippet.created_at, project_id: null, web_url, raw_url, ssh_url_to_repo, http_url_to_repo },
    },
  })
  expect(await two.ended(`${snippetMoves}/1`)).toBe('finished')
  expect((await owner.get(`/snippets/${snippet.id}/raw`)).body).toBe('content')
  // 9
  await weights({ default: 100 })
  const group = await two.server.make.group('g', owner)
  const groupMoves = `/groups/${group.id}/repository_storage_moves`
  const ofGroup = await root.post(groupMoves, { destination_storage_name: 'storage2' })
  expect(ofGroup).toMatchObject({ status: 201, body: { id: 1, source_storage_name: 'default', state: 'scheduled' } })
  expect(ofGroup.body.group).toEqual({ id: group.id, web_url: `${two.server.url}/groups/g`, name: 'g' })
  expect((await root.get('/group_repository_storage_moves')).body[0].id).toBe(1)
  expect(await two.ended(`${groupMoves}/1`)).toBe('finished')
  expect((await root.get(groupMoves)).body).toHaveLength(1)
  // 10
  const all = '/project_repository_storage_moves'
  expect((await root.post(all, {})).body.error).toBe('source_storage_name is missing')
  expect((await root.post(all, { source_storage_name: 'x', destination_storage_name: 'y' })).body.error).toBe(
    'source_storage_name does not have a valid value, destination_storage_name does not have a valid value',
  )
  const away = { source_storage_name: 'storage2', destination_storage_name: 'default' }
  for (const kind of ['project', 'snippet', 'group']) {
    expect(await root.post(`/${kind}_repository_storage_moves`, away)).toMatchObject(accepted)
  }
  await expect.poll(async () => (await root.get('/projects?repository_storage=storage2')).body).toEqual([])
  for (const kind of ['project', 'snippet', 'group']) {
    const newest = async () => (await root.get(`/${kind}_repository_storage_moves`)).body[0]
    const finished = { state: 'finished', source_storage_name: 'storage2', destination_storage_name: 'default' }
    await expect.poll(newest).toMatchObject(finished)
  }
  // 12
  const both = await Promise.all([1, 2].map(() => root.post(moves, { destination_storage_name: 'storage2' })))
  expect(both.map(({ status }) => status).sort()).toEqual([201, 400])
  // 13
  expect((await weights({ storage2: 101 })).body.message).toEqual({
    repository_storages_weighted: ["value for 'storage2' must be between 0 and 100"],
  })
  expect((await weights({ nope: 1 })).body.message).toEqual({ repository_storages_weighted: ["can't include: nope"] })
  // 14
  const other = await makeSnippet(owner)
  const foreign = await root.get(`/snippets/${other.id}/repository_storage_moves/1`)
  expect([foreign.status, foreign.body]).toEqual([404, { message: '404 Not found' }])
  expect((await root.get('/snippets/987654/repository_storage_moves/1')).body).toEqual({
    message: '404 Snippet Not Found',
  })
  for (const kind of ['project', 'snippet', 'group']) {
    const wrong = await root.get(`/${kind}_repository_storage_moves/abc`)
    expect([wrong.status, wrong.body.error]).toEqual([400, 'repository_storage_id is invalid'])
    expect((await root.get(`/${kind}_repository_storage_moves/987654`)).body).toEqual({ message: '404 Not found' })
  }
})

test('a clone that runs during the switch completes from the former files', async () => {
  const { root } = two.server
  const project = await two.server.make.project('cloned', owner)
  await two.hands.push(owner, 'owner/cloned', ['one'])
  const row = await two.rowOf('project_id', project.id)
  const mark = two.at('default', row)
  await mkdir(`${mark.directory}/fetches`, { recursive: true })
  await writeFile(`${mark.directory}/fetches/held`, '')
  const moves = `/projects/${project.id}/repository_storage_moves`
  const { body } = await root.post(moves, { destination_storage_name: 'storage2' })
  const state = async () => (await root.get(`${moves}/${body.id}`)).body.state
  await expect.poll(state).toBe('replicated')
  const cleaning = async () =>
    (await storedJobs(two.server.app.platform.database, { kind: 'storage_moves.clean_up' }))[0]
  await expect.poll(async () => (await cleaning())?.state).toBe('running')
  expect(await mark.exists()).toBe(true)
  await using folder = await temporaryDirectory()
  expect((await git(folder.path, 'clone', '--quiet', two.hands.address(owner, 'owner/cloned'), 'here')).code).toBe(0)
  expect(await mark.exists()).toBe(true)
  await rm(`${mark.directory}/fetches/held`)
  expect(await two.ended(`${moves}/${body.id}`)).toBe('finished')
  expect(await mark.exists()).toBe(false)
})
