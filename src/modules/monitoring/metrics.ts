import type { FastifyReply, FastifyRequest } from 'fastify'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** What the server tells of itself to Prometheus. */
export type Metrics = {
  /** Notes an answered request. */
  observe(request: FastifyRequest, reply: FastifyReply, seconds: number): void
  /** A number that is asked for when it is scraped. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  text(): Promise<string>
  contentType: string
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'fennec_request_seconds',
    help: 'Time from the first byte of a request to the last of its answer, by operation.',
    labelNames: ['operation', 'method', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
    registers: [registry],
  })
  return {
    observe(request, reply, seconds) {
      // Only operations, never paths: the number of values must stay small.
      const operation = request.operationId ?? 'none'
      requests.observe({ operation, method: request.method, status: String(reply.statusCode) }, seconds)
    },
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          this.set(await read())
        },
      })
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}
