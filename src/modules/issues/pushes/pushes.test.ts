import { expect, test } from 'vitest'
import { openWorkTree, projectWithMembers } from '../../../testing/index.ts'
import { createdIssue, issuesOf, people, serveIssuesForTests, server } from '../testing.ts'

serveIssuesForTests({ path: 'pushes' })

test('commits on the default branch close issues with closing words, and mention others', async () => {
  const { project } = await projectWithMembers(server, { people, path: 'closing' })
  const at = issuesOf(project)
  for (let number = 0; number < 6; number += 1) await createdIssue(people.owner, project)
  const state = async (iid: number) => (await people.owner.get(`${at}/${iid}`)).body.state
  await using tree = await openWorkTree(server, project)
  await tree.commit('Closes #6')
  await tree.push(people.owner, 'main')
  await tree.run('checkout', '--quiet', '-b', 'other')
  await tree.commit('Fixes #5')
  await tree.push(people.owner, 'other')
  await tree.run('checkout', '--quiet', 'main')
  await tree.commit(`Implements: #1, #2 and owner/closing#3\n\nSee #4`)
  const sha = await tree.run('rev-parse', 'main')
  await tree.push(people.maintainer, 'main')
  await server.app.platform.jobs.drain()
  expect(await Promise.all([1, 2, 3, 4, 5, 6].map(state))).toEqual([
    ...['closed', 'closed', 'closed', 'opened', 'opened', 'opened'],
  ])
  const events = (await people.owner.get(`${at}/1/resource_state_events`)).body
  expect(events).toMatchObject([{ state: 'closed', source_commit: sha, user: { username: 'maintainer' } }])
  const notes = (await people.owner.get(`${at}/4/notes`)).body
  expect(notes.map(({ body }: { body: string }) => body)).toEqual([`mentioned in commit ${sha}`])
  await people.owner.put(`/projects/${project.id}`, { autoclose_referenced_issues: false })
  await tree.commit('Resolve #4')
  await tree.push(people.owner, 'main')
  await server.app.platform.jobs.drain()
  expect(await state(4)).toBe('opened')
})

test('issues that the pusher may not change stay open', async () => {
  const { project } = await projectWithMembers(server, { people, path: 'pushed' })
  const other = await projectWithMembers(server, { people, path: 'foreign', visibility: 'public' })
  const outsider = await server.user('pusher')
  await server.make.member({ project }, outsider, 40)
  const { iid } = await createdIssue(people.owner, other.project)
  await using tree = await openWorkTree(server, project)
  await tree.commit('first')
  await tree.push(people.owner, 'main')
  await tree.commit(`Closes owner/foreign#${iid}`)
  expect((await tree.push(outsider, 'main')).isAccepted).toBe(true)
  await server.app.platform.jobs.drain()
  expect((await people.owner.get(`${issuesOf(other.project)}/${iid}`)).body.state).toBe('opened')
})
