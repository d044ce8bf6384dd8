import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../infra/clock/index.ts'

/** The server's metrics for Prometheus. */
export type Metrics = {
  /** Notes an answered request. */
  observe(request: FastifyRequest, reply: FastifyReply, seconds: number): void
  text(): Promise<string>
  contentType: string
}

type Observation = { operation: string; method: string; status: string; seconds: number }

/** How long observations wait before they are counted, in milliseconds. */
const waitMs = 1_000

/** The library, loaded when there is something to count: a start has other things to do. */
async function openRegistry() {
  const { collectDefaultMetrics, Histogram, Registry } = await import('prom-client')
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'fennec_request_seconds',
    help: 'Time from the first byte of a request to the last of its answer, by operation.',
    labelNames: ['operation', 'method', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
    registers: [registry],
  })
  return { registry, requests }
}

export function createMetrics(clock: Clock): Metrics {
  let opened: ReturnType<typeof openRegistry> | undefined
  const waiting: Observation[] = []

  async function count() {
    opened ??= openRegistry()
    const { registry, requests } = await opened
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
    text: async () => (await count()).metrics(),
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
  }
}
