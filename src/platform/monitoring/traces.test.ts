import { expect, test, vi } from 'vitest'
import { idleKind, makeFailedJob } from '../../modules/background-jobs/testing.ts'
import { startReceiver, startTestServer } from '../../testing/index.ts'

type Attribute = { key: string; value: { stringValue?: string; intValue?: number } }
type Span = {
  name: string
  traceId: string
  parentSpanId?: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attribute[]
  status: { code: number }
}
type Sent = { resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Span[] }[] }[] }

const attributeOf = (attributes: Attribute[], name: string) => {
  const value = attributes.find(({ key }) => key === name)?.value
  return value?.stringValue ?? value?.intValue
}
const serverKind = 2
const consumerKind = 5

test('requests and jobs are spans, which a collector gets', async () => {
  await using collector = await startReceiver()
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` }
  const server = await startTestServer({ settings })
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const headers = { 'PRIVATE-TOKEN': server.rootToken, traceparent: `00-${traceId}-b7ad6b7169203331-01` }
  const answer = await fetch(`${server.url}/api/v4/user?private=secret-in-query`, { headers })
  await fetch(`${server.url}/api/v4/nothing`, { headers: { traceparent: 'hostile' } })
  const { database, jobs } = server.app.platform
  await database.write((tx) => jobs.enqueue(tx, idleKind, null))
  await jobs.drain()
  await server.stop()

  expect(new Set(collector.received.map(({ url }) => url))).toEqual(new Set(['/v1/traces']))
  const sent = collector.received.map(({ body }) => JSON.parse(body) as Sent)
  expect(JSON.stringify(sent)).not.toMatch(new RegExp(`${server.rootToken}|secret-in-query`))
  const [first] = sent
  expect(attributeOf(first?.resourceSpans[0]?.resource.attributes ?? [], 'service.name')).toBe('fennec')
  const spans = sent.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  )
  const user = spans.find(({ name }) => name === 'user.get')
  expect(user).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331', kind: serverKind, status: { code: 0 } })
  const names = ['http.request.method', 'http.response.status_code', 'fennec.request_id', 'user.id', 'client.address']
  expect(names.map((name) => attributeOf(user?.attributes ?? [], name))).toEqual([
    ...['GET', 200, answer.headers.get('x-request-id'), '1', '127.0.0.1'],
  ])
  expect(BigInt(user?.endTimeUnixNano ?? 0)).toBeGreaterThan(BigInt(user?.startTimeUnixNano ?? 0))
  const unknown = spans.find(({ name }) => name === 'none')
  expect(unknown?.traceId).not.toBe(traceId)
  expect(attributeOf(unknown?.attributes ?? [], 'http.response.status_code')).toBe(404)
  const job = spans.find(({ name }) => name === idleKind)
  expect(job).toMatchObject({ kind: consumerKind, status: { code: 0 } })
  expect(attributeOf(job?.attributes ?? [], 'fennec.attempt')).toBe(1)
})

test('a failed job is a failed span', async () => {
  await using collector = await startReceiver()
  const server = await startTestServer({ settings: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/spans` } })
  // A payload that the kind does not understand.
  const kind = 'web_hooks.deliver'
  await makeFailedJob(server, { kind, queue: 'web_hooks', state: 'pending', attempts: 0, last_error: null })
  await server.app.platform.jobs.drain()
  await server.stop()
  expect(new Set(collector.received.map(({ url }) => url))).toEqual(new Set(['/spans']))
  const failed = collector.received.find(({ body }) => body.includes(kind))
  expect(failed?.body).toMatch(/"code":2/)
})

test('a collector that is away keeps no server from serving and stopping', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '500')
  const server = await startTestServer({ settings: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' } })
  expect((await server.root.get('/user')).status).toBe(200)
  await server.stop()
  vi.unstubAllEnvs()
})
