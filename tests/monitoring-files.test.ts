/** The files for Prometheus and Grafana in `deploy/monitoring`, compared with what a server shows. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { startTestServer, type TestServer } from '../src/testing/index.ts'

const read = (...names: string[]) => readFileSync(join(import.meta.dirname, '..', ...names), 'utf8')

type Rule = { alert: string; expr: string; for: string; labels: { severity: string }; annotations: object }
const rules: Rule[] = parse(read('deploy', 'monitoring', 'alerts.yaml')).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
)
type Panel = { title: string; targets: { expr: string }[] }
const dashboard: { panels: Panel[] } = JSON.parse(read('deploy', 'monitoring', 'grafana-dashboard.json'))

const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
]

/** What Prometheus itself adds: the metric of each job, and the labels of each sample. */
const ofPrometheus = { metric: 'up', labels: ['job', 'instance', 'le'] }
const functions = ['sum', 'rate', 'max', 'min', 'topk', 'histogram_quantile', 'by']

type Used = { metric: string; labels: string[] }

/** The metrics of an expression, each with the labels that are asked of it, those of `by` included. */
function metricsIn(expr: string): Used[] {
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/, */))
  const rest = expr.replaceAll(/\bby \([^)]*\)/g, '').replaceAll(/\[[^\]]*\](?![^{]*\})/g, '')
  return [...rest.matchAll(/\b([a-z]\w*)(?:\{([^}]*)\})?/g)]
    .filter(([, name = '']) => !functions.includes(name))
    .map(([, metric = '', selectors = '']) => {
      const asked = [...selectors.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label = '']) => label)
      return { metric, labels: [...asked, ...grouped] }
    })
}

/** The labels of each metric by its name, as a server shows them. */
let shown: Map<string, Set<string>>
let text: string
let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  await server.root.get('/user')
  const { body } = await server.root.post('/geo_sites', { name: 'away', url: 'http://away.test' })
  const { database } = server.app.platform
  const report = { node_id: body.id, status: '{}', reported_at: '2026-01-01T00:00:00.000Z' }
  await database.write((tx) => tx.insertInto('geo_node_statuses').values(report).execute())
  text = String((await server.anonymous.get('/-/metrics')).body)
  shown = new Map()
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-z]\w*)(?:\{(.*)\})? \S+$/gm)) {
    const known = shown.get(name) ?? new Set()
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label)
    shown.set(name, known)
  }
})
afterAll(() => server.stop())

test('the metrics of an expression are found, with their labels', () => {
  const expr = 'sum by (a, b) (rate(x_total{job="$job",s=~"5.."}[5m])) / max(y) > 0.5'
  expect(metricsIn(expr)).toEqual([
    { metric: 'x_total', labels: ['job', 's', 'a', 'b'] },
    { metric: 'y', labels: ['a', 'b'] },
  ])
})

describe('the expression', () => {
  test.each(expressions)('of %s is about metrics and labels that a server shows', (_, expr) => {
    const used = metricsIn(expr)
    expect(used).not.toEqual([])
    for (const { metric, labels } of used) {
      const known = metric === ofPrometheus.metric ? new Set<string>() : shown.get(metric)
      expect(known, metric).toBeDefined()
      const unknown = labels.filter((label) => !known?.has(label) && !ofPrometheus.labels.includes(label))
      expect(unknown, metric).toEqual([])
    }
  })
})

test('each alert says how bad it is, and what to do', () => {
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  for (const rule of rules) {
    expect(rule).toMatchObject({
      for: expect.stringMatching(/^\d+m$/),
      labels: { severity: expect.stringMatching(/^(critical|warning)$/) },
      annotations: { summary: expect.any(String), description: expect.any(String) },
    })
  }
})

/** The metrics of the server itself; a histogram is one. */
const ownMetrics = () => [...text.matchAll(/^# TYPE (fennec_\w+) /gm)].map(([, name = '']) => name).sort()

test('the guide names every metric of the server itself, and no other', () => {
  const guide = read('docs', 'guides', 'watching.md')
  const named = new Set([...guide.matchAll(/`(fennec_\w+)`/g)].map(([, name]) => name))
  expect([...named].sort()).toEqual(ownMetrics())
})

/** The panel of the free bytes shows what matters; alerts divide by this one. */
const withoutPanel = ['fennec_disk_size_bytes']

test('the dashboard shows every metric of the server itself, but those that are listed', () => {
  const drawn = dashboard.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsIn(expr)))
  const shownThere = new Set(drawn.map(({ metric }) => metric.replace(/^(fennec_request_seconds)_\w+$/, '$1')))
  expect(ownMetrics().filter((name) => !shownThere.has(name))).toEqual(withoutPanel)
})
