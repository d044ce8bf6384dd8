import { describe, expect, test } from 'vitest'
import { deliver, monitoringPayload } from '../../alerts/testing.ts'
import { at, createdIssue, people, project, serveIssuesForTests, server } from '../testing.ts'

serveIssuesForTests({ path: 'answering', visibility: 'public' })

describe('x.issue_user_agent', () => {
  test('shows administrators who created an issue', async () => {
    const { iid } = await createdIssue(people.guest, project)
    const path = `${at}/${iid}/user_agent_detail`
    const { status, body } = await server.root.get(path)
    expect([status, body]).toEqual([
      200,
      { user_agent: expect.any(String), ip_address: expect.any(String), akismet_submitted: false },
    ])
    expect((await people.owner.get(path)).status).toBe(403)
    const clone = await people.owner.post(`${at}/${iid}/clone`, { to_project_id: project.id })
    const none = await server.root.get(`${at}/${clone.body.iid}/user_agent_detail`)
    expect([none.status, none.body]).toEqual([404, { message: '404 UserAgentDetail Not Found' }])
  })
})

test.each(['related_merge_requests', 'closed_by'])('without merge requests %s is empty', async (list) => {
  const { iid } = await createdIssue(people.guest, project)
  expect(await server.anonymous.get(`${at}/${iid}/${list}`)).toMatchObject({ status: 200, body: [] })
  const hidden = await createdIssue(people.owner, project, { confidential: true })
  expect((await server.anonymous.get(`${at}/${hidden.iid}/${list}`)).body).toEqual({ message: '404 Not found' })
})

test('alerts open and close incidents, and closing or deleting an incident concerns its alert', async () => {
  const alerts = `/projects/${project.id}/alert_management_alerts`
  await people.owner.put(`/projects/${project.id}/alert_management_settings`, { create_issue: true })
  const { body: hook } = await people.owner.post(`/projects/${project.id}/alert_management_integrations`, { name: 'a' })
  const send = async (payload: object) => {
    await deliver(hook.url, hook.token, payload)
    await server.app.platform.jobs.drain()
  }
  await send({ title: 'Down', fingerprint: 'f1', severity: 'high' })
  const [incident] = (await people.owner.get(`${at}?issue_type=incident`)).body
  expect(incident).toMatchObject({ title: 'Down', severity: 'HIGH', author: { username: 'alert-bot' } })
  expect((await people.owner.get(`${alerts}/1`)).body).toMatchObject({ issue_iid: incident.iid })
  await send({ fingerprint: 'f1', end_time: '2030-01-01T00:00:00Z' })
  expect((await people.owner.get(`${at}/${incident.iid}`)).body).toMatchObject({
    ...{ state: 'closed', closed_by: { username: 'alert-bot' } },
  })
  await send({ title: 'Slow', fingerprint: 'f2' })
  const [second] = (await people.owner.get(`${at}?issue_type=incident&state=opened`)).body
  await people.reporter.put(`${at}/${second.iid}`, { state_event: 'close' })
  expect((await people.owner.get(`${alerts}/2`)).body).toMatchObject({ status: 'resolved' })
  await people.owner.delete(`${at}/${second.iid}`)
  expect((await people.owner.get(`${alerts}/2`)).body).toMatchObject({ issue_iid: null })
  const setIssues = (level: string) => people.owner.put(`/projects/${project.id}`, { issues_access_level: level })
  await setIssues('disabled')
  const refused = await people.developer.post(`${alerts}/2/incident`)
  expect([refused.status, refused.body]).toEqual([404, { message: '404 Not Found' }])
  expect((await people.owner.get(`${alerts}/2`)).body).toMatchObject({ issue_iid: null })
  await setIssues('enabled')
  const { body: opened } = await people.developer.post(`${alerts}/2/incident`)
  expect(opened).toMatchObject({ issue_type: 'incident', title: 'Slow', author: { username: 'developer' } })
  const labels = { alertname: 'Large' }
  const annotations = { gitlab_incident_markdown: 'ä'.repeat(520_000), description: 'x'.repeat(2_000) }
  const item = { startsAt: '2024-01-01T00:00:00Z', labels, annotations }
  await send(monitoringPayload([item]))
  const [{ description }] = (await people.owner.get(`${at}?issue_type=incident&search=Large&in=title`)).body
  expect(Buffer.byteLength(description)).toBeLessThanOrEqual(1_048_576)
  expect(description).toMatch(/ä$/)
  expect(description).not.toContain('x'.repeat(1_001))
})
