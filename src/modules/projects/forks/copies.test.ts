import { describe, expect, test } from 'vitest'
import type { Person } from '../../../testing/index.ts'
import { storedJobs } from '../../../testing/jobs.ts'
import type { ProjectRow } from '../tables.ts'
import { fork, forked, forker, hands, owner, pushed, serveForTests, server, source } from './testing.ts'

serveForTests()

/** A fork whose copy has not come yet, as it is between the answer and the job. */
async function waiting(person: Person, project: ProjectRow, path: string) {
  const { database, jobs } = server.app.platform
  await jobs.drain()
  const { id } = await forked(person, project, { path, name: path })
  const stored = await hands.repositoryRow(id)
  await hands.change(id, { import_status: 'scheduled' })
  const unwritten = { generation: 0, read_only: true, size_bytes: 0, commit_count: 0 }
  await database.write((tx) => tx.updateTable('repositories').set(unwritten).where('id', '=', stored.id).execute())
  await hands.at(stored).remove()
  const payload = {
    projectId: id as number,
    sourceId: project.id,
    branch: null,
    storage: stored.storage,
    diskPath: stored.disk_path,
  }
  return { id: id as number, stored, payload }
}

describe('the job that copies a fork', () => {
  const kind = 'projects.copy_fork'

  test('does not change a finished fork when it runs again', async () => {
    const { id, payload } = await waiting(forker, source, 'again')
    await hands.run(kind, payload)
    expect((await hands.tryPush(forker, 'forker/again')).code).toBe(0)
    const before = await hands.lsRemote(forker, 'forker/again')
    await hands.run(kind, payload)
    expect(await hands.lsRemote(forker, 'forker/again')).toBe(before)
    expect((await hands.row(id))?.import_status).toBe('finished')
  })

  test('starts from the beginning after a killed process', async () => {
    const { id, stored, payload } = await waiting(forker, source, 'killed')
    await hands.at(stored).copyFrom(hands.at(await hands.repositoryRow(source.id)))
    await hands.change(id, { import_status: 'started' })
    await hands.run(kind, payload)
    expect((await hands.row(id))?.import_status).toBe('finished')
    expect(await hands.lsRemote(forker, 'forker/killed')).toBe(await hands.lsRemote(owner, 'owner/source'))
    expect(await hands.at(stored).fsck()).toMatchObject({ ok: true })
  })

  test('fills a fork that refuses pushes until then', async () => {
    const { id, payload } = await waiting(forker, source, 'watched')
    expect(await hands.lsRemote(forker, 'forker/watched')).toBe('')
    expect((await forker.get(`/projects/${id}/repository/branches`)).body).toEqual([])
    const push = await hands.tryPush(forker, 'forker/watched')
    expect(push.stderr).toContain('The repository is temporarily read-only. Please try again later.')
    await hands.run(kind, payload)
    expect(await hands.lsRemote(forker, 'forker/watched')).toContain('refs/heads/main')
    const branches = await forker.get(`/projects/${id}/repository/branches`)
    expect(branches.body.map(({ name }: { name: string }) => name)).toEqual(['main', 'side'])
    expect((await forker.get(`/projects/${id}`)).body).toMatchObject({ empty_repo: false, import_status: 'finished' })
  })

  test('reports a deleted source and leaves a usable project', async () => {
    const passing = await pushed('passing')
    const { id, payload } = await waiting(forker, passing, 'orphan')
    expect(await hands.lsRemote(forker, 'forker/orphan')).toBe('')
    await owner.delete(`/projects/${passing.id}`)
    await owner.delete(`/projects/${passing.id}?permanently_remove=true&full_path=owner/passing`)
    await server.app.platform.jobs.drain()
    await hands.run(kind, payload)
    const { body } = await forker.get(`/projects/${id}`)
    expect(body).toMatchObject({
      import_status: 'failed',
      import_error: 'The repository of the source project could not be copied',
      empty_repo: true,
    })
    expect(body).not.toHaveProperty('forked_from_project')
    expect((await forker.get(`/projects/${id}/repository/branches`)).body).toEqual([])
    expect((await hands.tryPush(forker, 'forker/orphan')).code).toBe(0)
    expect(await hands.lsRemote(forker, 'forker/orphan')).toContain('refs/heads/another')
  })

  test('leaves no files when the fork was deleted meanwhile', async () => {
    const { id, stored, payload } = await waiting(forker, source, 'deleted')
    await forker.delete(`/projects/${id}`)
    await forker.delete(`/projects/${id}?permanently_remove=true&full_path=forker/deleted`)
    await server.app.platform.jobs.drain()
    expect(await hands.row(id)).toBeNull()
    // As if it had been copied just after the files were removed, and the process killed then.
    await hands.at(stored).copyFrom(hands.at(await hands.repositoryRow(source.id)))
    await hands.run(kind, payload)
    expect(await hands.at(stored).exists()).toBe(false)
  })

  test('succeeds when the fork or its source is deleted concurrently', async () => {
    const { jobs, database } = server.app.platform
    const busy = await pushed('busy')
    const answer = await fork(forker, busy, { path: 'busy', name: 'busy' })
    await Promise.all([forker.delete(`/projects/${answer.body.id}`), owner.delete(`/projects/${busy.id}`)])
    await Promise.all([
      forker.delete(`/projects/${answer.body.id}?permanently_remove=true&full_path=forker/busy`),
      owner.delete(`/projects/${busy.id}?permanently_remove=true&full_path=owner/busy`),
    ])
    await jobs.drain()
    expect(await hands.row(answer.body.id)).toBeNull()
    expect(await hands.row(busy.id)).toBeNull()
    expect(await storedJobs(database)).toEqual([])
  })
})
