import { afterAll, beforeAll, expect, test } from 'vitest'
import { imported, importStream, makePeople, startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
let path: string

beforeAll(async () => {
  server = await startTestServer()
  const { owner } = await makePeople(server)
  const file: [string, string, string] = ['100644', '.gitlab/issue_templates/incident.md', '## Checklist']
  const project = await imported(server, owner, 'p', importStream([{ message: 'm', branch: 'main', files: [file] }]))
  path = `/projects/${project.id}/alert_management_settings`
})
afterAll(() => server.stop())

const put = (body: unknown) => server.root.put(path, body)

test('settings have defaults, and change one by one', async () => {
  const defaults = {
    create_issue: false,
    issue_template_key: null,
    send_email: false,
    auto_close_incident: true,
    automatic_fingerprinting: true,
  }
  expect(await server.root.get(path)).toMatchObject({ status: 200, body: defaults })
  expect((await put({})).body).toEqual(defaults)
  expect((await put({ create_issue: true })).body).toEqual({ ...defaults, create_issue: true })
  const all = { create_issue: false, send_email: true, auto_close_incident: false, issue_template_key: 'incident' }
  expect((await put(all)).body).toEqual({ ...defaults, ...all })
  expect((await server.root.get(path)).body).toEqual({ ...defaults, ...all })
  expect((await put({ issue_template_key: null, automatic_fingerprinting: false })).body).toEqual({
    ...defaults,
    ...all,
    issue_template_key: null,
  })
  // At the same time, no change is lost.
  await put({ create_issue: false, send_email: false })
  await Promise.all([put({ create_issue: true }), put({ send_email: true })])
  expect((await server.root.get(path)).body).toMatchObject({ create_issue: true, send_email: true })
})

test.each(['create_issue', 'send_email', 'auto_close_incident'])('%s is a boolean', async (name) => {
  expect(await put({ [name]: 'maybe' })).toMatchObject({ status: 400, body: { error: `${name} is invalid` } })
})

test.each(['none', '../issue_templates/incident', 'a/b', '..', ' ', 'x'.repeat(300), 'incident.md', '\\'])(
  'the template %j does not exist',
  async (key) => {
    expect(await put({ issue_template_key: key })).toMatchObject({
      status: 400,
      body: { message: { issue_template_key: ['not found'] } },
    })
  },
)
