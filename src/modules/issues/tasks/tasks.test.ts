import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { at, createdIssue, people, project, serveIssuesForTests } from '../testing.ts'

serveIssuesForTests({ path: 'tasks' })

const description = '- [ ] one\n- [x] two\n\n```\n- [ ] code\n```\n1. [ ] three'

test('x.issue_task_update changes the task in a line', async () => {
  const { iid } = await createdIssue(people.guest, project, { description })
  const change = (line: number, given: object = {}) => people.guest.put(`${at}/${iid}/tasks/${line}`, given)
  expect((await change(7)).body).toMatchObject({
    description: description.replace('[ ] three', '[x] three'),
    task_status: '2 of 3 checklist items completed',
  })
  expect((await change(7, { completed: true })).body.task_status).toBe('2 of 3 checklist items completed')
  expect((await change(2)).body.description).toContain('- [ ] two')
  for (const line of [3, 5, 8])
    expect(await change(line)).toMatchObject({ status: 404, body: { message: '404 Task Not Found' } })
})

test('x.issue_task_update is refused to those who may not change the issue, and for another description', async () => {
  const { iid } = await createdIssue(people.owner, project, { description })
  const path = `${at}/${iid}/tasks/1`
  expect((await people.guest.put(path)).status).toBe(403)
  const description_sha256 = createHash('sha256').update(description).digest('hex')
  expect((await people.reporter.put(path, { description_sha256 })).status).toBe(200)
  expect((await people.reporter.put(path, { description_sha256 })).status).toBe(409)
})
