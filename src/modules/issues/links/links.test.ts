import { describe, expect, test } from 'vitest'
import { queriesOf } from '../../../testing/index.ts'
import { at, createdIssue, people, project, serveIssuesForTests, server } from '../testing.ts'

serveIssuesForTests({ path: 'linked' })

const to = ({ project_id, iid }: { project_id: number; iid: number }) => ({
  target_project_id: project_id,
  target_issue_iid: iid,
})

/** Two new issues of the guest. */
async function pair() {
  return [await createdIssue(people.guest, project), await createdIssue(people.guest, project)] as const
}

describe('a link', () => {
  test('is seen from both issues, counts as blocking, and is removed', async () => {
    const [one, other] = await pair()
    const made = await people.guest.post(`${at}/${one.iid}/links`, { ...to(other), link_type: 'blocks' })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      ...{ link_type: 'blocks', source_issue: { iid: one.iid }, target_issue: { iid: other.iid } },
    })
    expect(made.body.source_issue).not.toHaveProperty('references')
    const linked = await people.guest.get(`${at}/${other.iid}/links`)
    expect(linked.body).toEqual([
      expect.objectContaining({ iid: one.iid, issue_link_id: made.body.id, link_type: 'is_blocked_by' }),
    ])
    expect((await people.guest.get(`${at}/${one.iid}`)).body.blocking_issues_count).toBe(1)
    await people.guest.put(`${at}/${other.iid}`, { state_event: 'close' })
    expect((await people.guest.get(`${at}/${one.iid}`)).body.blocking_issues_count).toBe(0)
    const got = await people.guest.get(`${at}/${other.iid}/links/${made.body.id}`)
    expect(got.body).toMatchObject({ link_type: 'is_blocked_by', source_issue: { iid: other.iid } })
    const removed = await people.guest.delete(`${at}/${one.iid}/links/${made.body.id}`)
    expect([removed.status, removed.body.id]).toEqual([200, made.body.id])
    expect((await people.guest.get(`${at}/${one.iid}/links`)).body).toEqual([])
    const notes = await server.app.platform.database.read
      .selectFrom('notes')
      .select('body')
      .where('noteable_id', 'in', [one.id, other.id])
      .where('system', '=', true)
      .orderBy('id')
      .execute()
    expect(notes.map(({ body }) => body)).toEqual([
      `marked this issue as blocking #${other.iid}`,
      `marked this issue as blocked by #${one.iid}`,
      `removed the relation with #${other.iid}`,
      `removed the relation with #${one.iid}`,
    ])
  })

  test('exists once, in either direction, also for parallel requests', async () => {
    const [one, other] = await pair()
    const answers = await Promise.all([
      people.guest.post(`${at}/${one.iid}/links`, to(other)),
      people.guest.post(`${at}/${other.iid}/links`, { ...to(one), link_type: 'is_blocked_by' }),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
    const again = await people.guest.post(`${at}/${one.iid}/links`, { ...to(other), link_type: 'blocks' })
    expect([again.status, again.body]).toEqual([409, { message: 'Issue(s) already assigned' }])
  })

  test('to an issue that the caller cannot read does not exist', async () => {
    const [one, other] = await pair()
    const made = await people.guest.post(`${at}/${one.iid}/links`, to(other))
    const hidden = await createdIssue(people.maintainer, project, { confidential: true })
    const secret = await people.maintainer.post(`${at}/${hidden.iid}/links`, to(one))
    expect((await people.guest.get(`${at}/${one.iid}/links`)).body).toHaveLength(1)
    expect((await people.reporter.get(`${at}/${one.iid}/links`)).body).toHaveLength(2)
    expect((await people.guest.get(`${at}/${one.iid}/links/${secret.body.id}`)).status).toBe(404)
    const third = await createdIssue(people.guest, project)
    expect((await people.guest.get(`${at}/${third.iid}/links/${made.body.id}`)).body).toEqual({
      message: '404 Not found',
    })
    expect((await server.anonymous.get(`${at}/${one.iid}/links`)).status).toBe(401)
  })

  test.each([
    [{}, 400, { error: 'target_project_id is missing, target_issue_iid is missing' }],
    [{ target_project_id: 'x/y', target_issue_iid: 1 }, 404, { message: '404 Project Not Found' }],
    [{ target_project_id: 'owner/linked', target_issue_iid: 9_999 }, 404, { message: '404 Not found' }],
    [
      { target_project_id: 'owner/linked', target_issue_iid: 1, link_type: 'x' },
      400,
      { error: 'link_type does not have a valid value' },
    ],
  ])('with %j is refused', async (given, status, body) => {
    const one = await createdIssue(people.guest, project)
    expect(await people.guest.post(`${at}/${one.iid}/links`, given)).toMatchObject({ status, body })
  })

  test('to itself is refused, and others may not link or unlink', async () => {
    const [one, other] = await pair()
    const own = await people.guest.post(`${at}/${one.iid}/links`, to(one))
    const message = 'No matching issue found. Make sure that you are adding a valid issue URL.'
    expect([own.status, own.body]).toEqual([404, { message }])
    const made = await people.guest.post(`${at}/${one.iid}/links`, to(other))
    const reader = await server.user('link-reader')
    await server.make.member({ project }, reader, 10)
    expect((await reader.post(`${at}/${one.iid}/links`, to(other))).status).toBe(403)
    const refused = await reader.delete(`${at}/${one.iid}/links/${made.body.id}`)
    expect([refused.status, refused.body]).toEqual([404, { message: 'No Issue Link found' }])
  })

  test('takes as many queries for a list of one as for many', async () => {
    const [one, other] = await pair()
    await people.guest.post(`${at}/${one.iid}/links`, to(other))
    const queries = () => queriesOf(server, () => people.guest.get(`${at}/${one.iid}/links`))
    const before = await queries()
    for (let number = 0; number < 4; number += 1) {
      await people.guest.post(`${at}/${one.iid}/links`, to(await createdIssue(people.guest, project)))
    }
    expect(await queries()).toBe(before)
  })
})
