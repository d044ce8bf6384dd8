/** Of which events integrations are sent what they ask for: switches, branches, labels and states. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import type { TriggerName } from '../../hooks/index.ts'
import { type EventColumn, eventColumns } from '../catalogue/events.ts'
import type { EventPayload } from './payload.ts'
import { columnsOf, wants } from './wants.ts'

let server: TestServer
let projectId: number
beforeAll(async () => {
  server = await startTestServer()
  const owner = await server.user('owner')
  projectId = (await server.make.project('p', owner)).id
  const made = await owner.post(`/projects/${projectId}/protected_branches`, { name: 'stable' })
  expect(made.status).toBe(201)
})
afterAll(() => server.stop())

type Setting = Parameters<typeof wants>[1]
type Columns = Partial<Record<EventColumn, boolean>>
const switched = (isOn: boolean) =>
  Object.fromEntries(eventColumns.map((column) => [column, isOn])) as Record<EventColumn, boolean>

/** Whether an integration with these fields is sent an event; all its events are switched on unless told. */
const isSent = (
  trigger: TriggerName,
  payload: EventPayload = {},
  { slug = 'slack', fields = {}, columns = {} }: { slug?: string; fields?: object; columns?: Columns } = {},
) => {
  const row = { slug, fields: fields as Setting['fields'], ...switched(true), ...columns }
  const project = { name: 'p', web_url: '', path_with_namespace: '', default_branch: 'main', namespace: '' }
  return wants(server.app.platform, row, { trigger, projectId, payload: { project, ...payload } })
}

describe('an event is sent', () => {
  test.each(Object.entries(columnsOf))('where it is switched on: %s', async (name, columns) => {
    const trigger = name as TriggerName
    const about = { type: 'Incident', noteable_type: 'Commit', status: 'failed', ref: 'main' }
    const payload = { object_attributes: about, build_status: 'failed' }
    expect(await isSent(trigger, payload)).toBe(true)
    expect(await isSent(trigger, payload, { columns: switched(false) })).toBe(false)
    for (const column of columns) {
      const only = { ...switched(false), [column]: true }
      expect(await isSent(trigger, payload, { columns: only }), column).toBe(true)
    }
  })

  test('where the integration has it, and where anything asks for it', async () => {
    expect(await isSent('issue', {}, { slug: 'jenkins' })).toBe(false)
    expect(await isSent('issue', {}, { slug: 'unknown' })).toBe(false)
    expect(await isSent('release')).toBe(false)
  })

  test('of comments on commits alone where only these are switched on', async () => {
    const columns = { ...switched(false), commit_events: true }
    const ofNoteable = (noteable_type: string) => isSent('note', { object_attributes: { noteable_type } }, { columns })
    expect(await ofNoteable('Commit')).toBe(true)
    expect(await ofNoteable('Issue')).toBe(false)
  })

  test('of incidents alone where only these are switched on', async () => {
    const only = { columns: { ...switched(false), incident_events: true } }
    expect(await isSent('issue', { object_attributes: { type: 'Incident' } }, only)).toBe(true)
    expect(await isSent('issue', { object_attributes: { type: 'Issue' } }, only)).toBe(false)
    expect(await isSent('issue', {}, only)).toBe(false)
  })
})

describe('people are told', () => {
  const pipeline = (status: string): EventPayload => ({ object_attributes: { status } })

  test.each([
    ['created', false],
    ['running', false],
    ['success', true],
    ['failed', true],
    ['canceled', false],
  ])('of a pipeline that is %s: %s', async (status, expected) => {
    expect(await isSent('pipeline', pipeline(status))).toBe(expected)
    expect(await isSent('pipeline', pipeline(status), { slug: 'pipelines-email' })).toBe(expected)
  })

  test.each([
    ['running', false],
    ['success', true],
    ['failed', true],
    ['canceled', true],
  ])('of a job that is %s: %s', async (build_status, expected) => {
    expect(await isSent('job', { build_status })).toBe(expected)
  })

  test('of nothing that has no state', async () => {
    expect(await isSent('pipeline')).toBe(false)
    expect(await isSent('job')).toBe(false)
  })

  test.each<TriggerName>(['issue', 'confidential_issue', 'merge_request', 'note', 'confidential_note'])(
    'of no edit: %s',
    async (trigger) => {
      expect(await isSent(trigger, { object_attributes: { action: 'update' } })).toBe(false)
      expect(await isSent(trigger, { object_attributes: { action: 'open' } })).toBe(true)
      expect(await isSent(trigger, {})).toBe(true)
    },
  )

  test('of edited pages, as these are no objects', async () => {
    expect(await isSent('wiki_page', { object_attributes: { action: 'update' } })).toBe(true)
  })

  test('and programs of everything', async () => {
    const update = { object_attributes: { action: 'update' } }
    expect(await isSent('merge_request', update, { slug: 'jenkins' })).toBe(true)
    expect(await isSent('pipeline', pipeline('running'), { slug: 'datadog' })).toBe(true)
  })

  test('of broken pipelines alone where they want no others', async () => {
    const fields = { notify_only_broken_pipelines: true }
    expect(await isSent('pipeline', pipeline('success'), { fields })).toBe(false)
    expect(await isSent('pipeline', pipeline('failed'), { fields })).toBe(true)
    expect(await isSent('push', { ref: 'refs/heads/main' }, { fields })).toBe(true)
    const others = { fields: { notify_only_broken_pipelines: false } }
    expect(await isSent('pipeline', pipeline('success'), others)).toBe(true)
  })
})

describe('a rule of branches', () => {
  const pushed = (branch: string): EventPayload => ({ ref: `refs/heads/${branch}` })
  const rule = (branches_to_be_notified: string) => ({ fields: { branches_to_be_notified } })

  test.each([
    ['all', { main: true, stable: true, topic: true }],
    ['default', { main: true, stable: false, topic: false }],
    ['protected', { main: false, stable: true, topic: false }],
    ['default_and_protected', { main: true, stable: true, topic: false }],
  ])('is %s', async (name, expected) => {
    for (const [branch, isExpected] of Object.entries(expected)) {
      expect(await isSent('push', pushed(branch), rule(name)), branch).toBe(isExpected)
    }
  })

  test('is all unless it is chosen, also by its older name', async () => {
    expect(await isSent('push', pushed('topic'))).toBe(true)
    const onlyDefault = { fields: { notify_only_default_branch: true } }
    expect(await isSent('push', pushed('topic'), onlyDefault)).toBe(false)
    expect(await isSent('push', pushed('main'), onlyDefault)).toBe(true)
    expect(await isSent('push', pushed('topic'), { fields: { notify_only_default_branch: false } })).toBe(true)
    const both = { fields: { notify_only_default_branch: true, branches_to_be_notified: 'all' } }
    expect(await isSent('push', pushed('topic'), both)).toBe(true)
    expect(await isSent('push', pushed('topic'), { slug: 'emails-on-push' })).toBe(true)
  })

  test('is about branches alone', async () => {
    const failed = { status: 'failed' }
    const of = (trigger: TriggerName, payload: EventPayload) => isSent(trigger, payload, rule('default'))
    expect(await of('push', { ref: 'refs/tags/v1' })).toBe(true)
    expect(await of('push', {})).toBe(true)
    expect(await of('tag_push', pushed('topic'))).toBe(true)
    expect(await of('issue', { ref: 'topic' })).toBe(true)
    expect(await of('pipeline', { object_attributes: { ...failed, ref: 'topic' } })).toBe(false)
    expect(await of('pipeline', { object_attributes: { ...failed, ref: 'main' } })).toBe(true)
    expect(await of('pipeline', { object_attributes: { ...failed, ref: 'v1', tag: true } })).toBe(true)
    expect(await of('pipeline', { object_attributes: failed })).toBe(true)
    expect(await of('job', { build_status: 'failed', ref: 'topic' })).toBe(false)
    expect(await of('job', { build_status: 'failed', ref: 'refs/heads/main' })).toBe(true)
    expect(await of('job', { build_status: 'failed', ref: 'v1', tag: true })).toBe(true)
    expect(await of('deployment', { ref: 'topic' })).toBe(false)
    expect(await of('deployment', { ref: 'main' })).toBe(true)
  })

  test('is that of a project that exists', async () => {
    const row = { slug: 'slack', ...rule('protected'), ...switched(true) }
    const event = { trigger: 'push' as const, projectId: 0, payload: pushed('stable') }
    expect(await wants(server.app.platform, row, event)).toBe(false)
  })
})

describe('labels', () => {
  const titled = (...titles: string[]) => titles.map((title) => ({ title }))
  const wanting = (labels_to_be_notified: string, labels_to_be_notified_behavior?: string) => ({
    fields: { labels_to_be_notified, ...(labels_to_be_notified_behavior && { labels_to_be_notified_behavior }) },
  })
  const issue = (...titles: string[]): EventPayload => ({ object_kind: 'issue', labels: titled(...titles) })

  test.each([
    ['', undefined, [], true],
    [' , ', undefined, [], true],
    ['a', undefined, [], false],
    ['a', undefined, ['a'], true],
    ['a,b', undefined, ['b'], true],
    ['a,b', 'match_any', ['b'], true],
    ['a,b', 'match_all', ['b'], false],
    ['a,b', 'match_all', ['a', 'b', 'c'], true],
    [' ~a , ~"b c" ', 'match_all', ['a', 'b c'], true],
    ['a', undefined, ['A'], false],
  ])('%j, %s, of an issue with %j: %s', async (wanted, behaviour, titles, expected) => {
    expect(await isSent('issue', issue(...titles), wanting(wanted, behaviour))).toBe(expected)
  })

  test.each(['issue', 'work_item', 'merge_request', 'note'])('are those of an object: %s', async (object_kind) => {
    expect(await isSent('issue', { object_kind, labels: titled('b') }, wanting('a'))).toBe(false)
  })

  test('are those of what is commented', async () => {
    const of = (title: string) => ({ id: 1, title: '', labels: titled(title) })
    for (const [noted, expected] of [
      [{ issue: of('a') }, true],
      [{ issue: of('b') }, false],
      [{ merge_request: of('a') }, true],
      [{ merge_request: of('b') }, false],
      [{}, false],
    ] as const) {
      expect(await isSent('note', { object_kind: 'note', ...noted }, wanting('a'))).toBe(expected)
    }
  })

  test('do not count for what has none', async () => {
    expect(await isSent('push', { object_kind: 'push', ref: 'refs/heads/main' }, wanting('a'))).toBe(true)
    expect(await isSent('wiki_page', {}, wanting('a'))).toBe(true)
  })
})
