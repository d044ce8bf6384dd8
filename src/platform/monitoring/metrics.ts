import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../infra/clock/index.ts'
import type { Measure, Sample } from '../module.ts'

/** The server's metrics for Prometheus. */
export type Metrics = {
  /** Notes an answered request. */
  observe(request: FastifyRequest, reply: FastifyReply, seconds: number): void
  /** Adds numbers that are read whenever the metrics are. */
  add(measures: readonly OpenMeasure[]): void
  text(): Promise<string>
}

/** The content type of the text. */
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

/** A measure of a module, on one platform. */
export type OpenMeasure = Pick<Measure, 'name' | 'help' | 'type' | 'labels'> & { value(): ReturnType<Measure['value']> }

type Observation = { operation: string; method: string; status: string; seconds: number }

/** How long observations wait before they are counted, in milliseconds. */
const waitMs = 1_000

/** The library, loaded when there is something to count: a start has other things to do. */
async function openRegistry(worker: number | undefined) {
  const { default: library } = await import('prom-client')
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = library
  const registry = new Registry()
  if (worker !== undefined) registry.setDefaultLabels({ worker: String(worker) })
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'fennec_request_seconds',
    help: 'Time from the first byte of a request to the last of its answer, by operation.',
    labelNames: ['operation', 'method', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
    registers: [registry],
  })
  function add({ name, help, type, labels = [], value }: OpenMeasure): void {
    // A number that cannot be read does not hide the others.
    const read = async (): Promise<readonly Sample[]> => {
      const found = await value().catch(() => (labels.length > 0 ? [] : Number.NaN))
      return typeof found === 'number' ? [{ labels: {}, value: found }] : found
    }
    const made = { name, help, labelNames: [...labels], registers: [registry] }
    if (type === 'gauge') {
      new Gauge({
        ...made,
        async collect() {
          const samples = await read()
          this.reset()
          for (const { labels, value } of samples) this.set(labels, value)
        },
      })
    } else {
      new Counter({
        ...made,
        async collect() {
          const samples = await read()
          this.reset()
          for (const { labels, value } of samples) if (!Number.isNaN(value)) this.inc(labels, value)
        },
      })
    }
  }
  return { registry, requests, add }
}

/** @param worker the number of this process, where several serve; a label of all samples */
export function createMetrics(clock: Clock, worker?: number): Metrics {
  let opened: ReturnType<typeof openRegistry> | undefined
  const waiting: Observation[] = []
  const measures: OpenMeasure[] = []

  async function count() {
    opened ??= openRegistry(worker)
    const { registry, requests, add } = await opened
    for (const measure of measures.splice(0)) add(measure)
    for (const { seconds, ...labels } of waiting.splice(0)) requests.observe(labels, seconds)
    return registry
  }

  return {
    observe(request, reply, seconds) {
      if (waiting.length === 0) clock.setTimer(() => void count(), waitMs)
      // Only operations, never paths: the number of values must stay small.
      const operation = request.operationId ?? 'none'
      waiting.push({ operation, method: request.method, status: String(reply.statusCode), seconds })
    },
    add(more) {
      measures.push(...more)
    },
    text: async () => (await count()).metrics(),
  }
}
