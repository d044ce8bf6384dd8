import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { branchRef, type RefName, zeroOid } from '../../infra/git/index.ts'
import {
  changeRefs,
  outsideGate,
  RefRefused,
  RepositoryMoving,
  untilSettled,
} from '../../platform/repositories/index.ts'
import { git, makeHistory, type Person, queriesOf, sshGit, sshKeyPair, sshUrl } from '../../testing/index.ts'
import { storedJobs } from '../../testing/jobs.ts'
import { makeSnippet } from '../snippets/testing.ts'
import { startWithTwoStorages, type TwoStorages } from './testing.ts'

vi.setConfig({ testTimeout: 120_000 })

const patiently = { interval: 25 }
const readOnly = 'The repository is temporarily read-only. Please try again later.'

let two: TwoStorages
let owner: Person
beforeAll(async () => {
  two = await startWithTwoStorages()
  owner = await two.server.user('owner')
})
afterAll(() => two.stop())

/** A project with a commit, and its repository. */
async function makeProject(name: string) {
  const { id } = await two.server.make.project(name, owner)
  await two.hands.push(owner, `owner/${name}`, ['one'])
  return {
    id,
    path: `owner/${name}`,
    row: await two.rowOf('project_id', id),
    moves: `/projects/${id}/repository_storage_moves`,
  }
}

/** Moves a project to the other storage. @returns the final state */
async function move(moves: string): Promise<string> {
  const { status, body } = await two.server.root.post(moves, { destination_storage_name: 'storage2' })
  expect(status).toBe(201)
  return two.ended(`${moves}/${body.id}`)
}

describe('a move that cannot be completed', () => {
  test('leaves the repository where it was, and writable', async () => {
    const blocked = await makeProject('blocked')
    const damaged = await makeProject('damaged')
    const place = dirname(dirname(two.at('storage2', blocked.row).directory))
    await mkdir(dirname(place), { recursive: true })
    await rm(place, { recursive: true, force: true })
    await writeFile(place, 'in the way')
    expect(await move(blocked.moves)).toBe('failed')
    await rm(place)
    const [head] = await two.at('default', damaged.row).tips([branchRef('main') as RefName])
    await rm(join(two.at('default', damaged.row).directory, 'objects', head!.slice(0, 2), head!.slice(2)))
    expect(await move(damaged.moves)).toBe('failed')
    for (const { id, row } of [blocked, damaged]) {
      expect(await two.rowOf('project_id', id)).toMatchObject({ storage: 'default', read_only: false })
      expect(await two.at('storage2', row).exists()).toBe(false)
    }
    expect((await two.hands.tryPush(owner, blocked.path)).code).toBe(0)
    expect(await move(blocked.moves)).toBe('finished')
  })

  test('has moved when only the former files could not be deleted', async () => {
    const { id, row, moves, path } = await makeProject('kept')
    const { git: storages } = two.server.app.platform
    const { repository } = storages
    const kept = two.at('default', row).directory
    storages.repository = (location) => {
      const found = repository(location)
      return found.directory === kept ? { ...found, remove: () => Promise.reject(new Error('a disk error')) } : found
    }
    expect(await move(moves)).toBe('cleanup failed')
    storages.repository = repository
    expect(await two.rowOf('project_id', id)).toMatchObject({ storage: 'storage2', read_only: false })
    expect((await two.hands.tryPush(owner, path)).code).toBe(0)
    // The next move puts its copy in place of what is left.
    const back = await two.server.root.post(moves, { destination_storage_name: 'default' })
    expect(await two.ended(`${moves}/${back.body.id}`)).toBe('finished')
    expect((await two.hands.lsRemote(owner, path)).includes('refs/heads/another')).toBe(true)
  })

  test('fails also within one storage when the repository is missing', async () => {
    const { id, row, moves } = await makeProject('missing')
    await rm(two.at('default', row).directory, { recursive: true })
    for (const destination_storage_name of ['default', 'storage2']) {
      const { body } = await two.server.root.post(moves, { destination_storage_name })
      expect(await two.ended(`${moves}/${body.id}`)).toBe('failed')
    }
    expect(await two.rowOf('project_id', id)).toMatchObject({ storage: 'default', read_only: false })
  })

  test('fails when a push does not end', async () => {
    const { row } = await makeProject('pushing')
    const release = await two.holdOpen(row.id)
    const options = { timeoutMs: 0, signal: new AbortController().signal }
    expect(await untilSettled(two.server.app.platform, [row], options)).toMatchObject({ id: row.id })
    await release()
    expect(await untilSettled(two.server.app.platform, [row], options)).toBeNull()
  })
})

describe('a process that died', () => {
  /** Leaves a move as a killed process does. */
  async function abandoned(projectId: number, state: 'started' | 'replicated', changes: object) {
    const { database, clock } = two.server.app.platform
    return database.write(async (tx) => {
      await tx.updateTable('repositories').set(changes).where('project_id', '=', projectId).execute()
      const storages = { source_storage_name: 'default', destination_storage_name: 'storage2' }
      const row = { container_id: projectId, state, ...storages, created_at: clock.now().toISOString() }
      return (await tx.insertInto('project_storage_moves').values(row).returning('id').executeTakeFirstOrThrow()).id
    })
  }

  test('during the copy: the move has failed, and the copy is deleted', async () => {
    const { id, row, moves } = await makeProject('copying')
    await two.at('storage2', row).mirrorFrom(two.at('default', row))
    const moveId = await abandoned(id, 'started', { read_only: true })
    const sources = [{ storage: row.storage, disk_path: row.disk_path }]
    await two.hands.run('storage_moves.move', { kind: 'project', moveId, destination: 'storage2', sources })
    expect((await two.server.root.get(`${moves}/${moveId}`)).body.state).toBe('failed')
    expect(await two.rowOf('project_id', id)).toMatchObject({ storage: 'default', read_only: false })
    expect([await two.at('default', row).exists(), await two.at('storage2', row).exists()]).toEqual([true, false])
    // The job runs again, after the end of the move.
    await two.hands.run('storage_moves.move', { kind: 'project', moveId, destination: 'storage2', sources })
    expect(await two.at('default', row).exists()).toBe(true)
  })

  test('after the switch: the former files are deleted', async () => {
    const { id, row, moves } = await makeProject('cleaning')
    await two.at('storage2', row).mirrorFrom(two.at('default', row))
    const moveId = await abandoned(id, 'replicated', { storage: 'storage2' })
    const places = [{ storage: 'default', disk_path: row.disk_path }]
    const payload = { kind: 'project', moveId, places, since: two.server.app.platform.clock.now().toISOString() }
    await two.hands.run('storage_moves.clean_up', payload)
    expect((await two.server.root.get(`${moves}/${moveId}`)).body.state).toBe('finished')
    expect([await two.at('default', row).exists(), await two.at('storage2', row).exists()]).toEqual([false, true])
    // Never the place that a row names.
    await two.hands.run('storage_moves.clean_up', { ...payload, places: [{ ...places[0], storage: 'storage2' }] })
    expect(await two.at('storage2', row).exists()).toBe(true)
  })

  test('and a container that was deleted leave no copy', async () => {
    const { row } = await makeProject('orphan')
    const copy = { ...row, disk_path: row.disk_path.replace(/[0-9a-f]{8}\.git$/, '00000000.git') }
    await two.at('storage2', copy).mirrorFrom(two.at('default', row))
    const sources = [{ storage: 'default', disk_path: copy.disk_path }]
    await two.hands.run('storage_moves.move', { kind: 'project', moveId: 987654, destination: 'storage2', sources })
    expect(await two.at('storage2', copy).exists()).toBe(false)
  })
})

test('a snippet that is deleted during its move leaves nothing', async () => {
  const snippet = await makeSnippet(owner)
  // A job of its first commit that finds it moving is repeated later.
  await two.server.app.platform.jobs.drain()
  const row = await two.rowOf('snippet_id', snippet.id)
  const release = await two.holdOpen(row.id)
  const { body } = await two.server.root.post(`/snippets/${snippet.id}/repository_storage_moves`, {
    destination_storage_name: 'storage2',
  })
  const refused = await owner.put(`/snippets/${snippet.id}`, {
    files: [{ action: 'update', file_path: 'a.txt', content: 'B' }],
  })
  expect(refused).toMatchObject({ status: 403, body: { message: `403 Forbidden - ${readOnly}` } })
  expect((await owner.delete(`/snippets/${snippet.id}`)).status).toBe(204)
  await release()
  await expect
    .poll(async () => storedJobs(two.server.app.platform.database, { state: 'pending' }), patiently)
    .toEqual([])
  // A job that runs is not pending any more.
  for (const storage of ['default', 'storage2'])
    await expect.poll(() => two.at(storage, row).exists(), patiently).toBe(false)
  expect((await two.server.root.get(`/snippet_repository_storage_moves/${body.id}`)).status).toBe(404)
})

test('while a project moves, every way of writing is refused and reading goes on', async () => {
  const { root, app } = two.server
  const { id, row, path, moves } = await makeProject('busy')
  await two.hands.push(owner, path, ['other'], ['main:refs/heads/merged'])
  const release = await two.holdOpen(row.id)
  const { body } = await root.post(moves, { destination_storage_name: 'storage2' })
  const repository = `/projects/${id}/repository`
  const sentence = { status: 400, body: { message: readOnly } }
  const file = { branch: 'main', commit_message: 'no', content: 'no' }
  const actions = [{ action: 'create', file_path: 'x', content: 'x' }]
  expect(await owner.post(`${repository}/branches`, { branch: 'b', ref: 'main' })).toMatchObject(sentence)
  expect(await owner.delete(`${repository}/branches/merged`)).toMatchObject(sentence)
  expect(await owner.post(`${repository}/files/x`, file)).toMatchObject(sentence)
  expect(await owner.post(`${repository}/commits`, { branch: 'main', commit_message: 'no', actions })).toMatchObject(
    sentence,
  )
  expect(await owner.post(`${repository}/tags`, { tag_name: 'v1', ref: 'main' })).toMatchObject(sentence)
  expect(await owner.put(`/projects/${id}`, { default_branch: 'merged' })).toMatchObject(sentence)
  const wiki = await owner.post(`/projects/${id}/wikis`, { title: 'a', content: 'a' })
  expect(wiki).toMatchObject({ status: 403, body: { message: `403 Forbidden - ${readOnly}` } })
  const folder = await mkdtemp(join(tmpdir(), 'fennec-move-'))
  await makeHistory(folder, ['by ssh'])
  const pair = await sshKeyPair(folder, 'key')
  expect((await owner.post('/user/keys', { title: 'key', key: pair.publicKey })).status).toBe(201)
  const pushed = await sshGit(two.server, pair, folder, 'push', sshUrl(two.server, path), 'main:refs/heads/ssh')
  expect([pushed.code, pushed.stderr]).toEqual([128, expect.stringContaining(readOnly)])
  expect((await git(folder, 'clone', '--quiet', two.hands.address(owner, path), 'clone')).code).toBe(0)
  await rm(folder, { recursive: true, force: true })
  expect((await owner.get(`${repository}/archive.tar.gz`)).status).toBe(200)
  expect((await owner.post(`/projects/${id}/issues`, { title: 'works' })).status).toBe(201)
  await expect(outsideGate(app.platform, row, async () => {})).rejects.toThrow(RepositoryMoving)
  // Work in the background waits.
  expect((await owner.delete(`${repository}/merged_branches`)).status).toBe(202)
  const waiting = async () => (await storedJobs(app.platform.database, { kind: 'branches.delete_merged' }))[0]
  await expect.poll(waiting, patiently).toMatchObject({ state: 'pending', attempts: 0 })
  await release()
  expect(await two.ended(`${moves}/${body.id}`)).toBe('finished')
  await expect.poll(waiting, patiently).toBeUndefined()
  // What has opened the repository before the move cannot write to its former place.
  const change = { ref: branchRef('late') as RefName, old: zeroOid(), new: zeroOid() }
  await expect(changeRefs(app.platform, row, [change], { userId: owner.id, via: 'api' })).rejects.toThrow(RefRefused)
  await expect(outsideGate(app.platform, row, async () => {})).rejects.toThrow(RepositoryMoving)
  expect((await owner.post(`${repository}/branches`, { branch: 'b', ref: 'main' })).status).toBe(201)
})

test('a project that is being imported is not moved', async () => {
  const { id, moves } = await makeProject('importing')
  const set = (import_status: 'scheduled' | 'started' | 'finished') =>
    two.server.app.platform.database.write((tx) =>
      tx.updateTable('projects').set({ import_status }).where('id', '=', id).execute(),
    )
  for (const status of ['scheduled', 'started'] as const) {
    await set(status)
    expect(await two.server.root.post(moves, { destination_storage_name: 'storage2' })).toMatchObject({
      status: 400,
      body: { message: { project: ['is read-only'] } },
    })
  }
  await set('finished')
  expect(await move(moves)).toBe('finished')
})

test('the destination is chosen by weight, and is the source only without another one', async () => {
  const { root } = two.server
  const { moves } = await makeProject('weighed')
  const moveTo = async (weights: object) => {
    await root.put('/application/settings', { repository_storages_weighted: weights })
    const { body } = await root.post(moves)
    await two.ended(`${moves}/${body.id}`)
    return [body.source_storage_name, body.destination_storage_name]
  }
  expect(await moveTo({ default: 100, storage2: 1 })).toEqual(['default', 'storage2'])
  expect(await moveTo({ default: 0, storage2: 1 })).toEqual(['storage2', 'storage2'])
  expect(await moveTo({ default: 0, storage2: 0 })).toEqual(['storage2', 'default'])
  await root.put('/application/settings', { repository_storages_weighted: { default: 100 } })
})

test('lists take a constant number of queries', async () => {
  const { root } = two.server
  const snippet = await makeSnippet(owner)
  const places = {
    project: (await makeProject('counted')).id,
    snippet: snippet.id,
    group: (await two.server.make.group('counted', owner)).id,
  }
  for (const [kind, id] of Object.entries(places)) {
    const ofOne = `/${kind}s/${id}/repository_storage_moves`
    const counts: number[] = []
    for (const expected of [1, 3]) {
      while ((await root.get(ofOne)).body.length < expected) {
        const { body } = await root.post(ofOne, { destination_storage_name: 'default' })
        await two.ended(`${ofOne}/${body.id}`)
      }
      counts.push(await queriesOf(two.server, () => root.get(`${ofOne}?per_page=100`)))
    }
    expect(counts[1]).toBe(counts[0])
  }
})
