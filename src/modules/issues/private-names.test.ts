/** What names an issue or a merge request is shown only to those who may read that one (contract 16, "Rules"; contract 18). */
import { describe, expect, test } from 'vitest'
import { projectWithTwoCommits } from '../../testing/index.ts'
import { actingUser, userById } from '../users/index.ts'
import { exportedIssues } from './export/lines.ts'
import { at, createdIssue, issuesOf, people, project, serveIssuesForTests, server } from './testing.ts'

serveIssuesForTests({ path: 'open', visibility: 'public' })

type Reader = typeof people.guest

/** Texts of the notes of an issue, as a caller sees them in both lists. */
async function bodies(reader: Reader, path: string): Promise<string[]> {
  const notes: { body: string }[] = (await reader.get(`${path}/notes?sort=asc`)).body
  const discussions: { notes: { body: string }[] }[] = (await reader.get(`${path}/discussions`)).body
  const shown = notes.map(({ body }) => body)
  expect(discussions.flatMap(({ notes: own }) => own.map(({ body }) => body))).toEqual(shown)
  return shown
}

/** A private project of the owner alone. */
const secretProject = async (path: string) => {
  const namespace = await server.make.group(`${path}-hidden`, people.owner)
  return server.make.project(path, people.owner, { namespace })
}

describe('a system note', () => {
  test('about a link is shown to who may read the other issue', async () => {
    const secret = await secretProject('linking')
    const issue = await createdIssue(people.owner, project)
    const hidden = await createdIssue(people.owner, project, { confidential: true })
    const far = await createdIssue(people.owner, secret)
    const path = `${at}/${issue.iid}`
    for (const [other, link_type] of [
      [hidden, 'relates_to'],
      [far, 'blocks'],
    ] as const) {
      const link = { target_project_id: other.project_id, target_issue_iid: other.iid, link_type }
      const made = await people.owner.post(`${path}/links`, link)
      expect(made.status).toBe(201)
      await people.owner.delete(`${path}/links/${made.body.id}`)
    }
    const all = [
      `marked this issue as related to #${hidden.iid}`,
      `removed the relation with #${hidden.iid}`,
      `marked this issue as blocking linking-hidden/linking#${far.iid}`,
      `removed the relation with linking-hidden/linking#${far.iid}`,
    ]
    expect(await bodies(people.owner, path)).toEqual(all)
    expect(await bodies(people.reporter, path)).toEqual(all.slice(0, 2))
    expect(await bodies(people.guest, path)).toEqual([])
    await people.owner.delete(`${issuesOf(secret)}/${far.iid}`)
    expect(await bodies(people.owner, path)).toEqual(all.slice(0, 2))
  })

  test('about a move or a clone is shown to who may read the other project, as is moved_to_id', async () => {
    const secret = await secretProject('moving')
    const issue = await createdIssue(people.owner, project)
    const path = `${at}/${issue.iid}`
    const twin = (await people.owner.post(`${path}/clone`, { to_project_id: secret.id })).body
    const moved = (await people.owner.post(`${path}/move`, { to_project_id: secret.id })).body
    const all = [`cloned to moving-hidden/moving#${twin.iid}`, `moved to moving-hidden/moving#${moved.iid}`]
    expect(await bodies(people.owner, path)).toEqual(all)
    expect(await bodies(people.reporter, path)).toEqual([])
    expect((await people.owner.get(path)).body.moved_to_id).toBe(moved.id)
    for (const reader of [people.reporter, server.anonymous]) {
      expect((await reader.get(path)).body.moved_to_id).toBeNull()
      const listed: { iid: number }[] = (await reader.get(`${at}?scope=all`)).body
      expect(listed.find(({ iid }) => iid === issue.iid)).toMatchObject({ moved_to_id: null })
    }
    const noteIds: { id: number }[] = (await people.owner.get(`${path}/notes`)).body
    for (const { id } of noteIds) expect((await people.reporter.get(`${path}/notes/${id}`)).status).toBe(404)
  })

  test('keeps what it names when it is copied, and when the project with that is removed', async () => {
    const secret = await secretProject('copying')
    const target = await server.make.project('copies', people.owner, { visibility: 'public' })
    const issue = await createdIssue(people.owner, project)
    await createdIssue(people.owner, secret, { description: `See owner/open#${issue.iid}` })
    const mention = 'mentioned in issue copying-hidden/copying#1'
    expect(await bodies(people.owner, `${at}/${issue.iid}`)).toEqual([mention])
    const moved = (await people.owner.post(`${at}/${issue.iid}/move`, { to_project_id: target.id })).body
    const copy = `${issuesOf(target)}/${moved.iid}`
    expect(await bodies(people.owner, copy)).toContain(mention)
    expect(await bodies(people.reporter, copy)).not.toContain(mention)
    expect((await people.owner.delete(`/projects/${secret.id}`)).status).toBe(202)
    const { path_with_namespace: path } = (await server.root.get(`/projects/${secret.id}`)).body
    const now = await people.owner.delete(`/projects/${secret.id}?permanently_remove=true&full_path=${path}`)
    expect(now.status).toBe(202)
    await server.app.platform.jobs.drain()
    expect((await server.root.get(`/projects/${secret.id}`)).status).toBe(404)
    for (const reader of [people.owner, people.reporter]) expect(await bodies(reader, copy)).not.toContain(mention)
  })

  test('is in an export of the project only where who exports may read what it names', async () => {
    const secret = await secretProject('exporting')
    const issue = await createdIssue(people.owner, project, { title: 'exported' })
    await people.owner.post(`${at}/${issue.iid}/clone`, { to_project_id: secret.id })
    const { platform } = server.app
    const notesFor = async (person: { id: number }) => {
      const row = await userById(platform.database.read, person.id)
      const actor = row && actingUser(platform, row)
      const portable = { kind: 'project', id: project.id, namespaceId: project.namespace_id, actor }
      const lines: Record<string, unknown>[] = []
      for await (const part of exportedIssues(platform, platform.database.read, portable as never)) lines.push(...part)
      const notes = lines.find(({ title }) => title === 'exported')?.notes as { note: string }[]
      return notes.map(({ note }) => note)
    }
    expect(await notesFor(people.owner)).toEqual(['cloned to exporting-hidden/exporting#1'])
    expect(await notesFor(people.maintainer)).toEqual([])
  })
})

test('an event of a state names the merge request that closed the issue to who may read it', async () => {
  await using own = await projectWithTwoCommits(server, { people, path: 'closing', visibility: 'public' })
  const issue = await createdIssue(people.owner, own.project)
  const branch = { branch: 'topic', start_branch: 'main', commit_message: 'Topic' }
  const actions = [{ action: 'create', file_path: 'topic', content: 'x' }]
  await people.owner.post(`${own.base}/repository/commits`, { ...branch, actions })
  const request = { source_branch: 'topic', target_branch: 'main', title: 'Fix', description: `Closes #${issue.iid}` }
  const made = (await people.owner.post(`${own.base}/merge_requests`, request)).body
  const merge = async () => (await people.owner.put(`${own.base}/merge_requests/${made.iid}/merge`)).status
  await expect.poll(merge).toBe(200)
  const path = `${own.base}/issues/${issue.iid}/resource_state_events`
  const sourceFor = async (reader: Reader) => (await reader.get(path)).body.at(-1)?.source_merge_request_id
  await expect.poll(() => sourceFor(people.owner)).toBe(made.id)
  const stranger = await server.user('stranger')
  expect(await sourceFor(stranger)).toBe(made.id)
  await people.owner.put(own.base, { merge_requests_access_level: 'private' })
  expect([await sourceFor(stranger), await sourceFor(people.guest)]).toEqual([null, made.id])
})

test('an event of a state names the commit that closed the issue to who may read the code', async () => {
  await using own = await projectWithTwoCommits(server, { people, path: 'committing', visibility: 'public' })
  const issue = await createdIssue(people.owner, own.project)
  const commit = { branch: 'main', commit_message: `Closes #${issue.iid}` }
  const actions = [{ action: 'create', file_path: 'topic', content: 'x' }]
  const { id: sha } = (await people.owner.post(`${own.base}/repository/commits`, { ...commit, actions })).body
  await server.app.platform.jobs.drain()
  const path = `${own.base}/issues/${issue.iid}/resource_state_events`
  const sourceFor = async (reader: Reader) => (await reader.get(path)).body.at(-1)?.source_commit
  const stranger = await server.user('reader')
  expect(await sourceFor(stranger)).toBe(sha)
  await people.owner.put(own.base, { repository_access_level: 'private' })
  expect([await sourceFor(stranger), await sourceFor(people.guest)]).toEqual([null, sha])
})
